"""Checks that files of a workspace are read within limits: F4, F9, F10, F16, F18."""

import os
import random
import zlib

from ..lab import MODEST_MEGABYTES
from .outcome import require

ALPHA = "def alpha():\n    return 1\n"
IGNORE_FILES = (".gitattributes", ".gitignore", ".ignore")
GIT_FILES = ("HEAD", "config", "index", "packed-refs", "info/exclude")


def expect_bounded(run, what, memory=MODEST_MEGABYTES):
    """Requires that a command ended properly and used modest memory."""
    require(run.is_orderly() and run.peak_megabytes < memory, f"{what}: {run.describe()}")


def links_and_pipes_are_read_within_bounds(context):
    """Endless or blocking ignore files and files of git are not read to the end."""
    for name in IGNORE_FILES:
        case = context.case(f"zero{name}")
        case.write("a.py", ALPHA)
        (case.workspace / name).symlink_to("/dev/zero")
        expect_bounded(case.run("index", timeout=20), f"{name} as a link to /dev/zero")
    for name in IGNORE_FILES:
        case = context.case(f"pipe{name}")
        case.write("a.py", ALPHA)
        os.mkfifo(case.workspace / name)
        expect_bounded(case.run("index", timeout=10), f"{name} as a pipe")
    for name in GIT_FILES:
        case = context.case(f"git-{name.replace('/', '-')}")
        case.write("a.py", ALPHA)
        case.commit()
        path = case.workspace / ".git" / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        expect_bounded(case.run("index", timeout=10), f".git/{name} as a pipe")
    case = context.case("patterns")
    case.write("a.py", ALPHA)
    case.write(".gitignore", "".join(f"{'*a' * 60}{index}\n" for index in range(20_000)))
    expect_bounded(case.run("index", timeout=60), "20,000 patterns in .gitignore")


def a_short_git_index_does_not_panic(context):
    """A .git/index that a power cut left empty or short causes no panic."""
    for length in (0, 3, 12, 19):
        case = context.case(f"index-{length}")
        case.write("a.py", ALPHA)
        case.commit()
        path = case.workspace / ".git/index"
        path.write_bytes(path.read_bytes()[:length])
        for command in ("index", "changes", "tests"):
            run = case.run(command)
            require(run.is_orderly(), f"`{command}` with {length} bytes of .git/index: {run.describe()}")


def exclude_patterns_stop_no_command(context):
    """No number of exclude patterns in a kenning.toml stops a command."""
    lists = {
        "stars": ['"' + "*a" * 100 + f'{index}"' for index in range(3000)],
        "many": [f'"generated/part_{index}/**"' for index in range(40_000)],
    }
    for name, patterns in lists.items():
        case = context.case(f"exclude-{name}")
        case.write("a.py", ALPHA)
        case.write("kenning.toml", f"[index]\nexclude = [{', '.join(patterns)}]\n")
        run = case.run("pack", "alpha", timeout=60)
        require(run.status == 0 and "alpha" in run.out, f"{len(patterns)} patterns, `pack`: {run.describe()}")
        require(len(run.err) < 10_000, f"{len(patterns)} patterns: a message of {len(run.err)} bytes")
        expect_bounded(run, f"{len(patterns)} patterns")


def objects_are_inflated_within_bounds(context):
    """A git object that inflates a thousandfold is not inflated completely into memory."""
    case = context.case("inflate")
    case.write("a.py", ALPHA)
    case.commit()
    name = "c" * 40
    write_object(case.workspace / ".git", name, b"commit 2000000000\0" + bytes(300_000_000))
    (case.workspace / ".git/refs/heads/main").write_text(f"{name}\n", encoding="utf-8")
    expect_bounded(case.run("index", timeout=60), "a commit of 300 MB in 290 KB")


def write_object(git_folder, name, content):
    """Writes a loose object under a name that need not be its hash."""
    path = git_folder / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(content, 9))


def lack_of_memory_ends_with_a_message(context):
    """If memory does not suffice, the command reports it in one line, however it ends."""
    case = context.case("memory")
    generator = random.Random(18)
    for index in range(60):
        names = [f"name_{generator.randrange(10**6)}" for _ in range(600)]
        case.write(f"m{index}.py", "".join(f"def {name}(value):\n    return {names[0]}(value)\n\n\n" for name in names))
    minimum = find_min_address_space(case)
    # Start with barely enough and end with enough for a little work. With less, the C library ends
    # the process.
    for extra in range(16, 144, context.choose(8, 16)):
        run = case.run("index", timeout=60, wrapper=limited_shell(minimum + extra))
        is_reported = any(line.startswith("kenning: ") and "memory" in line for line in run.err.splitlines())
        is_sound = run.is_orderly() or (is_reported and "panicked" not in run.err)
        require(is_sound, f"with {minimum + extra} MB of address space ({minimum} to start): {run.describe()}")


def limited_shell(megabytes):
    """Returns the start of a command line that limits the address space of the rest of the line."""
    return ("sh", "-c", f'ulimit -v {megabytes * 1024}; exec "$0" "$@"')


def find_min_address_space(case):
    """Returns the address space in megabytes that the program needs to print its version."""
    for megabytes in range(16, 4096, 8):
        if case.lab.run("--version", wrapper=limited_shell(megabytes)).status == 0:
            return megabytes
    raise ValueError("the program does not start with 4 GB of address space")
