"""Runs a peer (another published context tool) on the tasks of the benchmark: copies trees, reads
tasks, measures times, writes results.

Each script passes two functions to `run_tasks`: `index(tree)`, and `ask(tree, text)`, which returns the ranked
symbols as `{"name", "qualified", "file"}`, best first. Tasks are independent: no answer may change
a later answer.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

BENCH = pathlib.Path(__file__).resolve().parent.parent
# The repositories that every peer indexes within minutes.
REPOS = ["flask", "fastapi", "hono", "jekyll", "ripgrep", "spark-java"]
# Maximum number of symbols in a list, several times the number that the scorers count.
MAX_RESULTS = 50


def argument_parser(doc):
    """Returns a parser of the options that all peers have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", required=True, type=pathlib.Path, help="folder for the peer itself")
    parser.add_argument("--corpus", required=True, type=pathlib.Path, help="trees as bench/layout.sh lays them out, of one set")
    parser.add_argument("--set", required=True, choices=["commits", "curated"])
    parser.add_argument("--repos", default=",".join(REPOS), help="comma-separated")
    parser.add_argument("--scratch", required=True, type=pathlib.Path, help="folder for copies of the trees")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="ranked lists, as `kenning eval --out` writes them")
    return parser


def run_command(command, **options):
    """Returns the output of a command. Ends the program with the command's output if it fails."""
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stderr[-2000:]}{result.stdout[-2000:]}")
    return result.stdout


def isolated_environment(home):
    """Creates `home`, and returns an environment that uses it as the home folder, so that earlier
    runs do not affect the peer, and that turns telemetry off."""
    home.mkdir(parents=True, exist_ok=True)
    return {**os.environ, "HOME": str(home), "DO_NOT_TRACK": "1", "CODEGRAPH_TELEMETRY": "0"}


def run_tasks(args, peer, index, ask):
    """Runs all tasks of the chosen repositories. Writes the lists and, to a file next to them, the
    times in seconds."""
    tasks = json.loads((BENCH / args.set / "tasks.json").read_text())
    lists, seconds = {}, {"peer": peer, "set": args.set, "repositories": {}}
    for repo in args.repos.split(","):
        repo_tasks = [task for task in tasks if task["repo"] == repo]
        source = args.corpus / repo
        if not repo_tasks or not source.is_dir():
            continue
        tree = args.scratch / repo
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(source, tree, symlinks=True)
        began = time.monotonic()
        index(tree)
        indexed = time.monotonic() - began
        query_times = []
        for task in repo_tasks:
            began = time.monotonic()
            found = ask(tree, task["description"])[:MAX_RESULTS]
            query_times.append(time.monotonic() - began)
            lists[task["id"]] = found if args.set == "commits" else [entry["qualified"] for entry in found]
        seconds["repositories"][repo] = {"tasks": len(repo_tasks), "index": indexed, "query": sum(query_times) / len(query_times)}
        print(f"{repo}: index {indexed:.1f} s, query {sum(query_times) / len(query_times):.2f} s", file=sys.stderr, flush=True)
        shutil.rmtree(tree)
        # Write after each repository, so that a failure in the last one does not lose an hour of
        # work.
        args.out.write_text(json.dumps(lists) + "\n")
        args.out.with_suffix(".seconds.json").write_text(json.dumps(seconds) + "\n")
