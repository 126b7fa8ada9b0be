//! The status of one language server: its state and its contribution.
//!
//! In: the statuses that the supervisor of the servers reports, and the verdicts in a snapshot.
//! Out: one report per server and folder, for JSON and as a line of text, and its short form for
//! the freshness of answers.
//!
//! Invariant: each verdict is counted once, even if its server serves several folders.

use crate::format::wording::render_quantity;
use crate::freshness::ServerFreshness;
use crate::terminal::report_text::ReportLine;
use crate::terminal::screen::{GOOD_STYLE, NAME_STYLE, WARNING_STYLE};
use anstyle::Style;
use kenning_enrichment::{ServerState, ServerStatus};
use kenning_graph::Snapshot;
use kenning_graph::snapshot::VerdictCounts;
use kenning_graph::verdicts::NoAnswerReason;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// A report on one language server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ServerReport {
    /// The server's name in the table of servers.
    pub name: String,
    /// The version as the server reports it; empty if it reports none.
    pub version: String,
    /// The folder that the server serves, relative to the workspace; empty for the workspace
    /// itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// `absent`, `stopped`, `starting`, `loading`, `ready`, `busy`, `backoff` or `failed`.
    pub state: &'static str,
    /// The reason for the state; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Whether the server runs in a sandbox, or why not; empty unless a sandbox was requested
    /// (`KENNING_SANDBOX`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sandbox: String,
    /// References that it resolves to the same definition as the text.
    pub confirmed: usize,
    /// References that it resolves to another definition in the workspace.
    pub retargeted: usize,
    /// References that it resolves to phantoms, outside the workspace.
    pub phantoms: usize,
    /// References that it resolves to a local definition inside a body.
    pub local: usize,
    /// Edges that the text does not show.
    pub discovered: usize,
    /// Verdicts about an earlier state of the text; the server will be asked again.
    pub stale: usize,
    /// References that it cannot resolve.
    pub nothing: usize,
    /// The same references by reason.
    pub unresolved: BTreeMap<&'static str, usize>,
    /// Locations in answers of this session that were dropped, because the file does not exist or
    /// is not in the server's language.
    pub dropped: u64,
    /// Files with references about which the server must still be asked.
    pub waiting_files: usize,
    /// Requests that were sent to the server in this session.
    pub requests: u64,
    /// Seconds in this session during which the server was answering requests.
    pub seconds: f64,
    /// Peak memory of the server and its child processes, in bytes.
    pub peak_memory: u64,
}

impl ServerReport {
    /// Returns a report on each server that is running or absent, or that contributed earlier. A
    /// server's contribution is counted once, in the report on its first folder.
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
            dropped: status.metrics.dropped,
            requests: status.metrics.requests,
            seconds: (status.metrics.busy.as_secs_f64() * 10.0).round() / 10.0,
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

    /// Returns the part of the report that is attached to every answer.
    pub fn to_freshness(&self) -> ServerFreshness {
        ServerFreshness {
            name: self.name.clone(),
            state: self.state.to_owned(),
            confirmed_edges: self.confirmed + self.retargeted,
        }
    }
}

impl ServerReport {
    /// Returns the report as a line of text.
    pub fn build_line(&self) -> ReportLine {
        let mut line = ReportLine::headline(self.name.as_str());
        if !self.version.is_empty() {
            line = line.with_text(format!(" {}", self.version));
        }
        if !self.folder.is_empty() {
            line = line.with_text(format!(" in {}", self.folder));
        }
        line = line.with_text(": ").with_words(self.state, state_style(self.state));
        if !self.reason.is_empty() {
            line = line.with_text(format!(" ({})", self.reason));
        }
        if !self.sandbox.is_empty() {
            line = line.with_text(format!(", {}", self.sandbox));
        }
        let counts = [
            (self.confirmed, "confirmed"),
            (self.retargeted, "retargeted"),
            (self.discovered, "discovered"),
            (self.phantoms, "external"),
            (self.local, "local"),
            (self.stale, "stale"),
            (self.nothing, "unknown"),
        ];
        for (at, (count, word)) in counts.into_iter().enumerate() {
            let style = if count > 0 { NAME_STYLE } else { Style::new() };
            line = line.with_text(if at == 0 { "; " } else { ", " }).with_words(count.to_string(), style);
            line = line.with_text(format!(" {word}"));
        }
        if !self.unresolved.is_empty() {
            let reasons: Vec<String> =
                self.unresolved.iter().map(|(why, count)| format!("{count} {why}")).collect();
            line = line.with_text(format!(" ({})", reasons.join(", ")));
        }
        if self.dropped > 0 {
            let locations = render_quantity(self.dropped as usize, "location");
            let meaning = "dropped (no such file, or not in the server's language)";
            line = line.with_text(format!("; {locations} {meaning}"));
        }
        if self.requests > 0 {
            let requests = render_quantity(self.requests as usize, "request");
            line = line.with_text(format!("; {requests} in {:.1} s", self.seconds));
        }
        line
    }
}

/// Returns the style of the name of a state ([`ServerState::as_str`]).
fn state_style(state: &str) -> Style {
    if state == ServerState::Ready.as_str() {
        GOOD_STYLE
    } else if [ServerState::Backoff, ServerState::Failed].iter().any(|bad| bad.as_str() == state) {
        WARNING_STYLE
    } else {
        Style::new()
    }
}

impl Display for ServerReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.build_line().to_plain())
    }
}
