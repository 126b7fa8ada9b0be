-- The first symbols of packs, by the keywords of their task, if the option `learning.taskMemory` is on.

CREATE TABLE task_memory (
    keywords     TEXT NOT NULL,      -- the task's keywords, sorted and separated by spaces
    symbol_hash  BLOB NOT NULL,
    package_root BLOB NOT NULL,      -- structure root of the symbol's package at that time: expiry
    at           INTEGER NOT NULL,   -- seconds since the Unix epoch
    sum          INTEGER NOT NULL,
    PRIMARY KEY (keywords, symbol_hash, package_root)
) WITHOUT ROWID;
