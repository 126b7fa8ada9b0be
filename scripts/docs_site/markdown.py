"""Reads the parts of Markdown that the checks need: code blocks, inline code, links, headings."""

import dataclasses
import re

FENCE = re.compile(r"^ {0,3}(?P<marker>`{3,}|~{3,}) *(?P<info>[^`\n]*)$")
INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
# [text](target), ![text](target "title"); the text may contain one pair of brackets.
INLINE_LINK = re.compile(r"(?P<open>!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\()(?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?P<close>(?:\s+\"[^\"]*\")?\))")
REFERENCE = re.compile(r"^(?P<open> {0,3}\[[^\]]+\]: +)(?P<target>\S+)(?P<close>)", re.MULTILINE)
HTML_LINK = re.compile(r"(?P<open><(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)=\")(?P<target>[^\"]*)(?P<close>\")")
LINKS = (INLINE_LINK, REFERENCE, HTML_LINK)
HEADING = re.compile(r"^ {0,3}(#{1,6}) +(.+?) *#* *$")
HTML_ID = re.compile(r"<[a-z]+\b[^>]*?\b(?:id|name)=\"([^\"]+)\"")


@dataclasses.dataclass(frozen=True)
class CodeBlock:
    """A fenced code block with its language and the number of its first line."""

    language: str
    text: str
    line: int


def split_code(text):
    """Returns the code blocks of a text, and the text with its code blocks blanked.

    Every line keeps its number and its length, so that positions are the same in both.
    """
    blocks, kept = [], []
    marker, language, lines, first = None, "", [], 0
    for number, line in enumerate(text.split("\n"), 1):
        match = FENCE.match(line)
        if marker is None and match:
            marker, language, lines, first = match["marker"], match["info"].strip(), [], number + 1
            kept.append(" " * len(line))
        elif marker is None:
            kept.append(line)
        elif match and match["marker"].startswith(marker) and not match["info"].strip():
            blocks.append(CodeBlock(language, "\n".join(lines), first))
            marker = None
            kept.append(" " * len(line))
        else:
            lines.append(line)
            kept.append(" " * len(line))
    if marker is not None:
        blocks.append(CodeBlock(language, "\n".join(lines), first))
    return blocks, "\n".join(kept)


def blank_inline_code(prose):
    """Replaces inline code with blanks of the same length."""
    return INLINE_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), prose)


def inline_code(prose):
    """Yields the inline code of a text without code blocks, with line numbers."""
    for match in INLINE_CODE.finditer(prose):
        yield prose.count("\n", 0, match.start()) + 1, " ".join(match[2].split())


def find_links(text):
    """Yields the line and the target of each link and image outside code."""
    prose = blank_inline_code(split_code(text)[1])
    for pattern in LINKS:
        for match in pattern.finditer(prose):
            yield prose.count("\n", 0, match.start("target")) + 1, match["target"]


def replace_links(text, rewrite):
    """Returns the text with `rewrite(target)` in place of the target of each link outside code."""
    prose = blank_inline_code(split_code(text)[1])
    edits = []
    for pattern in LINKS:
        edits += [(match.span("target"), rewrite(match["target"])) for match in pattern.finditer(prose)]
    for (start, end), target in sorted(edits, reverse=True):
        text = text[:start] + target + text[end:]
    return text


def heading_anchors(text):
    """Returns the anchors of a document: the ids in HTML, and the anchors that GitHub and mdBook
    give to its headings."""
    prose = split_code(text)[1]
    anchors, counts = set(HTML_ID.findall(prose)), {}
    for line in prose.split("\n"):
        if match := HEADING.match(line):
            anchor = make_anchor(match[2])
            count = counts.get(anchor, 0)
            counts[anchor] = count + 1
            anchors.add(f"{anchor}-{count}" if count else anchor)
    return anchors


def make_anchor(heading):
    """Returns the anchor of a heading: lower case, hyphens for blanks, no other punctuation."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")
