#!/usr/bin/env python3
"""aider 0.86.2 (Apache-2.0, PyPI aider-chat): the ranking of its repository map, without any model.

Finds the identifiers and files that a task mentions as aider does in a message, with no file in the chat. Returns the
definitions in the order of `RepoMap.get_ranked_tags`.
"""
import json
import os
import re
import subprocess
import sys

import common

VERSION = "0.86.2"
# Prefix of a line with an answer, because aider prints other lines as well.
ANSWER = "answer: "


def main():
    args = common.argument_parser(__doc__).parse_args()
    python = args.install / "bin/python"
    if not python.exists():
        common.run([sys.executable, "-m", "venv", args.install])
        common.run([python, "-m", "pip", "install", "--quiet", f"aider-chat=={VERSION}"])
    environment = common.environment(args.scratch.resolve() / "home")
    # Python finds its virtual environment by the path of the program, so links in it must not be resolved.
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

    common.measure(args, f"aider {VERSION}", index, ask)
    for server in servers.values():
        server.terminate()


def serve():
    """Ranks the tree in the working folder for each task on standard input. Runs in the virtual environment.

    Importing aider takes seconds and does not affect answers, so one process answers all tasks of a tree. Each task has
    its own map.
    """
    sys.path.pop(0)  # This folder has a module called `aider`.
    from aider.io import InputOutput
    from aider.repomap import RepoMap

    class Model:
        """Replaces the model, of which aider only uses the token counts."""

        def token_count(self, text):
            return len(text) // 4

    root = os.getcwd()
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=False).stdout
    files = [file for file in listed.split("\0") if file and os.path.isfile(file)]
    if not files:
        found = (os.path.relpath(os.path.join(at, name)) for at, _, names in os.walk(".") for name in names)
        files = sorted(file for file in found if not file.startswith("."))
    for line in sys.stdin:
        tags = rank_tags(json.loads(line), root, files, RepoMap, InputOutput, Model)
        named = [tag for tag in tags if hasattr(tag, "name")]
        found = [{"name": t.name, "qualified": t.name, "file": t.rel_fname} for t in named[: common.LENGTH]]
        print(f"\n{ANSWER}{json.dumps(found)}", flush=True)


def rank_tags(text, root, files, RepoMap, InputOutput, Model):
    """Returns the tags of a tree in aider's order for a message."""
    identifiers = set(re.split(r"\W+", text))
    words = {word.rstrip(",.!;:?").strip("\"'`*_") for word in text.split()}
    stems = {word.lower() for word in identifiers if len(word) >= 5}

    def is_mentioned(file):
        base = os.path.basename(file)
        stem = os.path.splitext(base)[0].lower()
        return file in words or base in words or stem in stems

    repo_map = RepoMap(root=root, main_model=Model(), io=InputOutput(yes=True, pretty=False, fancy_input=False))
    others = [os.path.join(root, file) for file in files]
    return repo_map.get_ranked_tags([], others, {file for file in files if is_mentioned(file)}, identifiers)


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
