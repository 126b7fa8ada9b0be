"""The common part of the scripts of all peers: it copies trees, reads tasks, measures times and writes results.

A peer has a function `index(tree)` and a function `ask(tree, text)`, which returns the ranked symbols as
`{"name", "qualified", "file"}`, best first. Tasks are independent: no answer may change a later one.
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
# Repositories that every peer indexes within minutes.
REPOS = ["flask", "fastapi", "hono", "jekyll", "ripgrep", "spark-java"]
# Length of the lists, several times the number of results that the scorers count.
LENGTH = 50


def arguments(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", required=True, type=pathlib.Path, help="folder for the peer itself")
    parser.add_argument("--corpus", required=True, type=pathlib.Path, help="trees as bench/layout.sh lays them out, of one set")
    parser.add_argument("--set", required=True, choices=["commits", "curated"])
    parser.add_argument("--repos", default=",".join(REPOS), help="comma-separated")
    parser.add_argument("--scratch", required=True, type=pathlib.Path, help="folder for copies of the trees")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="ranked lists, as `kenning eval --out` writes them")
    return parser


def run(command, **options):
    """Returns the output of a command. Ends the program with the command's output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}{done.stdout[-2000:]}")
    return done.stdout


def environment(home):
    """Returns an environment with a separate home, so that a peer knows nothing from earlier, and without telemetry."""
    home.mkdir(parents=True, exist_ok=True)
    return {**os.environ, "HOME": str(home), "DO_NOT_TRACK": "1", "CODEGRAPH_TELEMETRY": "0"}


def measure(args, peer, index, ask):
    """Asks all tasks of the chosen repositories. Writes the lists and, to a file beside them, the times in seconds."""
    tasks = json.loads((BENCH / args.set / "tasks.json").read_text())
    lists, seconds = {}, {"peer": peer, "set": args.set, "repositories": {}}
    for repo in args.repos.split(","):
        mine = [task for task in tasks if task["repo"] == repo]
        source = args.corpus / repo
        if not mine or not source.is_dir():
            continue
        tree = args.scratch / repo
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(source, tree, symlinks=True)
        began = time.monotonic()
        index(tree)
        indexed = time.monotonic() - began
        each = []
        for task in mine:
            began = time.monotonic()
            found = ask(tree, task["description"])[:LENGTH]
            each.append(time.monotonic() - began)
            lists[task["id"]] = found if args.set == "commits" else [entry["qualified"] for entry in found]
        seconds["repositories"][repo] = {"tasks": len(mine), "index": indexed, "query": sum(each) / len(each)}
        print(f"{repo}: index {indexed:.1f} s, query {sum(each) / len(each):.2f} s", file=sys.stderr, flush=True)
        shutil.rmtree(tree)
        # Writes after each repository, so that a failure in the last one does not lose an hour of work.
        args.out.write_text(json.dumps(lists) + "\n")
        args.out.with_suffix(".seconds.json").write_text(json.dumps(seconds) + "\n")
