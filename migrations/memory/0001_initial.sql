-- What the user taught Kenning. Never dropped by a re-index, a migration or a damaged graph.

CREATE TABLE feedback (
    id           INTEGER PRIMARY KEY,
    symbol_hash  BLOB NOT NULL,
    cluster      BLOB NOT NULL,      -- hash of the task's sorted primary keywords (seed 000, feedback)
    useful       INTEGER NOT NULL,
    package_root BLOB NOT NULL,      -- structure root of the symbol's package at that time: expiry
    at           INTEGER NOT NULL    -- seconds since the Unix epoch
);
CREATE INDEX feedback_by_symbol ON feedback (symbol_hash);

CREATE TABLE vocabulary (
    keyword      TEXT NOT NULL,
    symbol_hash  BLOB NOT NULL,
    count        INTEGER NOT NULL,
    package_root BLOB NOT NULL,
    last_seen    INTEGER NOT NULL,
    PRIMARY KEY (keyword, symbol_hash)
) WITHOUT ROWID;
