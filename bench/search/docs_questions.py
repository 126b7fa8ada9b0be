#!/usr/bin/env python3
"""Writes docs.json: questions about the documentation of tuning repositories, with the sections
that answer them.

  bench/search/docs_questions.py corpus/commits > bench/search/docs.json

Both questions and answers come from the documentation:

* heading: a heading of four words or more, without markup. The answers are the sections with this
  heading.
* question: a heading that ends with a question mark. The answers are the sections with this
  heading.
* term: "where is <a term> explained", for code that only one section shows in a sentence, and that
  is not in its heading. The answer is that section.
* link: a sentence that links to a section of another page. The answer is that section. If the text
  of the link is the heading, it is left out of the question.

Each repository has at most twelve questions of each kind: the questions with the smallest SHA-256
of repository, kind and text.
"""
import hashlib
import json
import pathlib
import re
import sys

REPOSITORIES = {"fastapi": "docs/en/docs", "flask": "docs", "helix": "book/src", "jekyll": "docs/_docs"}
# Maximum number of questions of each kind and repository.
PER_KIND = 12
# Names of pages about versions.
SKIPPED = re.compile(r"change|release|history|news", re.I)
MARKUP = re.compile(r"\{[^}]*\}|<[^>]*>|[`*#]|:\w+:")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]*)\)")


def strip_markup(text):
    """Returns a text without markup and link targets."""
    text = LINK.sub(r"\1", text)
    return " ".join(MARKUP.sub("", text).split())


def make_anchor(heading):
    """Returns the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def read_sections(path):
    """Yields the line (from 1) and the heading of each section, outside fenced code."""
    lines = path.read_text(errors="replace").splitlines()
    fenced = False
    for number, line in enumerate(lines, 1):
        if path.suffix == ".rst":
            below = lines[number] if number < len(lines) else ""
            if line.strip() and not line[0].isspace() and re.fullmatch(r"([=\-~^\"'+*#])\1{2,}\s*", below) and not re.fullmatch(r"([=\-~^\"'+*#])\1{2,}\s*", line) and len(below.strip()) >= len(line.strip()):
                yield number, strip_markup(line)
            continue
        if re.match(r" {0,3}(```|~~~)", line):
            fenced = not fenced
        heading = re.match(r" {0,3}#{1,4} +(.*?)\s*#*$", line)
        if heading and not fenced and strip_markup(heading.group(1)):
            yield number, strip_markup(heading.group(1))


def ask_headings(sections):
    """Yields the questions of the kinds `heading` and `question` with their answers."""
    by_text = {}
    for path, number, heading in sections:
        by_text.setdefault(heading.lower(), []).append({"file": path, "line": number})
    for heading, answers in by_text.items():
        if heading.endswith("?"):
            yield "question", heading, answers
        elif len(heading.split()) >= 4 and heading.isascii():
            yield "heading", heading, answers


def ask_terms(root, files, sections):
    """Yields the questions of the kind `term` with their answers."""
    starts = {}
    for path, number, heading in sections:
        starts.setdefault(path, []).append((number, heading))
    shown = {}
    for path in files:
        name, fenced, lines = path.relative_to(root).as_posix(), False, path.read_text(errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            if re.match(r" {0,3}(```|~~~)", line):
                fenced = not fenced
            before = [start for start in starts.get(name, []) if start[0] <= number]
            if fenced or line.startswith("    ") or not before:
                continue
            for term in re.findall(r"(?<![`:\w])``?([A-Za-z_][\w.-]{4,30})``?(?!`)", line):
                shown.setdefault(term, set()).add((name, *before[-1]))
    for term, places in shown.items():
        ((name, number, heading), *others) = sorted(places)
        if not others and term.lower() not in heading.lower():
            yield "term", f"where is {term} explained", [{"file": name, "line": number}]


def ask_links(root, files, sections):
    """Yields the questions of the kind `link` with their answers."""
    by_anchor = {(path, make_anchor(heading)): (number, heading) for path, number, heading in reversed(sections)}
    first = {path: (number, heading) for path, number, heading in reversed(sections)}
    for path in files:
        text = path.read_text(errors="replace")
        for paragraph in re.split(r"\n\s*\n", text):
            for sentence in re.split(r"(?<=[.!?])\s+", paragraph):
                for link in LINK.finditer(sentence):
                    target, _, anchor = link.group(2).partition("#")
                    if not target or re.match(r"\w+:|/", target):
                        continue
                    other = (path.parent / target).resolve()
                    if not other.is_file() or other == path.resolve() or not other.is_relative_to(root):
                        continue
                    name = other.relative_to(root).as_posix()
                    found = by_anchor.get((name, anchor)) if anchor else first.get(name)
                    if found is None:
                        continue
                    number, heading = found
                    asked = strip_markup(LINK.sub(lambda match: "" if strip_markup(match.group(1)).lower() == heading.lower() else match.group(1), sentence))
                    if len(asked.split()) >= 6 and asked.isascii() and len(asked) < 200:
                        yield "link", asked, [{"file": name, "line": number}]


def choose(repo, questions):
    """Yields the questions of each kind with the smallest hashes."""
    by_kind = {}
    for kind, text, answers in questions:
        by_kind.setdefault(kind, {})[text] = answers
    for kind, unique in sorted(by_kind.items()):
        order = sorted(unique, key=lambda text: hashlib.sha256(f"{repo} {kind} {text}".encode()).hexdigest())
        for text in order[:PER_KIND]:
            yield {"repo": repo, "kind": kind, "query": text, "answers": unique[text]}


def main():
    corpus = pathlib.Path(sys.argv[1]).resolve()
    chosen = []
    for repo, folder in REPOSITORIES.items():
        root = corpus / repo
        files = sorted(path for path in (root / folder).rglob("*") if path.suffix in {".md", ".rst", ".mdx"} and not SKIPPED.search(path.name))
        sections = [(path.relative_to(root).as_posix(), number, heading) for path in files for number, heading in read_sections(path)]
        chosen += choose(repo, [*ask_headings(sections), *ask_terms(root, files, sections), *ask_links(root, files, sections)])
    json.dump(chosen, sys.stdout, indent=1)
    print()


main()
