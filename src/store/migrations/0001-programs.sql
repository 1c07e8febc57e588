-- What users upload: immutable, named by its content.
CREATE TABLE programs (
    id          TEXT PRIMARY KEY,               -- SHA-256 over names and texts, hex
    label       TEXT NOT NULL,
    size_bytes  INTEGER NOT NULL,
    created_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX programs_by_time ON programs (created_ms);

CREATE TABLE sources (
    program     TEXT NOT NULL REFERENCES programs (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    name        TEXT NOT NULL,
    text        TEXT NOT NULL,
    note        TEXT,                           -- how its bytes were read, where that had to be guessed
    PRIMARY KEY (program, position)
) STRICT, WITHOUT ROWID;

-- What a version of the tool understood of a program: made once, kept.
CREATE TABLE imports (
    program     TEXT NOT NULL REFERENCES programs (id) ON DELETE CASCADE,
    tool        TEXT NOT NULL,
    outcome     TEXT NOT NULL,                  -- JSON
    PRIMARY KEY (program, tool)
) STRICT, WITHOUT ROWID;
