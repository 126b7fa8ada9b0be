//! When a server is ready: it says that it has nothing left to do, and it knows what it must know.

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

/// How long to wait, each time, until a server that says nothing of its work is probed whatever it says.
const WAITS: [Duration; 5] = [
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
    Duration::from_secs(120),
];
/// Time between two probes of a server that says that it is idle.
const PAUSE: Duration = Duration::from_secs(1);
/// Time before which a server is not believed that knows nothing but what stands in the file of the question.
const ALONE: Duration = Duration::from_secs(2);
/// Rounds of probes in a row whose answers lead to nothing but missing files, after which a server is given up: one that
/// still loads knows nothing instead.
const MISLED: u32 = 3;
/// Questions of one probe.
const PROBES: usize = 6;
/// Files that probes are taken from.
const FILES: usize = 12;

/// A question whose answer cannot be empty.
struct ReadinessProbe {
    sheet: Arc<FileQuestions>,
    at: LspPosition,
    /// The answer needs more than the file itself.
    across: bool,
}

/// What a round of probes showed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProbeOutcome {
    /// The server knows one of the definitions.
    Knows,
    /// It knows none of them, or none yet.
    KnowsNothing,
    /// It named places, and all of them lie in files that do not exist.
    Misleads,
}

/// Why a server cannot be asked.
pub(crate) enum NotReady {
    /// It is gone, hangs or knows nothing: another start may help.
    GivenUp(GiveUpReason),
    /// What it answers is not of this workspace: another start will not help.
    Misleads(&'static str),
}

impl From<GiveUpReason> for NotReady {
    fn from(given_up: GiveUpReason) -> Self {
        Self::GivenUp(given_up)
    }
}

/// Waits until a server knows the workspace, by questions about some of its files. Until then none of its answers counts.
///
/// # Errors
/// When it is gone, hung, knows nothing after all that time, or misleads.
pub(crate) async fn wait_until_ready(asker: &ServerSession, paths: &[String]) -> Result<(), NotReady> {
    let probes = asker.collect_probes(paths).await?;
    // Where no question reaches beyond its file, what the file itself declares must do, once the server had some time.
    let alone = !probes.iter().any(|probe| probe.across);
    let began = Instant::now();
    let mut misled = 0;
    for wait in WAITS {
        let until = Instant::now() + wait;
        let idle = asker.client.server_activity().wait_for_idle(asker.row.quiet_period());
        let mut idle = asker.row.lazy || timeout_at(until, idle).await.is_ok();
        loop {
            // At the end of the time also one that never says that it is idle.
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
    // It answers, only not what the text suggests: what the text suggests may be wrong.
    if asker.ask_probes(probes.iter().filter(|probe| !probe.across)).await? == ProbeOutcome::Knows {
        asker.ready.store(true, Ordering::Relaxed);
        return Ok(());
    }
    let said = asker.client.server_activity().recent_messages();
    let said = said.last().map_or(String::new(), |last| format!("; it said: {last}"));
    Err(GiveUpReason(format!("it knows none of {} definitions that the text shows{said}", probes.len()))
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

    /// References that the text resolves to a symbol of another file.
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
            // One target, however many edges it gets.
            let mut ends = site.guesses.iter().map(|guess| guess.far_end(&site.makes));
            let first = ends.next();
            let resolved = site.guesses.iter().all(|guess| guess.provenance == Provenance::AstResolved);
            resolved && first.is_some_and(|first| ends.all(|end| end == first) && elsewhere(&first))
        });
        sites.map(|site| self.build_probe(sheet, (site.at.line, site.at.column), true))
    }

    /// Names of declarations: they are their own definition.
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

    /// Whether an answer shows that more than the file of the question was read.
    fn answers_probe(&self, probe: &ReadinessProbe, place: &LspLocation) -> bool {
        !probe.across || self.inside.relative_path(&place.uri).as_deref() != Some(&*probe.sheet.path)
    }
}
