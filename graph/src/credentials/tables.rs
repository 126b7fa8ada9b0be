//! What `data/credentials/forms.toml` says, and the automaton that finds where to look.

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

/// What the value of a name is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretKind {
    /// Chosen by a person.
    Password,
    /// Generated: a key, a token.
    Key,
}

/// What was found where a sign matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CredentialSign {
    /// A name whose value is secret. A short one counts only where a word begins.
    Name { kind: SecretKind, short: bool },
    /// A call that takes a user and a password.
    Call,
    /// The start of a token: an index into [`CredentialTables::tokens`].
    Token(usize),
    /// `://`, behind which a password may stand.
    Address,
    /// `-----BEGIN`.
    Armor,
    /// A scheme of the Authorization header.
    Scheme { is_basic: bool },
    /// The option of curl for a user and a password.
    CurlUser,
}

/// One way in which a service's tokens look.
pub(super) struct TokenForm {
    /// Who issues it, for tests and messages.
    #[cfg_attr(not(test), expect(dead_code, reason = "names the row in tests"))]
    pub(super) service: Box<str>,
    pub(super) before: Option<TokenPattern>,
    pub(super) begins: Box<str>,
    pub(super) follows: Vec<TokenPattern>,
    /// Whether only what follows is secret.
    pub(super) keeps_beginning: bool,
}

/// Everything that is known of credentials.
pub(super) struct CredentialTables {
    pub(super) automaton: AhoCorasick,
    /// What each pattern of the automaton is a sign of.
    pub(super) signs: Vec<CredentialSign>,
    pub(super) tokens: Vec<TokenForm>,
    pub(super) wrappers: FxHashSet<Box<str>>,
    pub(super) placeholders: FxHashSet<Box<str>>,
    /// Words of sentences about secrets.
    pub(super) labels: FxHashSet<Box<str>>,
    pub(super) marks: AhoCorasick,
}

impl CredentialTables {
    fn parse_forms() -> Result<Self, Box<dyn std::error::Error>> {
        let file: FormsFile = toml::from_str(include_str!("../../data/credentials/forms.toml"))?;
        let mut written: Vec<(String, CredentialSign)> = Vec::new();
        for (names, kind) in [(file.passwords, SecretKind::Password), (file.keys, SecretKind::Key)] {
            // `api_key` is also written `api-key` and `apikey`; case does not count.
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

    /// The tables that are compiled in.
    pub(super) fn built_in() -> &'static Self {
        #[allow(clippy::expect_used, reason = "what is compiled in is read by the tests")]
        static TABLES: LazyLock<CredentialTables> =
            LazyLock::new(|| CredentialTables::parse_forms().expect("the tables can be read"));
        &TABLES
    }
}
