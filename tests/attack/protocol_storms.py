"""Sends storms of messages: thousands of requests with one id, cancellations, a burst of
requests, changes to folders."""

import time

from . import processes
from .client import error_code, position, wait_for_answer
from .workspaces import write_python_ring

MODEST_MEGABYTES = 500
CANCELLED = -32800


def reuse_ids_and_cancel(attack):
    """Uses one id for many requests, cancels what does not exist, and cancels requests as they
    are sent."""
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
        identifier, answer = session.send_command("taskContext", task=f"run number {index}")
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


def wait_for_count(count, expected, seconds):
    """Waits until `count()` reaches `expected`. Returns the last count."""
    deadline = time.monotonic() + seconds
    while count() < expected and time.monotonic() < deadline:
        time.sleep(0.1)
    return count()


def send_burst(attack):
    """Sends 100,000 requests without waiting for answers."""
    context, session = attack.context, attack.start()
    count = context.choose(100_000, 5_000)
    place = {"textDocument": {"uri": session.uri("pkg/m1.py")}, "position": position(4, 7)}
    start = time.monotonic()
    answers = []
    for index in range(count):
        answers.append(session.send_request("textDocument/hover" if index % 3 else "textDocument/codeLens", place)[1])
    lost = 0
    for answer in answers:
        lost += "result" not in wait_for_answer(answer, 1 if lost else 300)
        if lost > 10:
            break
    seconds = time.monotonic() - start
    context.expect(not lost, f"{lost} of {count} requests are not answered")
    peak = session.peak_megabytes
    context.expect(peak < MODEST_MEGABYTES, f"{peak:.0f} MB during {count} requests")
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
    open_folders = len(session.status().get("folders", []))
    context.expect(open_folders == 1, f"{open_folders} folders are open at the end instead of 1")
    new_descriptors = processes.open_descriptors(session.pid) - descriptors
    context.expect(new_descriptors <= 5, f"{new_descriptors} new descriptors after all folders were removed")
    attack.end(session, "folders")
    return f"{changes} changes, {session.peak_megabytes:.0f} MB"


def name_folders(folders):
    return [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
