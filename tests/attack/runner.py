"""The command scripts/attack: runs attacks one after the other and reports their results."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass

from . import (
    agents,
    bombs,
    commands,
    concurrency,
    cycles,
    damage,
    deletion,
    edits,
    faulty_servers,
    files,
    kills,
    markup,
    mcp_http,
    protocol,
    regressions,
    soak,
    sockets,
    storage_locations,
    terminal,
    trust,
)
from .context import AttackContext, Settings

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

ATTACKS = {
    "regressions": regressions.run,
    "trust": trust.run,
    "kills": kills.run,
    "damage": damage.run,
    "deletion": deletion.run,
    "storage_locations": storage_locations.run,
    "concurrency": concurrency.run,
    "protocol": protocol.run,
    "edits": edits.run,
    "files": files.run,
    "markup": markup.run,
    "http": mcp_http.run,
    "sockets": sockets.run,
    "terminal": terminal.run,
    "commands": commands.run,
    "agents": agents.run,
    "faulty_servers": faulty_servers.run,
    "bombs": bombs.run,
    "cycles": cycles.run,
    "soak": soak.run,
}
# The attacks of --quick. They can fail within seconds.
QUICK = (
    "regressions",
    "trust",
    "kills",
    "damage",
    "deletion",
    "concurrency",
    "protocol",
    "edits",
    "files",
    "markup",
    "http",
    "sockets",
    "terminal",
    "commands",
    "agents",
    "faulty_servers",
    "bombs",
    "cycles",
)


@dataclass
class Outcome:
    """The result of an attack."""

    name: str
    passed: bool
    seconds: float
    skipped: int


def read_arguments(arguments, usage):
    """Parses the command line. Exits with status 2 if it is invalid."""
    parser = argparse.ArgumentParser(
        prog="scripts/attack",
        description=usage,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--bin", type=pathlib.Path, metavar="KENNING", help="the program; defaults to a new release build")
    parser.add_argument("--only", default="", metavar="NAME,...", help=f"some of: {', '.join(ATTACKS)}")
    parser.add_argument("--quick", action="store_true", help="a part of each attack; takes minutes")
    parser.add_argument(
        "--work", type=pathlib.Path, metavar="FOLDER", help="the folder for all files; folders of failed attacks are kept"
    )
    parser.add_argument(
        "--root", type=pathlib.Path, metavar="WORKSPACE", help="a repository to copy; defaults to a generated one"
    )
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random choices")
    parser.add_argument("--minutes", type=float, default=30.0, help="duration of the soak (default 30)")
    options = parser.parse_args(arguments)
    options.names = [name for name in options.only.split(",") if name] or list(QUICK if options.quick else ATTACKS)
    unknown = [name for name in options.names if name not in ATTACKS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; the attacks are {', '.join(ATTACKS)}")
    if options.root is not None and not options.root.is_dir():
        parser.error(f"--root {options.root} is not a folder")
    if options.bin is not None and not os.access(options.bin, os.X_OK):
        parser.error(f"--bin {options.bin} is not a program")
    return options


def build_release():
    """Builds the release binary and returns its path."""
    subprocess.run(["cargo", "build", "--release", "--locked", "--package", "kenning"], cwd=REPOSITORY, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    return target / "release" / "kenning"


def run_attack(name, settings, folder, keep_failed):
    """Runs one attack in its own folder, prints its result, and returns the outcome."""
    folder.mkdir(parents=True)
    # Let other users enter the folder, because `storage_locations` runs Kenning as another user.
    folder.chmod(0o755)
    context = AttackContext(settings, folder)
    start = time.monotonic()
    try:
        ATTACKS[name](context)
    except Exception as error:  # An attack that fails to run must not hide the others.
        context.fail(f"the attack itself failed: {error!r} at {traceback.extract_tb(error.__traceback__)[-1]}")
    seconds = time.monotonic() - start
    print_outcome(name, seconds, context)
    if not (keep_failed and context.failures):
        remove_folder(folder)
    return Outcome(name, not context.failures, seconds, sum(map(len, context.skipped.values())))


def print_outcome(name, seconds, context):
    """Prints the figures, failures and skipped parts of an attack."""
    figures = ", ".join(f"{figure} {value}" for figure, value in context.figures.items())
    print(f"{'FAILED' if context.failures else 'ok':7} {name:17} {seconds:7.1f} s  {figures}")
    for failure in context.failures:
        print(f"        {name}: {failure}")
    for reason, parts in context.skipped.items():
        print(f"SKIPPED: {name}: {', '.join(parts)} ({reason})")
    sys.stdout.flush()


def remove_folder(folder):
    """Removes an attack's folder with `rm`. Some paths are too deep for Python or not valid in
    its encoding."""
    subprocess.run(["rm", "-rf", "--", str(folder)], check=False)


def print_table(outcomes):
    """Prints a table with the result and the time of each attack."""
    print(f"\n{'attack':17} {'result':7} {'seconds':>8}  skipped")
    for outcome in outcomes:
        result = "ok" if outcome.passed else "FAILED"
        print(f"{outcome.name:17} {result:7} {outcome.seconds:8.1f}  {outcome.skipped or ''}".rstrip())
    total = sum(outcome.seconds for outcome in outcomes)
    failed = sum(not outcome.passed for outcome in outcomes)
    print(f"{'all':17} {f'{failed} of {len(outcomes)} failed' if failed else 'ok':7} {total:8.1f}")


def main(arguments=None, usage=""):
    """Runs the attacks. Returns the exit status, which is 1 if an attack failed."""
    options = read_arguments(arguments, usage)
    binary = (options.bin or build_release()).resolve()
    root = options.root.resolve() if options.root else None
    settings = Settings(binary, root, options.quick, options.seed, options.minutes)
    if options.work is not None:
        options.work.mkdir(parents=True, exist_ok=True)
    work = pathlib.Path(tempfile.mkdtemp(prefix="kenning-attack-", dir=options.work)).resolve()
    work.chmod(0o755)
    outcomes = []
    try:
        for name in options.names:
            outcomes.append(run_attack(name, settings, work / name, options.work is not None))
    finally:
        if options.work is None:
            shutil.rmtree(work, ignore_errors=True)
    print_table(outcomes)
    return 0 if all(outcome.passed for outcome in outcomes) else 1
