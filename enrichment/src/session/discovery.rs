//! Discovery of edges that the text does not show: implementations of a type, its supertypes, and
//! uses of a symbol that extraction did not find as references.
//!
//! The input is a file and its symbols without a discovery verdict. Each symbol gets its own task:
//! it asks for the supertypes and implementations of a type, for the overrides of a method, and for
//! the uses of a callable, if the server supports these requests. The task maps the locations in
//! the answers to symbols of the snapshot. The output is one verdict per symbol, whose edges are
//! independent of the snapshot.
//!
//! A task discards its answers if a file that they depend on changed in the meantime, or if the
//! server was reading the workspace. The batch then counts the symbol as one to retry.

use super::locations::{LspLocation, parse_locations};
use super::position_target::{PositionTarget, classify_position, innermost_symbol};
use super::requests::{Implementation, LspPosition, PrepareTypes, References, Supertypes, position_params};
use super::site_resolution::AnswerBatch;
use super::{
    AnswerLocation, ChangeStamp, FileQuestions, GiveUpReason, QuestionFailure, QuestionRound, RoundStart,
    ServerSession,
};
use kenning_graph::snapshot::{Snapshot, SymbolId, SymbolRef};
use kenning_graph::verdicts::{
    ContextHash, DiscoveredEdge, NoAnswerReason, SentHashes, SymbolVersion, Verdict, VerdictAnswer,
    symbol_body_hash,
};
use kenning_graph::vocabulary::{EdgeKind, SymbolKind, Visibility};
use lsp_types::request::Request;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Maximum number of uses read per symbol. A symbol with more uses is used everywhere, so a
/// single use carries little information.
const MAX_USES: usize = 300;
/// Maximum number of supertypes read per type. Generated types can implement hundreds of
/// interfaces.
const MAX_SUPERTYPES: usize = 100;

/// An edge between two symbols of the snapshot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FoundEdge {
    source: SymbolId,
    target: SymbolId,
    kind: EdgeKind,
    /// The line of the use that the edge was found at.
    line: Option<u32>,
}

impl ServerSession {
    /// Returns the symbols of a file that discovery asks about, in the order of the text. Excludes
    /// symbols of tests and symbols that were already asked about.
    pub fn discovery_subjects(&self, questions: &FileQuestions) -> Vec<SymbolId> {
        if self.workspace.is_test_file(&questions.language, &questions.path) {
            return Vec::new();
        }
        let is_subject = |symbol: &SymbolRef| {
            let kind = symbol.kind;
            let has_request = (has_type_hierarchy(kind) && (self.offers.implementation || self.offers.types))
                || (kind.is_callable() && (self.offers.implementation || self.offers.references));
            has_request
                && !symbol.is_test
                && !self.workspace.is_discovered(&questions.snapshot, symbol, &self.id)
        };
        let ids = questions.snapshot.file_symbols(questions.file);
        ids.into_iter()
            .skip(1)
            .filter(|&id| questions.snapshot.symbol(id).is_some_and(|s| is_subject(&s)))
            .collect()
    }

    /// Asks about symbols of a file. Returns a verdict for each symbol. The verdict has no edges if
    /// the server gave no usable answer.
    ///
    /// # Errors
    /// Returns the reason if the server is gone or hangs.
    pub async fn discover_edges(
        self: &Arc<Self>,
        questions: &Arc<FileQuestions>,
        subjects: Vec<SymbolId>,
        round: QuestionRound,
    ) -> Result<AnswerBatch, GiveUpReason> {
        let text = crate::workspace::DocumentText {
            text: Arc::clone(&questions.text.text),
            hash: questions.text.hash,
        };
        self.documents
            .ensure_open(&questions.path, &text)
            .map_err(|error| GiveUpReason(error.to_string()))?;
        self.texts.cache_text(&questions.path, &questions.text);
        let since = self.documents.current_stamp();
        let start = RoundStart { since, idle: self.wait_for_idle().await };
        let mut tasks = JoinSet::new();
        for id in subjects {
            let (session, questions) = (Arc::clone(self), Arc::clone(questions));
            tasks.spawn(async move { (id, session.discover_subject(&questions, id, start).await) });
        }
        let (mut found, mut retries) = (BTreeMap::new(), 0);
        while let Some(joined) = tasks.join_next().await {
            match joined {
                Ok((_, Err(QuestionFailure::Fatal(reason)))) => return Err(reason),
                Ok((_, Err(QuestionFailure::Unanswered(reason)))) if round.should_retry(reason) => {
                    retries += 1;
                }
                Ok((_, Err(QuestionFailure::Unanswered(NoAnswerReason::Changed)))) => {}
                // Record an empty result, so that the symbol is not asked about again.
                Ok((id, Err(QuestionFailure::Unanswered(_)))) => drop(found.insert(id, Vec::new())),
                Ok((id, Ok(edges))) => drop(found.insert(id, edges)),
                Err(error) => tracing::warn!(%error, "a discovery task failed"),
            }
        }
        let snapshot = &*questions.snapshot;
        let context = ContextHash::new(snapshot, questions.file);
        let build_verdict = |(id, edges): (SymbolId, Vec<FoundEdge>)| {
            let subject = snapshot.symbol(id)?;
            Some(Verdict {
                server: Arc::clone(&self.id),
                subject: subject.hash,
                body: symbol_body_hash(snapshot, &subject),
                context: context.for_symbol(&subject),
                answer: VerdictAnswer::Discovered { edges: build_edges(snapshot, edges) },
                sent: SentHashes { source: questions.text.hash, target: None },
            })
        };
        Ok(AnswerBatch { verdicts: found.into_iter().filter_map(build_verdict).collect(), retries })
    }

    /// Asks about one symbol. Returns its edges, sorted and without duplicates.
    async fn discover_subject(
        &self,
        questions: &FileQuestions,
        id: SymbolId,
        start: RoundStart,
    ) -> Result<Vec<FoundEdge>, QuestionFailure> {
        let snapshot = &*questions.snapshot;
        let symbol = snapshot.symbol(id).ok_or(QuestionFailure::Unanswered(NoAnswerReason::Changed))?;
        let RoundStart { since, idle } = start;
        let mut found = Vec::new();
        if has_type_hierarchy(symbol.kind) {
            // When asked for the implementations of a concrete type, some servers list the types
            // that it implements. The type hierarchy is then not needed.
            let lists_supertypes =
                self.offers.implementation && self.row.names_implemented && !is_abstract(snapshot, &symbol);
            if self.offers.types && !lists_supertypes {
                self.collect_supertypes(questions, &symbol, since, &mut found).await?;
            }
            if self.offers.implementation {
                self.collect_implementations(questions, &symbol, since, &mut found).await?;
            }
        } else {
            if self.offers.implementation && may_be_overridden(snapshot, &symbol) {
                self.collect_implementations(questions, &symbol, since, &mut found).await?;
            }
            if self.offers.references {
                self.collect_uses(questions, &symbol, since, &mut found).await?;
            }
        }
        if self.documents.sent_hash(&questions.path) != Some(questions.text.hash)
            || self.documents.changed_since(&questions.path, since)
        {
            return Err(QuestionFailure::Unanswered(NoAnswerReason::Changed));
        }
        // Results are incomplete while the server is reading the workspace.
        if !self.is_conclusive(idle) {
            return Err(QuestionFailure::Unanswered(NoAnswerReason::ServerBusy));
        }
        found.sort_unstable();
        found.dedup_by_key(|edge| (edge.source, edge.target, edge.kind));
        Ok(found)
    }

    /// Asks a question about the name of a symbol and returns the answer.
    async fn ask_about_name<R: Request<Params = serde_json::Value, Result = serde_json::Value>>(
        &self,
        questions: &FileQuestions,
        symbol: &SymbolRef<'_>,
    ) -> Result<serde_json::Value, QuestionFailure> {
        let uri = self
            .documents
            .file_uri(&questions.path)
            .ok_or(QuestionFailure::Unanswered(NoAnswerReason::Refused))?;
        let name = symbol.name_span;
        let character =
            self.encoding.column_at_byte(questions.text.line_text(name.line), name.column as usize);
        let mut params = position_params(&uri, LspPosition { line: name.line, character });
        if R::METHOD == References::METHOD {
            params["context"] = json!({"includeDeclaration": false});
        }
        self.ask_server::<R>(params).await
    }

    /// Returns the symbols whose declarations are at `locations`.
    async fn declared_symbols(
        &self,
        questions: &FileQuestions,
        locations: Vec<LspLocation>,
        since: ChangeStamp,
    ) -> Result<Vec<SymbolId>, QuestionFailure> {
        let mut symbols = Vec::new();
        for location in self.resolve_locations(&questions.snapshot, locations) {
            if let AnswerLocation::Inside { file, at, .. } = location
                && let PositionTarget::Declares(id) =
                    self.classify_location(&questions.snapshot, file, at, since).await?
            {
                symbols.push(id);
            }
        }
        Ok(symbols)
    }

    /// Adds the implementations of a type or method, or the symbols that it implements.
    async fn collect_implementations(
        &self,
        questions: &FileQuestions,
        symbol: &SymbolRef<'_>,
        since: ChangeStamp,
        found: &mut Vec<FoundEdge>,
    ) -> Result<(), QuestionFailure> {
        let answer = self.ask_about_name::<Implementation>(questions, symbol).await?;
        for id in self.declared_symbols(questions, parse_locations(&answer), since).await? {
            let Some(other) = questions.snapshot.symbol(id).filter(|other| other.id != symbol.id) else {
                continue;
            };
            let is_abstract = |symbol: &SymbolRef| is_abstract(&questions.snapshot, symbol);
            // For a concrete type, servers list the types that it implements. For two interfaces,
            // they report only that one has the methods of the other.
            let (subtype, supertype) = match (is_abstract(symbol), is_abstract(&other)) {
                (true, true) => continue,
                (false, true) => (symbol, &other),
                _ => (&other, symbol),
            };
            let kind = match (symbol.kind.is_type(), other.kind.is_type()) {
                // A struct has no subtypes.
                (true, true) if supertype.kind == SymbolKind::Struct => continue,
                (true, true) => inheritance_kind(subtype, supertype),
                (false, false) if other.kind.is_callable() && other.name == symbol.name => {
                    EdgeKind::Overrides
                }
                _ => continue,
            };
            found.push(FoundEdge { source: subtype.id, target: supertype.id, kind, line: None });
            if symbol.kind.is_type() {
                collect_overrides(&questions.snapshot, subtype, supertype, found);
            }
        }
        Ok(())
    }

    /// Adds the supertypes of a type, and the overrides of their methods.
    async fn collect_supertypes(
        &self,
        questions: &FileQuestions,
        symbol: &SymbolRef<'_>,
        since: ChangeStamp,
        found: &mut Vec<FoundEdge>,
    ) -> Result<(), QuestionFailure> {
        let snapshot = &*questions.snapshot;
        let prepared = self.ask_about_name::<PrepareTypes>(questions, symbol).await?;
        let Some(item) = prepared.as_array().and_then(|items| items.first()) else { return Ok(()) };
        let answer = self.ask_server::<Supertypes>(json!({"item": item})).await?;
        let mut supertypes = parse_locations(&answer);
        supertypes.truncate(MAX_SUPERTYPES);
        for id in self.declared_symbols(questions, supertypes, since).await? {
            let Some(other) = snapshot.symbol(id).filter(|o| o.id != symbol.id && o.kind.is_type()) else {
                continue;
            };
            let kind = inheritance_kind(symbol, &other);
            found.push(FoundEdge { source: symbol.id, target: other.id, kind, line: None });
            collect_overrides(snapshot, symbol, &other, found);
        }
        Ok(())
    }

    /// Adds uses that extraction did not find as references. Each reference that it found gets its
    /// own question.
    async fn collect_uses(
        &self,
        questions: &FileQuestions,
        symbol: &SymbolRef<'_>,
        since: ChangeStamp,
        found: &mut Vec<FoundEdge>,
    ) -> Result<(), QuestionFailure> {
        let snapshot = &*questions.snapshot;
        let answer = self.ask_about_name::<References>(questions, symbol).await?;
        let mut uses = parse_locations(&answer);
        uses.truncate(MAX_USES);
        for location in self.resolve_locations(snapshot, uses) {
            let AnswerLocation::Inside { path, file, at } = location else { continue };
            let Some(hash) = snapshot.file(file).map(|file| file.content_hash) else { continue };
            let text = self.texts.read_text(&self.workspace, &path, hash).await;
            let Some(text) = text.filter(|_| !self.documents.changed_since(&path, since)) else {
                return Err(QuestionFailure::Unanswered(NoAnswerReason::Changed));
            };
            let column = self.encoding.byte_at_column(text.line_text(at.line), at.character);
            let Some(offset) = text.byte_offset(at.line, column) else { continue };
            let is_import = snapshot.file_imports(file).iter().any(|import| import.at.line == at.line);
            // The name of a declaration is not a use, although servers list overrides of a method
            // as uses.
            let target = classify_position(snapshot, file, &text, at, self.encoding);
            let is_declaration = matches!(target, PositionTarget::Declares(_));
            if is_import || is_declaration || self.is_reference_site(snapshot, &path, hash, offset).await {
                continue;
            }
            let source = innermost_symbol(snapshot, file, offset).and_then(|id| snapshot.symbol(id));
            // A use outside all symbols is skipped, because the file itself is not a useful source.
            if let Some(source) = source.filter(|s| s.id != symbol.id && s.kind != SymbolKind::File) {
                let (source, target, kind) = (source.id, symbol.id, EdgeKind::References);
                found.push(FoundEdge { source, target, kind, line: Some(at.line) });
            }
        }
        Ok(())
    }
}

/// Converts edges to their stored form, which is independent of this snapshot.
fn build_edges(snapshot: &Snapshot, found: Vec<FoundEdge>) -> Vec<DiscoveredEdge> {
    let build_edge = |edge: FoundEdge| {
        let (source, target) = (snapshot.symbol(edge.source)?, snapshot.symbol(edge.target)?);
        Some(DiscoveredEdge {
            source: SymbolVersion::from_symbol(&source),
            source_body: symbol_body_hash(snapshot, &source),
            target: SymbolVersion::from_symbol(&target),
            kind: edge.kind,
            line: edge.line.map(|line| line.saturating_sub(source.span.start_line)),
        })
    };
    found.into_iter().filter_map(build_edge).collect()
}

/// Whether discovery asks for the supertypes and implementations of a type of this kind.
const fn has_type_hierarchy(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::Record
            | SymbolKind::TypeAlias
    )
}

/// Whether a method is in a type whose methods other types can override or implement.
fn may_be_overridden(snapshot: &Snapshot, method: &SymbolRef) -> bool {
    let parent = method.parent.and_then(|parent| snapshot.symbol(parent));
    method.kind == SymbolKind::Method
        && parent.is_some_and(|p| {
            matches!(
                p.kind,
                SymbolKind::Interface | SymbolKind::Trait | SymbolKind::Class | SymbolKind::TypeAlias
            )
        })
}

/// Whether a symbol is an interface or trait, or a member of one.
fn is_abstract(snapshot: &Snapshot, symbol: &SymbolRef) -> bool {
    let parent = symbol.parent.and_then(|parent| snapshot.symbol(parent));
    let kind = if symbol.kind.is_type() { Some(symbol.kind) } else { parent.map(|parent| parent.kind) };
    matches!(kind, Some(SymbolKind::Interface | SymbolKind::Trait))
}

/// Returns the kind of edge that leads from the subtype to the supertype.
fn inheritance_kind(subtype: &SymbolRef, supertype: &SymbolRef) -> EdgeKind {
    let is_interface = |kind| matches!(kind, SymbolKind::Interface | SymbolKind::Trait);
    if is_interface(supertype.kind) && !is_interface(subtype.kind) {
        EdgeKind::Implements
    } else {
        EdgeKind::Extends
    }
}

/// Adds overrides: methods of the subtype with the name of a method of the supertype.
fn collect_overrides(
    snapshot: &Snapshot,
    subtype: &SymbolRef,
    supertype: &SymbolRef,
    found: &mut Vec<FoundEdge>,
) {
    let methods_by_name = |ty: &SymbolRef| -> BTreeMap<String, Vec<SymbolId>> {
        let mut methods: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
        snapshot.for_each_in_edge(ty.id, |edge| {
            let member = (edge.kind == EdgeKind::MemberOf).then(|| snapshot.symbol(edge.source)).flatten();
            let visible =
                member.filter(|m| m.kind == SymbolKind::Method && m.visibility != Visibility::Private);
            if let Some(method) = visible {
                methods.entry(method.name.to_owned()).or_default().push(method.id);
            }
        });
        methods
    };
    let supertype_methods = methods_by_name(supertype);
    for (name, ids) in methods_by_name(subtype) {
        // Overloads are skipped, because it is unknown which one overrides which.
        if let ([source], Some([target])) = (ids.as_slice(), supertype_methods.get(&name).map(Vec::as_slice))
        {
            found.push(FoundEdge { source: *source, target: *target, kind: EdgeKind::Overrides, line: None });
        }
    }
}
