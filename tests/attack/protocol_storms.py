"""Storms: one id for thousands of requests, cancellations, a burst of questions, folders that come and go."""

import time

from . import processes
from .client import error_code, position, wait_for_answer
from .workspaces import write_python_ring

MODEST_MEGABYTES = 500
CANCELLED = -32800


def reuse_ids_and_cancel(attack):
    """Uses one id for many requests, cancels what does not exist, and cancels requests as they are sent."""
    context, session = attack.context, attack.start()
    same, unknown, cancelled = context.choose((2000, 5000, 3000), (300, 500, 300))
    session.next_id = 10**6
    task = {"command": "kenning.taskContext", "arguments": [{"task": "run number 5", "noLearning": True}]}
    for _ in range(same):
        session.send(id=5, method="workspace/executeCommand", params=task)
    for index in range(unknown):
        session.notify("$/cancelRequest", {"id": attack.random.choice([5, "x", index])})
    answers = []
    for index in range(cancelled):
        identifier, answer = session.ask_command("taskContext", task=f"run number {index}")
        session.notify("$/cancelRequest", {"id": identifier})
        answers.append(answer)
    codes = {}
    for answer in answers:
        code = error_code(wait_for_answer(answer, 0.01 if "timeout" in codes else 120))
        codes[code] = codes.get(code, 0) + 1
    context.expect(set(codes) <= {CANCELLED, "ok"}, f"cancelled requests are answered with {codes}")
    attack.expect_sound(session, "ids and cancellations")
    answered = wait_for_count(lambda: sum(message.get("id") == 5 for message in session.stray), same, 60)
    context.expect(answered == same, f"{answered} of {same} requests with one id are answered")
    attack.end(session, "ids and cancellations")
    return f"{same} of one id, {cancelled} cancelled {codes}"


def wait_for_count(count, wanted, seconds):
    """Waits until a count is reached; returns the last one."""
    deadline = time.monotonic() + seconds
    while count() < wanted and time.monotonic() < deadline:
        time.sleep(0.1)
    return count()


def send_burst(attack):
    """Sends 100,000 questions without waiting for an answer."""
    context, session = attack.context, attack.start()
    count = context.choose(100_000, 5_000)
    place = {"textDocument": {"uri": session.uri("pkg/m1.py")}, "position": position(4, 7)}
    began = time.monotonic()
    answers = []
    for index in range(count):
        answers.append(session.ask("textDocument/hover" if index % 3 else "textDocument/codeLens", place)[1])
    lost = 0
    for answer in answers:
        lost += "result" not in wait_for_answer(answer, 1 if lost else 300)
        if lost > 10:
            break
    seconds = time.monotonic() - began
    context.expect(not lost, f"{lost} of {count} questions are not answered")
    peak = session.peak_megabytes
    context.expect(peak < MODEST_MEGABYTES, f"{peak:.0f} MB during {count} questions")
    attack.end(session, "burst")
    return f"{count} in {seconds:.1f} s, {peak:.0f} MB"


def change_folders(attack):
    """Adds and removes 20 folders 600 times."""
    context, random = attack.context, attack.random
    folders = [write_python_ring(context.folder / f"folder{index}", 5) for index in range(20)]
    session, changes = attack.start(), context.choose(600, 60)
    descriptors = processes.open_descriptors(session.pid)
    for index in range(changes):
        added = name_folders([random.choice(folders)] * random.randrange(3))
        removed = name_folders([random.choice(folders)] * random.randrange(3))
        event = {"event": {"added": added, "removed": removed}}
        session.notify("workspace/didChangeWorkspaceFolders", event)
        if index % 50 == 0:
            session.command("taskContext", 120, task="run")
    event = {"event": {"added": [], "removed": name_folders(folders)}}
    session.notify("workspace/didChangeWorkspaceFolders", event)
    session.wait_until_ready(120)
    time.sleep(2)
    left = len(session.status().get("folders", []))
    context.expect(left == 1, f"{left} folders are open at the end instead of 1")
    more = processes.open_descriptors(session.pid) - descriptors
    context.expect(more <= 5, f"{more} descriptors more after all folders were removed")
    attack.end(session, "folders")
    return f"{changes} changes, {session.peak_megabytes:.0f} MB"


def name_folders(folders):
    return [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
