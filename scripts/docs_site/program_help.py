"""Asks the program `kenning` for the help of its commands."""

import dataclasses
import functools
import os
import re
import subprocess

from docs_site import pages

# Sections of a help text begin at the first column: `Usage: kenning ...`, `Options:`, `Examples:`.
SECTION = re.compile(r"^(?:(?P<usage>Usage): (?P<rest>.*)|(?P<name>[A-Z][A-Za-z ]+):)$")
ENTRY = re.compile(r"^ {2,6}(?P<term>(?:-|<|\[|[a-z])\S*(?: \S+)*?)(?: {2,}(?P<text>\S.*))?$")


# The sections of the overview that list no commands. The others are groups of commands.
OTHER_SECTIONS = ("Usage", "Example", "Options", "Documentation")


class MissingProgram(Exception):
    """The program does not exist, or lacks the help of a command."""


@dataclasses.dataclass
class CommandHelp:
    """The help text of one command, by section."""

    words: tuple
    about: str
    sections: dict

    def subcommands(self):
        """Returns the names of the command's subcommands. The program lists its own in groups."""
        groups = ["Commands"] if self.words else [name for name in self.sections if name not in OTHER_SECTIONS]
        terms = (term for group in groups for term, _ in entries(self.sections.get(group, [])))
        return [name for name in terms if name != "help"]

    def flags(self):
        """Returns the flags that the command accepts, such as `--root` and `-v`."""
        terms = (term for term, _ in entries(self.sections.get("Options", [])))
        return {flag for term in terms for flag in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", term)}


def find_program(given):
    """Returns the path of the program: the given one, `$KENNING`, or the debug build of this
    checkout."""
    target = os.environ.get("CARGO_TARGET_DIR") or pages.ROOT / "target"
    candidates = [given, os.environ.get("KENNING"), os.path.join(target, "debug", "kenning")]
    path = next(candidate for candidate in candidates if candidate)
    if not os.path.isfile(path):
        raise MissingProgram(f"{path} does not exist; build it (cargo build) or name another with --program")
    return os.path.abspath(path)


@functools.cache
def help_text(program, words=()):
    """Returns the output of `kenning COMMAND --help`, or None if there is no such command."""
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "SYSTEMROOT", "TEMP")}
    run = subprocess.run(
        ["kenning", *words, "--help"], executable=program, env=environment, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    return run.stdout if run.returncode == 0 else None


@functools.cache
def command_help(program, words=()):
    """Returns the parsed help of a command, or None if there is no such command."""
    text = help_text(program, words)
    if text is None:
        return None
    about, sections, current = [], {}, None
    for line in text.rstrip().split("\n"):
        match = SECTION.match(line)
        if match:
            current = sections.setdefault(match["usage"] or match["name"], [])
            if match["rest"]:
                current.append(match["rest"])
        elif current is None:
            about.append(line)
        else:
            current.append(line)
    return CommandHelp(words, "\n".join(about).strip(), sections)


def all_commands(program, words=()):
    """Yields the help of each command and subcommand, in the order of the program."""
    found = command_help(program, words)
    if found is None:
        raise MissingProgram(f"{program} has no help for {' '.join(('kenning', *words))}")
    if words:
        yield found
    for name in found.subcommands():
        yield from all_commands(program, (*words, name))


def entries(lines):
    """Yields the terms of a section with the lines that describe them."""
    term, text = None, []
    for line in lines:
        match = ENTRY.match(line)
        if match:
            if term is not None:
                yield term, text
            term, text = match["term"], [match["text"]] if match["text"] else []
        elif term is not None:
            text.append(line.strip())
    if term is not None:
        yield term, text
