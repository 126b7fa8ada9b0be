#!/usr/bin/env python3
"""Finds the lines that the commits of bench/commits edited, as they are at the base commit of the task.

An edited line is a line that the commit removed or replaced; for an insertion it is the lines before and after it.
The commit's lines are moved to the base commit through the difference between the base and the commit's parent; a line
that changed in between, and a file that the base commit lacks, count for nothing.

    python3 bench/content/edited_lines.py MIRRORS > bench/content/edited-lines.json

Output: {task: {"lines": {file: [[first, last], ...]}, "tests": {file: [[first, last], ...]}}}, where `lines` are those
of the task's own files and `tests` those of test files.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
TEST_FILE = re.compile(
    r"(^|/)(tests?|spec|specs|__tests__|testing|test-.*|.*[-.]tests?|acceptancetests|unittests)/"
    r"|(^|/)(test_[^/]*|[^/]*_test|[^/]*_spec|[^/]*\.(test|spec)|[^/]*(Tests?|Spec))\.\w+$",
    re.IGNORECASE,
)
LAYOUT = Path(__file__).parent.parent / "layout.sh"
TASKS = Path(__file__).parent.parent / "commits" / "tasks.json"


def git(mirror, *args):
    """Returns the output of a git command."""
    command = ["git", "--git-dir", str(mirror), *args]
    return subprocess.run(command, capture_output=True, text=True, check=True, errors="replace").stdout


def hunks(mirror, old, new, file):
    """Returns the hunks between two commits of a file: (old start, old count, new start, new count)."""
    found = []
    for line in git(mirror, "diff", "-U0", "--no-color", "--no-ext-diff", old, new, "--", file).splitlines():
        match = HUNK.match(line)
        if match:
            start, count, other, others = match.groups()
            found.append((int(start), int(count or 1), int(other), int(others or 1)))
    return found


def edited(changes):
    """Returns the numbers of the edited lines of the old side, and of the lines next to an insertion."""
    lines = set()
    for start, count, _, _ in changes:
        lines.update(range(start, start + count) if count else (start, start + 1))
    return lines


def to_base(lines, drift):
    """Moves line numbers of the new side of `drift` to its old side. Drops lines that `drift` added."""
    moved = set()
    for line in lines:
        offset = 0
        for start, count, other, others in drift:
            # git gives the line before an empty range.
            after_new = other + others - 1 if others else other
            if others and other <= line <= after_new:
                offset = None
                break
            if line > after_new:
                offset = (start + count - 1 if count else start) - after_new
        if offset is not None:
            moved.add(line + offset)
    return moved


def ranges(lines, last):
    """Returns sorted line numbers up to `last` as ranges."""
    found = []
    for line in sorted(line for line in lines if 1 <= line <= last):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def edited_lines(mirror, task):
    """Returns the edited lines of a task."""
    base, commit = task["base_commit"], task["commit"]
    parent = git(mirror, "rev-parse", f"{commit}^").strip()
    names = git(mirror, "diff", "--name-only", "--no-renames", "--diff-filter=MD", parent, commit).splitlines()
    answer = {"lines": {}, "tests": {}}
    for file in names:
        is_test = bool(TEST_FILE.search(file))
        if not is_test and file not in task["files"]:
            continue
        try:
            text = git(mirror, "show", f"{base}:{file}")
        except subprocess.CalledProcessError:
            continue
        lines = to_base(edited(hunks(mirror, parent, commit, file)), hunks(mirror, base, parent, file))
        found = ranges(lines, len(text.splitlines()))
        if found:
            answer["tests" if is_test else "lines"][file] = found
    return answer


def main():
    mirrors = Path(sys.argv[1])
    names = dict(re.findall(r"^commits (\S+) (\S+) [0-9a-f]{40}$", LAYOUT.read_text(), re.MULTILINE))
    answer = {}
    for task in json.loads(TASKS.read_text()):
        mirror = mirrors / names[task["repo"]] / "repo"
        if (mirror / ".git").is_dir():
            mirror /= ".git"
        answer[task["id"]] = edited_lines(mirror, task)
    print("{" + ",\n".join(f"{json.dumps(id)}: {json.dumps(found, separators=(',', ':'))}" for id, found in answer.items()) + "}")


if __name__ == "__main__":
    os.environ["GIT_NO_LAZY_FETCH"] = "1"
    main()
