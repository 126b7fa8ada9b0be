-- What was kept before commit messages and authors were masked may hold credentials: all of it is read again. Freed pages are
-- overwritten, so that nothing of it stays in the file.
PRAGMA secure_delete = ON;
DELETE FROM facts;
DELETE FROM blame;
DELETE FROM commits;
DELETE FROM history;
DELETE FROM histories;
PRAGMA secure_delete = OFF;
