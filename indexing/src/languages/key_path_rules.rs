//! The rules of languages whose texts are nested mappings (YAML, JSON), as data: the meaning of the
//! value at a path of keys.
//!
//! `extract/key_paths` applies them. This module must not name any language.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The meaning of the values at a path of keys: an entry of `key_paths` in a row of
/// `languages.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyPathRule {
    /// The keys from the root of a document to the value. The empty path is the document itself.
    #[serde(deserialize_with = "parse_path")]
    pub at: Vec<PathPart>,
    /// The meaning of the value, or of each scalar if it is a list.
    pub is: KeyPathFact,
    /// The kind of the symbol or of the shared resource. For types, the names of the mappings of
    /// types, separated by spaces.
    #[serde(default)]
    pub kind: String,
    /// The last keys to which the rule applies; empty for all keys.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The last keys to which the rule does not apply.
    #[serde(default)]
    pub except: Vec<String>,
    /// The values that make up the name of a symbol, joined with `/`: paths of keys from the value
    /// of the rule. If the list is empty or the text has none of these values, the key is the name.
    #[serde(default)]
    pub name: Vec<String>,
    /// The text that is put before the names of dependencies.
    #[serde(default)]
    pub prefix: String,
    /// Conditions: paths of keys from the mapping around the value, with `..` for the mapping
    /// around that, each with the allowed prefixes of the value there.
    #[serde(default)]
    pub only_if: BTreeMap<String, Vec<String>>,
    /// Conditions in the same form; a rule does not apply if one of them is fulfilled.
    #[serde(default)]
    pub unless: BTreeMap<String, Vec<String>>,
    /// Whether the path of a file starts in the folder of this file rather than at the root of the
    /// workspace.
    #[serde(default)]
    pub is_relative_to_file: bool,
    /// Whether the name must have the form of an environment variable.
    #[serde(default)]
    pub capitals: bool,
    /// The paths of keys, from the root of the document, to the prefixes of the paths of endpoints.
    #[serde(default)]
    pub prefixes: Vec<String>,
}

/// The meaning of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyPathFact {
    /// A symbol.
    Symbol,
    /// A symbol for an endpoint: the last two keys are the path and the method.
    Endpoint,
    /// The name of a symbol that the symbol around it needs.
    Dependency,
    /// A reference to a type; the last part of the value is its name.
    Type,
    /// The name of an environment variable that is set.
    Environment,
    /// The path of a file.
    File,
    /// The commands of a shell.
    Commands,
    /// The name of a shared resource that is used.
    Resource,
    /// The name of a shared resource that the symbol around it deploys.
    Deployment,
}

/// A part of a path of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathPart {
    /// This key.
    Key(String),
    /// `*`: any key. As the last part, it selects the key itself instead of its value.
    AnyKey,
    /// `[]`: any item of a list.
    Item,
    /// `**`: any number of keys and items.
    Descendants,
}

impl KeyPathRule {
    /// Whether the rule applies to values with this last key.
    pub fn accepts_key(&self, key: &str) -> bool {
        (self.keys.is_empty() || self.keys.iter().any(|wanted| wanted == key))
            && !self.except.iter().any(|other| other == key)
    }

    /// Whether the rule selects the last key itself instead of its value.
    pub fn reads_key(&self) -> bool {
        self.at.last() == Some(&PathPart::AnyKey)
    }
}

fn parse_path<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<PathPart>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parts = text.split('/').filter(|part| !part.is_empty());
    Ok(parts
        .map(|part| match part {
            "*" => PathPart::AnyKey,
            "[]" => PathPart::Item,
            "**" => PathPart::Descendants,
            key => PathPart::Key(key.to_owned()),
        })
        .collect())
}
