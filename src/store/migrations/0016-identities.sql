-- Users of a log-in service (OpenID Connect), as that service names them. A user without a row logs in with a password.
CREATE TABLE identities (
    issuer        TEXT NOT NULL,
    subject       TEXT NOT NULL,
    user          INTEGER NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
