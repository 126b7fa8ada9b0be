#!/usr/bin/env python3
"""Fits how likely a task edits each candidate of its ranking, and how likely the first five contain an
edited symbol.

  fit_likelihood.py --ranker RANKER --validation TABLE... [--top N] [--write TOML] [--diagram SVG]

RANKER is `retrieval/data/ranker.bin`. Each TABLE is a file that `kenning eval --features TABLE`
writes for tasks that the ranker was not trained on. A logistic regression predicts the label of a
candidate from its score, its rank, the best score of the task and its share of all scores; a second
one predicts whether one of the first five is edited, from the log-odds that the first regression
gives if the five are independent. Prints, and draws to SVG, how often the predictions are right; the
regressions for each repository are fitted without it. TOML gets the weights of regressions over all
repositories. Needs numpy.
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
PROBABILITIES = {"high": 0.8, "medium": 0.4}
# The bounds of the bins of predicted probabilities of candidates.
BINS = [0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0]
# Number of bins with the same number of tasks for the predictions about the first five.
TASK_BINS = 10
FIRST = 5
# The scores enter the share of a candidate as exp(SHARPNESS * score).
SHARPNESS = 8.0
TITLE = """# How likely a task edits each candidate of its ranking, and how likely an edited symbol is among the
# first five. Fitted by bench/training/fit_likelihood.py on tasks of repositories that the ranker was
# not trained on."""
COMMENTS = {
    "symbol": """# A logistic regression for the event that a symbol is edited. The scores enter the share of a
# candidate as exp(sharpness * score).""",
    "rank": "# The same from the rank alone, for configurations without the learned ranker.",
    "first_five": """# A logistic regression for the event that the first five contain an edited symbol, from the log-odds
# that the symbols' likelihoods give if they are independent.""",
    "words": "# The lowest probability for each word.",
}
# Keeps the regression from growing without bound where a feature separates the labels.
RIDGE = 1e-3


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


def fit_logistic(inputs, outcomes):
    """Returns the weights of a logistic regression, by Newton's method."""
    weights = numpy.zeros(inputs.shape[1])
    for _ in range(40):
        predicted = predict(weights, inputs)
        gradient = inputs.T @ (outcomes - predicted) - RIDGE * weights
        hessian = inputs.T @ (inputs * (predicted * (1 - predicted))[:, None]) + RIDGE * numpy.eye(len(weights))
        weights += numpy.linalg.solve(hessian, gradient)
    return weights


def predict(weights, inputs):
    """Returns the probability of each row."""
    return 1 / (1 + numpy.exp(-(inputs @ weights)))


def rank_inputs(count):
    """Returns the inputs of the regression by rank."""
    return numpy.stack([numpy.ones(count), numpy.log1p(numpy.arange(count))], axis=1)


def symbol_inputs(scores):
    """Returns the inputs of the regression for the candidates of a task, best first."""
    shifted = (scores - scores[0]) * SHARPNESS
    log_share = shifted - numpy.log(numpy.exp(shifted).sum())
    ones = numpy.ones(len(scores))
    return numpy.column_stack([ones, scores, numpy.log1p(numpy.arange(len(scores))), ones * scores[0], log_share])


def first_inputs(weights, ranked):
    """Returns the inputs of the regression for the first candidates of each task."""
    rows = []
    for scores, _ in ranked:
        none = numpy.prod(1 - predict(weights, symbol_inputs(scores))[:FIRST])
        rows.append([1.0, numpy.log((1 - none) / none)])
    return numpy.array(rows)


def fit_all(ranked):
    """Returns the weights for candidates and for the first of them."""
    symbol = fit_logistic(
        numpy.concatenate([symbol_inputs(scores) for scores, _ in ranked]),
        numpy.concatenate([labels for _, labels in ranked]),
    )
    return symbol, fit_logistic(first_inputs(symbol, ranked), hits(ranked))


def hits(ranked):
    """Returns for each task whether one of the first candidates is edited."""
    return numpy.array([float(labels[:FIRST].any()) for _, labels in ranked])


def predict_held_out(repositories, ranked):
    """Returns the predictions for candidates and for tasks, each by regressions over the other
    repositories."""
    by_candidate, by_task = [None] * len(ranked), numpy.zeros(len(ranked))
    for repository in sorted(set(repositories)):
        own = [at for at, name in enumerate(repositories) if name == repository]
        symbol, first = fit_all([task for task, name in zip(ranked, repositories, strict=True) if name != repository])
        for at in own:
            by_candidate[at] = predict(symbol, symbol_inputs(ranked[at][0]))
        by_task[own] = predict(first, first_inputs(symbol, [ranked[at] for at in own]))
    return numpy.concatenate(by_candidate), by_task


def reliability_rows(predicted, outcomes):
    """Yields the number of tasks, the mean prediction and the share of successes of each bin of equal
    numbers of tasks."""
    for inside in numpy.array_split(numpy.argsort(predicted, kind="stable"), TASK_BINS):
        yield len(inside), predicted[inside].mean(), outcomes[inside].mean()


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
    parts.append('<text x="48" y="30">edit among the first five</text></svg>')
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
    ranked = []
    for task, scores in zip(tasks, sums, strict=True):
        order = numpy.argsort(-scores, kind="stable")
        ranked.append((scores[order], task.labels[: arguments.top][order] > 0))
    by_candidate, by_task = predict_held_out([task.repository for task in tasks], ranked)
    labels, outcomes = numpy.concatenate([labels for _, labels in ranked]), hits(ranked)
    for low, high in zip(BINS, BINS[1:], strict=False):
        inside = (by_candidate >= low) & (by_candidate < high)
        if inside.any():
            print(f"{inside.sum():6} candidates, predicted {by_candidate[inside].mean():.3f}, edited {labels[inside].mean():.3f}")
    rows = list(reliability_rows(by_task, outcomes))
    for count, probability, observed in rows:
        print(f"{count:6} tasks, predicted {probability:.3f}, an edit among the first {FIRST} {observed:.3f}")
    error = sum(count * abs(probability - observed) for count, probability, observed in rows) / len(outcomes)
    print(f"expected calibration error {error:.3f} ({TASK_BINS} bins of equal size)")
    for word, low, high in [("low", 0, 0.4), ("medium", 0.4, 0.8), ("high", 0.8, 1)]:
        inside = (by_task >= low) & (by_task < high)
        print(f"{word:6} {inside.mean():.3f} of the tasks, an edit among the first {FIRST} {outcomes[inside].mean():.3f}")
    if arguments.write:
        symbol, first = fit_all(ranked)
        by_rank = fit_logistic(numpy.concatenate([rank_inputs(len(labels)) for _, labels in ranked]), labels)
        arguments.write.write_text(render_weights(symbol, by_rank, first), encoding="utf-8")
    if arguments.diagram:
        arguments.diagram.write_text(draw_diagram(rows), encoding="utf-8")


def render_weights(symbol, by_rank, first):
    """Returns the weights as TOML."""
    sections = {
        "symbol": dict(zip(("intercept", "score", "log_rank", "best_score", "log_share"), symbol, strict=True))
        | {"sharpness": SHARPNESS},
        "rank": dict(zip(("intercept", "log_rank"), by_rank, strict=True)),
        "first_five": dict(zip(("intercept", "log_odds"), first, strict=True)),
        "words": PROBABILITIES,
    }
    lines = [TITLE]
    for section, values in sections.items():
        lines += ["", COMMENTS[section], f"[{section}]"]
        lines += [f"{name} = {value:.4f}" for name, value in values.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
