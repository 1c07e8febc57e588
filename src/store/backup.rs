//! Copies of the database: made while the service runs, checked, and put back.
//!
//! Everything that is stored is in one SQLite file, so a backup is one file, too.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::Migrations;

use super::{DATABASE, MIGRATIONS, StoreError, prepare, private_file, private_folder};

/// Numbers of rows in a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Uploaded programs.
    pub programs: i64,
    /// Jobs, ended ones too.
    pub jobs: i64,
    /// Jobs with results.
    pub outcomes: i64,
}

/// Writes a copy of the database of a data folder to a new file, and checks the copy. A running service goes on.
pub fn back_up(directory: &Path, file: &Path) -> Result<Content, StoreError> {
    let source = open(&directory.join(DATABASE))?;
    refuse_existing(file)?;
    // Its rights come first: nothing of the data is ever open to others.
    private_file(file).map_err(|error| StoreError::Directory { path: file.to_owned(), error })?;
    let written = copy(&source, file).and_then(|()| check(file));
    if written.is_err() {
        // Half a backup is none. It was made just now.
        let _ = std::fs::remove_file(file);
    }
    written
}

/// Checks a backup: every page of it, and that this version can read it.
pub fn check(file: &Path) -> Result<Content, StoreError> {
    let mut copy = Connection::open_in_memory()?;
    load(&open(file)?, &mut copy)?;
    if let Some(damage) = damage_of(&copy)? {
        return Err(StoreError::Corrupt(damage));
    }
    let version: i64 = copy.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version == 0 {
        return Err(StoreError::Corrupt("it is no backup of this program".into()));
    }
    // Older schemas are brought to the newest one, as at the next start.
    prepare(&mut copy)?;
    content(&copy)
}

/// Puts a backup into a data folder that has no database. The file is checked first.
pub fn restore(file: &Path, directory: &Path) -> Result<Content, StoreError> {
    let content = check(file)?;
    let failed = |error| StoreError::Directory { path: directory.to_owned(), error };
    private_folder(directory).map_err(failed)?;
    let target = directory.join(DATABASE);
    refuse_existing(&target)?;
    private_file(&target).map_err(failed)?;
    copy(&open(file)?, &target)?;
    Ok(content)
}

/// Returns the damage of the database in a data folder, if there is some. Reads every page.
pub fn damage(directory: &Path) -> Result<Option<String>, StoreError> {
    damage_of(&open(&directory.join(DATABASE))?)
}

fn damage_of(connection: &Connection) -> Result<Option<String>, StoreError> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(Some(found).filter(|found| found != "ok"))
}

fn open(file: &Path) -> Result<Connection, StoreError> {
    // A file that is not there must not be made.
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    Ok(connection)
}

fn copy(source: &Connection, file: &Path) -> Result<(), StoreError> {
    let mut target = Connection::open(file)?;
    load(source, &mut target)?;
    // One file, without a log beside it.
    target.pragma_update(None, "journal_mode", "DELETE")?;
    target.close().map_err(|(_, error)| StoreError::Sqlite(error))?;
    std::fs::File::open(file)
        .and_then(|file| file.sync_all())
        .map_err(|error| StoreError::Directory { path: file.to_owned(), error })
}

/// Copies all pages in one step: a writer waits, and no page is of another moment.
fn load(source: &Connection, target: &mut Connection) -> Result<(), StoreError> {
    rusqlite::backup::Backup::new(source, target)?.run_to_completion(i32::MAX, std::time::Duration::from_millis(50), None)?;
    Ok(())
}

fn content(connection: &Connection) -> Result<Content, StoreError> {
    let count = |table: &str| connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0));
    Ok(Content { programs: count("programs")?, jobs: count("jobs")?, outcomes: count("outcomes")? })
}

fn refuse_existing(path: &Path) -> Result<(), StoreError> {
    if path.exists() { Err(StoreError::Exists { path: path.to_owned() }) } else { Ok(()) }
}

/// Returns whether a database has a schema that this version does not know or has not brought to its own.
pub fn needs_migration(connection: &Connection) -> Result<bool, StoreError> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let pending = Migrations::from_slice(MIGRATIONS).pending_migrations(connection)?;
    Ok(0 < version && 0 < pending)
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::{Seek, SeekFrom, Write};

    use super::*;
    use crate::store::Store;

    async fn filled(directory: &Path) -> Store {
        let store = Store::open(directory).unwrap();
        store
            .call(|c| {
                for n in 0..200 {
                    c.execute(
                        "INSERT INTO outcomes (job, json) SELECT ?1, ?2 WHERE 0",
                        rusqlite::params![n.to_string(), "x".repeat(500)],
                    )?;
                }
                c.execute_batch("CREATE TABLE filler (text TEXT)")?;
                for _ in 0..200 {
                    c.execute("INSERT INTO filler VALUES (?1)", ["x".repeat(3000)])?;
                }
                Ok(())
            })
            .await
            .unwrap();
        store
    }

    #[tokio::test]
    async fn a_backup_of_a_running_service_is_restored_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let (data, file) = (dir.path().join("data"), dir.path().join("copy.db"));
        let store = filled(&data).await;
        let content = back_up(&data, &file).unwrap();
        assert_eq!(check(&file).unwrap(), content);
        store.ready().await.unwrap();
        assert!(matches!(back_up(&data, &file), Err(StoreError::Exists { .. })), "a backup is never overwritten");
        let other = dir.path().join("other");
        restore(&file, &other).unwrap();
        let restored = Store::open(&other).unwrap();
        let rows: i64 = restored.call(|c| Ok(c.query_row("SELECT count(*) FROM filler", [], |r| r.get(0))?)).await.unwrap();
        assert_eq!(rows, 200);
        assert!(matches!(restore(&file, &other), Err(StoreError::Exists { .. })), "no data is overwritten");
    }

    #[tokio::test]
    async fn damage_is_noticed_and_never_restored() {
        let dir = tempfile::tempdir().unwrap();
        let (data, file) = (dir.path().join("data"), dir.path().join("copy.db"));
        drop(filled(&data).await);
        back_up(&data, &file).unwrap();
        let mut bytes = OpenOptions::new().write(true).open(&file).unwrap();
        bytes.seek(SeekFrom::Start(4096 * 40)).unwrap();
        bytes.write_all(&[0xA5; 4096 * 20]).unwrap();
        drop(bytes);
        assert!(check(&file).is_err());
        assert!(restore(&file, &dir.path().join("other")).is_err());
        assert!(!dir.path().join("other").exists(), "nothing is left behind");
        for (name, text) in [("empty.db", ""), ("text.db", "this is no database, and it is long enough to be looked at")] {
            let file = dir.path().join(name);
            std::fs::write(&file, text).unwrap();
            assert!(check(&file).is_err(), "{name}");
        }
        assert!(check(&dir.path().join("missing.db")).is_err());
        assert!(!dir.path().join("missing.db").exists());
    }
}
