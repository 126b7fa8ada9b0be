//! What a server was asked and what came of it, in numbers.

use kenning_graph::verdicts::{NoAnswerReason, ServerResolution, Verdict, VerdictAnswer};
use std::collections::BTreeMap;
use std::time::Duration;

/// Numbers of one server since the start of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerMetrics {
    /// Requests sent, including probes.
    pub requests: u64,
    /// References that lead where the text said.
    pub confirmed: u64,
    /// References that lead to another symbol.
    pub retargeted: u64,
    /// References that lead out of the workspace.
    pub external: u64,
    /// References to something inside a body.
    pub local: u64,
    /// Edges that no text shows.
    pub discovered: u64,
    /// Places in answers that were dropped: there is no such file, or it is none that the language has.
    pub dropped: u64,
    /// References without an answer, by reason.
    pub unresolved: BTreeMap<NoAnswerReason, u64>,
    /// Time in which it was asked.
    pub busy: Duration,
    /// Times that it was started.
    pub starts: u64,
    /// Files that it ended at twice: they are not asked about again.
    pub skipped_files: u64,
}

impl ServerMetrics {
    /// Counts answers that are kept.
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
