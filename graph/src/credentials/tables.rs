//! The tables of `data/credentials/forms.toml`, and the automaton that finds candidates.

use super::pattern::TokenPattern;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::sync::LazyLock;

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
    begins: Vec<String>,
    follows: Vec<String>,
    #[serde(default)]
    keep: bool,
}

/// The kind of secret that a name has as its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretKind {
    /// A secret chosen by a person.
    Password,
    /// A generated secret: a key, a token.
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
    /// `://`, after which a password may follow.
    Address,
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
    pub(super) before: Option<TokenPattern>,
    pub(super) begins: Box<str>,
    pub(super) follows: Vec<TokenPattern>,
    /// Whether only the text after the beginning is secret.
    pub(super) keeps_beginning: bool,
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
        let mut written: Vec<(String, CredentialSign)> = Vec::new();
        for (names, kind) in [(file.passwords, SecretKind::Password), (file.keys, SecretKind::Key)] {
            // `api_key` may also be written `api-key` and `apikey`; case is ignored.
            let spellings = |name: &String| {
                let mut written = vec![name.clone()];
                if name.contains('_') {
                    written.extend([name.replace('_', "-"), name.replace('_', "")]);
                }
                written
            };
            let names_in_full = names.names.iter().flat_map(spellings);
            written.extend(names_in_full.map(|name| (name, CredentialSign::Name { kind, short: false })));
            written.extend(
                names.humps.into_iter().map(|name| (name, CredentialSign::Name { kind, short: true })),
            );
        }
        written.extend(file.calls.names.into_iter().map(|name| (name, CredentialSign::Call)));
        written.extend(
            [
                ("://", CredentialSign::Address),
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
            let follows: Vec<TokenPattern> =
                row.follows.iter().map(|p| TokenPattern::parse(p)).collect::<Result<_, _>>()?;
            for begins in row.begins {
                written.push((begins.clone(), CredentialSign::Token(tokens.len())));
                tokens.push(TokenForm {
                    service: row.service.as_str().into(),
                    before: (!row.before.is_empty()).then(|| TokenPattern::parse(&row.before)).transpose()?,
                    begins: begins.into(),
                    follows: follows.clone(),
                    keeps_beginning: row.keep,
                });
            }
        }
        let (texts, signs): (Vec<String>, Vec<CredentialSign>) = written.into_iter().unzip();
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest);
        let automaton = builder.kind(Some(AhoCorasickKind::DFA)).build(texts)?;
        let marks = AhoCorasick::builder().ascii_case_insensitive(true).build(file.placeholders.marks)?;
        let set = |words: Vec<String>| words.into_iter().map(String::into_boxed_str).collect();
        let (wrappers, placeholders) = (set(file.wrappers.names), set(file.placeholders.words));
        let labels = set(file.placeholders.labels);
        Ok(Self { automaton, signs, tokens, wrappers, placeholders, labels, marks })
    }

    /// Returns the tables that are compiled in.
    pub(super) fn built_in() -> &'static Self {
        #[allow(clippy::expect_used, reason = "what is compiled in is read by the tests")]
        static TABLES: LazyLock<CredentialTables> =
            LazyLock::new(|| CredentialTables::parse_forms().expect("the tables can be read"));
        &TABLES
    }
}
