-- People, their sessions, and tokens of programs. Passwords, session ids and secrets are kept as hashes alone.
CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    password      TEXT NOT NULL,                  -- Argon2id, PHC string
    role          TEXT NOT NULL CHECK (role IN ('viewer', 'engineer', 'admin', 'auditor')),
    disabled      INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
    created_ms    INTEGER NOT NULL
) STRICT;
CREATE TABLE sessions (
    hash          TEXT NOT NULL PRIMARY KEY,      -- SHA-256 of the id in the cookie
    user          INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_ms    INTEGER NOT NULL,
    seen_ms       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user);
CREATE TABLE tokens (
    id            TEXT NOT NULL PRIMARY KEY,
    hash          TEXT NOT NULL,                  -- SHA-256 of the secret
    user          INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label         TEXT NOT NULL,
    scope         TEXT NOT NULL CHECK (scope IN ('read', 'run', 'admin')),
    created_ms    INTEGER NOT NULL,
    expires_ms    INTEGER NOT NULL,
    used_ms       INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_user ON tokens (user);
