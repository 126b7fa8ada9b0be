#!/usr/bin/env python3
"""Fits the weights of the reranker (retrieval/data/rerank.toml) on the tables that
`kenning eval --features` writes.

    fit.py commits.csv curated.csv [--write FILE] [--l2 X] [--balance X] [--drop a,b]

The score of a candidate is its score from the pipeline plus the weighted sum of its features. The
weights make the truths of a task likely under a softmax over its candidates (ListNet; Cao et al.
2007), with an L2 penalty. All repositories of a set have the same weight; `--balance` is the weight
of the commits relative to the curated set. The evaluation of each repository uses weights fitted
without it; FILE gets weights fitted on all repositories. Needs numpy.
"""
import argparse
import csv
from collections import defaultdict

import numpy as np

# Number of candidates that are reordered, and number of leading candidates. The weights are fitted
# on the leading candidates, and one of them comes first. Nearly all other candidates are wrong.
TOP, LEAD = 200, 60


def load(paths):
    """Returns the tasks as dictionaries, and the names of the features. Each task has its set, repo
    and id, and arrays with a value for each candidate: `labels`, `in_file` (in a right file),
    `files`, `scores` (relative) and `features`."""
    tasks, names = [], None
    for path in paths:
        with open(path, newline="") as file:
            reader = csv.reader(file)
            names = next(reader)[7:]
            rows = defaultdict(list)
            for row in reader:
                rows[tuple(row[:3])].append(row)
        for (kind, repo, identifier), group in rows.items():
            scores = np.array([float(row[6]) for row in group])
            labels, in_file = (np.array([float(row[at]) for row in group]) for at in (3, 4))
            files = np.array([int(row[5]) for row in group])
            features = np.array([[float(value) for value in row[7:]] for row in group])
            task = {"set": kind, "repo": repo, "id": identifier, "labels": labels, "in_file": in_file, "files": files}
            tasks.append(task | {"scores": scores, "features": features})
    return tasks, names


def fit(tasks, count, l2, balance, steps=400, rate=0.05):
    """Returns the scale of the pipeline's score and the weights of the features, fitted with Adam.
    Deterministic."""
    tasks = [task for task in tasks if 0 < task["labels"].sum() < len(task["labels"])]
    size = defaultdict(int)
    for task in tasks:
        size[task["set"], task["repo"]] += 1
    repos = defaultdict(set)
    for kind, repo in size:
        repos[kind].add(repo)
    weights = np.zeros(count + 1)
    weights[0] = 6.0
    mean, variance = np.zeros_like(weights), np.zeros_like(weights)

    def weight(task):
        return balance.get(task["set"], 1.0) / (size[task["set"], task["repo"]] * len(repos[task["set"]]))

    total = sum(weight(task) for task in tasks)
    width = max(len(task["labels"]) for task in tasks)
    inputs = np.zeros((len(tasks), width, count + 1))
    targets = np.zeros((len(tasks), width))
    mask = np.full((len(tasks), width), -1e9)
    share = np.zeros(len(tasks))
    for row, task in enumerate(tasks):
        length = len(task["labels"])
        inputs[row, :length, 0] = task["scores"]
        inputs[row, :length, 1:] = task["features"]
        targets[row, :length] = task["labels"] / task["labels"].sum()
        mask[row, :length] = 0
        share[row] = weight(task) / total
    for step in range(1, steps + 1):
        scores = inputs @ weights + mask
        scores -= scores.max(axis=1, keepdims=True)
        predicted = np.exp(scores)
        predicted /= predicted.sum(axis=1, keepdims=True)
        gradient = np.einsum("i,ij,ijk->k", share, predicted - targets, inputs)
        gradient[1:] += l2 * weights[1:]
        mean = 0.9 * mean + 0.1 * gradient
        variance = 0.999 * variance + 0.001 * gradient**2
        corrected_mean, corrected_variance = mean / (1 - 0.9**step), variance / (1 - 0.999**step)
        weights = weights - rate * corrected_mean / (np.sqrt(corrected_variance) + 1e-8)
    return weights


def rank_candidates(task, weights, file_vote):
    """Returns the order of the candidates by score, but with the best candidate of the file with
    the most votes first.

    The leading candidates vote for their files, weighted by their scores.
    """
    scores = weights[0] * task["scores"] + task["features"] @ weights[1:]
    order = np.argsort(-scores, kind="stable")
    leaders = order[order < LEAD]
    best = scores[leaders[0]]
    if file_vote > 0 and best > 0:
        votes = np.bincount(task["files"][leaders], np.exp(file_vote * (scores[leaders] / best - 1)))
        first = leaders[np.nonzero(task["files"][leaders] == votes.argmax())[0][0]]
        order = np.concatenate(([first], order[order != first]))
    return order


def leaders_only(task):
    """Returns the task with only the candidates that the weights are fitted on."""
    return {**task, **{key: task[key][:LEAD] for key in ("labels", "in_file", "files", "scores", "features")}}


def figures(task, weights, file_vote):
    """Returns the reciprocal rank of the first truth, whether a truth is in the first ten, the
    number of truths there, and whether a right file is first."""
    order = rank_candidates(task, weights, file_vote)
    hits = np.nonzero(task["labels"][order] > 0)[0]
    file_first = float(task["in_file"][order[0]])
    if len(hits) == 0:
        return 0.0, 0.0, 0.0, file_first
    return 1 / (hits[0] + 1), float(hits[0] < 10), float((hits < 10).sum()), file_first


def report(label, rows):
    """Prints the mean figures of each set."""
    for kind in sorted({kind for kind, _ in rows}):
        values = np.array([row for row_kind, row in rows if row_kind == kind])
        mean = values.mean(axis=0)
        print(f"{label:22} {kind:8} MRR {mean[0]:.4f}  hit@10 {mean[1]:.4f}  truths in 10 {mean[2]:.4f}"
              f"  right file first {mean[3]:.4f}  ({len(values)})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--write")
    parser.add_argument("--l2", type=float, default=0.001)
    parser.add_argument("--drop", default="")
    parser.add_argument("--balance", type=float, default=8.0)
    parser.add_argument("--file-vote", type=float, default=8.5, help="sharpness of the files' vote for the first place")
    options = parser.parse_args()
    tasks, names = load(options.tables)
    for name in filter(None, options.drop.split(",")):
        for task in tasks:
            task["features"][:, names.index(name)] = 0
    count = len(names)
    balance = {"commits": options.balance}
    plain = np.zeros(count + 1)
    plain[0] = 1.0
    report("before", [(task["set"], figures(task, plain, 0)) for task in tasks])
    held_out = []
    for repo in sorted({task["repo"] for task in tasks}):
        fitted = fit([leaders_only(task) for task in tasks if task["repo"] != repo], count, options.l2, balance)
        held_out += [(task["set"], figures(task, fitted, options.file_vote)) for task in tasks if task["repo"] == repo]
    report("repository held out", held_out)
    fitted = fit([leaders_only(task) for task in tasks], count, options.l2, balance)
    report("fitted on all", [(task["set"], figures(task, fitted, options.file_vote)) for task in tasks])
    weights = fitted[1:] / fitted[0]
    lines = [f"{name} = {value:.3f}" for name, value in zip(names, weights) if abs(value) >= 0.0005]
    print("\n".join(lines))
    if options.write:
        with open(options.write, "w") as file:
            file.write("# Weights of the reranker, written by bench/scripts/fit.py from the tables of\n")
            file.write("# `kenning eval --features` on both tuning sets; see bench/README.md.\n")
            file.write(f"top = {TOP}\nlead = {LEAD}\nprose = [8.0, 16.0]\nfile_vote = {options.file_vote}\n\n[weights]\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
