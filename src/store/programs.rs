//! Programs: uploads, named by their content, and their imports.

use rusqlite::{OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

use super::{Store, StoreError, now_ms};

/// A source text of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name it was uploaded under: a label, never a path to open.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Encoding of its bytes, if it had to be guessed.
    pub note: Option<String>,
}

/// A program without its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// SHA-256 over names and texts, hex.
    pub id: String,
    /// Its label.
    pub label: String,
    /// Of all texts together.
    pub size_bytes: i64,
    /// Milliseconds since 1970.
    pub created_ms: i64,
}

/// Label of an uploaded program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its words.
    pub words: String,
    /// A user has chosen them; otherwise they are the names of its files.
    pub is_chosen: bool,
}

impl From<&str> for Label {
    /// Returns a label that is made of the names of files.
    fn from(words: &str) -> Label {
        Label { words: words.to_owned(), is_chosen: false }
    }
}

/// Returns the id of a program: SHA-256 over the length-prefixed names and texts, in order.
pub fn program_id(sources: &[Source]) -> String {
    let mut hash = Sha256::new();
    for source in sources {
        for part in [&source.name, &source.text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    hex(&hash.finalize())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

impl Store {
    /// Keeps a program. The flag says whether it is new; a known one takes a label that a user has chosen.
    pub async fn add_program(&self, label: Label, sources: Vec<Source>) -> Result<(Program, bool), StoreError> {
        self.call(move |c| {
            let id = program_id(&sources);
            let size_bytes: usize = sources.iter().map(|s| s.text.len()).sum();
            let tx = c.transaction()?;
            let added = tx.execute(
                "INSERT INTO programs (id, label, size_bytes, created_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                params![id, label.words, size_bytes as i64, now_ms()],
            )?;
            if added == 0 && label.is_chosen {
                tx.execute("UPDATE programs SET label = ?2 WHERE id = ?1", params![id, label.words])?;
            }
            if 0 < added {
                for (position, source) in sources.iter().enumerate() {
                    tx.execute(
                        "INSERT INTO sources (program, position, name, text, note) VALUES (?1, ?2, ?3, ?4, ?5)",
                        params![id, position as i64, source.name, source.text, source.note],
                    )?;
                }
            }
            let program = tx.query_row("SELECT id, label, size_bytes, created_ms FROM programs WHERE id = ?1", [&id], program)?;
            tx.commit()?;
            Ok((program, 0 < added))
        })
        .await
    }

    /// Returns a program by its id.
    pub async fn program(&self, id: &str) -> Result<Option<Program>, StoreError> {
        let id = id.to_string();
        self.read(move |c| {
            Ok(c.query_row("SELECT id, label, size_bytes, created_ms FROM programs WHERE id = ?1", [id], program).optional()?)
        })
        .await
    }

    /// Returns a program's texts, in the order of the upload; empty if there is no such program.
    pub async fn sources(&self, program: &str) -> Result<Vec<Source>, StoreError> {
        let program = program.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached("SELECT name, text, note FROM sources WHERE program = ?1 ORDER BY position")?;
            let rows = query.query_map([program], |r| Ok(Source { name: r.get(0)?, text: r.get(1)?, note: r.get(2)? }))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Returns the stored import of a program by version `tool`.
    pub async fn import(&self, program: &str, tool: &str) -> Result<Option<String>, StoreError> {
        let key = (program.to_string(), tool.to_string());
        self.read(move |c| {
            let query = "SELECT outcome FROM imports WHERE program = ?1 AND tool = ?2";
            Ok(c.query_row(query, [key.0, key.1], |r| r.get(0)).optional()?)
        })
        .await
    }

    /// Stores the import of a program by version `tool`. A program that was deleted meanwhile has none.
    pub async fn keep_import(&self, program: &str, tool: &str, outcome: String) -> Result<(), StoreError> {
        let key = (program.to_string(), tool.to_string());
        self.call(move |c| {
            c.execute(
                "INSERT INTO imports (program, tool, outcome) SELECT id, ?2, ?3 FROM programs WHERE id = ?1
                     ON CONFLICT DO UPDATE SET outcome = excluded.outcome",
                params![key.0, key.1, outcome],
            )?;
            Ok(())
        })
        .await
    }
}

fn program(row: &Row<'_>) -> rusqlite::Result<Program> {
    Ok(Program { id: row.get(0)?, label: row.get(1)?, size_bytes: row.get(2)?, created_ms: row.get(3)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, text: &str) -> Source {
        Source { name: name.into(), text: text.into(), note: None }
    }

    #[test]
    fn the_id_depends_on_every_boundary() {
        let ids = [
            vec![source("a", "bc")],
            vec![source("ab", "c")],
            vec![source("a", "b"), source("c", "")],
            vec![source("c", ""), source("a", "b")],
            vec![],
        ]
        .map(|s| program_id(&s));
        for (i, a) in ids.iter().enumerate() {
            assert_eq!(a.len(), 64);
            assert!(ids.iter().skip(i + 1).all(|b| a != b));
        }
    }

    #[tokio::test]
    async fn a_program_is_kept_once_and_read_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let sources = vec![source("b.st", "PROGRAM b\0 END_PROGRAM"), source("a.st", "ü")];
        let (first, new) = store.add_program("one".into(), sources.clone()).await.unwrap();
        assert!(new);
        let (second, new) = store.add_program("two".into(), sources.clone()).await.unwrap();
        assert!(!new);
        assert_eq!(first, second);
        let chosen = Label { words: "Press 3".into(), is_chosen: true };
        let (third, new) = store.add_program(chosen, sources.clone()).await.unwrap();
        assert_eq!((third.label.as_str(), third.id.as_str(), new), ("Press 3", first.id.as_str(), false));
        assert_eq!(store.sources(&first.id).await.unwrap(), sources);
        assert_eq!(store.program(&first.id).await.unwrap().unwrap().label, "Press 3");
        assert_eq!(store.program("../etc/passwd").await.unwrap(), None);

        assert_eq!(store.import(&first.id, "1").await.unwrap(), None);
        store.keep_import(&first.id, "1", "{}".into()).await.unwrap();
        store.keep_import(&first.id, "1", "{\"a\":1}".into()).await.unwrap();
        assert_eq!(store.import(&first.id, "1").await.unwrap().as_deref(), Some("{\"a\":1}"));
        assert_eq!(store.import(&first.id, "2").await.unwrap(), None);
        // Deleted while a worker read it.
        store.keep_import("gone", "1", "{}".into()).await.unwrap();
        assert_eq!(store.import("gone", "1").await.unwrap(), None);
    }
}
