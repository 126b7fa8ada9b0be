#!/usr/bin/env python3
"""Scores rendered packs by the edited lines of commits that they show
(bench/content/edited-lines.json).

    python3 bench/content/score.py CORPUS/commits PACKS.json [OTHER.json ...]
    python3 bench/content/score.py CORPUS/commits PACKS.json --csv NAME --repos flask > rows.csv

PACKS.json is {budget: {task: {"tokens": n, "text": "..."}}}, as `kenning eval --packs` writes it.
Per budget:

* `lines`: mean over the tasks of the share of edited lines that the text shows;
* `any`: share of the tasks for which the text shows at least one edited line;
* `tests`: of the tasks whose commit edited test files, the share for which the text shows any
  symbol of one of them;
* `used`: mean share of the budget that the text uses; `over`: number of texts over the budget.
* `tokens`: median tokens of a text; `first`: median tokens before the first edited line that the
  text shows, where a text that shows none counts as longer than every other.

A shown line must be below the path of its file. If the text has line numbers (`path:line`,
`lines 3-9`, `⋮ lines 212-243`), the number decides; otherwise, as in the maps of other tools, the text
of the line does. Lines with fewer than three letters or digits do not count, because a closing
bracket matches anywhere.
"""
import argparse
import json
import math
import re
import statistics
from functools import lru_cache
from pathlib import Path

EDITED = Path(__file__).parent / "edited-lines.json"
TASKS = Path(__file__).parent.parent / "commits" / "tasks.json"
ITEM = re.compile(r"^- `+ ?(.+?):(\d+) ?`+ (.*)$")
FILE = re.compile(r"^#{3,4} `+ ?(.+?) ?`+$")
FIRST_LINE = re.compile(r"[(,] ?lines? (\d+)")
GAP = re.compile(r"^\s*⋮ lines? (\d+)(?:-(\d+))?")
# The marks of earlier versions.
COUNTED_GAP = re.compile(r"^\s*⋮ ([\d,]+) lines?")
FENCE = re.compile(r"^(`{3,})")
# Maps of aider and similar tools: a line with a path, then lines of its text after a bar.
MAP_FILE = re.compile(r"^([\w./@+-]+\.\w+):$")


def normalize(line):
    """Returns a line without the blanks, bars and closing punctuation that signatures and maps
    leave out."""
    return re.sub(r"\s+", " ", line.strip().lstrip("│").strip()).rstrip("{:;, ")


class ShownContent:
    """The content that a text shows: line numbers by file, texts of lines by file, and the
    files."""

    def __init__(self, text):
        self.numbers, self.texts, self.files = {}, {}, set()
        # The place in the text of each line that is shown by its number, in characters.
        self.places = {}
        file, number, fence, place = None, None, None, 0
        for line in text.splitlines():
            place += len(line) + 1
            if fence:
                if line.startswith(fence) and not line[len(fence) :].strip():
                    fence, number = None, None
                    continue
                gap, counted = GAP.match(line), COUNTED_GAP.match(line)
                if gap:
                    number = int(gap.group(2) or gap.group(1)) + 1
                elif counted:
                    number = None if number is None else number + int(counted.group(1).replace(",", ""))
                elif number is not None:
                    self.numbers.setdefault(file, set()).add(number)
                    self.places.setdefault((file, number), place)
                    number += 1
                else:
                    self.texts.setdefault(file, set()).add(normalize(line))
                continue
            item, heading, mapped = ITEM.match(line), FILE.match(line), MAP_FILE.match(line)
            if item:
                file = item.group(1)
                self.files.add(file)
                self.numbers.setdefault(file, set()).add(int(item.group(2)))
                first = FIRST_LINE.search(item.group(3))
                number = int(first.group(1)) if first else int(item.group(2))
            elif heading:
                file = heading.group(1)
            elif mapped:
                file, number = mapped.group(1), None
                self.files.add(file)
            elif FENCE.match(line) and file:
                fence = FENCE.match(line).group(1)
            elif line.startswith("│") and file:
                self.texts.setdefault(file, set()).add(normalize(line))

    def shows(self, file, number, text):
        """Whether the text shows a line."""
        return number in self.numbers.get(file, ()) or normalize(text) in self.texts.get(file, ())

    def first_place(self, lines):
        """Returns the place of the first of these lines, in characters; infinity if none is
        shown."""
        return min((self.places.get(line[:2], math.inf) for line in lines), default=math.inf)


@lru_cache(maxsize=None)
def read_lines(path):
    return path.read_text(errors="replace").splitlines()


def counted_lines(tree, files):
    """Yields the edited lines that count, as file, number and text."""
    for file, found in files.items():
        lines = read_lines(tree / file)
        for first, last in found:
            for number in range(first, last + 1):
                if number <= len(lines) and len(re.findall(r"\w", lines[number - 1])) >= 3:
                    yield file, number, lines[number - 1]


def score(corpus, texts, budget, only=""):
    """Returns the figures of the texts at a budget; with `only`, of the tasks of these
    repositories."""
    edited = json.loads(EDITED.read_text())
    repos = {task["id"]: task["repo"] for task in json.loads(TASKS.read_text())}
    shares, found_tests, firsts, over = [], [], [], 0
    if only:
        texts = {task: text for task, text in texts.items() if repos[task] in only.split(",")}
    for task, rendered in texts.items():
        over += rendered["tokens"] > budget
        shown, tree = ShownContent(rendered["text"]), corpus / repos[task]
        lines = list(counted_lines(tree, edited[task]["lines"]))
        if lines:
            shares.append(sum(shown.shows(*line) for line in lines) / len(lines))
            # A text has about the same number of characters per token everywhere.
            firsts.append(shown.first_place(lines) * rendered["tokens"] / max(len(rendered["text"]), 1))
        if edited[task]["tests"]:
            found_tests.append(any(file in shown.files for file in edited[task]["tests"]))
    mean = lambda values: sum(values) / max(len(values), 1)
    return {
        "lines": mean(shares),
        "any": mean([share > 0 for share in shares]),
        "tests": mean(found_tests),
        "used": mean([rendered["tokens"] / budget for rendered in texts.values()]),
        "over": over,
        "tokens": statistics.median(rendered["tokens"] for rendered in texts.values()),
        "first": statistics.median(firsts),
        "tasks": len(shares),
        "tests_tasks": len(found_tests),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("packs", type=Path, nargs="+")
    parser.add_argument("--csv", help="print CSV rows with this variant name")
    parser.add_argument("--repos", default="", help="score the tasks of these repositories only, comma-separated")
    args = parser.parse_args()
    for path in args.packs:
        if not args.csv:
            print(f"{path.stem}\n  {'budget':>8} {'lines':>7} {'any':>7} {'tests':>7} {'used':>7} {'over':>5} {'tokens':>7} {'first':>7}  (tasks, with tests)")
        for budget, texts in sorted(json.loads(path.read_text()).items(), key=lambda item: int(item[0])):
            row = score(args.corpus, texts, int(budget), args.repos)
            if args.csv:
                for figure in ("lines", "any", "tests", "used", "over", "tokens", "first"):
                    print(f"{args.csv},{args.repos or 'all'},{budget},{figure},{row[figure]:.4f},{row['tests_tasks' if figure == 'tests' else 'tasks']}")
            else:
                print(
                    f"  {budget:>8} {row['lines']:7.3f} {row['any']:7.3f} {row['tests']:7.3f} {row['used']:7.3f}"
                    f" {row['over']:5} {row['tokens']:7.0f} {row['first']:7.0f}  ({row['tasks']}, {row['tests_tasks']})"
                )


if __name__ == "__main__":
    main()
