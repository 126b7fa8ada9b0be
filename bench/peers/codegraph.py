#!/usr/bin/env python3
"""codegraph 1.6.1 (MIT, npm @colbymchenry/codegraph): its context for tasks (`codegraph context`),
or its symbol search (`codegraph query`).

The list of a context starts with its entry points; the other symbols follow in the order of the
answer.
"""
import json

import peer_runs

VERSION = "1.6.1"
PACKAGE = f"@colbymchenry/codegraph@{VERSION}"


def main():
    parser = peer_runs.argument_parser(__doc__)
    parser.add_argument("--mode", choices=["context", "query"], default="context")
    args = parser.parse_args()
    program = args.install / "node_modules/.bin/codegraph"
    if not program.exists():
        args.install.mkdir(parents=True, exist_ok=True)
        peer_runs.run_command(["npm", "install", "--no-audit", "--no-fund", "--prefix", args.install, PACKAGE])
    program = program.resolve()
    environment = peer_runs.isolated_environment(args.scratch.resolve() / "home")

    def index(tree):
        peer_runs.run_command([program, "init", "-y", "."], cwd=tree, env=environment)

    def ask(tree, text):
        if args.mode == "query":
            command = [program, "query", "-p", ".", "-j", "-l", str(peer_runs.MAX_RESULTS), "--", text]
            return [to_result(found["node"]) for found in parse_json(peer_runs.run_command(command, cwd=tree, env=environment), "[")]
        command = [program, "context", "-p", ".", "-f", "json", "--no-code", "-n", str(peer_runs.MAX_RESULTS), "--", text]
        answer = parse_json(peer_runs.run_command(command, cwd=tree, env=environment), "{") or {}
        nodes = (answer.get("entryPoints") or []) + (answer.get("nodes") or [])
        unique = {node["id"]: node for node in nodes if node["kind"] not in ("file", "import")}
        return [to_result(node) for node in unique.values()]

    peer_runs.run_tasks(args, f"codegraph {args.mode} {VERSION}", index, ask)


def parse_json(output, opening):
    """Returns the JSON in an output that may have other text before and after it, or an empty list
    if there is none."""
    at = output.find(opening)
    return json.JSONDecoder().raw_decode(output[at:])[0] if at >= 0 else []


def to_result(node):
    qualified = node["qualifiedName"].replace("::", ".")
    return {"name": node["name"], "qualified": qualified, "file": node["filePath"]}


if __name__ == "__main__":
    main()
