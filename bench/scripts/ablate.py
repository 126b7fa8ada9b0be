#!/usr/bin/env python3
"""Measures `linear` and `seeds` with one mechanism changed at a time (bench/ablation.toml).

    ablate.py KENNING CORPUS [--out FILE] [--only TEXT]

CORPUS has the folders `commits` and `curated` that bench/layout.sh creates. Runs each row on both
sets and writes it to bench/results/ablation.csv with its command. With --only, keeps the other rows
of that file.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

BENCH = pathlib.Path(__file__).resolve().parent.parent
METRICS = {"commits": ["MRR", "hit@10", "R@10", "fAcc@1"], "curated": ["sP@10", "sR@10", "MRR", "P@10"]}


def measure(kenning, corpus, task_set, options):
    """Returns the figures over all repositories, and the command that was run."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "table.csv"
        command = [kenning, "eval", "--tasks", BENCH / task_set / "tasks.json", "--corpus", corpus / task_set, *options]
        run = subprocess.run([*command, "--csv", table], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(map(str, options))}: {run.stderr}")
        with open(table, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["repo"] == "all"]
    return {row["metric"]: row["mean"] for row in rows}, rows[0]["command"]


def replay(kenning, corpus, task_set, options, rounds):
    """Returns the MRR of the first and the last of some rounds with simulated use, and the
    command."""
    options = [*options, "--replay", str(rounds)]
    command = [kenning, "eval", "--tasks", BENCH / task_set / "tasks.json", "--corpus", corpus / task_set, *options]
    run = subprocess.run([*command, "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, options))}: {run.stderr}")
    report = json.loads(run.stdout)["mrr"]
    figures = {"MRR of round 1": report[0]["all_uses"]}
    for uses in ("all_uses", "other_tasks"):
        figures[f"MRR of round {rounds}, {uses.replace('_', ' ')}"] = report[-1][uses]
    shown = ["kenning", "eval", "--tasks", f"{task_set}/tasks.json", "--corpus", f"corpus/{task_set}", *options]
    return {name: f"{figure:.4f}" for name, figure in figures.items()}, " ".join(shown)


def read_table(path):
    """Returns the lines of an earlier table, by mechanism."""
    lines = {}
    if path.exists():
        with open(path, newline="") as file:
            for line in list(csv.reader(file))[1:]:
                lines.setdefault(line[0], []).append(line)
    return lines


def write_table(path, lines):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["mechanism", "set", "metric", "mean", "command"])
        out.writerows(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kenning", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=BENCH / "results" / "ablation.csv")
    parser.add_argument("--only", default="", help="only rows whose name contains this text")
    options = parser.parse_args()
    with open(BENCH / "ablation.toml", "rb") as file:
        rows = tomllib.load(file)["row"]
    measured = read_table(options.out) if options.only else {}
    for row in rows:
        if options.only not in row["name"]:
            continue
        settings = ["--config", row.get("config", "linear")]
        settings += [part for setting in row["set"] for part in ("--set", setting)]
        lines = []
        for task_set, metrics in METRICS.items():
            if "replay" in row:
                figures, command = replay(options.kenning, options.corpus, task_set, settings, row["replay"])
                metrics = list(figures)
            else:
                settings_of_row = settings + row.get("options", [])
                figures, command = measure(options.kenning, options.corpus, task_set, settings_of_row)
            lines += [[row["name"], task_set, metric, figures[metric], command] for metric in metrics]
            print(row["name"], task_set, *(figures[metric] for metric in metrics), flush=True)
        measured[row["name"]] = lines
        write_table(options.out, [line for row in rows for line in measured.get(row["name"], [])])


if __name__ == "__main__":
    main()
