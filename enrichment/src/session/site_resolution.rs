//! Resolution of the references of a file.
//!
//! Each site is asked about with `textDocument/definition`; the calls of a body with many calls are
//! first asked about together with `callHierarchy/outgoingCalls`. The places of an answer are
//! classified as symbols, imports, local variables, or places outside. Imports are followed for a
//! limited number of steps. If there are symbols, the site resolves to the one that they agree on.
//! Otherwise it resolves to a local variable or else to a name outside. If nothing fits, the verdict
//! records the reason.

use super::import_aliases::{can_stand_for, follows_value};
use super::locations::{LspLocation, parse_locations};
use super::position_target::{PositionTarget, hides_locals, overload_with_body};
use super::requests::{
    Definition, LspPosition, OutgoingCalls, PrepareCalls, ResolvedCall, parse_outgoing_calls, position_params,
};
use super::{
    AnswerLocation, ChangeStamp, FileQuestions, GiveUpReason, IdleStamp, QuestionFailure, QuestionRound,
    ServerSession,
};
use kenning_graph::Hash;
use kenning_graph::facts::ReferenceRole;
use kenning_graph::snapshot::SymbolId;
use kenning_graph::verdicts::{NoAnswerReason, ReferenceSite, SentHashes, ServerResolution, Verdict};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Maximum number of imports that are followed for one site.
const MAX_HOPS: usize = 4;
/// Number of open calls in one body from which one question asks about all of them.
const MANY_CALLS: usize = 3;

/// The answers to some questions about a file.
#[derive(Default)]
pub(crate) struct AnswerBatch {
    /// The verdicts to store, in the order of the sites.
    pub verdicts: Vec<Verdict>,
    /// Number of questions that have to be asked again.
    pub again: usize,
}

impl ServerSession {
    /// Asks about sites of a file.
    ///
    /// # Errors
    /// Returns the reason if the server is gone or hangs. The answers up to then are lost.
    pub async fn resolve_sites(
        self: &Arc<Self>,
        sheet: &Arc<FileQuestions>,
        sites: Vec<usize>,
        round: QuestionRound,
    ) -> Result<AnswerBatch, GiveUpReason> {
        let since = self.documents.current_stamp();
        let text =
            crate::workspace::DocumentText { text: Arc::clone(&sheet.text.text), hash: sheet.text.hash };
        self.documents.ensure_open(&sheet.path, &text).map_err(|error| GiveUpReason(error.to_string()))?;
        self.texts.cache_text(&sheet.path, &sheet.text);
        // Opening the document may have changed the text that the server has. From here on it must
        // not change.
        let since = if self.documents.changed_since(&sheet.path, since) {
            self.documents.current_stamp()
        } else {
            since
        };
        let calm = self.wait_for_idle().await;
        let calls = Arc::new(self.outgoing_calls_by_site(sheet, &sites).await?);
        let mut asked = JoinSet::new();
        for index in sites {
            let (asker, sheet, calls) = (Arc::clone(self), Arc::clone(sheet), Arc::clone(&calls));
            asked.spawn(async move {
                let Some(site) = sheet.sites.get(index) else {
                    return (index, Err(QuestionFailure::Open(NoAnswerReason::Changed)));
                };
                let known = calls.get(&index).cloned();
                (index, asker.resolve_site(&sheet, site, known, (since, calm)).await)
            });
        }
        let mut found = BTreeMap::new();
        while let Some(done) = asked.join_next().await {
            match done {
                Ok((_, Err(QuestionFailure::Fatal(given_up)))) => return Err(given_up),
                Ok((index, answer)) => drop(found.insert(index, answer)),
                // A task that panicked has no answer. The others continue.
                Err(error) => tracing::warn!(%error, "a question ended early"),
            }
        }
        Ok(self.build_batch(sheet, found, round))
    }

    fn build_batch(
        &self,
        sheet: &FileQuestions,
        found: BTreeMap<usize, Result<(ServerResolution, SentHashes), QuestionFailure>>,
        round: QuestionRound,
    ) -> AnswerBatch {
        let mut answers = AnswerBatch::default();
        for (index, answer) in found {
            match (answer, sheet.sites.get(index)) {
                (Ok((is, sent)), Some(site)) => {
                    answers.verdicts.push(Verdict::for_site(site, &self.id, is, sent));
                }
                (Err(QuestionFailure::Open(why)), Some(_)) if round.should_retry(why) => {
                    if why == NoAnswerReason::Changed {
                        self.update_metrics(|tally| tally.record_unresolved(why));
                    }
                    answers.again += 1;
                }
                (Err(QuestionFailure::Open(why)), Some(site)) if why != NoAnswerReason::Changed => {
                    let sent = SentHashes { source: site.content, target: None };
                    answers.verdicts.push(Verdict::for_site(
                        site,
                        &self.id,
                        ServerResolution::Unresolved(why),
                        sent,
                    ));
                }
                _ => {}
            }
        }
        answers
    }

    /// Resolves one site, and returns the texts that the server had.
    async fn resolve_site(
        &self,
        sheet: &FileQuestions,
        site: &ReferenceSite,
        known: Option<Vec<LspLocation>>,
        (since, calm): (ChangeStamp, IdleStamp),
    ) -> Result<(ServerResolution, SentHashes), QuestionFailure> {
        let found = match known {
            Some(places) => places,
            None => self.ask_definition(sheet, site).await?,
        };
        let mut seen = self.collect_targets(sheet, site, found, since).await?;
        for _ in 0..MAX_HOPS {
            let Some(next) = seen.imports.pop() else { break };
            let more = self.collect_targets(sheet, site, next, since).await?;
            seen.merge_targets(more);
        }
        let answer = self.decide_resolution(sheet, site, seen, calm).await?;
        // If a text changed while the server was asked, the answer may be about the new text.
        let sent = self.documents.sent_hash(&sheet.path);
        if sent != Some(site.content) || self.documents.changed_since(&sheet.path, since) {
            return Err(QuestionFailure::Open(NoAnswerReason::Changed));
        }
        Ok((answer.0, SentHashes { source: site.content, target: answer.1 }))
    }

    async fn ask_definition(
        &self,
        sheet: &FileQuestions,
        site: &ReferenceSite,
    ) -> Result<Vec<LspLocation>, QuestionFailure> {
        let line = sheet.text.line_text(site.at.line);
        let character = self.encoding.column_at_byte(line, site.at.column as usize);
        self.ask_definition_at(&sheet.path, LspPosition { line: site.at.line, character }).await
    }

    pub(super) async fn ask_definition_at(
        &self,
        path: &str,
        position: LspPosition,
    ) -> Result<Vec<LspLocation>, QuestionFailure> {
        let uri = self.documents.file_uri(path).ok_or(QuestionFailure::Open(NoAnswerReason::Refused))?;
        let answer = self.ask_server::<Definition>(position_params(&uri, position)).await?;
        Ok(parse_locations(&answer))
    }

    /// Classifies the places of an answer. Asks once more about places that are imports.
    async fn collect_targets(
        &self,
        sheet: &FileQuestions,
        site: &ReferenceSite,
        found: Vec<LspLocation>,
        since: ChangeStamp,
    ) -> Result<SiteTargets, QuestionFailure> {
        let snapshot = &*sheet.snapshot;
        let mut seen = SiteTargets { empty: found.is_empty(), ..SiteTargets::default() };
        for led in self.resolve_locations(snapshot, found) {
            let (path, file, at) = match led {
                AnswerLocation::Outside(place) => {
                    if self.is_existing_location(&place).await {
                        seen.outside.push(place);
                    } else {
                        self.update_metrics(|tally| tally.dropped += 1);
                        seen.odd += 1;
                    }
                    continue;
                }
                AnswerLocation::Inside { path, file, at } => (path, file, at),
            };
            match self.classify_location(snapshot, (&path, file), at, since).await? {
                PositionTarget::Declares(id) => {
                    let symbol = snapshot.symbol(id);
                    match symbol.filter(|symbol| can_stand_for(site, symbol, self.import_aliases(snapshot))) {
                        Some(_) if self.language.overloads => {
                            seen.symbols.push(overload_with_body(snapshot, site, id));
                        }
                        Some(_) => seen.symbols.push(id),
                        None => seen.odd += 1,
                    }
                }
                PositionTarget::Module(id)
                    if snapshot.symbol(id).is_some_and(|s| site.is_guessed(&s.hash)) =>
                {
                    seen.symbols.push(id);
                }
                PositionTarget::Imports => {
                    let further = match self.ask_definition_at(&path, at).await {
                        Ok(further) => further,
                        Err(QuestionFailure::Open(NoAnswerReason::Refused)) => Vec::new(),
                        Err(failure) => return Err(failure),
                    };
                    seen.empty |= further.is_empty();
                    // A server that answers with the import itself knows nothing further.
                    let further: Vec<LspLocation> = further
                        .into_iter()
                        .filter(|place| {
                            self.inside.relative_path(&place.uri).as_deref() != Some(&path)
                                || place.at.line != at.line
                        })
                        .collect();
                    if further.is_empty() { seen.odd += 1 } else { seen.imports.push(further) }
                }
                PositionTarget::Within(id) if snapshot.symbol(id).is_some_and(|s| hides_locals(s.kind)) => {
                    seen.locals += 1;
                }
                PositionTarget::Module(_) | PositionTarget::Within(_) | PositionTarget::Nowhere => {
                    seen.odd += 1;
                }
            }
        }
        Ok(seen)
    }

    async fn decide_resolution(
        &self,
        sheet: &FileQuestions,
        site: &ReferenceSite,
        seen: SiteTargets,
        calm: IdleStamp,
    ) -> Result<(ServerResolution, Option<Hash>), QuestionFailure> {
        let snapshot = &*sheet.snapshot;
        if !seen.symbols.is_empty() {
            let Some(id) = single_symbol(sheet, site, &seen.symbols) else {
                return Ok((ServerResolution::Unresolved(NoAnswerReason::Several), None));
            };
            let symbol = snapshot.symbol(id).ok_or(QuestionFailure::Open(NoAnswerReason::Changed))?;
            let target = symbol.file.and_then(|file| snapshot.file(file)).map(|file| file.content_hash);
            return Ok((site.classify_target(snapshot, &symbol), target));
        }
        if seen.locals > 0 {
            let followed = follows_value(snapshot, site, self.import_aliases(snapshot));
            let is = if followed {
                ServerResolution::Unresolved(NoAnswerReason::Elsewhere)
            } else {
                ServerResolution::Local
            };
            return Ok((is, None));
        }
        if !seen.outside.is_empty() {
            let meant =
                self.resolve_external(snapshot, site, sheet.is_member_access(site), &seen.outside).await?;
            return Ok((meant.unwrap_or(ServerResolution::Unresolved(NoAnswerReason::Elsewhere)), None));
        }
        // An empty answer of a server that is reading the workspace is not a fact.
        if seen.empty && !self.is_conclusive(calm) {
            return Err(QuestionFailure::Open(NoAnswerReason::Unsure));
        }
        if seen.odd > 0 {
            return Ok((ServerResolution::Unresolved(NoAnswerReason::Elsewhere), None));
        }
        Ok((ServerResolution::Unresolved(NoAnswerReason::Nothing), None))
    }

    /// Returns where the calls of whole bodies lead, by site. Asks one question for each body with
    /// many calls, if the server's list of calls is exact.
    async fn outgoing_calls_by_site(
        self: &Arc<Self>,
        sheet: &Arc<FileQuestions>,
        sites: &[usize],
    ) -> Result<HashMap<usize, Vec<LspLocation>>, GiveUpReason> {
        let mut known = HashMap::new();
        if !self.offers.outgoing_calls {
            return Ok(known);
        }
        let mut bodies: BTreeMap<Hash, Vec<usize>> = BTreeMap::new();
        for &index in sites {
            if let Some(site) = sheet.sites.get(index).filter(|site| site.role == ReferenceRole::Call) {
                bodies.entry(site.key.subject).or_default().push(index);
            }
        }
        let mut asked = JoinSet::new();
        for (subject, calls) in bodies.into_iter().filter(|(_, calls)| calls.len() >= MANY_CALLS) {
            let (asker, sheet) = (Arc::clone(self), Arc::clone(sheet));
            asked.spawn(async move { (calls, asker.ask_outgoing_calls(&sheet, &subject).await) });
        }
        while let Some(done) = asked.join_next().await {
            match done {
                Ok((calls, Ok(answer))) => self.add_call_targets(sheet, &calls, &answer, &mut known),
                Ok((_, Err(QuestionFailure::Fatal(given_up)))) => return Err(given_up),
                // Each call of the body is then asked about separately.
                Ok((_, Err(QuestionFailure::Open(_)))) => {}
                Err(error) => tracing::warn!(%error, "a question ended early"),
            }
        }
        Ok(known)
    }

    /// Adds the targets of some calls of a body, as far as the server's list contains them.
    fn add_call_targets(
        &self,
        sheet: &FileQuestions,
        calls: &[usize],
        listed: &[ResolvedCall],
        known: &mut HashMap<usize, Vec<LspLocation>>,
    ) {
        for &index in calls {
            let site = &sheet.sites[index];
            let line = sheet.text.line_text(site.at.line);
            let place = |column: usize| LspPosition {
                line: site.at.line,
                character: self.encoding.column_at_byte(line, column),
            };
            let name = (place(site.at.column as usize), place((site.at.column + site.at.len) as usize));
            let targets: Vec<LspLocation> = listed
                .iter()
                .filter(|call| call.from.contains(&name))
                .map(|call| call.target.clone())
                .collect();
            if !targets.is_empty() {
                known.insert(index, targets);
            }
        }
    }

    async fn ask_outgoing_calls(
        &self,
        sheet: &FileQuestions,
        subject: &Hash,
    ) -> Result<Vec<ResolvedCall>, QuestionFailure> {
        let nothing = Ok(Vec::new());
        let symbol = sheet.snapshot.symbol_by_hash(subject).and_then(|id| sheet.snapshot.symbol(id));
        let Some(symbol) = symbol.filter(|symbol| symbol.kind.is_callable()) else { return nothing };
        let Some(uri) = self.documents.file_uri(&sheet.path) else { return nothing };
        let name = symbol.name_span;
        let character = self.encoding.column_at_byte(sheet.text.line_text(name.line), name.column as usize);
        let prepared = self
            .ask_server::<PrepareCalls>(position_params(&uri, LspPosition { line: name.line, character }))
            .await?;
        let Some(item) = prepared.as_array().and_then(|items| items.first()) else { return nothing };
        Ok(parse_outgoing_calls(&self.ask_server::<OutgoingCalls>(json!({"item": item})).await?))
    }
}

/// The classified places of an answer.
#[derive(Default)]
struct SiteTargets {
    /// Whether one of the answers was empty.
    empty: bool,
    symbols: Vec<SymbolId>,
    imports: Vec<Vec<LspLocation>>,
    outside: Vec<LspLocation>,
    locals: usize,
    /// Number of places without a usable target.
    odd: usize,
}

impl SiteTargets {
    fn merge_targets(&mut self, more: Self) {
        self.odd += usize::from(more.empty) + more.odd;
        self.empty |= more.empty;
        self.symbols.extend(more.symbols);
        self.imports.extend(more.imports);
        self.outside.extend(more.outside);
        self.locals += more.locals;
    }
}

/// Returns the one symbol that several places mean: the only one, the only one that the text led to
/// as well, or the last declaration if all have one qualified name (the others declare overloads,
/// or are replaced by it). Returns `None` if the places mean several symbols.
fn single_symbol(sheet: &FileQuestions, site: &ReferenceSite, symbols: &[SymbolId]) -> Option<SymbolId> {
    let mut symbols = symbols.to_vec();
    symbols.sort_unstable();
    symbols.dedup();
    if let [one] = symbols[..] {
        return Some(one);
    }
    let of = |id: &SymbolId| sheet.snapshot.symbol(*id);
    let mut guessed = symbols.iter().filter(|id| of(id).is_some_and(|s| site.is_guessed(&s.hash)));
    if let (Some(&one), None) = (guessed.next(), guessed.next()) {
        return Some(one);
    }
    let named = |id: &SymbolId| of(id).map(|symbol| symbol.qualified_name());
    let first = symbols.first().and_then(named)?;
    if !symbols.iter().all(|id| named(id).as_deref() == Some(&first)) {
        return None;
    }
    symbols.into_iter().max_by_key(|id| of(id).map(|symbol| symbol.span.start))
}
