"""Replaces pyright by servers that lie, hang, crash, flood or grow, and kills Kenning while they
run.

Criterion: Kenning keeps answering and ends with 0, uses modest memory, stores nothing about files
that do not exist, and leaves no process. The answers of the mode `wrong` could be correct, so its
edges are not checked.
"""

import time

from .client import error_code
from .fake_servers import FakeServers, kill_remaining
from .workspaces import write_python_ring

MODES = (
    "honest",
    "wrong",
    "foreign",
    "outside",
    "negative",
    "badtypes",
    "errors",
    "mute",
    "slow",
    "reorder",
    "swap",
    "dup_ids",
    "crash",
    "abort",
    "chatty",
    "flood",
    "badjson",
    "garbage",
    "deep",
    "huge",
    "hugelist",
    "hugeheader",
    "endless",
    "fork",
    "ignore_exit",
    "spin",
    "memory",
)
QUICK_MODES = ("honest", "foreign", "fork")
KILLED_MODES = ("fork", "ignore_exit", "mute", "huge")
MODEST_MEGABYTES = 600
# Maximum seconds, normally and with --quick, and minimum seconds to watch a session with a
# server that gives wrong answers.
MAX_WATCH = (12, 4)
MIN_WATCH = 3
FOREIGN_WORDS = ("passwd", "secret", "somewhere", "evil")


def run(context):
    """Tests all modes and kills Kenning 50 times."""
    for mode in QUICK_MODES if context.is_quick else MODES:
        LiarSession(context, mode).run()
        context.count("modes")
    kill_with_servers(context, context.choose(50, 2))


class LiarSession:
    """A session with a server of one mode."""

    def __init__(self, context, mode):
        self.context = context
        self.mode = mode
        self.servers = FakeServers(context.folder / f"{mode}-tools")
        self.servers.set_mode(mode)
        self.workspace = write_python_ring(context.folder / mode, 40)
        self.lab = context.lab(f"{mode}-state", self.servers.search_path)

    def expect(self, condition, message):
        return self.context.expect(condition, f"{self.mode}: {message}")

    def run(self):
        self.lab.run("index", self.workspace)
        before = self.lab.status(self.workspace)
        session = self.lab.serve(self.workspace)
        session.wait_until_ready()
        edges_before = read_edges(session)
        session.send_command("enrich", wait=True)
        self.watch(session)
        self.judge_graph(session, before, edges_before)
        alive, panicked = session.is_alive(), session.has_panicked()
        self.expect(alive and not panicked, f"the session does not continue: {session.error_text()[-300:]}")
        ended = session.close(60)
        self.expect(ended == 0, f"the session ended with {ended}")
        peak = session.peak_megabytes
        self.expect(peak < MODEST_MEGABYTES, f"Kenning used {peak:.0f} MB")
        remaining = self.servers.wait_for_end()
        self.expect(not remaining, f"still running: {[process.describe() for process in remaining]}")
        kill_remaining(remaining)

    def watch(self, session):
        """Requests packs repeatedly until the server has finished or the time is up."""
        start = time.monotonic()
        while time.monotonic() - start < self.context.choose(*MAX_WATCH):
            answer = session.command("taskContext", 60, task="run number 5", noLearning=True)
            if not self.expect("result" in answer, f"no pack while the server works: {error_code(answer)}"):
                break
            servers = session.status().get("enrichment", [{}])
            state = servers[0].get("state") if servers else None
            is_done = state == "failed" or (state == "ready" and not servers[0].get("waiting_files"))
            if is_done and time.monotonic() - start > MIN_WATCH:
                break
            time.sleep(0.2)

    def judge_graph(self, session, before, edges_before):
        """Expects that the lies added no symbol and no edge, and hid no edge of the text."""
        if self.mode == "wrong":
            return
        edges = read_edges(session)
        new = sorted(edges - edges_before)
        hidden = sorted(edges_before - edges)
        self.expect(not new, f"{len(new)} edges that the text does not show, such as {new[:1]}")
        self.expect(not hidden, f"{len(hidden)} edges of the text are hidden, such as {hidden[:1]}")
        status = session.status()
        if self.mode in ("foreign", "outside", "negative"):
            phantoms, phantoms_before = status.get("phantoms"), before.get("phantoms")
            self.expect(phantoms == phantoms_before, f"{phantoms} external symbols, {phantoms_before} before")
        foreign = [name for edge in edges for name in (edge[0], edge[2]) if any(word in name for word in FOREIGN_WORDS)]
        self.expect(not foreign, f"symbols of files that do not exist: {foreign[:2]}")


def read_edges(session):
    """Returns the edges around the workspace's ring as (source, kind, target)."""
    graph = session.command("graph", symbol="pkg/m1.py", depth=6, limit=1000).get("result") or {}
    names = [node["qualified_name"] for node in graph.get("nodes", [])]
    return {(names[edge["source"]], edge["kind"], names[edge["target"]]) for edge in graph.get("edges", [])}


def kill_with_servers(context, kills):
    """Kills Kenning while it uses servers that ignore signals, fork, never answer or send
    endless data."""
    context.figure("orphans", 0)
    random = context.random()
    for number in range(kills):
        mode = KILLED_MODES[number % len(KILLED_MODES)]
        servers = FakeServers(context.folder / f"killed-{mode}-tools")
        servers.set_mode(mode)
        workspace = write_python_ring(context.folder / f"killed-{mode}", 40)
        lab = context.lab(f"killed-{mode}-state", servers.search_path)
        session = lab.serve(workspace)
        session.send_command("enrich")
        time.sleep(0.3 + random.random() * 1.2)
        session.kill()
        remaining = servers.wait_for_end()
        context.count("kills")
        context.count("orphans", len(remaining))
        context.expect(not remaining, f"killed with {mode}: still running: {[process.describe() for process in remaining]}")
        kill_remaining(remaining)
