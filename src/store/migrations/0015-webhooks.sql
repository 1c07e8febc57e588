-- Addresses that are told of the end of runs, and what was sent to them.
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    created_by TEXT NOT NULL
) STRICT;
CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    created_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_ms INTEGER,
    ended_ms INTEGER,
    result TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX deliveries_by_time ON deliveries (next_ms) WHERE next_ms IS NOT NULL;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook, id);
CREATE INDEX deliveries_by_job ON deliveries (job);
