//! Tests of invariants that hold for every text, every edit and every workspace.

mod any_bytes;
mod damaged_images;
mod hostile_files;
mod real_edits;
mod unusual_files;
