"""Flips, truncates, zeroes, swaps and deletes bytes in the files of the index, and runs commands.

Criterion: each answer equals one of an undamaged index, or the command ends with status 1 and a
message, and the next command works (no dead end). There is no crash, no silently different answer
and no unreported loss of feedback.

Verdicts (in graph.db), commits (in facts.db) and feedback (in memory.db) may be lost if the loss is
reported. Therefore several answers are correct: those of undamaged states without some of the
files.
"""

import json
import pathlib
import shutil
from dataclasses import dataclass

from .fake_servers import FakeServers
from .lab import Lab
from .regressions.damage import flip_bits
from .workspaces import commit_all, source_files

# Size in bytes of a page of SQLite.
PAGE = 4096
TASK = "how are requests routed to handlers"
# The files of the index.
FILES = ("graph.base", "graph.db", "facts.db", "memory.db")
DAMAGE_KINDS = (
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
RUN_FIELDS = {"indexed_at", "timings_ms", "revision", "database", "freshness", "size", "bytes"}
COMPARED_STATUS_FIELDS = ("source_root", "files", "symbols", "edges", "calls", "commits")
# Numbers of mutations with --quick, which limit its duration.
QUICK_MUTATIONS, QUICK_FLIPS = 6, 3
# Sets of files that may be lost. The answers of a state without them are also correct.
LOSABLE_FILES = (
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
    """Makes 200 random mutations, and 120 mutations that flip eight bits."""
    attack = DamageAttack(context)
    attack.prepare()
    mutations = context.choose(200, QUICK_MUTATIONS)
    for number in range(mutations):
        state = attack.killed if number % 3 == 0 else attack.closed
        attack.mutate(number, state, attack.random.choice(DAMAGE_KINDS), attack.choose_file(state))
    for number in range(mutations, mutations + context.choose(120, QUICK_FLIPS)):
        name = FILES[number % 3]
        attack.mutate(number, attack.closed, "flip8", attack.find_file(attack.closed, name))
    for name in ("correct", "refused", "silently different", "dead ends", "crashes", "feedback lost"):
        context.figures.setdefault(name, 0)


@dataclass
class Mutation:
    """One damaged copy of a state."""

    label: str
    lab: Lab
    refresh: str
    # Whether the damaged file is missing or empty.
    is_missing_or_empty: bool
    # Standard error of all commands.
    messages: str = ""


class DamageAttack:
    """A workspace, two states of its index, and the correct answers."""

    def __init__(self, context):
        self.context = context
        self.random = context.random()
        self.workspace = context.workspace()
        self.servers = FakeServers(context.folder / "tools")
        self.servers.set_mode("honest")
        self.correct_answers = {"auto": [], "never": []}
        self.correct_feedback = []

    def prepare(self):
        """Creates a state that was shut down and one that was killed with its logs, and collects
        their answers."""
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
        self.closed = self.save_state(lab.folder, "closed")
        session = lab.serve(self.workspace)
        session.wait_until_ready()
        self.save_files(session)
        give_feedback(session, TASK, 0)
        session.kill()
        self.killed = self.save_state(lab.folder, "killed")
        self.collect_correct_answers()

    def save_state(self, folder, name):
        return pathlib.Path(shutil.copytree(folder, self.context.folder / name, symlinks=True))

    def save_files(self, session):
        """Changes files and restores them, so that the logs of the databases are not empty."""
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

    def collect_correct_answers(self):
        for state in (self.closed, self.killed):
            for loss in LOSABLE_FILES:
                for refresh in ("auto", "never"):
                    self.collect_answers(state, loss, refresh)
            self.correct_feedback.append(self.read_feedback(self.copy_state(state)).out.partition("\n")[2])
        # A command without refresh can use what an earlier command has refreshed.
        self.correct_answers["never"] += self.correct_answers["auto"]
        self.context.expect(len(self.correct_answers["auto"]) >= len(LOSABLE_FILES), "undamaged states give no answers")

    def collect_answers(self, state, loss, refresh):
        """Adds the answers of a state without some files to the correct ones."""
        lab = self.copy_state(state)
        for path in list(lab.cache.rglob("*")):
            if path.is_file() and path.name.startswith(loss):
                path.unlink()
        answers = self.run_commands(lab, refresh)
        if all(run.status == 0 for run in answers.values()):
            self.correct_answers[refresh].append({name: normalize(name, run.out) for name, run in answers.items()})

    def run_commands(self, lab, refresh):
        """Runs all commands, or with `never` only the commands that support it. Returns the results
        by name."""
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

    def mutate(self, number, state, kind, relative):
        """Damages one file in a copy of a state, runs commands, and checks their answers."""
        lab = self.copy_state(state)
        damage_file(lab.folder / relative, kind, self.random)
        refresh = "never" if number % 4 == 3 else "auto"
        label = f"mutation {number} ({kind} of {relative.name}, {state.name}, refresh {refresh})"
        is_missing_or_empty = not (lab.folder / relative).exists() or not (lab.folder / relative).stat().st_size
        mutation = Mutation(label, lab, refresh, is_missing_or_empty)
        failures_before = len(self.context.failures)
        self.judge_answers(mutation)
        self.judge_next_command(mutation)
        self.judge_feedback(mutation)
        if number % 5 == 4:
            self.judge_session(mutation)
        if len(self.context.failures) == failures_before:
            self.context.count("correct")

    def fail(self, figure, mutation, message):
        self.context.count(figure)
        self.context.fail(f"{figure}: {mutation.label}: {message}")

    def judge_answers(self, mutation):
        """Expects that each answer is correct or that its command fails with a message."""
        for name, run in self.run_commands(mutation.lab, mutation.refresh).items():
            mutation.messages += run.err
            if not run.is_orderly():
                self.fail("crashes", mutation, f"{name}: {run.describe()}")
            elif run.status == 1:
                self.context.count("refused")
            elif normalize(name, run.out) not in [correct.get(name) for correct in self.correct_answers[mutation.refresh]]:
                self.fail("silently different", mutation, f"{name}: {run.err.strip()[:200] or 'no message'}")

    def judge_next_command(self, mutation):
        """Expects that the next command works and has a correct answer."""
        run = mutation.lab.run("pack", "--root", self.workspace, TASK, "--no-learning", "--format", "json")
        mutation.messages += run.err
        if run.status != 0:
            self.fail("dead ends", mutation, f"the next pack: {run.describe()}")
        elif normalize("pack", run.out) not in [correct["pack"] for correct in self.correct_answers["auto"]]:
            self.fail("silently different", mutation, f"the next pack: {run.err.strip()[:200] or 'no message'}")

    def judge_feedback(self, mutation):
        """Expects that feedback is intact or that its loss is reported."""
        run = self.read_feedback(mutation.lab)
        if not run.is_orderly():
            self.fail("crashes", mutation, f"debug feedback: {run.describe()}")
        elif run.status == 0 and run.out.partition("\n")[2] not in self.correct_feedback:
            is_reported = "memory.db" in mutation.messages + run.err
            # From a missing or empty file, the loss cannot be detected.
            if not is_reported and not mutation.is_missing_or_empty:
                self.fail("feedback lost", mutation, run.out[:200])

    def judge_session(self, mutation):
        """Expects that a session survives the damage and has a correct source root."""
        session = mutation.lab.serve(self.workspace)
        status = session.wait_until_ready(30)
        session.command("taskContext", 30, task=TASK, noLearning=True)
        correct_roots = {json.loads(correct["status"])["source_root"] for correct in self.correct_answers["auto"]}
        if not session.is_alive():
            self.fail("crashes", mutation, f"session: {session.error_text()[-300:]}")
        elif status.get("source_root") not in correct_roots:
            self.fail("silently different", mutation, f"session: {status.get('phase')} {status.get('problem')}")
        ended = session.close()
        if ended != 0:
            self.fail("crashes", mutation, f"session ended with {ended}: {session.error_text()[-200:]}")


def give_feedback(session, task, index):
    """Requests a pack and rates one of its symbols as useful."""
    pack = session.command("taskContext", task=task)["result"]
    symbol = pack["symbols"][index % len(pack["symbols"])]["id"]
    session.command("feedback", packRoot=pack["pack_root"], symbol=symbol, useful=True)


def normalize(name, text):
    """Returns an answer without the fields about the run. Of a status, returns only the counts."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if name == "status":
        value = {key: value.get(key) for key in COMPARED_STATUS_FIELDS}
    return json.dumps(without_keys(value, RUN_FIELDS), sort_keys=True)


def without_keys(value, keys):
    """Returns a JSON value without the fields with these names."""
    if isinstance(value, dict):
        return {key: without_keys(inner, keys) for key, inner in value.items() if key not in keys}
    if isinstance(value, list):
        return [without_keys(inner, keys) for inner in value]
    return value


def damage_file(path, kind, generator):
    """Damages a file in one of the `DAMAGE_KINDS`."""
    content = bytearray(path.read_bytes())
    if kind == "delete":
        path.unlink()
        return
    if kind.startswith("flip"):
        if content:
            flip_bits(path, int(kind.removeprefix("flip")), generator)
        return
    offset = generator.randrange(max(1, len(content)))
    page = offset // PAGE * PAGE
    if kind == "cut":
        del content[offset:]
    elif kind == "cut_page":
        del content[page:]
    elif kind == "zero":
        content = bytearray(len(content))
    elif kind == "zero_page":
        content[page : page + PAGE] = bytes(len(content[page : page + PAGE]))
    elif kind == "noise_page":
        content[page : page + PAGE] = generator.randbytes(len(content[page : page + PAGE]))
    elif kind == "append":
        content += generator.randbytes(5000)
    elif kind == "header" and content:
        content[generator.randrange(min(len(content), 100))] ^= 255
    elif kind in ("swap_pages", "old_page") and len(content) > 3 * PAGE:
        swap_pages(content, kind == "swap_pages", generator)
    path.write_bytes(content)


def swap_pages(content, both, generator):
    """Overwrites one page with another page. With `both`, exchanges them."""
    first, second = (generator.randrange(1, len(content) // PAGE) * PAGE for _ in range(2))
    first_page, second_page = bytes(content[first : first + PAGE]), bytes(content[second : second + PAGE])
    content[second : second + PAGE] = first_page
    if both:
        content[first : first + PAGE] = second_page
