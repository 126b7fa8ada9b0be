//! `memory.db`: feedback and learned vocabulary. Opened only where learning is on.

use super::{StoreError, migrate};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

const STEPS: &[&str] = &[include_str!("../../../migrations/memory/0001_initial.sql")];

/// What the user taught Kenning.
#[derive(Debug)]
pub struct MemoryStore {
    path: PathBuf,
    _connection: Connection,
}

impl MemoryStore {
    /// Opens or creates the database.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { path: path.to_owned(), _connection: migrate::open(path, STEPS)? })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
