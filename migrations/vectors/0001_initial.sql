-- The vectors of symbols, sections and files, as a model gave them. They can be computed again from the files.

-- One row for each file of the workspace and model. `file` covers the path and the content of the file.
CREATE TABLE vectors (
    model   BLOB NOT NULL,           -- identity of the model
    file    BLOB NOT NULL,           -- identity of the text
    symbols INTEGER NOT NULL,        -- number of vectors of symbols of code and of sections
    sum     INTEGER NOT NULL,        -- XXH3 of the row
    data    BLOB NOT NULL,           -- a block of vectors
    PRIMARY KEY (model, file)
);
