"""Isolates a user of Kenning, with a separate home, cache and search path, and runs commands
within limits."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass

from . import processes
from .client import Client

# Limit of the memory of a command on a workspace with a few files, however hostile they are.
MODEST_MEGABYTES = 500

TIMEOUT = "timeout"
MEMORY = "memory"


@dataclass
class CommandResult:
    """The result of a command. `status` is the exit status, the negative number of a signal,
    `timeout` or `memory`."""

    status: int | str
    out: str
    err: str
    seconds: float
    peak_megabytes: float

    def is_orderly(self):
        """Whether the command succeeded, or ended with status 1 and a message, and did not
        panic."""
        is_reported = self.status == 1 and self.err.strip()
        return (self.status == 0 or bool(is_reported)) and "panicked" not in self.err

    def describe(self):
        """Returns the outcome in a few words, for a failure's message."""
        return f"status {self.status}, {self.seconds:.1f} s, {self.peak_megabytes:.0f} MB, {last_words(self.err)!r}"


def last_words(text, limit=160):
    """Returns the end of a text on one line."""
    return " ".join(text.split())[-limit:]


class Lab:
    """Runs Kenning with `folder` as the home and for all state. Change `env` before a command
    runs, if necessary."""

    def __init__(self, binary, folder, search_path=None):
        self.binary = str(binary)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.env = {"PATH": search_path or os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8"}
        self.env["HOME"] = str(self.folder)
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            self.env[name] = str(self.folder / name.lower())

    @property
    def cache(self):
        """The folder with Kenning's databases."""
        return self.folder / "xdg_cache_home"

    def state_file(self, name):
        """Returns the path of the file in the cache with this name, such as `graph.db`."""
        return next(self.cache.rglob(name))

    def pass_toolchains(self):
        """Gives the lab the user's own toolchains, which language servers need."""
        default_folders = {"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo", "GOPATH": "go"}
        for name, folder in default_folders.items():
            path = pathlib.Path(os.environ.get(name, pathlib.Path.home() / folder))
            if path.is_dir():
                self.env[name] = str(path)

    def start(self, *arguments, wrapper=(), cwd=None, env=None, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        """Starts Kenning without waiting for it."""
        process = subprocess.Popen(
            [*wrapper, self.binary, *map(str, arguments)],
            env=self.env | (env or {}),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )
        processes.limit_address_space(process.pid)
        return process

    def run(self, *arguments, timeout=300, memory=processes.MEMORY_LIMIT_MEGABYTES, wrapper=(), cwd=None, env=None):
        """Runs a command and waits for it. Stops it after `timeout` seconds or beyond `memory`
        megabytes."""
        start = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self.start(*arguments, wrapper=wrapper, cwd=cwd, env=env, stdout=out, stderr=err)
            status, peak = watch_process(process, timeout, memory)
            out.seek(0)
            err.seek(0)
            texts = [stream.read().decode("utf-8", "replace") for stream in (out, err)]
        return CommandResult(status, *texts, time.monotonic() - start, peak)

    def run_json(self, *arguments, **options):
        """Runs a command with `--format json`. Returns the parsed output, or None if it is not
        JSON."""
        return parse_json(self.run(*arguments, "--format", "json", **options).out)

    def status(self, workspace, *arguments, **options):
        """Returns the output of `kenning status`, or an empty object if there is none."""
        return self.run_json("status", workspace, *arguments, **options) or {}

    def source_root(self, workspace):
        """Returns the source root of a workspace in the lab's index."""
        return self.status(workspace).get("source_root")

    def fresh_source_root(self, workspace):
        """Indexes the workspace from scratch and returns the source root."""
        folder = tempfile.mkdtemp(dir=self.folder)
        try:
            database = os.path.join(folder, "graph.db")
            cache = {"XDG_CACHE_HOME": os.path.join(folder, "cache")}
            indexed = self.run("index", workspace, "--db", database, "--no-history", env=cache)
            if indexed.status != 0:
                return f"no index: {indexed.describe()}"
            return self.status(workspace, "--db", database, env=cache).get("source_root")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def serve(self, workspace=None, **options):
        """Starts a session of the language server on a workspace."""
        return Client(self, workspace, **options)


def watch_process(process, timeout, memory):
    """Waits for a process and kills it at its limits. Returns its status and its peak memory in
    megabytes."""
    deadline = time.monotonic() + timeout
    peak, pause, status = 0.0, 0.002, None
    while process.poll() is None:
        peak = max(peak, processes.peak_megabytes(process.pid))
        if peak > memory:
            status = MEMORY
        elif time.monotonic() > deadline:
            status = TIMEOUT
        if status is not None:
            processes.kill_with_descendants(process)
            return status, peak
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
    return process.returncode, peak


def parse_json(text):
    """Returns the value of a JSON text, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None
