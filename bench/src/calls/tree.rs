//! A tree that the product's pipeline indexes into a temporary folder, with the call sites of its
//! files.

use anyhow::Context;
use kenning_graph::{EdgeKind, Snapshot, SymbolId, SymbolRef};
use kenning_indexing::resolve::{CallOutcome, CallSite, collect_call_sites};
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A file of a tree.
pub struct TreeFile {
    /// Path from the root of the tree.
    pub path: String,
    /// The id of the file's language.
    pub language: String,
}

/// A tree with its graph.
pub struct IndexedTree {
    workspace: Workspace,
    snapshot: Snapshot,
    /// The folder of the databases, which is removed on drop.
    _folder: tempfile::TempDir,
}

impl IndexedTree {
    /// Indexes a folder. Writes nothing into it.
    ///
    /// # Errors
    /// Fails if the folder cannot be read or the databases cannot be written.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let options =
            WorkspaceOptions { db: Some(folder.path().join("graph.db")), ..WorkspaceOptions::default() };
        let mut workspace = Workspace::open(root, options).with_context(|| root.display().to_string())?;
        workspace.refresh_all(&NoProgress)?;
        let snapshot = workspace.current_snapshot();
        Ok(Self { workspace, snapshot, _folder: folder })
    }

    /// Returns the graph.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns all files of the graph.
    pub fn files(&self) -> Vec<TreeFile> {
        let ids = self.snapshot.files();
        let files = ids.into_iter().filter_map(|id| self.snapshot.file(id));
        files
            .map(|file| TreeFile { path: file.path.to_owned(), language: file.language.to_owned() })
            .collect()
    }

    /// Returns the id of a file's language, or an empty text if the file is not in the graph.
    pub fn language(&self, path: &str) -> &str {
        let file = self.snapshot.file_by_path(path).and_then(|id| self.snapshot.file(id));
        file.map_or("", |file| file.language)
    }

    /// Returns the text of a file as it was indexed.
    pub fn text(&self, path: &str) -> Option<Arc<str>> {
        let file = self.snapshot.file(self.snapshot.file_by_path(path)?)?;
        self.workspace.text_source().file_text(path, &file.content_hash)
    }

    /// Returns the call sites of these files, one list for each path, in the order of the text. The
    /// list of a file that is not in the graph is empty. Leaves out targets to which the stored
    /// graph has no edge.
    pub fn call_sites(&self, paths: &[&str]) -> Vec<Vec<CallSite>> {
        let texts = self.workspace.text_source();
        let read_facts = |path: &&str| {
            let file = self.snapshot.file(self.snapshot.file_by_path(path)?)?;
            Some((file.id, texts.file_facts(path, file.language, &file.content_hash)?))
        };
        let facts: Vec<Option<_>> = paths.iter().map(read_facts).collect();
        let known: Vec<_> = facts.iter().flatten().cloned().collect();
        let mut sites =
            collect_call_sites(&self.snapshot, &self.workspace.current_project(), &known).into_iter();
        let in_order = facts.iter().map(|known| if known.is_some() { sites.next() } else { None });
        in_order.map(|sites| self.keep_stored_targets(sites.unwrap_or_default())).collect()
    }

    fn keep_stored_targets(&self, mut sites: Vec<CallSite>) -> Vec<CallSite> {
        for site in &mut sites {
            if let CallOutcome::Symbols(targets) = &mut site.outcome {
                let stored = self.stored_targets(site.caller, site.is_decorator);
                // The graph has no edges from a symbol to itself.
                targets.retain(|target| target.symbol == site.caller || stored.contains(&target.symbol));
            }
        }
        sites
    }

    /// Returns the targets of a symbol's stored calls or, with `is_decorator`, the symbols that
    /// decorate it.
    fn stored_targets(&self, caller: SymbolId, is_decorator: bool) -> BTreeSet<SymbolId> {
        let mut targets = BTreeSet::new();
        if is_decorator {
            self.snapshot.for_each_in_edge(caller, |edge| {
                targets.extend((edge.kind == EdgeKind::Decorates).then_some(edge.source));
            });
        } else {
            self.snapshot.for_each_out_edge(caller, |edge| {
                targets.extend((edge.kind == EdgeKind::Calls).then_some(edge.target));
            });
        }
        targets
    }

    /// Returns a symbol of the graph.
    pub fn symbol(&self, id: SymbolId) -> Option<SymbolRef<'_>> {
        self.snapshot.symbol(id)
    }

    /// Returns the symbols whose name is on a line (from 1) of a file.
    pub fn symbols_on_line(&self, path: &str, line: u32) -> Vec<SymbolRef<'_>> {
        let Some(file) = self.snapshot.file_by_path(path) else { return Vec::new() };
        let symbols = self.snapshot.file_symbols(file).into_iter().filter_map(|id| self.snapshot.symbol(id));
        symbols.skip(1).filter(|symbol| symbol.name_span.line + 1 == line).collect()
    }
}
