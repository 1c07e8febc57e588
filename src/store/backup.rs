//! Copies of the database: made while the service runs, checked, and put back.
//!
//! Everything that is stored is in one SQLite file, so a backup is one file, too.

use std::cmp::Ordering;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::checksum::{self, Checksum};
use super::{DATABASE, MIGRATIONS, StoreError, private_file, private_folder};

/// Numbers of rows in a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Uploaded programs.
    pub programs: i64,
    /// Jobs, ended ones too.
    pub jobs: i64,
    /// Jobs with results.
    pub outcomes: i64,
    /// The file has a checksum, and it is right. Backups of older versions have none.
    pub has_checksum: bool,
}

/// Writes a copy of the database of a data folder to a new file, and checks the copy. A running service goes on.
pub fn back_up(directory: &Path, file: &Path) -> Result<Content, StoreError> {
    let source = open(&directory.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    refuse_existing(file)?;
    // Its rights come first: nothing of the data is ever open to others.
    private_file(file).map_err(|error| StoreError::Directory { path: file.to_owned(), error })?;
    let append = || checksum::append(file).map_err(|error| StoreError::Directory { path: file.to_owned(), error });
    let written = copy(&source, file).and_then(|()| append()).and_then(|()| check(file));
    if written.is_err() {
        // Half a backup is none. It was made just now.
        let _ = std::fs::remove_file(file);
    }
    written
}

/// Checks a backup: its checksum, every page of it, and that this version knows its schema. Without a checksum, bytes inside of texts
/// are not checked.
pub fn check(file: &Path) -> Result<Content, StoreError> {
    let copy = open(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let unfit = |why: &str| Err(StoreError::Unfit { path: file.to_owned(), why: why.to_owned() });
    let checksum = checksum::check(file).map_err(|error| StoreError::Directory { path: file.to_owned(), error })?;
    if checksum == Checksum::Wrong {
        return unfit("it is not as it was written: its checksum is wrong");
    }
    match damage_of(&copy) {
        Ok(None) => {}
        Ok(Some(damage)) => return Err(StoreError::Unfit { path: file.to_owned(), why: damage }),
        Err(StoreError::Sqlite(error)) if is_damage(&error) => {
            return Err(StoreError::Unfit { path: file.to_owned(), why: error.to_string() });
        }
        Err(error) => return Err(error),
    }
    match schema(&copy)? {
        Schema::Empty => unfit("no backup of this program"),
        Schema::Newer => unfit("the backup of a newer version"),
        // An older schema is brought to the newest one at the next start.
        Schema::Older | Schema::Newest => content(&copy, checksum == Checksum::Right),
    }
}

/// Puts a backup into a data folder that has no database. The file is checked first.
pub fn restore(file: &Path, directory: &Path) -> Result<Content, StoreError> {
    let content = check(file)?;
    let failed = |error| StoreError::Directory { path: directory.to_owned(), error };
    private_folder(directory).map_err(failed)?;
    let target = directory.join(DATABASE);
    refuse_existing(&target)?;
    private_file(&target).map_err(failed)?;
    let copied = copy(&open(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?, &target);
    if copied.is_err() {
        // Half a database is none. It was made just now.
        let _ = std::fs::remove_file(&target);
    }
    copied.map(|()| content)
}

/// Returns the damage of the database in a data folder, if there is some. Reads every page. An error says nothing about damage.
pub fn damage(directory: &Path) -> Result<Option<String>, StoreError> {
    match open(&directory.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|c| damage_of(&c)) {
        Err(StoreError::Sqlite(error)) if is_damage(&error) => Ok(Some(error.to_string())),
        other => other,
    }
}

/// Returns whether an error tells of damaged pages, not of a database that is busy or cannot be reached.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn damage_of(connection: &Connection) -> Result<Option<String>, StoreError> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(Some(found).filter(|found| found != "ok"))
}

/// Returns the version of the schema, the rows of each table, and the jobs in each state; the service may run.
pub fn counts(directory: &Path) -> Result<Vec<(String, i64)>, StoreError> {
    let connection = reader(directory)?;
    let mut counts = vec![("schema".to_owned(), connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)];
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    for table in tables.query_map([], |row| row.get::<_, String>(0))? {
        let table = table?;
        let n = connection.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get(0))?;
        counts.push((format!("rows of {table}"), n));
    }
    let mut states = connection.prepare("SELECT state, count(*) FROM jobs GROUP BY state ORDER BY state")?;
    for state in states.query_map([], |row| Ok((format!("runs {}", row.get::<_, String>(0)?), row.get(1)?)))? {
        counts.push(state?);
    }
    Ok(counts)
}

/// Opens the database of a data folder to read; the service may run.
pub(super) fn reader(directory: &Path) -> Result<Connection, StoreError> {
    // A reader of a database with a write-ahead log has to write into its index.
    let connection = open(&directory.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Opens a database that is there; none is made.
fn open(file: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    if !file.is_file() {
        return Err(StoreError::Missing { path: file.to_owned() });
    }
    let connection = Connection::open_with_flags(file, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
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

fn content(connection: &Connection, has_checksum: bool) -> Result<Content, StoreError> {
    let count = |table: &str| connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0));
    Ok(Content { programs: count("programs")?, jobs: count("jobs")?, outcomes: count("outcomes")?, has_checksum })
}

fn refuse_existing(path: &Path) -> Result<(), StoreError> {
    if path.exists() { Err(StoreError::Exists { path: path.to_owned() }) } else { Ok(()) }
}

/// Schema of a database, compared with that of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schema {
    /// No tables yet.
    Empty,
    /// Older.
    Older,
    /// The same.
    Newest,
    /// Of a newer version.
    Newer,
}

/// Returns the schema of a database.
pub(super) fn schema(connection: &Connection) -> Result<Schema, StoreError> {
    let version: usize = connection.query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0))? as usize;
    Ok(match version.cmp(&MIGRATIONS.len()) {
        _ if version == 0 => Schema::Empty,
        Ordering::Less => Schema::Older,
        Ordering::Equal => Schema::Newest,
        Ordering::Greater => Schema::Newer,
    })
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::{Seek, SeekFrom, Write};

    use rusqlite_migration::Migrations;

    use super::*;
    use crate::store::Store;

    async fn filled(directory: &Path) -> Store {
        let store = Store::open(directory).unwrap();
        store
            .call(|c| {
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

    #[tokio::test]
    async fn every_changed_byte_of_a_backup_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let (data, file) = (dir.path().join("data"), dir.path().join("copy.db"));
        drop(filled(&data).await);
        assert!(back_up(&data, &file).unwrap().has_checksum);
        let good = std::fs::read(&file).unwrap();
        // Bytes inside of texts, in free space, in the header of the database, and each of the checksum.
        let text = good.windows(100).position(|bytes| bytes == [b'x'; 100]).unwrap();
        let places = (0..good.len()).step_by(20_011).chain([text]).chain((good.len() - 92..good.len()).step_by(7));
        let changed = dir.path().join("changed.db");
        for at in places {
            let mut bytes = good.clone();
            bytes[at] ^= 4;
            std::fs::write(&changed, bytes).unwrap();
            assert!(check(&changed).is_err(), "byte {at} of {}", good.len());
        }
        for missing in [1, 91, 92, 93, 5000] {
            std::fs::write(&changed, &good[..good.len() - missing]).unwrap();
            let found = check(&changed);
            // Without its line it is a backup of an older version.
            assert_eq!(found.is_ok_and(|content| !content.has_checksum), missing == 92, "{missing} bytes missing");
        }
    }

    #[tokio::test]
    async fn a_busy_database_is_not_a_damaged_one() {
        let dir = tempfile::tempdir().unwrap();
        drop(filled(dir.path()).await);
        assert_eq!(damage(dir.path()).unwrap(), None);
        let missing = damage(&dir.path().join("missing"));
        assert!(missing.is_err(), "nothing is known about a file that cannot be opened: {missing:?}");
        // The thread of the store writes its last pages when it ends.
        std::fs::File::open(dir.path().join("scanproof.lock")).unwrap().lock().unwrap();
        let database = dir.path().join(DATABASE);
        let text = "this is no database, and it is long enough to be looked at".repeat(50);
        std::fs::write(&database, text).unwrap();
        for log in ["scanproof.db-wal", "scanproof.db-shm"] {
            let _ = std::fs::remove_file(dir.path().join(log));
        }
        assert!(damage(dir.path()).unwrap().is_some_and(|damage| damage.contains("not a database")));
    }

    #[tokio::test]
    async fn a_database_of_an_older_schema_is_copied_before_it_is_changed() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join(DATABASE);
        {
            let mut old = Connection::open(&database).unwrap();
            Migrations::from_slice(&MIGRATIONS[..MIGRATIONS.len() - 1]).to_latest(&mut old).unwrap();
            old.execute_batch("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('kept')").unwrap();
        }
        let copies = || -> Vec<std::path::PathBuf> {
            let files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
            files.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("before-"))).collect()
        };
        let store = Store::open(dir.path()).unwrap();
        store.ready().await.unwrap();
        let note: String = store.call(|c| Ok(c.query_row("SELECT text FROM note", [], |r| r.get(0))?)).await.unwrap();
        assert_eq!(note, "kept");
        let made = copies();
        assert_eq!(made.len(), 1);
        let copy = open(&made[0], OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        assert_eq!(schema(&copy).unwrap(), Schema::Older);
        drop(copy);
        check(&made[0]).unwrap();
        drop(store);
        // The newest schema needs none.
        while Store::open(dir.path()).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(copies(), made);
    }
}
