-- queued → running → succeeded | failed | cancelled | timed_out | interrupted
CREATE TABLE jobs (
    id              TEXT PRIMARY KEY,           -- UUID v7: sorts by time
    program         TEXT NOT NULL REFERENCES programs (id),
    specification   TEXT NOT NULL REFERENCES specifications (id),
    strategy        TEXT NOT NULL,              -- JSON
    wall_s          INTEGER NOT NULL,
    memory_mb       INTEGER NOT NULL,
    planned         TEXT NOT NULL,              -- JSON: ids and sentences of the requirements to decide
    state           TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'timed_out', 'interrupted')),
    cancel          INTEGER NOT NULL DEFAULT 0, -- somebody asked for its end
    attempts        INTEGER NOT NULL DEFAULT 0,
    reason          TEXT,                       -- why it failed, one sentence
    created_ms      INTEGER NOT NULL,
    started_ms      INTEGER,
    ended_ms        INTEGER,
    tally           TEXT                        -- JSON: verdicts counted, once it has ended
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_by_state ON jobs (state, id);
CREATE INDEX jobs_by_program ON jobs (program, id);
