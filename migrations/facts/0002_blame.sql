-- Where the lines of committed files come from: a few contents of each path, those asked for last.
CREATE TABLE blame (
    path         TEXT NOT NULL,      -- relative to the repository, with '/'
    content_hash BLOB NOT NULL,      -- SHA-256 of the bytes
    head         TEXT NOT NULL,      -- the commit that was looked into: holds for what comes after it
    made         INTEGER NOT NULL,   -- seconds since the Unix epoch
    data         BLOB NOT NULL,      -- the encoded runs and commits
    PRIMARY KEY (path, content_hash)
) WITHOUT ROWID;
