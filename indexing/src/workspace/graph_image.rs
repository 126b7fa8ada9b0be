//! Loads and writes the base image.
//!
//! The loaded graph is the image plus the files that commits after the image's revision touched,
//! whose facts come from the cache and whose edges come from the database. If the image is absent,
//! damaged or belongs to another database, everything is loaded from the database. Reading the
//! image starts on its own thread before the databases are opened.

use super::{DatabasePaths, DiskIndex, WorkspaceError};
use kenning_graph::Snapshot;
use kenning_graph::snapshot::{BaseError, BaseGraph, FileChange};
use kenning_graph::store::{CommitRecord, DatabaseKind, schema_version};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Returns the path of the base image next to a database.
pub(super) fn image_path(database: &Path) -> PathBuf {
    database.with_extension("base")
}

/// The state of the base image on disk.
#[derive(Default)]
pub(super) struct ImageState {
    /// Whether there is no usable image, so that one is due even if the overlay is small.
    pub is_lost: bool,
    /// Number of files in the overlay when writing an image last failed; 0 if none failed.
    failed_overlay: usize,
}

/// A graph that is not loaded yet.
pub(super) struct UnloadedGraph {
    image: ImageReading,
    /// The last commit according to the lock file, read before the database.
    record: Option<CommitRecord>,
}

impl UnloadedGraph {
    /// Starts reading the image.
    pub fn start_reading(paths: &DatabasePaths) -> Self {
        Self {
            image: ImageReading::start_reading(paths.image_path()),
            // Updating an older schema may remove all rows, which is no loss of commits.
            record: CommitRecord::read_for_database(&paths.graph).filter(|_| !has_older_schema(&paths.graph)),
        }
    }
}

/// Whether an earlier version of Kenning wrote the database. Opening it updates its schema.
fn has_older_schema(database: &Path) -> bool {
    schema_version(database).is_ok_and(|schema| schema < DatabaseKind::Graph.newest_schema())
}

/// An image that a separate thread reads while the databases are opened.
struct ImageReading {
    path: PathBuf,
    thread: Option<JoinHandle<Result<BaseGraph, BaseError>>>,
}

impl ImageReading {
    /// Starts reading the image at a path.
    fn start_reading(path: PathBuf) -> Self {
        let thread_path = path.clone();
        let reading = std::thread::Builder::new().name("kenning-image".to_owned());
        // If the thread cannot be started, `finish_reading` reads the image.
        let thread = reading.spawn(move || BaseGraph::open(&thread_path)).ok();
        Self { path, thread }
    }

    fn finish_reading(self) -> Result<BaseGraph, BaseError> {
        let read = self.thread.and_then(|thread| thread.join().ok());
        read.unwrap_or_else(|| BaseGraph::open(&self.path))
    }
}

/// Whether there is an image that belongs to the database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImageUsability {
    Usable,
    /// There is no image, or it belongs to another database or version.
    Unusable,
    Damaged,
}

impl ImageState {
    /// Whether an image is worth writing for an overlay of `overlay` files. After a failed write,
    /// the overlay must more than double, because every attempt takes seconds and may fail again.
    pub fn is_worth_writing(&self, overlay: usize) -> bool {
        overlay > 2 * self.failed_overlay
    }
}

impl DiskIndex {
    /// Loads the graph again: the image, and from the databases the changes since the image.
    pub(super) fn reload_graph(&mut self) -> Result<(), WorkspaceError> {
        self.load_graph(None)
    }

    /// Loads the graph unless it is loaded already.
    pub(super) fn ensure_loaded(&mut self) -> Result<(), WorkspaceError> {
        let Some(UnloadedGraph { image, record }) = self.unloaded.take() else { return Ok(()) };
        self.load_graph(Some(image))?;
        if !self.has_to_be_rebuilt && record.is_some_and(|record| record.is_lost(&self.meta)) {
            let graph = self.store.database_path().display();
            self.repairs.record_repair(format!(
                "{graph} has lost its last changes; Kenning reads the changed files again"
            ));
            self.has_to_be_rebuilt = true;
        }
        Ok(())
    }

    /// Loads the graph, from an image that is being read if one is given.
    fn load_graph(&mut self, image: Option<ImageReading>) -> Result<(), WorkspaceError> {
        // The writer may commit meanwhile, so everything is read in one transaction.
        let reading = self.store.begin_reading()?;
        self.meta = self.store.load_meta()?;
        self.data_version = self.store.data_version()?;
        self.derived = self.store.load_derived_files()?;
        let (base, image) = self.take_usable_image(image);
        let base = Snapshot::from_base(Arc::new(base));
        // An image of exactly this revision is complete.
        let (files, removed) = if base.revision() == self.meta.revision {
            (Vec::new(), Vec::new())
        } else {
            self.store.files_touched_since(base.revision())?
        };
        let mut changes: Vec<FileChange> =
            removed.into_iter().map(|path| FileChange::Remove { path }).collect();
        let mut paths = Vec::new();
        for file in files {
            let Some(facts) =
                self.facts.facts_of_file(&self.root, &file.path, &file.language, &file.stat.content_hash)
            else {
                self.unloadable.push(file.path.clone());
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
                paths.iter().map(|path| self.store.load_file_edges(path, &snapshot)).collect();
            snapshot = snapshot.with_edges(edges?);
        }
        drop(reading);
        self.snapshot = snapshot.at_revision(self.meta.revision);
        self.attach_derived_files();
        self.tree_was_read = false;
        self.image.is_lost = image != ImageUsability::Usable && self.meta.revision > 0;
        self.has_to_be_rebuilt |= image == ImageUsability::Damaged;
        Ok(())
    }

    /// Returns the image next to the database if it belongs to this database. Otherwise returns an
    /// empty image, so that everything is read from the database.
    fn take_usable_image(&self, image: Option<ImageReading>) -> (BaseGraph, ImageUsability) {
        let image = image.unwrap_or_else(|| ImageReading::start_reading(self.image_path()));
        match image.finish_reading() {
            Ok(base) if base.lineage() == self.meta.lineage && base.revision() <= self.meta.revision => {
                (base, ImageUsability::Usable)
            }
            Err(error) if error.is_damage() && !self.is_private() => {
                self.repairs.record_repair(format!("{error}; Kenning rebuilds it from the database"));
                self.remove_image();
                (BaseGraph::empty(), ImageUsability::Damaged)
            }
            Ok(_) | Err(_) => (BaseGraph::empty(), ImageUsability::Unusable),
        }
    }

    /// Removes a damaged image, so that no other process reads it only to detect the damage again.
    fn remove_image(&self) {
        let path = self.image_path();
        if !self.is_writer() {
            return;
        }
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!(path = %path.display(), "cannot remove the damaged image, ignoring it: {error}");
        }
    }

    /// Writes a new image of the disk's graph and continues with it. Returns false and writes
    /// nothing if `interrupted` returns true meanwhile.
    pub(super) fn write_image(
        &mut self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<bool, WorkspaceError> {
        let path = self.image_path();
        let result = self.snapshot.write_base(self.meta.lineage, &path, interrupted);
        let base = match result {
            Ok(false) => return Ok(false),
            Ok(true) => BaseGraph::open(&path).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let base = base.map_err(|reason| {
            self.image.failed_overlay = self.snapshot.overlay_file_count();
            WorkspaceError::Image { path, reason }
        })?;
        self.snapshot = Snapshot::from_base(Arc::new(base));
        self.attach_derived_files();
        self.image = ImageState::default();
        self.store.delete_removal_records(self.meta.revision)?;
        Ok(true)
    }
}
