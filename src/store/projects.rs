//! Projects: machines whose program is checked again with each version.
//!
//! A version names a program by its content, and its runs. Requirements and environment belong to the project: see [`statements`].
//! **Invariant:** what a project said before stays readable; a change adds a row.

pub mod findings;
pub mod statements;
pub mod versions;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::retention::Deletion;
use super::{Store, StoreError, now_ms};
use statements::Part;
use versions::{NewVersion, Version};

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// UUID v7: sorts by time.
    pub id: String,
    /// Name of the machine.
    pub name: String,
    /// Words of the user about it.
    pub note: String,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// Author of the last change; empty without accounts.
    pub changed_by: String,
    /// Number of changes of name and note.
    pub revision: i64,
}

/// A project to make, with its first version.
#[derive(Clone, Debug)]
pub struct NewProject {
    /// Name of the machine.
    pub name: String,
    /// Words of the user about it.
    pub note: String,
    /// Requirements, as YAML.
    pub requirements: String,
    /// Environment, as YAML.
    pub environment: String,
    /// The first version, if there is a program already.
    pub version: Option<NewVersion>,
    /// Author; empty without accounts.
    pub changed_by: String,
}

/// A project in a list, with its last version.
#[derive(Clone, Debug)]
pub struct ListedProject {
    /// The project.
    pub project: Project,
    /// Its last version with the newest run.
    pub last: Option<Version>,
}

const COLUMNS: &str = "p.id, p.name, p.note, p.created_ms, p.changed_by, p.revision";

impl Store {
    /// Adds a project with its first statements and version, and returns its id.
    pub async fn add_project(&self, new: NewProject) -> Result<String, StoreError> {
        self.call(move |c| {
            let tx = c.transaction()?;
            let id = uuid::Uuid::now_v7().to_string();
            tx.execute(
                "INSERT INTO projects (id, name, note, created_ms, changed_by, revision) VALUES (?1, ?2, ?3, ?4, ?5, 1)",
                params![id, new.name, new.note, now_ms(), new.changed_by],
            )?;
            for (part, text) in [(Part::Requirements, &new.requirements), (Part::Environment, &new.environment)] {
                statements::append(&tx, (&id, part), text, &new.changed_by)?;
            }
            if let Some(version) = new.version {
                versions::append(&tx, &id, &version, &new.changed_by)?;
            }
            tx.commit()?;
            Ok(id)
        })
        .await
    }

    /// Returns a project by its id.
    pub async fn project(&self, id: &str) -> Result<Option<Project>, StoreError> {
        let id = id.to_string();
        self.read(move |c| find(c, &id)).await
    }

    /// Returns projects whose name contains `search`, newest first, only those older than `before`.
    pub async fn projects(&self, search: &str, before: Option<String>, limit: u32) -> Result<Vec<ListedProject>, StoreError> {
        let search = search.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached(&format!(
                "SELECT {COLUMNS}, {} FROM projects p
                 LEFT JOIN versions v ON v.project = p.id AND v.number = (SELECT max(number) FROM versions WHERE project = p.id)
                 {}
                 WHERE (?1 = '' OR 0 < instr(lower(p.name), lower(?1))) AND (?2 IS NULL OR p.id < ?2)
                 ORDER BY p.id DESC LIMIT ?3",
                versions::COLUMNS,
                versions::NEWEST_JOB,
            ))?;
            let mut rows = query.query(params![search, before, limit])?;
            let mut listed = Vec::new();
            while let Some(row) = rows.next()? {
                let last = row.get::<_, Option<i64>>(6)?.map(|_| versions::version(row, 6)).transpose()?;
                listed.push(ListedProject { project: project(row)?, last });
            }
            Ok(listed)
        })
        .await
    }

    /// Changes name and note of a project of this revision. False if it has another one, or is not there.
    pub async fn rename_project(
        &self,
        project: &Project,
        (name, note): (String, String),
        changed_by: String,
    ) -> Result<bool, StoreError> {
        let (id, revision) = (project.id.clone(), project.revision);
        self.call(move |c| {
            let changed = c.execute(
                "UPDATE projects SET name = ?3, note = ?4, changed_by = ?5, revision = revision + 1 WHERE id = ?1 AND revision = ?2",
                params![id, revision, name, note, changed_by],
            )?;
            Ok(changed == 1)
        })
        .await
    }

    /// Deletes a project. Runs that were started for it go, too, if they have ended and no other project has them. With an `owner`,
    /// only a project that this owner made.
    pub async fn delete_project(&self, id: &str, owner: Option<String>) -> Result<Deletion, StoreError> {
        let id = id.to_string();
        self.call(move |c| {
            let tx = c.transaction()?;
            // The maker is the author of the first statement, which is never changed.
            let sql = "SELECT (SELECT changed_by FROM statements WHERE project = p.id AND part = ?2 ORDER BY revision LIMIT 1)
                FROM projects p WHERE p.id = ?1";
            let maker =
                tx.query_row(sql, params![id, Part::Requirements.name()], |r| r.get::<_, Option<String>>(0)).optional()?;
            let Some(maker) = maker else { return Ok(Deletion::Missing) };
            if owner.is_some() && owner != maker {
                return Ok(Deletion::NotYours);
            }
            let own: Vec<String> = {
                let mut query = tx.prepare(
                    "SELECT job FROM version_jobs JOIN jobs ON jobs.id = job
                     WHERE project = ?1 AND own = 1 AND state NOT IN ('queued', 'running')
                     AND NOT EXISTS (SELECT 1 FROM version_jobs other WHERE other.job = jobs.id AND other.project <> ?1)",
                )?;
                let rows = query.query_map([&id], |r| r.get(0))?;
                rows.collect::<Result<_, _>>()?
            };
            tx.execute("DELETE FROM projects WHERE id = ?1", [&id])?;
            for job in own {
                tx.execute("DELETE FROM jobs WHERE id = ?1", [job])?;
            }
            tx.commit()?;
            Ok(Deletion::Done)
        })
        .await
    }
}

fn find(c: &Connection, id: &str) -> Result<Option<Project>, StoreError> {
    let mut query = c.prepare_cached(&format!("SELECT {COLUMNS} FROM projects p WHERE p.id = ?1"))?;
    Ok(query.query_row([id], project).optional()?)
}

fn project(r: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: r.get(0)?,
        name: r.get(1)?,
        note: r.get(2)?,
        created_ms: r.get(3)?,
        changed_by: r.get(4)?,
        revision: r.get(5)?,
    })
}

#[cfg(test)]
mod tests;
