#!/usr/bin/env python3
"""Compares the tests of a blast radius with the tests that ran the symbol, according to coverage.

  coverage_truth.py TREE COVERAGE --kenning PROGRAM [--evidence text|servers|runs] [--trust]
                    [--symbols 300] [--csv FILE] [--list]

COVERAGE is a data file of coverage.py with a context for each test
(`dynamic_context = test_function`), or an lcov file with `TN:FILE::TEST`, recorded in TREE. The
programs in `recorders/` write such files. The script builds a new index from the text alone, with
the answers of language servers (`servers`), or with COVERAGE imported as recorded runs (`runs`).
Servers that can run code of TREE (jdtls) need `--trust`. To let servers resolve names of packages,
install the packages of TREE first, in folders that git ignores (`.venv`, `node_modules`).

The sample consists of every n-th function or method that at least one test runs. Parameters of a
test are ignored, and tests that were not part of the run do not count. Prints recall, precision, F1
and the share of false zeros ("0 tests" without a mark for a function that tests run), beside two
baselines: the test files with the name of the source file, and all tests of the package. `--csv`
adds the rows to a file that can hold several repositories.
"""

import argparse
import collections
import csv
import json
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

# Folders in which the paths of sources and tests differ.
CONVENTIONAL_FOLDERS = {"src", "main", "java", "test", "tests", "spec", "lib"}
# The affixes that a test file adds to the name of its source file.
TEST_AFFIXES = re.compile(r"^(test|tests)_|[._-]?(test|tests|spec|it)$", re.IGNORECASE)
KINDS = ("function", "method", "constructor", "property")


def run_kenning(arguments, command, *options, check=True):
    """Runs the program on an index that belongs to this measurement."""
    line = [arguments.kenning, command, "--root", arguments.tree, "--db", arguments.database, *options]
    return subprocess.run(line, capture_output=True, text=True, check=check)


def test_key(name):
    """Returns a test in any notation as (path, name), with the letters and digits of its name."""
    if "::" in name:
        path, _, rest = name.partition("::")
        last = rest.rpartition("::")[2] if path.endswith(".py") else rest
        return path, plain_name(last)
    # coverage.py: `tests.test_basic.TestX.test_a`, without the path.
    parts = name.split(".")
    module = next((part for part in parts if part.startswith("test_") and part != parts[-1]), parts[0])
    return module, plain_name(parts[-1])


def plain_name(name):
    """Returns the letters and digits of a name, in lowercase, without parameters."""
    return re.sub(r"[^a-z0-9]", "", name.partition("[")[0].lower())


def read_coverage_py(path, tree):
    """Returns, by file, the tests that ran each line."""
    database = sqlite3.connect(path)
    contexts = dict(database.execute("SELECT id, context FROM context"))
    files = {number: pathlib.Path(name) for number, name in database.execute("SELECT id, path FROM file")}
    lines = collections.defaultdict(lambda: collections.defaultdict(set))
    for file, context, bits in database.execute("SELECT file_id, context_id, numbits FROM line_bits"):
        test = contexts[context].partition("|")[0]
        if not test:
            continue
        name = (tree / files[file]).resolve().relative_to(tree.resolve()).as_posix()
        for byte, value in enumerate(bits):
            for bit in range(8):
                if value >> bit & 1:
                    lines[name][byte * 8 + bit].add(test_key(test))
    return lines


def read_lcov(path):
    """Returns, by file, the tests that ran each line."""
    lines = collections.defaultdict(lambda: collections.defaultdict(set))
    test, file = None, None
    with path.open(encoding="utf-8") as text:
        for line in text:
            kind, _, value = line.rstrip("\n").partition(":")
            if kind == "TN":
                test = test_key(value)
            elif kind == "SF":
                file = lines[value]
            elif kind == "DA" and int(value.split(",")[1]) > 0:
                file[int(value.split(",")[0])].add(test)
    return lines


def read_coverage(path, tree):
    """Returns, by file, the tests that ran each line, from a file in either format."""
    with path.open("rb") as data:
        is_database = data.read(15) == b"SQLite format 3"
    return read_coverage_py(path, tree) if is_database else read_lcov(path)


def read_functions(database, files):
    """Yields the functions and methods of the files: name, file, first and last line, and
    identity."""
    rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True).execute(
        "SELECT f.path, s.container, s.name, s.kind, s.start_line, s.end_line, s.is_test, hex(s.hash) FROM symbols s"
        " JOIN files f ON f.id = s.file_id ORDER BY f.path, s.start_line, s.name"
    )
    for file, container, name, kind, start, end, is_test, identity in rows:
        if file in files and not is_test and kind in KINDS:
            yield f"{container}.{name}".lstrip("."), file, start + 1, end + 1, identity.lower()


def find_tested(arguments, lines):
    """Returns the functions that tests ran, each with those tests."""
    tested = []
    for name, file, start, end, identity in read_functions(arguments.database, lines):
        # The first line of a longer function runs when its file is loaded.
        first = start + (end > start)
        inside = [tests for line, tests in lines[file].items() if first <= line <= end]
        if ran := {test for tests in inside for test in tests}:
            tested.append((name, file, identity, ran))
    return tested


def common_folder(path):
    """Returns the folders of a path that sources and tests have in common."""
    return [part for part in pathlib.PurePosixPath(path).parts[:-1] if part not in CONVENTIONAL_FOLDERS]


def baseline_tests(file, recorded):
    """Returns the tests in files named after the source file, and the tests of the nearest package
    with any."""
    stem = plain_name(pathlib.PurePosixPath(file).stem)
    namesakes = {
        test for test in recorded
        if plain_name(TEST_AFFIXES.sub("", pathlib.PurePosixPath(test[0]).name.split(".")[0])) == stem
    }
    folder = common_folder(file)
    while True:
        package = {test for test in recorded if common_folder(test[0]) == folder}
        if package or not folder:
            return namesakes, package
        folder.pop()


def named_tests(arguments, identity, recorded):
    """Returns the tests that the blast radius names and its answer; `None` if the program fails."""
    answer = run_kenning(arguments, "blast", "--refresh", "never", "--format", "json", identity, check=False)
    if answer.returncode != 0:
        print(f"{identity}: {answer.stderr.strip()}", file=sys.stderr)
        return None
    blast = json.loads(answer.stdout)
    named = set()
    for test in blast["tests"]:
        for name in (test["name"], test["name"].rpartition(".")[2]):
            named |= {(test["file"], plain_name(name)), (pathlib.PurePosixPath(test["file"]).stem, plain_name(name))}
    return named & recorded, blast


def score(named, ran):
    """Returns recall, precision (`None` if nothing is named), and the number of named tests."""
    hits = len(named & ran)
    return hits / len(ran), hits / len(named) if named else None, len(named)


def measure(arguments, lines):
    """Returns a row for each function of the sample."""
    recorded = {test for tests in lines.values() for names in tests.values() for test in names}
    tested = find_tested(arguments, lines)
    step = max(len(tested) / arguments.symbols, 1)
    rows = []
    for name, file, identity, ran in (tested[int(at * step)] for at in range(min(arguments.symbols, len(tested)))):
        if (found := named_tests(arguments, identity, recorded)) is None:
            continue
        named, blast = found
        count = blast["counts"]["tests"]
        namesakes, package = baseline_tests(file, recorded)
        rows.append({
            "symbol": f"{file}::{name}", "ran": ran, "named": named, "namesakes": namesakes, "package": package,
            "false_zero": count["value"] == 0 and not count["approximate"], "title": blast["title"],
        })
    return rows


def summarize(arguments, rows, answer):
    """Returns the row of one answer: `named`, or a baseline."""
    scores = [score(row[answer], row["ran"]) for row in rows]
    recall = statistics.mean(recall for recall, _, _ in scores)
    precision = statistics.mean([precision for _, precision, _ in scores if precision is not None] or [0.0])
    zeros = statistics.mean(row["false_zero"] for row in rows) if answer == "named" else 0.0
    return {
        "repository": arguments.repository or arguments.tree.resolve().name,
        "answer": arguments.evidence if answer == "named" else answer,
        "symbols": len(rows),
        "recall": f"{recall:.3f}",
        "precision": f"{precision:.3f}",
        "f1": f"{2 * recall * precision / max(recall + precision, 1e-9):.3f}",
        "false_zeros": f"{zeros:.3f}",
        "named_nothing": f"{statistics.mean(count == 0 for _, _, count in scores):.3f}",
    }


def write_csv(path, rows):
    """Adds rows to a CSV file and replaces earlier rows of the same repository and answer."""
    key = lambda row: (row["repository"], row["answer"])
    kept = []
    if path.exists():
        with path.open(encoding="utf-8", newline="") as text:
            kept = [row for row in csv.DictReader(text) if key(row) not in map(key, rows)]
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(kept + rows, key=key))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("coverage", type=pathlib.Path)
    parser.add_argument("--kenning", required=True)
    parser.add_argument("--evidence", choices=["text", "servers", "runs"], default="text")
    parser.add_argument("--trust", action="store_true")
    parser.add_argument("--symbols", type=int, default=300)
    parser.add_argument("--repository", help="the name in the results [default: the name of TREE]")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    lines = read_coverage(arguments.coverage, arguments.tree)
    with tempfile.TemporaryDirectory() as folder:
        arguments.database = pathlib.Path(folder) / "graph.db"
        run_kenning(arguments, "index")
        if arguments.evidence == "servers":
            enrich = [arguments.kenning, "enrich", arguments.tree, "--db", arguments.database]
            subprocess.run([*enrich, *["--trust"] * arguments.trust], check=True)
        elif arguments.evidence == "runs":
            imported = [arguments.kenning, "runs", "import", "--root", arguments.tree, "--db", arguments.database]
            subprocess.run([*imported, "--ignore-times", arguments.coverage], check=True)
        rows = measure(arguments, lines)
    answers = ["named"] if arguments.evidence != "text" else ["named", "namesakes", "package"]
    summary = [summarize(arguments, rows, answer) for answer in answers]
    for row in summary:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    if arguments.list:
        for row in sorted(rows, key=lambda row: len(row["named"] & row["ran"]) / len(row["ran"]) - len(row["ran"])):
            hits = len(row["named"] & row["ran"])
            mark = "  FALSE ZERO" if row["false_zero"] else ""
            numbers = f"{hits:4} of {len(row['ran']):4} ran, {len(row['named']):4} named"
            print(f"{numbers}  {row['symbol']}  {row['title']}{mark}")
    if arguments.csv:
        write_csv(arguments.csv, summary)


if __name__ == "__main__":
    sys.exit(main())
