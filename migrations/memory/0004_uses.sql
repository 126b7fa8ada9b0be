-- What use teaches: which symbols of a pack the user then opened or edited, and which words led to them.
-- The table `vocabulary` of the first step had no writer and so never had a row.

DROP TABLE vocabulary;

CREATE TABLE uses (
    symbol_hash  BLOB NOT NULL,
    cluster      BLOB NOT NULL,
    package_root BLOB NOT NULL,      -- structure root of the symbol's package at that time: expiry
    used         INTEGER NOT NULL,   -- number of packs whose reader used the symbol
    unused       INTEGER NOT NULL,   -- number of packs whose reader did not
    at           INTEGER NOT NULL,   -- seconds since the Unix epoch
    sum          INTEGER NOT NULL,
    PRIMARY KEY (symbol_hash, cluster, package_root)
) WITHOUT ROWID;

CREATE TABLE vocabulary (
    keyword      TEXT NOT NULL,
    symbol_hash  BLOB NOT NULL,
    cluster      BLOB NOT NULL,
    package_root BLOB NOT NULL,
    count        INTEGER NOT NULL,   -- number of packs for tasks with the keyword whose reader used the symbol
    at           INTEGER NOT NULL,
    sum          INTEGER NOT NULL,
    PRIMARY KEY (keyword, symbol_hash, cluster, package_root)
) WITHOUT ROWID;
