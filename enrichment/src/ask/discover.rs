//! What no text shows: who implements a type, which types are above it, and who uses a symbol in a way that is no reference
//! of the text.

use super::locate::{Spot, around, spot};
use super::places::{Place, places};
use super::requests::{Implementation, Position, PrepareTypes, References, Supertypes, at};
use super::upgrade::Answers;
use super::{Asker, Calm, Failure, GivenUp, Led, Moment, Round, Sheet};
use kenning_graph::snapshot::{Snapshot, SymbolId, SymbolRef};
use kenning_graph::verdicts::{Answer, DiscoveredEdge, Ground, Sent, Target, Unresolved, Verdict, body_of};
use kenning_graph::vocabulary::{EdgeKind, SymbolKind, Visibility};
use lsp_types::request::Request;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Uses of one symbol that are looked at: what is used everywhere says little of each place.
const MAX_USES: usize = 300;
/// Types that are read above one type.
const MAX_TYPES: usize = 100;

/// An edge between two symbols of the snapshot, and the line that shows it.
type Found = (SymbolId, SymbolId, EdgeKind, Option<u32>);

impl Asker {
    /// The symbols of a file that discovery asks about, in the order of the text: none of tests, none that were asked about
    /// already.
    pub fn subjects(&self, sheet: &Sheet) -> Vec<SymbolId> {
        if self.workspace.is_test_file(&sheet.language, &sheet.path) {
            return Vec::new();
        }
        let asked = |symbol: &SymbolRef| {
            let kind = symbol.kind;
            let wanted = (is_base(kind) && (self.offers.implementation || self.offers.types))
                || (kind.is_callable() && (self.offers.implementation || self.offers.references));
            wanted && !symbol.is_test && !self.workspace.is_discovered(&sheet.snapshot, symbol, &self.id)
        };
        let ids = sheet.snapshot.file_symbols(sheet.file);
        ids.into_iter().skip(1).filter(|&id| sheet.snapshot.symbol(id).is_some_and(|s| asked(&s))).collect()
    }

    /// Asks about symbols of a file.
    ///
    /// # Errors
    /// When the server is gone or hung.
    pub async fn discover(
        self: &Arc<Self>,
        sheet: &Arc<Sheet>,
        subjects: Vec<SymbolId>,
        round: Round,
    ) -> Result<Answers, GivenUp> {
        let text = crate::workspace::Text { text: Arc::clone(&sheet.text.text), hash: sheet.text.hash };
        self.documents.show(&sheet.path, &text).map_err(|error| GivenUp(error.to_string()))?;
        self.texts.keep(&sheet.path, &sheet.text);
        let since = self.documents.moment();
        let calm = self.calm().await;
        let mut asked = JoinSet::new();
        for id in subjects {
            let (asker, sheet) = (Arc::clone(self), Arc::clone(sheet));
            asked.spawn(async move { (id, asker.subject(&sheet, id, (since, calm)).await) });
        }
        let (mut found, mut again) = (BTreeMap::new(), 0);
        while let Some(done) = asked.join_next().await {
            match done {
                Ok((_, Err(Failure::Fatal(given_up)))) => return Err(given_up),
                Ok((_, Err(Failure::Open(why)))) if round.asks_again(why) => again += 1,
                Ok((_, Err(Failure::Open(Unresolved::Changed)))) => {}
                // Nothing is found about it, and it is not asked about again.
                Ok((id, Err(Failure::Open(_)))) => drop(found.insert(id, Vec::new())),
                Ok((id, Ok(edges))) => drop(found.insert(id, edges)),
                Err(error) => tracing::warn!(%error, "a question ended early"),
            }
        }
        let snapshot = &*sheet.snapshot;
        let ground = Ground::new(snapshot, sheet.file);
        let verdict = |(id, edges): (SymbolId, Vec<Found>)| {
            let subject = snapshot.symbol(id)?;
            Some(Verdict {
                server: Arc::clone(&self.id),
                subject: subject.hash,
                body: body_of(snapshot, &subject),
                ground: ground.of(&subject),
                answer: Answer::Discovered { edges: edges_of(snapshot, edges) },
                sent: Sent { source: sheet.text.hash, target: None },
            })
        };
        Ok(Answers { verdicts: found.into_iter().filter_map(verdict).collect(), again })
    }

    async fn subject(
        &self,
        sheet: &Sheet,
        id: SymbolId,
        (since, calm): (Moment, Calm),
    ) -> Result<Vec<Found>, Failure> {
        let snapshot = &*sheet.snapshot;
        let symbol = snapshot.symbol(id).ok_or(Failure::Open(Unresolved::Changed))?;
        let mut found = Vec::new();
        if is_base(symbol.kind) {
            // What stands above a type that is none to be implemented, some say when they are asked what implements it.
            let said =
                self.offers.implementation && self.row.names_implemented && !is_abstract(snapshot, &symbol);
            if self.offers.types && !said {
                self.above(sheet, &symbol, since, &mut found).await?;
            }
            if self.offers.implementation {
                self.implementations(sheet, &symbol, since, &mut found).await?;
            }
        } else {
            if self.offers.implementation && belongs_to_base(snapshot, &symbol) {
                self.implementations(sheet, &symbol, since, &mut found).await?;
            }
            if self.offers.references {
                self.uses(sheet, &symbol, since, &mut found).await?;
            }
        }
        if self.documents.sent(&sheet.path) != Some(sheet.text.hash)
            || self.documents.changed_since(&sheet.path, since)
        {
            return Err(Failure::Open(Unresolved::Changed));
        }
        // What was found while the server reads the workspace is not all.
        if !self.is_sure(calm) {
            return Err(Failure::Open(Unresolved::Unsure));
        }
        found.sort_unstable();
        found.dedup_by_key(|(source, target, kind, _)| (*source, *target, *kind));
        Ok(found)
    }

    /// Answers to a question about the name of a symbol.
    async fn about<R: Request<Params = serde_json::Value, Result = serde_json::Value>>(
        &self,
        sheet: &Sheet,
        symbol: &SymbolRef<'_>,
    ) -> Result<serde_json::Value, Failure> {
        let uri = self.documents.uri(&sheet.path).ok_or(Failure::Open(Unresolved::Refused))?;
        let name = symbol.name_span;
        let character = self.encoding.column(sheet.text.line(name.line), name.column as usize);
        let mut params = at(&uri, Position { line: name.line, character });
        if R::METHOD == References::METHOD {
            params["context"] = json!({"includeDeclaration": false});
        }
        self.ask::<R>(params).await
    }

    /// The symbols that are declared at places.
    async fn declared(
        &self,
        sheet: &Sheet,
        found: Vec<Place>,
        since: Moment,
    ) -> Result<Vec<SymbolId>, Failure> {
        let mut symbols = Vec::new();
        for led in self.led(&sheet.snapshot, found) {
            if let Led::Inside { path, file, at } = led
                && let Spot::Declares(id) = self.spot(&sheet.snapshot, (&path, file), at, since).await?
            {
                symbols.push(id);
            }
        }
        Ok(symbols)
    }

    async fn implementations(
        &self,
        sheet: &Sheet,
        symbol: &SymbolRef<'_>,
        since: Moment,
        found: &mut Vec<Found>,
    ) -> Result<(), Failure> {
        let answer = self.about::<Implementation>(sheet, symbol).await?;
        for id in self.declared(sheet, places(&answer), since).await? {
            let Some(other) = sheet.snapshot.symbol(id).filter(|other| other.id != symbol.id) else {
                continue;
            };
            let is_abstract = |symbol: &SymbolRef| is_abstract(&sheet.snapshot, symbol);
            // Asked about a type that is none to be implemented, servers name what it implements. Of two interfaces they
            // say only that one has the methods of the other.
            let (lower, upper) = match (is_abstract(symbol), is_abstract(&other)) {
                (true, true) => continue,
                (false, true) => (symbol, &other),
                _ => (&other, symbol),
            };
            let kind = match (symbol.kind.is_type(), other.kind.is_type()) {
                // Nothing stands below a struct.
                (true, true) if upper.kind == SymbolKind::Struct => continue,
                (true, true) => relation(lower, upper),
                (false, false) if other.kind.is_callable() && other.name == symbol.name => {
                    EdgeKind::Overrides
                }
                _ => continue,
            };
            found.push((lower.id, upper.id, kind, None));
            if symbol.kind.is_type() {
                overrides(&sheet.snapshot, lower, upper, found);
            }
        }
        Ok(())
    }

    /// The types above a type, and which of its methods override theirs.
    async fn above(
        &self,
        sheet: &Sheet,
        symbol: &SymbolRef<'_>,
        since: Moment,
        found: &mut Vec<Found>,
    ) -> Result<(), Failure> {
        let snapshot = &*sheet.snapshot;
        let prepared = self.about::<PrepareTypes>(sheet, symbol).await?;
        let Some(item) = prepared.as_array().and_then(|items| items.first()) else { return Ok(()) };
        let answer = self.ask::<Supertypes>(json!({"item": item})).await?;
        let mut above = places(&answer);
        above.truncate(MAX_TYPES);
        for id in self.declared(sheet, above, since).await? {
            let Some(other) = snapshot.symbol(id).filter(|o| o.id != symbol.id && o.kind.is_type()) else {
                continue;
            };
            found.push((symbol.id, other.id, relation(symbol, &other), None));
            overrides(snapshot, symbol, &other, found);
        }
        Ok(())
    }

    /// Uses that are no references of the text: each reference of the text is asked about by itself.
    async fn uses(
        &self,
        sheet: &Sheet,
        symbol: &SymbolRef<'_>,
        since: Moment,
        found: &mut Vec<Found>,
    ) -> Result<(), Failure> {
        let snapshot = &*sheet.snapshot;
        let answer = self.about::<References>(sheet, symbol).await?;
        let mut uses = places(&answer);
        uses.truncate(MAX_USES);
        for led in self.led(snapshot, uses) {
            let Led::Inside { path, file, at } = led else { continue };
            let Some(hash) = snapshot.file(file).map(|file| file.content_hash) else { continue };
            let text = self.texts.get(&self.workspace, &path, hash).await;
            let Some(text) = text.filter(|_| !self.documents.changed_since(&path, since)) else {
                return Err(Failure::Open(Unresolved::Changed));
            };
            let column = self.encoding.byte(text.line(at.line), at.character);
            let Some(offset) = text.offset(at.line, column) else { continue };
            let imported = snapshot.file_imports(file).iter().any(|import| import.at.line == at.line);
            // The name of a declaration is no use: servers name what overrides a method as one.
            let standing = spot(snapshot, file, &text, (at.line, at.character), self.encoding);
            let declared = matches!(standing, Spot::Declares(_));
            if imported || declared || self.is_site(snapshot, &path, hash, offset).await {
                continue;
            }
            let user = around(snapshot, file, offset).and_then(|id| snapshot.symbol(id));
            // The file itself uses nothing: what stands outside of all symbols is no use that anybody looks for.
            if let Some(user) = user.filter(|user| user.id != symbol.id && user.kind != SymbolKind::File) {
                found.push((user.id, symbol.id, EdgeKind::References, Some(at.line)));
            }
        }
        Ok(())
    }
}

/// Edges as they are kept: in no terms of this snapshot.
fn edges_of(snapshot: &Snapshot, found: Vec<Found>) -> Vec<DiscoveredEdge> {
    let edge = |(source, target, kind, line): Found| {
        let (source, target) = (snapshot.symbol(source)?, snapshot.symbol(target)?);
        Some(DiscoveredEdge {
            source: Target::of(&source),
            source_body: body_of(snapshot, &source),
            target: Target::of(&target),
            kind,
            line: line.map(|line| line.saturating_sub(source.span.start_line)),
        })
    };
    found.into_iter().filter_map(edge).collect()
}

/// Kinds of types that others can stand below.
const fn is_base(kind: SymbolKind) -> bool {
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

/// Whether a type is there to be implemented, or a method belongs to such a type.
fn is_abstract(snapshot: &Snapshot, symbol: &SymbolRef) -> bool {
    let parent = symbol.parent.and_then(|parent| snapshot.symbol(parent));
    let kind = if symbol.kind.is_type() { Some(symbol.kind) } else { parent.map(|parent| parent.kind) };
    matches!(kind, Some(SymbolKind::Interface | SymbolKind::Trait))
}

/// What the lower of two types does with the upper one.
fn relation(lower: &SymbolRef, upper: &SymbolRef) -> EdgeKind {
    let abstracts = |kind| matches!(kind, SymbolKind::Interface | SymbolKind::Trait);
    if abstracts(upper.kind) && !abstracts(lower.kind) { EdgeKind::Implements } else { EdgeKind::Extends }
}

/// Methods of the lower type that have the name of one of the upper type.
fn overrides(snapshot: &Snapshot, lower: &SymbolRef, upper: &SymbolRef, found: &mut Vec<Found>) {
    let methods = |ty: &SymbolRef| -> BTreeMap<String, Vec<SymbolId>> {
        let mut methods: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
        snapshot.for_each_in(ty.id, |edge| {
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
        // Of overloads it is not known which overrides which.
        if let ([own], Some([theirs])) = (own.as_slice(), above.get(&name).map(Vec::as_slice)) {
            found.push((*own, *theirs, EdgeKind::Overrides, None));
        }
    }
}
