//! The tables of `data/credentials/forms.toml`, and the automaton that finds candidates.
//!
//! In: the file with the names of secrets, the calls, the forms of tokens, and the placeholders.
//! Out: one automaton that finds all their beginnings in one pass over a text, with the meaning of
//! each match; and sets of words, by which the other modules decide whether a match is a secret.
//!
//! The tables are parsed once per process. A name with `_` is also found with `-` and without a
//! separator; letter case is ignored.

use super::pattern::TokenPattern;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::sync::LazyLock;

/// The contents of `forms.toml`, which describes its tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormsFile {
    passwords: SecretNames,
    keys: SecretNames,
    calls: WordList,
    wrappers: WordList,
    placeholders: PlaceholderLists,
    token: Vec<TokenRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretNames {
    names: Vec<String>,
    humps: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordList {
    names: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceholderLists {
    words: Vec<String>,
    labels: Vec<String>,
    marks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenRow {
    service: String,
    #[serde(default)]
    before: String,
    prefixes: Vec<String>,
    bodies: Vec<String>,
    #[serde(default)]
    keeps_prefix: bool,
}

/// The kind of secret that a name holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretKind {
    /// A secret chosen by a person.
    Password,
    /// A generated secret, such as a key or a token.
    Key,
}

/// The meaning of a match of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CredentialSign {
    /// A name whose value is secret. A short name counts only at the start of a word.
    Name { kind: SecretKind, short: bool },
    /// A call that takes a user and a password.
    Call,
    /// The start of a token, as an index into [`CredentialTables::tokens`].
    Token(usize),
    /// `://` of a URL, after which a password may follow.
    UrlAuthority,
    /// `-----BEGIN`.
    Armor,
    /// A scheme of the Authorization header.
    Scheme { is_basic: bool },
    /// The option of curl for a user and a password.
    CurlUser,
}

/// One form of a service's tokens.
pub(super) struct TokenForm {
    /// The service that issues the token, for tests and messages.
    #[cfg_attr(not(test), expect(dead_code, reason = "names the row in tests"))]
    pub(super) service: Box<str>,
    /// The part of the token before the prefix.
    pub(super) before: Option<TokenPattern>,
    pub(super) prefix: Box<str>,
    /// The alternatives for the part after the prefix.
    pub(super) bodies: Vec<TokenPattern>,
    /// Whether only the text after the prefix is secret.
    pub(super) keeps_prefix: bool,
}

/// All tables about credentials.
pub(super) struct CredentialTables {
    pub(super) automaton: AhoCorasick,
    /// The meaning of each pattern of the automaton.
    pub(super) signs: Vec<CredentialSign>,
    pub(super) tokens: Vec<TokenForm>,
    pub(super) wrappers: FxHashSet<Box<str>>,
    pub(super) placeholders: FxHashSet<Box<str>>,
    /// Words that show that a text is a sentence about secrets.
    pub(super) labels: FxHashSet<Box<str>>,
    pub(super) marks: AhoCorasick,
}

impl CredentialTables {
    fn parse_forms() -> Result<Self, Box<dyn std::error::Error>> {
        let file: FormsFile = toml::from_str(include_str!("../../data/credentials/forms.toml"))?;
        let mut patterns: Vec<(String, CredentialSign)> = Vec::new();
        for (names, kind) in [(file.passwords, SecretKind::Password), (file.keys, SecretKind::Key)] {
            // `api_key` may also be written `api-key` and `apikey`; case is ignored.
            let spellings = |name: &String| {
                let mut spellings = vec![name.clone()];
                if name.contains('_') {
                    spellings.extend([name.replace('_', "-"), name.replace('_', "")]);
                }
                spellings
            };
            let names_in_full = names.names.iter().flat_map(spellings);
            patterns.extend(names_in_full.map(|name| (name, CredentialSign::Name { kind, short: false })));
            patterns.extend(
                names.humps.into_iter().map(|name| (name, CredentialSign::Name { kind, short: true })),
            );
        }
        patterns.extend(file.calls.names.into_iter().map(|name| (name, CredentialSign::Call)));
        patterns.extend(
            [
                ("://", CredentialSign::UrlAuthority),
                ("-----BEGIN ", CredentialSign::Armor),
                ("Bearer ", CredentialSign::Scheme { is_basic: false }),
                ("Basic ", CredentialSign::Scheme { is_basic: true }),
                ("-u ", CredentialSign::CurlUser),
                ("--user ", CredentialSign::CurlUser),
            ]
            .map(|(text, sign)| (text.to_owned(), sign)),
        );
        let mut tokens = Vec::new();
        for row in file.token {
            let bodies: Vec<TokenPattern> =
                row.bodies.iter().map(|p| TokenPattern::parse(p)).collect::<Result<_, _>>()?;
            for prefix in row.prefixes {
                patterns.push((prefix.clone(), CredentialSign::Token(tokens.len())));
                tokens.push(TokenForm {
                    service: row.service.as_str().into(),
                    before: (!row.before.is_empty()).then(|| TokenPattern::parse(&row.before)).transpose()?,
                    prefix: prefix.into(),
                    bodies: bodies.clone(),
                    keeps_prefix: row.keeps_prefix,
                });
            }
        }
        let (texts, signs): (Vec<String>, Vec<CredentialSign>) = patterns.into_iter().unzip();
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest);
        let automaton = builder.kind(Some(AhoCorasickKind::DFA)).build(texts)?;
        let marks = AhoCorasick::builder().ascii_case_insensitive(true).build(file.placeholders.marks)?;
        let set = |words: Vec<String>| words.into_iter().map(String::into_boxed_str).collect();
        let (wrappers, placeholders) = (set(file.wrappers.names), set(file.placeholders.words));
        let labels = set(file.placeholders.labels);
        Ok(Self { automaton, signs, tokens, wrappers, placeholders, labels, marks })
    }

    /// Returns the built-in tables.
    pub(super) fn built_in() -> &'static Self {
        #[allow(clippy::expect_used, reason = "the tests read the built-in tables")]
        static TABLES: LazyLock<CredentialTables> =
            LazyLock::new(|| CredentialTables::parse_forms().expect("the built-in tables are valid"));
        &TABLES
    }
}
