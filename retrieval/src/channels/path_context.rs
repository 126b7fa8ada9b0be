//! The path-context channel: finds types in folders that the task names (`docs/ranking.md`). These
//! types only start the walk.

use super::{Channel, ChannelHit, ChannelInput, ListUsage, is_result_kind};
use crate::config::{ChannelConfig, PathContextConfig, RankConfig};
use kenning_graph::{EdgeKind, FileId, Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashSet;

/// Maximum number of types that come first because the task names one of their members. Members
/// such as `get` belong to most types.
const MAX_NAMED_MEMBER_TYPES: usize = 10;

/// The path-context channel.
pub(super) struct PathContextChannel;

impl Channel for PathContextChannel {
    fn display_name(&self) -> &'static str {
        "path"
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        ChannelConfig::unconditional(config.path_context.restart_weight)
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::WalkSeeds
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let config = &input.config.path_context;
        let keywords: FxHashSet<String> =
            input.query.keywords.primary_keywords().map(str::to_lowercase).collect();
        let mut with_named_member = Vec::new();
        let mut found = Vec::new();
        for files in files_by_term(input.snapshot, &input.query.path_terms) {
            let symbols = top_level_symbols(input.snapshot, &files, config.scan);
            let has_named_member = |symbol: &SymbolRef<'_>| {
                symbol.kind.is_type()
                    && member_names(input.snapshot, symbol.id).any(|name| keywords.contains(&name))
            };
            with_named_member.extend(symbols.iter().filter(|s| has_named_member(s)).map(|s| s.id));
            found.extend(group_by_kind(input.snapshot, &symbols, config));
        }
        with_named_member.truncate(MAX_NAMED_MEMBER_TYPES);
        let mut seen = FxHashSet::default();
        let all =
            with_named_member.iter().map(|&id| (id, "member")).chain(found.iter().map(|&id| (id, "folder")));
        all.filter(|&(id, _)| seen.insert(id))
            .take(config.limit)
            .map(|(symbol, reason)| ChannelHit { symbol, score: config.restart_weight, reason })
            .collect()
    }
}

/// Returns, for each term, the files with the term (or its plural) as a folder or stem, in the order
/// of paths. Reads every path once, because large workspaces have tens of thousands.
fn files_by_term(snapshot: &Snapshot, terms: &[String]) -> Vec<Vec<FileId>> {
    let mut found: Vec<Vec<FileId>> = terms.iter().map(|_| Vec::new()).collect();
    if terms.is_empty() {
        return found;
    }
    let mut by_first_byte: Vec<Vec<usize>> = vec![Vec::new(); 1 + usize::from(u8::MAX)];
    for (at, term) in terms.iter().enumerate() {
        if let Some(first) = term.bytes().next() {
            by_first_byte[usize::from(first.to_ascii_lowercase())].push(at);
        }
    }
    for file in snapshot.code_files() {
        for segment in path_stem(snapshot.file_path_bytes(file)).split(|&byte| byte == b'/') {
            let Some(first) = segment.first() else { continue };
            for &at in &by_first_byte[usize::from(first.to_ascii_lowercase())] {
                if is_term(segment, &terms[at]) && found[at].last() != Some(&file) {
                    found[at].push(file);
                }
            }
        }
    }
    found
}

/// Returns a path without its extension.
fn path_stem(path: &[u8]) -> &[u8] {
    // Search byte by byte, because extensions are short.
    &path[..path.iter().rposition(|&byte| byte == b'.').unwrap_or(path.len())]
}

/// Whether a segment of a path is a term or its plural.
fn is_term(segment: &[u8], term: &str) -> bool {
    let Some((head, rest)) = segment.split_at_checked(term.len()) else { return false };
    head.eq_ignore_ascii_case(term.as_bytes()) && matches!(rest, b"" | b"s" | b"S")
}

/// Returns the top-level symbols of files, at most `limit`.
fn top_level_symbols<'a>(snapshot: &'a Snapshot, files: &[FileId], limit: usize) -> Vec<SymbolRef<'a>> {
    let ids = files.iter().flat_map(|&file| snapshot.file_symbols(file));
    let symbols = ids.filter_map(|id| snapshot.symbol(id));
    symbols.filter(|s| is_result_kind(s.kind) && s.container.is_empty()).take(limit).collect()
}

fn member_names(snapshot: &Snapshot, id: SymbolId) -> impl Iterator<Item = String> {
    let edges = snapshot.out_edges(id).into_iter().filter(|e| e.kind == EdgeKind::Contains);
    edges.filter_map(|e| snapshot.symbol(e.target)).map(|s| s.name.to_lowercase())
}

/// Returns types with members, then types without, then the rest. Each cap limits the number of
/// symbols so far, including earlier groups.
fn group_by_kind(
    snapshot: &Snapshot,
    symbols: &[SymbolRef<'_>],
    config: &PathContextConfig,
) -> Vec<SymbolId> {
    let is_rich = |s: &SymbolRef<'_>| s.kind.is_type() && member_names(snapshot, s.id).next().is_some();
    let (rich, rest): (Vec<&SymbolRef<'_>>, Vec<&SymbolRef<'_>>) = symbols.iter().partition(|s| is_rich(s));
    let (lean, other): (Vec<&SymbolRef<'_>>, Vec<&SymbolRef<'_>>) =
        rest.into_iter().partition(|s| s.kind.is_type());
    let mut found: Vec<SymbolId> = rich.iter().take(config.rich_per_term).map(|s| s.id).collect();
    let room = config.lean_per_term.saturating_sub(found.len());
    found.extend(lean.iter().take(room).map(|s| s.id));
    let room = config.all_per_term.saturating_sub(found.len());
    found.extend(other.iter().take(room).map(|s| s.id));
    found
}
