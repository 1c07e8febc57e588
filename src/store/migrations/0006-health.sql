-- One row that is written to see whether the disk takes writes.
CREATE TABLE health (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    checked_ms  INTEGER NOT NULL
) STRICT;
