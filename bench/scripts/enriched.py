#!/usr/bin/env python3
"""Measures the ranking before and after enrichment by language servers, and writes
bench/results/enriched.csv.

    enriched.py KENNING CORPUS

CORPUS has the folders `commits` and `curated` that bench/layout.sh creates. The servers have to be
on PATH; scripts/test-servers installs them below target/servers. Verdicts are stored in the user's
cache and reused by later runs.
"""
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

from rank import BENCH, PAIRED, compare, evaluate, figures

# The language server of each repository.
SERVERS = {"flask": "pyright", "fastapi": "pyright", "caddy": "gopls", "hono": "typescript-language-server"}


def enrich(kenning, corpus, task_set):
    """Enriches the existing trees of a set, and returns their names."""
    repos = [repo for repo in SERVERS if (corpus / task_set / repo).is_dir()]
    for repo in repos:
        command = [kenning, "enrich", "--server", SERVERS[repo], corpus / task_set / repo]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"{repo}: {run.stderr}")
        print(task_set, repo, run.stdout.strip(), flush=True)
    return repos


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
            repo_options = ["--repos", ",".join(repos)]
            evaluate(options.kenning, options.corpus, task_set, repo_options, lists["before"])
            evaluate(options.kenning, options.corpus, task_set, [*repo_options, "--enriched"], lists["after"])
            before, after = (figures(task_set, lists[name], repos) for name in ["before", "after"])
            for repo in [*repos, "all"]:
                tasks = [task for task in before if repo == "all" or task.startswith(f"{repo}-")]
                runs = [{task: run[task] for task in tasks} for run in (after, before)]
                for row in compare(task_set, *runs):
                    out.writerow([task_set, repo, *row, "enriched.py KENNING CORPUS"])
            file.flush()


if __name__ == "__main__":
    main()
