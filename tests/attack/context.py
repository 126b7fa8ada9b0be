"""What an attack is given, and where it leaves its judgement: figures, failures, and what it had to leave out."""

import os
import pathlib
import random
import sys
from dataclasses import dataclass, field

from . import workspaces
from .lab import Lab


@dataclass
class Settings:
    """What the command line of scripts/attack says."""

    binary: pathlib.Path
    root: pathlib.Path | None = None
    is_quick: bool = False
    seed: int = 1
    minutes: float = 30.0


@dataclass
class AttackContext:
    """One attack's folder and settings. An attack fails when it recorded at least one failure."""

    settings: Settings
    folder: pathlib.Path
    figures: dict = field(default_factory=dict)
    failures: list = field(default_factory=list)
    # The skipped parts by reason.
    skipped: dict = field(default_factory=dict)

    @property
    def binary(self):
        return self.settings.binary

    @property
    def is_quick(self):
        return self.settings.is_quick

    def choose(self, whole, quick):
        """Returns how many rounds to make: `quick` with --quick, otherwise `whole`."""
        return quick if self.is_quick else whole

    def random(self):
        """Returns a source of random numbers that is the same in every run with the same --seed."""
        return random.Random(self.settings.seed)

    def lab(self, name="state", search_path=None):
        """Makes a user of Kenning with a home of its own."""
        return Lab(self.binary, self.folder / name, search_path)

    def case(self, name, search_path=None):
        """Makes an empty workspace and a lab in a folder of their own."""
        return Case(self, name, search_path)

    def workspace(self, name="workspace"):
        """Copies the workspace of --root into the attack's folder, or generates one."""
        target = self.folder / name
        if self.settings.root is not None:
            return workspaces.copy_workspace(self.settings.root, target)
        return workspaces.write_mixed_workspace(target)

    def figure(self, name, value):
        """Records a measured figure, which the attack's line shows."""
        self.figures[name] = value

    def count(self, name, step=1):
        """Adds to a figure that counts."""
        self.figures[name] = self.figures.get(name, 0) + step

    def fail(self, message):
        """Records a failure."""
        self.failures.append(" ".join(str(message).split())[:600])

    def expect(self, holds, message):
        """Records a failure unless `holds`; returns whether it does."""
        if not holds:
            self.fail(message)
        return bool(holds)

    def skip(self, what, why):
        """Records that a part was left out; parts with the same reason are told together."""
        self.skipped.setdefault(why, []).append(str(what))

    def progress(self, text):
        """Tells whoever waits how far a long attack is."""
        print(f"    {text}", file=sys.stderr, flush=True)


class Case:
    """A small workspace with its own lab, for one check."""

    def __init__(self, context, name, search_path=None):
        self.folder = context.folder / name
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir(parents=True)
        # The file that a planted program writes when it runs.
        self.marker = self.folder / "MARKER"
        self.lab = context.lab(f"{name}/state", search_path)

    def write(self, relative, text, executable=False):
        """Writes a file of the workspace; returns its path."""
        return workspaces.write_file(self.workspace / relative, text, executable)

    def write_ring(self, modules, repeat=1):
        """Writes a ring of Python modules; `repeat` makes them longer."""
        for index in range(modules):
            self.write(f"pkg/m{index}.py", workspaces.python_module(index, modules) * repeat)

    def plant(self, relative, then=""):
        """Writes a program into the workspace that leaves the marker; returns its path."""
        return workspaces.write_marker_script(self.workspace / relative, self.marker, then)

    def commit(self, message="Start"):
        """Commits everything in the workspace."""
        workspaces.commit_all(self.workspace, message)

    def run(self, command, *arguments, **options):
        """Runs a command on the workspace."""
        takes_folder = command in ("index", "status", "doctor", "enrich")
        where = (self.workspace,) if takes_folder else ("--root", self.workspace)
        return self.lab.run(command, *where, *arguments, **options)

    def pack_root(self, task):
        """Returns the hash of the pack for a task, without what feedback taught; None when the command fails."""
        pack = self.lab.run_json("pack", "--root", self.workspace, task, "--no-learning")
        return pack.get("pack_root") if isinstance(pack, dict) else None

    def has_run(self):
        """Whether a planted program ran."""
        return self.marker.exists()


def own_search_path():
    """Returns the search path of whoever runs the attacks."""
    return os.environ.get("PATH", "/usr/bin:/bin")
