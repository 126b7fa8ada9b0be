-- Extraction results by content: shared by all worktrees of a repository, size-capped, least recently used first out.
CREATE TABLE facts (
    content_hash BLOB NOT NULL,      -- SHA-256 of the bytes
    language     TEXT NOT NULL,
    version      INTEGER NOT NULL,   -- extractor version
    used         INTEGER NOT NULL,   -- day of the last use, counted from the Unix epoch
    size         INTEGER NOT NULL,   -- bytes of data
    data         BLOB NOT NULL,      -- LZ4 of the encoded facts
    PRIMARY KEY (content_hash, language, version)
);
CREATE INDEX facts_by_use ON facts (used);
