//! The first checks of `doctor`: each grammar of this build must read a snippet of its language,
//! and each grammar that the user has installed must load.

use crate::doctor::{self, CheckOutcome, DoctorCheck};
use kenning_graph::facts::SymbolFact;
use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::{InstalledGrammar, LanguageRegistry};
use serde::Deserialize;

/// The snippets, embedded so that the check needs no file.
const SNIPPETS: &str = include_str!("../data/grammars.toml");

#[derive(Deserialize)]
struct GrammarSnippets {
    grammar: Vec<GrammarSnippet>,
}

/// A text in a language, with the names of the symbols that extraction must find.
#[derive(Deserialize)]
struct GrammarSnippet {
    language: String,
    text: String,
    symbols: Vec<String>,
}

/// Checks the grammar of each language. Returns the failed checks, or a single check if all pass.
pub fn check_grammars() -> Vec<DoctorCheck> {
    match toml::from_str::<GrammarSnippets>(SNIPPETS) {
        Ok(snippets) => {
            let checks = snippets.grammar.iter().map(check_snippet);
            let broken: Vec<_> = checks.filter(|check| check.outcome != CheckOutcome::Ok).collect();
            if !broken.is_empty() {
                return broken;
            }
            let found = format!("{} languages can be read", snippets.grammar.len());
            vec![DoctorCheck::ok("grammars", found)]
        }
        Err(error) => {
            let found = format!("the snippets cannot be read: {error}");
            vec![DoctorCheck::with_problem(
                "grammars",
                CheckOutcome::Broken,
                found,
                "install a released build of Kenning",
            )]
        }
    }
}

/// Checks the grammars that the user has installed. A build without the feature `language-pack` has
/// none.
pub fn check_installed_grammars() -> Vec<DoctorCheck> {
    render_installed_grammars(LanguageRegistry::get().installed_grammars())
}

fn render_installed_grammars(grammars: &[InstalledGrammar]) -> Vec<DoctorCheck> {
    let usable = grammars.iter().filter(|grammar| grammar.problem.is_none());
    let usable: Vec<&str> = usable.map(|grammar| grammar.language.as_str()).collect();
    let mut checks = Vec::new();
    if !usable.is_empty() {
        checks.push(DoctorCheck::ok("installed grammars", usable.join(", ")));
    }
    checks.extend(grammars.iter().filter_map(|grammar| {
        let name = format!("installed grammar of {}", grammar.language);
        let fix = "install it again, with its tags query: docs/languages.md";
        Some(DoctorCheck::with_problem(name, CheckOutcome::Warning, grammar.problem.clone()?, fix))
    }));
    checks
}

fn check_snippet(snippet: &GrammarSnippet) -> DoctorCheck {
    let facts = Extractor::new().extract_file(&snippet.language, snippet.text.as_bytes());
    let found: Vec<String> = facts.symbols.iter().map(SymbolFact::qualified_name).collect();
    doctor::check_grammar(&snippet.language, &found, &snippet.symbols)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_indexing::languages::Language;
    use std::collections::BTreeSet;

    #[test]
    fn installed_grammars_are_listed_with_their_problems() {
        assert_eq!(render_installed_grammars(&[]), []);
        let grammar = |language: &str, problem: Option<&str>| InstalledGrammar {
            language: language.to_owned(),
            problem: problem.map(str::to_owned),
        };
        let checks = render_installed_grammars(&[
            grammar("gleam", None),
            grammar("nix", Some("it has no tags query")),
            grammar("solidity", None),
        ]);
        let expected = "ok       installed grammars: gleam, solidity
warning  installed grammar of nix: it has no tags query
         fix: install it again, with its tags query: docs/languages.md

Kenning works; 1 thing could be fixed.
";
        let shown =
            doctor::render_checks(&checks, doctor::ShownChecks::All, &crate::terminal::Screen::plain());
        assert_eq!(shown, expected);
    }

    #[test]
    fn every_language_has_a_snippet_that_its_grammar_reads() {
        let checks = check_grammars();
        assert_eq!(checks.len(), 1, "{checks:?}");
        assert_eq!(checks[0].outcome, CheckOutcome::Ok, "{checks:?}");
        let snippets: GrammarSnippets = toml::from_str(SNIPPETS).unwrap();
        let checked: BTreeSet<&str> =
            snippets.grammar.iter().map(|snippet| snippet.language.as_str()).collect();
        let registry = LanguageRegistry::get().all_languages();
        assert_eq!(checked, registry.iter().map(Language::language_id).collect());
    }
}
