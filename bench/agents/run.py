#!/usr/bin/env python3
"""Measures the tokens and calls after which an agent has every file that a commit edited, without a model.

  bench/agents/run.py target/release/kenning corpus/commits       # needs ripgrep and the package bpe-openai

Three scripted agents get the task in words and follow fixed rules (bench/README.md, "Agents"): `grep-files`
searches and reads whole files, `grep-windows` searches and reads 200 lines around hits, `kenning` asks
`task_context` once and for its next pages, `kenning-reads` reads 200 lines around what a page names only by its
signature before it asks for the next one. All stop at the moment at which they have what the commit edited, and
give up at 60 calls or 64,000 tokens.
"""
import argparse
import csv
import functools
import itertools
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import bpe_openai

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from clients import BENCH, McpServer, choose_tasks  # noqa: E402

MAX_CALLS = 60
MAX_TOKENS = 64_000
STEPS = [8_000, 16_000, 32_000]
# Searches and reads of the agents with grep.
TERMS = 9
ROUND = 3
LISTED_FILES = 50
LISTED_LINES = 50
LINE_WIDTH = 200
WINDOW = 200
WHOLE_FILE = 2_000
# Not searched, to grep's favour: the correct answers are code.
NO_CODE = "md mdx rst adoc txt json lock svg html css scss po yml yaml toml xml csv ipynb snap".split()
COMMON = set("""about after also because been before being but does done each else every from have having here
into just like make makes more most much must only other over same should some such than that their them then there
these they this those through under using very were what when where which while will with without would your
change changes changed adds added adding remove removes removed removing fixes fixed allow allows support supports
instead case cases code now not and the for use used uses add fix""".split())
ENCODING = bpe_openai.get_encoding("cl100k_base")


@functools.lru_cache(maxsize=4096)
def count_tokens(text):
    return len(ENCODING.encode_ordinary(text))


class Goal:
    """What a commit edited, and what of it an agent has seen."""

    def __init__(self, task, kind):
        self.kind = kind
        if kind == "files":
            self.missing = set(task["files"])
        else:
            self.missing = {(truth["file"], truth["line"]) for truth in task["truths"]}

    def see(self, file, first, last):
        """Notes that an agent has read lines of a file."""
        if self.kind == "files":
            self.missing.discard(file)
        else:
            self.missing = {(path, line) for path, line in self.missing if path != file or not first <= line <= last}


class Spent(Exception):
    """The agent has what it needs, or gives up."""


class Meter:
    """Counts the tokens and calls of an agent."""

    def __init__(self, goal):
        self.goal, self.tokens, self.calls = goal, 0, 0

    def add(self, request, answer):
        self.calls += 1
        self.tokens += count_tokens(request) + count_tokens(answer)

    def check(self):
        if not self.goal.missing or self.calls >= MAX_CALLS or self.tokens >= MAX_TOKENS:
            raise Spent

    @property
    def is_complete(self):
        return not self.goal.missing and self.tokens <= MAX_TOKENS


class Tree:
    """A repository with the tools of an agent."""

    def __init__(self, root):
        self.root = root

    @functools.lru_cache(maxsize=None)
    def search(self, term):
        """Returns the lines with a term as (file, line number, text), by path."""
        command = ["rg", "--sort", "path", "--no-heading", "--with-filename", "-n", "-F"]
        command += ["-i"] if term.islower() else []
        command += [part for ending in NO_CODE for part in ("-g", f"!*.{ending}")]
        result = subprocess.run([*command, "--", term, "."], cwd=self.root, capture_output=True)
        lines = (line.split(":", 2) for line in result.stdout.decode(errors="replace").split("\n") if line)
        return [(parts[0].removeprefix("./"), int(parts[1]), parts[2]) for parts in lines if len(parts) == 3]

    @functools.lru_cache(maxsize=None)
    def read(self, file):
        return (self.root / file).read_text(errors="replace").split("\n")

    def read_lines(self, meter, file, first, last):
        """Reads lines of a file as the tools of agents do, with their numbers."""
        lines = self.read(file)[first - 1 : last]
        meter.add(f"read {file} {first} {last}", "\n".join(f"{first + at}\t{line}" for at, line in enumerate(lines)))
        meter.goal.see(file, first, last)
        meter.check()


def choose_terms(tree, text):
    """Returns what an agent would search for: identifiers as written, then the rarest words."""
    quoted = re.findall(r"`([^`\n]{3,60})`", text)
    words = re.findall(r"[A-Za-z_][A-Za-z0-9_]{2,}", text)
    names = [word for word in words if "_" in word.strip("_") or re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]", word)]
    plain = dict.fromkeys(word.lower() for word in words if word not in names and len(word) >= 4)
    plain = [word for word in plain if word not in COMMON]
    plain.sort(key=lambda word: len({file for file, _, _ in tree.search(word)}))
    return [term for term in dict.fromkeys([*quoted, *names, *plain]) if tree.search(term)][:TERMS]


def search_in_rounds(tree, meter, text, is_window):
    """Searches a few terms, reads the best new files, and so on; then reads on down the list."""
    terms = choose_terms(tree, text)
    hits = {}
    was_read = set()
    for start in range(0, max(len(terms), 1), ROUND):
        for number, term in enumerate(terms[start : start + ROUND], start):
            found = tree.search(term)
            if is_window:
                shown = found[:LISTED_LINES]
                listing = [f"{file}:{line}:{content[:LINE_WIDTH]}" for file, line, content in shown]
            else:
                files = list(dict.fromkeys(file for file, _, _ in found))[:LISTED_FILES]
                shown = [hit for hit in found if hit[0] in set(files)]
                listing = [f"{file}:{sum(hit[0] == file for hit in shown)}" for file in files]
            meter.add(f"grep {term}", "\n".join(listing))
            for file, line, _ in shown:
                place = (file, (line - 1) // WINDOW if is_window else 0)
                hits.setdefault(place, []).append(number)
            meter.check()
        is_last = start + ROUND >= len(terms)
        ranked = sorted(hits, key=lambda place: (-len(set(hits[place])), "test" in place[0].lower(), -len(hits[place]), place))
        for file, window in [place for place in ranked if place not in was_read][: None if is_last else ROUND]:
            was_read.add((file, window))
            last = (window + 1) * WINDOW if is_window else min(WHOLE_FILE, len(tree.read(file)))
            tree.read_lines(meter, file, window * WINDOW + 1, last)


class PageSource:
    """The pages of the answer to a task, each asked for when it is first needed."""

    def __init__(self, server, text):
        self.server, self.text, self.pages = server, text, []

    def page(self, number):
        """Returns the arguments of a call, and its answer; `None` after the last page."""
        if number == len(self.pages):
            arguments = {"task": self.text}
            if number > 0:
                _, (_, note, data) = self.pages[-1]
                if "continue_from" not in note or not data["symbols"]:
                    return None
                arguments["continue_from"] = data["pack_root"]
            self.pages.append((arguments, self.server.call("task_context", arguments)))
        return self.pages[number]


def ask_pages(source, tree, meter, with_reads):
    """Asks for a pack and its next pages; with reads, looks at what they show only by signature."""
    was_read = set()
    for number in itertools.count():
        page = source.page(number)
        if page is None:
            return
        arguments, (answer, note, data) = page
        meter.add(f"task_context {arguments}", answer + note)
        for symbol in data["symbols"]:
            if symbol["detail"] == "body":
                meter.goal.see(symbol["file"], symbol["line"], symbol["end_line"])
            elif symbol["detail"] != "signature":
                meter.goal.see(symbol["file"], symbol["line"], symbol["line"])
        meter.check()
        for symbol in data["symbols"] if with_reads else []:
            place = (symbol["file"], (symbol["line"] - 1) // WINDOW)
            if symbol["detail"] == "signature" and place not in was_read:
                was_read.add(place)
                tree.read_lines(meter, place[0], place[1] * WINDOW + 1, (place[1] + 1) * WINDOW)


def run_agents(source, tree, task, kind):
    """Returns the meters of all agents for a task."""
    text = task["description"]
    agents = {
        "grep-files": lambda meter: search_in_rounds(tree, meter, text, False),
        "grep-windows": lambda meter: search_in_rounds(tree, meter, text, True),
        "kenning": lambda meter: ask_pages(source, tree, meter, False),
        "kenning-reads": lambda meter: ask_pages(source, tree, meter, True),
    }
    meters = {}
    for agent, run in agents.items():
        meters[agent] = Meter(Goal(task, kind))
        try:
            run(meters[agent])
        except Spent:
            pass
    return meters


def summarize(kind, agent, meters):
    """Returns the row of an agent. A task that was not completed counts as one of more tokens than any other."""
    done = [meter for meter in meters if meter.is_complete]
    row = [kind, agent, len(meters), f"{len(done) / len(meters):.3f}"]
    row += [f"{sum(meter.tokens <= step for meter in done) / len(meters):.3f}" for step in STEPS]
    infinite = float("inf")
    for measure in ("tokens", "calls"):
        values = [getattr(meter, measure) if meter.is_complete else infinite for meter in meters]
        median = statistics.median_low(values)
        row.append("none" if median == infinite else median)
    row.append(f"{statistics.median(meter.calls for meter in done):.0f}" if done else "none")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kenning")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--csv", type=pathlib.Path, default=BENCH / "results/agents.csv")
    parser.add_argument("--list", action="store_true", help="print each task with the tokens and calls of each agent")
    options = parser.parse_args()
    kenning = str(pathlib.Path(options.kenning).resolve())
    tasks = choose_tasks(options.tasks)
    meters = {}
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"XDG_CACHE_HOME": cache, "XDG_DATA_HOME": cache}
        for repo in sorted({task["repo"] for task in tasks}):
            root = (options.corpus / repo).resolve()
            subprocess.run([kenning, "index"], cwd=root, env=environment, capture_output=True, check=True)
            tree = Tree(root)
            for task in (task for task in tasks if task["repo"] == repo):
                # A session ranks symbols higher that it showed a moment ago, so each task has its own.
                server = McpServer(kenning, root, environment)
                server.wait_until_current()
                source = PageSource(server, task["description"])
                for kind in ("files", "places"):
                    for agent, meter in run_agents(source, tree, task, kind).items():
                        meters.setdefault((kind, agent), []).append(meter)
                        if options.list:
                            outcome = "complete" if meter.is_complete else "incomplete"
                            print(task["id"], kind, agent, outcome, meter.tokens, meter.calls, flush=True)
                server.close()
    head = ["goal", "agent", "tasks", "completed", *(f"within_{step}_tokens" for step in STEPS)]
    head += ["median_tokens", "median_calls", "median_calls_of_completed"]
    rows = [summarize(kind, agent, counted) for (kind, agent), counted in sorted(meters.items())]
    with open(options.csv, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([head, *rows])
    for row in [head, *rows]:
        print(*row)


main()
