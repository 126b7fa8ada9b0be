//! What servers say of the references of one file, as edges that are added and edges that are hidden.

use super::Snapshot;
use super::base::NONE;
use super::composed::{DISCOVERY, FileRows, Said, Standing, Tally, phantom_id};
use super::overlay::StoredEdge;
use super::types::{FileId, SymbolId, SymbolRef};
use crate::hash::{Hash, Hasher};
use crate::verdicts::{Found, Ground, Is, RuledEdge, Ruling, Rulings, body_of, external, signature_of};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What the references of a file give; `None` where nobody said anything of them.
pub(super) fn rows(plain: &Snapshot, rulings: &Rulings, file: FileId) -> Option<FileRows> {
    let mut reader = Reader::new(plain, rulings, file);
    for symbol in plain.file_symbols(file).into_iter().filter_map(|id| plain.symbol(id)) {
        reader.references(&symbol);
        reader.discovery(&symbol);
    }
    reader.finish()
}

/// The text of an edge: source, target, kind.
type Ends = (SymbolId, SymbolId, EdgeKind);

/// Where a reference leads.
enum Target {
    Symbol { id: SymbolId, is_test: bool, is_data: bool },
    Outside(u32),
}

/// What was said of the references that made one edge.
#[derive(Default)]
struct Guessed {
    /// References that made it.
    sites: u32,
    /// References of which a server says where they lead.
    answered: u32,
    confirmed: bool,
}

struct Reader<'a> {
    plain: &'a Snapshot,
    rulings: &'a Rulings,
    file: FileId,
    ground: Option<Ground<'a>>,
    /// Edges that servers say, with the line of the first place that shows each.
    edges: BTreeMap<Ends, u32>,
    /// Those of them that only discovery found, with its server.
    discovered: BTreeMap<Ends, u16>,
    guessed: BTreeMap<Ends, Guessed>,
    said: Vec<Said>,
    tallies: BTreeMap<u16, Tally>,
    outside: BTreeSet<u32>,
}

impl<'a> Reader<'a> {
    fn new(plain: &'a Snapshot, rulings: &'a Rulings, file: FileId) -> Self {
        Self {
            plain,
            rulings,
            file,
            ground: None,
            edges: BTreeMap::new(),
            discovered: BTreeMap::new(),
            guessed: BTreeMap::new(),
            said: Vec::new(),
            tallies: BTreeMap::new(),
            outside: BTreeSet::new(),
        }
    }

    fn references(&mut self, subject: &SymbolRef<'a>) {
        let Some((ground, rulings)) = self.rulings.of(&subject.hash, body_of(self.plain, subject)) else {
            if let Some((server, count)) = self.rulings.knew(&subject.hash) {
                self.tallies.entry(server).or_default().stale += count;
            }
            return;
        };
        let now = self.ground.get_or_insert_with(|| Ground::new(self.plain, self.file)).of(subject);
        for ruling in &rulings {
            let standing = if now == ground { self.ruling(subject, ruling) } else { Standing::Stale };
            self.say(subject, ruling.nth, standing, ruling.server);
        }
    }

    fn say(&mut self, subject: &SymbolRef, nth: u32, standing: Standing, server: u16) {
        self.tallies.entry(server).or_default().count(standing);
        self.said.push(Said { subject: subject.id, nth, standing, server });
    }

    /// Takes what was said of one reference.
    fn ruling(&mut self, subject: &SymbolRef<'a>, ruling: &Ruling) -> Standing {
        let (target, standing) = match ruling.is {
            Is::Unresolved(why) => return Standing::Unresolved(why),
            Is::Local => {
                self.answer(ruling, None);
                return Standing::Local;
            }
            Is::External(number) => (Some(Target::Outside(number)), Standing::External),
            Is::Confirmed { target, signature } => (self.target(target, signature), Standing::Confirmed),
            Is::Retargeted { target, signature } => (self.target(target, signature), Standing::Retargeted),
        };
        let Some(target) = target else { return Standing::Stale };
        let id = match target {
            Target::Symbol { id, .. } => id,
            Target::Outside(number) => self.outside(number),
        };
        self.answer(ruling, Some(id));
        let line = subject.span.start_line.saturating_add(ruling.line);
        for made in &ruling.makes {
            self.make(*made, id, &target, line);
        }
        standing
    }

    /// Notes for the edges that the text made of a reference whether a server leads there.
    fn answer(&mut self, ruling: &Ruling, id: Option<SymbolId>) {
        for guess in &ruling.guesses {
            let ends = [guess.source, guess.target].map(|name| self.known(name));
            let [Some(source), Some(target)] = ends else { continue };
            let guessed = self.guessed.entry((source, target, guess.kind)).or_default();
            guessed.sites = guessed.sites.max(guess.sites);
            guessed.answered += 1;
            guessed.confirmed |= id.is_some_and(|id| id == source || id == target);
        }
    }

    /// The symbol of the workspace that was meant, if it is as it was.
    fn target(&self, name: u32, signature: u64) -> Option<Target> {
        let symbol = self.plain.symbol(self.plain.symbol_by_hash(&self.rulings.hash(name))?)?;
        let is_data = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Property);
        let target = Target::Symbol { id: symbol.id, is_test: symbol.is_test, is_data };
        (signature_of(&symbol) == signature).then_some(target)
    }

    fn known(&self, name: u32) -> Option<SymbolId> {
        let hash = self.rulings.hash(name);
        let known = self.plain.symbol_by_hash(&hash);
        known.or_else(|| self.rulings.outside_by_hash(&hash).map(phantom_id))
    }

    /// The id of something outside: that of the text's graph where it has one.
    fn outside(&mut self, number: u32) -> SymbolId {
        self.outside.insert(number);
        let known = self.rulings.outside(number).map(|(package, name)| external(package, name));
        known.and_then(|hash| self.plain.symbol_by_hash(&hash)).unwrap_or_else(|| phantom_id(number))
    }

    fn make(&mut self, made: RuledEdge, id: SymbolId, target: &Target, line: u32) {
        let Some(end) = self.known(made.end) else { return };
        let (is_outside, is_test, is_data) = match *target {
            Target::Symbol { is_test, is_data, .. } => (false, is_test, is_data),
            Target::Outside(_) => (true, false, false),
        };
        if end == id || (made.not_to_tests && (is_test || is_outside)) {
            return;
        }
        let ends = match (made.from_target, made.kind) {
            // What is decorated refers to a decorator outside of the workspace.
            (true, _) if is_outside => (end, id, EdgeKind::References),
            (true, kind) => (id, end, kind),
            (false, EdgeKind::AccessesField) if !is_data => (end, id, EdgeKind::References),
            (false, kind) => (end, id, kind),
        };
        self.add(ends, line);
    }

    fn add(&mut self, ends: Ends, line: u32) {
        let known = self.edges.entry(ends).or_insert(line);
        *known = (*known).min(line);
    }

    /// Takes what was discovered about a symbol, and the discovered edges that start at it.
    fn discovery(&mut self, symbol: &SymbolRef<'a>) {
        if let Some(discovery) = self.rulings.discovery(&symbol.hash) {
            let current = discovery.body == body_of(self.plain, symbol);
            let standing = if current { Standing::Discovered } else { Standing::Stale };
            self.say(symbol, DISCOVERY, standing, discovery.server);
        }
        let body = body_of(self.plain, symbol);
        for (found, server) in self.rulings.found_at(&symbol.hash) {
            if found.source_body == body {
                self.found(symbol, &found, server);
            }
        }
    }

    fn found(&mut self, source: &SymbolRef<'a>, found: &Found, server: u16) {
        let Some(Target::Symbol { id: target, .. }) = self.target(found.target, found.signature) else {
            return;
        };
        if target == source.id || self.is_used_otherwise(source.id, target, found.kind) {
            return;
        }
        let line = found.line.map_or(NONE, |line| source.span.start_line.saturating_add(line));
        if !self.edges.contains_key(&(source.id, target, found.kind)) {
            self.discovered.insert((source.id, target, found.kind), server);
        }
        self.add((source.id, target, found.kind), line);
    }

    /// Whether a mention says no more than an edge that is known: who calls something mentions it.
    fn is_used_otherwise(&self, source: SymbolId, target: SymbolId, kind: EdgeKind) -> bool {
        let mut used = false;
        if kind == EdgeKind::References {
            self.plain.stored_out(source, |edge| used |= edge.target == target && edge.kind.is_use());
        }
        used
    }

    fn finish(mut self) -> Option<FileRows> {
        if self.said.is_empty() && self.edges.is_empty() && self.tallies.is_empty() {
            return None;
        }
        let mut shown = Shown { plain: self.plain, file: self.file, rows: FxHashMap::default() };
        let (mut added, mut hidden) = (Vec::new(), BTreeSet::new());
        for (&(source, target, kind), &line) in &self.edges {
            let known = shown.line(source, target, kind);
            if known.is_some() {
                hidden.insert((source, target, kind));
            } else if let Some(&server) = self.discovered.get(&(source, target, kind)) {
                self.tallies.entry(server).or_default().discovered += 1;
            }
            // The text knows its first place, also where nobody was asked about that one.
            let line = known.filter(|&line| line != NONE).unwrap_or(line);
            added.push(edge((source, target, kind), self.file, line));
        }
        for (&ends, guessed) in &self.guessed {
            let refuted = !guessed.confirmed && guessed.answered >= guessed.sites;
            if refuted && !self.edges.contains_key(&ends) && shown.line(ends.0, ends.1, ends.2).is_some() {
                hidden.insert(ends);
            }
        }
        let hidden: Vec<Ends> = hidden.into_iter().collect();
        let mut said = self.said;
        said.sort_unstable_by_key(|said| (said.subject, said.nth));
        Some(FileRows {
            digest: digest(self.plain, self.rulings, &added, &hidden),
            added,
            hidden,
            said: said.into(),
            tallies: self.tallies.into_iter().collect(),
            outside: self.outside.into_iter().collect(),
        })
    }
}

fn edge((source, target, kind): Ends, owner: FileId, line: u32) -> StoredEdge {
    let provenance = Provenance::LspResolved;
    let confidence = (provenance.confidence() * 100.0).round() as u8;
    StoredEdge { source, target, owner, line, kind, provenance, confidence }
}

/// The edges that the text shows, read once per end.
struct Shown<'a> {
    plain: &'a Snapshot,
    file: FileId,
    /// Other end, kind and line of the edges of a symbol of the file; `true` for those that start at it.
    rows: FxHashMap<(SymbolId, bool), FxHashMap<(SymbolId, EdgeKind), u32>>,
}

impl Shown<'_> {
    /// The line of an edge that the text shows.
    fn line(&mut self, source: SymbolId, target: SymbolId, kind: EdgeKind) -> Option<u32> {
        // The end in this file has few edges; one elsewhere may have any number.
        let out = self.plain.file_of(source) == Some(self.file);
        let (own, other) = if out { (source, target) } else { (target, source) };
        let plain = self.plain;
        let row = self.rows.entry((own, out)).or_insert_with(|| {
            let mut row = FxHashMap::default();
            let mut note = |edge: StoredEdge| {
                let other = if out { edge.target } else { edge.source };
                let line = row.entry((other, edge.kind)).or_insert(edge.line);
                *line = (*line).min(edge.line);
            };
            if out {
                plain.stored_out(own, &mut note);
            } else {
                plain.stored_in(own, &mut note);
            }
            row
        });
        row.get(&(other, kind)).copied()
    }
}

/// What is added and hidden, as a number that does not depend on ids.
fn digest(plain: &Snapshot, rulings: &Rulings, added: &[StoredEdge], hidden: &[Ends]) -> [u64; 4] {
    if added.is_empty() && hidden.is_empty() {
        return [0; 4];
    }
    let hash =
        |id: SymbolId| plain.symbol(id).map_or_else(|| phantom_hash(rulings, id), |symbol| symbol.hash);
    let plus = added.iter().map(|e| (hash(e.source), hash(e.target), e.kind, true));
    let minus = hidden.iter().map(|&(source, target, kind)| (hash(source), hash(target), kind, false));
    let mut all: Vec<_> = plus.chain(minus).collect();
    all.sort_unstable();
    let mut hasher = Hasher::new("verdicts");
    for (source, target, kind, added) in &all {
        hasher.hash(source).hash(target).number(u64::from(kind.number())).number(u64::from(*added));
    }
    let bytes = hasher.finish().0;
    let word = |at: usize| u64::from_le_bytes(bytes[at * 8..at * 8 + 8].try_into().unwrap_or_default());
    [word(0), word(1), word(2), word(3)]
}

fn phantom_hash(rulings: &Rulings, id: SymbolId) -> Hash {
    let number = id.0.wrapping_sub(phantom_id(0).0);
    rulings.outside(number).map_or_else(Hash::default, |(package, name)| external(package, name))
}
