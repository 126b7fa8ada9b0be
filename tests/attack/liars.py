"""Servers that lie, hang, crash, flood or grow, in the place of pyright; then kill -9 of Kenning beside them.

Criterion: Kenning goes on answering and ends with 0, takes modest memory, stores nothing that the lies say
about files that are not there, and leaves no process. The mode `wrong` gives answers that could be right, so
its edges are not judged.
"""

import time

from .client import error_code
from .fake_servers import FakeServers, kill_left
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
# Maximum seconds, normally and with --quick, and minimum seconds to watch a session with a lying
# server.
LONGEST_WATCH = (12, 4)
SHORTEST_WATCH = 3
FOREIGN_WORDS = ("passwd", "secret", "somewhere", "evil")


def run(context):
    """Tries all modes and kills 50 times."""
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

    def expect(self, holds, message):
        return self.context.expect(holds, f"{self.mode}: {message}")

    def run(self):
        self.lab.run("index", self.workspace)
        before = self.lab.status(self.workspace)
        session = self.lab.serve(self.workspace)
        session.wait_until_ready()
        edges_before = read_edges(session)
        session.ask_command("enrich", wait=True)
        self.watch(session)
        self.judge_graph(session, before, edges_before)
        alive, panicked = session.is_alive(), session.has_panicked()
        self.expect(alive and not panicked, f"the session does not go on: {session.error_text()[-300:]}")
        ended = session.close(60)
        self.expect(ended == 0, f"the session ended with {ended}")
        peak = session.peak_megabytes
        self.expect(peak < MODEST_MEGABYTES, f"Kenning took {peak:.0f} MB")
        left = self.servers.await_end()
        self.expect(not left, f"left running: {[process.describe() for process in left]}")
        kill_left(left)

    def watch(self, session):
        """Asks again and again while the server works, until it is done or time is up."""
        began = time.monotonic()
        while time.monotonic() - began < self.context.choose(*LONGEST_WATCH):
            answer = session.command("taskContext", 60, task="run number 5", noLearning=True)
            if not self.expect("result" in answer, f"no pack while the server works: {error_code(answer)}"):
                break
            servers = session.status().get("enrichment", [{}])
            state = servers[0].get("state") if servers else None
            is_done = state == "failed" or (state == "ready" and not servers[0].get("waiting_files"))
            if is_done and time.monotonic() - began > SHORTEST_WATCH:
                break
            time.sleep(0.2)

    def judge_graph(self, session, before, edges_before):
        """Demands that the lies made no symbol and no edge, and hid none that the text shows."""
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
        self.expect(not foreign, f"symbols of files that are not there: {foreign[:2]}")


def read_edges(session):
    """Returns the edges around the workspace's ring as (source, kind, target)."""
    graph = session.command("graph", symbol="pkg/m1.py", depth=6, limit=1000).get("result") or {}
    names = [node["qualified_name"] for node in graph.get("nodes", [])]
    return {(names[edge["source"]], edge["kind"], names[edge["target"]]) for edge in graph.get("edges", [])}


def kill_with_servers(context, kills):
    """Kills Kenning while servers work that ignore signals, fork, are mute or send without end."""
    context.figure("orphans", 0)
    random = context.random()
    for number in range(kills):
        mode = KILLED_MODES[number % len(KILLED_MODES)]
        servers = FakeServers(context.folder / f"killed-{mode}-tools")
        servers.set_mode(mode)
        workspace = write_python_ring(context.folder / f"killed-{mode}", 40)
        lab = context.lab(f"killed-{mode}-state", servers.search_path)
        session = lab.serve(workspace)
        session.ask_command("enrich")
        time.sleep(0.3 + random.random() * 1.2)
        session.kill()
        left = servers.await_end()
        context.count("kills")
        context.count("orphans", len(left))
        context.expect(not left, f"killed with {mode}: left running: {[process.describe() for process in left]}")
        kill_left(left)
