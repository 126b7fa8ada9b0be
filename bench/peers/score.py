#!/usr/bin/env python3
"""Scores the ranked lists of the peers and writes bench/results/peers.csv.

  score.py LISTS.json...

Reads LISTS.seconds.json next to each LISTS.json (see peer_runs.py). The reference scorers of the two
sets compute the figures. `hit@10` is the share of tasks with a truth among the first ten results,
`query_seconds` the mean time per task, and `index_seconds` the total time.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = "peer version set repository tasks MRR hit@10 P@10 R@10 sP@10 sR@10 query_seconds index_seconds".split()


def score_lists(task_set, lists):
    """Returns the figures of every task, computed by the reference scorer."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "scores.json"
        command = [sys.executable, BENCH / task_set / "score.py", lists, "--json", out]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found = json.loads(out.read_text())
    if task_set == "commits":
        return {task: {key: row[key] for key in ["MRR", "hit@10", "P@10", "R@10"]} for task, row in found["tasks"].items()}
    names = {"MRR": "mrr", "P@10": "p10", "R@10": "r10", "sP@10": "sp10", "sR@10": "sr10"}
    rows = {}
    for task, row in found["per_task"].items():
        rows[task] = {name: row[key] for name, key in names.items()} | {"hit@10": float(row["p10"] > 0)}
    return rows


def main():
    rows = []
    for path in map(pathlib.Path, sys.argv[1:]):
        seconds = json.loads(path.with_suffix(".seconds.json").read_text())
        task_set = seconds["set"]
        peer, version = seconds["peer"].rsplit(" ", 1)
        tasks = json.loads((BENCH / task_set / "tasks.json").read_text())
        found = score_lists(task_set, path)
        repo_groups = []
        for repo, times in seconds["repositories"].items():
            repo_rows = [found[task["id"]] for task in tasks if task["repo"] == repo]
            repo_groups.append((repo, repo_rows, times["query"], times["index"]))
        everything = [row for _, repo_rows, _, _ in repo_groups for row in repo_rows]
        query = sum(len(repo_rows) * query for _, repo_rows, query, _ in repo_groups) / len(everything)
        repo_groups.append(("all", everything, query, sum(index for *_, index in repo_groups)))
        for repo, repo_rows, query, index in repo_groups:
            mean = {key: f"{sum(row[key] for row in repo_rows) / len(repo_rows):.4f}" for key in repo_rows[0]}
            rows.append({"peer": peer, "version": version, "set": task_set, "repository": repo, "tasks": len(repo_rows),
                         **mean, "query_seconds": f"{query:.2f}", "index_seconds": f"{index:.1f}"})
    rows.sort(key=lambda row: (row["set"], row["peer"], row["repository"] != "all", row["repository"]))
    with open(BENCH / "results" / "peers.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
