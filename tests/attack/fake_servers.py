"""Puts fake_server.py on a search path in the place of pyright, and finds what is left of it afterwards.

Mode and tag are on the fake server's command line, not in its environment, which Kenning may clean. Everything
that it starts has the tag on its command line too, so that what is left can be found without the help of a
process that was killed.
"""

import os
import pathlib
import shlex
import sys
import time
from dataclasses import dataclass

from . import processes
from .workspaces import write_file

SYSTEM_FOLDERS = ("/usr/bin", "/bin")
# Seconds after which a process that still runs counts as left over. Ending one takes milliseconds,
# on a busy machine more.
PATIENCE = 5.0
PROGRAM = pathlib.Path(__file__).resolve().parent / "fake_server.py"


@dataclass
class FakeServers:
    """A folder for the search path with a fake server for Python."""

    folder: pathlib.Path

    @property
    def tag(self):
        return f"fake-server-of:{self.folder}"

    @property
    def search_path(self):
        """The fake server and the system's programs: another server of the user's would be waited for."""
        return os.pathsep.join([str(self.folder), *SYSTEM_FOLDERS])

    def set_mode(self, mode):
        """Says how the servers behave that are started from now on."""
        command = shlex.join([sys.executable, str(PROGRAM), mode, self.tag])
        script = f'#!/bin/sh\nexec {command} "$@"\n'
        write_file(self.folder / "pyright-langserver", script, executable=True)

    def await_end(self, patience=PATIENCE):
        """Waits until no process of these servers is left; returns those that are left in the end."""
        end = time.monotonic() + patience
        while (left := self.left_processes()) and time.monotonic() < end:
            time.sleep(0.05)
        return left

    def left_processes(self):
        """Returns the processes of these servers that still run."""
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit() and self.tag in processes.command_line(name) and processes.is_running(name):
                found.append(LeftProcess(int(name), processes.leads_session(name)))
        return found


@dataclass
class LeftProcess:
    """A process of a fake server that still runs."""

    pid: int
    # Whether it left the session, so that it cannot be found through a group or a terminal.
    has_own_session: bool

    def describe(self):
        return (
            f"{self.pid} {processes.command_line(self.pid)[-80:]!r}{' (own session)' if self.has_own_session else ''}"
        )


def kill_left(left):
    """Ends what is left, so that one check does not disturb the next."""
    for process in left:
        processes.kill_process(process.pid)
