//! What the references of a file stand for.

use super::locate::{Spot, hides_locals, with_body};
use super::names::{can_stand_for, follows_a_value};
use super::places::{Place, places};
use super::requests::{Definition, Outgoing, OutgoingCalls, Position, PrepareCalls, at, outgoing};
use super::{Asker, Calm, Failure, GivenUp, Led, Moment, Round, Sheet};
use kenning_graph::Hash;
use kenning_graph::facts::Role;
use kenning_graph::snapshot::SymbolId;
use kenning_graph::verdicts::{Resolution, Sent, Site, Unresolved, Verdict};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Imports that are followed one after the other.
const MAX_HOPS: usize = 4;
/// So many open calls of one body are worth a question about all of them.
const MANY_CALLS: usize = 3;

/// Answers to some questions of a file.
#[derive(Default)]
pub(crate) struct Answers {
    /// What is kept, in the order of the questions.
    pub verdicts: Vec<Verdict>,
    /// How many are to be asked again.
    pub again: usize,
}

impl Asker {
    /// Asks about sites of a file.
    ///
    /// # Errors
    /// When the server is gone or hung; what was answered until then is lost.
    pub async fn upgrade(
        self: &Arc<Self>,
        sheet: &Arc<Sheet>,
        sites: Vec<usize>,
        round: Round,
    ) -> Result<Answers, GivenUp> {
        let since = self.documents.moment();
        let text = crate::workspace::Text { text: Arc::clone(&sheet.text.text), hash: sheet.text.hash };
        self.documents.show(&sheet.path, &text).map_err(|error| GivenUp(error.to_string()))?;
        self.texts.keep(&sheet.path, &sheet.text);
        // Showing it may have changed what the server has; from here on it may not.
        let since =
            if self.documents.changed_since(&sheet.path, since) { self.documents.moment() } else { since };
        let calm = self.calm().await;
        let calls = Arc::new(self.calls_of_bodies(sheet, &sites).await?);
        let mut asked = JoinSet::new();
        for index in sites {
            let (asker, sheet, calls) = (Arc::clone(self), Arc::clone(sheet), Arc::clone(&calls));
            asked.spawn(async move {
                let Some(site) = sheet.sites.get(index) else {
                    return (index, Err(Failure::Open(Unresolved::Changed)));
                };
                let known = calls.get(&index).cloned();
                (index, asker.site(&sheet, site, known, (since, calm)).await)
            });
        }
        let mut found = BTreeMap::new();
        while let Some(done) = asked.join_next().await {
            match done {
                Ok((_, Err(Failure::Fatal(given_up)))) => return Err(given_up),
                Ok((index, answer)) => drop(found.insert(index, answer)),
                // A task that panicked answers nothing; the others go on.
                Err(error) => tracing::warn!(%error, "a question ended early"),
            }
        }
        Ok(self.keep(sheet, found, round))
    }

    fn keep(
        &self,
        sheet: &Sheet,
        found: BTreeMap<usize, Result<(Resolution, Sent), Failure>>,
        round: Round,
    ) -> Answers {
        let mut answers = Answers::default();
        for (index, answer) in found {
            match (answer, sheet.sites.get(index)) {
                (Ok((is, sent)), Some(site)) => answers.verdicts.push(Verdict::on(site, &self.id, is, sent)),
                (Err(Failure::Open(why)), Some(_)) if round.asks_again(why) => {
                    if why == Unresolved::Changed {
                        self.count(|tally| tally.failed(why));
                    }
                    answers.again += 1;
                }
                (Err(Failure::Open(why)), Some(site)) if why != Unresolved::Changed => {
                    let sent = Sent { source: site.content, target: None };
                    answers.verdicts.push(Verdict::on(site, &self.id, Resolution::Unresolved(why), sent));
                }
                _ => {}
            }
        }
        answers
    }

    /// What one site stands for, and the texts that the server had.
    async fn site(
        &self,
        sheet: &Sheet,
        site: &Site,
        known: Option<Vec<Place>>,
        (since, calm): (Moment, Calm),
    ) -> Result<(Resolution, Sent), Failure> {
        let found = match known {
            Some(places) => places,
            None => self.definition(sheet, site).await?,
        };
        let mut seen = self.see(sheet, site, found, since).await?;
        for _ in 0..MAX_HOPS {
            let Some(next) = seen.imports.pop() else { break };
            let more = self.see(sheet, site, next, since).await?;
            seen.add(more);
        }
        let answer = self.judge(sheet, site, seen, calm).await?;
        // Whatever changed while the server was asked, it may have answered about the new text.
        let sent = self.documents.sent(&sheet.path);
        if sent != Some(site.content) || self.documents.changed_since(&sheet.path, since) {
            return Err(Failure::Open(Unresolved::Changed));
        }
        Ok((answer.0, Sent { source: site.content, target: answer.1 }))
    }

    async fn definition(&self, sheet: &Sheet, site: &Site) -> Result<Vec<Place>, Failure> {
        let line = sheet.text.line(site.at.line);
        let character = self.encoding.column(line, site.at.column as usize);
        self.definition_at(&sheet.path, Position { line: site.at.line, character }).await
    }

    pub(super) async fn definition_at(&self, path: &str, position: Position) -> Result<Vec<Place>, Failure> {
        let uri = self.documents.uri(path).ok_or(Failure::Open(Unresolved::Refused))?;
        let answer = self.ask::<Definition>(at(&uri, position)).await?;
        Ok(places(&answer))
    }

    /// What stands at the places of an answer; imports are asked about once more.
    async fn see(
        &self,
        sheet: &Sheet,
        site: &Site,
        found: Vec<Place>,
        since: Moment,
    ) -> Result<Seen, Failure> {
        let snapshot = &*sheet.snapshot;
        let mut seen = Seen { empty: found.is_empty(), ..Seen::default() };
        for led in self.led(snapshot, found) {
            let (path, file, at) = match led {
                Led::Outside(place) => {
                    if self.is_real(&place).await {
                        seen.outside.push(place);
                    } else {
                        self.count(|tally| tally.dropped += 1);
                        seen.odd += 1;
                    }
                    continue;
                }
                Led::Inside { path, file, at } => (path, file, at),
            };
            match self.spot(snapshot, (&path, file), at, since).await? {
                Spot::Declares(id) => {
                    let symbol = snapshot.symbol(id);
                    match symbol.filter(|symbol| can_stand_for(site, symbol, self.aliases(snapshot))) {
                        Some(_) if self.language.overloads => {
                            seen.symbols.push(with_body(snapshot, site, id));
                        }
                        Some(_) => seen.symbols.push(id),
                        None => seen.odd += 1,
                    }
                }
                Spot::Module(id) if snapshot.symbol(id).is_some_and(|s| site.is_guessed(&s.hash)) => {
                    seen.symbols.push(id);
                }
                Spot::Imports => {
                    let further = match self.definition_at(&path, at).await {
                        Ok(further) => further,
                        Err(Failure::Open(Unresolved::Refused)) => Vec::new(),
                        Err(failure) => return Err(failure),
                    };
                    seen.empty |= further.is_empty();
                    // A server that names the import itself knows no more.
                    let further: Vec<Place> = further
                        .into_iter()
                        .filter(|place| {
                            self.inside.path_of(&place.uri).as_deref() != Some(&path)
                                || place.at.line != at.line
                        })
                        .collect();
                    if further.is_empty() { seen.odd += 1 } else { seen.imports.push(further) }
                }
                Spot::Within(id) if snapshot.symbol(id).is_some_and(|s| hides_locals(s.kind)) => {
                    seen.locals += 1;
                }
                Spot::Module(_) | Spot::Within(_) | Spot::Nowhere => seen.odd += 1,
            }
        }
        Ok(seen)
    }

    async fn judge(
        &self,
        sheet: &Sheet,
        site: &Site,
        seen: Seen,
        calm: Calm,
    ) -> Result<(Resolution, Option<Hash>), Failure> {
        let snapshot = &*sheet.snapshot;
        if !seen.symbols.is_empty() {
            let Some(id) = one_of(sheet, site, &seen.symbols) else {
                return Ok((Resolution::Unresolved(Unresolved::Several), None));
            };
            let symbol = snapshot.symbol(id).ok_or(Failure::Open(Unresolved::Changed))?;
            let target = symbol.file.and_then(|file| snapshot.file(file)).map(|file| file.content_hash);
            return Ok((site.leads_to(snapshot, &symbol), target));
        }
        if seen.locals > 0 {
            let followed = follows_a_value(snapshot, site, self.aliases(snapshot));
            let is = if followed { Resolution::Unresolved(Unresolved::Elsewhere) } else { Resolution::Local };
            return Ok((is, None));
        }
        if !seen.outside.is_empty() {
            let meant = self.outside(snapshot, site, sheet.is_member(site), &seen.outside).await?;
            return Ok((meant.unwrap_or(Resolution::Unresolved(Unresolved::Elsewhere)), None));
        }
        // "Nothing" from a server that is reading the workspace is no fact.
        if seen.empty && !self.is_sure(calm) {
            return Err(Failure::Open(Unresolved::Unsure));
        }
        if seen.odd > 0 {
            return Ok((Resolution::Unresolved(Unresolved::Elsewhere), None));
        }
        Ok((Resolution::Unresolved(Unresolved::Nothing), None))
    }

    /// Where the calls of whole bodies lead, by site: one question for each body with many of them, where the server does
    /// that well.
    async fn calls_of_bodies(
        self: &Arc<Self>,
        sheet: &Arc<Sheet>,
        sites: &[usize],
    ) -> Result<HashMap<usize, Vec<Place>>, GivenUp> {
        let mut known = HashMap::new();
        if !self.offers.outgoing_calls {
            return Ok(known);
        }
        let mut bodies: BTreeMap<Hash, Vec<usize>> = BTreeMap::new();
        for &index in sites {
            if let Some(site) = sheet.sites.get(index).filter(|site| site.role == Role::Call) {
                bodies.entry(site.key.subject).or_default().push(index);
            }
        }
        let mut asked = JoinSet::new();
        for (subject, calls) in bodies.into_iter().filter(|(_, calls)| calls.len() >= MANY_CALLS) {
            let (asker, sheet) = (Arc::clone(self), Arc::clone(sheet));
            asked.spawn(async move { (calls, asker.calls_of(&sheet, &subject).await) });
        }
        while let Some(done) = asked.join_next().await {
            match done {
                Ok((calls, Ok(answer))) => self.add_calls(sheet, &calls, &answer, &mut known),
                Ok((_, Err(Failure::Fatal(given_up)))) => return Err(given_up),
                // Each call is asked about by itself.
                Ok((_, Err(Failure::Open(_)))) => {}
                Err(error) => tracing::warn!(%error, "a question ended early"),
            }
        }
        Ok(known)
    }

    /// Adds where some calls of a body lead, as far as the server's list has them.
    fn add_calls(
        &self,
        sheet: &Sheet,
        calls: &[usize],
        listed: &[Outgoing],
        known: &mut HashMap<usize, Vec<Place>>,
    ) {
        for &index in calls {
            let site = &sheet.sites[index];
            let line = sheet.text.line(site.at.line);
            let place = |column: usize| Position {
                line: site.at.line,
                character: self.encoding.column(line, column),
            };
            let name = (place(site.at.column as usize), place((site.at.column + site.at.len) as usize));
            let targets: Vec<Place> = listed
                .iter()
                .filter(|call| call.from.contains(&name))
                .map(|call| call.target.clone())
                .collect();
            if !targets.is_empty() {
                known.insert(index, targets);
            }
        }
    }

    async fn calls_of(&self, sheet: &Sheet, subject: &Hash) -> Result<Vec<Outgoing>, Failure> {
        let nothing = Ok(Vec::new());
        let symbol = sheet.snapshot.symbol_by_hash(subject).and_then(|id| sheet.snapshot.symbol(id));
        let Some(symbol) = symbol.filter(|symbol| symbol.kind.is_callable()) else { return nothing };
        let Some(uri) = self.documents.uri(&sheet.path) else { return nothing };
        let name = symbol.name_span;
        let character = self.encoding.column(sheet.text.line(name.line), name.column as usize);
        let prepared = self.ask::<PrepareCalls>(at(&uri, Position { line: name.line, character })).await?;
        let Some(item) = prepared.as_array().and_then(|items| items.first()) else { return nothing };
        Ok(outgoing(&self.ask::<OutgoingCalls>(json!({"item": item})).await?))
    }
}

/// What an answer led to.
#[derive(Default)]
struct Seen {
    /// One of the answers led nowhere.
    empty: bool,
    symbols: Vec<SymbolId>,
    imports: Vec<Vec<Place>>,
    outside: Vec<Place>,
    locals: usize,
    /// Places that say nothing.
    odd: usize,
}

impl Seen {
    fn add(&mut self, more: Self) {
        self.odd += usize::from(more.empty) + more.odd;
        self.empty |= more.empty;
        self.symbols.extend(more.symbols);
        self.imports.extend(more.imports);
        self.outside.extend(more.outside);
        self.locals += more.locals;
    }
}

/// The one symbol that several places mean: the only one, the only one that the text led to as well, or the last
/// declaration of one name in one file (the others declare overloads, or are replaced by it).
fn one_of(sheet: &Sheet, site: &Site, symbols: &[SymbolId]) -> Option<SymbolId> {
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
