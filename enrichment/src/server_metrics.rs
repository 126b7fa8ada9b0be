//! Counters of the questions to one server and of its answers.

use kenning_graph::verdicts::{NoAnswerReason, ServerResolution, Verdict, VerdictAnswer};
use std::collections::BTreeMap;
use std::time::Duration;

/// Counters of one server since the start of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerMetrics {
    /// Requests sent, including probes.
    pub requests: u64,
    /// References that lead where the text led.
    pub confirmed: u64,
    /// References that lead to another symbol.
    pub retargeted: u64,
    /// References that lead out of the workspace.
    pub external: u64,
    /// References to a parameter or variable inside a body.
    pub local: u64,
    /// Edges that no text shows.
    pub discovered: u64,
    /// Places in answers that were dropped because they lead to no file, or to a file that the
    /// language cannot have.
    pub dropped: u64,
    /// References without an answer, by reason.
    pub unresolved: BTreeMap<NoAnswerReason, u64>,
    /// Time spent on questions.
    pub busy: Duration,
    /// Number of starts.
    pub starts: u64,
    /// Files that are no longer asked about because the server ended at them twice.
    pub skipped_files: u64,
}

impl ServerMetrics {
    /// Counts the answers in a batch that is kept.
    pub(crate) fn record_verdicts(&mut self, batch: &[Verdict]) {
        for verdict in batch {
            match &verdict.answer {
                VerdictAnswer::Reference { is: ServerResolution::Confirmed(_), .. } => self.confirmed += 1,
                VerdictAnswer::Reference { is: ServerResolution::Retargeted(_), .. } => self.retargeted += 1,
                VerdictAnswer::Reference { is: ServerResolution::External { .. }, .. } => self.external += 1,
                VerdictAnswer::Reference { is: ServerResolution::Local, .. } => self.local += 1,
                VerdictAnswer::Reference { is: ServerResolution::Unresolved(why), .. } => {
                    self.record_unresolved(*why);
                }
                VerdictAnswer::Discovered { edges } => self.discovered += edges.len() as u64,
            }
        }
    }

    pub(crate) fn record_unresolved(&mut self, why: NoAnswerReason) {
        *self.unresolved.entry(why).or_default() += 1;
    }
}
