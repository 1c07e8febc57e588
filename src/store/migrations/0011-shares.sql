-- Shares of the queue and of the disk, per owner: the name of a user, or the address of a visitor where there are no accounts.
ALTER TABLE jobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;       -- number of the claim; the newest turn of an owner counts
CREATE INDEX jobs_by_owner ON jobs (owner, state, turn);
CREATE INDEX jobs_by_turn ON jobs (turn);
CREATE TABLE uploads (
    owner         TEXT NOT NULL,
    program       TEXT NOT NULL REFERENCES programs (id) ON DELETE CASCADE,
    size_bytes    INTEGER NOT NULL,
    at_ms         INTEGER NOT NULL,                                -- first upload: counts to the share of that day
    seen_ms       INTEGER NOT NULL,                                -- last upload: counts to retention
    PRIMARY KEY (owner, program)
) STRICT, WITHOUT ROWID;
