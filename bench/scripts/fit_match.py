#!/usr/bin/env python3
"""Fits the rule that decides that nothing in a workspace matches a task.

  fit_match.py SIGNALS...

Each SIGNALS is a file that `kenning eval --signals SIGNALS` writes for one set: two tuning sets of
real tasks and `bench/nonsense/tasks.json`. A logistic regression over both signals separates the
real tasks from the tuning half of the nonsense; 3% of the real tasks are below the limit. Prints
the constants of `MatchConfig` (`retrieval/src/config/matching.rs`), and the share of tasks below
the limit. The rule for each repository is fitted without it. Needs numpy.
"""

import csv
import json
import pathlib
import sys

import numpy

NONSENSE = pathlib.Path(__file__).parent.parent / "nonsense/tasks.json"
# Share of the real tasks that may be below the limit.
FALSE_ALARMS = 0.03
# Strength of the penalty on the weights, which keeps them finite if the classes can be separated.
PENALTY = 0.1


def read_signals(paths):
    """Returns the rows of all tables, with the half (`tune` or `test`) of each nonsense task."""
    halves = {task["id"]: task["half"] for task in json.loads(NONSENSE.read_text())["tasks"]}
    rows = [row for path in paths for row in csv.DictReader(open(path))]
    for row in rows:
        row["half"] = halves[row["task"].rsplit("/", 1)[1]] if row["set"] == "nonsense" else ""
        row["repo"] = row["repo"].rsplit("/", 1)[-1]
    return rows


def fit_rule(inputs, is_real):
    """Returns the weight of the strength and the limit, both relative to the weight of the known
    share."""
    ones = numpy.concatenate([numpy.ones((len(inputs), 1)), inputs], axis=1)
    # Both classes have the same weight.
    weight = numpy.where(is_real, len(is_real) / is_real.sum(), len(is_real) / (~is_real).sum()) / 2
    penalty = numpy.diag([0, PENALTY, PENALTY])
    beta = numpy.zeros(3)
    for _ in range(50):
        predicted = 1 / (1 + numpy.exp(-(ones @ beta)))
        gradient = ones.T @ (weight * (is_real - predicted)) - penalty @ beta
        curvature = ones.T @ (ones * (weight * predicted * (1 - predicted))[:, None]) + penalty
        beta += numpy.linalg.solve(curvature, gradient)
    strength = beta[2] / beta[1]
    return strength, numpy.quantile(inputs[is_real] @ [1, strength], FALSE_ALARMS)


def main(paths):
    rows = read_signals(paths)
    column = lambda name: numpy.array([row[name] for row in rows])
    inputs = numpy.stack([column("known").astype(float), column("strength").astype(float)], axis=1)
    is_real, half, repo = column("set") != "nonsense", column("half"), column("repo")
    is_exact = column("exact") == "1"
    fitted = half != "test"
    strength, limit = fit_rule(inputs[fitted], is_real[fitted])
    print(f"strength {strength:.3f}, limit {limit:.3f}\n")
    below = numpy.zeros(len(rows), bool)
    for name in set(repo):
        others, own = fitted & (repo != name), repo == name
        held_strength, held_limit = fit_rule(inputs[others], is_real[others])
        below[own] = (inputs[own] @ [1, held_strength] < held_limit) & ~is_exact[own]
    print(f"{'':12}{'real':>8}{'tune':>8}{'test':>8}")
    for name in ["all", *sorted(set(repo))]:
        own = (repo == name) | (name == "all")
        shares = [below[own & is_real].mean(), *(below[own & (half == part)].mean() for part in ("tune", "test"))]
        print(f"{name:12}" + "".join(f"{share:8.3f}" for share in shares))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
