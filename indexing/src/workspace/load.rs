//! Loading the graph: the mapped image, brought up to the database's revision by the files touched since.

use super::{Disk, WorkspaceError};
use kenning_graph::Snapshot;
use kenning_graph::snapshot::{Base, FileChange, Verification};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The image beside a database.
pub(super) fn base_path(database: &Path) -> PathBuf {
    database.with_extension("base")
}

/// What is known of the image that was opened: opening it reads little of it.
#[derive(Default)]
pub(super) struct ImageState {
    /// It was found to be as it was written, or is not used.
    is_sound: bool,
    /// How far the check of it came.
    check: Verification,
    /// Files of the overlay when an image could not be written.
    unwritten: usize,
}

impl ImageState {
    /// Whether it is worth trying to write an image with so many files in the overlay: where that failed, it costs seconds each
    /// time, and may never be possible.
    pub fn is_worth_writing(&self, overlay: usize) -> bool {
        overlay > 2 * self.unwritten
    }
}

/// What a check of the image came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageCheck {
    /// It is as it was written.
    Sound,
    /// It was not; the graph was read from the database.
    Mended,
    /// Something else was to be done meanwhile: the next check goes on from there.
    BrokenOff,
}

impl Disk {
    /// Reads the graph that the databases hold.
    pub(super) fn reload(&mut self) -> Result<(), WorkspaceError> {
        self.reload_with(Self::usable_base)
    }

    /// Reads the graph that the databases hold, as far as a base does not show it.
    fn reload_with(&mut self, base: impl FnOnce(&Self) -> Base) -> Result<(), WorkspaceError> {
        // The writer may commit meanwhile: all of this is of one moment.
        let reading = self.store.reading()?;
        self.meta = self.store.meta()?;
        self.data_version = self.store.data_version()?;
        let base = base(self);
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
        self.image = ImageState { unwritten: self.image.unwritten, ..ImageState::default() };
        Ok(())
    }

    /// Whether the image that was opened was as it was written is not known yet.
    pub fn image_is_unchecked(&self) -> bool {
        self.is_writer() && !self.image.is_sound
    }

    /// Reads the whole image once after it was opened, and the graph from the database where the image is not as it was
    /// written; unless `interrupted` says meanwhile that something else is to be done.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn mend_image(
        &mut self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<ImageCheck, WorkspaceError> {
        let damage = match self.image.check.go_on(self.snapshot.base(), interrupted) {
            Ok(false) => return Ok(ImageCheck::BrokenOff),
            Ok(true) => {
                self.image.is_sound = true;
                self.image.check = Verification::default();
                return Ok(ImageCheck::Sound);
            }
            Err(damage) => damage,
        };
        // What a damaged image shows must not be carried into the next one.
        tracing::warn!("{damage}; the graph is read again from the database");
        self.image.check = Verification::default();
        let path = self.base_path();
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(path = %path.display(), "the damaged image cannot be removed and is not used: {error}");
        }
        self.reload_with(|_| Base::empty())?;
        self.image.is_sound = true;
        Ok(ImageCheck::Mended)
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
        if self.mend_image(interrupted)? == ImageCheck::BrokenOff {
            return Ok(false);
        }
        let path = self.base_path();
        let written = self.snapshot.write_base(self.meta.lineage, &path, interrupted);
        let base = match written {
            Ok(false) => return Ok(false),
            Ok(true) => Base::open(&path).map_err(|e| e.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let base = base.map_err(|reason| {
            self.image.unwritten = self.snapshot.overlay_files();
            WorkspaceError::Image { path, reason }
        })?;
        self.snapshot = Snapshot::from_base(Arc::new(base));
        self.image = ImageState { is_sound: true, ..ImageState::default() };
        self.store.forget_removed(self.meta.revision)?;
        Ok(true)
    }
}
