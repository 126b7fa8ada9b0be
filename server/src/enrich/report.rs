//! The status of one language server: what it is doing, and what it contributed.

use crate::freshness::ServerFreshness;
use kenning_enrichment::{ServerState, ServerStatus};
use kenning_graph::Snapshot;
use kenning_graph::snapshot::VerdictCounts;
use kenning_graph::verdicts::NoAnswerReason;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// One language server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ServerReport {
    /// Name in the table of servers.
    pub name: String,
    /// Version as the server gives it; empty where it gives none.
    pub version: String,
    /// The folder it serves, relative to the workspace; empty for the workspace itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// `absent`, `stopped`, `starting`, `loading`, `ready`, `busy`, `backoff` or `failed`.
    pub state: &'static str,
    /// Why it is in that state, where there is something to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Whether it runs in a sandbox, or why not; empty unless a sandbox was asked for (`KENNING_SANDBOX`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sandbox: String,
    /// References that it leads where the text does.
    pub confirmed: usize,
    /// References that it leads elsewhere in the workspace.
    pub retargeted: usize,
    /// References that it leads out of the workspace: to phantoms.
    pub phantoms: usize,
    /// References that it leads to something inside a body.
    pub local: usize,
    /// Edges that no text shows.
    pub discovered: usize,
    /// Answers about an earlier state of the text, to be asked again.
    pub stale: usize,
    /// References that it has no answer for.
    pub nothing: usize,
    /// The same by reason.
    pub unresolved: BTreeMap<&'static str, usize>,
    /// Places in answers of this session that were dropped: there is no such file, or it is none that the language has.
    pub dropped: u64,
    /// Files that wait to be asked about.
    pub waiting_files: usize,
    /// Requests of this session.
    pub requests: u64,
    /// Seconds in which it was asked in this session.
    pub seconds: f64,
    /// The most memory that it and its children had, in bytes.
    pub peak_memory: u64,
}

impl ServerReport {
    /// Every server that runs, is missed, or contributed before. What it contributed is counted once, at its first folder.
    pub fn collect_reports(snapshot: &Snapshot, servers: Vec<ServerStatus>) -> Vec<Self> {
        let mut tallies: BTreeMap<(String, String), VerdictCounts> = snapshot
            .verdict_counts()
            .into_iter()
            .map(|(server, tally)| ((server.name.clone().into(), server.version.clone().into()), tally))
            .collect();
        let mut all: Vec<Self> = servers
            .into_iter()
            .map(|status| {
                let key = (status.name.clone(), status.version.clone());
                Self::from_status(status).with_tally(tallies.remove(&key).unwrap_or_default())
            })
            .collect();
        all.extend(tallies.into_iter().map(|((name, version), tally)| {
            Self { name, version, state: ServerState::Stopped.as_str(), ..Self::default() }.with_tally(tally)
        }));
        all
    }

    fn from_status(status: ServerStatus) -> Self {
        Self {
            name: status.name,
            version: status.version,
            folder: status.root,
            state: status.state.as_str(),
            reason: status.reason,
            sandbox: status.sandbox,
            waiting_files: status.waiting,
            dropped: status.tally.dropped,
            requests: status.tally.requests,
            seconds: (status.tally.busy.as_secs_f64() * 10.0).round() / 10.0,
            peak_memory: status.peak_memory,
            ..Self::default()
        }
    }

    fn with_tally(self, tally: VerdictCounts) -> Self {
        let VerdictCounts { confirmed, retargeted, external, local, unresolved, discovered, stale } = tally;
        let nothing = unresolved.iter().sum();
        let by_reason = NoAnswerReason::ALL.iter().map(|why| why.as_str()).zip(unresolved);
        let unresolved = by_reason.filter(|(_, count)| *count > 0).collect();
        Self {
            confirmed,
            retargeted,
            phantoms: external,
            local,
            nothing,
            unresolved,
            discovered,
            stale,
            ..self
        }
    }

    /// What goes with every answer.
    pub fn to_freshness(&self) -> ServerFreshness {
        ServerFreshness {
            name: self.name.clone(),
            state: self.state.to_owned(),
            confirmed_edges: self.confirmed + self.retargeted,
        }
    }
}

impl Display for ServerReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if !self.version.is_empty() {
            write!(f, " {}", self.version)?;
        }
        if !self.folder.is_empty() {
            write!(f, " in {}", self.folder)?;
        }
        write!(f, ": {}", self.state)?;
        if !self.reason.is_empty() {
            write!(f, " ({})", self.reason)?;
        }
        if !self.sandbox.is_empty() {
            write!(f, ", {}", self.sandbox)?;
        }
        let Self { confirmed, retargeted, phantoms, local, discovered, stale, nothing, .. } = self;
        write!(
            f,
            "; {confirmed} confirmed, {retargeted} retargeted, {discovered} discovered, {phantoms} outside, {local} local, \
             {stale} stale, {nothing} unknown"
        )?;
        let mut before = " (";
        for (why, count) in &self.unresolved {
            write!(f, "{before}{count} {why}")?;
            before = ", ";
        }
        if !self.unresolved.is_empty() {
            write!(f, ")")?;
        }
        if self.dropped > 0 {
            write!(f, "; {} answers dropped, which lead to no file", self.dropped)?;
        }
        if self.requests > 0 {
            write!(f, "; {} requests in {:.1} s", self.requests, self.seconds)?;
        }
        Ok(())
    }
}
