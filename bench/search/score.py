#!/usr/bin/env python3
"""Scores searches, ripgrep and plain BM25 on a set of questions.

  bench/search/score.py KENNING CORPUS bench/search/code.json --csv bench/results/search-code.csv
  bench/search/score.py KENNING CORPUS bench/search/docs.json --csv bench/results/search-docs.csv

Computes NDCG@10, MRR@10 and hit@5. Relevance is binary; results are files for questions about code,
and sections for questions about documents. Intervals come from 1,000 bootstrap samples
of the questions.

* kenning-*: `kenning search`, without a minimum score, because the other systems have none.
* bm25: BM25 (k1 = 1.2, b = 0.75) over the lowercase words of whole files, split at case and
  underscores. It covers the files that Kenning indexes by their extensions. For questions about
  documents, it ranks the texts from one heading to the next.
* ripgrep: files by the number of different words of the question that they contain (`rg -ic`), then
  by matching lines.
"""
import argparse
import collections
import csv
import json
import math
import pathlib
import random
import re
import subprocess

WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# Words that appear in questions regardless of their answers.
STOP_WORDS = {"where", "is", "defined", "how", "does", "work", "which", "file", "the", "a", "an", "of", "in", "to", "and", "or", "for", "when", "all", "on", "with", "by", "not", "do"}
DOCUMENT_SUFFIXES = set(".md .mdx .markdown .rst .adoc .ipynb".split())
CODE_SUFFIXES = set(".py .go .rs .ts .tsx .js .jsx .mjs .java .rb .cs .scala .kt .c .h .cpp .vue .svelte .sh .proto .sql".split())
# Maximum number of results that count.
MAX_RESULTS = 10


def split_words(text):
    return [word.lower() for word in WORDS.findall(text)]


class SearchableTree:
    """A repository with an index for BM25."""

    def __init__(self, root, documents):
        self.root = root
        listed = subprocess.run(["rg", "--files"], cwd=root, capture_output=True, text=True, check=True)
        listed = sorted(listed.stdout.splitlines())
        if documents:
            paths = [path for path in listed if pathlib.PurePath(path).suffix in DOCUMENT_SUFFIXES]
            texts = dict(part for path in paths for part in self.split_sections(path))
        else:
            texts = {path: self.read(path) for path in listed if pathlib.PurePath(path).suffix in CODE_SUFFIXES}
        self.paths = sorted(texts)
        self.counts = [collections.Counter(split_words(texts[path])) for path in self.paths]
        self.lengths = [sum(counts.values()) for counts in self.counts]
        self.frequency = collections.Counter(word for counts in self.counts for word in counts)

    def read(self, path):
        return f"{path} " + (self.root / path).read_text(errors="replace")

    def split_sections(self, path):
        """Yields the location and the text of each section, from its heading to the next."""
        lines = self.read(path).splitlines()
        starts = [number for number, line in enumerate(lines) if self.is_heading(path, lines, number)]
        for start, end in zip(starts, [*starts[1:], len(lines)]):
            yield f"{path}:{start + 1}", "\n".join(lines[start:end])

    @staticmethod
    def is_heading(path, lines, number):
        if path.endswith(".rst"):
            below = lines[number + 1] if number + 1 < len(lines) else ""
            return bool(lines[number].strip()) and bool(re.fullmatch(r"([=\-~^\"'+*#])\1{2,}\s*", below))
        return bool(re.match(r" {0,3}#{1,4} ", lines[number]))

    def rank_by_bm25(self, query):
        """Returns the best paths by BM25."""
        mean = sum(self.lengths) / max(len(self.lengths), 1)
        scores = []
        for path, counts, length in zip(self.paths, self.counts, self.lengths):
            score = 0
            for word in set(split_words(query)):
                count, frequency = counts[word], self.frequency[word]
                if count:
                    idf = math.log(1 + (len(self.paths) - frequency + 0.5) / (frequency + 0.5))
                    score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))
            scores.append((-score, path))
        return [path for score, path in sorted(scores)[:MAX_RESULTS] if score < 0]

    def rank_by_ripgrep(self, query):
        """Returns the best paths by the words that ripgrep finds."""
        words = sorted({word.lower() for word in re.findall(r"\w+", query)} - STOP_WORDS)
        found = collections.Counter()
        lines = collections.Counter()
        for word in words:
            listed = subprocess.run(["rg", "-ic", "--fixed-strings", word], cwd=self.root, capture_output=True, text=True)
            for line in listed.stdout.splitlines():
                path, count = line.rsplit(":", 1)
                found[path] += 1
                lines[path] += int(count)
        return sorted(found, key=lambda path: (-found[path], -lines[path], path))[:MAX_RESULTS]


def search(kenning, tree, query, scope, mode):
    """Returns the best paths, or locations in documents, of `kenning search`."""
    command = [kenning, "search", "--refresh", "never", "--json", "--scope", scope, "--mode", mode, "--min-score", "0", "-n", "60", "--top-k", "60", "--bfs-depth", "0", query]
    answer = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True)
    hits = json.loads(answer.stdout)["hits"]
    found = [f"{hit['file']}:{hit['line']}" if scope == "docs" else hit["file"] for hit in hits]
    return list(dict.fromkeys(found))[:MAX_RESULTS]


def score_ranking(results, relevant):
    """Returns the metrics of a ranking, given the relevant results."""
    gains = [1 if result in relevant else 0 for result in results]
    ideal = sum(1 / math.log2(at + 2) for at in range(min(len(relevant), MAX_RESULTS)))
    first = next((at for at, gain in enumerate(gains) if gain), None)
    return {
        "NDCG@10": sum(gain / math.log2(at + 2) for at, gain in enumerate(gains)) / ideal,
        "MRR": 0 if first is None else 1 / (first + 1),
        "hit@5": float(any(gains[:5])),
    }


def bootstrap_interval(values):
    """Returns the bounds of the 95% bootstrap interval of a mean."""
    generator = random.Random(7)
    means = sorted(sum(generator.choices(values, k=len(values))) / len(values) for _ in range(1000))
    return means[25], means[974]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kenning")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("questions", type=pathlib.Path)
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--repos", default="")
    parser.add_argument("--modes", default="hybrid,keyword", help="vector needs a model in each repository's kenning.toml")
    options = parser.parse_args()
    kenning = str(pathlib.Path(options.kenning).resolve())
    questions = json.loads(options.questions.read_text())
    wanted = options.repos.split(",") if options.repos else sorted({question["repo"] for question in questions})
    scores = collections.defaultdict(list)
    for repo in wanted:
        documents = "answers" in questions[0]
        tree = SearchableTree(options.corpus / repo, documents)
        subprocess.run([kenning, "index"], cwd=tree.root, capture_output=True, check=True)
        for question in (question for question in questions if question["repo"] == repo):
            text = question["query"]
            if documents:
                relevant = {f"{answer['file']}:{answer['line']}" for answer in question["answers"]}
                found = {"bm25": tree.rank_by_bm25(text)}
            else:
                relevant = set(question["files"])
                found = {"bm25": tree.rank_by_bm25(text), "ripgrep": tree.rank_by_ripgrep(text)}
            for scope in ("docs",) if documents else ("files", "code"):
                for mode in options.modes.split(","):
                    found[f"kenning-{scope}-{mode}"] = search(kenning, tree.root, text, scope, mode)
            for system, results in found.items():
                for metric, value in score_ranking(results, relevant).items():
                    for kind in (question["kind"], "all"):
                        scores[kind, system, metric].append(value)
    rows = []
    for (kind, system, metric), values in sorted(scores.items()):
        low, high = bootstrap_interval(values)
        rows.append([kind, system, metric, len(values), f"{sum(values) / len(values):.4f}", f"{low:.4f}", f"{high:.4f}"])
        if metric == "NDCG@10":
            print(*rows[-1])
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["kind", "system", "metric", "questions", "mean", "lo", "hi"])
            writer.writerows(rows)


main()
