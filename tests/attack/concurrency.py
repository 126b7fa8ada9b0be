"""Uses one workspace concurrently: packs, indexes, sessions, checkouts, a writer, a nested
workspace, a worktree.

Criterion: no call takes longer than its limit and none is stuck at the end; no command fails;
sessions, the index, the worktree and the nested workspace have the source_root of a fresh index;
sessions end with 0.
"""

import threading
import time

from .workspaces import commit_all, git, read_text, source_files

# Number of loops that request packs.
PACK_LOOPS = 8
# Time limit of a call in seconds.
CALL_SECONDS = 120


def run(context):
    """Runs all loops for 45 seconds and compares the results."""
    attack = ConcurrencyAttack(context)
    attack.loop_everything(context.choose(45, 6))
    attack.judge()


class ConcurrencyAttack:
    """A repository with two branches and a worktree, and the loops that use it."""

    def __init__(self, context):
        self.context = context
        self.random = context.random()
        self.workspace = context.workspace()
        self.worktree = context.folder / "worktree"
        self.files = source_files(self.workspace)
        self.make_branches()
        self.nested = max(
            (path for path in self.workspace.iterdir() if path.is_dir() and path.name != ".git"),
            key=lambda path: len(source_files(path)),
        )
        self.lab = context.lab()
        self.sessions = [self.lab.serve(self.workspace) for _ in range(2)]
        self.stop = threading.Event()
        # Taken while files are written, so that two writers never write the same file.
        self.tree_lock = threading.Lock()
        self.version = 1
        self.slowest = (0.0, "")
        self.failures = {}

    def make_branches(self):
        """Commits the workspace, and a branch `side` in which files differ or are gone."""
        commit_all(self.workspace, "Base")
        git(self.workspace, "checkout", "-q", "-b", "side")
        for path in self.random.sample(self.files, len(self.files) // 3):
            content = path.read_bytes().replace(b"self", b"this").replace(b"return", b"return ")
            path.write_bytes(content + b"\n")
        for path in self.random.sample(self.files, len(self.files) // 10):
            path.unlink()
        commit_all(self.workspace, "Side")
        git(self.workspace, "checkout", "-q", "main")
        git(self.workspace, "worktree", "add", "-q", str(self.worktree), "side")

    def loop_everything(self, seconds):
        """Runs each loop in its own thread and waits for their last calls."""
        loops = [("pack", self.pack)] * PACK_LOOPS + [
            ("index", lambda _: self.lab.run("index", self.workspace, timeout=CALL_SECONDS)),
            ("nested pack", lambda _: self.lab.run("pack", "--root", self.nested, "request", timeout=CALL_SECONDS)),
            ("worktree pack", lambda _: self.lab.run("pack", "--root", self.worktree, "request", timeout=CALL_SECONDS)),
            ("checkout", self.check_out),
            ("write", self.write),
        ]
        loops += [("session", lambda turn, session=session: self.edit_in(session, turn)) for session in self.sessions]
        threads = [threading.Thread(target=self.loop, args=loop, daemon=True) for loop in loops]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        self.stop.set()
        for thread in threads:
            thread.join(CALL_SECONDS + 30)
        stuck = sum(thread.is_alive() for thread in threads)
        self.context.expect(not stuck, f"{stuck} loops are stuck")
        self.context.figure("slowest", f"{self.slowest[1]} {self.slowest[0]:.1f} s")

    def loop(self, name, action):
        """Repeats an action until the end, and records its failures and its slowest call."""
        turn = 0
        while not self.stop.is_set():
            start = time.monotonic()
            try:
                run = action(turn)
            except Exception as error:  # Report the failure of a thread.
                self.record_failure(name, repr(error))
                run = None
            self.slowest = max(self.slowest, (time.monotonic() - start, name))
            self.context.count(name)
            turn += 1
            if run is not None and (run.status != 0 or run.err.strip()):
                self.record_failure(name, f"status {run.status} {run.err.strip()[:200]}")

    def record_failure(self, name, message):
        self.failures[name, message] = self.failures.get((name, message), 0) + 1

    def pack(self, turn):
        task = f"request handler {turn % 5}"
        return self.lab.run("pack", "--root", self.workspace, task, timeout=CALL_SECONDS)

    def check_out(self, turn):
        time.sleep(0.7)
        with self.tree_lock:
            git(self.workspace, "checkout", "-qf", ("side", "main")[turn % 2], check=False)

    def write(self, _):
        path = self.random.choice(self.files)
        with self.tree_lock:
            if path.exists():
                path.write_bytes(path.read_bytes() + b"\n")
        time.sleep(0.03)

    def edit_in(self, session, turn):
        """Opens a document, edits it, requests a pack, sometimes saves, and closes it."""
        path = self.random.choice(self.files)
        relative = str(path.relative_to(self.workspace))
        try:
            text = read_text(path)
        except FileNotFoundError:
            # The other branch does not have the file.
            return
        self.version += 2
        session.open(relative, text, self.version)
        session.change(relative, self.version + 1, [{"text": f"{text}\n# {turn}\n"}])
        answer = session.command("taskContext", CALL_SECONDS, task=f"handler request {turn % 7}")
        if "result" not in answer:
            self.record_failure("session", str(answer)[:200])
        if turn % 3 == 0:
            with self.tree_lock:
                if path.exists():
                    path.write_text(f"{text}\n# saved {turn}\n", encoding="utf-8")
                    session.save(relative)
        session.close_document(relative)
        session.report_files(2, relative)
        time.sleep(0.02)

    def judge(self):
        """Reports the failures, and compares all source roots with fresh indexes."""
        context, lab = self.context, self.lab
        for (name, message), times in sorted(self.failures.items(), key=lambda item: -item[1]):
            context.fail(f"{name}, {times} times: {message}")
        for session in self.sessions:
            session.command("reindex", 120)
        roots = {}
        for index, session in enumerate(self.sessions):
            roots[f"session {index}"] = session.wait_until_ready(120).get("source_root")
        fresh = lab.fresh_source_root(self.workspace)
        lab.run("index", self.workspace)
        roots["index"] = lab.source_root(self.workspace)
        for name, root in roots.items():
            context.expect(root == fresh, f"{name}: source_root {root}, of a fresh index {fresh}")
        for name, folder in {"worktree": self.worktree, "nested workspace": self.nested}.items():
            indexed = lab.run("index", folder)
            context.expect(indexed.status == 0, f"{name}: {indexed.describe()}")
            root, expected = lab.source_root(folder), lab.fresh_source_root(folder)
            context.expect(root == expected, f"{name}: source_root {root}, of a fresh index {expected}")
        ended = [session.close() for session in self.sessions]
        context.expect(ended == [0, 0], f"sessions ended with {ended}")
