//! The vectors of a session's folder.

use super::folder::{FolderState, ServedFolder};
use crate::cancel::CancelToken;
use crate::config::Config;
use crate::vectors::{ReadyVectors, VectorSource, VectorsError};
use std::sync::Arc;

impl ServedFolder {
    /// Returns the vectors of a state; `None` if they are off. Computes missing vectors, so call it
    /// from a blocking thread.
    ///
    /// # Errors
    /// Returns an error if the model cannot be used, or if the request was cancelled.
    pub fn current_vectors(
        &self,
        state: &FolderState,
        config: &Config,
        cancel: &CancelToken,
    ) -> Result<Option<Arc<ReadyVectors>>, VectorsError> {
        let source = VectorSource {
            root: self.root_path(),
            model: config.vectors.model.as_deref(),
            database: state.db_path.as_deref(),
            snapshot: &state.snapshot,
            text: state.text.as_deref(),
        };
        let ready = self.vector_cache().refresh_vectors(source, cancel)?;
        self.vector_cache().build_graphs_in_background();
        Ok(ready)
    }

    /// Returns the vectors of a state for an answer that can do without them. Returns `None` and
    /// logs a warning if the model cannot be used.
    pub fn vectors_if_usable(
        &self,
        state: &FolderState,
        config: &Config,
        cancel: &CancelToken,
    ) -> Option<Arc<ReadyVectors>> {
        self.current_vectors(state, config, cancel).unwrap_or_else(|error| {
            tracing::warn!(%error, "the answer does not use vectors");
            None
        })
    }
}
