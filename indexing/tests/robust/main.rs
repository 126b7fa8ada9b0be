//! Invariants of any text and any edit, and of hostile workspaces.

mod any_bytes;
mod damaged_images;
mod hostile_files;
mod real_edits;
mod unusual_files;
