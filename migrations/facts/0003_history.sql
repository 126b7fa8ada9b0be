-- What commits say and touch: each is read once. A commit stays as long as the history of a workspace holds it.
CREATE TABLE commits (
    id      TEXT PRIMARY KEY,        -- lower-case hex
    version INTEGER NOT NULL,        -- of the rules by which it was read
    lines   INTEGER NOT NULL,        -- 1: the changed lines were looked at
    data    BLOB NOT NULL            -- the encoded facts
) WITHOUT ROWID;
-- The workspaces (worktrees) whose histories are kept, those used last.
CREATE TABLE histories (
    workspace TEXT PRIMARY KEY,      -- canonical path
    head      TEXT NOT NULL,         -- the commit from which it was read
    used      INTEGER NOT NULL       -- seconds since the Unix epoch
) WITHOUT ROWID;
CREATE TABLE history (
    workspace TEXT NOT NULL REFERENCES histories (workspace) ON DELETE CASCADE,
    place     INTEGER NOT NULL,      -- 0 is the newest
    id        TEXT NOT NULL,
    PRIMARY KEY (workspace, place)
) WITHOUT ROWID;
CREATE INDEX history_by_commit ON history (id);
