#!/usr/bin/env python3
"""Records which Go test executes which source line, as an lcov file.

Usage: record_go.py TREE OUT.info

TREE is the root of a Go module. Every package with tests is compiled once with coverage of all
packages of the module that it links, and each top-level test (Test, Fuzz and Example functions)
runs alone in its package's directory. The executions of a run without any test (package
initialization, TestMain) are subtracted.

OUT.info gets one record per test and source file:

    TN:path/of/package/file_test.go::TestName
    SF:path/of/source.go
    DA:LINE,COUNT        (executed lines only)
    end_of_record

Tests that fail, are skipped or take longer than a minute are left out; standard
error names each of them with the reason. Needs Python 3 and the go command,
nothing else. Tests see the environment of this script, so set HOME to an empty
directory if they must not touch the real one.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

TEST_TIMEOUT_SECONDS = 60
PROFILE_LINE = re.compile(r"(.+):(\d+)\.\d+,(\d+)\.(\d+) \d+ (\d+)$")


def run_go(tree, *arguments):
    return subprocess.run(
        ["go", *arguments], cwd=tree, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def packages_with_tests(tree):
    """Yields (directory, test file names) of each package that has tests."""
    decoder = json.JSONDecoder()
    text = run_go(tree, "list", "-json=Dir,TestGoFiles,XTestGoFiles", "./...").strip()
    while text:
        package, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        files = package.get("TestGoFiles", []) + package.get("XTestGoFiles", [])
        if files:
            yield package["Dir"], files


def linked_packages(tree, target, module):
    """Returns the module's packages that the target's test binary contains."""
    paths = run_go(tree, "list", "-deps", "-test", "-f", "{{.ImportPath}}", target)
    names = {line.split()[0] for line in paths.splitlines()}
    return sorted(
        name
        for name in names
        if (name + "/").startswith(module + "/") and not name.endswith((".test", "_test"))
    )


def compile_tests(tree, directory, module, binary):
    """Builds the package's test binary. Returns whether that succeeded.

    Covering only the packages that the tests link builds much faster than covering ./..., and runs
    the same code.
    """
    target = "./" + os.path.relpath(directory, tree)
    covered = ",".join(linked_packages(tree, target, module))
    command = ["go", "test", "-c", "-cover", "-coverpkg=" + covered, "-covermode=count"]
    done = subprocess.run([*command, "-o", binary, target], cwd=tree)
    return done.returncode == 0 and os.path.exists(binary)


def list_tests(binary, directory, files):
    """Yields (file, name) of each top-level test in the binary."""
    listing = subprocess.run(
        [binary, "-test.list", "^(Test|Fuzz|Example)"],
        cwd=directory, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ).stdout
    file_of = {}
    for file in files:
        with open(os.path.join(directory, file), encoding="utf-8") as source:
            for name in re.findall(r"^func (\w+)\(", source.read(), re.MULTILINE):
                file_of.setdefault(name, file)
    for name in listing.split():
        if name in file_of:
            yield file_of[name], name


def run_tests(binary, directory, pattern, profile):
    """Runs the tests that match. Returns the reason if the result is unusable."""
    command = [
        binary, "-test.v", "-test.run", pattern, "-test.coverprofile", profile,
        f"-test.timeout={TEST_TIMEOUT_SECONDS}s",
    ]
    if os.path.exists(profile):
        os.remove(profile)
    try:
        done = subprocess.run(
            command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, timeout=TEST_TIMEOUT_SECONDS + 10,
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    if b"panic: test timed out" in done.stdout:
        return "timeout"
    if done.returncode != 0 or not os.path.exists(profile):
        return "failed"
    if re.search(rb"^--- SKIP", done.stdout, re.MULTILINE):
        return "skipped"
    return None


def executed_blocks(profile):
    """Returns {(file, first line, last line, last column): count} of a profile."""
    blocks = collections.Counter()
    with open(profile, encoding="utf-8") as lines:
        for line in lines:
            match = PROFILE_LINE.match(line)
            if match and match[5] != "0":
                block = (match[1], int(match[2]), int(match[3]), int(match[4]))
                blocks[block] += int(match[5])
    return blocks


class SourceLines:
    """Finds the lines of a block that hold code, and caches the lines of files."""

    def __init__(self, tree, module):
        self.tree = tree
        self.module = module
        self.code_lines = {}

    def relative_path(self, file):
        return file.removeprefix(self.module + "/")

    def lines_in_block(self, block):
        file, first, last, last_column = block
        if file not in self.code_lines:
            self.code_lines[file] = self.read_code_lines(self.relative_path(file))
        if last_column == 1:  # the block ends before the last line's first character
            last -= 1
        return [line for line in range(first, last + 1) if line in self.code_lines[file]]

    def read_code_lines(self, path):
        """Returns the numbers of the lines that are not blank or comments."""
        with open(os.path.join(self.tree, path), encoding="utf-8") as source:
            return {
                number
                for number, text in enumerate(source, 1)
                if text.strip() and not text.lstrip().startswith("//")
            }


def write_records(out, test, blocks, source_lines):
    counts = collections.defaultdict(dict)
    for block, count in blocks.items():
        lines = counts[source_lines.relative_path(block[0])]
        for line in source_lines.lines_in_block(block):
            lines[line] = max(count, lines.get(line, 0))
    for file in sorted(counts):
        out.write(f"TN:{test}\nSF:{file}\n")
        for line, count in sorted(counts[file].items()):
            out.write(f"DA:{line},{count}\n")
        out.write("end_of_record\n")
    out.flush()


def record_package(tree, directory, files, scratch, source_lines, out):
    """Records all tests of a package. Returns the number of recorded tests."""
    place = os.path.relpath(directory, tree).replace(os.sep, "/")
    prefix = "" if place == "." else place + "/"
    binary = os.path.join(scratch, "package.test")
    profile = os.path.join(scratch, "profile")
    if not compile_tests(tree, directory, source_lines.module, binary):
        print(f"{prefix}: does not build", file=sys.stderr)
        return 0
    problem = run_tests(binary, directory, "^$", profile)
    baseline = executed_blocks(profile) if problem is None else {}
    recorded = 0
    for file, name in list_tests(binary, directory, files):
        test = f"{prefix}{file}::{name}"
        problem = run_tests(binary, directory, f"^{name}$", profile)
        if problem:
            print(f"{test}: {problem}", file=sys.stderr)
            continue
        blocks = executed_blocks(profile)
        blocks.subtract(baseline)
        write_records(out, test, +blocks, source_lines)
        recorded += 1
    os.remove(binary)
    return recorded


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: record_go.py TREE OUT.info")
    tree = os.path.realpath(sys.argv[1])
    source_lines = SourceLines(tree, run_go(tree, "list", "-m").strip())
    recorded = 0
    with tempfile.TemporaryDirectory() as scratch, open(sys.argv[2], "w") as out:
        for directory, files in packages_with_tests(tree):
            recorded += record_package(tree, directory, files, scratch, source_lines, out)
    print(f"{recorded} tests recorded", file=sys.stderr)


if __name__ == "__main__":
    main()
