//! Feature flags: the calls that look one up, as listed in `flags.toml`.

use super::raw_facts::RawFacts;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::sync::LazyLock;

/// The certainty that a call looks up a feature flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlagCertainty {
    /// The call's name or receiver shows it.
    Surely,
    /// It holds only if the file imports a client for feature flags.
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
        return Some(FlagCertainty::Surely);
    }
    if !flags.common_calls.contains(name) {
        return None;
    }
    let object = receiver.rsplit('.').next().unwrap_or("").to_lowercase();
    let named = flags.receivers.iter().any(|word| object.contains(word));
    Some(if named { FlagCertainty::Surely } else { FlagCertainty::WithImport })
}

/// Turns the recorded lookups of flags into references: all of them if the file imports a client,
/// else only the certain ones.
pub(crate) fn retain_sure_flags(collected: &mut RawFacts) {
    let found = std::mem::take(&mut collected.flags);
    let of_client = |path: &str| FLAGS.packages.iter().any(|package| path.contains(package));
    let imported = collected.imports.iter().any(|import| of_client(&import.path));
    let kept = found.into_iter().filter(|(asked, _)| imported || *asked == FlagCertainty::Surely);
    collected.references.extend(kept.map(|(_, reference)| reference));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_name_needs_a_telling_receiver() {
        assert_eq!(flag_call_certainty("BoolVariation", "client"), Some(FlagCertainty::Surely));
        assert_eq!(flag_call_certainty("isEnabled", "this.featureFlags"), Some(FlagCertainty::Surely));
        assert_eq!(flag_call_certainty("isEnabled", "button"), Some(FlagCertainty::WithImport));
        assert_eq!(flag_call_certainty("getFlag", ""), Some(FlagCertainty::WithImport));
        assert_eq!(flag_call_certainty("render", "flags"), None);
    }
}
