-- The project that a run was started for: the evidence of its runs is tried first.
ALTER TABLE jobs ADD COLUMN for_project TEXT;

-- Position of the requirement in the report, from 1, and whether its answer was reused; unknown for verdicts listed before.
ALTER TABLE verdicts ADD COLUMN number INTEGER;
ALTER TABLE verdicts ADD COLUMN reused INTEGER NOT NULL DEFAULT 0;
-- Digest of the code that can decide the requirement; unknown for verdicts listed before.
ALTER TABLE verdicts ADD COLUMN cone TEXT;

-- Counterexamples that a user keeps with a reason. The verdict stays: the requirement is broken.
CREATE TABLE kept_findings (
    id          INTEGER PRIMARY KEY,
    project     TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    statement   TEXT NOT NULL,                  -- hash of pattern, meaning and text
    requirement TEXT NOT NULL,                  -- its id at that time
    cone        TEXT NOT NULL,                  -- digest of the code at that time
    job         TEXT NOT NULL,                  -- the run whose counterexample it is about
    reason      TEXT NOT NULL,
    at_ms       INTEGER NOT NULL,
    changed_by  TEXT NOT NULL,
    ended_ms    INTEGER                         -- taken back
) STRICT;

CREATE INDEX kept_findings_by_project ON kept_findings (project, statement);
