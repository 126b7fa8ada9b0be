//! Readiness of a server. A server is ready when it reports that it has nothing left to do, and
//! answers probes: questions whose answers the text shows.

use super::locations::LspLocation;
use super::requests::LspPosition;
use super::{FileQuestions, GiveUpReason, QuestionFailure, ServerSession};
use crate::workspace::DocumentText;
use kenning_graph::Hash;
use kenning_graph::snapshot::SymbolId;
use kenning_graph::vocabulary::{Provenance, SymbolKind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// Time limits of the rounds of waiting. At the end of each, the server is probed even if it does
/// not report that it is idle.
const WAITS: [Duration; 5] = [
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(120),
];
/// Time between two probes of a server that reports that it is idle.
const PAUSE: Duration = Duration::from_secs(1);
/// Minimum waiting time before probes that need only their own file count as proof.
const ALONE: Duration = Duration::from_secs(2);
/// Consecutive rounds of probes whose answers lead only to missing files, after which a server is
/// given up. A server that is still loading has no answers instead.
const MISLED: u32 = 3;
/// Maximum number of questions in a round of probes.
const PROBES: usize = 6;
/// Maximum number of files from which probes are taken.
const FILES: usize = 12;

/// A question whose answer cannot be empty.
struct ReadinessProbe {
    sheet: Arc<FileQuestions>,
    at: LspPosition,
    /// Whether the answer needs more than the file itself.
    across: bool,
}

/// The result of a round of probes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProbeOutcome {
    /// The server knows one of the definitions.
    Knows,
    /// The server knows none of them, or none yet.
    KnowsNothing,
    /// The server named places, and all of them are in files that do not exist.
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
    fn from(given_up: GiveUpReason) -> Self {
        Self::GivenUp(given_up)
    }
}

/// Waits until a server knows the workspace, by asking about some of its files. Until then none of
/// its answers count.
///
/// # Errors
/// Returns an error if the server is gone, hangs, still knows nothing after the last round, or
/// misleads.
pub(crate) async fn wait_until_ready(asker: &ServerSession, paths: &[String]) -> Result<(), NotReady> {
    let probes = asker.collect_probes(paths).await?;
    // If no probe reaches beyond its file, declarations in the file itself are enough after some
    // time.
    let alone = !probes.iter().any(|probe| probe.across);
    let began = Instant::now();
    let mut misled = 0;
    for wait in WAITS {
        let until = Instant::now() + wait;
        let idle = asker.client.server_activity().wait_for_idle(asker.row.quiet_period());
        let mut idle = asker.row.lazy || timeout_at(until, idle).await.is_ok();
        loop {
            // At the end of the round, also probe a server that never reports that it is idle.
            let asked = idle || Instant::now() >= until;
            let settled = !alone || began.elapsed() >= ALONE;
            if asked && settled {
                match asker.ask_probes(probes.iter().filter(|p| p.across || alone)).await? {
                    ProbeOutcome::Knows => {
                        asker.ready.store(true, Ordering::Relaxed);
                        return Ok(());
                    }
                    ProbeOutcome::KnowsNothing => misled = 0,
                    ProbeOutcome::Misleads => misled += 1,
                }
                if misled == MISLED {
                    return Err(NotReady::Misleads("its answers lead to files that do not exist"));
                }
            }
            if Instant::now() >= until {
                break;
            }
            sleep_until(until.min(Instant::now() + PAUSE)).await;
            idle = asker.is_idle();
        }
    }
    // The server may answer, but not what the text suggests. The text may be wrong.
    if asker.ask_probes(probes.iter().filter(|probe| !probe.across)).await? == ProbeOutcome::Knows {
        asker.ready.store(true, Ordering::Relaxed);
        return Ok(());
    }
    let said = asker.client.server_activity().recent_messages();
    let said = said.last().map_or(String::new(), |last| format!("; its output: {last}"));
    Err(GiveUpReason(format!("the server knows none of {} definitions in the text{said}", probes.len()))
        .into())
}

impl ServerSession {
    async fn collect_probes(&self, paths: &[String]) -> Result<Vec<ReadinessProbe>, GiveUpReason> {
        let (mut across, mut own) = (Vec::new(), Vec::new());
        for path in paths.iter().take(FILES) {
            let Ok(sheet) = self.read_file_questions(path).await else { continue };
            let sheet = Arc::new(sheet);
            if across.len() >= PROBES && !own.is_empty() {
                break;
            }
            let text = DocumentText { text: Arc::clone(&sheet.text.text), hash: sheet.text.hash };
            self.documents.ensure_open(path, &text).map_err(|error| GiveUpReason(error.to_string()))?;
            across.extend(self.cross_file_probes(&sheet).take(2));
            own.extend(self.declaration_probes(&sheet).take(1));
        }
        across.truncate(PROBES);
        own.truncate(PROBES / 2);
        across.append(&mut own);
        Ok(across)
    }

    /// Returns probes for references that the text resolves to a symbol of another file.
    fn cross_file_probes<'a>(
        &'a self,
        sheet: &'a Arc<FileQuestions>,
    ) -> impl Iterator<Item = ReadinessProbe> + use<'a> {
        let elsewhere = move |target: &Hash| {
            let id: Option<SymbolId> = sheet.snapshot.symbol_by_hash(target);
            let file = id.and_then(|id| sheet.snapshot.symbol(id)).and_then(|symbol| symbol.file);
            file.is_some_and(|file| file != sheet.file)
        };
        let sites = sheet.sites.iter().filter(move |site| {
            // Require a single target, however many edges lead to it.
            let mut ends = site.guesses.iter().map(|guess| guess.far_end(&site.makes));
            let first = ends.next();
            let resolved = site.guesses.iter().all(|guess| guess.provenance == Provenance::AstResolved);
            resolved && first.is_some_and(|first| ends.all(|end| end == first) && elsewhere(&first))
        });
        sites.map(|site| self.build_probe(sheet, (site.at.line, site.at.column), true))
    }

    /// Returns probes for names of declarations, which are their own definition.
    fn declaration_probes<'a>(
        &'a self,
        sheet: &'a Arc<FileQuestions>,
    ) -> impl Iterator<Item = ReadinessProbe> + use<'a> {
        let ids = sheet.snapshot.file_symbols(sheet.file);
        let symbols = ids.into_iter().skip(1).filter_map(|id| sheet.snapshot.symbol(id));
        let declared = symbols
            .filter(|s| s.kind.is_type() || matches!(s.kind, SymbolKind::Function | SymbolKind::Method));
        declared
            .map(|symbol| self.build_probe(sheet, (symbol.name_span.line, symbol.name_span.column), false))
    }

    fn build_probe(
        &self,
        sheet: &Arc<FileQuestions>,
        (line, column): (u32, u32),
        across: bool,
    ) -> ReadinessProbe {
        let character = self.encoding.column_at_byte(sheet.text.line_text(line), column as usize);
        ReadinessProbe { sheet: Arc::clone(sheet), at: LspPosition { line, character }, across }
    }

    /// Asks for definitions until the server knows one of them.
    async fn ask_probes(
        &self,
        probes: impl Iterator<Item = &ReadinessProbe>,
    ) -> Result<ProbeOutcome, GiveUpReason> {
        let mut outcome = ProbeOutcome::KnowsNothing;
        for probe in probes {
            match self.ask_definition_at(&probe.sheet.path, probe.at).await {
                Ok(found) => {
                    for place in found.iter().filter(|place| self.answers_probe(probe, place)) {
                        if self.is_existing_location(place).await {
                            return Ok(ProbeOutcome::Knows);
                        }
                        outcome = ProbeOutcome::Misleads;
                    }
                }
                Err(QuestionFailure::Fatal(given_up)) => return Err(given_up),
                Err(QuestionFailure::Open(_)) => {}
            }
        }
        Ok(outcome)
    }

    /// Whether an answer is enough for a probe. A probe across files needs a place in another file.
    fn answers_probe(&self, probe: &ReadinessProbe, place: &LspLocation) -> bool {
        !probe.across || self.inside.relative_path(&place.uri).as_deref() != Some(&*probe.sheet.path)
    }
}
