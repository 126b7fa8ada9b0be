-- Files that a program wrote or copied, so that no one edits them. One row per piece of evidence.
CREATE TABLE derived_files (
    path     TEXT NOT NULL,   -- relative to the workspace, with '/'
    evidence TEXT NOT NULL,   -- text, surroundings, definitions
    reason   TEXT NOT NULL,   -- generated, built, vendored
    sum      INTEGER NOT NULL,
    PRIMARY KEY (path, evidence)
) WITHOUT ROWID;
