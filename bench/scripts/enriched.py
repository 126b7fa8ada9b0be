#!/usr/bin/env python3
"""Measures the ranking before and after language servers were asked, and writes bench/results/enriched.csv.

    enriched.py KENNING CORPUS

CORPUS holds `commits` and `curated` as bench/layout.sh lays them out; the servers (scripts/test-servers installs them below
target/servers) are on PATH. Answers are kept in the user's cache: what was asked before is not asked again.
"""
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

from rank import BENCH, PAIRED, compare, figures

SERVERS = {"flask": "pyright", "fastapi": "pyright", "caddy": "gopls", "hono": "typescript-language-server"}


def enrich(kenning, corpus, task_set):
    """Asks about the trees of a set; returns those that it has."""
    found = [repo for repo in SERVERS if (corpus / task_set / repo).is_dir()]
    for repo in found:
        command = [kenning, "enrich", "--server", SERVERS[repo], corpus / task_set / repo]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"{repo}: {run.stderr}")
        print(task_set, repo, run.stdout.strip(), flush=True)
    return found


def evaluate(kenning, corpus, task_set, repos, options, lists):
    command = [kenning, "eval", "--tasks", BENCH / task_set / "tasks.json", "--corpus", corpus / task_set, *options]
    command += ["--repos", ",".join(repos), "--out", lists]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{task_set} {options}: {run.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kenning", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("corpus", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(BENCH / "results" / "enriched.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["set", "repo", "metric", "after", "before", "difference", "lo", "hi", "wins", "losses", "ties", "p", "command"])
        for task_set in PAIRED:
            repos = enrich(options.kenning, options.corpus, task_set)
            lists = {name: pathlib.Path(folder) / f"{task_set}-{name}.json" for name in ["before", "after"]}
            evaluate(options.kenning, options.corpus, task_set, repos, [], lists["before"])
            evaluate(options.kenning, options.corpus, task_set, repos, ["--enriched"], lists["after"])
            before, after = (figures(task_set, lists[name], repos) for name in ["before", "after"])
            for repo in [*repos, "all"]:
                chosen = [task for task in before if repo == "all" or task.startswith(f"{repo}-")]
                of = [{task: run[task] for task in chosen} for run in (after, before)]
                for row in compare(task_set, *of):
                    out.writerow([task_set, repo, *row, "enriched.py KENNING CORPUS"])
            file.flush()


if __name__ == "__main__":
    main()
