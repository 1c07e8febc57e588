-- A machine whose program is checked again with each version.
CREATE TABLE projects (
    id          TEXT PRIMARY KEY,               -- UUID v7: sorts by time
    name        TEXT NOT NULL,
    note        TEXT NOT NULL,
    created_ms  INTEGER NOT NULL,
    changed_by  TEXT NOT NULL,
    revision    INTEGER NOT NULL                -- counts changes of name and note
) STRICT, WITHOUT ROWID;

CREATE TABLE versions (
    project     TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,               -- from 1
    program     TEXT NOT NULL REFERENCES programs (id),
    label       TEXT NOT NULL,
    created_ms  INTEGER NOT NULL,
    changed_by  TEXT NOT NULL,
    PRIMARY KEY (project, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX versions_by_program ON versions (program);

-- Runs of a version; the newest one counts.
CREATE TABLE version_jobs (
    project     TEXT NOT NULL,
    number      INTEGER NOT NULL,
    job         TEXT NOT NULL REFERENCES jobs (id),
    own         INTEGER NOT NULL,               -- 1: started for this version; 0: a single run before
    listed      INTEGER NOT NULL DEFAULT 0,     -- 1: its verdicts are in the table below
    PRIMARY KEY (project, number, job),
    FOREIGN KEY (project, number) REFERENCES versions (project, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX version_jobs_by_job ON version_jobs (job);

-- Requirements and environment of a project: each change, nothing overwritten. The last `after` is valid.
CREATE TABLE statements (
    project     TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    part        TEXT NOT NULL CHECK (part IN ('requirements', 'environment')),
    revision    INTEGER NOT NULL,               -- from 1, without gaps
    at_ms       INTEGER NOT NULL,
    changed_by  TEXT NOT NULL,
    before      TEXT NOT NULL,                  -- YAML
    after       TEXT NOT NULL,                  -- YAML
    PRIMARY KEY (project, part, revision)
) STRICT, WITHOUT ROWID;

-- Verdicts of runs of versions, from their outcomes, for questions about many versions.
CREATE TABLE verdicts (
    job         TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    requirement TEXT NOT NULL,
    statement   TEXT NOT NULL,                  -- hash of pattern, meaning and text
    class       TEXT NOT NULL,
    PRIMARY KEY (job, requirement)
) STRICT, WITHOUT ROWID;
