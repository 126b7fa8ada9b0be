#!/usr/bin/env python3
"""knowing 0.16.0 (Apache-2.0): `knowing context -task` on its tree-sitter graph, without a language
server.

Uses the npm package, because the Python package of this version has no program. Each task gets its
own copy of the database, because the program learns from its questions.
"""
import json
import pathlib
import shutil

import peer_runs

VERSION = "0.16.0"
PACKAGE = f"@blackwell-systems/knowing-linux-x64@{VERSION}"


def main():
    args = peer_runs.argument_parser(__doc__).parse_args()
    program = args.install / "node_modules/@blackwell-systems/knowing-linux-x64/bin/knowing"
    if not program.exists():
        args.install.mkdir(parents=True, exist_ok=True)
        peer_runs.run_command(["npm", "install", "--no-audit", "--no-fund", "--prefix", args.install, PACKAGE])
    program = program.resolve()
    environment = peer_runs.isolated_environment(args.scratch.resolve() / "home")
    base, database = args.scratch.resolve() / "base.db", args.scratch.resolve() / "task.db"

    def remove_database(path):
        for suffix in ["", "-wal", "-shm"]:
            pathlib.Path(f"{path}{suffix}").unlink(missing_ok=True)

    def index(tree):
        remove_database(base)
        peer_runs.run_command([program, "index", "-no-enrich", "-db", base, "."], cwd=tree, env=environment)

    def ask(tree, text):
        remove_database(database)
        for suffix in ["", "-wal", "-shm"]:
            if pathlib.Path(f"{base}{suffix}").exists():
                shutil.copy(f"{base}{suffix}", f"{database}{suffix}")
        command = [program, "context", "-db", database, "-format", "json", "-task", text]
        answer = json.loads(peer_runs.run_command(command, cwd=tree, env=environment))
        return [to_result(tree, symbol["qualified_name"]) for symbol in answer.get("symbols") or []]

    peer_runs.run_tasks(args, f"knowing {VERSION}", index, ask)


def to_result(tree, symbol_name):
    """Returns the result for a name such as `<url>://./src/views.py.View.view`, whose longest
    prefix that is a file is the file."""
    name = symbol_name.rsplit("://", 1)[-1].removeprefix("./")
    dots = [at for at, letter in enumerate(name) if letter == "."]
    for at in reversed(dots):
        if (tree / name[:at]).is_file():
            return {"name": name[at + 1 :].rsplit(".", 1)[-1], "qualified": name[at + 1 :], "file": name[:at]}
    # For Go, the name starts with the folder of the package and does not contain the file.
    folder, _, rest = name.rpartition("/")
    qualified = rest.split(".", 1)[-1] if folder or "." in rest else rest
    return {"name": qualified.rsplit(".", 1)[-1], "qualified": qualified}


if __name__ == "__main__":
    main()
