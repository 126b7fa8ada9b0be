//! Constants of what is read in pasted issues and failure reports: roles of their parts, tests, messages.

use super::ChannelConfig;
use serde::{Deserialize, Serialize};

/// Factors of the words of a text by what its parts are; prose has 1. All of them 1 and headings, versions and logs count
/// as they did before roles were distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleWeights {
    /// Blocks of code.
    pub code: f32,
    /// What a program printed.
    pub log: f32,
    /// Versions, systems, installed packages.
    pub environment: f32,
    /// Headings, lists of choices and prompts of templates. 0 leaves them out of all channels.
    pub form: f32,
}

impl RoleWeights {
    /// A log repeats names that have nothing to do with the task; where it happened says next to nothing. Set by
    /// judgement: the tuning sets hold no templates, and every value ranks them the same.
    pub(super) const fn standard_preset() -> Self {
        Self { code: 1.0, log: 0.5, environment: 0.05, form: 0.0 }
    }

    /// Every line is prose.
    pub(super) const fn all_off() -> Self {
        Self { code: 1.0, log: 1.0, environment: 1.0, form: 1.0 }
    }

    /// Whether roles are distinguished.
    pub(crate) fn distinguishes_roles(&self) -> bool {
        *self != Self::all_off()
    }
}

/// Tests that a text names lead to what they test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestIdsConfig {
    /// Weight of the tested symbols, and condition. 0: a named test is a name like any other.
    pub channel: ChannelConfig,
    /// Score of the test itself, 0..=1: it is context for what it tests, however many of its words the text has.
    pub context: f64,
    /// Symbols taken of one test, the most specific first.
    pub max_targets: usize,
    /// What more tests than this call is a fixture of theirs and counts no less for being called by even more.
    pub max_testers: usize,
}

impl TestIdsConfig {
    /// A test named in a report is as sure a place as a stack frame; its targets share what it is sure of.
    pub(super) const fn standard_preset(weight: f64) -> Self {
        let channel = ChannelConfig { weight, only_below: None };
        Self { channel, context: 0.25, max_targets: 5, max_testers: 1000 }
    }
}

/// Messages that a text quotes lead to the literals that make them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiteralsConfig {
    /// Weight, and condition; 0 leaves the channel out.
    pub channel: ChannelConfig,
    /// Rarest words of a message that are looked up.
    pub max_words: usize,
    /// Best symbols for these words whose text is read.
    pub candidates: usize,
    /// The information of a literal's fixed words under which it could be said of anything: the sum of their inverse
    /// document frequencies, where a word that a single symbol holds has 1.
    pub least_information: f64,
    /// The information at which the score is one half.
    pub half_information: f64,
    /// Factor of literals in tests, benchmarks and examples, unless the task speaks of tests: they repeat messages.
    pub test_factor: f64,
}

impl LiteralsConfig {
    /// Two words that one symbol in a hundred holds are the least that tells a place; four of them score more than one
    /// half. Set by judgement: the tuning sets quote next to no messages.
    pub(super) const fn standard_preset(weight: f64) -> Self {
        Self {
            channel: ChannelConfig { weight, only_below: None },
            max_words: 12,
            candidates: 24,
            least_information: 1.0,
            half_information: 1.5,
            test_factor: 0.25,
        }
    }
}
