#!/usr/bin/env python3
"""Measures what the learned ranker gains from more repositories and from each part of its features.

  measure_ranker.py curve --train TABLE[=WEIGHT]... --validation TABLE... --csv FILE [--sizes 24,48,72]
  measure_ranker.py leave-out --train TABLE[=WEIGHT]... --validation TABLE... --csv FILE [--only GROUP,...]

The tables and the other options are those of train_ranker.py. `curve` trains on subsets of the
training repositories. Each has the same number of repositories of each language, chosen by a seed
(--draws of them for each size); the smaller subsets of a seed are parts of its larger ones.
`leave-out` trains without the features of one group of feature-groups.toml at a time. Both compare
with trees of all repositories and features, task by task, with 95% intervals (bootstrap over
repositories), and write one row for each table, metric and set of trees. With --only, the other
rows of the CSV file are kept. Needs lightgbm and numpy.
"""

import argparse
import collections
import csv
import multiprocessing
import pathlib
import random
import sys
import tomllib

import numpy

from train_ranker import (
    METRICS,
    add_training_options,
    compare_metrics,
    join_tables,
    measure_trees,
    read_languages,
    read_splits,
    train_trees,
)

ROOT = pathlib.Path(__file__).resolve().parent
COLUMNS = ["trees", "repositories", "features", "set", "tasks", "metric", "mean", "difference", "lo", "hi", "command"]
# The trees that the others are compared with.
ALL = "all"
# The tables and options, which forked processes read.
SHARED = argparse.Namespace()

# A set of trees: its name, the tasks to train on, the features to leave out and the seed.
Variant = collections.namedtuple("Variant", "name tasks dropped seed")


def choose_repositories(repositories, size, seed):
    """Returns `size` repositories, the same number of each language."""
    languages, chosen = read_languages(), set()
    groups = sorted({languages[name] for name in repositories})
    for language in groups:
        members = sorted(name for name in repositories if languages[name] == language)
        random.Random(f"{seed} {language}").shuffle(members)
        chosen.update(members[: size // len(groups)])
    return chosen


def curve_variants(arguments, tasks):
    """Yields the sets of trees of the learning curve."""
    repositories = {task.repository for task in tasks}
    for size in map(int, arguments.sizes.split(",")):
        for seed in range(1, arguments.draws + 1):
            chosen = choose_repositories(repositories, size, seed)
            part = [task for task in tasks if task.repository in chosen]
            yield Variant(f"{size} repositories, draw {seed}", part, set(), arguments.seed)


def leave_out_variants(arguments, tasks):
    """Yields the sets of trees of the leave-out table. The first shows what a seed changes."""
    with open(ROOT / "feature-groups.toml", "rb") as file:
        groups = tomllib.load(file)
    yield Variant("nothing (another seed)", tasks, set(), arguments.seed + 1)
    for name in arguments.only.split(",") if arguments.only else groups:
        if name not in groups:
            sys.exit(f"feature-groups.toml has no group {name}, only {', '.join(groups)}")
        yield Variant(name, tasks, set(groups[name].split()), arguments.seed)


def measure_variant(number):
    """Trains the set of trees with this number, in a forked process.

    Returns the number of their features and the metrics of each table.
    """
    variant = SHARED.variants[number]
    arguments = argparse.Namespace(**vars(SHARED.arguments) | {"drop": variant.dropped, "seed": variant.seed})
    model, columns = train_trees(variant.tasks, SHARED.names, arguments)
    return len(columns), measure_trees(model, columns, SHARED.validation, arguments)


def result_rows(variant, features, measured, base, validation, command):
    """Yields the rows of one set of trees."""
    repositories = len({task.repository for task in variant.tasks})
    for path, table in validation.items():
        low, high = compare_metrics(table, base[path], measured[path])
        before, after = numpy.mean(base[path], axis=0), numpy.mean(measured[path], axis=0)
        for number, metric in enumerate(METRICS):
            figures = [after[number], after[number] - before[number], low[number], high[number]]
            figures = [f"{figure:.4f}" for figure in figures]
            yield [variant.name, repositories, features, pathlib.Path(path).stem, len(table), metric, *figures, command]


def write_rows(path, rows, keep):
    """Writes rows in place of the rows with the same trees; with `keep`, keeps the other ones."""
    kept = []
    if keep and path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            written = {row[0] for row in rows}
            kept = [row for row in list(csv.reader(file))[1:] if row[0] not in written]
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(kept + rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["curve", "leave-out"])
    add_training_options(parser)
    parser.add_argument("--csv", type=pathlib.Path, required=True)
    parser.add_argument("--sizes", default="24,48,72", help="numbers of repositories of the learning curve")
    parser.add_argument("--draws", type=int, default=2, help="number of subsets of each size")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--only", help="only these groups of features, separated by commas")
    arguments = parser.parse_args()
    names, train, validation = read_splits(arguments)
    tasks = join_tables(train)
    command = f"measure_ranker.py {arguments.what} --trees {arguments.trees} --rate {arguments.rate}"
    list_variants = curve_variants if arguments.what == "curve" else leave_out_variants
    variants = [Variant(ALL, tasks, set(), arguments.seed), *list_variants(arguments, tasks)]
    rows, base = [], None
    SHARED.variants, SHARED.names, SHARED.validation, SHARED.arguments = variants, names, validation, arguments
    pool = multiprocessing.get_context("fork").Pool(arguments.jobs)
    results = pool.imap(measure_variant, range(len(variants)))
    for variant, (features, measured) in zip(variants, results, strict=True):
        base = base or measured
        rows += result_rows(variant, features, measured, base, validation, command)
        print("\t".join(map(str, rows[-len(METRICS) * len(validation)])), flush=True)
        write_rows(arguments.csv, rows, keep=arguments.only is not None)


if __name__ == "__main__":
    main()
