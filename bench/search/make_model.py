#!/usr/bin/env python3
"""Learns a small model for vectors from the text of folders, and writes it in the format of
model2vec.

  bench/search/make_model.py --output models/own FOLDER...

The vector of a word comes from the words near it (latent semantic analysis): counts of neighbors
within WINDOW words, positive pointwise mutual information, and the DIMENSIONS greatest singular
vectors, weighted down for frequent words (Arora and others 2017). Equal texts give equal models.
The model knows only the words of the folders, so a published model is better for questions in other
words. Needs numpy.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import struct

import numpy

WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
SUFFIXES = set(
    ".py .go .rs .ts .tsx .js .jsx .java .rb .cs .scala .kt .c .h .cpp .sh .proto .sql .md .mdx .rst .adoc .txt".split()
)
# Maximum distance of two words that count as neighbors.
WINDOW = 6
# Length of a vector.
DIMENSIONS = 128
# Number of words with a vector, number of words whose neighborhood counts, and least frequency of a
# word.
VOCABULARY = 20_000
CONTEXTS = 1_500
MIN_COUNT = 3
# The parameter `a` of Arora and others, which weights frequent words down.
FREQUENCY = 1e-3
# Files of more bytes are mostly generated. More words take longer and hardly change the vectors.
MAX_FILE_BYTES = 500_000
MAX_WORDS = 4_000_000


def read_words(folders):
    """Yields the words of all files in the order of their paths."""
    for folder in folders:
        for root, names, files in os.walk(folder):
            names[:] = sorted(name for name in names if not name.startswith(".") and name != "node_modules")
            for name in sorted(files):
                path = pathlib.Path(root, name)
                if path.suffix in SUFFIXES and path.stat().st_size <= MAX_FILE_BYTES:
                    for word in WORDS.findall(path.read_text(errors="replace")):
                        yield word.lower()


def learn_vectors(words):
    """Returns the vocabulary and a row for each of its words."""
    counts = collections.Counter(words)
    vocabulary = sorted(counts, key=lambda word: (-counts[word], word))[:VOCABULARY]
    vocabulary = [word for word in vocabulary if counts[word] >= MIN_COUNT]
    number = {word: at for at, word in enumerate(vocabulary)}
    ids = numpy.array([number[word] for word in words if word in number], dtype=numpy.int64)
    contexts = min(CONTEXTS, len(vocabulary))
    near = numpy.zeros(len(vocabulary) * contexts, dtype=numpy.float32)
    for distance in range(1, WINDOW + 1):
        for left, right in [(ids[:-distance], ids[distance:]), (ids[distance:], ids[:-distance])]:
            pairs = left[right < contexts] * contexts + right[right < contexts]
            near += numpy.bincount(pairs, minlength=near.size).astype(numpy.float32)
    near = near.reshape(len(vocabulary), contexts)
    rows, columns = near.sum(axis=1, keepdims=True), near.sum(axis=0, keepdims=True) ** 0.75
    with numpy.errstate(divide="ignore", invalid="ignore"):
        information = numpy.log(near * columns.sum() / (rows * columns))
    information = numpy.maximum(numpy.nan_to_num(information, neginf=0.0), 0.0)
    values, vectors = numpy.linalg.eigh(information.T @ information)
    best = numpy.argsort(-values)[:DIMENSIONS]
    table = information @ vectors[:, best] / numpy.maximum(values[best], 1e-9) ** 0.25
    table -= table.mean(axis=0)
    frequency = numpy.array([counts[word] for word in vocabulary]) / len(words)
    return vocabulary, table * (FREQUENCY / (FREQUENCY + frequency))[:, None]


def write_model(folder, vocabulary, table):
    folder.mkdir(parents=True, exist_ok=True)
    ids = {"[UNK]": 0} | {word: at + 1 for at, word in enumerate(vocabulary)}
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": ids, "unk_token": "[UNK]"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}))
    rows = numpy.vstack([numpy.zeros((1, table.shape[1])), table]).astype("<f4")
    data = rows.tobytes()
    header = {"embeddings": {"dtype": "F32", "shape": list(rows.shape), "data_offsets": [0, len(data)]}}
    header = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--output", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    words = []
    for word in read_words(arguments.folders):
        words.append(word)
        if len(words) == MAX_WORDS:
            break
    vocabulary, table = learn_vectors(words)
    write_model(arguments.output, vocabulary, table)
    print(f"{len(vocabulary)} words of {len(words)}, {table.shape[1]} numbers each")


if __name__ == "__main__":
    main()
