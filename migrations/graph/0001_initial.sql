-- The code graph of one workspace as it stands on the disk. Rebuildable: everything here follows from the files.

-- Single values: lineage, revision, extractor version, project fingerprint, times.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
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
    calls_resolved   INTEGER NOT NULL DEFAULT 0,
    calls_ambiguous  INTEGER NOT NULL DEFAULT 0,
    calls_external   INTEGER NOT NULL DEFAULT 0,
    calls_unresolved INTEGER NOT NULL DEFAULT 0,
    lookups      BLOB NOT NULL           -- sorted u32 little-endian: what resolution looked up
);
CREATE INDEX files_by_revision ON files (revision);

-- Files that are gone, so that a base image of an earlier revision can be brought up to date.
CREATE TABLE removed_files (
    path     TEXT PRIMARY KEY,
    revision INTEGER NOT NULL
) WITHOUT ROWID;

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

CREATE TABLE edge_kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE provenances (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

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
