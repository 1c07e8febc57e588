-- Audit log: each row holds the hash of itself and of the row before it.
CREATE TABLE audit (
    number        INTEGER PRIMARY KEY,            -- from 1, without gaps
    at_ms         INTEGER NOT NULL,
    who           TEXT NOT NULL,                  -- name of the user; empty before a log-in
    via           TEXT NOT NULL,                  -- session, token with its id, command line, service
    address       TEXT NOT NULL,                  -- of the client; empty on this machine
    action        TEXT NOT NULL,
    object        TEXT NOT NULL,
    result        TEXT NOT NULL CHECK (result IN ('done', 'refused', 'failed')),
    hash          TEXT NOT NULL                   -- SHA-256, hex
) STRICT;
-- Ends of the chain: the last row that retention removed, and the newest row.
CREATE TABLE audit_ends (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    start_number  INTEGER NOT NULL,
    start_hash    TEXT NOT NULL,
    last_number   INTEGER NOT NULL,
    last_hash     TEXT NOT NULL
) STRICT;
INSERT INTO audit_ends VALUES (1, 0, '', 0, '');
