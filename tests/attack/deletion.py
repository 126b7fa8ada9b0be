"""Names everything that a path can be as the database, and puts files of others next to databases
and into the cache, before `kenning cache clear` and `cache prune` remove what is Kenning's.

Criterion: no file, folder or link that Kenning did not write is gone or changed, no folder of a
named database is gone, and without `--yes` nothing is removed.
"""

import os
import pathlib
import sqlite3
import stat
import subprocess

from .workspaces import write_file

MINE = "mine: not a file of Kenning\n"
# The ends of the names of entries next to a database. Kenning gives the first nine, or similar ones.
COMPANIONS = (
    ".packs",
    ".sockets",
    ".base",
    ".lock",
    ".workspace",
    ".db-wal",
    ".db-shm",
    ".db-journal",
    ".new-1",
    ".new-notes",
    ".db.damaged-by-me",
    ".db.bak",
    ".txt",
)
# Entries in the folder of an index, and in the cache itself.
IN_INDEX_FOLDER = ("notes.txt", "graph.txt", "graph.new-notes", "graph.db.bak", "packs", "graph.sockets", "vectors.db")
IN_CACHE = ("shown", "servers", "last-prune", "Other-0123456789abcdef", "facts-0123456789abcdef", "notes.txt")


def run(context):
    """Tries named databases, companions of a database, and the cache."""
    try_named_paths(context)
    try_companions(context)
    try_cache(context)
    try_database_in_use(context)
    try_without_answer(context)


def snapshot(folder):
    """Returns every entry below a folder: its type with the content of a file or the target of a
    link."""
    entries = {}
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = pathlib.Path(parent, name)
            if path.is_symlink():
                entries[path] = ("link", os.readlink(path))
            elif path.is_dir():
                entries[path] = ("folder", None)
            elif path.is_file():
                entries[path] = ("file", path.read_bytes())
            else:
                entries[path] = ("other", None)
    return entries


def expect_kept(context, label, before, folder):
    """Expects that each entry of `before` is still the same."""
    after = snapshot(folder)
    context.count("entries", len(before))
    lost = [str(path.relative_to(folder)) for path, entry in before.items() if after.get(path) != entry]
    context.expect(not lost, f"{label}: gone or changed: {', '.join(sorted(lost)[:5])}")


def write_foreign(path, form, outside):
    """Writes an entry that is not Kenning's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if form == "file":
        path.write_text(MINE, encoding="utf-8")
    elif form == "folder":
        write_file(path / "deep/notes.md", MINE)
        write_file(path / "editor-notes.txt", MINE)
        write_file(path / "list.json", MINE)
    elif form == "empty folder":
        path.mkdir()
    elif form == "link to a file":
        path.symlink_to(outside / "notes.txt")
    elif form == "link to a folder":
        path.symlink_to(outside)
    elif form == "broken link":
        path.symlink_to(outside / "missing")
    elif form == "pipe":
        os.mkfifo(path)


def write_outside(folder):
    """Writes the files to which links lead."""
    for name in ("notes.txt", "agent-x.md", "editor-notes.txt", "deep/graph.db", "graph.base"):
        write_file(folder / name, MINE)
    return folder


def write_database(path, *statements):
    """Writes a SQLite database of another program."""
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def named_paths(folder, index):
    """Writes entries that are not databases of Kenning, each alone in its folder. Yields their
    names and paths. `index` is a database of Kenning."""
    outside = write_outside(folder / "outside")
    forms = ("file", "folder", "empty folder", "link to a file", "link to a folder", "broken link", "pipe")
    for form in forms:
        for name in ("thing", "thing.db", ".hidden"):
            path = folder / f"{form}-{name}" / name
            write_foreign(path, form, outside)
            yield f"a {form} called {name}", path
    contents = {
        "empty": b"",
        "zeros": bytes(9000),
        "short": b"x",
        "almost a header": b"SQLite format 3\0" + bytes(30),
        "an image": b"KENNBASE" + bytes(9000),
        "a record": b'root = "/w"\nid = "1"\n',
    }
    for name, content in contents.items():
        path = folder / name / "data.db"
        path.parent.mkdir()
        path.write_bytes(content)
        yield name, path
    databases = {
        "a database of another program": ("CREATE TABLE t (x)",),
        "a database with another id": ("CREATE TABLE t (x)", "PRAGMA application_id = 7"),
        "a database without tables": ("PRAGMA user_version = 3",),
    }
    for name, statements in databases.items():
        path = folder / name / "data.db"
        path.parent.mkdir()
        write_database(path, *statements)
        yield name, path
    path = folder / "a link to an index/link.db"
    path.parent.mkdir()
    path.symlink_to(index)
    yield "a link to an index", path
    if os.geteuid() == 0:
        # A device of its own, so that a failure of Kenning does not remove that of the machine.
        device = folder / "a device/null"
        device.parent.mkdir()
        os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        yield "a device", device
    yield "a missing file", folder / "empty folder-thing/missing.db"
    yield "the folder of the workspace", folder.parent / "workspace"
    yield "a file of the workspace", folder.parent / "workspace/a.py"


def try_named_paths(context):
    """Names each path by `--db` and by KENNING_DB."""
    case = context.case("named")
    case.write("a.py", "def alpha():\n    return 1\n")
    folder = case.folder / "paths"
    folder.mkdir()
    index = case.folder / "index/my.db"
    case.run("index", "--db", index)
    paths = list(named_paths(folder, index))
    commands = (("clear",), ("clear", "--json"), ("clear", "--all"), ("prune", "--older-than", "0s"))
    for label, path in paths[::4] if context.is_quick else paths:
        for command in commands[:1] if context.is_quick else commands:
            for way in ("flag", "variable"):
                if way == "flag" and command[0] == "prune":
                    continue
                before = snapshot(case.folder / "paths") | snapshot(case.workspace) | snapshot(index.parent)
                where = () if command[0] == "prune" or "--all" in command else ("--root", case.workspace)
                flag = ("--db", path) if way == "flag" else ()
                env = {"KENNING_DB": str(path)} if way == "variable" else {}
                run_of_command = case.lab.run("cache", *command, "--yes", *where, *flag, env=env, timeout=30)
                name = f"{label}, {' '.join(command)} by {way}"
                context.expect(run_of_command.is_orderly(), f"{name}: {run_of_command.describe()}")
                expect_kept(context, name, before, case.folder)
                context.count("named paths")


def try_companions(context):
    """Puts an entry of another program next to an index, and clears the index."""
    forms = ("file", "folder", "link to a file", "link to a folder", "broken link", "pipe")
    for number, end in enumerate(context.choose(COMPANIONS, COMPANIONS[:2])):
        for form in context.choose(forms, (forms[0], forms[3])):
            case = context.case(f"companion-{number}-{form.replace(' ', '-')}")
            case.write("a.py", "def alpha():\n    return 1\n")
            folder = case.folder / "own/index"
            outside = write_outside(case.folder / "outside")
            case.run("index", "--db", folder / "my.db")
            path = folder / f"my{end}"
            if path.is_file():
                path.unlink()
            elif path.is_dir():
                for file in path.iterdir():
                    file.unlink()
                path.rmdir()
            write_foreign(path, form, outside)
            foreign = {entry: kind for entry, kind in snapshot(folder).items() if entry == path or path in entry.parents}
            before = foreign | snapshot(outside) | {folder: ("folder", None)}
            cleared = case.lab.run("cache", "clear", "--yes", "--root", case.workspace, "--db", folder / "my.db", timeout=30)
            name = f"my{end} as a {form}"
            context.expect(cleared.is_orderly(), f"{name}: {cleared.describe()}")
            expect_kept(context, name, before, case.folder)
            context.count("companions")
            # The other commands must not overwrite or remove it either.
            for command in ("index", "pack"):
                arguments = ("alpha",) if command == "pack" else ()
                other = case.run(command, *arguments, "--db", folder / "my.db", timeout=60)
                context.expect(other.is_orderly(), f"{name}, {command}: {other.describe()}")
                expect_kept(context, f"{name}, {command}", before, case.folder)


def try_cache(context):
    """Puts entries of others into the cache and into the folder of an index."""
    forms = ("file", "folder", "link to a file", "link to a folder")
    for form in context.choose(forms, forms[::2]):
        for place, names in {"index": IN_INDEX_FOLDER, "cache": IN_CACHE}.items():
            case = context.case(f"cache-{place}-{form.replace(' ', '-')}")
            case.write("a.py", "def alpha():\n    return 1\n")
            outside = write_outside(case.folder / "outside")
            case.run("index")
            case.run("pack", "alpha")
            cache = case.lab.cache / "kenning"
            target = next(cache.glob("workspace-*")) if place == "index" else cache
            foreign = {}
            for name in names:
                path = target / name
                if path.is_symlink() or path.is_file():
                    path.unlink()
                if not path.exists():
                    write_foreign(path, form, outside)
                else:
                    # Kenning's own folder keeps a file of the user.
                    path = path / "list.json"
                    write_foreign(path, "file", outside)
                entries = {path} | ({entry for entry in snapshot(target) if path in entry.parents})
                foreign |= {entry: kind for entry, kind in snapshot(target).items() if entry in entries}
            # A regular file with the name of a database counts as a damaged one in a folder of the
            # cache whose record names the folder.
            if place == "index":
                foreign = {entry: kind for entry, kind in foreign.items() if kind[0] != "file" or entry.name != "vectors.db"}
            before = foreign | snapshot(outside) | snapshot(case.workspace)
            for command in (("prune", "--older-than", "0s", "--learned"), ("clear", "--all", "--learned"), ("clear", "--root", case.workspace)):
                cleared = case.lab.run("cache", *command, "--yes", timeout=30)
                name = f"the {place} with each {form}, {command[0]}"
                context.expect(cleared.is_orderly(), f"{name}: {cleared.describe()}")
                expect_kept(context, name, before, case.folder)
                context.count("caches")


def try_database_in_use(context):
    """Clears a database that a session has open, and one whose first index was killed."""
    case = context.case("in-use")
    case.write_ring(40)
    database = case.folder / "own/my.db"
    case.run("index", "--db", database)
    write_file(database.parent / "notes.txt", MINE)
    session = case.lab.serve(case.workspace, env={"KENNING_DB": str(database)})
    session.wait_until_ready()
    before = {path: kind for path, kind in snapshot(database.parent).items() if path.name in ("my.db", "my.base", "notes.txt")}
    cleared = case.lab.run("cache", "clear", "--yes", "--root", case.workspace, "--db", database)
    context.expect(cleared.status == 1 and "in use" in cleared.err, f"in use: {cleared.describe()}")
    expect_kept(context, "a database in use", before, case.folder)
    context.expect(session.close() == 0, "the session did not end properly")
    for number in range(context.choose(12, 3)):
        killed = case.folder / f"killed-{number}/my.db"
        write_file(killed.parent / "notes.txt", MINE)
        process = case.lab.start("index", case.workspace, "--db", killed)
        try:
            process.wait(0.01 * (number + 1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        cleared = case.lab.run("cache", "clear", "--yes", "--root", case.workspace, "--db", killed)
        context.expect(cleared.is_orderly(), f"killed while it indexed: {cleared.describe()}")
        expect_kept(context, "a killed index", {killed.parent / "notes.txt": ("file", MINE.encode())}, case.folder)
        context.count("killed indexes")


def try_without_answer(context):
    """Runs each removal without `--yes` and without a terminal."""
    case = context.case("unanswered")
    case.write("a.py", "def alpha():\n    return 1\n")
    database = case.folder / "own/my.db"
    case.run("index")
    case.run("index", "--db", database)
    before = snapshot(case.folder)
    for command in (
        ("clear", "--root", case.workspace),
        ("clear", "--root", case.workspace, "--db", database),
        ("clear", "--all"),
        ("prune", "--older-than", "0s"),
        ("prune", "--older-than", "0s", "--json"),
    ):
        run_of_command = case.lab.run("cache", *command)
        asks = run_of_command.status == 1 and "Would remove" in run_of_command.err and "--yes" in run_of_command.err
        context.expect(asks, f"{' '.join(map(str, command))}: {run_of_command.describe()}")
        expect_kept(context, f"{command[0]} without an answer", before, case.folder)
        context.count("unanswered")
