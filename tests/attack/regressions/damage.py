"""Checks that damage to the index is detected and repaired, and that sessions leave it intact:
F5, F6, F8, F15, F17."""

import contextlib
import os
import random
import re
import shutil
import sqlite3
import time

from ..workspaces import commit_all
from .outcome import Unavailable, require

TASK = "run number 5"
PAGE = 4096


def a_damaged_fact_database_is_rebuilt(context):
    """A damaged facts.db is set aside and rebuilt, and commands continue in the same run."""
    case = context.case("facts")
    case.write_ring(60, repeat=8)
    commit_all(case.workspace)
    case.run("index")
    path = case.lab.state_file("facts.db")
    content = bytearray(path.read_bytes())
    for start in range(PAGE, len(content), PAGE):
        content[start : start + PAGE] = random.Random(start).randbytes(PAGE)
    path.write_bytes(content)
    for command in (("index",), ("pack", "f5"), ("index",)):
        run = case.run(*command)
        require(run.status == 0, f"`{command[0]}`: {run.describe()}")


def flipped_bits_change_no_answer(context):
    """Flipped bits in a file of the index are detected: after `index`, the pack is correct."""
    case = context.case("bits")
    case.write_ring(200, repeat=4)
    commit_all(case.workspace)
    case.run("index")
    expected = case.pack_root(TASK)
    different = {}
    for name in ("graph.base", "graph.db", "facts.db"):
        path = case.lab.state_file(name)
        intact = context.folder / "bits/sound"
        shutil.rmtree(intact, ignore_errors=True)
        shutil.copytree(case.lab.cache, intact)
        for attempt in range(context.choose(12, 2)):
            flip_bits(path, 64, random.Random(attempt))
            case.run("index")
            if case.pack_root(TASK) != expected:
                different[name] = different.get(name, 0) + 1
            shutil.rmtree(case.lab.cache)
            shutil.copytree(intact, case.lab.cache)
    require(expected is not None, "there is no pack to compare with")
    require(not different, f"another pack after 64 flipped bits and `index`: {different}")


def flip_bits(path, count, generator):
    """Flips random bits of a file."""
    content = bytearray(path.read_bytes())
    for _ in range(count):
        content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
    path.write_bytes(content)


def a_session_survives_the_truncation_of_its_image(context):
    """A session continues after its graph.base was truncated to nothing."""
    case = context.case("truncated")
    case.write_ring(200, repeat=4)
    case.run("index")
    session = case.lab.serve(case.workspace)
    session.wait_until_ready()
    os.truncate(case.lab.state_file("graph.base"), 0)
    answers = [session.command("taskContext", 30, task=f"run number {index}") for index in range(4)]
    status = session.process.poll()
    session.kill()
    require(status is None, f"the session ended with {status}")
    require(all("result" in answer for answer in answers), f"not answered: {[answer.get('error') for answer in answers]}")


def ended_sessions_leave_no_write_ahead_log(context):
    """When all sessions of a workspace have shut down, no -wal and no -shm file is left."""
    case = context.case("log")
    case.write_ring(20)
    sessions = [case.lab.serve(case.workspace) for _ in range(2)]
    for session in sessions:
        session.wait_until_ready()
    case.write("pkg/m1.py", "def changed():\n    return 1\n")
    sessions[0].report_files(2, "pkg/m1.py")
    sessions[0].wait_until_ready()
    statuses = [session.close() for session in sessions]
    left = sorted(path.name for path in case.lab.cache.rglob("*") if path.name.endswith(("-wal", "-shm")))
    require(statuses == [0, 0], f"the sessions ended with {statuses}")
    require(not left, f"left: {', '.join(left)}")


def feedback_is_on_the_disk_when_it_is_acknowledged(context):
    """memory.db is synchronized before feedback is acknowledged, so that a power cut does not
    lose it."""
    if shutil.which("strace") is None:
        raise Unavailable("strace is not on the search path")
    case = context.case("power")
    case.write_ring(20)
    trace = case.folder / "trace"
    wrapper = ("strace", "-f", "-y", "-e", "trace=fsync,fdatasync,pwrite64", "-s", "0", "-o", str(trace))
    session = case.lab.serve(case.workspace, wrapper=wrapper)
    session.wait_until_ready()
    pack = session.command("taskContext", task=TASK)["result"]
    first, second = pack["symbols"][:2]
    give_feedback(session, pack, first)
    # While another process has the database open, closing it does not synchronize it.
    with contextlib.closing(sqlite3.connect(case.lab.state_file("memory.db"))) as other_reader:
        other_reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        time.sleep(1)
        known = len(read_trace(trace))
        give_feedback(session, pack, second)
        calls = read_trace(trace)[known:]
    session.close()
    require("write" in calls, "feedback was acknowledged before it was written")
    require(calls[-1] == "sync", f"acknowledged before the write was synchronized: {' '.join(calls)}")


def give_feedback(session, pack, symbol):
    answer = session.command("feedback", packRoot=pack["pack_root"], symbol=symbol["id"], useful=True)
    require("result" in answer, f"feedback was refused: {answer.get('error')}")


def read_trace(trace):
    """Returns the system calls on memory.db and its log in a trace, as `write` and `sync`, in
    order."""
    if not trace.exists():
        raise Unavailable("strace has no permission to trace")
    text = trace.read_text(encoding="utf-8", errors="replace")
    names = re.findall(r"(pwrite64|fsync|fdatasync)\(\d+<[^>]*/memory\.db(?:-wal)?>", text)
    return ["write" if name == "pwrite64" else "sync" for name in names]
