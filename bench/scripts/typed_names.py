#!/usr/bin/env python3
"""Measures whether names find their symbols as people type them, and writes
bench/results/typed-names.csv.

    typed_names.py KENNING CORPUS

CORPUS is the folder `commits` that bench/layout.sh creates. The names are in lower case and without
underscores: only their beginning, only the rest after two letters, or the whole name in a question.
They are unique in their repository and at least nine letters long. Measures the default with and
without what finds them.
"""
import argparse
import collections
import csv
import json
import pathlib
import random
import subprocess
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent.parent
# Number of names for each repository.
NAMES = 30
# Shortest name, and shortest beginning of a name, in letters.
MIN_NAME, MIN_BEGINNING = 9, 5
# Share of a name that is typed as its beginning.
BEGINNING = 0.7
METRICS = ["hit@1", "hit@10", "MRR", "nothing"]
SETTINGS = {
    "default": [],
    "names channel off": ["--set", "names.channel.weight=0"],
    "respelling off": ["--set", "query.respells=false"],
}


def folded(name):
    """Returns a name in lower case and without underscores."""
    return name.replace("_", "").lower()


TYPED = {
    "beginning": lambda name: folded(name)[: max(MIN_BEGINNING, int(len(folded(name)) * BEGINNING))],
    "inside": lambda name: folded(name)[2:],
    "question": lambda name: f"where is {folded(name)} defined, and who calls it?",
}


def draw_symbols(repo):
    """Draws symbols with unique names, the same ones every time."""
    by_name = collections.defaultdict(list)
    for symbol in json.loads((BENCH / "commits" / "symbols" / f"{repo}.json").read_text()):
        by_name[symbol["qualified"].replace("::", ".").split(".")[-1]].append(symbol)
    unique = [
        (name, symbols[0])
        for name, symbols in sorted(by_name.items())
        if len(symbols) == 1 and len(name) >= MIN_NAME and name.replace("_", "").isalnum()
    ]
    random.Random(repo).shuffle(unique)
    return unique[:NAMES]


def build_tasks(type_name):
    """Returns a task for each drawn name, with the text that `type_name` returns."""
    templates = {}
    for task in json.loads((BENCH / "commits" / "tasks.json").read_text()):
        templates.setdefault(task["repo"], task)
    tasks = []
    for repo, template in templates.items():
        for number, (name, symbol) in enumerate(draw_symbols(repo)):
            truth = template["truths"][0] | symbol | {"name": name, "fq": symbol["qualified"]}
            changed = {"id": f"{repo}-{number}", "description": type_name(name)}
            tasks.append(template | changed | {"truths": [truth], "files": [symbol["file"]]})
    return tasks


def measure(kenning, corpus, typed, settings):
    """Returns the figures of all tasks of one kind."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "tasks.json").write_text(json.dumps(build_tasks(TYPED[typed])))
        (folder / "symbols").symlink_to(BENCH / "commits" / "symbols")
        out = folder / "figures.csv"
        command = [kenning, "eval", "--tasks", folder / "tasks.json", "--corpus", corpus, "--csv", out]
        subprocess.run(command + settings, check=True, stdout=subprocess.DEVNULL)
        rows = [row for row in csv.DictReader(open(out)) if row["repo"] == "all"]
    return rows[0]["tasks"], {row["metric"]: row["mean"] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kenning", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("corpus", type=lambda text: pathlib.Path(text).resolve())
    options = parser.parse_args()
    with open(BENCH / "results" / "typed-names.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["typed", "setting", "tasks", *METRICS, "command"])
        for typed in TYPED:
            for setting, arguments in SETTINGS.items():
                tasks, figures = measure(options.kenning, options.corpus, typed, arguments)
                row = [typed, setting, tasks, *(figures[metric] for metric in METRICS)]
                print(*row, flush=True)
                out.writerow([*row, "typed_names.py kenning corpus/commits"])


if __name__ == "__main__":
    main()
