"""Turns, cuts, zeroes, swaps and deletes bytes in the files of the index, and asks.

Criterion: an answer equals one that an undamaged index gives, or the command ends with status 1 and a message,
and the next command works (no dead end). No crash, no silently different answer, no feedback lost without a
word.

What may be lost with a word are verdicts (with graph.db), commits (with facts.db) and feedback (with
memory.db), so there are several right answers: those of undamaged states from which some of the files are
missing.
"""

import json
import pathlib
import shutil
from dataclasses import dataclass

from .fake_servers import FakeServers
from .lab import Lab
from .regressions.damage import turn_bits
from .workspaces import commit_all, source_files

PAGE = 4096
TASK = "how are requests routed to handlers"
FILES = ("graph.base", "graph.db", "facts.db", "memory.db")
WAYS = (
    "flip1",
    "flip1",
    "flip8",
    "flip64",
    "cut",
    "cut_page",
    "zero",
    "zero_page",
    "noise_page",
    "swap_pages",
    "old_page",
    "append",
    "delete",
    "header",
)
# Fields of answers that describe the run, not the workspace.
OF_THE_RUN = {"indexed_at", "timings_ms", "revision", "database", "freshness", "size", "bytes"}
OF_THE_STATUS = ("source_root", "files", "symbols", "edges", "calls", "commits")
# Numbers of mutations with --quick, few enough to be judged in time.
QUICK_MUTATIONS, QUICK_FLIPS = 6, 3
# Sets of files that may be lost. The answers of a state without them count as right, too.
LOSSES = (
    (),
    ("graph.db",),
    ("graph.base",),
    ("facts.db",),
    ("graph.db", "graph.base"),
    ("graph.base", "facts.db"),
    ("graph.db", "graph.base", "facts.db"),
    ("memory.db",),
)


def run(context):
    """Makes 200 mutations of any file and kind, and 120 of eight bits."""
    attack = DamageAttack(context)
    attack.prepare()
    mutations = context.choose(200, QUICK_MUTATIONS)
    for number in range(mutations):
        state = attack.killed if number % 3 == 0 else attack.closed
        attack.mutate(number, state, attack.random.choice(WAYS), attack.choose_file(state))
    for number in range(mutations, mutations + context.choose(120, QUICK_FLIPS)):
        name = FILES[number % 3]
        attack.mutate(number, attack.closed, "flip8", attack.find_file(attack.closed, name))
    for name in ("right", "refused", "silently different", "dead ends", "crashes", "feedback lost"):
        context.figures.setdefault(name, 0)


@dataclass
class Mutation:
    """One damaged copy of a state."""

    label: str
    lab: Lab
    refresh: str
    # Whether nothing of the damaged file is left.
    is_emptied: bool
    # Standard error of all commands.
    messages: str = ""


class DamageAttack:
    """A workspace, two states of its index, and the answers that are right."""

    def __init__(self, context):
        self.context = context
        self.random = context.random()
        self.workspace = context.workspace()
        self.servers = FakeServers(context.folder / "tools")
        self.servers.set_mode("honest")
        self.right = {"auto": [], "never": []}
        self.right_feedback = []

    def prepare(self):
        """Makes a state that was closed in order and one that was killed with its logs, and asks both."""
        commit_all(self.workspace)
        lab = self.context.lab("state", self.servers.search_path)
        lab.run("index", self.workspace)
        lab.run("enrich", self.workspace, timeout=200)
        pack = lab.run_json("pack", "--root", self.workspace, TASK)
        self.symbol = pack["symbols"][0]["name"]
        session = lab.serve(self.workspace)
        session.wait_until_ready()
        for index in range(20):
            give_feedback(session, f"{TASK} {index}", index)
        session.close()
        lab.run("index", self.workspace)
        self.closed = self.keep(lab.folder, "closed")
        session = lab.serve(self.workspace)
        session.wait_until_ready()
        self.save_files(session)
        give_feedback(session, TASK, 0)
        session.kill()
        self.killed = self.keep(lab.folder, "killed")
        self.collect_right_answers()

    def keep(self, folder, name):
        return pathlib.Path(shutil.copytree(folder, self.context.folder / name, symlinks=True))

    def save_files(self, session):
        """Changes files and changes them back, so that the logs of the databases are not empty."""
        paths = [path for path in source_files(self.workspace) if path.suffix == ".py"][:15]
        contents = {path: path.read_bytes() for path in paths}
        for addition in (b"\n# x\n", b""):
            for path, content in contents.items():
                path.write_bytes(content + addition)
                session.report_files(2, str(path.relative_to(self.workspace)))
            session.wait_until_ready()

    def copy_state(self, state, name="mutated"):
        """Returns a lab with a copy of a state."""
        target = self.context.folder / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(state, target, symlinks=True)
        return self.context.lab(name, self.servers.search_path)

    def collect_right_answers(self):
        for state in (self.closed, self.killed):
            for loss in LOSSES:
                for refresh in ("auto", "never"):
                    self.collect_answers(state, loss, refresh)
            self.right_feedback.append(self.read_feedback(self.copy_state(state)).out.partition("\n")[2])
        # A command that may not refresh can answer from what another one has refreshed.
        self.right["never"] += self.right["auto"]
        self.context.expect(len(self.right["auto"]) >= len(LOSSES), "undamaged states do not answer")

    def collect_answers(self, state, loss, refresh):
        """Adds what a state without some files answers to what is right."""
        lab = self.copy_state(state)
        for path in list(lab.cache.rglob("*")):
            if path.is_file() and path.name.startswith(loss):
                path.unlink()
        answers = self.ask(lab, refresh)
        if all(run.status == 0 for run in answers.values()):
            self.right[refresh].append({name: normalize(name, run.out) for name, run in answers.items()})

    def ask(self, lab, refresh):
        """Asks everything; without refreshing, only what has the option."""
        root = ("--root", self.workspace, "--format", "json")
        if refresh == "never":
            pack = lab.run("pack", *root, TASK, "--no-learning", "--refresh", "never")
            return {"pack": pack, "status": lab.run("status", self.workspace, "--format", "json")}
        return {
            "pack": lab.run("pack", *root, TASK, "--no-learning"),
            "graph": lab.run("graph", self.symbol, *root),
            "blast": lab.run("blast", self.symbol, *root),
            "why": lab.run("why", "--symbol", self.symbol, TASK, *root, "--no-learning"),
            "status": lab.run("status", self.workspace, "--format", "json"),
        }

    def read_feedback(self, lab):
        return lab.run("debug", "feedback", "--root", self.workspace)

    def find_file(self, state, name):
        return next(pathlib.Path(state).rglob(name)).relative_to(state)

    def choose_file(self, state):
        files = sorted(path for path in (state / "xdg_cache_home").rglob("*") if path.is_file())
        filled = [path for path in files if path.stat().st_size]
        return self.random.choice(filled if self.random.random() < 0.9 else files).relative_to(state)

    def mutate(self, number, state, way, relative):
        """Damages one file of a copy of a state, asks, and judges the answers."""
        lab = self.copy_state(state)
        damage_file(lab.folder / relative, way, self.random)
        refresh = "never" if number % 4 == 3 else "auto"
        label = f"mutation {number} ({way} of {relative.name}, {state.name}, refresh {refresh})"
        is_emptied = not (lab.folder / relative).exists() or not (lab.folder / relative).stat().st_size
        mutation = Mutation(label, lab, refresh, is_emptied)
        failures_before = len(self.context.failures)
        self.judge_answers(mutation)
        self.judge_next_command(mutation)
        self.judge_feedback(mutation)
        if number % 5 == 4:
            self.judge_session(mutation)
        if len(self.context.failures) == failures_before:
            self.context.count("right")

    def fail(self, figure, mutation, message):
        self.context.count(figure)
        self.context.fail(f"{figure}: {mutation.label}: {message}")

    def judge_answers(self, mutation):
        for name, run in self.ask(mutation.lab, mutation.refresh).items():
            mutation.messages += run.err
            if not run.is_orderly():
                self.fail("crashes", mutation, f"{name}: {run.describe()}")
            elif run.status == 1:
                self.context.count("refused")
            elif normalize(name, run.out) not in [right.get(name) for right in self.right[mutation.refresh]]:
                self.fail("silently different", mutation, f"{name}: {run.err.strip()[:200] or 'no message'}")

    def judge_next_command(self, mutation):
        run = mutation.lab.run("pack", "--root", self.workspace, TASK, "--no-learning", "--format", "json")
        mutation.messages += run.err
        if run.status != 0:
            self.fail("dead ends", mutation, f"the next pack: {run.describe()}")
        elif normalize("pack", run.out) not in [right["pack"] for right in self.right["auto"]]:
            self.fail("silently different", mutation, f"the next pack: {run.err.strip()[:200] or 'no message'}")

    def judge_feedback(self, mutation):
        run = self.read_feedback(mutation.lab)
        if not run.is_orderly():
            self.fail("crashes", mutation, f"debug feedback: {run.describe()}")
        elif run.status == 0 and run.out.partition("\n")[2] not in self.right_feedback:
            is_told = "memory.db" in mutation.messages + run.err
            # From a missing or empty file, the loss cannot be detected.
            if not is_told and not mutation.is_emptied:
                self.fail("feedback lost", mutation, run.out[:200])

    def judge_session(self, mutation):
        session = mutation.lab.serve(self.workspace)
        status = session.wait_until_ready(30)
        session.command("taskContext", 30, task=TASK, noLearning=True)
        right_roots = {json.loads(right["status"])["source_root"] for right in self.right["auto"]}
        if not session.is_alive():
            self.fail("crashes", mutation, f"session: {session.error_text()[-300:]}")
        elif status.get("source_root") not in right_roots:
            self.fail("silently different", mutation, f"session: {status.get('phase')} {status.get('problem')}")
        ended = session.close()
        if ended != 0:
            self.fail("crashes", mutation, f"session ended with {ended}: {session.error_text()[-200:]}")


def give_feedback(session, task, index):
    """Asks for a pack and says that one of its symbols was useful."""
    pack = session.command("taskContext", task=task)["result"]
    symbol = pack["symbols"][index % len(pack["symbols"])]["id"]
    session.command("feedback", packRoot=pack["pack_root"], symbol=symbol, useful=True)


def normalize(name, text):
    """Returns an answer without what it says of the run; status only with its counts."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if name == "status":
        value = {key: value.get(key) for key in OF_THE_STATUS}
    return json.dumps(without_keys(value, OF_THE_RUN), sort_keys=True)


def without_keys(value, keys):
    if isinstance(value, dict):
        return {key: without_keys(inner, keys) for key, inner in value.items() if key not in keys}
    if isinstance(value, list):
        return [without_keys(inner, keys) for inner in value]
    return value


def damage_file(path, way, generator):
    """Damages a file in one of the `WAYS`."""
    content = bytearray(path.read_bytes())
    if way == "delete":
        path.unlink()
        return
    if way.startswith("flip"):
        if content:
            turn_bits(path, int(way.removeprefix("flip")), generator)
        return
    at = generator.randrange(max(1, len(content)))
    page = at // PAGE * PAGE
    if way == "cut":
        del content[at:]
    elif way == "cut_page":
        del content[page:]
    elif way == "zero":
        content = bytearray(len(content))
    elif way == "zero_page":
        content[page : page + PAGE] = bytes(len(content[page : page + PAGE]))
    elif way == "noise_page":
        content[page : page + PAGE] = generator.randbytes(len(content[page : page + PAGE]))
    elif way == "append":
        content += generator.randbytes(5000)
    elif way == "header" and content:
        content[generator.randrange(min(len(content), 100))] ^= 255
    elif way in ("swap_pages", "old_page") and len(content) > 3 * PAGE:
        swap_pages(content, way == "swap_pages", generator)
    path.write_bytes(content)


def swap_pages(content, both, generator):
    """Writes one page over another one; with `both`, also the other way."""
    first, second = (generator.randrange(1, len(content) // PAGE) * PAGE for _ in range(2))
    first_page, second_page = bytes(content[first : first + PAGE]), bytes(content[second : second + PAGE])
    content[second : second + PAGE] = first_page
    if both:
        content[first : first + PAGE] = second_page
