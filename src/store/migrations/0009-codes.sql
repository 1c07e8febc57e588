-- One-time codes with which users choose a password. The code is kept as a hash alone.
CREATE TABLE codes (
    user          INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    hash          TEXT NOT NULL,
    expires_ms    INTEGER NOT NULL
) STRICT;
