//! Discovery of edges that no text shows: implementations of a type, its supertypes, and uses of a
//! symbol that are not references of the text.

use super::locations::{LspLocation, parse_locations};
use super::position_target::{PositionTarget, classify_position, innermost_symbol};
use super::requests::{Implementation, LspPosition, PrepareTypes, References, Supertypes, position_params};
use super::site_resolution::AnswerBatch;
use super::{
    AnswerLocation, ChangeStamp, FileQuestions, GiveUpReason, IdleStamp, QuestionFailure, QuestionRound,
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

/// Maximum number of uses read per symbol. A symbol that is used everywhere says little about each
/// place.
const MAX_USES: usize = 300;
/// Maximum number of supertypes read per type.
const MAX_TYPES: usize = 100;

/// Source, target and kind of an edge between two symbols of the snapshot, and the line that shows
/// it.
type FoundEdge = (SymbolId, SymbolId, EdgeKind, Option<u32>);

impl ServerSession {
    /// Returns the symbols of a file that discovery asks about, in the order of the text. Excludes
    /// symbols of tests and symbols that were already asked about.
    pub fn discovery_subjects(&self, sheet: &FileQuestions) -> Vec<SymbolId> {
        if self.workspace.is_test_file(&sheet.language, &sheet.path) {
            return Vec::new();
        }
        let asked = |symbol: &SymbolRef| {
            let kind = symbol.kind;
            let wanted = (is_base_kind(kind) && (self.offers.implementation || self.offers.types))
                || (kind.is_callable() && (self.offers.implementation || self.offers.references));
            wanted && !symbol.is_test && !self.workspace.is_discovered(&sheet.snapshot, symbol, &self.id)
        };
        let ids = sheet.snapshot.file_symbols(sheet.file);
        ids.into_iter().skip(1).filter(|&id| sheet.snapshot.symbol(id).is_some_and(|s| asked(&s))).collect()
    }

    /// Asks about symbols of a file and returns a verdict for each symbol with an answer.
    ///
    /// # Errors
    /// Returns the reason if the server is gone or hangs.
    pub async fn discover_edges(
        self: &Arc<Self>,
        sheet: &Arc<FileQuestions>,
        subjects: Vec<SymbolId>,
        round: QuestionRound,
    ) -> Result<AnswerBatch, GiveUpReason> {
        let text =
            crate::workspace::DocumentText { text: Arc::clone(&sheet.text.text), hash: sheet.text.hash };
        self.documents.ensure_open(&sheet.path, &text).map_err(|error| GiveUpReason(error.to_string()))?;
        self.texts.cache_text(&sheet.path, &sheet.text);
        let since = self.documents.current_stamp();
        let calm = self.wait_for_idle().await;
        let mut asked = JoinSet::new();
        for id in subjects {
            let (asker, sheet) = (Arc::clone(self), Arc::clone(sheet));
            asked.spawn(async move { (id, asker.discover_subject(&sheet, id, (since, calm)).await) });
        }
        let (mut found, mut again) = (BTreeMap::new(), 0);
        while let Some(done) = asked.join_next().await {
            match done {
                Ok((_, Err(QuestionFailure::Fatal(given_up)))) => return Err(given_up),
                Ok((_, Err(QuestionFailure::Open(why)))) if round.should_retry(why) => again += 1,
                Ok((_, Err(QuestionFailure::Open(NoAnswerReason::Changed)))) => {}
                // Record an empty result, so that the symbol is not asked about again.
                Ok((id, Err(QuestionFailure::Open(_)))) => drop(found.insert(id, Vec::new())),
                Ok((id, Ok(edges))) => drop(found.insert(id, edges)),
                Err(error) => tracing::warn!(%error, "a question ended early"),
            }
        }
        let snapshot = &*sheet.snapshot;
        let ground = ContextHash::new(snapshot, sheet.file);
        let verdict = |(id, edges): (SymbolId, Vec<FoundEdge>)| {
            let subject = snapshot.symbol(id)?;
            Some(Verdict {
                server: Arc::clone(&self.id),
                subject: subject.hash,
                body: symbol_body_hash(snapshot, &subject),
                ground: ground.for_symbol(&subject),
                answer: VerdictAnswer::Discovered { edges: build_edges(snapshot, edges) },
                sent: SentHashes { source: sheet.text.hash, target: None },
            })
        };
        Ok(AnswerBatch { verdicts: found.into_iter().filter_map(verdict).collect(), again })
    }

    async fn discover_subject(
        &self,
        sheet: &FileQuestions,
        id: SymbolId,
        (since, calm): (ChangeStamp, IdleStamp),
    ) -> Result<Vec<FoundEdge>, QuestionFailure> {
        let snapshot = &*sheet.snapshot;
        let symbol = snapshot.symbol(id).ok_or(QuestionFailure::Open(NoAnswerReason::Changed))?;
        let mut found = Vec::new();
        if is_base_kind(symbol.kind) {
            // Some servers, asked for the implementations of a concrete type, list the types that
            // it implements. The type hierarchy is then not needed.
            let said =
                self.offers.implementation && self.row.names_implemented && !is_abstract(snapshot, &symbol);
            if self.offers.types && !said {
                self.collect_supertypes(sheet, &symbol, since, &mut found).await?;
            }
            if self.offers.implementation {
                self.collect_implementations(sheet, &symbol, since, &mut found).await?;
            }
        } else {
            if self.offers.implementation && belongs_to_base(snapshot, &symbol) {
                self.collect_implementations(sheet, &symbol, since, &mut found).await?;
            }
            if self.offers.references {
                self.collect_uses(sheet, &symbol, since, &mut found).await?;
            }
        }
        if self.documents.sent_hash(&sheet.path) != Some(sheet.text.hash)
            || self.documents.changed_since(&sheet.path, since)
        {
            return Err(QuestionFailure::Open(NoAnswerReason::Changed));
        }
        // Results are incomplete while the server reads the workspace.
        if !self.is_conclusive(calm) {
            return Err(QuestionFailure::Open(NoAnswerReason::Unsure));
        }
        found.sort_unstable();
        found.dedup_by_key(|(source, target, kind, _)| (*source, *target, *kind));
        Ok(found)
    }

    /// Asks a question about the name of a symbol and returns the answer.
    async fn ask_about_name<R: Request<Params = serde_json::Value, Result = serde_json::Value>>(
        &self,
        sheet: &FileQuestions,
        symbol: &SymbolRef<'_>,
    ) -> Result<serde_json::Value, QuestionFailure> {
        let uri =
            self.documents.file_uri(&sheet.path).ok_or(QuestionFailure::Open(NoAnswerReason::Refused))?;
        let name = symbol.name_span;
        let character = self.encoding.column_at_byte(sheet.text.line_text(name.line), name.column as usize);
        let mut params = position_params(&uri, LspPosition { line: name.line, character });
        if R::METHOD == References::METHOD {
            params["context"] = json!({"includeDeclaration": false});
        }
        self.ask_server::<R>(params).await
    }

    /// Returns the symbols that are declared at the given places.
    async fn declared_symbols(
        &self,
        sheet: &FileQuestions,
        found: Vec<LspLocation>,
        since: ChangeStamp,
    ) -> Result<Vec<SymbolId>, QuestionFailure> {
        let mut symbols = Vec::new();
        for led in self.resolve_locations(&sheet.snapshot, found) {
            if let AnswerLocation::Inside { path, file, at } = led
                && let PositionTarget::Declares(id) =
                    self.classify_location(&sheet.snapshot, (&path, file), at, since).await?
            {
                symbols.push(id);
            }
        }
        Ok(symbols)
    }

    async fn collect_implementations(
        &self,
        sheet: &FileQuestions,
        symbol: &SymbolRef<'_>,
        since: ChangeStamp,
        found: &mut Vec<FoundEdge>,
    ) -> Result<(), QuestionFailure> {
        let answer = self.ask_about_name::<Implementation>(sheet, symbol).await?;
        for id in self.declared_symbols(sheet, parse_locations(&answer), since).await? {
            let Some(other) = sheet.snapshot.symbol(id).filter(|other| other.id != symbol.id) else {
                continue;
            };
            let is_abstract = |symbol: &SymbolRef| is_abstract(&sheet.snapshot, symbol);
            // Asked about a concrete type, servers list the types that it implements. For two
            // interfaces, they report only that one has the methods of the other.
            let (lower, upper) = match (is_abstract(symbol), is_abstract(&other)) {
                (true, true) => continue,
                (false, true) => (symbol, &other),
                _ => (&other, symbol),
            };
            let kind = match (symbol.kind.is_type(), other.kind.is_type()) {
                // A struct has no subtypes.
                (true, true) if upper.kind == SymbolKind::Struct => continue,
                (true, true) => inheritance_kind(lower, upper),
                (false, false) if other.kind.is_callable() && other.name == symbol.name => {
                    EdgeKind::Overrides
                }
                _ => continue,
            };
            found.push((lower.id, upper.id, kind, None));
            if symbol.kind.is_type() {
                collect_overrides(&sheet.snapshot, lower, upper, found);
            }
        }
        Ok(())
    }

    /// Adds the supertypes of a type, and the overrides of their methods.
    async fn collect_supertypes(
        &self,
        sheet: &FileQuestions,
        symbol: &SymbolRef<'_>,
        since: ChangeStamp,
        found: &mut Vec<FoundEdge>,
    ) -> Result<(), QuestionFailure> {
        let snapshot = &*sheet.snapshot;
        let prepared = self.ask_about_name::<PrepareTypes>(sheet, symbol).await?;
        let Some(item) = prepared.as_array().and_then(|items| items.first()) else { return Ok(()) };
        let answer = self.ask_server::<Supertypes>(json!({"item": item})).await?;
        let mut above = parse_locations(&answer);
        above.truncate(MAX_TYPES);
        for id in self.declared_symbols(sheet, above, since).await? {
            let Some(other) = snapshot.symbol(id).filter(|o| o.id != symbol.id && o.kind.is_type()) else {
                continue;
            };
            found.push((symbol.id, other.id, inheritance_kind(symbol, &other), None));
            collect_overrides(snapshot, symbol, &other, found);
        }
        Ok(())
    }

    /// Adds uses that are not references of the text. Each reference of the text gets its own
    /// question.
    async fn collect_uses(
        &self,
        sheet: &FileQuestions,
        symbol: &SymbolRef<'_>,
        since: ChangeStamp,
        found: &mut Vec<FoundEdge>,
    ) -> Result<(), QuestionFailure> {
        let snapshot = &*sheet.snapshot;
        let answer = self.ask_about_name::<References>(sheet, symbol).await?;
        let mut uses = parse_locations(&answer);
        uses.truncate(MAX_USES);
        for led in self.resolve_locations(snapshot, uses) {
            let AnswerLocation::Inside { path, file, at } = led else { continue };
            let Some(hash) = snapshot.file(file).map(|file| file.content_hash) else { continue };
            let text = self.texts.read_text(&self.workspace, &path, hash).await;
            let Some(text) = text.filter(|_| !self.documents.changed_since(&path, since)) else {
                return Err(QuestionFailure::Open(NoAnswerReason::Changed));
            };
            let column = self.encoding.byte_at_column(text.line_text(at.line), at.character);
            let Some(offset) = text.byte_offset(at.line, column) else { continue };
            let imported = snapshot.file_imports(file).iter().any(|import| import.at.line == at.line);
            // The name of a declaration is not a use, although servers list overrides of a method
            // as uses.
            let standing = classify_position(snapshot, file, &text, (at.line, at.character), self.encoding);
            let declared = matches!(standing, PositionTarget::Declares(_));
            if imported || declared || self.is_reference_site(snapshot, &path, hash, offset).await {
                continue;
            }
            let user = innermost_symbol(snapshot, file, offset).and_then(|id| snapshot.symbol(id));
            // A use outside of all symbols is skipped, because the file itself is not a useful
            // source.
            if let Some(user) = user.filter(|user| user.id != symbol.id && user.kind != SymbolKind::File) {
                found.push((user.id, symbol.id, EdgeKind::References, Some(at.line)));
            }
        }
        Ok(())
    }
}

/// Converts edges to their stored form, which is independent of this snapshot.
fn build_edges(snapshot: &Snapshot, found: Vec<FoundEdge>) -> Vec<DiscoveredEdge> {
    let edge = |(source, target, kind, line): FoundEdge| {
        let (source, target) = (snapshot.symbol(source)?, snapshot.symbol(target)?);
        Some(DiscoveredEdge {
            source: SymbolVersion::from_symbol(&source),
            source_body: symbol_body_hash(snapshot, &source),
            target: SymbolVersion::from_symbol(&target),
            kind,
            line: line.map(|line| line.saturating_sub(source.span.start_line)),
        })
    };
    found.into_iter().filter_map(edge).collect()
}

/// Whether discovery asks for the supertypes and implementations of a type of this kind.
const fn is_base_kind(kind: SymbolKind) -> bool {
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

fn belongs_to_base(snapshot: &Snapshot, method: &SymbolRef) -> bool {
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

/// Returns the kind of edge that leads from the lower to the upper type.
fn inheritance_kind(lower: &SymbolRef, upper: &SymbolRef) -> EdgeKind {
    let abstracts = |kind| matches!(kind, SymbolKind::Interface | SymbolKind::Trait);
    if abstracts(upper.kind) && !abstracts(lower.kind) { EdgeKind::Implements } else { EdgeKind::Extends }
}

/// Adds overrides: methods of the lower type with the name of a method of the upper type.
fn collect_overrides(snapshot: &Snapshot, lower: &SymbolRef, upper: &SymbolRef, found: &mut Vec<FoundEdge>) {
    let methods = |ty: &SymbolRef| -> BTreeMap<String, Vec<SymbolId>> {
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
    let above = methods(upper);
    for (name, own) in methods(lower) {
        // For overloads, it is unknown which one overrides which.
        if let ([own], Some([theirs])) = (own.as_slice(), above.get(&name).map(Vec::as_slice)) {
            found.push((*own, *theirs, EdgeKind::Overrides, None));
        }
    }
}
