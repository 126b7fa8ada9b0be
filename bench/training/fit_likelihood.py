#!/usr/bin/env python3
"""Fits the score limits of the words `high`, `medium` and `low` for the confidence of a ranking.

  fit_confidence.py --ranker RANKER --validation TABLE... [--top N] [--write TOML] [--diagram SVG]

RANKER is `retrieval/data/ranker.bin`. Each TABLE is a file that `kenning eval --features TABLE`
writes for tasks that the ranker was not trained on. The best score of a task is the only input of a
logistic regression for the event that an answer is among the first ten. Prints, and draws to SVG,
the share of such tasks at each predicted probability; the regression for each repository is fitted
without it. TOML gets the minimum scores with a probability of at least 0.8 (`high`) and 0.5
(`medium`), from a regression over all repositories. Needs numpy.
"""

import argparse
import pathlib
import struct

import numpy

from train_ranker import read_tables

# The values of the trees are multiples of 1 / SCALE, as in `retrieval/src/learned/trees.rs`.
SCALE = 32_768
# Child numbers of nodes refer to leaves if they are at least this number.
FIRST_LEAF = 128
# The lowest probability for each word.
PROBABILITIES = {"high": 0.8, "medium": 0.5}
# The bounds of the bins of predicted probabilities.
BINS = [0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0]


def read_ranker(path):
    """Returns the features, as names with thresholds, and the trees, as nodes with leaves."""
    data = pathlib.Path(path).read_bytes()
    assert data[:6] == b"KRANK1", f"{path} has another format"
    feature_count, tree_count = struct.unpack_from("<HH", data, 6)
    at, features, trees = 10, [], []
    for _ in range(feature_count):
        name = data[at + 1 : at + 1 + data[at]].decode()
        at += 1 + data[at]
        features.append((name, numpy.frombuffer(data, "<f4", data[at], at + 1)))
        at += 1 + 4 * data[at]
    for _ in range(tree_count):
        count = data[at]
        nodes = numpy.array([struct.unpack_from("<BBBBh", data, at + 1 + 6 * number) for number in range(count)])
        at += 1 + 6 * count
        trees.append((nodes, numpy.frombuffer(data, "<i2", count + 1, at).astype(int)))
        at += 2 * (count + 1)
    return features, trees


def sum_trees(ranker, names, rows):
    """Returns the score of each row of features."""
    features, trees = ranker
    rows = rows[:, [names.index(name) for name, _ in features]]
    sums = numpy.zeros(len(rows), int)
    for nodes, leaves in trees:
        thresholds = numpy.array([features[feature][1][number] for feature, number, *_ in nodes])
        at, walking = numpy.zeros(len(rows), int), numpy.arange(len(rows))
        while len(walking):
            node = nodes[at[walking]]
            is_left = rows[walking, node[:, 0]] <= thresholds[at[walking]]
            following = numpy.where(is_left, node[:, 2], node[:, 3])
            is_leaf = following >= FIRST_LEAF
            sums[walking[is_leaf]] += leaves[following[is_leaf] - FIRST_LEAF]
            at[walking] = following
            walking = walking[~is_leaf]
    return sums / SCALE


def fit_logistic(scores, outcomes):
    """Returns the intercept and slope of a logistic regression, by Newton's method."""
    inputs, weights = numpy.stack([numpy.ones(len(scores)), scores], axis=1), numpy.zeros(2)
    for _ in range(30):
        predicted = predict(weights, scores)
        hessian = inputs.T @ (inputs * (predicted * (1 - predicted))[:, None])
        weights += numpy.linalg.solve(hessian, inputs.T @ (outcomes - predicted))
    return weights


def predict(weights, scores):
    """Returns the probability of a success at each score."""
    return 1 / (1 + numpy.exp(-(weights[0] + weights[1] * scores)))


def predict_held_out(repositories, scores, outcomes):
    """Returns the probability of each task by a regression over the other repositories."""
    predicted = numpy.zeros(len(scores))
    for repository in set(repositories):
        own = repositories == repository
        predicted[own] = predict(fit_logistic(scores[~own], outcomes[~own]), scores[own])
    return predicted


def reliability_rows(predicted, outcomes):
    """Yields the number of tasks, the mean prediction and the share of successes of each bin."""
    for low, high in zip(BINS, BINS[1:], strict=False):
        inside = (predicted >= low) & (predicted < high)
        if inside.any():
            yield int(inside.sum()), predicted[inside].mean(), outcomes[inside].mean()


def draw_diagram(rows):
    """Returns an SVG: predictions from left to right, successes from bottom to top, areas by number
    of tasks."""
    size, total = 320, sum(count for count, *_ in rows)

    def to_pixels(share):
        return 40 + share * (size - 60)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" font-family="sans-serif" font-size="11">',
        f'<rect width="{size}" height="{size}" fill="white"/>',
        f'<path d="M{to_pixels(0)} {size - to_pixels(0)}L{to_pixels(1)} {size - to_pixels(1)}" stroke="silver"/>',
        f'<path d="M{to_pixels(0)} {size - to_pixels(1)}V{size - to_pixels(0)}H{to_pixels(1)}" stroke="black" fill="none"/>',
    ]
    for tick in (0, 0.5, 1):
        parts.append(f'<text x="{to_pixels(tick) - 8:.0f}" y="{size - 24}">{tick}</text>')
        parts.append(f'<text x="16" y="{size - to_pixels(tick) + 4:.0f}">{tick}</text>')
    for count, predicted, observed in rows:
        radius = 3 + 20 * (count / total) ** 0.5
        center = f'cx="{to_pixels(predicted):.1f}" cy="{size - to_pixels(observed):.1f}"'
        parts.append(f'<circle {center} r="{radius:.1f}" fill="steelblue" fill-opacity="0.6"/>')
    parts.append(f'<text x="{size / 2 - 60:.0f}" y="{size - 8}">predicted probability</text>')
    parts.append('<text x="48" y="30">answer among the first ten</text></svg>')
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranker", required=True)
    parser.add_argument("--validation", nargs="+", required=True)
    parser.add_argument("--write", metavar="TOML", type=pathlib.Path)
    parser.add_argument("--diagram", metavar="SVG", type=pathlib.Path)
    parser.add_argument("--top", type=int, default=100, help="number of candidates that are reordered")
    arguments = parser.parse_args()
    ranker = read_ranker(arguments.ranker)
    names, tables = read_tables(arguments.validation)
    tasks = [task for table in tables.values() for task in table]
    features = [task.features[: arguments.top] for task in tasks]
    ends = numpy.cumsum([len(rows) for rows in features])[:-1]
    sums = numpy.split(sum_trees(ranker, names, numpy.concatenate(features)), ends)
    first_ten = [numpy.argsort(-scores, kind="stable")[:10] for scores in sums]
    outcomes = numpy.array([float(task.labels[first].any()) for task, first in zip(tasks, first_ten, strict=True)])
    scores = numpy.array([task_sums.max() for task_sums in sums])
    predicted = predict_held_out(numpy.array([task.repository for task in tasks]), scores, outcomes)
    rows = list(reliability_rows(predicted, outcomes))
    for count, probability, observed in rows:
        print(f"{count:5} tasks, predicted {probability:.3f}, observed {observed:.3f}")
    intercept, slope = fit_logistic(scores, outcomes)
    limits = {
        word: (numpy.log(probability / (1 - probability)) - intercept) / slope
        for word, probability in PROBABILITIES.items()
    }
    for word, low, high in [("low", 0, 0.5), ("medium", 0.5, 0.8), ("high", 0.8, 1)]:
        inside = (predicted >= low) & (predicted < high)
        print(f"{word:6} {inside.sum():5} tasks, observed {outcomes[inside].mean():.3f}")
    if arguments.write:
        lines = [f"{word} = {score:.4f}" for word, score in limits.items()]
        title = (
            "# Minimum best score of a ranking for each level: the first ten symbols contain an answer\n"
            "# with probability 0.8 (high) or 0.5 (medium).\n"
        )
        arguments.write.write_text(title + "\n".join(lines) + "\n", encoding="utf-8")
    if arguments.diagram:
        arguments.diagram.write_text(draw_diagram(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
