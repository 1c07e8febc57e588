-- What users state about programs: immutable, named by its content.
CREATE TABLE specifications (
    id          TEXT PRIMARY KEY,               -- SHA-256 of the JSON, hex
    json        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
