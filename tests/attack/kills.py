"""Kills Kenning with SIGKILL at random moments of indexing, packing, editing, saving, enriching and
feedback.

Criterion: after each kill, the state opens, `index` succeeds without a message, its source root
equals that of a fresh index, acknowledged feedback is still stored, and no language server is
running. At the end, packs equal those of a fresh state.
"""

import time

from . import fake_servers
from .workspaces import commit_all, python_module, write_file, write_python_ring

MODULES = 150
REWRITTEN_MODULES = 40
KINDS = ("index", "pack", "edit", "save", "enrich", "feedback")
TASK = "run number 5"


def run(context):
    """Runs 60 rounds, 10 of each kind."""
    attack = KillAttack(context)
    for number in range(context.choose(60, 6)):
        attack.run_round(number, KINDS[number % len(KINDS)])
    attack.compare_packs()


class KillAttack:
    """A workspace that changes in each round, and the lab whose commands are killed."""

    def __init__(self, context):
        self.context = context
        self.random = context.random()
        self.workspace = write_python_ring(context.folder / "workspace", MODULES)
        commit_all(self.workspace)
        self.servers = fake_servers.FakeServers(context.folder / "tools")
        self.servers.set_mode("honest")
        self.lab = context.lab("state", self.servers.search_path)
        self.index_seconds = self.lab.run("index", self.workspace).seconds
        self.acknowledged = 0
        context.figure("kills", 0)
        context.figure("orphans", 0)

    def run_round(self, number, kind):
        for index in self.random.sample(range(MODULES), REWRITTEN_MODULES):
            self.rewrite(index)
        if number % 10 == 9:
            write_file(self.workspace / f"pkg/added{number}.py", "def added():\n    pass\n")
            commit_all(self.workspace, f"Round {number}")
        if kind in ("index", "pack"):
            self.kill_command(kind)
        else:
            self.kill_session(kind)
        self.context.count("kills")
        self.judge(f"round {number}, killed during {kind}")

    def rewrite(self, index):
        text = python_module(index, MODULES, self.random.randrange(10**6))
        write_file(self.workspace / f"pkg/m{index}.py", text)

    def kill_command(self, kind):
        arguments = ("index", self.workspace) if kind == "index" else ("pack", "--root", self.workspace, TASK)
        process = self.lab.start(*arguments)
        time.sleep(self.random.random() * self.index_seconds * 1.3)
        process.kill()
        process.wait()

    def kill_session(self, kind):
        session = self.lab.serve(self.workspace, options={"kenning": {"workspaceTrust": False}})
        if kind != "edit" or self.random.random() < 0.5:
            session.wait_until_ready(20)
        for _ in range(3):
            index = self.random.randrange(MODULES)
            session.open(f"pkg/m{index}.py", python_module(index, MODULES, 777_000))
        if kind == "enrich":
            session.send_command("enrich")
        deadline = time.monotonic() + self.random.random() * (3 if kind == "enrich" else 1.2)
        version = 2
        while time.monotonic() < deadline:
            version += 1
            self.work_in_session(session, kind, version)
            time.sleep(0.002)
        session.kill()
        if kind == "enrich":
            time.sleep(0.4)

    def work_in_session(self, session, kind, version):
        """Performs one action of the kind that is being killed."""
        index = self.random.randrange(MODULES)
        path = f"pkg/m{index}.py"
        if kind == "edit":
            session.change(path, version, [{"text": python_module(index, MODULES, 888_000 + version)}])
        elif kind == "save":
            self.rewrite(index)
            session.save(path)
            session.report_files(2, path)
        elif kind == "feedback":
            pack = session.command("taskContext", 20, task=f"run number {index} class C{index}").get("result") or {}
            if pack.get("symbols"):
                symbol = pack["symbols"][0]["id"]
                answer = session.command("feedback", 20, packRoot=pack["pack_root"], symbol=symbol, useful=True)
                if answer.get("result"):
                    self.acknowledged += 1

    def judge(self, moment):
        context, lab = self.context, self.lab
        remaining = self.servers.wait_for_end()
        fake_servers.kill_remaining(remaining)
        context.count("orphans", len(remaining))
        context.expect(not remaining, f"{moment}: still running: {[process.describe() for process in remaining]}")
        opened = lab.run("status", self.workspace)
        context.expect(opened.status == 0, f"{moment}: the state does not open: {opened.describe()}")
        indexed = lab.run("index", self.workspace)
        context.expect(indexed.status == 0 and not indexed.err.strip(), f"{moment}: index: {indexed.describe()}")
        stored, fresh = lab.source_root(self.workspace), lab.fresh_source_root(self.workspace)
        context.expect(stored == fresh, f"{moment}: source_root {stored}, of a fresh index {fresh}")
        feedback = lab.run_json("debug", "feedback", "--root", self.workspace) or {}
        stored_count = sum(answer["useful"] for answer in feedback.get("answers", []))
        context.expect(stored_count >= self.acknowledged, f"{moment}: {stored_count} of {self.acknowledged} acknowledged answers are stored")
        context.figure("feedback stored", f"{stored_count} of {self.acknowledged}")

    def compare_packs(self):
        # Rename everything, because a fresh state lacks what a server confirmed about the old
        # names.
        for index in range(MODULES):
            text = python_module(index, MODULES).replace(" f", " g").replace("C", "K")
            write_file(self.workspace / f"pkg/m{index}.py", text)
        arguments = ("pack", "--root", self.workspace, TASK, "--no-learning")
        fresh_lab = self.context.lab("fresh")
        for lab in (self.lab, fresh_lab):
            # Unlike `pack`, this reads the history.
            lab.run("index", self.workspace)
        actual, expected = self.lab.run(*arguments), fresh_lab.run(*arguments)
        self.context.expect(actual.status == 0 and actual.out == expected.out, "the pack differs from that of a fresh state")
