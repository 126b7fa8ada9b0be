#!/usr/bin/env python3
"""Scores and fits the ranking of the files that a change is likely to touch as well.

  ripple.py score TASKS.jsonl [--csv FILE]   recall of the model and of the baselines
  ripple.py tests TASKS.jsonl [--csv FILE]   recall of the test files that `kenning tests` names, at most 15 each
  ripple.py fit TASKS.jsonl                  weights for retrieval/src/ripple/model.rs, and recall with each
                                             repository left out of the fitting in turn

The program `ripple` (bench/src/bin/ripple.rs) writes TASKS.jsonl. `fit` needs numpy.
"""

import argparse
import csv
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "retrieval/src/ripple/model.rs"
# Lengths of the ranked list at which recall is measured.
DEPTHS = (5, 10)
L2_PENALTY = 0.003
STEPS = 300
LEARNING_RATE = 0.045


def read_tasks(path):
    """Returns the names of the measures and the tasks."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return lines[0]["measures"], lines[1:]


def read_weights():
    """Returns the weights of the model in the source."""
    text = MODEL.read_text(encoding="utf-8")
    body = re.search(r"WEIGHTS: [^=]*=\s*\[(.*?)\]", text, re.S)[1]
    return [float(number) for number in re.findall(r"-?\d+\.\d+", body)]


def rank(task, key):
    """Returns the candidates whose key is not 0, best first, then by path."""
    scored = [(key(values), path) for path, values in task["candidates"]]
    return [path for value, path in sorted(scored, key=lambda pair: (-pair[0], pair[1])) if value != 0]


def recall(ranked, gold, depth):
    """Returns the share of `gold` among the first `depth` results."""
    return len(set(ranked[:depth]) & set(gold)) / len(gold)


def summarize(tasks, ranking):
    """Returns mean recall at each depth, precision at the first depth, and the share of tasks
    without an answer."""
    lists = [(ranking(task), task["gold"]) for task in tasks]
    count = len(lists)
    row = [sum(recall(ranked, gold, depth) for ranked, gold in lists) / count for depth in DEPTHS]
    answered = [(ranked[: DEPTHS[0]], gold) for ranked, gold in lists if ranked]
    hits = sum(len(set(ranked) & set(gold)) for ranked, gold in answered)
    precision = hits / max(sum(len(ranked) for ranked, _ in answered), 1)
    return [*row, precision, sum(not ranked for ranked, _ in lists) / count]


def rankings(measures):
    """Returns the model and the baselines, by name."""
    column = {name: index for index, name in enumerate(measures)}
    weights = read_weights()
    by_measure = lambda name: lambda task: rank(task, lambda values: values[column[name]])
    return {
        "kenning": lambda task: rank(task, lambda values: sum(value * weight for value, weight in zip(values, weights, strict=True))),
        "co_change": by_measure("co_weight"),
        "co_change_recent": by_measure("co_recent"),
        "users": by_measure("used_by"),
        "same_folder": by_measure("same_folder"),
        "similar_name": by_measure("similar_stem"),
    }


def recall_rows_of_test_files(tasks):
    """Returns rows with the recall of test files, for the answer and the baselines, over all and by
    repository."""
    rows = []
    for key, name in [("answer", "kenning"), ("reach_only", "reaching"), ("co_change_only", "co_change")]:
        for repo in ["all", *sorted({task["repo"] for task in tasks})]:
            chosen = [task["tests"] for task in tasks if repo in ("all", task["repo"])]
            found = [recall(task[key], task["gold"], len(task[key])) for task in chosen]
            length = sum(len(task[key]) for task in chosen) / len(chosen)
            empty = sum(not task[key] for task in chosen) / len(chosen)
            rows.append([name, repo, len(chosen), f"{sum(found) / len(found):.3f}", f"{length:.1f}", f"{empty:.3f}"])
    return rows


def score_tests(arguments):
    tasks = [task for task in read_tasks(arguments.tasks)[1] if task.get("tests")]
    rows = recall_rows_of_test_files(tasks)
    head = ["ranking", "repo", "tasks", "recall", "files", "empty"]
    for row in [head, *(row for row in rows if row[1] == "all" or row[0] == "kenning")]:
        print("  ".join(f"{cell!s:>12}" for cell in row))
    if arguments.csv:
        with arguments.csv.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([head, *rows])


def score(arguments):
    measures, tasks = read_tasks(arguments.tasks)
    repos = sorted({task["repo"] for task in tasks})
    rows = []
    for name, ranking in rankings(measures).items():
        for repo in ["all", *repos]:
            chosen = [task for task in tasks if repo in ("all", task["repo"])]
            rows.append([name, repo, len(chosen), *(f"{figure:.3f}" for figure in summarize(chosen, ranking))])
    head = ["ranking", "repo", "tasks", *(f"recall_{depth}" for depth in DEPTHS), f"precision_{DEPTHS[0]}", "empty"]
    for row in [head, *(row for row in rows if row[1] == "all" or row[0] == "kenning")]:
        print("  ".join(f"{cell!s:>16}" for cell in row))
    if arguments.csv:
        with arguments.csv.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([head, *rows])


def fit(arguments):
    import numpy

    measures, tasks = read_tasks(arguments.tasks)
    data = []
    for task in tasks:
        values = numpy.array([values for _, values in task["candidates"]], float)
        gold = numpy.array([path in set(task["gold"]) for path, _ in task["candidates"]], float)
        if gold.sum() > 0:
            data.append((task, values, gold))
    scale = numpy.concatenate([values for _, values, _ in data]).std(0) + 1e-9

    def fit_weights(rows):
        """Maximizes the likelihood of the gold under a softmax over the candidates, with Adam."""
        weights, mean, variance = (numpy.zeros(len(measures)) for _ in range(3))
        for step in range(1, STEPS + 1):
            gradient = L2_PENALTY * weights * len(rows)
            for _, values, gold in rows:
                scores = values / scale @ weights
                probability = numpy.exp(scores - scores.max())
                gradient += (values / scale).T @ (probability / probability.sum() - gold / gold.sum())
            gradient /= len(rows)
            mean, variance = 0.9 * mean + 0.1 * gradient, 0.999 * variance + 0.001 * gradient**2
            weights = weights - LEARNING_RATE * (mean / (1 - 0.9**step)) / (numpy.sqrt(variance / (1 - 0.999**step)) + 1e-8)
        return weights / scale

    results = []
    for repo in sorted({task["repo"] for task in tasks}):
        weights = fit_weights([row for row in data if row[0]["repo"] != repo])
        held_out = [task for task in tasks if task["repo"] == repo]
        figures = summarize(held_out, lambda task, w=weights: rank(task, lambda values: float(numpy.dot(values, w))))
        print(repo, len(held_out), *(f"{figure:.3f}" for figure in figures))
        results += [(len(held_out), figures)]
    total = sum(count for count, _ in results)
    print("left out", *(f"{sum(count * figures[at] for count, figures in results) / total:.3f}" for at in range(4)))
    print("weights", ", ".join(f"{weight:.2f}" for weight in fit_weights(data)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["score", "tests", "fit"])
    parser.add_argument("tasks", type=pathlib.Path)
    parser.add_argument("--csv", type=pathlib.Path)
    arguments = parser.parse_args()
    {"score": score, "tests": score_tests, "fit": fit}[arguments.command](arguments)


if __name__ == "__main__":
    sys.exit(main())
