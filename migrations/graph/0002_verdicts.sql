-- What language servers said of references. Rebuildable: everything here can be asked again.

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
    data    BLOB NOT NULL,      -- the rest, encoded
    UNIQUE (subject, body, nth, server)
);
