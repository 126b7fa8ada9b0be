//! Resolution of the references of a file.
//!
//! The input is a file and the indexes of its sites to ask about; the output is an [`AnswerBatch`]
//! of verdicts. `textDocument/definition` asks about one site. For a body with many calls, one
//! `callHierarchy/outgoingCalls` asks about all of them first.
//!
//! The session classifies the locations of an answer as symbols, imports, local variables, or
//! locations outside, and follows imports for a limited number of steps. If there are symbols, the
//! site resolves to the symbol that they agree on. Otherwise it resolves to a local variable or to
//! a name outside. If the answer has no usable location, the verdict records the reason.

use super::declared_targets::definition_of_target;
use super::external_names::SiteKind;
use super::import_aliases::{can_refer_to, follows_value};
use super::locations::{LspLocation, parse_locations};
use super::position_target::{PositionTarget, hides_locals, overload_with_body};
use super::requests::{
    Definition, LspPosition, OutgoingCalls, PrepareCalls, ResolvedCall, parse_outgoing_calls, position_params,
};
use super::{
    AnswerLocation, ChangeStamp, FileQuestions, GiveUpReason, IdleStamp, QuestionFailure, QuestionRound,
    RoundStart, ServerSession,
};
use kenning_graph::Hash;
use kenning_graph::facts::ReferenceRole;
use kenning_graph::snapshot::{Snapshot, SymbolId, SymbolRef};
use kenning_graph::verdicts::{NoAnswerReason, ReferenceSite, SentHashes, ServerResolution, Verdict};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Maximum number of imports that are followed for one site. Imports can form a cycle.
const MAX_HOPS: usize = 4;
/// Minimum number of calls in one body for which one question asks about all of them. The question
/// takes two requests.
const MIN_CALLS_PER_BODY: usize = 3;

/// The answers to some questions about a file.
#[derive(Default)]
pub(crate) struct AnswerBatch {
    /// The verdicts to store, in the order of the sites.
    pub verdicts: Vec<Verdict>,
    /// Number of questions to ask again later.
    pub retries: usize,
}

impl ServerSession {
    /// Asks about sites of a file.
    ///
    /// # Errors
    /// Returns the reason if the server is gone or hangs. The answers up to then are lost.
    pub async fn resolve_sites(
        self: &Arc<Self>,
        questions: &Arc<FileQuestions>,
        sites: Vec<usize>,
        round: QuestionRound,
    ) -> Result<AnswerBatch, GiveUpReason> {
        let since = self.documents.current_stamp();
        let text = crate::workspace::DocumentText {
            text: Arc::clone(&questions.text.text),
            hash: questions.text.hash,
        };
        self.documents
            .ensure_open(&questions.path, &text)
            .map_err(|error| GiveUpReason(error.to_string()))?;
        self.texts.cache_text(&questions.path, &questions.text);
        // Opening the document may have changed the text that the server has. A later change
        // invalidates the answers.
        let since = if self.documents.changed_since(&questions.path, since) {
            self.documents.current_stamp()
        } else {
            since
        };
        let start = RoundStart { since, idle: self.wait_for_idle().await };
        let calls = Arc::new(self.outgoing_calls_by_site(questions, &sites).await?);
        let mut tasks = JoinSet::new();
        for index in sites {
            let (session, questions, calls) = (Arc::clone(self), Arc::clone(questions), Arc::clone(&calls));
            tasks.spawn(async move {
                let Some(site) = questions.sites.get(index) else {
                    return (index, Err(QuestionFailure::Unanswered(NoAnswerReason::Changed)));
                };
                let call_targets = calls.get(&index).cloned();
                (index, session.resolve_site(&questions, site, call_targets, start).await)
            });
        }
        let mut answers = BTreeMap::new();
        while let Some(joined) = tasks.join_next().await {
            match joined {
                Ok((_, Err(QuestionFailure::Fatal(reason)))) => return Err(reason),
                Ok((index, answer)) => drop(answers.insert(index, answer)),
                // A task that panicked has no answer. The others continue.
                Err(error) => tracing::warn!(%error, "the task of a question failed"),
            }
        }
        Ok(self.build_batch(questions, answers, round))
    }

    /// Turns the answers by index of the site into verdicts, and counts the questions to retry.
    fn build_batch(
        &self,
        questions: &FileQuestions,
        answers: BTreeMap<usize, Result<(ServerResolution, SentHashes), QuestionFailure>>,
        round: QuestionRound,
    ) -> AnswerBatch {
        let mut batch = AnswerBatch::default();
        for (index, answer) in answers {
            match (answer, questions.sites.get(index)) {
                (Ok((resolution, sent)), Some(site)) => {
                    batch.verdicts.push(Verdict::for_site(site, &self.id, resolution, sent));
                }
                (Err(QuestionFailure::Unanswered(reason)), Some(_)) if round.should_retry(reason) => {
                    if reason == NoAnswerReason::Changed {
                        self.update_metrics(|metrics| metrics.record_unresolved(reason));
                    }
                    batch.retries += 1;
                }
                (Err(QuestionFailure::Unanswered(reason)), Some(site))
                    if reason != NoAnswerReason::Changed =>
                {
                    let sent = SentHashes { source: site.content, target: None };
                    let resolution = ServerResolution::Unresolved(reason);
                    batch.verdicts.push(Verdict::for_site(site, &self.id, resolution, sent));
                }
                _ => {}
            }
        }
        batch
    }

    /// Resolves one site. Also returns the texts that the server had.
    async fn resolve_site(
        &self,
        questions: &FileQuestions,
        site: &ReferenceSite,
        call_targets: Option<Vec<LspLocation>>,
        start: RoundStart,
    ) -> Result<(ServerResolution, SentHashes), QuestionFailure> {
        let RoundStart { since, idle } = start;
        let locations = match call_targets {
            Some(locations) => locations,
            None => self.ask_definition(questions, site).await?,
        };
        let mut targets = self.collect_targets(questions, site, locations, since).await?;
        for _ in 0..MAX_HOPS {
            let Some(next) = targets.imports.pop() else { break };
            let more = self.collect_targets(questions, site, next, since).await?;
            targets.merge_targets(more);
        }
        let (resolution, target) = self.decide_resolution(questions, site, targets, idle).await?;
        // If a text changed while the server was asked, the answer may be about the new text.
        let sent = self.documents.sent_hash(&questions.path);
        if sent != Some(site.content) || self.documents.changed_since(&questions.path, since) {
            return Err(QuestionFailure::Unanswered(NoAnswerReason::Changed));
        }
        Ok((resolution, SentHashes { source: site.content, target }))
    }

    async fn ask_definition(
        &self,
        questions: &FileQuestions,
        site: &ReferenceSite,
    ) -> Result<Vec<LspLocation>, QuestionFailure> {
        let line = questions.text.line_text(site.at.line);
        let character = self.encoding.column_at_byte(line, site.at.column as usize);
        self.ask_definition_at(&questions.path, LspPosition { line: site.at.line, character }).await
    }

    pub(super) async fn ask_definition_at(
        &self,
        path: &str,
        position: LspPosition,
    ) -> Result<Vec<LspLocation>, QuestionFailure> {
        let uri =
            self.documents.file_uri(path).ok_or(QuestionFailure::Unanswered(NoAnswerReason::Refused))?;
        let answer = self.ask_server::<Definition>(position_params(&uri, position)).await?;
        Ok(parse_locations(&answer))
    }

    /// Classifies the locations of an answer. Asks once more about locations that are imports.
    async fn collect_targets(
        &self,
        questions: &FileQuestions,
        site: &ReferenceSite,
        locations: Vec<LspLocation>,
        since: ChangeStamp,
    ) -> Result<SiteTargets, QuestionFailure> {
        let snapshot = &*questions.snapshot;
        let mut targets = SiteTargets { empty: locations.is_empty(), ..SiteTargets::default() };
        for location in self.resolve_locations(snapshot, locations) {
            let (path, file, at) = match location {
                AnswerLocation::Outside(location) => {
                    if self.is_existing_location(&location).await {
                        targets.external.push(location);
                    } else {
                        self.update_metrics(|metrics| metrics.dropped += 1);
                        targets.unusable += 1;
                    }
                    continue;
                }
                AnswerLocation::Inside { path, file, at } => (path, file, at),
            };
            match self.classify_location(snapshot, file, at, since).await? {
                PositionTarget::Declares(id) => {
                    let symbol = snapshot.symbol(id);
                    let aliases = self.import_aliases(snapshot);
                    match symbol.filter(|symbol| can_refer_to(self.language, site, symbol, aliases)) {
                        Some(_) if self.language.overloads => {
                            targets.symbols.push(overload_with_body(snapshot, site, id));
                        }
                        Some(_) => targets.symbols.push(id),
                        None => targets.unusable += 1,
                    }
                }
                PositionTarget::Module(id)
                    if snapshot.symbol(id).is_some_and(|s| site.is_guessed(&s.hash)) =>
                {
                    targets.symbols.push(id);
                }
                PositionTarget::Imports => {
                    let locations = match self.ask_definition_at(&path, at).await {
                        Ok(locations) => locations,
                        Err(QuestionFailure::Unanswered(NoAnswerReason::Refused)) => Vec::new(),
                        Err(failure) => return Err(failure),
                    };
                    targets.empty |= locations.is_empty();
                    // A server that returns the import itself does not know its target.
                    let locations: Vec<LspLocation> = locations
                        .into_iter()
                        .filter(|location| {
                            self.paths.relative_path(&location.uri).as_deref() != Some(&path)
                                || location.at.line != at.line
                        })
                        .collect();
                    if locations.is_empty() { targets.unusable += 1 } else { targets.imports.push(locations) }
                }
                PositionTarget::Within(_)
                    if *path == *questions.path && !questions.may_declare_local(site, at, self.encoding) =>
                {
                    targets.unusable += 1;
                }
                PositionTarget::Within(id) if snapshot.symbol(id).is_some_and(|s| hides_locals(s.kind)) => {
                    targets.locals += 1;
                }
                PositionTarget::Module(_) | PositionTarget::Within(_) | PositionTarget::Nowhere => {
                    targets.unusable += 1;
                }
            }
        }
        Ok(targets)
    }

    /// Decides on a resolution, and returns the hash of the target's file if the target is a
    /// symbol.
    async fn decide_resolution(
        &self,
        questions: &FileQuestions,
        site: &ReferenceSite,
        targets: SiteTargets,
        idle: IdleStamp,
    ) -> Result<(ServerResolution, Option<Hash>), QuestionFailure> {
        let snapshot = &*questions.snapshot;
        if !targets.symbols.is_empty() {
            let Some(id) = single_symbol(questions, site, &targets.symbols) else {
                return Ok((ServerResolution::Unresolved(NoAnswerReason::Ambiguous), None));
            };
            let id = if self.language.separate_definitions {
                definition_of_target(snapshot, site, id, self.language)
            } else {
                id
            };
            let symbol = snapshot.symbol(id).ok_or(QuestionFailure::Unanswered(NoAnswerReason::Changed))?;
            if self.may_mean_interface(questions, site) && is_inside_callable(snapshot, &symbol) {
                return Ok((ServerResolution::Unresolved(NoAnswerReason::NotADeclaration), None));
            }
            let target = symbol.file.and_then(|file| snapshot.file(file)).map(|file| file.content_hash);
            return Ok((site.classify_target(snapshot, &symbol), target));
        }
        if targets.locals > 0 {
            let is_value = follows_value(snapshot, site, self.import_aliases(snapshot));
            let resolution = if is_value || self.may_mean_interface(questions, site) {
                ServerResolution::Unresolved(NoAnswerReason::NotADeclaration)
            } else {
                ServerResolution::Local
            };
            return Ok((resolution, None));
        }
        if !targets.external.is_empty() {
            let kind = if questions.is_member_access(site) { SiteKind::Member } else { SiteKind::Plain };
            let resolution = self.resolve_external(snapshot, site, kind, &targets.external).await?;
            return Ok((
                resolution.unwrap_or(ServerResolution::Unresolved(NoAnswerReason::NotADeclaration)),
                None,
            ));
        }
        // An empty answer is not conclusive while the server is reading the workspace.
        if targets.empty && !self.is_conclusive(idle) {
            return Err(QuestionFailure::Unanswered(NoAnswerReason::ServerBusy));
        }
        if targets.unusable > 0 {
            return Ok((ServerResolution::Unresolved(NoAnswerReason::NotADeclaration), None));
        }
        Ok((ServerResolution::Unresolved(NoAnswerReason::NoDefinition), None))
    }

    /// Whether a place in a body, as the answer about a site, can be the member of an interface that
    /// the body writes.
    fn may_mean_interface(&self, questions: &FileQuestions, site: &ReferenceSite) -> bool {
        self.language.interfaces_in_bodies
            && site.role == ReferenceRole::Call
            && questions.is_member_access(site)
    }

    /// Returns the targets of calls, by site. Asks one question for each body with many calls, if
    /// the server's list of calls is exact.
    async fn outgoing_calls_by_site(
        self: &Arc<Self>,
        questions: &Arc<FileQuestions>,
        sites: &[usize],
    ) -> Result<HashMap<usize, Vec<LspLocation>>, GiveUpReason> {
        let mut targets = HashMap::new();
        if !self.offers.outgoing_calls {
            return Ok(targets);
        }
        let mut bodies: BTreeMap<Hash, Vec<usize>> = BTreeMap::new();
        for &index in sites {
            if let Some(site) = questions.sites.get(index).filter(|site| site.role == ReferenceRole::Call) {
                bodies.entry(site.key.subject).or_default().push(index);
            }
        }
        let mut tasks = JoinSet::new();
        for (subject, calls) in bodies.into_iter().filter(|(_, calls)| calls.len() >= MIN_CALLS_PER_BODY) {
            let (session, questions) = (Arc::clone(self), Arc::clone(questions));
            tasks.spawn(async move { (calls, session.ask_outgoing_calls(&questions, &subject).await) });
        }
        while let Some(joined) = tasks.join_next().await {
            match joined {
                Ok((calls, Ok(answer))) => self.add_call_targets(questions, &calls, &answer, &mut targets),
                Ok((_, Err(QuestionFailure::Fatal(reason)))) => return Err(reason),
                // The session then asks about each call in the body separately.
                Ok((_, Err(QuestionFailure::Unanswered(_)))) => {}
                Err(error) => tracing::warn!(%error, "the task of a question failed"),
            }
        }
        Ok(targets)
    }

    /// Adds the targets of the calls in a body that are also in the server's list.
    fn add_call_targets(
        &self,
        questions: &FileQuestions,
        calls: &[usize],
        outgoing: &[ResolvedCall],
        targets: &mut HashMap<usize, Vec<LspLocation>>,
    ) {
        for &index in calls {
            let site = &questions.sites[index];
            let line = questions.text.line_text(site.at.line);
            let position = |column: usize| LspPosition {
                line: site.at.line,
                character: self.encoding.column_at_byte(line, column),
            };
            let name = (position(site.at.column as usize), position((site.at.column + site.at.len) as usize));
            let call_targets: Vec<LspLocation> = outgoing
                .iter()
                .filter(|call| call.from_ranges.contains(&name))
                .map(|call| call.target.clone())
                .collect();
            if !call_targets.is_empty() {
                targets.insert(index, call_targets);
            }
        }
    }

    async fn ask_outgoing_calls(
        &self,
        questions: &FileQuestions,
        subject: &Hash,
    ) -> Result<Vec<ResolvedCall>, QuestionFailure> {
        let no_calls = Ok(Vec::new());
        let symbol = questions.snapshot.symbol_by_hash(subject).and_then(|id| questions.snapshot.symbol(id));
        let Some(symbol) = symbol.filter(|symbol| symbol.kind.is_callable()) else { return no_calls };
        let Some(uri) = self.documents.file_uri(&questions.path) else { return no_calls };
        let name = symbol.name_span;
        let character =
            self.encoding.column_at_byte(questions.text.line_text(name.line), name.column as usize);
        let prepared = self
            .ask_server::<PrepareCalls>(position_params(&uri, LspPosition { line: name.line, character }))
            .await?;
        let Some(item) = prepared.as_array().and_then(|items| items.first()) else { return no_calls };
        Ok(parse_outgoing_calls(&self.ask_server::<OutgoingCalls>(json!({"item": item})).await?))
    }
}

/// The classified locations of an answer.
#[derive(Default)]
struct SiteTargets {
    /// Whether one of the answers was empty.
    empty: bool,
    symbols: Vec<SymbolId>,
    imports: Vec<Vec<LspLocation>>,
    external: Vec<LspLocation>,
    locals: usize,
    /// Number of locations without a usable target.
    unusable: usize,
}

impl SiteTargets {
    fn merge_targets(&mut self, more: Self) {
        self.unusable += usize::from(more.empty) + more.unusable;
        self.empty |= more.empty;
        self.symbols.extend(more.symbols);
        self.imports.extend(more.imports);
        self.external.extend(more.external);
        self.locals += more.locals;
    }
}

/// Whether a symbol is declared directly inside a function.
fn is_inside_callable(snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> bool {
    symbol.parent.and_then(|parent| snapshot.symbol(parent)).is_some_and(|parent| parent.kind.is_callable())
}

/// Returns the one symbol that several locations agree on: the only symbol; the only one that the
/// text also resolved to; or the last declaration, if all have the same qualified name (the others
/// are overloads, or the last one replaces them). Returns `None` if the locations do not agree.
fn single_symbol(questions: &FileQuestions, site: &ReferenceSite, symbols: &[SymbolId]) -> Option<SymbolId> {
    let mut symbols = symbols.to_vec();
    symbols.sort_unstable();
    symbols.dedup();
    if let [only] = symbols[..] {
        return Some(only);
    }
    let symbol = |id: &SymbolId| questions.snapshot.symbol(*id);
    let mut guessed = symbols.iter().filter(|id| symbol(id).is_some_and(|s| site.is_guessed(&s.hash)));
    if let (Some(&only), None) = (guessed.next(), guessed.next()) {
        return Some(only);
    }
    let qualified_name = |id: &SymbolId| symbol(id).map(|symbol| symbol.qualified_name());
    let first = symbols.first().and_then(qualified_name)?;
    if !symbols.iter().all(|id| qualified_name(id).as_deref() == Some(&first)) {
        return None;
    }
    symbols.into_iter().max_by_key(|id| symbol(id).map(|symbol| symbol.span.start))
}
