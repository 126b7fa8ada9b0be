//! Counters of the questions to one server and of its answers.

use kenning_graph::verdicts::{NoAnswerReason, ServerResolution, Verdict, VerdictAnswer};
use std::collections::BTreeMap;
use std::time::Duration;

/// Counters of one server since the start of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerMetrics {
    /// Requests sent, including probes.
    pub requests: u64,
    /// References that the server resolves to the same symbol as the text.
    pub confirmed: u64,
    /// References that the server resolves to another symbol.
    pub retargeted: u64,
    /// References that the server resolves to a target outside the workspace.
    pub external: u64,
    /// References that the server resolves to a parameter or variable inside a body.
    pub local: u64,
    /// Edges that only the server knows, such as implementations of an interface.
    pub discovered: u64,
    /// Locations in answers that were dropped, because their file does not exist or cannot belong
    /// to the language.
    pub dropped: u64,
    /// References that the server could not resolve, by reason.
    pub unresolved: BTreeMap<NoAnswerReason, u64>,
    /// Time spent on questions.
    pub busy: Duration,
    /// Number of starts.
    pub starts: u64,
    /// Number of skipped files. The server ended twice while Kenning asked about them.
    pub skipped_files: u64,
}

impl ServerMetrics {
    /// Counts the answers in a batch of verdicts.
    pub(crate) fn record_verdicts(&mut self, batch: &[Verdict]) {
        for verdict in batch {
            match &verdict.answer {
                VerdictAnswer::Reference { resolution: ServerResolution::Confirmed(_), .. } => {
                    self.confirmed += 1;
                }
                VerdictAnswer::Reference { resolution: ServerResolution::Retargeted(_), .. } => {
                    self.retargeted += 1;
                }
                VerdictAnswer::Reference { resolution: ServerResolution::External { .. }, .. } => {
                    self.external += 1;
                }
                VerdictAnswer::Reference { resolution: ServerResolution::Local, .. } => self.local += 1,
                VerdictAnswer::Reference { resolution: ServerResolution::Unresolved(reason), .. } => {
                    self.record_unresolved(*reason);
                }
                VerdictAnswer::Discovered { edges } => self.discovered += edges.len() as u64,
            }
        }
    }

    pub(crate) fn record_unresolved(&mut self, reason: NoAnswerReason) {
        *self.unresolved.entry(reason).or_default() += 1;
    }
}
