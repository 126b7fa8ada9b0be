#!/usr/bin/env python3
"""Writes code.json: questions about the code of the tuning repositories, with the files that answer
them.

  bench/search/code_questions.py corpus/commits > bench/search/code.json      # needs ctags

The answers come from ctags, from the documentation and from commits, never from Kenning:

* where: "where is <the words of a name> defined". The name has at least two words, and ctags finds
  one definition of it in the tree, outside tests. The answer is the file of the definition.
* how: "how does <a heading of the documentation> work". The code spans of the section name symbols
  that ctags finds in one place each; the answer is their files, at most three.
* which: "which file <the subject of a commit>". The answer is the only file outside tests that a
  later commit with that subject edited (a task of bench/commits with one file).

Each repository has at most five questions of each kind: the questions with the smallest SHA-256 of
repository, kind and text, so that nobody chooses them.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

# Maximum number of questions of each kind and repository.
PER_KIND = 5
ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = {".md", ".mdx", ".rst", ".markdown"}
# Paths of tests, examples and code of other projects.
SKIPPED = re.compile(r"(^|/)(tests?|spec|specs|testing|__tests__|node_modules|vendor|examples?|docs_src|fixtures?|bench\w*)(/|$)|test", re.I)
# The kinds of ctags that are definitions.
DEFINING = {"function", "method", "class", "struct", "interface", "enum", "trait", "type", "member", "singletonMethod", "module", "func"}
WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def find_definitions(tree):
    """Returns the files that define each name, outside tests and documentation."""
    command = ["ctags", "--options=NONE", "-R", "--output-format=json", "-f", "-", "."]
    listed = subprocess.run(command, cwd=tree, capture_output=True, text=True, errors="replace", check=True)
    found = {}
    for line in listed.stdout.splitlines():
        tag = json.loads(line)
        path = tag.get("path", "").removeprefix("./")
        is_source = pathlib.PurePath(path).suffix not in DOCUMENT | {".json", ".css", ".html", ".xml", ".yml"}
        if tag.get("kind") in DEFINING and is_source:
            found.setdefault(tag["name"], []).append(path)
    return {name: paths for name, paths in found.items() if not any(SKIPPED.search(path) for path in paths)}


def split_words(name):
    return [word.lower() for word in WORDS.findall(name)]


def ask_where(defined):
    """Yields the questions of the kind `where` with their answers."""
    for name, paths in defined.items():
        words = split_words(name)
        if len(paths) == 1 and len(words) >= 2 and name.isidentifier() and not re.match("test|anonymous", name, re.I):
            yield f"where is {' '.join(words)} defined", paths


def sections(text, suffix):
    """Yields the headings of a document below the first level, with their text."""
    if suffix == ".rst":
        pattern = re.compile(r"^(\S[^\n]*)\n([-~^\"'+*])\2{2,}\s*$", re.M)
    else:
        pattern = re.compile(r"^#{2,4} +([^\n]+?)(?: *\{[^}]*\})? *#*()$", re.M)
    found = list(pattern.finditer(text))
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        yield match.group(1).strip(), text[match.end():end]


def ask_how(tree, defined):
    """Yields the questions of the kind `how` with their answers."""
    for path in sorted(tree.rglob("*")):
        relative = path.relative_to(tree).as_posix()
        if path.suffix not in DOCUMENT or not path.is_file() or re.search(r"change|release|news|history|migrat|/(?!en/)[a-z]{2}(-[a-z]+)?/docs/", relative, re.I):
            continue
        for heading, body in sections(path.read_text(errors="replace"), path.suffix):
            heading = re.sub(r"[`*_#\[\]]|\(.*?\)|<.*?>", "", heading).strip().lower()
            if len(heading.split()) < 2 or not heading.isascii() or len(heading) > 60:
                continue
            spans = re.findall(r"``?([A-Za-z_][\w.:]*)(?:\(\))?``?", body)
            names = [re.split(r"[.:]+", span.strip(".:"))[-1] for span in spans]
            named = {defined[name][0] for name in names if len(defined.get(name, [])) == 1 and len(name) > 3}
            if 1 <= len(named) <= 3:
                yield f"how does {heading} work", sorted(named)


def ask_which(repo):
    """Yields the questions of the kind `which` with their answers."""
    for task in json.loads((ROOT / "commits/tasks.json").read_text()):
        files = sorted({truth["file"] for truth in task["truths"]})
        if task["repo"] == repo and len(files) == 1 and len(task["files"]) <= 2:
            yield f"which file: {task['description'].splitlines()[0]}", files


def choose(repo, kind, questions):
    """Yields the questions with the smallest hashes."""
    def order(question):
        return hashlib.sha256(f"{repo} {kind} {question[0]}".encode()).hexdigest()

    unique = {text: files for text, files in questions}
    for text, files in sorted(unique.items(), key=order)[:PER_KIND]:
        yield {"repo": repo, "kind": kind, "query": text, "files": files}


def main():
    corpus = pathlib.Path(sys.argv[1])
    chosen = []
    for tree in sorted(path for path in corpus.iterdir() if path.is_dir()):
        defined = find_definitions(tree)
        chosen += choose(tree.name, "where", ask_where(defined))
        chosen += choose(tree.name, "how", ask_how(tree, defined))
        chosen += choose(tree.name, "which", ask_which(tree.name))
    json.dump(chosen, sys.stdout, indent=1)
    print()


main()
