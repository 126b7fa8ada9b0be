#!/usr/bin/env python3
"""Measures the ranking on both task sets and writes bench/results/{commits,curated}-*.csv and
paired.csv.

    rank.py KENNING CORPUS

CORPUS has the folders `commits` and `curated` that bench/layout.sh creates. Measures the four
configurations, and the default without equivalence classes and without history. Compares the
default with each other configuration, task by task, by the reference scorers.
"""
import argparse
import csv
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent.parent
RUNS = {
    "default": [],
    "linear": ["--config", "linear"],
    "seeds": ["--config", "seeds"],
    "bm25-bodies": ["--config", "bm25-bodies"],
    "no-classes": ["--set", "classes.channel.weight=0"],
    "no-history": ["--no-history"],
}
# The metrics that are compared task by task, by set.
PAIRED = {"commits": ["MRR", "hit@10", "R@10", "fAcc@1"], "curated": ["sP@10", "sR@10", "MRR", "P@10"]}
# The names of the metrics in curated/score.py.
CURATED_NAMES = {"sP@10": "sp10", "sR@10": "sr10", "MRR": "mrr", "P@10": "p10"}


def load_scorer(task_set):
    """Loads the reference scorer of a set as a module."""
    spec = importlib.util.spec_from_file_location(f"{task_set}_score", BENCH / task_set / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def figures(task_set, lists, repos=None):
    """Returns the figures of the tasks of all or some repositories, computed by the reference
    scorer."""
    tasks = json.loads((BENCH / task_set / "tasks.json").read_text())
    tasks = [task for task in tasks if repos is None or task["repo"] in repos]
    lists = json.loads(lists.read_text())
    if task_set == "commits":
        return load_scorer("commits").evaluate(tasks, lists, str(BENCH / "commits" / "symbols"))
    _, tasks = load_scorer("curated").score(lists, tasks)
    return {task: {metric: row[name] for metric, name in CURATED_NAMES.items()} for task, row in tasks.items()}


def evaluate(kenning, corpus, task_set, options, lists):
    """Ranks the tasks of a set with these options, and writes the ranked lists to a file."""
    command = [kenning, "eval", "--tasks", BENCH / task_set / "tasks.json", "--corpus", corpus / task_set, *options]
    run = subprocess.run([*command, "--out", lists], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{task_set} {options}: {run.stderr}")


def compare(task_set, ours, other):
    """Yields a row for each metric: both means, their difference with its 95% interval, wins,
    losses, ties, and Wilcoxon's p."""
    reference = load_scorer("commits")
    for metric in PAIRED[task_set]:
        pairs = [(ours[task][metric], other[task][metric]) for task in sorted(ours)]
        differences = [our_figure - other_figure for our_figure, other_figure in pairs]
        low, high = reference.bootstrap([{"difference": value} for value in differences], ["difference"])["difference"]
        wins, losses = sum(value > 1e-12 for value in differences), sum(value < -1e-12 for value in differences)
        means = [sum(column) / len(pairs) for column in (*zip(*pairs), differences)]
        shown = [f"{value:.4f}" for value in (*means, low, high)]
        yield [metric, *shown, wins, losses, len(pairs) - wins - losses, f"{reference.wilcoxon(differences):.2g}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kenning", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("corpus", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(BENCH / "results" / "paired.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["set", "ours", "other", "metric", "of_ours", "of_other", "difference", "lo", "hi", "wins", "losses", "ties", "p", "command"])
        for task_set in PAIRED:
            lists = {name: pathlib.Path(folder) / f"{task_set}-{name}.json" for name in RUNS}
            for name in RUNS:
                table = BENCH / "results" / f"{task_set}-{name}.csv"
                evaluate(options.kenning, options.corpus, task_set, [*RUNS[name], "--csv", table], lists[name])
                print(task_set, name, flush=True)
            by_run = {name: figures(task_set, path) for name, path in lists.items()}
            for other in list(RUNS)[1:]:
                for row in compare(task_set, by_run["default"], by_run[other]):
                    out.writerow([task_set, "default", other, *row, "rank.py KENNING CORPUS"])


if __name__ == "__main__":
    main()
