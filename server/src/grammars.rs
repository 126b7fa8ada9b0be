//! The first checks of `doctor`: each grammar of this build must read a snippet of its language.

use crate::doctor::{self, CheckOutcome, DoctorCheck};
use kenning_graph::facts::SymbolFact;
use kenning_indexing::extract::Extractor;
use serde::Deserialize;

/// The snippets, embedded so that the check needs no file.
const SNIPPETS: &str = include_str!("../data/grammars.toml");

#[derive(Deserialize)]
struct GrammarSnippets {
    grammar: Vec<GrammarSnippet>,
}

#[derive(Deserialize)]
struct GrammarSnippet {
    language: String,
    text: String,
    symbols: Vec<String>,
}

/// Checks the grammar of each language. Returns the broken ones, or one check if all are sound.
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

fn check_snippet(snippet: &GrammarSnippet) -> DoctorCheck {
    let facts = Extractor::new().extract_file(&snippet.language, snippet.text.as_bytes());
    let found: Vec<String> = facts.symbols.iter().map(SymbolFact::qualified_name).collect();
    doctor::check_grammar(&snippet.language, &found, &snippet.symbols)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_indexing::languages::{Language, LanguageRegistry};
    use std::collections::BTreeSet;

    #[test]
    fn every_language_has_a_snippet_that_its_grammar_reads() {
        let checks = check_grammars();
        assert_eq!(checks.len(), 1, "{checks:?}");
        assert_eq!(checks[0].outcome, CheckOutcome::Ok, "{checks:?}");
        let snippets: GrammarSnippets = toml::from_str(SNIPPETS).unwrap();
        let checked: BTreeSet<&str> = snippets.grammar.iter().map(|s| s.language.as_str()).collect();
        let registry = LanguageRegistry::get().all_languages();
        assert_eq!(checked, registry.iter().map(Language::language_id).collect());
    }
}
