//! Extracts the weighted terms of a task: stems of its words, and its identifiers as whole tokens.
//!
//! [`token_weights`] weighs the tokens by where they occur: in the scope of the first line, in the
//! rest of that line, or in the body, where the role of a line reduces its weight. Weights of
//! several occurrences add up to at most a cap. [`weighted_terms`] keeps the tokens that the index
//! knows and orders them by weight times inverse document frequency.

use super::keywords::backquoted_names;
use super::report::{AnnotatedText, TextRole};
use crate::config::QueryConfig;
use kenning_graph::analysis::{self, Analyzer, WHOLE_TOKEN_PREFIX};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A token with its weight.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// A stem, or `=whole`.
    pub token: String,
    /// Factor of its contribution.
    pub weight: f32,
    /// Number of documents that contain the token.
    pub documents: u32,
    /// Weight times inverse document frequency: the importance of the term for the task.
    pub contribution: f64,
}

/// Returns the terms among `weights` that occur in the index, greatest contribution first, at most
/// `config.max_terms`. Equal contributions are ordered by token. If no term occurs (only stop
/// words), returns whole tokens of the words, so that `new` finds symbols called `new`.
pub(crate) fn weighted_terms(
    weights: &BTreeMap<String, f32>,
    searchable_text: &str,
    config: &QueryConfig,
    documents: u32,
    frequency: impl Fn(&str) -> u32,
) -> Vec<QueryTerm> {
    let mut terms = known_terms(weights.iter().map(|(token, &weight)| (token.clone(), weight)), &frequency);
    if terms.is_empty() {
        let whole_tokens =
            analysis::raw_words(searchable_text).take(config.max_terms * 4).map(analysis::whole_token);
        let whole_tokens: BTreeMap<String, f32> =
            whole_tokens.filter(|t| t.len() > 1).map(|t| (t, 1.0)).collect();
        terms = known_terms(whole_tokens.into_iter(), &frequency);
    }
    for term in &mut terms {
        term.contribution = f64::from(term.weight) * inverse_document_frequency(documents, term.documents);
    }
    // `terms` is sorted by token, and the sort is stable.
    terms.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
    terms.truncate(config.max_terms);
    terms
}

/// Returns the inverse document frequency of a word that `frequency` of `documents` contain, as
/// BM25 computes it; never below 0.
pub(crate) fn inverse_document_frequency(documents: u32, frequency: u32) -> f64 {
    let (documents, frequency) = (f64::from(documents), f64::from(frequency));
    (1.0 + (documents - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln()
}

/// A part of a task text.
struct TextPart {
    text: String,
    /// Weight of each occurrence of a word.
    weight: f32,
    /// Factor of the weight of an identifier.
    factor: f32,
}

/// Returns all tokens of a task with their weights: stems of its words, and its identifiers.
pub(crate) fn token_weights(report: &AnnotatedText<'_>, config: &QueryConfig) -> BTreeMap<String, f32> {
    let (scope, subject) = split_scope(&report.subject);
    let unscaled_part = |text: &str, weight| TextPart { text: text.to_owned(), weight, factor: 1.0 };
    let mut parts = vec![unscaled_part(scope, config.scope), unscaled_part(subject, config.first_line)];
    for role in TextRole::ALL {
        let factor = role.role_weight(&config.roles);
        if factor > 0.0 {
            let text = report.lines_with_role(role);
            parts.push(TextPart { text, weight: config.body * factor, factor });
        }
    }
    let mut weights = word_weights(&parts, config.cap);
    if config.identifier > 0.0 {
        let mut best: BTreeMap<String, f32> = BTreeMap::new();
        for TextPart { text, factor, .. } in &parts {
            for token in identifier_tokens(text) {
                let weight = best.entry(token).or_insert(0.0);
                *weight = weight.max(config.identifier * factor);
            }
        }
        weights.extend(best);
    }
    weights
}

fn known_terms(
    weights: impl Iterator<Item = (String, f32)>,
    frequency: &impl Fn(&str) -> u32,
) -> Vec<QueryTerm> {
    weights
        .map(|(token, weight)| QueryTerm { documents: frequency(&token), token, weight, contribution: 0.0 })
        .filter(|term| term.documents > 0)
        .collect()
}

/// Returns the stems, each with the sum of the weights of its occurrences, capped.
fn word_weights(parts: &[TextPart], cap: f32) -> BTreeMap<String, f32> {
    let mut analyzer = Analyzer::default();
    let mut weights = BTreeMap::new();
    for TextPart { text, weight, .. } in parts {
        analyzer.for_each_token(text, |token| {
            if !token.starts_with(WHOLE_TOKEN_PREFIX) {
                let sum: &mut f32 = weights.entry(token.to_owned()).or_insert(0.0);
                *sum = (*sum + weight).min(cap);
            }
        });
    }
    weights
}

/// Maximum length of a scope, in bytes. A longer text before a colon is a sentence.
const MAX_SCOPE_BYTES: usize = 40;

/// Maximum length of an identifier, in bytes. Encoded data can be far longer.
const MAX_IDENTIFIER_BYTES: usize = 128;

/// Maximum length of a word that is searched for dotted names, in bytes. Minified code has no
/// spaces.
const MAX_DOTTED_BYTES: usize = 512;

/// Words before a colon that are not a scope: types of conventional commits, and prefixes of
/// messages such as `error`.
const NOT_SCOPES: [&str; 32] = [
    "bug",
    "bugfix",
    "build",
    "chore",
    "ci",
    "docs",
    "doc",
    "enhancement",
    "error",
    "example",
    "failure",
    "fatal",
    "feat",
    "feature",
    "fix",
    "help",
    "hint",
    "info",
    "lint",
    "note",
    "panic",
    "perf",
    "proposal",
    "question",
    "refactor",
    "regression",
    "request",
    "revert",
    "style",
    "test",
    "tests",
    "warning",
];

/// Splits a first line into its scope and the rest. The scope is `router` in `fix(router): text`
/// (Conventional Commits 1.0), and in `router: text`, the style of the Linux kernel and Go.
/// `fix: text` has none.
fn split_scope(line: &str) -> (&str, &str) {
    let find_scope = || {
        let (head, rest) = line.split_once(": ")?;
        let is_lower_case = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase());
        if let Some((kind, scope)) =
            head.trim_end_matches('!').strip_suffix(')').and_then(|h| h.split_once('('))
        {
            return is_lower_case(kind).then_some((scope, rest));
        }
        let is_scope = |part: &str| {
            let is_scope_char =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-*{}".contains(c);
            !part.is_empty() && part.chars().all(is_scope_char) && !NOT_SCOPES.contains(&part)
        };
        (head.len() <= MAX_SCOPE_BYTES && head.split(',').map(str::trim).all(is_scope))
            .then_some((head, rest))
    };
    find_scope().unwrap_or(("", line))
}

/// Returns the identifiers of a text as whole tokens: compounds anywhere, names in backquotes,
/// names of called functions, and the parts of dotted and `::` names.
fn identifier_tokens(text: &str) -> FxHashSet<String> {
    let mut tokens = FxHashSet::default();
    let mut add = |word: &str| {
        let name = word.trim_matches('_');
        let is_identifier = name.chars().nth(1).is_some() && !name.chars().all(char::is_numeric);
        if is_identifier && name.len() <= MAX_IDENTIFIER_BYTES {
            tokens.insert(analysis::whole_token(word));
        }
    };
    for quoted in backquoted_names(text) {
        analysis::raw_words(quoted).for_each(&mut add);
    }
    analysis::raw_words(text).filter(|w| analysis::is_compound(w)).for_each(&mut add);
    for word in text.split_whitespace() {
        if word.len() > MAX_DOTTED_BYTES || word.contains("://") {
            continue;
        }
        dotted_runs(word).into_iter().for_each(&mut add);
    }
    tokens
}

/// Returns the identifiers of a word that are joined by `.`, `::` or `->`, or followed by `(`.
fn dotted_runs(word: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut at = 0;
    let mut joined_before = false;
    while at < word.len() {
        let rest = &word[at..];
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        if length == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            joined_before = false;
            continue;
        }
        let (name, after) = rest.split_at(length);
        // `v2.0` is not a dotted name.
        let is_start = |c: char| c.is_alphabetic() || c == '_';
        let join = ["::", ".", "->"].into_iter().find(|join| {
            after.strip_prefix(join).is_some_and(|next| next.chars().next().is_some_and(is_start))
        });
        if name.starts_with(is_start) && (joined_before || join.is_some() || after.starts_with('(')) {
            found.push(name);
        }
        joined_before = join.is_some();
        at += length + join.map_or(0, str::len);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankConfig;
    use expect_test::{Expect, expect};

    fn read_terms(
        text: &str,
        config: &QueryConfig,
        documents: u32,
        frequency: impl Fn(&str) -> u32,
    ) -> Vec<QueryTerm> {
        let weights = token_weights(&AnnotatedText::parse_roles(text), config);
        weighted_terms(&weights, text, config, documents, frequency)
    }

    fn check(text: &str, expect: Expect) {
        let config = RankConfig::default().query;
        let terms = read_terms(text, &config, 1000, |t| t.len() as u32);
        let shown: Vec<String> = terms.iter().map(|t| format!("{}*{:.2}", t.token, t.weight)).collect();
        expect.assert_eq(&shown.join(" "));
    }

    #[test]
    fn a_scope_has_weight_two_and_the_body_a_third() {
        check(
            "fix(router): match trailing slash\n\nThe router drops the slash of a route.",
            expect!["router*2.00 slash*1.35 match*1.00 trail*1.00 drop*0.35 rout*0.35"],
        );
    }

    #[test]
    fn a_subsystem_before_a_colon_is_a_scope() {
        let scope = |line| split_scope(line).0;
        assert_eq!(scope("printer: flush at the end"), "printer");
        assert_eq!(scope("net/http, net/url: escape"), "net/http, net/url");
        assert_eq!(scope("feat(api)!: drop v1"), "api");
        for none in
            ["fix: flush", "TypeError: no such key", "what happens: nothing", "see https://a.b", "a:b", ": x"]
        {
            assert_eq!(scope(none), "", "{none}");
        }
    }

    #[test]
    fn sums_are_capped_at_two() {
        check("cache cache cache\ncache", expect!["cach*2.00"]);
    }

    #[test]
    fn identifiers_are_whole_tokens() {
        check(
            "`run` calls flask.Flask.make_default(), Foo::bar and getValue; see e.g. v2.0 and close(x)",
            expect![
                "flask*2.00 bar*1.00 foo*1.00 get*1.00 run*1.00 see*1.00 =bar*1.00 =foo*1.00 =run*1.00 call*1.00 valu*1.00 close*1.00 =close*1.00 =flask*1.00 default*1.00 =getvalue*1.00 =makedefault*1.00"
            ],
        );
    }

    #[test]
    fn a_text_of_stop_words_gives_whole_tokens() {
        check("add the new", expect!["=add*1.00 =new*1.00 =the*1.00"]);
    }

    #[test]
    fn hostile_texts_give_a_bounded_number_of_terms() {
        for text in ["", "🙂", "\"quotes NEAR( AND OR *", "`", "a(b(c(", ":::: .... ()()", "fix(): x", "(): "]
        {
            let _ = read_terms(text, &RankConfig::default().query, 10, |_| 1);
        }
        let log = "2026-11-20 error at 0xdeadbeef in module_x::function_y line 42\n".repeat(1700);
        assert!(read_terms(&log, &RankConfig::default().query, 10, |_| 1).len() <= 64);
    }

    #[test]
    fn the_term_limit_keeps_the_greatest_contributions() {
        let config = QueryConfig { max_terms: 2, ..RankConfig::default().query };
        let terms =
            read_terms("alpha beta\n\ngamma delta", &config, 100, |t| if t == "beta" { 90 } else { 2 });
        assert_eq!(terms.iter().map(|t| t.token.as_str()).collect::<Vec<_>>(), ["alpha", "delta"]);
    }
}
