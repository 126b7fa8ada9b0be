#!/usr/bin/env python3
"""Measures the tokens and calls after which an agent has every file that a commit edited, without a
model.

  bench/agents/run.py target/release/kenning corpus/commits       # needs ripgrep and the package bpe-openai

Scripted agents get the task in words and follow fixed rules (bench/README.md, "Agents").
`grep-files` searches and reads whole files. `grep-windows` searches and reads 200 lines around
hits. `kenning` asks `pack` for the pages of its answer. `kenning-reads` also reads 200
lines around each symbol that a page shows only by its signature, before it asks for the next page.
All agents stop as soon as they have the code that the commit edited, and give up at 60 calls or
64,000 tokens.
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
# Numbers of tokens for which the results have the share of completed tasks.
TOKEN_STEPS = [8_000, 16_000, 32_000]
# The agents with grep search at most this many terms, this many in a row between reads.
MAX_TERMS = 9
TERMS_PER_ROUND = 3
# They list at most this many files or lines of a search, and this many characters of a line.
LISTED_FILES = 50
LISTED_LINES = 50
LINE_WIDTH = 200
# They read this many lines around a hit, or at most this many lines of a whole file.
WINDOW_LINES = 200
MAX_FILE_LINES = 2_000
# Extensions of files that are not searched, in grep's favor: the correct answers are code.
NO_CODE = "md mdx rst adoc txt json lock svg html css scss po yml yaml toml xml csv ipynb snap".split()
# Words that occur in most tasks.
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
    """The files or symbols that a commit edited and that an agent has not read yet."""

    def __init__(self, task, kind):
        self.kind = kind
        if kind == "files":
            self.missing = set(task["files"])
        else:
            self.missing = {(truth["file"], truth["line"]) for truth in task["truths"]}

    def mark_read(self, file, first, last):
        """Notes that an agent has read lines of a file."""
        if self.kind == "files":
            self.missing.discard(file)
        else:
            self.missing = {(path, line) for path, line in self.missing if path != file or not first <= line <= last}


class AgentStopped(Exception):
    """The agent has reached its goal, or gives up."""


class UsageMeter:
    """Counts the tokens and calls of an agent."""

    def __init__(self, goal):
        self.goal, self.tokens, self.calls = goal, 0, 0

    def add_call(self, request, answer):
        self.calls += 1
        self.tokens += count_tokens(request) + count_tokens(answer)

    def stop_if_done(self):
        """Ends the run of the agent if it has reached its goal or a limit."""
        if not self.goal.missing or self.calls >= MAX_CALLS or self.tokens >= MAX_TOKENS:
            raise AgentStopped

    @property
    def is_complete(self):
        return not self.goal.missing and self.tokens <= MAX_TOKENS


class SearchableTree:
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
        meter.add_call(f"read {file} {first} {last}", "\n".join(f"{first + at}\t{line}" for at, line in enumerate(lines)))
        meter.goal.mark_read(file, first, last)
        meter.stop_if_done()


def choose_terms(tree, text):
    """Returns the terms that an agent would search for: identifiers as written, then the rarest
    words."""
    quoted = re.findall(r"`([^`\n]{3,60})`", text)
    words = re.findall(r"[A-Za-z_][A-Za-z0-9_]{2,}", text)
    names = [word for word in words if "_" in word.strip("_") or re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]", word)]
    plain = dict.fromkeys(word.lower() for word in words if word not in names and len(word) >= 4)
    plain = [word for word in plain if word not in COMMON]
    plain.sort(key=lambda word: len({file for file, _, _ in tree.search(word)}))
    return [term for term in dict.fromkeys([*quoted, *names, *plain]) if tree.search(term)][:MAX_TERMS]


def search_in_rounds(tree, meter, text, is_window):
    """Alternates between searching a few terms and reading the best new files, then reads the rest
    of the list."""
    terms = choose_terms(tree, text)
    hits = {}
    was_read = set()
    for start in range(0, max(len(terms), 1), TERMS_PER_ROUND):
        for number, term in enumerate(terms[start : start + TERMS_PER_ROUND], start):
            found = tree.search(term)
            if is_window:
                shown = found[:LISTED_LINES]
                listing = [f"{file}:{line}:{content[:LINE_WIDTH]}" for file, line, content in shown]
            else:
                files = list(dict.fromkeys(file for file, _, _ in found))[:LISTED_FILES]
                shown = [hit for hit in found if hit[0] in set(files)]
                listing = [f"{file}:{sum(hit[0] == file for hit in shown)}" for file in files]
            meter.add_call(f"grep {term}", "\n".join(listing))
            for file, line, _ in shown:
                place = (file, (line - 1) // WINDOW_LINES if is_window else 0)
                hits.setdefault(place, []).append(number)
            meter.stop_if_done()
        is_last = start + TERMS_PER_ROUND >= len(terms)
        ranked = sorted(hits, key=lambda place: (-len(set(hits[place])), "test" in place[0].lower(), -len(hits[place]), place))
        for file, window in [place for place in ranked if place not in was_read][: None if is_last else TERMS_PER_ROUND]:
            was_read.add((file, window))
            last = (window + 1) * WINDOW_LINES if is_window else min(MAX_FILE_LINES, len(tree.read(file)))
            tree.read_lines(meter, file, window * WINDOW_LINES + 1, last)


class PageSource:
    """The pages of the answer to a task. Requests each page when it is first needed."""

    def __init__(self, server, text):
        self.server, self.text, self.pages = server, text, []

    def page(self, number):
        """Returns the arguments of a call, and its answer; `None` after the last page."""
        if number == len(self.pages):
            arguments = {"task": self.text, "budget": 8000}
            if number > 0:
                _, (_, note, data) = self.pages[-1]
                if "continue_from" not in note or not data["symbols"]:
                    return None
                arguments["continue_from"] = data["pack_root"]
            self.pages.append((arguments, self.server.call("pack", arguments)))
        return self.pages[number]


def ask_pages(source, tree, meter, with_reads):
    """Asks for a pack and its next pages. `with_reads` also reads symbols that a page shows only by
    signature."""
    was_read = set()
    for number in itertools.count():
        page = source.page(number)
        if page is None:
            return
        arguments, (answer, note, data) = page
        meter.add_call(f"pack {arguments}", answer + note)
        for symbol in data["symbols"]:
            if symbol["detail"] == "body":
                meter.goal.mark_read(symbol["file"], symbol["line"], symbol["end_line"])
            elif symbol["detail"] != "signature":
                meter.goal.mark_read(symbol["file"], symbol["line"], symbol["line"])
        meter.stop_if_done()
        for symbol in data["symbols"] if with_reads else []:
            place = (symbol["file"], (symbol["line"] - 1) // WINDOW_LINES)
            if symbol["detail"] == "signature" and place not in was_read:
                was_read.add(place)
                tree.read_lines(meter, place[0], place[1] * WINDOW_LINES + 1, (place[1] + 1) * WINDOW_LINES)


def run_agents(source, tree, task, kind):
    """Returns the meters of all agents for a task."""
    text = task["description"]
    agents = {
        "grep-files": lambda meter: search_in_rounds(tree, meter, text, is_window=False),
        "grep-windows": lambda meter: search_in_rounds(tree, meter, text, is_window=True),
        "kenning": lambda meter: ask_pages(source, tree, meter, with_reads=False),
        "kenning-reads": lambda meter: ask_pages(source, tree, meter, with_reads=True),
    }
    meters = {}
    for agent, run in agents.items():
        meters[agent] = UsageMeter(Goal(task, kind))
        try:
            run(meters[agent])
        except AgentStopped:
            pass
    return meters


def summarize(kind, agent, meters):
    """Returns the row of an agent. In the medians, an incomplete task has more tokens and calls
    than any other."""
    done = [meter for meter in meters if meter.is_complete]
    row = [kind, agent, len(meters), f"{len(done) / len(meters):.3f}"]
    row += [f"{sum(meter.tokens <= step for meter in done) / len(meters):.3f}" for step in TOKEN_STEPS]
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
            tree = SearchableTree(root)
            for task in (task for task in tasks if task["repo"] == repo):
                # A session ranks recently shown symbols higher, so each task has a session of its
                # own.
                server = McpServer(kenning, root, environment)
                server.wait_until_current()
                source = PageSource(server, task["description"])
                for kind in ("files", "symbols"):
                    for agent, meter in run_agents(source, tree, task, kind).items():
                        meters.setdefault((kind, agent), []).append(meter)
                        if options.list:
                            outcome = "complete" if meter.is_complete else "incomplete"
                            print(task["id"], kind, agent, outcome, meter.tokens, meter.calls, flush=True)
                server.close()
    head = ["goal", "agent", "tasks", "completed", *(f"within_{step}_tokens" for step in TOKEN_STEPS)]
    head += ["median_tokens", "median_calls", "median_calls_of_completed"]
    rows = [summarize(kind, agent, counted) for (kind, agent), counted in sorted(meters.items())]
    with open(options.csv, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([head, *rows])
    for row in [head, *rows]:
        print(*row)


main()
