//! Opens databases and updates their schemas by numbered, append-only steps under `user_version`.
//!
//! Opening creates the folder and the file for the owner only, refuses databases of other programs
//! and of newer versions, switches to write-ahead logging, and applies the missing steps in one
//! exclusive transaction. Several processes may open and create the same database at once.

use super::{StoreError, WithDatabasePath};
use crate::private_files;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time for which a transaction waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The `PRAGMA application_id` of Kenning's databases: "KNNG".
pub(super) const APPLICATION_ID: i32 = 0x4b4e_4e47;

/// The maximum plausible distance between a database's schema number and the newest known one. A
/// greater number is damage rather than the schema of a newer Kenning, because a release adds only
/// a few numbers.
pub(super) const MAX_SCHEMA_DISTANCE: u32 = 100;

/// Maximum number of attempts for a step that SQLite rejects because another process is creating
/// the same database.
const MAX_ATTEMPTS: u32 = 100;
/// The pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(30);

/// Runs `step`, and retries while SQLite reports that another process holds the database, up to
/// [`MAX_ATTEMPTS`] times in all. SQLite's own busy timeout does not cover the switch to write-ahead logging.
fn retry_while_busy<T>(path: &Path, mut step: impl FnMut() -> rusqlite::Result<T>) -> Result<T, StoreError> {
    for _ in 1..MAX_ATTEMPTS {
        match step().with_path(path) {
            Err(StoreError::Busy { .. }) => std::thread::sleep(RETRY_INTERVAL),
            other => return other,
        }
    }
    step().with_path(path)
}

/// Returns an error if a database belongs to another program: it has tables and is not marked as
/// Kenning's.
fn refuse_foreign(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    // Read both values in one transaction, because another process may be creating the database at
    // this moment.
    let (tables, application): (i64, i32) = retry_while_busy(path, || {
        let transaction = connection.unchecked_transaction()?;
        let tables = transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        Ok((tables, transaction.pragma_query_value(None, "application_id", |row| row.get(0))?))
    })?;
    if application == APPLICATION_ID || tables == 0 {
        return Ok(());
    }
    Err(StoreError::Foreign { path: path.to_owned() })
}

/// The properties of a database.
#[derive(Clone, Copy)]
pub(super) struct DatabaseOptions {
    /// The steps that create its schema.
    pub steps: &'static [&'static str],
    /// Whether each transaction waits for the disk, so that data that cannot be rebuilt survives a
    /// power cut.
    pub durable: bool,
    /// Whether deleted data is overwritten with zeros, so that no trace of it is left in the file.
    pub secure_delete: bool,
    /// The part of a migration that SQL cannot express. It runs in the transaction of the steps and
    /// receives the schema number before them.
    pub finish_migration: fn(&Transaction<'_>, u32) -> rusqlite::Result<()>,
}

impl DatabaseOptions {
    /// Returns the options for a database with these steps whose data can be rebuilt.
    pub const fn from_steps(steps: &'static [&'static str]) -> Self {
        Self { steps, durable: false, secure_delete: false, finish_migration: |_, _| Ok(()) }
    }
}

/// Opens `path`, and applies the steps that it lacks in one exclusive transaction. Creates a
/// missing file or folder for its owner only.
pub(super) fn open_database(path: &Path, options: DatabaseOptions) -> Result<Connection, StoreError> {
    let open_error = |e: std::io::Error| StoreError::Open { path: path.to_owned(), reason: e.to_string() };
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder).map_err(open_error)?;
    }
    create_or_tighten_files(path).map_err(open_error)?;
    let connection = Connection::open(path).with_path(path)?;
    connection.busy_timeout(BUSY_TIMEOUT).with_path(path)?;
    refuse_foreign(&connection, path)?;
    configure_and_migrate(connection, path, options)
}

/// Opens a database in the memory of this process. `path` names it in messages.
pub(super) fn open_in_memory(path: &Path, options: DatabaseOptions) -> Result<Connection, StoreError> {
    configure_and_migrate(Connection::open_in_memory().with_path(path)?, path, options)
}

/// Creates the file of a new database for its owner only, and tightens the permissions of existing
/// files. Files that SQLite creates next to a database get the database's mode.
fn create_or_tighten_files(path: &Path) -> std::io::Result<()> {
    if std::fs::symlink_metadata(path).is_err() {
        // An empty file is an empty database.
        let created = private_files::open_or_create(path);
        return match created {
            // SQLite reports a read-only file system with a better message.
            Err(e) if e.kind() == std::io::ErrorKind::ReadOnlyFilesystem => Ok(()),
            created => created.map(drop),
        };
    }
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    for suffix in ["", "-wal", "-shm"].into_iter().filter(|_| is_file) {
        // Ignore errors: another user may own the file and share it.
        let _ = private_files::tighten_permissions(&PathBuf::from(format!("{}{suffix}", path.display())));
    }
    Ok(())
}

/// Checks the schema number, sets the pragmas of the connection, and applies the missing steps in
/// one exclusive transaction.
fn configure_and_migrate(
    mut connection: Connection,
    path: &Path,
    options: DatabaseOptions,
) -> Result<Connection, StoreError> {
    let known = options.steps.len() as u32;
    let found: u32 =
        retry_while_busy(path, || connection.pragma_query_value(None, "user_version", |row| row.get(0)))?;
    if found > known + MAX_SCHEMA_DISTANCE {
        let reason = format!("its schema number is {found}");
        return Err(StoreError::Damaged { path: path.to_owned(), reason });
    }
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    if connection.is_readonly("main").with_path(path)? {
        return Err(match std::fs::File::options().write(true).open(path) {
            // SQLite opens a writable file read-only only if its header asks for a newer SQLite.
            Ok(_) => StoreError::Damaged {
                path: path.to_owned(),
                reason: "its header has an unknown version".into(),
            },
            Err(_) => StoreError::ReadOnly { path: path.to_owned() },
        });
    }
    retry_while_busy(path, || connection.pragma_update(None, "journal_mode", "WAL"))?;
    let synchronous = if options.durable { "FULL" } else { "NORMAL" };
    connection.pragma_update(None, "synchronous", synchronous).with_path(path)?;
    connection.pragma_update(None, "foreign_keys", true).with_path(path)?;
    connection.pragma_update(None, "secure_delete", options.secure_delete).with_path(path)?;
    if found < known {
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Exclusive).with_path(path)?;
        // Another process may have migrated between the first check and the lock.
        let found: u32 =
            transaction.pragma_query_value(None, "user_version", |row| row.get(0)).with_path(path)?;
        for step in options.steps.get(found as usize..).unwrap_or(&[]) {
            transaction.execute_batch(step).with_path(path)?;
        }
        if found < known {
            (options.finish_migration)(&transaction, found).with_path(path)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID).with_path(path)?;
        transaction.pragma_update(None, "user_version", known.max(found)).with_path(path)?;
        transaction.commit().with_path(path)?;
    }
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_STEP: DatabaseOptions = DatabaseOptions::from_steps(&["CREATE TABLE a (x)"]);
    const TWO_STEPS: DatabaseOptions =
        DatabaseOptions::from_steps(&["CREATE TABLE a (x)", "CREATE TABLE b (y)"]);

    #[test]
    fn migrating_twice_changes_nothing_and_a_newer_schema_is_rejected() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("deep/er/t.db");
        open_database(&path, ONE_STEP)
            .expect("first step")
            .execute("INSERT INTO a VALUES (1)", [])
            .expect("inserted");
        for _ in 0..2 {
            let connection = open_database(&path, TWO_STEPS).expect("second step");
            let kept: u32 =
                connection.query_row("SELECT count(*) FROM a, (SELECT 1)", [], |r| r.get(0)).expect("a");
            assert_eq!(kept, 1);
            connection.execute("DELETE FROM b", []).expect("table b exists");
        }
        let refused = open_database(&path, ONE_STEP).expect_err("newer");
        assert!(
            refused
                .to_string()
                .contains("newer version of Kenning (schema 2, this one supports 1); update Kenning")
        );
    }

    #[test]
    fn a_database_of_another_program_is_not_changed() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("other.db");
        Connection::open(&path).and_then(|c| c.execute_batch("CREATE TABLE t (x)")).expect("created");
        let before = std::fs::read(&path).expect("read");
        let refused = open_database(&path, ONE_STEP).expect_err("foreign");
        assert!(refused.to_string().contains("belongs to another program"), "{refused}");
        assert_eq!(std::fs::read(&path).expect("read"), before);
    }

    #[test]
    fn concurrent_creations_of_a_database_all_succeed() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for round in 0..20 {
            let path = dir.path().join(format!("{round}/t.db"));
            std::thread::scope(|scope| {
                let threads: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| open_database(&path, TWO_STEPS).map(drop))).collect();
                for thread in threads {
                    thread.join().expect("no panic").expect("the database opens");
                }
            });
        }
    }

    #[test]
    fn a_file_that_is_not_a_database_is_damaged() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("t.db");
        std::fs::write(&path, "not a database, but long enough to be read as a header".repeat(40))
            .expect("written");
        assert!(matches!(open_database(&path, ONE_STEP), Err(StoreError::Damaged { .. })));
    }

    /// Opens a database after changing one byte of its header.
    fn open_with_header_byte(at: usize, byte: u8) -> Result<(), StoreError> {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("t.db");
        drop(open_database(&path, ONE_STEP).expect("created"));
        assert!(crate::store::is_kenning_database(&path));
        let mut bytes = std::fs::read(&path).expect("read");
        bytes[at] = byte;
        std::fs::write(&path, &bytes).expect("written");
        open_database(&path, ONE_STEP).map(drop)
    }

    #[test]
    fn a_damaged_header_is_reported_as_damage() {
        // The bytes 60 to 63 are the schema number. These values are far above any that a newer
        // Kenning can have, or below the number of a step that is applied already.
        for (at, byte) in [(60, 0xff), (62, 1), (63, 252), (63, 0)] {
            let found = open_with_header_byte(at, byte);
            assert!(matches!(found, Err(StoreError::Damaged { .. })), "byte {at}: {found:?}");
        }
        assert!(matches!(open_with_header_byte(63, 9), Err(StoreError::Newer { found: 9, .. })));
        // Byte 18 is the file format version that a writer must support.
        let found = open_with_header_byte(18, 0xfd);
        assert!(matches!(found, Err(StoreError::Damaged { .. })), "{found:?}");
    }

    #[cfg(unix)]
    #[test]
    fn databases_and_their_logs_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("deep/er/t.db");
        let modes = || -> Vec<u32> {
            let files = ["deep", "deep/er", "deep/er/t.db", "deep/er/t.db-wal", "deep/er/t.db-shm"];
            let mode =
                |file| Some(std::fs::metadata(dir.path().join(file)).ok()?.permissions().mode() & 0o777);
            files.into_iter().filter_map(mode).collect()
        };
        let connection = open_database(&path, ONE_STEP).expect("created");
        assert_eq!(modes(), [0o700, 0o700, 0o600, 0o600, 0o600]);
        for file in ["t.db", "t.db-wal", "t.db-shm"] {
            let file = path.with_file_name(file);
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644))
                .expect("the mode is changed");
        }
        let another = open_database(&path, ONE_STEP).expect("opens");
        assert_eq!(modes()[2..], [0o600, 0o600, 0o600]);
        drop((connection, another));
    }
}
