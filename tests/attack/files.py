"""Opens workspaces with hostile contents: folders, links, devices, names, sizes, repositories,
changing files.

Criterion: commands end properly within their limits of time and memory, the session continues and
ends with 0, the workspace's own function is found, and no answer shows text from outside the
workspace, from ignored files or from secret files.
"""

import random
import threading
import time

from . import files_devices, files_git, files_trees
from .files_trees import CANARY
from .lab import MEMORY, MODEST_MEGABYTES, TIMEOUT
from .workspaces import python_module

ALPHA = "def alpha():\n    return beta()\n\n\ndef beta():\n    return 1\n"


def run(context):
    """Tests all kinds of trees, repositories and devices, and then files that change while they
    are read."""
    outside = context.folder / "outside"
    outside.mkdir()
    (outside / "leak.py").write_text(f"def {CANARY}_function():\n    return '{CANARY}'\n", encoding="utf-8")
    for name in ("workspaces", "bad workspaces"):
        context.figure(name, 0)
    for make in files_trees.choose_trees(context):
        try_workspace(context, make.__name__, make, seconds=files_trees.SECONDS.get(make, 60))
    for name, make in files_git.choose_repositories(context).items():
        try_workspace(context, f"git_{name}", make, seconds=60)
    files_devices.try_named_files(context)
    change_while_indexing(context)


def try_workspace(context, name, make, seconds):
    """Creates a workspace, runs commands on it, and opens a session."""
    case = context.case(name)
    case.write("alpha.py", ALPHA)
    make(case)
    failures_before = len(context.failures)
    commands = {
        "index": ("index",),
        "pack": ("pack", "alpha", "--no-learning"),
        "pack for the canary": ("pack", f"{CANARY} leak function", "--no-learning"),
        "changes": ("changes",),
    }
    runs = {}
    for command, arguments in commands.items():
        run = runs[command] = case.run(*arguments, timeout=seconds)
        is_sound = run.is_orderly() and run.peak_megabytes < MODEST_MEGABYTES
        context.expect(is_sound, f"{name}, {command}: {run.describe()}")
        # The heading of the pack repeats the task.
        shown = run.out.replace(f"{CANARY} leak function", "")
        context.expect(CANARY not in shown, f"{name}, {command}: shows a text from outside the workspace")
        if run.status in (MEMORY, TIMEOUT):
            # The other commands read the same files and would take as long.
            break
    is_found = "pack" in runs and "alpha" in runs["pack"].out
    context.expect(is_found, f"{name}: the workspace's own function is not found")
    # A tree that stops the commands also stops a session. It was reported above.
    if all(run.is_orderly() for run in runs.values()):
        try_session(context, name, case, seconds)
    context.count("workspaces")
    context.count("bad workspaces", len(context.failures) > failures_before)


def try_session(context, name, case, seconds):
    session = case.lab.serve(case.workspace)
    session.wait_until_ready(seconds)
    answer = session.command("taskContext", seconds, task="alpha")
    context.expect("result" in answer, f"{name}, session: {str(answer)[:200]}")
    ended = session.close()
    is_sound = ended == 0 and not session.has_panicked()
    context.expect(is_sound, f"{name}: the session ended with {ended}: {session.error_text()[-200:]}")


def change_while_indexing(context):
    """Indexes repeatedly while files grow, shrink, move and disappear."""
    case, count = context.case("changing"), 300
    for index in range(count):
        case.write(f"c{index}.py", python_module(index, count) * 20)
    stop = threading.Event()

    def churn():
        generator = random.Random(3)
        while not stop.is_set():
            index = generator.randrange(count)
            path, choice = case.workspace / f"c{index}.py", generator.random()
            try:
                if choice < 0.3:
                    path.write_text("", encoding="utf-8")
                elif choice < 0.8:
                    text = python_module(index, count, generator.randrange(99)) * generator.randrange(1, 40)
                    path.write_text(text, encoding="utf-8")
                elif choice < 0.9:
                    path.unlink()
                else:
                    path.rename(case.workspace / f"c{generator.randrange(count)}.py")
            except OSError:
                # The file was moved or removed in the meantime.
                pass
            time.sleep(0.0005)

    thread = threading.Thread(target=churn, daemon=True)
    thread.start()
    runs = [case.run("index") for _ in range(context.choose(25, 4))]
    stop.set()
    thread.join()
    for run in runs:
        context.expect(run.is_orderly(), f"changing files, index: {run.describe()}")
    case.run("index")
    root, fresh = case.lab.source_root(case.workspace), case.lab.fresh_source_root(case.workspace)
    context.expect(root == fresh, f"changing files: source_root {root}, of a fresh index {fresh}")
