#!/usr/bin/env python3
"""Lays out the trees of the training repositories and builds their tasks.

  build_tasks.py MIRRORS DEST --training PROGRAM [--repositories FILE] [--split NAME] [--tasks 80] [--only NAME,...]

MIRRORS holds bare clones as `<owner>+<name>/repo`. DEST/trees/<owner>+<name> gets each tree at its
base commit, with the history up to that commit. Next to `trees`, each repository has a file
`<owner>+<name>.json` in `tasks` (later commits), `questions` (about its identifiers) and `symbols`
(for the scorer). DEST/<split>.json has the tasks of all repositories of a split,
DEST/<split>-questions.json the questions. PROGRAM is the built `training-tasks`
(bench/src/bin/training-tasks.rs). Skips repositories with a file of tasks. Prints the number and the
SHA-256 of each file of tasks.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

from choose_bases import find_repository

ROOT = pathlib.Path(__file__).resolve().parent
# The ids of languages in tasks, where they are not the lowercase name.
LANGUAGES = {"C#": "csharp", "C++": "cpp", "Objective-C": "objc"}


def read_repositories(path):
    """Returns the rows of a list of repositories, such as repositories.tsv."""
    lines = path.read_text(encoding="utf-8").splitlines()
    columns = lines[0].split("\t")
    return [dict(zip(columns, line.split("\t"), strict=True)) for line in lines[1:]]


def lay_out_tree(repository, tree, base):
    """Checks out the base commit in a repository of its own that borrows the objects of the
    mirror."""
    if (tree / ".git").exists():
        return
    tree.mkdir(parents=True, exist_ok=True)
    git = lambda *arguments, **more: subprocess.run(["git", "-C", tree, *arguments], check=True, **more)
    git("init", "-q")
    alternates = tree / ".git/objects/info/alternates"
    alternates.parent.mkdir(parents=True, exist_ok=True)
    alternates.write_text(f"{(repository / 'objects').resolve()}\n", encoding="utf-8")
    git("update-ref", "refs/heads/main", base)
    git("symbolic-ref", "HEAD", "refs/heads/main")
    git("read-tree", base)
    # A few very large files may be absent from a mirror.
    environment = os.environ | {"GIT_NO_LAZY_FETCH": "1"}
    command = ["git", "-C", tree, "checkout-index", "-a", "-f", "-q"]
    subprocess.run(command, check=False, env=environment, stderr=subprocess.DEVNULL)


def build_tasks(arguments, row):
    """Builds the tasks and questions of a repository unless they exist, and returns them.

    On failure, prints the error and returns empty lists.
    """
    name = row["repository"].replace("/", "+")
    tree, out = arguments.dest / "trees" / name, arguments.dest / "tasks" / f"{name}.json"
    lay_out_tree(find_repository(arguments.mirrors, row["repository"]), tree, row["base"])
    if not out.exists():
        language = LANGUAGES.get(row["language"], row["language"].lower())
        options = ["--repo", name, "--language", language, "--tip", row["tip"], "--tasks", str(arguments.tasks)]
        if row["split"] == "train":
            options.append("--train")
        command = [arguments.training, *options, "--out", arguments.dest, tree]
        result = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            print(f"{name}: {result.stderr.strip()[-300:]}", file=sys.stderr)
            return [], []
    paths = [arguments.dest / kind / out.name for kind in ("tasks", "questions")]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=pathlib.Path)
    parser.add_argument("dest", type=pathlib.Path)
    parser.add_argument("--training", required=True, type=pathlib.Path)
    parser.add_argument("--repositories", type=pathlib.Path, default=ROOT / "repositories.tsv", help="the list (default: repositories.tsv)")
    parser.add_argument("--split", help="only this part of the list")
    parser.add_argument("--only", help="names of repositories, separated by commas")
    parser.add_argument("--tasks", type=int, default=80, help="maximum number for each repository")
    arguments = parser.parse_args()
    only = arguments.only.split(",") if arguments.only else None
    repositories = read_repositories(arguments.repositories)
    splits = list(dict.fromkeys(row["split"] for row in repositories))
    if arguments.split and arguments.split not in splits:
        sys.exit(f"{arguments.repositories} has no split {arguments.split}, only {', '.join(splits)}")
    for split in [arguments.split] if arguments.split else splits:
        rows = [row for row in repositories if row["split"] == split]
        rows = [row for row in rows if only is None or row["repository"] in only]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            built = list(pool.map(lambda row: build_tasks(arguments, row), rows))
        for number, name in enumerate([split, f"{split}-questions"]):
            tasks = [task for repository in built for task in repository[number]]
            text = json.dumps(tasks, indent=1, ensure_ascii=False) + "\n"
            (arguments.dest / f"{name}.json").write_text(text, encoding="utf-8")
            digest = hashlib.sha256(text.encode()).hexdigest()
            print(f"{name}: {len(rows)} repositories, {len(tasks)} tasks, SHA-256 {digest}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
