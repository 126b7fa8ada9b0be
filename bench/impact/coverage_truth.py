#!/usr/bin/env python3
"""Compares the tests of a blast radius with the tests that ran the symbol, according to coverage.py.

  coverage_truth.py TREE COVERAGE.db --kenning PROGRAM [--symbols 300] [--csv FILE] [--list]

COVERAGE.db is a data file of coverage.py with a context per test (`dynamic_context = test_function`), made in
TREE. The sample consists of every n-th function or method that at least one test runs. Parameters
of a test are ignored, and tests that were not part of the run do not count. Prints recall, precision, F1 and the share of false zeros: "0 tests"
without a mark for a function that tests run.
"""

import argparse
import csv
import json
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys


def read_covered_lines(path, tree):
    """Returns, by file, the tests that ran each line."""
    database = sqlite3.connect(path)
    contexts = dict(database.execute("SELECT id, context FROM context"))
    files = {number: pathlib.Path(name) for number, name in database.execute("SELECT id, path FROM file")}
    lines = {}
    for file, context, bits in database.execute("SELECT file_id, context_id, numbits FROM line_bits"):
        test = contexts[context]
        if not test:
            continue
        name = files[file].resolve().relative_to(tree.resolve()).as_posix()
        for byte, value in enumerate(bits):
            for bit in range(8):
                if value >> bit & 1:
                    lines.setdefault(name, {}).setdefault(byte * 8 + bit, set()).add(test)
    return lines


def read_functions(program, tree, files):
    """Returns the functions and methods of the files: qualified name, file, first and last line of the body."""
    database = subprocess.run(
        [program, "status", "--root", tree, "--format", "json"], capture_output=True, text=True, check=True
    )
    path = json.loads(database.stdout)["database"]["path"]
    rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(
        "SELECT f.path, s.container, s.name, s.kind, s.start_line, s.end_line, s.is_test, hex(s.hash) FROM symbols s"
        " JOIN files f ON f.id = s.file_id ORDER BY f.path, s.start_line, s.name"
    )
    for file, container, name, kind, start, end, is_test, identity in rows:
        if file in files and not is_test and kind in ("function", "method", "constructor", "property"):
            yield f"{container}.{name}".lstrip("."), file, start + 1, end + 1, identity.lower()


def test_name(context):
    """Returns the name of a test and its module: `test_a`, `test_basic` for `tests.test_basic.TestX.test_a`."""
    parts = context.split(".")
    return parts[-1], next((part for part in parts if part.startswith("test_") and part != parts[-1]), parts[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("coverage", type=pathlib.Path)
    parser.add_argument("--kenning", required=True)
    parser.add_argument("--symbols", type=int, default=300)
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    lines = read_covered_lines(arguments.coverage, arguments.tree)
    subprocess.run([arguments.kenning, "index", "--root", arguments.tree], check=True, capture_output=True)
    tested = []
    for name, file, start, end, identity in read_functions(arguments.kenning, arguments.tree, lines):
        # The first line runs when the module is imported.
        inside = [tests for line, tests in lines[file].items() if start < line <= end]
        ran = {test_name(test) for tests in inside for test in tests}
        if ran:
            tested.append((name, file, identity, ran))
    # A test that was not part of the run says nothing, whether it is named or not.
    recorded = {test_name(test) for tests in lines.values() for names in tests.values() for test in names}
    step = max(len(tested) / arguments.symbols, 1)
    sample = [tested[int(at * step)] for at in range(min(arguments.symbols, len(tested)))]
    rows = []
    for name, file, identity, ran in sample:
        answer = subprocess.run(
            [arguments.kenning, "blast", "--root", arguments.tree, "--refresh", "never", "--format", "json", identity],
            capture_output=True, text=True, check=False,
        )
        if answer.returncode != 0:
            print(f"{file}::{name}: {answer.stderr.strip()}", file=sys.stderr)
            continue
        blast = json.loads(answer.stdout)
        named = {(test["name"].split(".")[-1], pathlib.Path(test["file"]).stem) for test in blast["tests"]}
        named &= recorded
        hits = len(named & ran)
        count = blast["counts"]["tests"]
        rows.append({
            "symbol": f"{file}::{name}", "ran": len(ran), "named": len(named), "hits": hits,
            "false_zero": int(count["value"] == 0 and not count["approximate"]), "title": blast["title"],
        })
    recall = statistics.mean(row["hits"] / row["ran"] for row in rows)
    precision = statistics.mean(row["hits"] / row["named"] for row in rows if row["named"])
    zeros = statistics.mean(row["false_zero"] for row in rows)
    f1 = 2 * recall * precision / (recall + precision)
    print(f"{len(rows)} symbols: recall {recall:.3f} precision {precision:.3f} F1 {f1:.3f} false zeros {zeros:.3f}"
          f" named nothing {statistics.mean(not row['named'] for row in rows):.3f}")
    if arguments.list:
        for row in sorted(rows, key=lambda row: row["hits"] / row["ran"] - row["ran"]):
            print(f"{row['hits']:4} of {row['ran']:4} ran, {row['named']:4} named  {row['symbol']}  {row['title']}")
    if arguments.csv:
        with arguments.csv.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
