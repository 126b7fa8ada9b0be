"""Runs attacks one after the other and judges them: the command scripts/attack."""

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

from . import concurrency, damage, edits, files, kills, liars, markup, places, protocol, regressions, soak, trust
from .context import AttackContext, Settings

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

ATTACKS = {
    "regressions": regressions.run,
    "trust": trust.run,
    "kills": kills.run,
    "damage": damage.run,
    "places": places.run,
    "concurrency": concurrency.run,
    "protocol": protocol.run,
    "edits": edits.run,
    "files": files.run,
    "markup": markup.run,
    "liars": liars.run,
    "soak": soak.run,
}
# The attacks of --quick, which give results within seconds.
QUICK = ("regressions", "trust", "kills", "damage", "concurrency", "protocol", "edits", "files", "markup", "liars")


@dataclass
class Outcome:
    """How one attack ended."""

    name: str
    held: bool
    seconds: float
    skipped: int


def read_arguments(arguments, usage):
    """Reads the command line; ends with status 2 when it is wrong."""
    parser = argparse.ArgumentParser(
        prog="scripts/attack",
        description=usage,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--bin", type=pathlib.Path, metavar="KENNING", help="the program; else a release build is made")
    parser.add_argument("--only", default="", metavar="NAME,...", help=f"some of: {', '.join(ATTACKS)}")
    parser.add_argument("--quick", action="store_true", help="a part of each that takes less than two minutes in all")
    parser.add_argument(
        "--work", type=pathlib.Path, metavar="FOLDER", help="where to work; failed attacks' folders stay"
    )
    parser.add_argument(
        "--root", type=pathlib.Path, metavar="WORKSPACE", help="a repository to copy; else one is generated"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the random choices")
    parser.add_argument("--minutes", type=float, default=30.0, help="how long the soak goes on (default 30)")
    chosen = parser.parse_args(arguments)
    chosen.names = [name for name in chosen.only.split(",") if name] or list(QUICK if chosen.quick else ATTACKS)
    unknown = [name for name in chosen.names if name not in ATTACKS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(ATTACKS)}")
    if chosen.root is not None and not chosen.root.is_dir():
        parser.error(f"--root {chosen.root} is not a folder")
    if chosen.bin is not None and not os.access(chosen.bin, os.X_OK):
        parser.error(f"--bin {chosen.bin} is not a program")
    return chosen


def build_release():
    """Builds the release binary and returns its path."""
    subprocess.run(["cargo", "build", "--release", "--locked", "--package", "kenning"], cwd=REPOSITORY, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    return target / "release" / "kenning"


def run_attack(name, settings, folder, keep_failed):
    """Runs one attack in a folder of its own, prints its line, and returns the outcome."""
    folder.mkdir(parents=True)
    # Other users must be able to enter the folder, or it would hide what `places` tests.
    folder.chmod(0o755)
    context = AttackContext(settings, folder)
    began = time.monotonic()
    try:
        ATTACKS[name](context)
    except Exception as error:  # An attack that fails to run must not hide the others.
        context.fail(f"the attack itself stopped: {error!r} at {traceback.extract_tb(error.__traceback__)[-1]}")
    seconds = time.monotonic() - began
    print_outcome(name, seconds, context)
    if not (keep_failed and context.failures):
        remove_folder(folder)
    return Outcome(name, not context.failures, seconds, sum(map(len, context.skipped.values())))


def print_outcome(name, seconds, context):
    figures = ", ".join(f"{figure} {value}" for figure, value in context.figures.items())
    print(f"{'FAILED' if context.failures else 'ok':7} {name:12} {seconds:7.1f} s  {figures}")
    for failure in context.failures:
        print(f"        {name}: {failure}")
    for why, parts in context.skipped.items():
        print(f"SKIPPED: {name}: {', '.join(parts)} ({why})")
    sys.stdout.flush()


def remove_folder(folder):
    """Removes an attack's folder. Some are too deep for Python, or have no names in its file system encoding."""
    subprocess.run(["rm", "-rf", "--", str(folder)], check=False)


def print_table(outcomes):
    """Prints attack, result and run time of all."""
    print(f"\n{'attack':12} {'result':7} {'seconds':>8}  left out")
    for outcome in outcomes:
        result = "ok" if outcome.held else "FAILED"
        print(f"{outcome.name:12} {result:7} {outcome.seconds:8.1f}  {outcome.skipped or ''}".rstrip())
    total = sum(outcome.seconds for outcome in outcomes)
    failed = sum(not outcome.held for outcome in outcomes)
    print(f"{'all':12} {f'{failed} of {len(outcomes)} failed' if failed else 'ok':7} {total:8.1f}")


def main(arguments=None, usage=""):
    """Runs what the command line names; returns the exit status: 1 when an attack failed."""
    chosen = read_arguments(arguments, usage)
    binary = (chosen.bin or build_release()).resolve()
    root = chosen.root.resolve() if chosen.root else None
    settings = Settings(binary, root, chosen.quick, chosen.seed, chosen.minutes)
    if chosen.work is not None:
        chosen.work.mkdir(parents=True, exist_ok=True)
    work = pathlib.Path(tempfile.mkdtemp(prefix="kenning-attack-", dir=chosen.work)).resolve()
    work.chmod(0o755)
    outcomes = []
    try:
        for name in chosen.names:
            outcomes.append(run_attack(name, settings, work / name, chosen.work is not None))
    finally:
        if chosen.work is None:
            shutil.rmtree(work, ignore_errors=True)
    print_table(outcomes)
    return 0 if all(outcome.held for outcome in outcomes) else 1
