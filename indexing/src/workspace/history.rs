//! Reads the history layer: the last author of each symbol. The layer is separate from the graph of
//! the text and never delays indexing.

use super::facts_source::now_seconds;
use super::{DiskState, WorkspaceError};
use crate::git::Blamer;
use kenning_graph::blame::FileBlame;
use kenning_graph::snapshot::{HistoryEdge, HistoryLayer, HistoryLayerBuilder};
use kenning_graph::store::BlameKey;
use kenning_graph::{EdgeKind, FileId, Provenance, Snapshot, SymbolKind};
use std::cmp::Reverse;
use std::sync::Arc;

/// The numbers of files for which the history was read, cached or missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryReport {
    /// Number of files whose history was read.
    pub read: usize,
    /// Number of files whose history was cached.
    pub known: usize,
    /// Number of files without history: they differ from their committed version, or git cannot
    /// read it.
    pub without_history: usize,
    /// Number of files that were not read because of an interruption.
    pub unread: usize,
}

impl DiskState {
    /// Reads who last changed each symbol, most recently modified files first. Calls `interrupted`
    /// before each file whose history is not cached and stops if it returns true. For files that
    /// are not read, keeps the entries of `before` whose symbols did not change. Returns `None`
    /// outside a git repository.
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn read_history(
        &self,
        before: &HistoryLayer,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<(Arc<HistoryLayer>, HistoryReport)>, WorkspaceError> {
        let (Some(mut blamer), Some(facts)) = (Blamer::open(&self.root), &self.facts) else {
            return Ok(None);
        };
        let snapshot = &self.snapshot;
        let mut files: Vec<FileId> = snapshot.code_files();
        files.sort_by_key(|&id| Reverse(snapshot.file(id).map_or(0, |file| file.mtime_ns)));
        let (mut builder, mut report) = (HistoryLayerBuilder::default(), HistoryReport::default());
        let mut missing = Vec::new();
        for id in files {
            let Some(file) = snapshot.file(id) else { continue };
            match facts.load_blame(&blamer.repository_path(file.path), &file.content_hash)? {
                Some((head, blame)) if blamer.contains_commit(&head) => {
                    add_last_changes(snapshot, id, &blame, &mut builder);
                    report.known += 1;
                }
                _ => missing.push(id),
            }
        }
        let head = blamer.head_commit();
        let mut missing = missing.into_iter();
        for id in missing.by_ref() {
            let Some(file) = snapshot.file(id) else { continue };
            if interrupted() {
                report.unread = missing.len() + 1;
                keep_last_changes(snapshot, id, before, &mut builder);
                break;
            }
            let blame = blamer.blame_file(file.path, &file.content_hash).unwrap_or_else(|error| {
                tracing::debug!(path = file.path, %error, "the history of a file cannot be read");
                None
            });
            let Some(blame) = blame else {
                report.without_history += 1;
                keep_last_changes(snapshot, id, before, &mut builder);
                continue;
            };
            add_last_changes(snapshot, id, &blame, &mut builder);
            report.read += 1;
            if self.is_writer {
                let path = blamer.repository_path(file.path);
                let key = BlameKey { path: &path, content_hash: &file.content_hash };
                facts.insert_blame(key, &head, now_seconds(), &blame)?;
            }
        }
        for id in missing {
            keep_last_changes(snapshot, id, before, &mut builder);
        }
        Ok(Some((Arc::new(builder.finish()), report)))
    }
}

/// Adds the last change to each symbol of a file.
fn add_last_changes(snapshot: &Snapshot, file: FileId, blame: &FileBlame, builder: &mut HistoryLayerBuilder) {
    for symbol in snapshot.file_symbols(file).into_iter().skip(1).filter_map(|id| snapshot.symbol(id)) {
        if let Some(commit) = blame.last_commit(symbol.span.start_line, symbol.span.end_line) {
            let edge = HistoryEdge {
                kind: EdgeKind::AuthoredBy,
                provenance: Provenance::Git,
                node_kind: SymbolKind::Author,
                node_name: &commit.author,
                time: commit.time,
            };
            builder.add_edge(&symbol, edge);
        }
    }
}

/// Keeps the entries of `before` for the symbols of a file whose bodies did not change.
fn keep_last_changes(
    snapshot: &Snapshot,
    file: FileId,
    before: &HistoryLayer,
    builder: &mut HistoryLayerBuilder,
) {
    for symbol in snapshot.file_symbols(file).into_iter().skip(1).filter_map(|id| snapshot.symbol(id)) {
        builder.keep_edges(before, &symbol);
    }
}

#[cfg(test)]
mod tests;
