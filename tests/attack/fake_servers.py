"""Puts fake_server.py on a search path to replace pyright, and finds its remaining processes
afterwards.

The mode and the tag are on the fake server's command line, because Kenning may remove them from its
environment. Every process that it starts has the tag on its command line too, so that remaining
processes can be found after their parent was killed.
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
# Seconds after which a running process counts as left over. Ending a process takes milliseconds, or
# longer on a busy machine.
END_TIMEOUT = 5.0
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
        """The fake server's folder and the system's, without other language servers of the user."""
        return os.pathsep.join([str(self.folder), *SYSTEM_FOLDERS])

    def set_mode(self, mode):
        """Sets the mode of servers that are started from now on."""
        command = shlex.join([sys.executable, str(PROGRAM), mode, self.tag])
        script = f'#!/bin/sh\nexec {command} "$@"\n'
        write_file(self.folder / "pyright-langserver", script, executable=True)

    def wait_for_end(self, timeout=END_TIMEOUT):
        """Waits until all processes of these servers have ended. Returns those that remain after
        the timeout."""
        deadline = time.monotonic() + timeout
        while (remaining := self.find_remaining()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return remaining

    def find_remaining(self):
        """Returns the running processes of these servers."""
        remaining = []
        for name in os.listdir("/proc"):
            if name.isdigit() and self.tag in processes.command_line(name) and processes.is_running(name):
                remaining.append(RemainingProcess(int(name), processes.leads_session(name)))
        return remaining


@dataclass
class RemainingProcess:
    """A running process of a fake server."""

    pid: int
    # Whether it left the session, so that it cannot be found through a group or a terminal.
    has_own_session: bool

    def describe(self):
        return (
            f"{self.pid} {processes.command_line(self.pid)[-80:]!r}{' (own session)' if self.has_own_session else ''}"
        )


def kill_remaining(processes_left):
    """Kills remaining processes, so that they do not affect the next check."""
    for process in processes_left:
        processes.kill_process(process.pid)
