"""Tests locations that Kenning cannot write: full disks, bad cache folders and databases, a full
TMPDIR, other users.

Criterion: commands end properly, with a message if they cannot work. When there is space again, the
index equals a fresh one. Kenning writes to no files of others.
"""

import contextlib
import os
import shutil
import subprocess

from .lab import CommandResult, watch_process
from .workspaces import python_module, write_python_ring

MODULES = 400
DISK_SIZES = ("64k", "256k", "600k", "1m", "1500k", "2m", "3m", "4m")
QUICK_DISK_SIZES = ("64k", "1m")
TASK = "run number 5"
# The id of the unprivileged user.
NOBODY = "65534"


def run(context):
    """Tests all locations."""
    attack = LocationsAttack(context)
    if can_mount():
        for size in context.choose(DISK_SIZES, QUICK_DISK_SIZES):
            attack.fill_disk(size)
            context.count("full disks")
        attack.fill_temporary_folder()
    else:
        context.skip("full disks and a full TMPDIR", "needs root and mount")
    attack.try_caches()
    attack.try_databases()
    if os.geteuid() == 0 and shutil.which("setpriv"):
        attack.try_other_user()
    else:
        context.skip("a cache that another user may not write", "needs root and setpriv")


def can_mount():
    """Whether this process may mount a file system in memory."""
    return os.geteuid() == 0 and shutil.which("mount") is not None


@contextlib.contextmanager
def mounted_memory(folder, size):
    """Mounts a file system in memory with this size on a folder."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path):
    """Writes a file until its disk is full."""
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


class LocationsAttack:
    """A workspace, and a reference lab without restrictions."""

    def __init__(self, context):
        self.context = context
        self.workspace = write_python_ring(context.folder / "workspace", MODULES)
        self.reference = context.lab("reference")
        self.reference.run("index", self.workspace)

    def expect_orderly(self, label, run):
        self.context.count("commands")
        return self.context.expect(run.is_orderly(), f"{label}: {run.describe()}")

    def expect_correct_index(self, label, lab):
        """Indexes in a lab and expects the source root of the reference lab."""
        self.expect_orderly(label, lab.run("index", self.workspace))
        self.reference.run("index", self.workspace)
        root, expected = lab.source_root(self.workspace), self.reference.source_root(self.workspace)
        self.context.expect(root == expected, f"{label}: source_root {root}, of the reference {expected}")

    def fill_disk(self, size):
        """Runs commands on a disk that is too small, enlarges it, and fills it again during a
        session."""
        lab = self.context.lab(f"disk-{size}")
        with mounted_memory(self.context.folder / "disk", size) as disk:
            lab.env["XDG_CACHE_HOME"] = str(disk / "cache")
            self.expect_orderly(f"index on a disk of {size}", lab.run("index", self.workspace))
            pack = lab.run("pack", "--root", self.workspace, TASK, "--no-learning")
            self.expect_orderly(f"pack on a disk of {size}", pack)
            subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
            self.expect_correct_index(f"space again after {size}", lab)
            session = lab.serve(self.workspace)
            session.wait_until_ready()
            fill(disk / "filling")
            for index in range(30):
                path = f"pkg/m{index}.py"
                (self.workspace / path).write_text(python_module(index, MODULES, len(size)), encoding="utf-8")
                session.save(path)
                session.report_files(2, path)
            for command, argument in {"reindex": {}, "status": {}, "taskContext": {"task": TASK}}.items():
                answer = session.command(command, 60, **argument)
                has_message = (answer.get("error") or {}).get("message") != ""
                answered = "result" in answer or (answer["error"]["code"] not in ("timeout", "eof") and has_message)
                self.context.expect(answered, f"session on a full disk, {command}: {str(answer)[:200]}")
            (disk / "filling").unlink()
            session.command("reindex", 60)
            ended = session.close()
            self.context.expect(
                ended == 0, f"session on a full disk: ended with {ended}: {session.error_text()[-200:]}"
            )
            self.expect_correct_index("after a session on a full disk", lab)

    def fill_temporary_folder(self):
        lab = self.context.lab("temporary")
        with mounted_memory(self.context.folder / "temporary-full", "16k") as folder:
            fill(folder / "filling")
            lab.env["TMPDIR"] = str(folder)
            self.expect_orderly("index with a full TMPDIR", lab.run("index", self.workspace))
            self.expect_orderly("pack with a full TMPDIR", lab.run("pack", "--root", self.workspace, TASK))

    def try_caches(self):
        """Sets the cache folder to paths that are not or cannot be folders."""
        context = self.context
        lab = context.lab("caches")
        (context.folder / "file").write_text("x", encoding="utf-8")
        caches = {
            "a file": context.folder / "file",
            "in /proc": "/proc/x",
            "a device": "/dev/null",
            "a long path": context.folder / ("a" * 200) / ("b" * 200),
            "a relative path": "relative/folder",
        }
        for what, cache in caches.items():
            lab.env["XDG_CACHE_HOME"] = str(cache)
            run = lab.run("index", self.workspace, cwd=context.folder)
            self.expect_orderly(f"index with a cache that is {what}", run)
        made = (context.folder / "relative").exists() or (self.workspace / "relative").exists()
        context.expect(not made, "a relative cache path created a folder in the working folder")
        context.expect((context.folder / "file").read_text() == "x", "Kenning wrote to a file that was named as the cache folder")
        lab.env = {"PATH": lab.env["PATH"]}
        self.expect_orderly("status without HOME", lab.run("status", self.workspace))
        lab = context.lab("no-temporary")
        lab.env["TMPDIR"] = str(context.folder / "missing")
        self.expect_orderly("pack with a missing TMPDIR", lab.run("pack", "--root", self.workspace, TASK))

    def try_databases(self):
        """Uses files and folders that are not databases as the database."""
        context, lab = self.context, self.context.lab("databases")
        pipe, source = context.folder / "pipe", self.workspace / "pkg/m1.py"
        os.mkfifo(pipe)
        before = source.read_bytes()
        databases = {"a folder": context.folder, "/dev/full": "/dev/full", "a source": source, "a pipe": pipe}
        for what, database in databases.items():
            run = lab.run("index", self.workspace, "--db", database, timeout=60)
            self.expect_orderly(f"index with {what} as the database", run)
            context.expect(run.status == 1, f"index with {what} as the database is not refused: {run.describe()}")
        context.expect(source.read_bytes() == before, "a source that was named as the database was changed")
        database = self.workspace / "own.db"
        self.expect_orderly("index with a database in the workspace", lab.run("index", self.workspace, "--db", database))

    def try_other_user(self):
        """Runs as a user who cannot write the cache folder, because root could."""
        folder = self.context.folder / "unwritable"
        folder.mkdir()
        folder.chmod(0o555)
        version = run_as_nobody(self.context.binary, "--version")
        if version.status != 0:
            self.context.skip(
                "a cache that another user may not write", "another user cannot execute the program in its folder"
            )
            return
        cache = {"XDG_CACHE_HOME": str(folder)}
        self.expect_orderly(
            "index with a cache that may not be written", self.run_nobody("index", self.workspace, env=cache)
        )
        self.expect_orderly("pack without a home", self.run_nobody("pack", "--root", self.workspace, TASK))

    def run_nobody(self, *arguments, env=None):
        return run_as_nobody(self.context.binary, *arguments, env=env)


def run_as_nobody(binary, *arguments, env=None):
    """Runs the program as the user `nobody`."""
    identity = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    process = subprocess.Popen(
        [*identity, str(binary), *map(str, arguments)],
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"} | (env or {}),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    status, peak = watch_process(process, 60, 1500)
    return CommandResult(status, "", process.stderr.read().decode("utf-8", "replace"), 0.0, peak)
