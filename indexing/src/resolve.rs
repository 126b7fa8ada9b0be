//! Stub.
use crate::project::Project;
use kenning_graph::snapshot::FileEdges;
use kenning_graph::{FileFacts, FileId, Snapshot};
use std::sync::Arc;
/// Stub.
pub fn resolve_files(snapshot: &Snapshot, _: &Project, files: &[(FileId, Arc<FileFacts>)]) -> Vec<FileEdges> {
    files.iter().map(|(id, _)| FileEdges { path: snapshot.file(*id).map(|f| f.path.to_owned()).unwrap_or_default(), ..FileEdges::default() }).collect()
}
