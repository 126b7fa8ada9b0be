#!/usr/bin/env python3
"""Trains the trees of the learned ranker and writes them as `retrieval/data/ranker.bin`.

  train_ranker.py --train TABLE[=WEIGHT]... --validation TABLE[=WEIGHT]... [--write FILE] [--write-all FILE]
                  [--trees 600] [--leaves 31] [--top 100]

Each TABLE is a file that `kenning eval --features TABLE` writes. It has the candidates; `TABLE.f32`
has their features, `TABLE.names` the names of the features, and the `.json` file next to it the
tasks. WEIGHT is the weight of each of its tasks and defaults to 1. The objective is LambdaMART
(LightGBM's lambdarank) over the candidates of each task. Prints hit@10, MRR and R@10 of the
pipeline's order and of the trees on each validation table, with paired 95% intervals (bootstrap
over repositories). Training is deterministic: one seed, fixed bins, sums in fixed order. Needs
lightgbm and numpy.

--write writes these trees. --write-all writes trees that are trained with the same parameters on
all tables; no table remains on which they could be measured.
"""

import argparse
import collections
import csv
import json
import pathlib
import struct

import lightgbm
import numpy

# Leaf values are stored as multiples of 1 / SCALE.
SCALE = 4096
SEED = 1

Task = collections.namedtuple("Task", "repository identifier labels in_file features truth_count weight")


def read_table(path, weight):
    """Returns the names of the features and the tasks of a table, in its order.

    Each repository has the square root of its number of tasks as weight, times the weight of the
    table.
    """
    source = pathlib.Path(path).with_suffix(".json")
    truths = {task["id"]: len(task["truths"]) for task in json.loads(source.read_text(encoding="utf-8"))}
    names = pathlib.Path(f"{path}.names").read_text(encoding="utf-8").split()
    features = numpy.memmap(f"{path}.f32", dtype="<f4", mode="r").reshape(-1, len(names))
    groups = {}
    with open(path, newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file)):
            key = row["repo"], row["task"]
            groups.setdefault(key, []).append((number, int(row["label"]), int(row["in_file"])))
    repositories = collections.Counter(repository for repository, _ in groups)
    tasks = []
    for (repository, identifier), rows in groups.items():
        numbers, labels, in_file = (numpy.array(column) for column in zip(*rows, strict=True))
        counts = truths[identifier]
        share = weight / repositories[repository] ** 0.5
        tasks.append(Task(repository, identifier, labels, in_file, features[numbers], counts, share))
    return names, tasks


def read_tables(arguments):
    """Returns the names of the features and the tasks of each table `PATH` or `PATH=WEIGHT`."""
    names, tables = None, {}
    for argument in arguments:
        path, _, weight = argument.partition("=")
        table_names, tables[path] = read_table(path, float(weight or 1))
        assert names in (None, table_names), f"{path} has other features"
        names = table_names
    return names, tables


def train_trees(tasks, names, arguments):
    """Returns a model trained on the first candidates of each task with a truth among them, and its
    columns."""
    top = arguments.top
    usable = [task for task in tasks if 0 < task.labels[:top].sum() < len(task.labels[:top])]
    columns = [number for number, name in enumerate(names) if name not in arguments.drop]
    features = numpy.concatenate([task.features[:top][:, columns] for task in usable])
    labels = numpy.concatenate([task.labels[:top] for task in usable])
    sizes = [len(task.labels[:top]) for task in usable]
    weights = numpy.array([task.weight for task in usable])
    weights = numpy.repeat(weights / weights.mean(), sizes)
    parameters = {
        "objective": "lambdarank", "lambdarank_truncation_level": 30, "learning_rate": arguments.rate,
        "num_leaves": arguments.leaves, "min_data_in_leaf": 150, "lambda_l2": 10.0, "feature_fraction": 0.4,
        "bagging_fraction": 0.8, "bagging_freq": 1, "max_bin": 63, "seed": arguments.seed, "deterministic": True,
        "force_row_wise": True, "num_threads": arguments.threads, "verbose": -1,
    }  # fmt: skip
    data = lightgbm.Dataset(features, labels, group=sizes, weight=weights, feature_name=[names[column] for column in columns])
    return lightgbm.train(parameters, data, num_boost_round=arguments.trees), columns


def rerank_tasks(model, columns, tasks, top, threads):
    """Returns the indexes of each task's candidates in the new order. Only the first `top` move."""
    features = numpy.concatenate([task.features[:top][:, columns] for task in tasks])
    scores = model.predict(features, num_threads=threads)
    ends = numpy.cumsum([len(task.labels[:top]) for task in tasks])[:-1]
    orders = [numpy.argsort(-own, kind="stable") for own in numpy.split(scores, ends)]
    rest = [numpy.arange(len(order), len(task.labels)) for order, task in zip(orders, tasks, strict=True)]
    return [numpy.concatenate(parts).astype(int) for parts in zip(orders, rest, strict=True)]


def task_metrics(task, order):
    """Returns hit@10, reciprocal rank, R@10 and hit@1."""
    labels = task.labels[order]
    places = numpy.flatnonzero(labels)
    first = places[0] if len(places) else None
    return [
        float(first is not None and first < 10),
        0.0 if first is None else 1.0 / (first + 1),
        min(1.0, labels[:10].sum() / max(1, task.truth_count)),
        float(first == 0),
    ]


METRICS = ["hit@10", "MRR", "R@10", "hit@1"]


def compare_metrics(tasks, before, after):
    """Returns the ends of the 95% intervals of the differences between two orders, for each metric
    (bootstrap over repositories)."""
    before, after = numpy.array(before), numpy.array(after)
    repositories = sorted({task.repository for task in tasks})
    rows = {
        name: [number for number, task in enumerate(tasks) if task.repository == name] for name in repositories
    }
    generator = numpy.random.default_rng(SEED)
    draws = []
    for _ in range(1000):
        chosen = generator.integers(0, len(repositories), len(repositories))
        drawn = numpy.concatenate([rows[repositories[number]] for number in chosen])
        draws.append((after[drawn] - before[drawn]).mean(axis=0))
    return numpy.percentile(draws, [2.5, 97.5], axis=0)


def print_comparison(tasks, before, after, title):
    """Prints the means of both orders and their difference with its interval."""
    low, high = compare_metrics(tasks, before, after)
    before, after = numpy.array(before), numpy.array(after)
    parts = [
        f"{name} {old:.3f} -> {new:.3f} ({new - old:+.3f} [{lower:+.3f}, {upper:+.3f}])"
        for name, old, new, lower, upper in zip(METRICS, before.mean(axis=0), after.mean(axis=0), low, high, strict=True)
    ]
    print(f"{title:24} {len(tasks):5} tasks  " + "  ".join(parts), flush=True)


def measure_trees(model, columns, tables, arguments):
    """Returns the metrics of the tasks of each table in the order of the trees, by path."""
    measured = {}
    for path, tasks in tables.items():
        orders = rerank_tasks(model, columns, tasks, arguments.top, arguments.threads)
        measured[path] = [task_metrics(task, order) for task, order in zip(tasks, orders, strict=True)]
    return measured


def print_evaluation(measured, tables, languages):
    """Prints the comparison for each table, and for each language of the first table."""
    for number, (path, tasks) in enumerate(tables.items()):
        before = [task_metrics(task, numpy.arange(len(task.labels))) for task in tasks]
        after = measured[path]
        print_comparison(tasks, before, after, pathlib.Path(path).stem)
        for language in sorted(set(languages.values())) if number == 0 else []:
            rows = [number for number, task in enumerate(tasks) if languages.get(task.repository) == language]
            if rows:
                chosen = [[column[number] for number in rows] for column in (tasks, before, after)]
                print_comparison(*chosen, "  " + language)


def flatten_tree(tree):
    """Returns the inner nodes in preorder, as (feature, threshold, left, right, expected), and the
    leaves."""
    nodes, leaves = [], []

    def visit(node):
        if "leaf_value" in node:
            leaves.append((round(node["leaf_value"] * SCALE), node.get("leaf_count", 1)))
            return 128 + len(leaves) - 1, *leaves[-1]
        number = len(nodes)
        nodes.append(None)
        assert node["decision_type"] == "<=" and node["default_left"] is not None
        left, left_value, left_count = visit(node["left_child"])
        right, right_value, right_count = visit(node["right_child"])
        count = left_count + right_count
        expected = round((left_value * left_count + right_value * right_count) / count)
        nodes[number] = (node["split_feature"], round_down(node["threshold"]), left, right, expected)
        return number, expected, count

    visit(tree["tree_structure"])
    return nodes, [value for value, _ in leaves]


def round_down(threshold):
    """Returns the greatest f32 that is at most the threshold, so that comparisons in f32 take the
    same branch."""
    value = numpy.float32(threshold)
    if float(value) <= threshold:
        return value
    return numpy.nextafter(value, numpy.float32(-numpy.inf), dtype=numpy.float32)


def write_model(model, names, columns, path):
    """Writes the trees in the format of `retrieval/src/learned/trees.rs`."""
    trees = [flatten_tree(tree) for tree in model.dump_model()["tree_info"]]
    thresholds = collections.defaultdict(set)
    for nodes, _ in trees:
        for feature, threshold, *_ in nodes:
            thresholds[feature].add(float(threshold))
    features = {feature: sorted(values) for feature, values in sorted(thresholds.items())}
    numbers = {feature: number for number, feature in enumerate(features)}
    out = bytearray(b"KRANK1" + struct.pack("<HH", len(features), len(trees)))
    for feature, values in features.items():
        name = names[columns[feature]].encode()
        out += struct.pack("<B", len(name)) + name
        out += struct.pack("<B", len(values)) + struct.pack(f"<{len(values)}f", *values)
    for nodes, leaves in trees:
        out += struct.pack("<B", len(nodes))
        for feature, threshold, left, right, expected in nodes:
            place = features[feature].index(float(threshold))
            out += struct.pack("<BBBBh", numbers[feature], place, left, right, expected)
        out += struct.pack(f"<{len(leaves)}h", *leaves)
    pathlib.Path(path).write_bytes(out)
    print(f"{path}: {len(trees)} trees, {len(features)} features, {len(out)} bytes")


def read_languages():
    """Returns the language of each training repository."""
    path = pathlib.Path(__file__).resolve().parent / "repositories.tsv"
    rows = csv.DictReader(path.open(encoding="utf-8"), delimiter="\t")
    return {row["repository"].replace("/", "+"): row["language"] for row in rows}


def add_training_options(parser):
    """Adds the options that name the tables and set the parameters of the training."""
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--validation", nargs="+", required=True)
    parser.add_argument("--trees", type=int, default=600)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--top", type=int, default=100, help="number of candidates that are reordered")
    parser.add_argument("--drop", default="", help="names of features to leave out, separated by commas")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--threads", type=int, default=1, help="more threads can change the last digits of sums")


def read_splits(arguments):
    """Returns the names of the features, the tables to train on and the tables of the validation."""
    names, train = read_tables(arguments.train)
    validation_names, validation = read_tables(arguments.validation)
    assert names == validation_names, "the tables have different features"
    return names, train, validation


def join_tables(*parts):
    """Returns the tasks of all tables."""
    return [task for tables in parts for tasks in tables.values() for task in tasks]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_training_options(parser)
    parser.add_argument("--write", type=pathlib.Path, help="file for the trees without the validation tables")
    parser.add_argument("--write-all", type=pathlib.Path, help="file for the trees of all tables")
    parser.add_argument("--gains", action="store_true", help="print the features with the greatest gains")
    arguments = parser.parse_args()
    arguments.drop = set(arguments.drop.split(","))
    names, train, validation = read_splits(arguments)
    model, columns = train_trees(join_tables(train), names, arguments)
    print_evaluation(measure_trees(model, columns, validation, arguments), validation, read_languages())
    if arguments.gains:
        gains = sorted(zip(model.feature_importance("gain"), model.feature_name(), strict=True), reverse=True)
        total = sum(gain for gain, _ in gains)
        print("  ".join(f"{name} {gain / total:.3f}" for gain, name in gains))
    if arguments.write:
        write_model(model, names, columns, arguments.write)
    if arguments.write_all:
        model, columns = train_trees(join_tables(train, validation), names, arguments)
        write_model(model, names, columns, arguments.write_all)


if __name__ == "__main__":
    main()
