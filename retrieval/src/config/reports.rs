//! Constants for pasted issues and failure reports: the roles of their parts, the tests that they
//! name, and the messages that they quote.

use super::ChannelConfig;
use serde::{Deserialize, Serialize};

/// Factors of a text's words by the role of their part; prose has 1. If all of them are 1, roles
/// are not distinguished, and headings, versions and logs count like prose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleWeights {
    /// Blocks of code.
    pub code: f32,
    /// Output of a program.
    pub log: f32,
    /// Versions, systems, installed packages.
    pub environment: f32,
    /// Headings, checklists and prompts of templates. 0 removes them from all channels.
    pub form: f32,
}

impl RoleWeights {
    /// Returns the standard factors. A log repeats names that have nothing to do with the task, and
    /// an environment has almost no relevant words. The values were chosen by judgment, because the
    /// tuning sets contain no templates and rank the same with every value.
    pub(super) const fn standard_preset() -> Self {
        Self { code: 1.0, log: 0.5, environment: 0.05, form: 0.0 }
    }

    /// Returns factors that treat every line as prose.
    pub(super) const fn all_off() -> Self {
        Self { code: 1.0, log: 1.0, environment: 1.0, form: 1.0 }
    }

    /// Whether roles are distinguished.
    pub(crate) fn distinguishes_roles(&self) -> bool {
        *self != Self::all_off()
    }
}

/// The constants of the channel of named tests, which leads from a test to the code under test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestIdsConfig {
    /// Weight of the tested symbols, and condition of the channel. With weight 0, a named test is a
    /// name like any other.
    pub channel: ChannelConfig,
    /// Score of the test itself, 0..=1. The test is only context for the code under test, even if
    /// the task contains many of its words.
    pub context: f64,
    /// Maximum number of symbols per test, the most specific first.
    pub max_targets: usize,
    /// Number of tests from which on a symbol counts as a fixture. Further tests do not lower its
    /// score.
    pub max_testers: usize,
}

impl TestIdsConfig {
    /// Returns the constants of the channel with this weight. The presets give it the weight of
    /// named locations, because a test id is as precise as a stack frame.
    pub(super) const fn standard_preset(weight: f64) -> Self {
        let channel = ChannelConfig::unconditional(weight);
        Self { channel, context: 0.25, max_targets: 5, max_testers: 1000 }
    }
}

/// The constants of the channel of string literals, which leads from a quoted message to the
/// literals that form it, and from a named value to the literals that equal it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiteralsConfig {
    /// Weight and condition of the channel; 0 disables it.
    pub channel: ChannelConfig,
    /// Number of rarest words of a message that are searched.
    pub max_words: usize,
    /// Number of best symbols for these words whose text is read.
    pub candidates: usize,
    /// Number of symbols whose text is read for a value that the task names, in each of two orders.
    pub value_candidates: usize,
    /// Share of the information of a task's words from which a key that it names (`linger.ms`,
    /// `MAX_SIZE`) leads to the constant with this value. It counts fully from twice this share.
    pub key_share: f64,
    /// Share from which on a task is about a value, even if the value is not written like a key and
    /// only other code uses it. Words like `top_hits` are names more often than values.
    pub value_share: f64,
    /// Information of a literal's fixed words below which they are too common to identify a code
    /// location. The information is the sum of their inverse document frequencies, on a scale where
    /// a word that only one symbol contains has 1.
    pub least_information: f64,
    /// Information at which the score is one half.
    pub half_information: f64,
    /// Factor of literals in tests, benchmarks and examples, unless the task mentions tests.
    /// Tests repeat the messages of the product.
    pub test_factor: f64,
}

impl LiteralsConfig {
    /// Returns the constants of the channel with this weight. Two words that one symbol in a
    /// hundred contains are the minimum that identifies a code location; four of them score more
    /// than one half. The values were chosen by judgment, because the tuning sets quote almost no
    /// messages. With the shares of values, no task of the tuning sets loses.
    pub(super) const fn standard_preset(weight: f64) -> Self {
        Self {
            channel: ChannelConfig::unconditional(weight),
            max_words: 12,
            candidates: 24,
            value_candidates: 64,
            key_share: 0.25,
            value_share: 0.6,
            least_information: 1.0,
            half_information: 1.5,
            test_factor: 0.25,
        }
    }
}
