-- What is read back is checked: each row carries a checksum (XXH3, 64 bits) over what is read of it, and each table a
-- digest of its rows, so that a row that is lost, or was put back from before, is found too. Everything in this database
-- can be made again from the files, and is.

DROP VIEW edge_list;
DROP TABLE edges;
DROP TABLE symbols;
DROP TABLE removed_files;
DROP TABLE files;
DROP TABLE verdicts;
DROP TABLE verdict_servers;
DROP TABLE meta;

-- The number of rows of a table and the sum of their checksums, modulo 2^64.
CREATE TABLE digests (
    name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL,
    sum  INTEGER NOT NULL
) WITHOUT ROWID;

-- Single values: lineage, revision, extractor version, project fingerprint, times.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    sum   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE files (
    id           INTEGER PRIMARY KEY,
    path         TEXT NOT NULL UNIQUE,   -- relative to the workspace, with '/'
    language     TEXT NOT NULL,
    package      TEXT NOT NULL,          -- declared package or namespace
    content_hash BLOB NOT NULL,          -- SHA-256 of the bytes
    size         INTEGER NOT NULL,
    mtime_ns     INTEGER NOT NULL,
    lines        INTEGER NOT NULL,
    revision     INTEGER NOT NULL,       -- the change that last touched its symbols or edges
    resolution   INTEGER NOT NULL,       -- checksum of the calls, lookups and edges
    sum          INTEGER NOT NULL,       -- checksum of the columns before it
    calls_resolved   INTEGER NOT NULL DEFAULT 0,
    calls_ambiguous  INTEGER NOT NULL DEFAULT 0,
    calls_external   INTEGER NOT NULL DEFAULT 0,
    calls_unresolved INTEGER NOT NULL DEFAULT 0,
    lookups      BLOB NOT NULL           -- sorted u32 little-endian: what resolution looked up
);

-- Files that are gone, so that a base image of an earlier revision can be brought up to date.
CREATE TABLE removed_files (
    path     TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    sum      INTEGER NOT NULL
) WITHOUT ROWID;

-- Checked by the checksums of the edges that they are an end of.
CREATE TABLE symbols (
    id         INTEGER PRIMARY KEY,
    file_id    INTEGER REFERENCES files (id) ON DELETE CASCADE,  -- NULL: outside the workspace
    position   INTEGER NOT NULL,   -- 0: the file itself; then source order
    hash       BLOB NOT NULL,      -- identity
    parent     INTEGER,            -- position of the enclosing symbol in the same file
    name       TEXT NOT NULL,
    container  TEXT NOT NULL,      -- dotted path inside the file; for outside symbols the package
    kind       TEXT NOT NULL,
    signature  TEXT NOT NULL,
    doc        TEXT NOT NULL,
    start_line INTEGER NOT NULL,   -- 0-based
    end_line   INTEGER NOT NULL,
    visibility TEXT NOT NULL,
    is_test    INTEGER NOT NULL
);
CREATE UNIQUE INDEX symbols_by_hash ON symbols (hash);
CREATE INDEX symbols_by_file ON symbols (file_id, position);
CREATE INDEX symbols_by_name ON symbols (name);

-- One row per (owner, source, target, kind). 'contains' and 'tested_by' are the mirrors of 'member_of' and
-- 'tests': see the view.
CREATE TABLE edges (
    owner      INTEGER NOT NULL,   -- the file whose text shows the edge
    source     INTEGER NOT NULL,
    target     INTEGER NOT NULL,
    kind       INTEGER NOT NULL REFERENCES edge_kinds (id),
    provenance INTEGER NOT NULL REFERENCES provenances (id),
    confidence INTEGER NOT NULL,   -- hundredths
    line       INTEGER,            -- 0-based line of the first site
    PRIMARY KEY (owner, source, kind, target)
) WITHOUT ROWID;

-- The edges as people read them.
CREATE VIEW edge_list AS
    SELECT s.container || '.' || s.name AS source, t.container || '.' || t.name AS target, k.name AS kind,
           p.name AS provenance, e.confidence / 100.0 AS confidence, f.path AS path, e.line + 1 AS line
      FROM edges e
      JOIN symbols s ON s.id = e.source
      JOIN symbols t ON t.id = e.target
      JOIN edge_kinds k ON k.id = e.kind
      JOIN provenances p ON p.id = e.provenance
      JOIN files f ON f.id = e.owner;

-- What language servers said of references.
CREATE TABLE verdict_servers (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    version TEXT NOT NULL,
    UNIQUE (name, version)
);

-- One row per reference, state of the text around it and server; the order of the rows is the order of the answers.
CREATE TABLE verdicts (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    subject BLOB NOT NULL,      -- identity of the symbol around the reference, or of the one that was asked about
    body    INTEGER NOT NULL,   -- the symbol's text
    nth     INTEGER NOT NULL,   -- place among its references; -1: what was discovered about it
    server  INTEGER NOT NULL REFERENCES verdict_servers (id),
    rules   INTEGER NOT NULL,   -- rules by which references are counted
    sum     INTEGER NOT NULL,   -- checksum of the rest of the row, with name and version of the server
    data    BLOB NOT NULL,      -- the rest, encoded
    UNIQUE (subject, body, nth, server)
);
