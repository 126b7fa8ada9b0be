"""Attacks `kenning mcp --http`: clients without the token, odd tokens, used-up descriptors, slow
clients and many sessions.

Criterion: no request without the token is answered with more than a refusal, and no token that a
client cannot send is accepted from the environment. With all descriptors used up, the server takes
less than a fifth of a core, and answers again when there are some. Half-sent requests are closed
within 25 seconds. 2,000 sessions take less than 40 MB.
"""

import contextlib
import json
import os
import re
import resource
import socket
import subprocess
import time

from . import processes
from .storage_locations import NOBODY

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "attack", "version": "1"}},
}
SLOW_SECONDS = 25
SESSION_MEGABYTES = 40
DESCRIPTORS = 64


class HttpServer:
    """A running `kenning mcp --http`."""

    def __init__(self, case, token=None, descriptors=None):
        env = dict(case.lab.env)
        if token is not None:
            env["KENNING_MCP_TOKEN"] = token
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))) if descriptors else None
        self.process = subprocess.Popen(
            [case.lab.binary, "mcp", "--root", str(case.workspace), "--http", "0"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
        )
        self.port = int(re.search(r":(\d+)/mcp", self.process.stderr.readline())[1])
        self.token = token
        if token is None:
            self.process.stderr.readline()
            found = re.search(r'"Authorization": "Bearer (\S+)"', self.process.stderr.readline())
            self.token = found[1] if found else None

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def post(self, message, token=None, session=None, **headers):
        """Sends a message on its own connection. Returns the status, the session and the body."""
        body = json.dumps(message).encode()
        lines = {
            "Host": f"127.0.0.1:{self.port}",
            "Connection": "close",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": len(body),
        }
        if token is not None:
            lines["Authorization"] = f"Bearer {token}"
        if session is not None:
            lines["Mcp-Session-Id"] = session
        head = "".join(f"{name}: {value}\r\n" for name, value in (lines | headers).items())
        with self.connect() as connection:
            connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode("utf-8", "surrogateescape") + body)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        found = re.search(rb"(?i)mcp-session-id: (\S+)", answer)
        return int(answer.split(b" ")[1]), found[1].decode() if found else None, answer

    def close(self):
        self.process.terminate()
        self.process.wait(20)


def run(context):
    """Runs all parts."""
    case = context.case("http")
    case.write("store.py", "def save_session():\n    return 1\n")
    case.run("index")
    try_tokens(context, case)
    try_other_user(context, case)
    try_used_descriptors(context, case)
    try_many_sessions(context, case)
    if not context.is_quick:
        try_slow_clients(context, case)


def try_tokens(context, case):
    """Sends requests with wrong tokens, and sets tokens that no client can send."""
    server = HttpServer(case)
    context.expect(server.token and len(server.token) >= 32, f"the token that was made is {server.token!r}")
    wrong = [None, "", " ", server.token[:-1], server.token + "0", server.token.upper() + "x", "null", "undefined"]
    for token in wrong:
        status = server.post(INITIALIZE, token)[0]
        context.expect(status == 401, f"the token {token!r}: status {status}")
        context.count("refused tokens")
    for method in ("GET", "DELETE", "OPTIONS", "PUT"):
        with server.connect() as connection:
            connection.sendall(f"{method} /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
            answer = connection.recv(4096)
        context.expect(b" 401 " in answer.split(b"\r\n")[0], f"{method} without a token: {answer[:60]!r}")
        context.count("refused tokens")
    status, session, _ = server.post(INITIALIZE, server.token)
    context.expect(status == 200 and session, f"the token that was printed: status {status}")
    server.close()
    for token in ("", " ", "\t", " a", "a ", "a\nb", "a\rb", "\u00fc", "a\x7f", "\udcff"):
        run_of_command = case.run("mcp", "--http", "0", env={"KENNING_MCP_TOKEN": token}, timeout=10)
        is_refused = run_of_command.status == 1 and "KENNING_MCP_TOKEN" in run_of_command.err
        context.expect(is_refused, f"KENNING_MCP_TOKEN={token!r}: {run_of_command.describe()}")
        context.count("odd tokens")


CLIENT_OF_NOBODY = """
import sys, urllib.request, urllib.error
body = sys.argv[2].encode()
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
try:
    with urllib.request.urlopen(urllib.request.Request(sys.argv[1], body, headers), timeout=10) as answer:
        print(answer.status, answer.read(200))
except urllib.error.HTTPError as error:
    print(error.code)
"""


def try_other_user(context, case):
    """Connects as another user of the machine, who does not know the token."""
    if os.geteuid() != 0:
        context.skip("another user", "needs root")
        return
    server = HttpServer(case)
    identity = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    url = f"http://127.0.0.1:{server.port}/mcp"
    command = [*identity, "python3", "-c", CLIENT_OF_NOBODY, url, json.dumps(INITIALIZE)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip()
    context.expect(answer == "401", f"another user got {answer[:120]!r}")
    context.count("requests of other users")
    server.close()


def try_used_descriptors(context, case):
    """Opens more connections than the server has descriptors."""
    server = HttpServer(case, descriptors=DESCRIPTORS)
    server.post(INITIALIZE, server.token)
    connections = []
    for _ in range(100):
        with contextlib.suppress(OSError):
            connections.append(server.connect())
    time.sleep(1)
    before, seconds = processes.cpu_seconds(server.process.pid), 5
    time.sleep(seconds)
    used = (processes.cpu_seconds(server.process.pid) - before) / seconds
    context.figure("share of a core without descriptors", f"{used:.2f}")
    context.expect(used < 0.2, f"without descriptors the server takes {used:.2f} of a core")
    for connection in connections:
        connection.close()
    time.sleep(2)
    status = server.post(INITIALIZE, server.token)[0]
    context.expect(status == 200, f"after the descriptors were freed: status {status}")
    context.count("connections", len(connections))
    server.close()


def try_many_sessions(context, case):
    """Begins sessions without closing them."""
    server = HttpServer(case)
    for _ in range(80):
        server.post(INITIALIZE, server.token)
    before = processes.resident_megabytes(server.process.pid)
    count = context.choose(2000, 300)
    session = None
    for _ in range(count):
        status, session, _ = server.post(INITIALIZE, server.token)
        context.expect(status == 200, f"initialize: status {status}")
    grown = processes.resident_megabytes(server.process.pid) - before
    context.count("sessions", count)
    context.figure("MB of sessions", f"{grown:.0f}")
    context.expect(grown < SESSION_MEGABYTES, f"{count} sessions take {grown:.0f} MB")
    status = server.post({"jsonrpc": "2.0", "id": 2, "method": "ping"}, server.token, session)[0]
    context.expect(status == 200, f"the newest session: status {status}")
    server.close()


def try_slow_clients(context, case):
    """Sends parts of requests, and waits until the server closes the connections."""
    server = HttpServer(case)
    parts = (b"", b"P", b"POST /mcp HTTP/1.1\r\n", b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"a" * 100)
    slow = [server.connect() for _ in range(context.choose(400, 40))]
    for number, connection in enumerate(slow):
        connection.sendall(parts[number % len(parts)])
    start = time.monotonic()
    for connection in slow:
        connection.settimeout(max(0.1, SLOW_SECONDS - (time.monotonic() - start)))
        with contextlib.suppress(ConnectionError):
            try:
                while connection.recv(4096):
                    pass
            except TimeoutError:
                context.fail(f"a half-sent request is still open after {SLOW_SECONDS} seconds")
                break
    context.count("slow clients", len(slow))
    status = server.post(INITIALIZE, server.token)[0]
    context.expect(status == 200, f"after slow clients: status {status}")
    server.close()
