#!/usr/bin/env python3
"""Converts coverage.py data with one context per test into an lcov file.

Usage: coverage_to_lcov.py DATA.coverage TREE OUT.info

Record the data first, in the root of TREE:

    python -m pytest tests --cov=PACKAGE --cov-context=test --cov-report=

pytest-cov names the contexts "NODE_ID|setup", "NODE_ID|run" and "NODE_ID|teardown". The script
merges the three, and the parameters of one test. Lines without a context (executed at import) are
left out.

OUT.info gets one record per test and source file:

    TN:tests/test_a.py::TestClass::test_b
    SF:package/module.py
    DA:LINE,1            (executed lines only)
    end_of_record

Needs the coverage package.
"""

import collections
import os
import sys

import coverage


def test_id(context):
    """Returns the test's node id without phase and parameters, or ""."""
    node_id = context.rpartition("|")[0]
    return node_id.partition("[")[0]


def lines_by_test(data, tree):
    """Returns {test: {path relative to tree: set of lines}}."""
    result = collections.defaultdict(lambda: collections.defaultdict(set))
    for file in data.measured_files():
        path = os.path.relpath(os.path.join(tree, file), tree).replace(os.sep, "/")
        for line, contexts in data.contexts_by_lineno(file).items():
            for test in filter(None, map(test_id, contexts)):
                result[test][path].add(line)
    return result


def write_records(out, lines):
    for test in sorted(lines):
        for file in sorted(lines[test]):
            out.write(f"TN:{test}\nSF:{file}\n")
            for line in sorted(lines[test][file]):
                out.write(f"DA:{line},1\n")
            out.write("end_of_record\n")


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: coverage_to_lcov.py DATA.coverage TREE OUT.info")
    data_file, tree, out_file = sys.argv[1:]
    data = coverage.CoverageData(basename=data_file)
    data.read()
    lines = lines_by_test(data, os.path.realpath(tree))
    with open(out_file, "w", encoding="utf-8") as out:
        write_records(out, lines)
    print(f"{len(lines)} tests recorded", file=sys.stderr)


if __name__ == "__main__":
    main()
