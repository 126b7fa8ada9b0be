#!/usr/bin/env python3
"""Finds the lines that the commits of bench/commits edited, as they are at the base commit of the
task.

An edited line is a line that the commit removed or replaced; for an insertion it is the lines
before and after it. The script maps the commit's lines to the base commit by the difference between
the base and the commit's parent. It leaves out a line that changed in between, and a file that the
base commit lacks.

    python3 bench/content/edited_lines.py MIRRORS > bench/content/edited-lines.json

Output: {task: {"lines": {file: [[first, last], ...]}, "tests": {file: [[first, last], ...]}}}.
`lines` has the lines of the task's own files, `tests` the lines of test files.
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


def run_git(mirror, *args):
    """Returns the output of a git command."""
    command = ["git", "--git-dir", str(mirror), *args]
    return subprocess.run(command, capture_output=True, text=True, check=True, errors="replace").stdout


def read_hunks(mirror, old, new, file):
    """Returns the hunks between two commits of a file: (old start, old count, new start, new
    count)."""
    found = []
    for line in run_git(mirror, "diff", "-U0", "--no-color", "--no-ext-diff", old, new, "--", file).splitlines():
        match = HUNK.match(line)
        if match:
            start, count, new_start, new_count = match.groups()
            found.append((int(start), int(count or 1), int(new_start), int(new_count or 1)))
    return found


def edited_line_numbers(changes):
    """Returns the numbers of the edited lines of the old side, and of the lines next to an
    insertion."""
    lines = set()
    for start, count, _, _ in changes:
        lines.update(range(start, start + count) if count else (start, start + 1))
    return lines


def move_to_base(lines, drift):
    """Moves line numbers of the new side of `drift` to its old side. Drops lines that `drift`
    added."""
    moved = set()
    for line in lines:
        offset = 0
        for start, count, new_start, new_count in drift:
            # git gives the line before an empty range.
            last_new = new_start + new_count - 1 if new_count else new_start
            if new_count and new_start <= line <= last_new:
                offset = None
                break
            if line > last_new:
                offset = (start + count - 1 if count else start) - last_new
        if offset is not None:
            moved.add(line + offset)
    return moved


def to_ranges(lines, last):
    """Returns sorted line numbers up to `last` as ranges."""
    found = []
    for line in sorted(line for line in lines if 1 <= line <= last):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def find_edited_lines(mirror, task):
    """Returns the edited lines of a task, by file, in the format of the output."""
    base, commit = task["base_commit"], task["commit"]
    parent = run_git(mirror, "rev-parse", f"{commit}^").strip()
    names = run_git(mirror, "diff", "--name-only", "--no-renames", "--diff-filter=MD", parent, commit).splitlines()
    answer = {"lines": {}, "tests": {}}
    for file in names:
        is_test = bool(TEST_FILE.search(file))
        if not is_test and file not in task["files"]:
            continue
        try:
            text = run_git(mirror, "show", f"{base}:{file}")
        except subprocess.CalledProcessError:
            continue
        lines = move_to_base(edited_line_numbers(read_hunks(mirror, parent, commit, file)), read_hunks(mirror, base, parent, file))
        found = to_ranges(lines, len(text.splitlines()))
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
        answer[task["id"]] = find_edited_lines(mirror, task)
    print("{" + ",\n".join(f"{json.dumps(task)}: {json.dumps(found, separators=(',', ':'))}" for task, found in answer.items()) + "}")


if __name__ == "__main__":
    os.environ["GIT_NO_LAZY_FETCH"] = "1"
    main()
