"""The context of an attack: its settings and folders, and the figures, failures and skipped
parts that it records."""

import os
import pathlib
import random
import sys
from dataclasses import dataclass, field

from . import workspaces
from .lab import Lab


@dataclass
class Settings:
    """The options of scripts/attack."""

    binary: pathlib.Path
    root: pathlib.Path | None = None
    is_quick: bool = False
    seed: int = 1
    minutes: float = 30.0


@dataclass
class AttackContext:
    """One attack's folder and settings. An attack fails if it records at least one failure."""

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
        """Returns `quick` with --quick, otherwise `whole`."""
        return quick if self.is_quick else whole

    def random(self):
        """Returns a generator of random numbers, which are the same in every run with the same
        --seed."""
        return random.Random(self.settings.seed)

    def lab(self, name="state", search_path=None):
        """Creates a lab, with its own home, in the attack's folder."""
        return Lab(self.binary, self.folder / name, search_path)

    def case(self, name, search_path=None):
        """Creates a case: an empty workspace and a lab in their own folder."""
        return Case(self, name, search_path)

    def workspace(self, name="workspace"):
        """Copies the workspace of --root into the attack's folder, or generates one."""
        target = self.folder / name
        if self.settings.root is not None:
            return workspaces.copy_workspace(self.settings.root, target)
        return workspaces.write_mixed_workspace(target)

    def figure(self, name, value):
        """Records a figure for the attack's line of output."""
        self.figures[name] = value

    def count(self, name, step=1):
        """Adds `step` to a figure."""
        self.figures[name] = self.figures.get(name, 0) + step

    def fail(self, message):
        """Records a failure."""
        self.failures.append(" ".join(str(message).split())[:600])

    def expect(self, condition, message):
        """Records a failure unless the condition is true. Returns whether it is."""
        if not condition:
            self.fail(message)
        return bool(condition)

    def skip(self, part, reason):
        """Records a skipped part. Parts with the same reason are reported together."""
        self.skipped.setdefault(reason, []).append(str(part))

    def progress(self, text):
        """Prints the progress of a long attack on standard error."""
        print(f"    {text}", file=sys.stderr, flush=True)


class Case:
    """A small workspace with its own lab, for one check."""

    def __init__(self, context, name, search_path=None):
        self.folder = context.folder / name
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir(parents=True)
        # The file to which planted programs write when they run.
        self.marker = self.folder / "MARKER"
        self.lab = context.lab(f"{name}/state", search_path)

    def write(self, relative, text, executable=False):
        """Writes a file of the workspace and returns its path."""
        return workspaces.write_file(self.workspace / relative, text, executable)

    def write_ring(self, modules, repeat=1):
        """Writes a ring of Python modules; `repeat` makes them longer."""
        for index in range(modules):
            self.write(f"pkg/m{index}.py", workspaces.python_module(index, modules) * repeat)

    def plant(self, relative, then=""):
        """Writes a program into the workspace that writes the marker and then runs `then`.
        Returns its path."""
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
        """Returns the pack root for a task without learned feedback, or None if the command
        fails."""
        pack = self.lab.run_json("pack", "--root", self.workspace, task, "--no-learning")
        return pack.get("pack_root") if isinstance(pack, dict) else None

    def has_run(self):
        """Whether a planted program ran."""
        return self.marker.exists()


def user_search_path():
    """Returns the search path of the user who runs the attacks."""
    return os.environ.get("PATH", "/usr/bin:/bin")
