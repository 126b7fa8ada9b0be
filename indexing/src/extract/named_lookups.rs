//! Calls whose first literal names something that all code shares: feature flags (`flags.toml`) and
//! topics or queues of message brokers (`topics.toml`).
//!
//! The tables list calls that are certain by their name, and common names that count only with a
//! known receiver or an import of a client. The collector records both as [`NamedLookup`]s.
//! [`add_lookup_references`] selects among them after the walk, when the imports are known.

use super::raw_facts::{RawFacts, RawReference};
use kenning_graph::facts::ReferenceRole;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::sync::LazyLock;

/// The certainty that a call looks up a name of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookupCertainty {
    /// The call's name or receiver shows it.
    Certain,
    /// The call counts only if the file imports a client.
    WithImport,
}

/// A lookup that counts only if its certainty suffices.
pub(crate) struct NamedLookup {
    pub kind: LookupKind,
    pub certainty: LookupCertainty,
    pub reference: RawReference,
}

/// The kind of thing that a lookup names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookupKind {
    Flag,
    Topic,
}

/// All kinds, in the order in which a call is compared with their tables.
const KINDS: [LookupKind; 2] = [LookupKind::Flag, LookupKind::Topic];

impl LookupKind {
    /// Returns the role of a reference to the named thing.
    pub const fn role(self) -> ReferenceRole {
        match self {
            Self::Flag => ReferenceRole::Flag,
            Self::Topic => ReferenceRole::Resource,
        }
    }

    /// Returns the receiver of a reference to the named thing: the word for the kind of a resource,
    /// or nothing for a flag.
    pub const fn resource_kind(self) -> &'static str {
        match self {
            Self::Flag => "",
            Self::Topic => "topic",
        }
    }

    fn lookup_calls(self) -> &'static LookupCalls {
        static FLAGS: LazyLock<LookupCalls> =
            LazyLock::new(|| LookupCalls::parse(include_str!("../../flags.toml")));
        static TOPICS: LazyLock<LookupCalls> =
            LazyLock::new(|| LookupCalls::parse(include_str!("../../topics.toml")));
        match self {
            Self::Flag => &FLAGS,
            Self::Topic => &TOPICS,
        }
    }
}

/// A table as written in TOML: lists of words separated by whitespace.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LookupTable {
    calls: String,
    common_calls: String,
    #[serde(default)]
    receiver_calls: String,
    receivers: String,
    packages: String,
}

/// The calls that look up names of one kind.
struct LookupCalls {
    /// Calls that are certain whatever their receiver.
    calls: FxHashSet<&'static str>,
    /// Calls that are certain only with a known receiver, and otherwise need an import.
    common_calls: FxHashSet<&'static str>,
    /// Calls that count only with a known receiver.
    receiver_calls: FxHashSet<&'static str>,
    /// Words in the names of receivers, in lower case.
    receivers: Vec<&'static str>,
    /// Parts of the import paths of clients.
    packages: Vec<&'static str>,
}

impl LookupCalls {
    /// Parses one of the embedded tables. Panics if it is malformed; the tests below parse both.
    fn parse(text: &str) -> Self {
        let table: LookupTable = toml::from_str(text).expect("the embedded table is checked by a test");
        let table: &'static LookupTable = Box::leak(Box::new(table));
        Self {
            calls: table.calls.split_whitespace().collect(),
            common_calls: table.common_calls.split_whitespace().collect(),
            receiver_calls: table.receiver_calls.split_whitespace().collect(),
            receivers: table.receivers.split_whitespace().collect(),
            packages: table.packages.split_whitespace().collect(),
        }
    }

    /// Returns the certainty that a call with this receiver is one of the table; `None` if it is
    /// not.
    fn certainty(&self, name: &str, receiver: &str) -> Option<LookupCertainty> {
        if self.calls.contains(name) {
            return Some(LookupCertainty::Certain);
        }
        let is_common = self.common_calls.contains(name);
        if !is_common && !self.receiver_calls.contains(name) {
            return None;
        }
        let object = receiver.rsplit('.').next().unwrap_or("").to_lowercase();
        if self.receivers.iter().any(|word| object.contains(word)) {
            return Some(LookupCertainty::Certain);
        }
        is_common.then_some(LookupCertainty::WithImport)
    }
}

/// Returns the kind of name that a call with this receiver looks up, and the certainty of that;
/// `None` if the tables do not know the call.
pub(crate) fn classify_call(name: &str, receiver: &str) -> Option<(LookupKind, LookupCertainty)> {
    KINDS.into_iter().find_map(|kind| Some((kind, kind.lookup_calls().certainty(name, receiver)?)))
}

/// Turns the recorded lookups into references: all of a kind if the file imports a client for it,
/// else only the certain ones.
pub(crate) fn add_lookup_references(facts: &mut RawFacts) {
    let lookups = std::mem::take(&mut facts.named_lookups);
    if lookups.is_empty() {
        return;
    }
    let has_client = |kind: LookupKind| {
        let packages = &kind.lookup_calls().packages;
        facts.imports.iter().any(|import| packages.iter().any(|package| import.path.contains(package)))
    };
    let imported = KINDS.map(|kind| (kind, has_client(kind)));
    let is_accepted = |lookup: &NamedLookup| {
        lookup.certainty == LookupCertainty::Certain || imported.contains(&(lookup.kind, true))
    };
    facts.references.extend(lookups.into_iter().filter(is_accepted).map(|lookup| lookup.reference));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_name_needs_a_known_receiver_or_an_import() {
        let certainty = |name, receiver| classify_call(name, receiver).map(|(_, certainty)| certainty);
        assert_eq!(certainty("BoolVariation", "client"), Some(LookupCertainty::Certain));
        assert_eq!(certainty("isEnabled", "this.featureFlags"), Some(LookupCertainty::Certain));
        assert_eq!(certainty("isEnabled", "button"), Some(LookupCertainty::WithImport));
        assert_eq!(certainty("getFlag", ""), Some(LookupCertainty::WithImport));
        assert_eq!(certainty("render", "flags"), None);
    }

    #[test]
    fn a_message_is_sent_by_a_producer_and_not_by_a_socket() {
        let topic = |certainty| Some((LookupKind::Topic, certainty));
        assert_eq!(classify_call("send", "this.producer"), topic(LookupCertainty::Certain));
        assert_eq!(classify_call("sendToQueue", "ch"), topic(LookupCertainty::Certain));
        assert_eq!(classify_call("Publish", "nc"), topic(LookupCertainty::WithImport));
        assert_eq!(classify_call("send", "socket"), None);
    }
}
