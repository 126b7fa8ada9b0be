//! Reads the recorded runs of a workspace from `runs.db`, and reads them again after another
//! process has imported runs.

use kenning_graph::snapshot::RunLayer;
use kenning_graph::store::{RunStore, StoreError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Size and modification time of the database and of its write-ahead log; `None` for a file that is
/// absent.
type FileStamps = [Option<(u64, SystemTime)>; 2];

/// The layer of recorded runs, and the state of the database that it was read from.
pub(super) struct RunLog {
    path: PathBuf,
    stamps: FileStamps,
    layer: Arc<RunLayer>,
}

impl RunLog {
    /// Reads the records in the database at `path`, if there is one.
    pub fn open(path: PathBuf) -> Self {
        let mut log = Self { path, stamps: [None, None], layer: Arc::default() };
        log.reload_if_changed();
        log
    }

    /// Reads the records again if the database has changed. If they cannot be read, logs the reason
    /// and continues without records.
    pub fn reload_if_changed(&mut self) {
        let stamps = file_stamps(&self.path);
        if stamps == self.stamps {
            return;
        }
        self.layer = match load_layer(&self.path) {
            Ok(layer) => Arc::new(layer),
            Err(error) => {
                tracing::warn!(
                    "recorded runs are not used: {error}; import them again with kenning runs import"
                );
                Arc::default()
            }
        };
        // Opening and closing the database changes its write-ahead log.
        self.stamps = file_stamps(&self.path);
    }

    /// Returns the layer of recorded runs.
    pub fn layer(&self) -> &Arc<RunLayer> {
        &self.layer
    }
}

/// Reads the records in a database. Returns an empty layer if there is no database.
pub(super) fn load_layer(path: &Path) -> Result<RunLayer, StoreError> {
    if !path.exists() {
        return Ok(RunLayer::default());
    }
    Ok(RunLayer::from_batches(RunStore::open(path)?.load_batches()?))
}

fn file_stamps(path: &Path) -> FileStamps {
    let log = PathBuf::from(format!("{}-wal", path.display()));
    [path, &log].map(|file| {
        let metadata = std::fs::metadata(file).ok().filter(|metadata| metadata.len() > 0)?;
        Some((metadata.len(), metadata.modified().ok()?))
    })
}
