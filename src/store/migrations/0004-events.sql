-- What runs said while they worked, in order; the numbers are the SSE ids.
CREATE TABLE events (
    job         TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    sequence    INTEGER NOT NULL,
    at_ms       INTEGER NOT NULL,
    data        TEXT NOT NULL,                  -- JSON
    PRIMARY KEY (job, sequence)
) STRICT, WITHOUT ROWID;
