#!/usr/bin/env python3
"""Fits the weights of the reranker (retrieval/data/rerank.toml) on the tables that
`kenning eval --features` writes.

    fit.py commits.csv curated.csv [--write FILE] [--l2 X] [--balance X] [--drop a,b]

The score of a candidate is its score from the pipeline plus the weighted sum of its features. The
weights make the truths of a task likely under a softmax over its candidates (ListNet; Cao et al.
2007), with an L2 penalty. All repositories of a set have the same weight; `--balance` is the weight
of the commits relative to the curated set. Each repository is evaluated with weights that were
fitted without it; the weights that are written are fitted on all of them. Needs numpy.
"""
import argparse
import csv
from collections import defaultdict

import numpy as np

# Number of candidates that are reordered, and number of leading candidates on which the weights are
# fitted and of which one may come first. Nearly all other candidates are wrong.
TOP, LEAD = 200, 60


def load(paths):
    """Returns the tasks as dictionaries: set, repo, id, labels `y`, `f` (in a right file),
    `file`, relative scores `s`, features `x`."""
    tasks, names = [], None
    for path in paths:
        with open(path, newline="") as file:
            reader = csv.reader(file)
            names = next(reader)[7:]
            rows = defaultdict(list)
            for row in reader:
                rows[tuple(row[:3])].append(row)
        for (kind, repo, task), group in rows.items():
            scores = np.array([float(row[6]) for row in group])
            labels, in_file = (np.array([float(row[at]) for row in group]) for at in (3, 4))
            files = np.array([int(row[5]) for row in group])
            features = np.array([[float(x) for x in row[7:]] for row in group])
            tasks.append(dict(set=kind, repo=repo, id=task, y=labels, f=in_file, file=files, s=scores, x=features))
    return tasks, names


def fit(tasks, count, l2, balance, steps=400, rate=0.05):
    """Fits the scale of the pipeline's score and the weights of the features with Adam.
    Deterministic."""
    tasks = [t for t in tasks if 0 < t["y"].sum() < len(t["y"])]
    size = defaultdict(int)
    for t in tasks:
        size[t["set"], t["repo"]] += 1
    repos = defaultdict(set)
    for kind, repo in size:
        repos[kind].add(repo)
    w = np.zeros(count + 1)
    w[0] = 6.0
    m, v = np.zeros_like(w), np.zeros_like(w)

    def weight(t):
        return balance.get(t["set"], 1.0) / (size[t["set"], t["repo"]] * len(repos[t["set"]]))

    total = sum(weight(t) for t in tasks)
    width = max(len(t["y"]) for t in tasks)
    x = np.zeros((len(tasks), width, count + 1))
    y = np.zeros((len(tasks), width))
    mask = np.full((len(tasks), width), -1e9)
    share = np.zeros(len(tasks))
    for i, t in enumerate(tasks):
        n = len(t["y"])
        x[i, :n, 0] = t["s"]
        x[i, :n, 1:] = t["x"]
        y[i, :n] = t["y"] / t["y"].sum()
        mask[i, :n] = 0
        share[i] = weight(t) / total
    for step in range(1, steps + 1):
        z = x @ w + mask
        z -= z.max(axis=1, keepdims=True)
        p = np.exp(z)
        p /= p.sum(axis=1, keepdims=True)
        gradient = np.einsum("i,ij,ijk->k", share, p - y, x)
        gradient[1:] += l2 * w[1:]
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        w = w - rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return w


def rank_candidates(task, w, file_vote):
    """Returns the order of the candidates by score, but with the best candidate of the file with
    most votes first.

    The leading candidates vote for their files, weighted by their scores.
    """
    z = w[0] * task["s"] + task["x"] @ w[1:]
    order = np.argsort(-z, kind="stable")
    leaders = order[order < LEAD]
    best = z[leaders[0]]
    if file_vote > 0 and best > 0:
        votes = np.bincount(task["file"][leaders], np.exp(file_vote * (z[leaders] / best - 1)))
        first = leaders[np.nonzero(task["file"][leaders] == votes.argmax())[0][0]]
        order = np.concatenate(([first], order[order != first]))
    return order


def leaders_only(task):
    """Returns the task with only the candidates that the weights are fitted on."""
    return {**task, **{key: task[key][:LEAD] for key in ("y", "f", "file", "s", "x")}}


def figures(task, w, file_vote):
    """Returns the reciprocal rank of the first truth, whether and how many truths are in the
    first ten, and whether the right file is first."""
    order = rank_candidates(task, w, file_vote)
    hits = np.nonzero(task["y"][order] > 0)[0]
    file_first = float(task["f"][order[0]])
    if len(hits) == 0:
        return 0.0, 0.0, 0.0, file_first
    return 1 / (hits[0] + 1), float(hits[0] < 10), float((hits < 10).sum()), file_first


def report(label, rows):
    for kind in sorted({kind for kind, _ in rows}):
        values = np.array([row for k, row in rows if k == kind])
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
        for t in tasks:
            t["x"][:, names.index(name)] = 0
    count = len(names)
    balance = {"commits": options.balance}
    plain = np.zeros(count + 1)
    plain[0] = 1.0
    report("before", [(t["set"], figures(t, plain, 0)) for t in tasks])
    held_out = []
    for repo in sorted({t["repo"] for t in tasks}):
        w = fit([leaders_only(t) for t in tasks if t["repo"] != repo], count, options.l2, balance)
        held_out += [(t["set"], figures(t, w, options.file_vote)) for t in tasks if t["repo"] == repo]
    report("repository held out", held_out)
    w = fit([leaders_only(t) for t in tasks], count, options.l2, balance)
    report("fitted on all", [(t["set"], figures(t, w, options.file_vote)) for t in tasks])
    weights = w[1:] / w[0]
    lines = [f"{name} = {value:.3f}" for name, value in zip(names, weights) if abs(value) >= 0.0005]
    print("\n".join(lines))
    if options.write:
        with open(options.write, "w") as file:
            file.write("# Weights of the reranker, written by bench/scripts/fit.py from the tables of\n")
            file.write("# `kenning eval --features` on both tuning sets; see bench/README.md.\n")
            file.write(f"top = {TOP}\nlead = {LEAD}\nprose = [8.0, 16.0]\nfile_vote = {options.file_vote}\n\n[weights]\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
