//! The database: programs, specifications, jobs, their events and outcomes, projects, users and the audit log, in one SQLite file.
//!
//! One thread owns the connection that writes, and takes closures from a channel; others own connections that only read. A read never
//! waits for a write: it sees everything that was confirmed before it. [`Store`] is the handle; its clones share the threads.
//! Statements are short: a job is claimed by `UPDATE … RETURNING`, never by a transaction that stays open.
//! JSON is opaque here: who wrote it reads it. **Invariant:** a caller that has gone, or a query that panics, never ends the thread.
//!
//! WAL with `synchronous = FULL`: confirmed data is on the disk, after `kill -9` and after a power cut.

pub mod access;
pub mod agents;
pub mod audit;
pub mod backup;
mod checksum;
pub mod events;
pub mod idempotency;
pub mod jobs;
pub mod outcomes;
pub mod programs;
pub mod projects;
pub mod queue;
pub mod retention;
pub mod shares;
mod signing;
pub mod specifications;
pub mod webhooks;

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::{M, MigrationDefinitionError, Migrations};
use tokio::sync::{mpsc, oneshot};

/// In order; never edited once released, only added to.
const MIGRATIONS: &[M<'static>] = &[
    M::up(include_str!("migrations/0001-programs.sql")),
    M::up(include_str!("migrations/0002-specifications.sql")),
    M::up(include_str!("migrations/0003-jobs.sql")),
    M::up(include_str!("migrations/0004-events.sql")),
    M::up(include_str!("migrations/0005-outcomes.sql")),
    M::up(include_str!("migrations/0006-health.sql")),
    M::up(include_str!("migrations/0007-access.sql")),
    M::up(include_str!("migrations/0008-projects.sql")),
    M::up(include_str!("migrations/0009-codes.sql")),
    M::up(include_str!("migrations/0010-audit.sql")),
    M::up(include_str!("migrations/0011-shares.sql")),
    M::up(include_str!("migrations/0012-findings.sql")),
    M::up(include_str!("migrations/0013-signing.sql")),
    M::up(include_str!("migrations/0014-idempotency.sql")),
    M::up(include_str!("migrations/0015-webhooks.sql")),
    M::up(include_str!("migrations/0016-identities.sql")),
    M::up(include_str!("migrations/0017-agents.sql")),
];

/// Name of the database in its folder.
const DATABASE: &str = "scanproof.db";

/// Callers wait rather than pile up.
const WAITING_COMMANDS: usize = 256;

/// Connections that only read.
const READERS: usize = 2;

type Command = Box<dyn FnOnce(&mut Connection) + Send>;

/// A handle on the database.
#[derive(Clone, Debug)]
pub struct Store {
    commands: mpsc::Sender<Command>,
    reads: mpsc::Sender<Command>,
    directory: PathBuf,
}

/// Error of the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says no.
    #[error("database: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The file is of a newer version.
    #[error("the database was written by a newer version of scanproof: start that version, or restore an older backup")]
    Newer,
    /// A migration failed.
    #[error("database schema: {0}")]
    Migration(#[from] rusqlite_migration::Error),
    /// The directory cannot be used.
    #[error("data directory {}: {error}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// There is no such database.
    #[error("there is no database {}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be restored.
    #[error("{} cannot be restored: {why}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file would be overwritten.
    #[error("{} exists already; nothing is overwritten", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process has it open.
    #[error("data directory {} is in use by another scanproof", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// The database thread is gone; the process is ending.
    #[error("the database is closed")]
    Closed,
    /// A query panicked: a defect of ours.
    #[error("a database query failed unexpectedly")]
    Panicked,
    /// A row does not have the form that this version writes.
    #[error("the database holds a row that cannot be read: {0}")]
    Corrupt(String),
}

impl Store {
    /// Opens the database of a data directory, making both if needed, and brings it to the newest schema.
    pub fn open(directory: &Path) -> Result<Store, StoreError> {
        let failed = |error| StoreError::Directory { path: directory.to_path_buf(), error };
        let lock = private_folder(directory).and_then(|()| private_file(&directory.join("scanproof.lock"))).map_err(failed)?;
        if lock.try_lock().is_err() {
            return Err(StoreError::InUse { path: directory.to_path_buf() });
        }
        // SQLite gives its other files the rights of this one.
        private_file(&directory.join(DATABASE)).map_err(failed)?;
        let mut connection = Connection::open(directory.join(DATABASE))?;
        if backup::schema(&connection)? == backup::Schema::Older {
            let file = directory.join(format!("before-{}-{}.db", env!("CARGO_PKG_VERSION"), now_ms()));
            backup::back_up(directory, &file)?;
            tracing::info!("the database has an older schema; a copy of it is in {}", file.display());
        }
        prepare(&mut connection)?;
        let (commands, receiver) = mpsc::channel(WAITING_COMMANDS);
        std::thread::Builder::new()
            .name("store".into())
            .spawn(move || {
                serve(&mut connection, receiver);
                // The lock is held as long as the connection, which writes its last pages at its end.
                drop(connection);
                drop(lock);
            })
            .map_err(failed)?;
        let reads = start_readers(directory, failed)?;
        Ok(Store { commands, reads, directory: directory.to_owned() })
    }

    /// Returns the folder of the database.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the size of the database on the disk, with its write-ahead log.
    pub fn size_bytes(&self) -> u64 {
        let file = |end: &str| self.directory.join(format!("{DATABASE}{end}")).metadata().map_or(0, |file| file.len());
        file("") + file("-wal")
    }

    /// Runs `query` on the thread that writes. A caller that stops waiting does not stop the query.
    pub(crate) async fn call<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        ask(&self.commands, query).await
    }

    /// Runs `query` on a thread that cannot write.
    pub(crate) async fn read<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        ask(&self.reads, query).await
    }

    /// Checks that the database takes writes: writes a row, and waits until the disk has it.
    pub async fn ready(&self) -> Result<(), StoreError> {
        self.call(|c| {
            c.execute("INSERT OR REPLACE INTO health (id, checked_ms) VALUES (1, ?1)", [now_ms()])?;
            Ok(())
        })
        .await
    }
}

/// Sends a query to a thread, and waits for its answer.
async fn ask<T, F>(thread: &mpsc::Sender<Command>, query: F) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    let command: Command = Box::new(move |connection| {
        let result = catch_unwind(AssertUnwindSafe(|| query(connection))).unwrap_or(Err(StoreError::Panicked));
        // The caller may have stopped waiting.
        let _ = reply.send(result);
    });
    thread.send(command).await.map_err(|_| StoreError::Closed)?;
    answer.await.unwrap_or(Err(StoreError::Closed))
}

/// Makes a folder that only this user can enter. One that is there stays as it is: others may use it, too.
fn private_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a file that only this user can read, and makes it if it is not there.
fn private_file(path: &Path) -> std::io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    if let Err(error) = file.set_permissions(Permissions::from_mode(0o600)) {
        tracing::warn!("others may read {}: its rights cannot be changed: {error}", path.display());
    }
    Ok(file)
}

fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::from_secs(5))?;
    // An image without a /tmp must work too.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;",
    )?;
    let is_newer = |error: &rusqlite_migration::Error| {
        matches!(error, rusqlite_migration::Error::MigrationDefinition(MigrationDefinitionError::DatabaseTooFarAhead))
    };
    let migrated = Migrations::from_slice(MIGRATIONS).to_latest(connection);
    migrated.map_err(|error| if is_newer(&error) { StoreError::Newer } else { StoreError::Migration(error) })?;
    Ok(())
}

/// Starts the threads that read. They share a channel: the next one that is free takes a query.
fn start_readers(directory: &Path, failed: impl Fn(std::io::Error) -> StoreError) -> Result<mpsc::Sender<Command>, StoreError> {
    let (reads, receiver) = mpsc::channel::<Command>(WAITING_COMMANDS);
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..READERS {
        let mut connection = Connection::open_with_flags(directory.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA query_only = ON;")?;
        let receiver = Arc::clone(&receiver);
        let work = move || loop {
            let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
            let Some(command) = next else { return };
            command(&mut connection);
        };
        std::thread::Builder::new().name("reader".into()).spawn(work).map_err(&failed)?;
    }
    Ok(reads)
}

fn serve(connection: &mut Connection, mut commands: mpsc::Receiver<Command>) {
    while let Some(command) = commands.blocking_recv() {
        command(connection);
    }
}

/// Returns milliseconds since 1970, as stored.
pub fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_valid_sql() {
        Migrations::from_slice(MIGRATIONS).validate().unwrap();
    }

    #[tokio::test]
    async fn a_caller_that_goes_and_a_query_that_panics_leave_the_store_working() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        tokio::select! {
            biased;
            _ = store.call(|c| Ok(c.execute_batch("SELECT 1")?)) => {}
            // The query is on its way; its caller goes.
            () = std::future::ready(()) => {}
        }
        let panicked = store.call(|_| -> Result<(), StoreError> { panic!("in a query") }).await;
        assert!(matches!(panicked, Err(StoreError::Panicked)));
        store.ready().await.unwrap();
    }

    #[tokio::test]
    async fn a_read_waits_for_no_write_and_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        store.ready().await.unwrap();
        let (begun, has_begun) = oneshot::channel();
        let (go_on, may_go_on) = std::sync::mpsc::channel();
        let writing = store.clone();
        let write = tokio::spawn(async move {
            let write = move |c: &mut Connection| {
                let tx = c.transaction()?;
                tx.execute("UPDATE health SET checked_ms = 7", [])?;
                let _ = begun.send(());
                may_go_on.recv().unwrap();
                Ok(tx.commit()?)
            };
            writing.call(write).await
        });
        has_begun.await.unwrap();
        let checked = || store.read(|c| Ok(c.query_row("SELECT checked_ms FROM health", [], |r| r.get::<_, i64>(0))?));
        assert_ne!(checked().await.unwrap(), 7, "before the end of the write");
        go_on.send(()).unwrap();
        write.await.unwrap().unwrap();
        assert_eq!(checked().await.unwrap(), 7, "after it");
        let refused = store.read(|c| Ok(c.execute("DELETE FROM health", [])?)).await;
        assert!(matches!(refused, Err(StoreError::Sqlite(_))), "{refused:?}");
    }

    #[tokio::test]
    async fn a_data_directory_has_one_owner() {
        let dir = tempfile::tempdir().unwrap();
        let first = Store::open(dir.path()).unwrap();
        assert!(matches!(Store::open(dir.path()), Err(StoreError::InUse { .. })));
        first.ready().await.unwrap();
    }

    #[tokio::test]
    async fn only_this_user_can_read_the_data() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let new = dir.path().join("new");
        drop(Store::open(&new).unwrap());
        assert_eq!(mode(&new), 0o700);
        // A folder that is there, with a database that others can read: both were made by an earlier version, or by a person.
        let data = dir.path().join("data");
        std::fs::create_dir(&data).unwrap();
        std::fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
        std::fs::write(data.join(DATABASE), "").unwrap();
        std::fs::set_permissions(data.join(DATABASE), Permissions::from_mode(0o644)).unwrap();
        let store = Store::open(&data).unwrap();
        store.ready().await.unwrap();
        assert_eq!(mode(&data), 0o755);
        let files: Vec<PathBuf> = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(3 <= files.len(), "{files:?}");
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }

    #[tokio::test]
    async fn a_newer_schema_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        Connection::open(dir.path().join("scanproof.db")).unwrap().execute_batch("PRAGMA user_version = 999").unwrap();
        assert!(matches!(Store::open(dir.path()), Err(StoreError::Newer)));
    }
}
