"""Checks the code in documents: commands of `kenning` must exist with their flags, TOML and JSON
must parse."""

import json
import re
import shlex
import tomllib

from docs_site import markdown, pages, program_help

SHELL = ("sh", "bash", "shell", "console", "zsh")
# Documents that describe earlier versions.
HISTORY = ("CHANGELOG.md",)
# Runs of the program under another name, as in `cargo run --release -- pack "..."`.
CARGO_RUN = re.compile(r"cargo run(?: --release)? -- ")
# A word of punctuation ends a command of a shell line. A word with a separator begins another
# command.
PUNCTUATION = set("();<>|&")
SEPARATORS = set("(|&;")
# The parts of flags, commands and placeholders in synopses: `[--root R]`, `seeds\|fts`, `FILE...`.
SYNOPSIS = re.compile(r"[\[\]]|\.\.\.")
PLACEHOLDER = re.compile(r"^(?:<.*|[A-Z][A-Z_]*|\{.*|\.\.\.|…)$")


def check_documents(program):
    """Yields a finding for each wrong block or command of a document."""
    for document in pages.list_documents():
        if document in HISTORY:
            continue
        blocks, prose = markdown.split_code(pages.read_file(document))
        for block in blocks:
            for line, problem in check_block(block, program):
                yield f"{document}:{line}: {problem}"
        for line, code in markdown.inline_code(prose):
            if re.match(r"kenning [a-z]", code):
                for problem in check_command(split_synopsis(code)[1:], program):
                    yield f"{document}:{line}: `{code}`: {problem}"


def check_block(block, program):
    """Yields the line and the problem of each error in a code block."""
    language = re.split(r"[ ,{]", block.language)[0].lower()
    if language in SHELL:
        for number, line in enumerate(joined_lines(block.text), block.line):
            # A console shows commands after a prompt, and their output.
            if language == "console" and not line.startswith("$ "):
                continue
            for words in find_commands(line):
                for problem in check_command(words, program):
                    yield number, problem
    elif language == "toml":
        yield from parse_block(block, tomllib.loads, "TOML")
    elif language == "json":
        yield from parse_block(block, json.loads, "JSON")


def parse_block(block, parse, name):
    """Yields the error of a block that cannot be parsed."""
    try:
        parse(block.text)
    except ValueError as error:
        yield block.line, f"no valid {name}: {error}"


def joined_lines(text):
    """Yields the lines of a shell block, with continued lines joined and empty lines in their
    place."""
    held = ""
    for line in text.split("\n"):
        if line.endswith("\\"):
            held += line[:-1]
            yield ""
        else:
            yield held + line
            held = ""


def find_commands(line):
    """Yields the arguments of each call of `kenning` in a shell line."""
    line = CARGO_RUN.sub("kenning ", line.strip().removeprefix("$ "))
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.commenters = "#"
        words = list(lexer)
    except ValueError:
        return
    start = None
    for index, word in enumerate([*words, ";"]):
        if start is not None and set(word) <= PUNCTUATION:
            yield words[start:index]
            start = None
        elif start is None and re.fullmatch(r"(?:\S*/)?kenning", word) and (index == 0 or begins_command(words[index - 1])):
            start = index + 1


def begins_command(word):
    """Whether a command may follow a word: punctuation such as `|` and `<(`, or a variable that is
    set for it."""
    return (set(word) <= PUNCTUATION and bool(set(word) & SEPARATORS)) or "=" in word


def split_synopsis(code):
    """Splits inline code that may be a synopsis."""
    try:
        return shlex.split(SYNOPSIS.sub(" ", code.replace("\\|", "|")))
    except ValueError:
        return SYNOPSIS.sub(" ", code).split()


def check_command(words, program):
    """Yields the problems with the arguments of a call of `kenning`: unknown commands and flags."""
    chain, known = (), program_help.command_help(program, ())
    for word in words:
        alternatives = word.split("|")
        if known.subcommands() and not word.startswith("-"):
            missing = [name for name in alternatives if name not in (*known.subcommands(), "help") and not PLACEHOLDER.match(name)]
            if missing:
                yield f"kenning has no command '{' '.join((*chain, missing[0]))}'"
                return
            if alternatives[0] == "help" or PLACEHOLDER.match(alternatives[0]):
                return
            chain = (*chain, alternatives[0])
            known = program_help.command_help(program, chain)
        elif word == "--":
            return
        elif " " in word:
            continue
        elif re.match(r"--?[a-z]", word):
            flag = re.match(r"--?[\w-]+", word)[0]
            if flag not in known.flags() and not is_flag_group(flag, known):
                yield f"'{' '.join(('kenning', *chain))}' has no flag {flag}"


def is_flag_group(word, known):
    """Whether a word combines several short flags, such as `-vq`."""
    return not word.startswith("--") and all(f"-{letter}" in known.flags() for letter in word[1:])
