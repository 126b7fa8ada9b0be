#!/usr/bin/env python3
"""Compares the packs of the command line, the language server and the MCP server, byte by byte.

  bench/agents/equality.py target/release/kenning corpus/commits

Asks all three for the same tasks of the commit set, one after the other, so that no server answers
through another. Each task has a session of its own, because a session ranks recently shown symbols
higher. A new session still checks the disk and reads the commits, so the script repeats a task for
up to SETTLE_SECONDS, until the pack equals that of the command line. No language servers run,
because their answers change the graph. Prints the numbers of packs that are equal at first and in
the end, and ends with status 1 if any stays different.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from clients import LanguageServer, McpServer, choose_tasks  # noqa: E402


# Maximum time in seconds until a new session has checked the disk and read the commits.
SETTLE_SECONDS = 20


def ask_until(expected, ask):
    """Repeats a question. Returns whether the first and the last answer equal the expected
    answer."""
    start = time.monotonic()
    first = last = ask() == expected
    while not last and time.monotonic() - start < SETTLE_SECONDS:
        time.sleep(0.5)
        last = ask() == expected
    return first, last


def compare_task(kenning, root, text, environment):
    """Returns, by server, whether its first and its last pack equal the pack of the command
    line."""
    command = [kenning, "pack", "-"]
    pack = subprocess.run(command, cwd=root, env=environment, input=text.encode(), capture_output=True, check=True).stdout.decode()
    server = LanguageServer(kenning, root, environment)
    server.wait_until_current()
    outcomes = {"language server": ask_until(pack, lambda: server.execute_command("kenning.taskContext", {"task": text, "text": True})["text"])}
    server.close()
    agent = McpServer(kenning, root, environment)
    agent.wait_until_current()
    outcomes["MCP server"] = ask_until(pack, lambda: agent.call("pack", {"task": text, "budget": 8000})[0])
    agent.close()
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kenning")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--tasks", type=int, default=100)
    options = parser.parse_args()
    kenning = str(pathlib.Path(options.kenning).resolve())
    tasks = choose_tasks(options.tasks)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as cache:
        # This search path and this home have git, but no language server.
        homes = dict.fromkeys(["HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"], cache)
        environment = os.environ | homes | {"PATH": "/usr/bin:/bin"}
        for repo in sorted({task["repo"] for task in tasks}):
            root = (options.corpus / repo).resolve()
            subprocess.run([kenning, "index"], cwd=root, env=environment, capture_output=True, check=True)
            for task in (task for task in tasks if task["repo"] == repo):
                for server, (first, last) in compare_task(kenning, root, task["description"], environment).items():
                    counts[server, "at first"] += first
                    counts[server, "in the end"] += last
                    if not last:
                        print(f"{task['id']}: the pack of the {server} stays different", flush=True)
    for (server, time_of_answer), count in sorted(counts.items()):
        print(f"{server}, {time_of_answer}: {count} of {len(tasks)} packs equal those of the command line")
    sys.exit(any(count < len(tasks) for (_, time_of_answer), count in counts.items() if time_of_answer == "in the end"))


main()
