"""Builds the texts of `bombs_sources` from a language's pieces: the forms that make a parser take
more memory or time per byte than source does.

A text consists of lines that are short enough not to count as minified, so that Kenning parses it.
"""

import itertools
import json
import random
from functools import partial

# The repetitions of a short piece in one line, and the bytes of a line of longer ones. A file whose
# lines are longer than 250 bytes on average counts as minified.
PIECES_IN_LINE = 35
LINE_BYTES = 200
# A line that is just short enough not to count as minified, and the lines of padding that make the
# mean length small.
LONG_LINE_BYTES = 19_000
PADDING_LINES = 90
# The bytes that are removed from a sample: every n-th.
REMOVED_EVERY = (7, 31)
SOUP_WORDS_IN_LINE = 20


def texts_of(pieces, size, seed):
    """Yields the name of every form of a language, and a function that builds its text of about
    `size` bytes. Most texts of a run are never built."""
    generator = random.Random(f"{seed} {pieces.path} {size}")
    for piece in pieces.nest:
        yield f"nesting {piece!r}", partial(nest_pieces, [piece], pieces, size)
    for first, second in choose_pairs(pieces.nest, 4, generator):
        yield f"nesting {first!r} and {second!r}", partial(nest_pieces, [first, second], pieces, size)
    for link in pieces.links:
        yield f"chain {link!r}", partial(chain_links, link, pieces, size)
        yield f"chain in long lines {link!r}", partial(chain_links, link, pieces, size, LONG_LINE_BYTES)
    for member in pieces.wide:
        yield f"wide {member!r}", partial(repeat_members, member, "", size)
        yield f"wide within {member!r}", partial(repeat_members, member, pieces.head, size)
    for opener in pieces.opens:
        yield f"open {opener!r}", partial(repeat_openers, [opener], pieces, size)
        yield f"open in long lines {opener!r}", partial(repeat_openers, [opener], pieces, size, LONG_LINE_BYTES)
    for first, second in choose_pairs(pieces.opens, 12, generator):
        yield f"open {first!r} and {second!r}", partial(repeat_openers, [first, second], pieces, size)
    for closer, prefix in closers_before_prefixes(pieces):
        yield f"closer {closer!r} before {prefix!r}", partial(repeat_openers, [closer, prefix], pieces, size)
    for first, second in choose_pairs(words_of(pieces), 12, generator):
        yield f"words {first!r} and {second!r}", partial(repeat_openers, [f"{first} ", f"{second} "], pieces, size)
    for number in range(2):
        yield f"soup {number}", partial(mix_words, pieces, size, random.Random(f"{seed} {pieces.path} {number}"))
    for step in REMOVED_EVERY:
        yield f"sample without each {step}th", partial(thin_sample, pieces.sample, step, size)
    yield "sample", partial(repeat_to, pieces.sample, size)


def choose_pairs(pieces, count, generator):
    """Returns some pairs of different pieces."""
    pairs = list(itertools.permutations(pieces, 2))
    return generator.sample(pairs, min(count, len(pairs)))


def words_of(pieces):
    return list(dict.fromkeys(word for word in pieces.words.split(" ") if word))


def closers_before_prefixes(pieces):
    """Returns a closing bracket with each operator that precedes its operand. At such a bracket, a
    parser tries to complete all operators before it, again and again."""
    prefixes = [piece for piece in pieces.nest if "…" not in piece]
    return list(itertools.product(("} ", ") ", "] ", ", ", ": ", "{ "), prefixes))


def repeat_to(text, size):
    """Repeats a text up to `size` bytes."""
    return (text * (size // len(text.encode()) + 1))[:size]


def join_lines(pieces, line_bytes=None):
    """Joins pieces to lines. A long line is followed by lines that only lower the mean length."""
    lines, line, length = [], [], 0
    for piece in pieces:
        line.append(piece)
        length += len(piece)
        if length >= (line_bytes or LINE_BYTES) or (line_bytes is None and len(line) >= PIECES_IN_LINE):
            lines.append("".join(line))
            line, length = [], 0
    lines.append("".join(line))
    separator = "\n" if line_bytes is None else "\n" + "#\n" * PADDING_LINES
    return separator.join(lines)


def numbered(piece, number):
    return piece.replace("{n}", str(number))


def nest_pieces(nesting, pieces, size):
    """Returns levels that are opened and closed in turn."""
    halves = [piece.partition("…")[::2] for piece in nesting]
    bytes_of_levels = sum(len(before.encode()) + len(after.encode()) for before, after in halves)
    levels = list(itertools.islice(itertools.cycle(halves), size // max(1, bytes_of_levels) * len(halves)))
    opening = join_lines(before for before, _ in levels)
    closing = join_lines(after for _, after in reversed(levels))
    return f"{pieces.head}{opening}a{closing}{pieces.tail}"


def chain_links(link, pieces, size, line_bytes=None):
    """Returns a start that is continued by the same link again and again."""
    start, _, element = link.partition("|")
    count = size // max(1, len(element.encode()))
    return f"{pieces.head}{start}{join_lines([element] * count, line_bytes)}{pieces.tail}"


def repeat_members(member, head, size):
    """Returns many members with different names."""
    count = size // (len(member.encode()) + 3) + 1
    return head + "\n".join(numbered(member, number) for number in range(count))[:size]


def repeat_openers(openers, pieces, size, line_bytes=None):
    """Returns openers that are never closed."""
    count = size // sum(len(opener.encode()) for opener in openers)
    return pieces.head + join_lines(itertools.chain.from_iterable([openers] * count), line_bytes)


def mix_words(pieces, size, generator):
    """Returns words and signs of the language in a random order."""
    words = words_of(pieces)
    lines, length = [], 0
    while length < size:
        line = " ".join(generator.choices(words, k=SOUP_WORDS_IN_LINE))
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


def thin_sample(sample, step, size):
    """Returns a valid text from which every n-th byte was removed."""
    text = repeat_to(sample, size + size // step)
    return "".join(text[at : at + step - 1] for at in range(0, len(text), step))


def enclose(pieces, text):
    """Returns the content of the file, which is a notebook if the pieces belong into a cell."""
    if not pieces.cell:
        return text
    source = text.splitlines(keepends=True)
    cell = {"cell_type": pieces.cell, "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    if pieces.cell == "markdown":
        cell = {"cell_type": "markdown", "metadata": {}, "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
