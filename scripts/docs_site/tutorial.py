"""Runs the commands of the tutorial in a copy of its repository, and compares the outputs with the
page.

CI has no copy of that repository, so this runs by hand: `scripts/docs tutorial --checkout FOLDER`.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from docs_site import markdown, pages

PAGE = "docs/tutorial.md"
# Marks a part of an output that the page leaves out.
LEFT_OUT = "…"
EDIT = re.compile(r"Edit line (\d+) of `([^`]+)`")


def check_outputs(checkout, program):
    """Yields a finding for each part of an output on the page that the program does not print."""
    text = pages.read_file(PAGE)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tree = folder / "flask"
        shutil.copytree(checkout, tree, symlinks=True)
        (folder / "bin").mkdir()
        (folder / "bin" / "kenning").symlink_to(program)
        path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "XDG_CACHE_HOME": str(folder), "COLUMNS": "100"}
        environment.pop("KENNING_DB", None)
        for block in markdown.split_code(text)[0]:
            if block.language == "console":
                for line, command, expected in find_commands(block):
                    run = subprocess.run(["bash", "-c", command], cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
                    yield from (f"{PAGE}:{line}: {command}: does not print: {part}" for part in missing_parts(expected, run.stdout))
            elif block.language == "python":
                apply_edit(text, block, tree)


def find_commands(block):
    """Yields the line, the command and the expected output of each prompt in a console block."""
    for match in re.finditer(r"^\$ (.*)\n?((?:(?!\$ ).*\n?)*)", block.text, re.MULTILINE):
        yield block.line + block.text.count("\n", 0, match.start()), match[1], match[2]


def missing_parts(expected, output):
    """Returns the expected parts that the output lacks in this order, regardless of line breaks."""
    missing, output, position = [], join_words(output), 0
    for part in filter(None, map(join_words, expected.split(LEFT_OUT))):
        found = output.find(part, position)
        if found < 0:
            missing.append(part)
        else:
            position = found + len(part)
    return missing


def join_words(text):
    """Returns the words of a text with one blank between them."""
    return " ".join(text.split())


def apply_edit(text, block, tree):
    """Replaces the line that the page names above the block with the block."""
    number, path = list(EDIT.finditer("\n".join(text.split("\n")[: block.line])))[-1].groups()
    file = tree / path
    lines = file.read_text(encoding="utf-8").split("\n")
    lines[int(number) - 1 : int(number)] = block.text.split("\n")
    file.write_text("\n".join(lines), encoding="utf-8")
