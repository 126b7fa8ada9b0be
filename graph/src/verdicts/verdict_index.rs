//! All verdicts of a workspace in a compact form, which the composition of the overlay reads.
//!
//! Identities, servers and external names are interned as numbers, and the verdicts of one state of
//! a symbol's text are encoded in one block. The index belongs to the thread that changes the
//! graph; readers see only the overlay that is composed from it.

use super::{
    AskedReference, DiscoveredEdge, NoAnswerReason, ServerId, ServerResolution, Verdict, VerdictAnswer,
};
use crate::hash::Hash;
use crate::vocabulary::EdgeKind;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of texts per symbol whose answers are kept; enough for a few branches.
const MAX_BODIES: usize = 4;

/// The number of an identity in [`VerdictIndex`].
pub(crate) type IdentityId = u32;

/// The answers of servers, by the symbol around the references.
#[derive(Debug, Default)]
pub struct VerdictIndex {
    identities: HashInterner,
    servers: Vec<Arc<ServerId>>,
    externals: Vec<(Arc<str>, Arc<str>)>,
    external_ids: FxHashMap<Hash, u32>,
    /// The states of each subject. The one with the latest question comes last.
    subjects: FxHashMap<IdentityId, Vec<SubjectVerdicts>>,
    /// The discoveries, by their subject.
    discovered: FxHashMap<IdentityId, CompactDiscovery>,
    /// The subjects of discoveries, by the sources of the discovered edges.
    by_source: FxHashMap<IdentityId, Vec<IdentityId>>,
    /// The symbols that depend on each target.
    by_target: FxHashMap<IdentityId, FxHashSet<IdentityId>>,
}

/// The verdicts on the references in one state of a symbol's text.
#[derive(Debug)]
struct SubjectVerdicts {
    body: u64,
    context: u64,
    /// The encoded [`CompactVerdict`]s, sorted by reference number.
    data: Box<[u8]>,
}

/// The discovery about one symbol.
#[derive(Clone, Debug)]
pub(crate) struct CompactDiscovery {
    pub body: u64,
    pub server: u16,
    pub edges: Box<[CompactDiscoveredEdge]>,
}

/// A discovered edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CompactDiscoveredEdge {
    pub source: IdentityId,
    pub source_body: u64,
    pub target: IdentityId,
    pub signature: u64,
    pub kind: EdgeKind,
    pub line: Option<u32>,
}

/// The verdict on one reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CompactVerdict {
    pub nth: u32,
    pub line: u32,
    pub server: u16,
    pub resolution: CompactResolution,
    pub target_edges: Vec<CompactTargetEdge>,
    pub guesses: Vec<CompactGuess>,
}

/// A [`ServerResolution`] with numbers for identities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CompactResolution {
    Confirmed { target: IdentityId, signature: u64 },
    Retargeted { target: IdentityId, signature: u64 },
    External(u32),
    Local,
    Unresolved(NoAnswerReason),
}

/// A [`super::TargetEdge`] with numbers for identities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompactTargetEdge {
    pub kind: EdgeKind,
    pub end: IdentityId,
    pub starts_at_target: bool,
    pub excludes_tests: bool,
}

/// A [`super::GuessedEdge`] with numbers for identities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompactGuess {
    pub source: IdentityId,
    pub target: IdentityId,
    pub kind: EdgeKind,
    pub sites: u32,
}

impl VerdictIndex {
    /// Whether the index has no verdicts.
    pub fn is_empty(&self) -> bool {
        self.subjects.is_empty() && self.discovered.is_empty()
    }

    /// Adds verdicts. A later answer replaces an earlier one about the same reference. Returns the
    /// symbols whose files may have other edges now, sorted.
    pub fn record_verdicts<'v>(&mut self, verdicts: impl IntoIterator<Item = &'v Verdict>) -> Vec<Hash> {
        let mut changed: FxHashSet<IdentityId> = FxHashSet::default();
        let mut by_body: BTreeMap<(IdentityId, u64, u64), Vec<CompactVerdict>> = BTreeMap::new();
        for verdict in verdicts {
            let subject = self.identities.intern_hash(verdict.subject);
            let server = self.server_number(&verdict.server);
            match &verdict.answer {
                VerdictAnswer::Reference { reference, resolution } => {
                    let compact = self.compact_verdict(subject, server, reference, resolution);
                    by_body.entry((subject, verdict.body, verdict.context)).or_default().push(compact);
                    changed.insert(subject);
                }
                VerdictAnswer::Discovered { edges } => {
                    self.record_discovery(subject, verdict.body, server, edges, &mut changed);
                }
            }
        }
        for ((subject, body, context), verdicts) in by_body {
            self.merge_verdicts(subject, body, context, verdicts);
        }
        let mut changed: Vec<Hash> = changed.into_iter().map(|id| self.identities.hash_of_id(id)).collect();
        changed.sort_unstable();
        changed
    }

    fn merge_verdicts(
        &mut self,
        subject: IdentityId,
        body: u64,
        context: u64,
        verdicts: Vec<CompactVerdict>,
    ) {
        let states = self.subjects.entry(subject).or_default();
        let at = states.iter().position(|state| state.body == body);
        let before = at.map(|at| states.remove(at));
        // Verdicts for another context are no longer valid.
        let mut merged = before
            .filter(|state| state.context == context)
            .map_or_else(Vec::new, |state| decode_verdicts(&state.data));
        for verdict in verdicts {
            match merged.binary_search_by_key(&verdict.nth, |known| known.nth) {
                Ok(at) => merged[at] = verdict,
                Err(at) => merged.insert(at, verdict),
            }
        }
        let data = postcard::to_stdvec(&merged).unwrap_or_default().into();
        states.push(SubjectVerdicts { body, context, data });
        if states.len() > MAX_BODIES {
            states.remove(0);
        }
    }

    fn compact_verdict(
        &mut self,
        subject: IdentityId,
        server: u16,
        reference: &AskedReference,
        resolution: &ServerResolution,
    ) -> CompactVerdict {
        let compact = match resolution {
            ServerResolution::Confirmed(target) | ServerResolution::Retargeted(target) => {
                let (id, signature) = (self.identities.intern_hash(target.symbol), target.signature);
                self.by_target.entry(id).or_default().insert(subject);
                if matches!(resolution, ServerResolution::Confirmed(_)) {
                    CompactResolution::Confirmed { target: id, signature }
                } else {
                    CompactResolution::Retargeted { target: id, signature }
                }
            }
            ServerResolution::External { package, name } => {
                CompactResolution::External(self.external_number(package, name))
            }
            ServerResolution::Local => CompactResolution::Local,
            ServerResolution::Unresolved(reason) => CompactResolution::Unresolved(*reason),
        };
        let target_edges = reference.target_edges.iter().map(|edge| CompactTargetEdge {
            kind: edge.kind,
            end: self.identities.intern_hash(edge.end),
            starts_at_target: edge.starts_at_target,
            excludes_tests: edge.excludes_tests,
        });
        let target_edges = target_edges.collect();
        let guesses = reference.guesses.iter().map(|guess| CompactGuess {
            source: self.identities.intern_hash(guess.source),
            target: self.identities.intern_hash(guess.target),
            kind: guess.kind,
            sites: guess.sites,
        });
        let guesses = guesses.collect();
        let AskedReference { nth, line, .. } = *reference;
        CompactVerdict { nth, line, server, resolution: compact, target_edges, guesses }
    }

    fn record_discovery(
        &mut self,
        subject: IdentityId,
        body: u64,
        server: u16,
        edges: &[DiscoveredEdge],
        changed: &mut FxHashSet<IdentityId>,
    ) {
        changed.insert(subject);
        let compact: Box<[CompactDiscoveredEdge]> = edges
            .iter()
            .map(|edge| CompactDiscoveredEdge {
                source: self.identities.intern_hash(edge.source.symbol),
                source_body: edge.source_body,
                target: self.identities.intern_hash(edge.target.symbol),
                signature: edge.target.signature,
                kind: edge.kind,
                line: edge.line,
            })
            .collect();
        for edge in &compact {
            changed.insert(edge.source);
            self.by_target.entry(edge.target).or_default().insert(edge.source);
            let subjects = self.by_source.entry(edge.source).or_default();
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
        let before = self.discovered.insert(subject, CompactDiscovery { body, server, edges: compact });
        changed.extend(before.iter().flat_map(|before| &before.edges).map(|edge| edge.source));
    }

    fn server_number(&mut self, server: &Arc<ServerId>) -> u16 {
        let known = self.servers.iter().position(|known| known == server);
        let at = known.unwrap_or_else(|| {
            self.servers.push(Arc::clone(server));
            self.servers.len() - 1
        });
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    fn external_number(&mut self, package: &str, name: &str) -> u32 {
        let hash = super::external_hash(package, name);
        let externals = &mut self.externals;
        *self.external_ids.entry(hash).or_insert_with(|| {
            externals.push((package.into(), name.into()));
            externals.len() as u32 - 1
        })
    }

    /// Returns the servers of the verdicts, by number.
    pub(crate) fn known_servers(&self) -> &[Arc<ServerId>] {
        &self.servers
    }

    /// Returns the package and the name of a symbol outside the workspace.
    pub(crate) fn external_name(&self, number: u32) -> Option<(&Arc<str>, &Arc<str>)> {
        self.externals.get(number as usize).map(|(package, name)| (package, name))
    }

    /// Returns the number of a symbol outside the workspace.
    pub(crate) fn external_by_hash(&self, hash: &Hash) -> Option<u32> {
        self.external_ids.get(hash).copied()
    }

    /// Returns the verdicts on the references of a symbol with this text, and the hash of the
    /// context for which they are valid.
    pub(crate) fn verdicts_of(&self, subject: &Hash, body: u64) -> Option<(u64, Vec<CompactVerdict>)> {
        let states = self.subjects.get(&self.identities.find_id(subject)?)?;
        let state = states.iter().find(|state| state.body == body)?;
        Some((state.context, decode_verdicts(&state.data)))
    }

    /// Returns the server of the verdicts on the latest text of a symbol, and the number of these
    /// verdicts.
    pub(crate) fn count_latest_verdicts(&self, subject: &Hash) -> Option<(u16, usize)> {
        let states = self.identities.find_id(subject).and_then(|id| self.subjects.get(&id))?;
        let verdicts = decode_verdicts(&states.last()?.data);
        Some((verdicts.first()?.server, verdicts.len()))
    }

    /// Returns the discovery about a symbol.
    pub(crate) fn find_discovery(&self, subject: &Hash) -> Option<&CompactDiscovery> {
        self.discovered.get(&self.identities.find_id(subject)?)
    }

    /// Returns the discovered edges that start at a symbol, each with the number of its server.
    pub(crate) fn discovered_edges_from(&self, source: &Hash) -> Vec<(CompactDiscoveredEdge, u16)> {
        let Some(source) = self.identities.find_id(source) else { return Vec::new() };
        let subjects = self.by_source.get(&source).into_iter().flatten();
        let discoveries = subjects.filter_map(|subject| self.discovered.get(subject));
        let edges = discoveries.flat_map(|discovery| {
            let edges = discovery.edges.iter().filter(move |edge| edge.source == source);
            edges.map(|edge| (*edge, discovery.server))
        });
        edges.collect()
    }

    /// Returns the symbols whose edges depend on the declaration of `target`, in arbitrary order.
    pub(crate) fn dependent_subjects(&self, target: &Hash) -> impl Iterator<Item = Hash> {
        let dependents = self.identities.find_id(target).and_then(|id| self.by_target.get(&id));
        dependents.into_iter().flatten().map(|&id| self.identities.hash_of_id(id))
    }

    /// Returns every symbol with verdicts and every source of a discovered edge, in arbitrary
    /// order. A symbol may occur more than once.
    pub(crate) fn all_subjects(&self) -> impl Iterator<Item = Hash> {
        let all = self.subjects.keys().chain(self.discovered.keys()).chain(self.by_source.keys());
        all.map(|&id| self.identities.hash_of_id(id))
    }

    /// Returns the identity with this number.
    pub(crate) fn hash_of_id(&self, id: IdentityId) -> Hash {
        self.identities.hash_of_id(id)
    }
}

fn decode_verdicts(data: &[u8]) -> Vec<CompactVerdict> {
    // `merge_verdicts` encoded the data. If encoding failed, it stored no bytes, which decode to no
    // verdicts.
    postcard::from_bytes(data).unwrap_or_default()
}

/// Interns identities as small numbers; each identity is stored once.
#[derive(Debug, Default)]
struct HashInterner {
    list: Vec<Hash>,
    table: HashTable<IdentityId>,
}

impl HashInterner {
    fn intern_hash(&mut self, hash: Hash) -> IdentityId {
        if let Some(id) = self.find_id(&hash) {
            return id;
        }
        let id = self.list.len() as IdentityId;
        self.list.push(hash);
        let list = &self.list;
        let hash_of = |&id: &IdentityId| list.get(id as usize).map_or(0, |hash| hash.sort_prefix());
        self.table.insert_unique(hash.sort_prefix(), id, hash_of);
        id
    }

    fn find_id(&self, hash: &Hash) -> Option<IdentityId> {
        self.table.find(hash.sort_prefix(), |&id| self.list.get(id as usize) == Some(hash)).copied()
    }

    fn hash_of_id(&self, id: IdentityId) -> Hash {
        self.list.get(id as usize).copied().unwrap_or_default()
    }
}
