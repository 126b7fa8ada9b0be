//! Loading the graph: the mapped image, brought up to the database's revision by the files touched since.

use super::{Disk, WorkspaceError};
use kenning_graph::Snapshot;
use kenning_graph::snapshot::{Base, FileChange};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The image beside a database.
pub(super) fn base_path(database: &Path) -> PathBuf {
    database.with_extension("base")
}

impl Disk {
    /// Reads the graph that the databases hold.
    pub(super) fn reload(&mut self) -> Result<(), WorkspaceError> {
        // The writer may commit meanwhile: all of this is of one moment.
        let reading = self.store.reading()?;
        self.meta = self.store.meta()?;
        self.data_version = self.store.data_version()?;
        let base = self.usable_base();
        let base = Snapshot::from_base(Arc::new(base));
        let (files, removed) = self.store.touched_since(base.revision())?;
        let mut changes: Vec<FileChange> =
            removed.into_iter().map(|path| FileChange::Remove { path }).collect();
        let mut paths = Vec::new();
        for file in files {
            let Some(facts) =
                self.facts.of_file(&self.root, &file.path, &file.language, &file.stat.content_hash)
            else {
                self.doubtful.push(file.path.clone());
                changes.push(FileChange::Remove { path: file.path });
                continue;
            };
            paths.push(file.path.clone());
            changes.push(FileChange::Put {
                path: file.path,
                content_hash: file.stat.content_hash,
                size: file.stat.size,
                mtime_ns: file.stat.mtime_ns,
                facts,
            });
        }
        let mut snapshot = base;
        if !changes.is_empty() {
            snapshot = snapshot.with_files(changes).0;
            let edges: Result<Vec<_>, _> =
                paths.iter().map(|path| self.store.edges_of(path, &snapshot)).collect();
            snapshot = snapshot.with_edges(edges?);
        }
        drop(reading);
        self.snapshot = snapshot.at_revision(self.meta.revision);
        self.looked = false;
        self.image_checked = false;
        Ok(())
    }

    /// Whether the image that was opened was as it was written is not known yet: opening it reads little of it.
    pub fn image_is_unchecked(&self) -> bool {
        self.is_writer() && !self.image_checked
    }

    /// Reads the whole image once after it was opened, and the graph from the database where the image is not as it was
    /// written; says whether that was so.
    ///
    /// # Errors
    /// The damaged image cannot be removed, or the database cannot be read.
    pub fn mend_image(&mut self) -> Result<bool, WorkspaceError> {
        let Err(damage) = self.snapshot.base().verify() else {
            self.image_checked = true;
            return Ok(false);
        };
        // What a damaged image shows must not be carried into the next one.
        tracing::warn!("{damage}; the graph is read again from the database");
        let path = self.base_path();
        std::fs::remove_file(&path).map_err(|e| WorkspaceError::Image { path, reason: e.to_string() })?;
        self.reload()?;
        Ok(true)
    }

    /// The image beside the database if it belongs to it, else an empty one: everything is then read from the
    /// database.
    fn usable_base(&self) -> Base {
        let path = self.base_path();
        match Base::open(&path) {
            Ok(base) if base.lineage() == self.meta.lineage && base.revision() <= self.meta.revision => base,
            Ok(_) => Base::empty(),
            Err(error) => {
                if path.exists() {
                    tracing::warn!("{error}; it is built again from the database");
                }
                Base::empty()
            }
        }
    }

    /// Writes a new image of the disk's graph and goes on from it, unless `interrupted` says meanwhile that something else is
    /// to be done; says whether it did.
    pub(super) fn write_base(
        &mut self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<bool, WorkspaceError> {
        self.mend_image()?;
        let path = self.base_path();
        let failed = |reason: String| WorkspaceError::Image { path: path.clone(), reason };
        let lineage = self.meta.lineage;
        if !self.snapshot.write_base(lineage, &path, interrupted).map_err(|e| failed(e.to_string()))? {
            return Ok(false);
        }
        let base = Base::open(&path).map_err(|e| failed(e.to_string()))?;
        self.snapshot = Snapshot::from_base(Arc::new(base));
        self.image_checked = true;
        self.store.forget_removed(self.meta.revision)?;
        Ok(true)
    }
}
