"""Attacks the sockets by which sessions of one user find each other: sessions that were stopped,
fake sessions that never answer, files and links in the folder, and other users.

Criterion: every call of an agent is answered, and from the second call on without waiting for a
session that does not answer. No file but a dead socket is removed. Nobody joins, or is joined by, a
session of another user.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from .storage_locations import NOBODY
from .workspaces import write_file

# A stopped session is noticed within two seconds of a greeting every two seconds.
NOTICE_SECONDS = 12
# A call that waits for no other session. The bound is generous, because the machine may be busy.
CALL_SECONDS = 8


class Agent:
    """An agent with its own `kenning mcp`."""

    def __init__(self, lab, workspace, *arguments, env=None):
        self.process = subprocess.Popen(
            [lab.binary, "mcp", "--root", str(workspace), *map(str, arguments)],
            env=lab.env | (env or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.next_id = 0
        client = {"name": "attack", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        self.process.stdin.flush()

    def request(self, method, parameters):
        """Returns the answer to a request; an empty object if the server has ended."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": parameters})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.next_id:
                return message
        return {}

    def search(self, query):
        """Returns the text of a search and the seconds that it took."""
        start = time.monotonic()
        answer = self.request("tools/call", {"name": "search", "arguments": {"query": query}})
        content = answer.get("result", {}).get("content", [{}])
        return content[0].get("text", ""), time.monotonic() - start

    def close(self):
        self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.process.kill()


def run(context):
    """Runs all parts. The caches have short paths, because the path of a socket may have only about
    100 bytes."""
    with tempfile.TemporaryDirectory(prefix="k-", dir="/tmp") as caches:
        # Another user enters the folder.
        os.chmod(caches, 0o755)
        for part in (try_stopped_session, try_fake_sessions, try_foreign_files, try_other_user):
            part(context, pathlib.Path(caches))


def create_case(context, caches, name):
    """Creates a case with an indexed workspace, and with its cache in a folder with a short path."""
    case = context.case(name)
    case.lab.env["XDG_CACHE_HOME"] = str(caches / str(len(list(caches.iterdir()))))
    case.write("store.py", "def save_session():\n    return 1\n")
    case.run("index")
    return case


def expect_answer(context, label, agent, seconds):
    text, took = agent.search("save_session")
    context.count("calls")
    context.expect("store.py" in text, f"{label}: {text[:120]!r}")
    context.expect(took < seconds, f"{label}: {took:.1f} s")


def try_stopped_session(context, caches):
    """Stops the session of an editor before a call, and during one."""
    for moment in ("before a call", "during a call"):
        case = create_case(context, caches, f"stopped-{moment.split()[0]}")
        session = case.lab.serve(case.workspace)
        session.wait_until_ready()
        agent = Agent(case.lab, case.workspace)
        expect_answer(context, "a joined session", agent, CALL_SECONDS)
        if moment == "before a call":
            os.kill(session.pid, signal.SIGSTOP)
        else:
            # The index does not settle while files change, so the call is waiting.
            timer = threading.Timer(0.02, os.kill, (session.pid, signal.SIGSTOP))
            write_file(case.workspace / "new.py", "def new():\n    pass\n")
            timer.start()
        expect_answer(context, f"stopped {moment}", agent, NOTICE_SECONDS)
        late = Agent(case.lab, case.workspace)
        expect_answer(context, f"an agent that starts after the stop ({moment})", late, NOTICE_SECONDS)
        for who in (agent, late):
            for _ in range(context.choose(5, 2)):
                expect_answer(context, f"a later call ({moment})", who, CALL_SECONDS)
        packed = case.run("pack", "save_session", timeout=60)
        context.expect(packed.status == 0, f"pack beside a stopped session: {packed.describe()}")
        os.kill(session.pid, signal.SIGCONT)
        agent.close()
        late.close()
        context.expect(session.close() == 0, "the session did not end properly after it was continued")


def sockets_folder(case):
    """Returns the folder of the sockets of the workspace's index, which only its owner can enter."""
    cache = pathlib.Path(case.lab.env["XDG_CACHE_HOME"])
    folder = next((cache / "kenning").glob("workspace-*")) / "graph.sockets"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o700)
    return folder


def program_version(case):
    return case.lab.run("--version").out.split()[1]


class FakeSession:
    """A socket that accepts connections and behaves badly."""

    def __init__(self, path, behavior):
        self.path, self.behavior = path, behavior
        self.received = b""
        self.kept = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        self.kept.append(connection)
        with contextlib.suppress(OSError):
            if self.behavior == "closes":
                connection.close()
            elif self.behavior == "garbage":
                connection.sendall(b"Content-Length: 5\r\n\r\nhello" * 100)
            elif self.behavior == "endless":
                connection.sendall(b"Content-Length: 99999999\r\n\r\n")
                while True:
                    connection.sendall(bytes(4096))
            elif self.behavior == "drips":
                for byte in b"Content-Length: 1000\r\n\r\n" + bytes(1000):
                    connection.sendall(bytes([byte]))
                    time.sleep(0.2)
            while self.behavior in ("mute", "drips", "garbage"):
                part = connection.recv(4096)
                if not part:
                    return
                self.received += part

    def close(self):
        self.listener.close()
        for connection in self.kept:
            connection.close()


def try_fake_sessions(context, caches):
    """Puts sockets of programs that are not Kenning into the folder."""
    behaviors = ("mute", "closes", "garbage", "endless", "drips")
    for behavior in context.choose(behaviors, behaviors[:2]):
        case = create_case(context, caches, f"fake-{behavior}")
        name = f"editor-{program_version(case)}-1-0"
        fake = FakeSession(sockets_folder(case) / name, behavior)
        agent = Agent(case.lab, case.workspace)
        expect_answer(context, f"a fake session that {behavior}", agent, NOTICE_SECONDS)
        for _ in range(context.choose(4, 2)):
            expect_answer(context, f"a later call with a fake session that {behavior}", agent, CALL_SECONDS)
        packed = case.run("pack", "save_session", timeout=60)
        context.expect(packed.status == 0, f"pack, fake session that {behavior}: {packed.describe()}")
        agent.close()
        fake.close()
        context.count("fake sessions")


def try_foreign_files(context, caches):
    """Puts files into the folder, and makes the folder a link."""
    for form in ("folder", "link"):
        case = create_case(context, caches, f"files-{form}")
        folder = sockets_folder(case)
        notes = folder
        if form == "link":
            notes = case.folder / "notes"
            notes.mkdir(mode=0o700)
            shutil.rmtree(folder)
            folder.symlink_to(notes)
        for name in ("editor-notes.txt", "agent-x.md", "editor-0.1.0-1-0", "notes.txt"):
            write_file(notes / name, "mine")
        (notes / "agent-folder").mkdir()
        (notes / "editor-link").symlink_to(notes / "notes.txt")
        dead = socket.socket(socket.AF_UNIX)
        dead.bind(str(notes / "editor-0-0"))
        dead.close()
        before = {path.name for path in notes.iterdir()}
        agent = Agent(case.lab, case.workspace)
        expect_answer(context, f"files in the {form}", agent, CALL_SECONDS)
        agent.close()
        case.run("pack", "save_session")
        case.run("status")
        lost = before - {path.name for path in notes.iterdir()}
        # Only in a real folder of sockets is a dead socket Kenning's to remove.
        allowed = {"editor-0-0"} if form == "folder" else set()
        context.expect(lost <= allowed, f"files in the {form}: removed {sorted(lost - allowed)}")
        context.count("folders with files")


def try_other_user(context, caches):
    """Lets another user put a session beside a database in a shared folder, and connect to one."""
    if os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("python3"):
        context.skip("other users", "needs root and setpriv")
        return
    case = create_case(context, caches, "other-user")
    shared = caches / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    name = f"editor-{program_version(case)}-1-0"
    for mode in (0o755, 0o777, 0o700):
        database = shared / f"x{mode:o}.db"
        sockets = database.with_suffix(".sockets")
        received = run_listener_of_nobody(sockets, name, mode)
        agent = Agent(case.lab, case.workspace, "--db", database)
        expect_answer(context, f"a session of another user in a folder with {mode:o}", agent, NOTICE_SECONDS)
        agent.close()
        case.run("pack", "save_session", "--db", database)
        received.terminate()
        content = received.communicate(timeout=10)[0]
        context.expect(not content, f"another user's session received {content[:80]!r}")
        context.count("sessions of other users")
    try_guest_of_other_user(context, case, caches)


LISTENER = """
import os, socket, sys
folder, name, mode = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.umask(0)
os.makedirs(folder, mode, exist_ok=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.path.join(folder, name))
listener.listen(16)
sys.stderr.write("ready\\n")
sys.stderr.flush()
while True:
    connection, _ = listener.accept()
    data = connection.recv(65536)
    os.write(1, data)
"""


def run_listener_of_nobody(folder, name, mode):
    """Starts a program of another user that listens on a socket and prints what it receives."""
    identity = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    process = subprocess.Popen(
        [*identity, shutil.which("python3"), "-c", LISTENER, str(folder), name, str(mode)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stderr.readline()
    return process


CONNECTOR = """
import socket, sys
body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
try:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(5)
    connection.connect(sys.argv[1])
    connection.sendall(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    print(connection.recv(4096))
except OSError as error:
    print("refused", error)
"""


def try_guest_of_other_user(context, case, caches):
    """Connects to a session as another user, who could enter the folder by a mistake of its owner."""
    session = case.lab.serve(case.workspace)
    session.wait_until_ready()
    folder = sockets_folder(case)
    path = next(iter(wait_for_sockets(folder)), None)
    if not context.expect(path, "the session has no socket"):
        return
    for entry in [path, *path.parents]:
        if caches in entry.parents:
            entry.chmod(0o777)
    identity = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    connected = subprocess.run(
        [*identity, shutil.which("python3"), "-c", CONNECTOR, str(path)], capture_output=True, text=True, timeout=30
    )
    answered = "jsonrpc" in connected.stdout
    context.expect(not answered and connected.stdout, f"another user became a guest: {connected.stdout[:80]!r}")
    context.count("guests of other users")
    session.close()


def wait_for_sockets(folder):
    """Returns the sockets in a folder as soon as there is one."""
    for _ in range(100):
        found = [path for path in pathlib.Path(folder).iterdir() if path.is_socket()]
        if found:
            return found
        time.sleep(0.1)
    return []
