-- Everything that is known after a run. Pages and exports are rendered from it alone.
CREATE TABLE outcomes (
    job         TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    json        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
