-- The private key that signs reports: made at the first signed report. Backups contain it.
CREATE TABLE signing_key (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seed BLOB NOT NULL
) STRICT;
