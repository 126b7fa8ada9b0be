//! The vectors of a workspace: made with a model that the user names, stored in `vectors.db`, and
//! kept current with the snapshot.
//!
//! `model` loads the model and is the only module that knows its library. [`VectorCache`] holds the
//! model and the vectors of the last snapshot: a file whose text changed gets new vectors, and all
//! others keep theirs (`snapshot_files`). Nothing happens unless `vectors.model` is set.

mod model;
mod refresh;
mod snapshot_files;
mod tokenizer_check;

pub use model::{EmbeddingModel, ModelError, model_folder};
pub use refresh::{EmbeddingThreads, ReadyVectors, VectorCache, VectorReadiness, VectorSource, VectorsError};

use kenning_graph::store::VectorStore;
use std::path::{Path, PathBuf};

/// Returns the path of `vectors.db` next to the database of a graph.
pub fn vectors_path_for_graph(database: &Path) -> PathBuf {
    database.with_file_name("vectors.db")
}

/// Returns the number of symbols and sections whose vectors are stored next to the database of a
/// graph. Creates nothing.
pub fn count_stored_symbols(database: &Path) -> usize {
    let path = vectors_path_for_graph(database);
    if !path.exists() {
        return 0;
    }
    VectorStore::open(&path).and_then(|store| store.count_symbols()).unwrap_or_else(|error| {
        tracing::warn!(%error, "the stored vectors are not counted");
        0
    })
}
