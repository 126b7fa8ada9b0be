-- What is read back is checked: each row carries a checksum (XXH3, 64 bits) over its key and its data. What has none is
-- read again from the files and from git.

DROP TABLE facts;
DROP TABLE blame;
DROP TABLE history;
DROP TABLE histories;
DROP TABLE commits;

CREATE TABLE facts (
    content_hash BLOB NOT NULL,      -- SHA-256 of the bytes
    language     TEXT NOT NULL,
    version      INTEGER NOT NULL,   -- extractor version
    used         INTEGER NOT NULL,   -- day of the last use, counted from the Unix epoch
    size         INTEGER NOT NULL,   -- bytes of data
    sum          INTEGER NOT NULL,   -- checksum of the key and the data
    data         BLOB NOT NULL,      -- LZ4 of the encoded facts
    PRIMARY KEY (content_hash, language, version)
);
CREATE INDEX facts_by_use ON facts (used);

CREATE TABLE blame (
    path         TEXT NOT NULL,      -- relative to the repository, with '/'
    content_hash BLOB NOT NULL,      -- SHA-256 of the bytes
    head         TEXT NOT NULL,      -- the commit that was looked into: holds for what comes after it
    made         INTEGER NOT NULL,   -- seconds since the Unix epoch
    sum          INTEGER NOT NULL,   -- checksum of the key, the commit and the data
    data         BLOB NOT NULL,      -- the encoded runs and commits
    PRIMARY KEY (path, content_hash)
) WITHOUT ROWID;

CREATE TABLE commits (
    id      TEXT PRIMARY KEY,        -- lower-case hex
    version INTEGER NOT NULL,        -- of the rules by which it was read
    lines   INTEGER NOT NULL,        -- 1: the changed lines were looked at
    sum     INTEGER NOT NULL,        -- checksum of the rest of the row
    data    BLOB NOT NULL            -- the encoded facts
) WITHOUT ROWID;

-- The workspaces (worktrees) whose histories are kept, those used last.
CREATE TABLE histories (
    workspace TEXT PRIMARY KEY,      -- canonical path
    head      TEXT NOT NULL,         -- the commit from which it was read
    used      INTEGER NOT NULL,      -- seconds since the Unix epoch
    sum       INTEGER NOT NULL       -- checksum of the workspace, the head and the commits in their order
) WITHOUT ROWID;
CREATE TABLE history (
    workspace TEXT NOT NULL REFERENCES histories (workspace) ON DELETE CASCADE,
    place     INTEGER NOT NULL,      -- 0 is the newest
    id        TEXT NOT NULL,
    PRIMARY KEY (workspace, place)
) WITHOUT ROWID;
CREATE INDEX history_by_commit ON history (id);
