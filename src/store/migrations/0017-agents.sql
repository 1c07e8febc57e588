-- Agents of a fleet whose evidence did not show what they claimed.
CREATE TABLE agents (
    name        TEXT PRIMARY KEY,
    refuted     INTEGER NOT NULL,               -- claims
    job         TEXT NOT NULL,                  -- the last run with one
    at_ms       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
