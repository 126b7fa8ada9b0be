//! Calls that look up a feature flag, according to `flags.toml`.

use super::raw_facts::RawFacts;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::sync::LazyLock;

/// The certainty that a call looks up a feature flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlagCertainty {
    /// The call's name or receiver shows it.
    Certain,
    /// The call counts only if the file imports a client for feature flags.
    WithImport,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlagTable {
    calls: String,
    common_calls: String,
    receivers: String,
    packages: String,
}

struct FlagCalls {
    calls: FxHashSet<&'static str>,
    common_calls: FxHashSet<&'static str>,
    receivers: Vec<&'static str>,
    packages: Vec<&'static str>,
}

static FLAGS: LazyLock<FlagCalls> = LazyLock::new(|| {
    let table: FlagTable = toml::from_str(include_str!("../../flags.toml"))
        .expect("the embedded flags.toml is checked by a test");
    let table: &'static FlagTable = Box::leak(Box::new(table));
    FlagCalls {
        calls: table.calls.split_whitespace().collect(),
        common_calls: table.common_calls.split_whitespace().collect(),
        receivers: table.receivers.split_whitespace().collect(),
        packages: table.packages.split_whitespace().collect(),
    }
});

/// Returns the certainty that a call with this receiver looks up a feature flag; `None` if it does
/// not.
pub(crate) fn flag_call_certainty(name: &str, receiver: &str) -> Option<FlagCertainty> {
    let flags = &*FLAGS;
    if flags.calls.contains(name) {
        return Some(FlagCertainty::Certain);
    }
    if !flags.common_calls.contains(name) {
        return None;
    }
    let object = receiver.rsplit('.').next().unwrap_or("").to_lowercase();
    let is_flag_receiver = flags.receivers.iter().any(|word| object.contains(word));
    Some(if is_flag_receiver { FlagCertainty::Certain } else { FlagCertainty::WithImport })
}

/// Turns the recorded lookups of flags into references: all of them if the file imports a client,
/// else only the certain ones.
pub(crate) fn add_flag_references(facts: &mut RawFacts) {
    let lookups = std::mem::take(&mut facts.flags);
    let is_client_path = |path: &str| FLAGS.packages.iter().any(|package| path.contains(package));
    let imported = facts.imports.iter().any(|import| is_client_path(&import.path));
    let flags = lookups.into_iter().filter(|(certainty, _)| imported || *certainty == FlagCertainty::Certain);
    facts.references.extend(flags.map(|(_, reference)| reference));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_name_needs_a_telling_receiver() {
        assert_eq!(flag_call_certainty("BoolVariation", "client"), Some(FlagCertainty::Certain));
        assert_eq!(flag_call_certainty("isEnabled", "this.featureFlags"), Some(FlagCertainty::Certain));
        assert_eq!(flag_call_certainty("isEnabled", "button"), Some(FlagCertainty::WithImport));
        assert_eq!(flag_call_certainty("getFlag", ""), Some(FlagCertainty::WithImport));
        assert_eq!(flag_call_certainty("render", "flags"), None);
    }
}
