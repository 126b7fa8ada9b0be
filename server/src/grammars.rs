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

/// Checks the grammar of each language.
pub fn check_grammars() -> Vec<DoctorCheck> {
    match toml::from_str::<GrammarSnippets>(SNIPPETS) {
        Ok(snippets) => snippets.grammar.iter().map(check_snippet).collect(),
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
    use kenning_indexing::languages::LanguageRegistry;

    #[test]
    fn every_language_has_a_snippet_that_its_grammar_reads() {
        let checks = check_grammars();
        let broken: Vec<_> = checks.iter().filter(|check| check.outcome != CheckOutcome::Ok).collect();
        assert!(broken.is_empty(), "{broken:?}");
        let checked: Vec<&str> =
            checks.iter().filter_map(|check| check.name.strip_prefix("grammar ")).collect();
        for language in LanguageRegistry::get().all_languages() {
            assert!(
                checked.contains(&language.language_id()),
                "{} has no snippet in grammars.toml",
                language.language_id()
            );
        }
    }
}
