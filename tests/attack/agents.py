"""Runs `kenning agents install`, `status` and `uninstall` on configuration files that are links,
devices, pipes, huge, malformed or ambiguous, and as root for another user.

Criterion: every command ends within 10 seconds and modest memory. What it refuses it names, with
the file, and then no file has changed. What it installs it removes again, byte for byte. No file
outside of the workspace changes with `--project`, and no file changes its owner or mode.
"""

import os
import pathlib
import shutil
import stat

from .lab import MODEST_MEGABYTES

SECONDS = 10
ENTRY = '{"command": "kenning", "args": ["mcp"]}'


def link_to(target):
    return lambda path: path.symlink_to(target)


def write(text):
    return lambda path: path.write_bytes(text.encode())


def write_sparse(size):
    def make(path):
        with path.open("wb") as file:
            file.truncate(size)

    return make


# Files that must be refused, with a part of the message.
REFUSED_LAYOUTS = {
    "device": (link_to("/dev/zero"), ("is a pipe, a socket or a device", "leads out of the workspace")),
    "random device": (link_to("/dev/urandom"), ("is a pipe, a socket or a device", "leads out of the workspace")),
    "pipe": (os.mkfifo, ("is a pipe, a socket or a device",)),
    "folder": (pathlib.Path.mkdir, ("is a folder",)),
    "large": (write_sparse(100 << 20), ("is larger than",)),
    "endless": (write_sparse(1 << 40), ("is larger than",)),
    "link loop": (lambda path: path.symlink_to(path.name), ("cannot be read",)),
    "dangling link": (link_to("nowhere"), ("cannot be read", "leads out")),
    "memory of the process": (link_to("/proc/self/mem"), ("",)),
    "bytes": (lambda path: path.write_bytes(b"\xff\xfe\x00"), ("not UTF-8",)),
    "open brace": (write('{"mcpServers": {'), ("line",)),
    "deep": (write("[" * 200_000), ("line", "nested", "not an object")),
    "deep in the table": (write('{"mcpServers":' * 50_000), ("line", "nested")),
    "a list": (write("[]"), ("not an object",)),
    "a list in the table": (write('{"mcpServers": []}'), ("not an object",)),
    "double table": (write('{"mcpServers":{"x":{}},"mcpServers":{"y":{}}}'), ("mcpServers occurs more than once",)),
    "double table, escaped": (write('{"mcp\\u0053ervers":{},"mcpServers":{}}'), ("occurs more than once",)),
    "double entry": (
        write('{"mcpServers":{"kenning":%s,"kenning":%s}}' % (ENTRY, ENTRY)),
        ("mcpServers.kenning occurs more than once",),
    ),
    "double key in the entry": (
        write('{"mcpServers":{"kenning":{"command":"a","command":"b"}}}'),
        ("mcpServers.kenning.command occurs more than once",),
    ),
}
# Files that must work, and have the same bytes after uninstalling.
SOUND_LAYOUTS = {
    "absent": None,
    "empty object": write("{}"),
    "other server": write('{\n\t"mcpServers": {"x": {"command": "y"}}, // kept\n}\n'),
    "other duplicates": write('{"a":1,"a":2,"mcpServers":{"x":{"b":1,"b":2}}}'),
    "byte order mark": write("\ufeff{}\r\n"),
}
# Files without a place for the entry, which only an installation has to change.
WITHOUT_TABLE = ("a list", "a list in the table")
QUICK = ("device", "pipe", "large", "double table", "deep")


def run(context):
    """Tries each layout as a file of the user and as one of a workspace, then the ownership."""
    for figure in ("refused layouts", "sound layouts", "commands"):
        context.figure(figure, 0)
    for name, (make, messages) in REFUSED_LAYOUTS.items():
        if context.is_quick and name not in QUICK:
            continue
        for scope in ("user", "project"):
            try_refused(context, name, make, messages, scope)
            context.count("refused layouts")
    for name, make in SOUND_LAYOUTS.items():
        for scope in ("user", "project"):
            try_sound(context, name, make, scope)
            context.count("sound layouts")
    try_link_outside(context)
    try_ownership(context)


def plant(context, name, make, scope):
    """Creates a case with a configuration file of this layout. Returns the case, its arguments and
    the file."""
    case = context.case(f"{scope}-{name.replace(' ', '-').replace(',', '')}")
    case.write("app.py", "def app():\n    pass\n")
    (case.workspace / ".git").mkdir()
    path = case.workspace / ".mcp.json" if scope == "project" else case.lab.folder / ".claude.json"
    if make is not None:
        make(path)
    where = ("--project", "--root", case.workspace) if scope == "project" else ()
    return case, where, path


def run_agents(context, case, command, where):
    """Runs a command about one client, which must end in time."""
    more = ("--yes",) if command != "status" else ()
    done = case.lab.run("agents", command, "claude", *where, *more, timeout=SECONDS, cwd=case.workspace)
    context.count("commands")
    context.expect(
        done.status in (0, 1) and done.peak_megabytes < MODEST_MEGABYTES and "panicked" not in done.err,
        f"{case.folder.name}, {command}: {done.describe()}",
    )
    return done


def try_refused(context, name, make, messages, scope):
    case, where, path = plant(context, name, make, scope)
    before = list_tree(case)
    for command in ("install",) if name in WITHOUT_TABLE else ("install", "status", "uninstall"):
        done = run_agents(context, case, command, where)
        text = done.out + done.err
        is_named = path.name in text and any(message in text for message in messages)
        context.expect(is_named, f"{scope} {name}, {command}: the message is {text[-300:]!r}")
        context.expect(done.status == (command != "status"), f"{scope} {name}, {command}: status {done.status}")
    context.expect(list_tree(case) == before, f"{scope} {name}: files have changed")
    remove_case(case)


def try_sound(context, name, make, scope):
    case, where, path = plant(context, name, make, scope)
    if make is not None:
        path.chmod(0o640)
    before = list_tree(case)
    done = run_agents(context, case, "install", where)
    context.expect(done.status == 0 and path.is_file(), f"{scope} {name}, install: {done.describe()}")
    if make is not None:
        context.expect(stat.S_IMODE(path.stat().st_mode) == 0o640, f"{scope} {name}: the mode has changed")
    run_agents(context, case, "status", where)
    run_agents(context, case, "uninstall", where)
    context.expect(list_tree(case) == before, f"{scope} {name}: the files differ after uninstalling")
    remove_case(case)


def try_link_outside(context):
    """Follows no link of a workspace to a file outside of it."""
    case, where, path = plant(context, "link outside", None, "project")
    outside = case.folder / "outside.json"
    outside.write_text('{"mcpServers": {"kenning": {"command": "/secret/program"}}}', encoding="utf-8")
    path.symlink_to(outside)
    before = outside.read_bytes()
    for command in ("install", "status", "uninstall"):
        done = run_agents(context, case, command, where)
        text = done.out + done.err
        context.expect("leads out of the workspace" in text, f"link outside, {command}: {text[-200:]!r}")
        context.expect("/secret/program" not in text, f"link outside, {command}: prints what is there")
    context.expect(outside.read_bytes() == before, "link outside: the file has changed")
    remove_case(case)


def try_ownership(context):
    """Installs as root in the home of another user, whose files keep their owner."""
    if os.geteuid() != 0:
        context.skip("ownership", "needs root")
        return
    owner = (4321, 1234)
    for name, make in SOUND_LAYOUTS.items():
        case, where, path = plant(context, f"root {name}", make, "user")
        for each in (case.lab.folder, *case.lab.folder.rglob("*")):
            os.chown(each, *owner)
        for command in ("install", "uninstall"):
            run_agents(context, case, command, where)
            for each in case.lab.folder.rglob("*"):
                # Caches are Kenning's own and belong to who runs it.
                if case.lab.cache in (each, *each.parents):
                    continue
                found = each.lstat()
                context.expect(
                    (found.st_uid, found.st_gid) == owner,
                    f"root, {name}, {command}: {each.relative_to(case.lab.folder)} belongs to {found.st_uid}",
                )
        context.count("homes of another user")
        remove_case(case)


def list_tree(case):
    """Returns the files of the workspace and the home, apart from Kenning's own, with their
    contents."""
    tree = {}
    own = {case.lab.cache, case.lab.folder / "xdg_data_home"}
    for root in (case.workspace, case.lab.folder):
        for path in root.rglob("*"):
            if own & {path, *path.parents}:
                continue
            found = path.lstat()
            is_small = stat.S_ISREG(found.st_mode) and found.st_size < 1 << 20
            content = path.read_bytes() if is_small else os.readlink(path) if path.is_symlink() else found.st_size
            tree[str(path)] = content if not path.is_dir() or path.is_symlink() else None
    return tree


def remove_case(case):
    shutil.rmtree(case.folder)
