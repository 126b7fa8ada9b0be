-- What test runs and traces showed, as `kenning runs import` read it. Importing the files again restores it.

-- One row for each import. `data` has the tests, the symbols that they ran and the calls that were observed.
CREATE TABLE batches (
    id   INTEGER PRIMARY KEY,
    sum  INTEGER NOT NULL,           -- XXH3 of the data
    data BLOB NOT NULL
);

-- The number of rows of a table and the sum of their checksums, modulo 2^64.
CREATE TABLE digests (
    name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL,
    sum  INTEGER NOT NULL
) WITHOUT ROWID;
