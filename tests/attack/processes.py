"""Reads the state of processes from /proc (memory, descriptors, threads, CPU time, descendants)
and kills processes."""

import contextlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess

MEGABYTE = 1 << 20
# The memory at which a Kenning process is killed. Without it, an endless file could exhaust the
# machine.
MEMORY_LIMIT_MEGABYTES = 1500
# A limit for memory that grows faster than it is measured. It is high, because the allocator
# reserves much address space.
ADDRESS_SPACE_BYTES = 16 << 30
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


def read_proc(pid, name):
    """Returns the bytes of a file in /proc/PID; empty once the process is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_bytes()
    except (OSError, ValueError):
        return b""


def stat_fields(pid):
    """Returns the fields of /proc/PID/stat after the command's name, so that index 0 is the
    state."""
    return read_proc(pid, "stat").rpartition(b")")[2].split()


def resident_megabytes(pid):
    """Returns the resident memory of a process in megabytes."""
    fields = read_proc(pid, "statm").split()
    return int(fields[1]) * PAGE_BYTES / MEGABYTE if len(fields) > 1 else 0.0


def peak_megabytes(pid):
    """Returns the peak resident memory of a process in megabytes."""
    for line in read_proc(pid, "status").splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu_seconds(pid):
    """Returns the user and system time that a process has used."""
    fields = stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS if len(fields) > 12 else 0.0


def count_entries(pid, folder):
    try:
        return len(os.listdir(f"/proc/{pid}/{folder}"))
    except OSError:
        return 0


def open_descriptors(pid):
    """Returns the number of open descriptors of a process."""
    return count_entries(pid, "fd")


def thread_count(pid):
    """Returns the number of threads of a process."""
    return count_entries(pid, "task")


def is_running(pid):
    """Whether a process exists and is not a zombie."""
    fields = stat_fields(pid)
    return bool(fields) and fields[0] != b"Z"


def leads_session(pid):
    """Whether a process leads its own session."""
    fields = stat_fields(pid)
    return len(fields) > 3 and int(fields[3]) == int(pid)


def command_line(pid):
    """Returns the command line of a process with spaces between its arguments."""
    return read_proc(pid, "cmdline").replace(b"\0", b" ").decode("utf-8", "replace").strip()


def descendants(pid):
    """Returns the children of a process, their children, and so on."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = stat_fields(name)
            if len(fields) > 1:
                children.setdefault(int(fields[1]), []).append(int(name))
    pids, unvisited = [], [pid]
    while unvisited:
        for child in children.get(unvisited.pop(), []):
            pids.append(child)
            unvisited.append(child)
    return pids


def kill_process(pid):
    """Sends SIGKILL. Ignores a process that has already ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def limit_address_space(pid):
    """Limits the address space of a process that was just started."""
    # The process may have ended already, or the system may have a lower limit.
    with contextlib.suppress(ProcessLookupError, PermissionError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))


def kill_with_descendants(process):
    """Kills a process that this harness started, and everything that it started."""
    pids = descendants(process.pid)
    process.kill()
    for pid in pids:
        kill_process(pid)
    process.wait()


def program_works(name, search_path, environment):
    """Whether a program answers `--version`. A shim of rustup may exist without the program
    behind it."""
    program = shutil.which(name, path=search_path)
    if program is None:
        return False
    try:
        result = subprocess.run(
            [program, "--version"],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.returncode == 0
