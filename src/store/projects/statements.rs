//! Requirements and environment of a project, with every change.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::store::{Store, StoreError, now_ms};

/// A text that a project keeps from version to version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Requirements and checks.
    Requirements,
    /// Entry, cycle time, kinds and ranges of variables, assumptions.
    Environment,
}

impl Part {
    /// Returns the name that is stored and sent.
    pub fn name(self) -> &'static str {
        match self {
            Part::Requirements => "requirements",
            Part::Environment => "environment",
        }
    }

    /// Returns the heading.
    pub fn title(self) -> &'static str {
        match self {
            Part::Requirements => "Requirements",
            Part::Environment => "Environment",
        }
    }
}

/// A change of a text. The last one is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// From 1, without gaps.
    pub revision: i64,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// Author; empty without accounts.
    pub changed_by: String,
    /// Text before the change, YAML.
    pub before: String,
    /// Text after the change, YAML.
    pub after: String,
}

const COLUMNS: &str = "revision, at_ms, changed_by, before, after";

impl Store {
    /// Returns the valid text of a project; `None` if there is no such project.
    pub async fn statement(&self, project: &str, part: Part) -> Result<Option<Statement>, StoreError> {
        let project = project.to_string();
        self.read(move |c| newest(c, &project, part)).await
    }

    /// Returns changes of a text, newest first, only those before revision `before`.
    pub async fn statements(
        &self,
        project: &str,
        part: Part,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Statement>, StoreError> {
        let project = project.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM statements WHERE project = ?1 AND part = ?2 AND revision < ?3 ORDER BY revision DESC LIMIT ?4"
            ))?;
            let rows = query.query_map(params![project, part.name(), before.unwrap_or(i64::MAX), limit], statement)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Adds a change of a text whose valid revision is `revision`. False if it has another one. The same text is no change.
    pub async fn state(
        &self,
        project: &str,
        (part, revision): (Part, i64),
        text: String,
        changed_by: String,
    ) -> Result<bool, StoreError> {
        let project = project.to_string();
        self.call(move |c| {
            let tx = c.transaction()?;
            let valid = newest(&tx, &project, part)?;
            if valid.as_ref().is_none_or(|valid| valid.revision != revision) {
                return Ok(false);
            }
            if valid.is_none_or(|valid| valid.after != text) {
                append(&tx, (&project, part), &text, &changed_by)?;
            }
            tx.commit()?;
            Ok(true)
        })
        .await
    }
}

/// Adds a change after the last one.
pub(super) fn append(c: &Connection, (project, part): (&str, Part), text: &str, changed_by: &str) -> Result<(), StoreError> {
    let last = newest(c, project, part)?;
    let (revision, before) = last.map_or((0, String::new()), |last| (last.revision, last.after));
    c.execute(
        "INSERT INTO statements (project, part, revision, at_ms, changed_by, before, after) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![project, part.name(), revision + 1, now_ms(), changed_by, before, text],
    )?;
    Ok(())
}

fn newest(c: &Connection, project: &str, part: Part) -> Result<Option<Statement>, StoreError> {
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM statements WHERE project = ?1 AND part = ?2 ORDER BY revision DESC LIMIT 1"
    ))?;
    Ok(query.query_row(params![project, part.name()], statement).optional()?)
}

fn statement(r: &Row<'_>) -> rusqlite::Result<Statement> {
    Ok(Statement { revision: r.get(0)?, at_ms: r.get(1)?, changed_by: r.get(2)?, before: r.get(3)?, after: r.get(4)? })
}
