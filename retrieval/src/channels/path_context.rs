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
        let files = if input.query.path_terms.is_empty() { Vec::new() } else { path_stems(input.snapshot) };
        for term in &input.query.path_terms {
            let symbols = symbols_in_folder(input.snapshot, &files, term, config.scan);
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

/// Returns the files with their paths without extensions, in the order of paths.
fn path_stems(snapshot: &Snapshot) -> Vec<(FileId, &[u8])> {
    // Search byte by byte, because extensions are short.
    let stem_end = |path: &[u8]| path.iter().rposition(|&byte| byte == b'.').unwrap_or(path.len());
    let with_stem = |id: FileId| {
        let path = snapshot.file_path_bytes(id);
        (id, &path[..stem_end(path)])
    };
    snapshot.code_files().into_iter().map(with_stem).collect()
}

/// Returns the top-level symbols of files with `term` (or its plural) as a folder or stem, in the
/// order of paths, at most `limit`.
fn symbols_in_folder<'a>(
    snapshot: &'a Snapshot,
    files: &[(FileId, &[u8])],
    term: &str,
    limit: usize,
) -> Vec<SymbolRef<'a>> {
    let is_term = |segment: &[u8]| {
        let Some((head, rest)) = segment.split_at_checked(term.len()) else { return false };
        head.eq_ignore_ascii_case(term.as_bytes()) && matches!(rest, b"" | b"s" | b"S")
    };
    let mut found = Vec::new();
    for &(file, stem) in files {
        if stem.split(|&byte| byte == b'/').any(is_term) {
            let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
            found.extend(symbols.filter(|s| is_result_kind(s.kind) && s.container.is_empty()));
            if found.len() >= limit {
                found.truncate(limit);
                break;
            }
        }
    }
    found
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
