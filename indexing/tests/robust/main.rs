//! What holds of any text, of any edit, and of workspaces that mean harm.

mod any_bytes;
mod damaged_images;
mod hostile_files;
mod real_edits;
mod unusual_files;
