#!/usr/bin/env python3
"""Measures the latency of searches in an open session, with the questions about one repository.

  bench/search/latency.py KENNING corpus/commits/kafka bench/search/code.json --model models/own \
    --csv bench/results/search-latency.csv

Prints the milliseconds of `kenning.search` as a client sees them: for each scope and mode, the
median and the 95th percentile of five rounds over the questions of the repository, after one round
that does not count. Starts when the session has read the history. With a model of vectors, measures
a second session that uses it.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from clients import LanguageServer  # noqa: E402

# Number of measured rounds over the questions.
ROUNDS = 5


def wait_for_history(client):
    """Waits until the number of read commits stays the same for three seconds."""
    last = None
    while (count := client.execute_command("kenning.status", {})["with_history"]) != last:
        last = count
        time.sleep(3)


def measure_session(kenning, root, queries, model):
    """Returns a row for each scope and mode, measured in a session of its own."""
    client = LanguageServer(kenning, root, settings={"vectors": {"model": model}} if model else {})
    client.execute_command("kenning.reindex", {})
    wait_for_history(client)
    rows = []
    modes = ("hybrid", "vector") if model else ("keyword", "hybrid")
    for scope in ("code", "files", "all"):
        for mode in modes:
            times = []
            for number in range(ROUNDS + 1):
                for query in queries:
                    start = time.perf_counter()
                    client.execute_command("kenning.search", {"query": query, "scope": scope, "mode": mode})
                    if number > 0:
                        times.append((time.perf_counter() - start) * 1000)
            times.sort()
            vectors = "on" if model else "off"
            rows.append([root.name, vectors, scope, mode, len(times), f"{times[len(times) // 2]:.1f}", f"{times[len(times) * 95 // 100]:.1f}"])
            print(*rows[-1])
    client.close()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kenning")
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("questions", type=pathlib.Path)
    parser.add_argument("--model", help="a folder with a model of vectors")
    parser.add_argument("--csv", type=pathlib.Path)
    options = parser.parse_args()
    root, kenning = options.tree.resolve(), str(pathlib.Path(options.kenning).resolve())
    subprocess.run([kenning, "index"], cwd=root, capture_output=True, check=True)
    queries = [question["query"] for question in json.loads(options.questions.read_text()) if question["repo"] == root.name]
    rows = measure_session(kenning, root, queries, None)
    if options.model:
        rows += measure_session(kenning, root, queries, str(pathlib.Path(options.model).resolve()))
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["repository", "vectors", "scope", "mode", "searches", "median_ms", "p95_ms"])
            writer.writerows(rows)


main()
