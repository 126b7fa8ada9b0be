#!/usr/bin/env python3
"""aider 0.86.2 (Apache-2.0, PyPI aider-chat): the ranking of its repository map, without any model.

Finds the identifiers and files that a task mentions as aider does in a message, with no file in the
chat. Returns the definitions in the order of `RepoMap.get_ranked_tags`.

With `--maps --budgets 2000,8000`, writes the maps themselves instead, as `kenning eval --packs`
writes packs, for bench/content/score.py. aider counts tokens by its model's tokenizer and lets a
map have 15% more than the budget; here a token is four characters.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import peer_runs

VERSION = "0.86.2"
# Prefix of a line with an answer, because aider prints other lines as well.
ANSWER = "answer: "


def main():
    parser = peer_runs.argument_parser(__doc__)
    parser.add_argument("--maps", action="store_true", help="write the maps of the tasks, instead of ranked lists")
    parser.add_argument("--budgets", default="2000,4000,8000,16000,32000", help="tokens of the maps, comma-separated")
    args = parser.parse_args()
    python = args.install / "bin/python"
    if not python.exists():
        peer_runs.run_command([sys.executable, "-m", "venv", args.install])
        peer_runs.run_command([python, "-m", "pip", "install", "--quiet", f"aider-chat=={VERSION}"])
    environment = peer_runs.isolated_environment(args.scratch.resolve() / "home")
    # Python finds its virtual environment by the path of the program, so links in it must not be
    # resolved.
    command = [os.path.abspath(python), os.path.abspath(__file__), "--serve"]

    servers = {}

    def index(tree):
        for server in servers.values():
            server.terminate()
        servers.clear()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        servers[tree] = subprocess.Popen(command, text=True, cwd=tree, env=environment, **pipes)
        # The first question makes aider write its cache of tags.
        ask(tree, "")

    def ask(tree, text):
        server = servers[tree]
        server.stdin.write(json.dumps(text) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            if line.startswith(ANSWER):
                return json.loads(line[len(ANSWER) :])
        return sys.exit("aider ended without an answer")

    if args.maps:
        write_maps(args, index, ask)
    else:
        peer_runs.run_tasks(args, f"aider {VERSION}", index, ask)
    for server in servers.values():
        server.terminate()


def write_maps(args, index, ask):
    """Writes the map of every task at every budget:
    {budget: {task: {"tokens": n, "text": "..."}}}."""
    tasks = json.loads((peer_runs.BENCH / args.set / "tasks.json").read_text())
    maps = {budget: {} for budget in args.budgets.split(",")}
    for repo in args.repos.split(","):
        tree = args.scratch / repo
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(args.corpus / repo, tree, symlinks=True)
        index(tree)
        for task in (task for task in tasks if task["repo"] == repo):
            for budget, texts in maps.items():
                text = ask(tree, {"text": task["description"], "budget": int(budget)})
                texts[task["id"]] = {"tokens": len(text) // 4, "text": text}
        shutil.rmtree(tree)
        args.out.write_text(json.dumps(maps) + "\n")


def serve():
    """Ranks the tree in the working folder for each task on standard input. Runs in the virtual
    environment.

    Importing aider takes seconds and does not affect answers, so one process answers all tasks of a
    tree. Each task has its own map.
    """
    sys.path.pop(0)  # This folder has a module called `aider`.
    from aider.io import InputOutput
    from aider.repomap import RepoMap

    class Model:
        """Replaces the model. aider uses only its token counts."""

        def token_count(self, text):
            return len(text) // 4

    root = os.getcwd()
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=False).stdout
    files = [file for file in listed.split("\0") if file and os.path.isfile(file)]
    if not files:
        found = (os.path.relpath(os.path.join(at, name)) for at, _, names in os.walk(".") for name in names)
        files = sorted(file for file in found if not file.startswith("."))
    others = [os.path.join(root, file) for file in files]

    def new_map():
        return RepoMap(root=root, main_model=Model(), io=InputOutput(yes=True, pretty=False, fancy_input=False))

    for line in sys.stdin:
        question = json.loads(line)
        if isinstance(question, dict):
            mentions = mentioned(question["text"], files)
            text = new_map().get_ranked_tags_map([], others, question["budget"], *mentions) or ""
            print(f"\n{ANSWER}{json.dumps(text)}", flush=True)
            continue
        tags = new_map().get_ranked_tags([], others, *mentioned(question, files))
        named = [tag for tag in tags if hasattr(tag, "name")]
        found = [{"name": tag.name, "qualified": tag.name, "file": tag.rel_fname} for tag in named[: peer_runs.MAX_RESULTS]]
        print(f"\n{ANSWER}{json.dumps(found)}", flush=True)


def mentioned(text, files):
    """Returns the files and the identifiers that a message mentions, as aider finds them."""
    identifiers = set(re.split(r"\W+", text))
    words = {word.rstrip(",.!;:?").strip("\"'`*_") for word in text.split()}
    stems = {word.lower() for word in identifiers if len(word) >= 5}

    def is_mentioned(file):
        base = os.path.basename(file)
        stem = os.path.splitext(base)[0].lower()
        return file in words or base in words or stem in stems

    return {file for file in files if is_mentioned(file)}, identifiers


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
