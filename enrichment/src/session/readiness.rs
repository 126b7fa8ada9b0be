//! Readiness of a server. A server is ready when it reports that it has nothing left to do, and
//! answers probes: questions whose answers are known from the text.
//!
//! [`wait_until_ready`] collects probes from the first files of the queue and waits in rounds of
//! growing length. It succeeds when the server is idle and answers a probe. Probes whose answer is
//! in another file prove more, so probes within one file count only if there are no others, if the
//! server works file by file, or after the last round. If the answers lead only to missing files in
//! several rounds, the server misleads and is not used. If no round succeeds, Kenning gives up on
//! this start of the server.

use super::locations::LspLocation;
use super::requests::LspPosition;
use super::{FileQuestions, GiveUpReason, QuestionFailure, ServerSession};
use crate::workspace::DocumentText;
use kenning_graph::Hash;
use kenning_graph::facts::NameSpan;
use kenning_graph::snapshot::SymbolId;
use kenning_graph::vocabulary::{Provenance, SymbolKind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// Time limits of the rounds of waiting. At the end of each round, Kenning probes the server even
/// if the server does not report that it is idle.
const ROUND_TIMEOUTS: [Duration; 5] = [
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(120),
];
/// Time between two probes of a server that reports that it is idle.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);
/// Minimum waiting time before probes that need only their own file count as proof.
const MIN_SINGLE_FILE_WAIT: Duration = Duration::from_secs(2);
/// Number of consecutive rounds with answers only in missing files, after which Kenning gives up on
/// a server. A server that is loading returns no answers instead.
const MAX_MISLEADING_ROUNDS: u32 = 3;
/// Maximum number of questions in a round of probes. Each may take until its timeout.
const MAX_PROBES: usize = 6;
/// Maximum number of files to collect probes from. Each is opened at the server.
const MAX_PROBED_FILES: usize = 12;
/// Maximum number of files that are read in search of a probe. Files may declare nothing.
pub(crate) const MAX_READ_FILES: usize = 500;

/// A question whose answer cannot be empty.
struct ReadinessProbe {
    questions: Arc<FileQuestions>,
    at: LspPosition,
    /// Whether the answer is in another file than the question.
    cross_file: bool,
}

/// The result of a round of probes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProbeOutcome {
    /// The server knows one of the definitions.
    Knows,
    /// The server does not know any of the definitions yet.
    KnowsNothing,
    /// The server returned locations, but only in files that do not exist.
    Misleads,
}

/// The reason why a server cannot be asked.
pub(crate) enum NotReady {
    /// The server is gone, hangs or knows nothing. Another start may help.
    GivenUp(GiveUpReason),
    /// The server's answers are not about this workspace. Another start will not help.
    Misleads(&'static str),
}

impl From<GiveUpReason> for NotReady {
    fn from(reason: GiveUpReason) -> Self {
        Self::GivenUp(reason)
    }
}

/// Waits until a server knows the workspace, by asking about some of its files. Until then none of
/// its answers count.
///
/// # Errors
/// Returns an error if the server is gone, hangs, knows nothing after the last round, or misleads.
pub(crate) async fn wait_until_ready(session: &ServerSession, paths: &[String]) -> Result<(), NotReady> {
    let probes = session.collect_probes(paths).await?;
    // If no probe reaches beyond its file, or the server may not, declarations in the file itself
    // are enough after some time.
    let single_file = session.row.file_by_file || !probes.iter().any(|probe| probe.cross_file);
    // Such a server has nothing to load if the text declares nothing.
    let needs_no_proof = session.row.file_by_file && probes.is_empty();
    let start = Instant::now();
    let mut misleading_rounds = 0;
    for timeout in ROUND_TIMEOUTS {
        let until = Instant::now() + timeout;
        let idle = session.client.server_activity().wait_for_idle(session.row.quiet_period());
        let mut idle = session.row.lazy || timeout_at(until, idle).await.is_ok();
        loop {
            // At the end of the round, also probe a server that never reports that it is idle.
            let is_due = idle || Instant::now() >= until;
            let has_waited = !single_file || start.elapsed() >= MIN_SINGLE_FILE_WAIT;
            if is_due && has_waited && needs_no_proof {
                session.ready.store(true, Ordering::Relaxed);
                return Ok(());
            }
            if is_due && has_waited {
                match session.ask_probes(probes.iter().filter(|p| p.cross_file || single_file)).await? {
                    ProbeOutcome::Knows => {
                        session.ready.store(true, Ordering::Relaxed);
                        return Ok(());
                    }
                    ProbeOutcome::KnowsNothing => misleading_rounds = 0,
                    ProbeOutcome::Misleads => misleading_rounds += 1,
                }
                if misleading_rounds == MAX_MISLEADING_ROUNDS {
                    return Err(NotReady::Misleads("its answers lead to files that do not exist"));
                }
            }
            if Instant::now() >= until {
                break;
            }
            sleep_until(until.min(Instant::now() + PROBE_INTERVAL)).await;
            idle = session.is_idle();
        }
    }
    // The server may answer differently than the text suggests, because the text may be misleading.
    if session.ask_probes(probes.iter().filter(|probe| !probe.cross_file)).await? == ProbeOutcome::Knows {
        session.ready.store(true, Ordering::Relaxed);
        return Ok(());
    }
    let messages = session.client.server_activity().recent_messages();
    let output = messages.last().map_or(String::new(), |last| format!("; its output: {last}"));
    Err(GiveUpReason(format!("the server knows none of {} definitions in the text{output}", probes.len()))
        .into())
}

impl ServerSession {
    /// Collects probes from the first files that have some, and opens these files at the server.
    async fn collect_probes(&self, paths: &[String]) -> Result<Vec<ReadinessProbe>, GiveUpReason> {
        let (mut cross_file, mut declarations) = (Vec::new(), Vec::new());
        for (read, path) in paths.iter().take(MAX_READ_FILES).enumerate() {
            let has_probes = !(cross_file.is_empty() && declarations.is_empty());
            if read >= MAX_PROBED_FILES && has_probes {
                break;
            }
            let Ok(questions) = self.read_file_questions(path).await else { continue };
            let questions = Arc::new(questions);
            if cross_file.len() >= MAX_PROBES && !declarations.is_empty() {
                break;
            }
            let crossing: Vec<ReadinessProbe> = self.cross_file_probes(&questions).take(2).collect();
            let declared: Vec<ReadinessProbe> = self.declaration_probes(&questions).take(1).collect();
            if read < MAX_PROBED_FILES || !(crossing.is_empty() && declared.is_empty()) {
                let text = DocumentText { text: Arc::clone(&questions.text.text), hash: questions.text.hash };
                self.documents.ensure_open(path, &text).map_err(|error| GiveUpReason(error.to_string()))?;
            }
            cross_file.extend(crossing);
            declarations.extend(declared);
        }
        cross_file.truncate(MAX_PROBES);
        declarations.truncate(MAX_PROBES / 2);
        cross_file.append(&mut declarations);
        Ok(cross_file)
    }

    /// Returns probes for references that the indexer resolves to a symbol of another file.
    fn cross_file_probes<'a>(
        &'a self,
        questions: &'a Arc<FileQuestions>,
    ) -> impl Iterator<Item = ReadinessProbe> + use<'a> {
        let is_in_other_file = move |target: &Hash| {
            let id: Option<SymbolId> = questions.snapshot.symbol_by_hash(target);
            let file = id.and_then(|id| questions.snapshot.symbol(id)).and_then(|symbol| symbol.file);
            file.is_some_and(|file| file != questions.file)
        };
        let sites = questions.sites.iter().filter(move |site| {
            // The site must have a single target; several edges may lead to it.
            let mut ends = site.guesses.iter().map(|guess| guess.far_end(&site.target_edges));
            let first = ends.next();
            let resolved = site.guesses.iter().all(|guess| guess.provenance == Provenance::AstResolved);
            resolved && first.is_some_and(|first| ends.all(|end| end == first) && is_in_other_file(&first))
        });
        sites.map(|site| ReadinessProbe { cross_file: true, ..self.build_probe(questions, site.at) })
    }

    /// Returns probes for names of declarations, which are their own definition.
    fn declaration_probes<'a>(
        &'a self,
        questions: &'a Arc<FileQuestions>,
    ) -> impl Iterator<Item = ReadinessProbe> + use<'a> {
        let ids = questions.snapshot.file_symbols(questions.file);
        let symbols = ids.into_iter().skip(1).filter_map(|id| questions.snapshot.symbol(id));
        let declared = symbols
            .filter(|s| s.kind.is_type() || matches!(s.kind, SymbolKind::Function | SymbolKind::Method));
        declared.map(|symbol| self.build_probe(questions, symbol.name_span))
    }

    /// Builds a probe for a name. Its answer may be in the same file.
    fn build_probe(&self, questions: &Arc<FileQuestions>, name: NameSpan) -> ReadinessProbe {
        let NameSpan { line, column, .. } = name;
        let character = self.encoding.column_at_byte(questions.text.line_text(line), column as usize);
        let at = LspPosition { line, character };
        ReadinessProbe { questions: Arc::clone(questions), at, cross_file: false }
    }

    /// Asks for definitions until the server knows one of them.
    async fn ask_probes(
        &self,
        probes: impl Iterator<Item = &ReadinessProbe>,
    ) -> Result<ProbeOutcome, GiveUpReason> {
        let mut outcome = ProbeOutcome::KnowsNothing;
        for probe in probes {
            match self.ask_definition_at(&probe.questions.path, probe.at).await {
                Ok(locations) => {
                    for location in locations.iter().filter(|location| self.answers_probe(probe, location)) {
                        if self.is_existing_location(location).await {
                            return Ok(ProbeOutcome::Knows);
                        }
                        outcome = ProbeOutcome::Misleads;
                    }
                }
                Err(QuestionFailure::Fatal(reason)) => return Err(reason),
                Err(QuestionFailure::Unanswered(_)) => {}
            }
        }
        Ok(outcome)
    }

    /// Whether an answer is enough for a probe. A probe across files needs a location in another
    /// file.
    fn answers_probe(&self, probe: &ReadinessProbe, location: &LspLocation) -> bool {
        !probe.cross_file
            || self.paths.relative_path(&location.uri).as_deref() != Some(&*probe.questions.path)
    }
}
