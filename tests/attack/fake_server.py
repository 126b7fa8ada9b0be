#!/usr/bin/env python3
"""A language server for Python that can lie, hang, crash or flood: fake_server.py MODE TAG.

fake_servers.py puts it on the search path under the name of a real server. TAG is on its command
line and on those of its children. In the mode `honest`, it answers requests for definitions,
references and symbols of Python files from their text.
"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
TAG = sys.argv[2] if len(sys.argv) > 2 else "untagged"
# The number of the request at which `crash` and `abort` end the process, and of the first one at
# which most other modes misbehave.
LAST_REQUEST = 20
FIRST_BAD_REQUEST = 6

DEFINITION = re.compile(r"\s*(def|class) (\w+)")
FUNCTION, CLASS = 12, 5

# Requests that only a server may send, and requests that neither side may send.
INTRUSIVE_REQUESTS = (
    "workspace/applyEdit",
    "window/showDocument",
    "workspace/configuration",
    "client/registerCapability",
    "window/showMessageRequest",
    "workspace/workspaceFolders",
    "evil/run",
)
ILL_TYPED = (5, "x", [[]], [{"uri": 5}], {"uri": None, "range": "x"}, True, [None], {})


def ignore_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)


def start_children():
    """Starts three children. The last one creates its own session, so that it belongs to no
    known group or terminal."""
    for index in range(3):
        subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(1000)", TAG],
            start_new_session=index == 2,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def text_range(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


class FakeServer:
    """Reads requests from standard input and answers them, or misbehaves according to the mode."""

    def __init__(self):
        self.write_lock = threading.Lock()
        self.documents = {}
        self.definitions = {}
        self.root = "."
        self.requests = 0
        self.delayed = []

    def write(self, content):
        with self.write_lock:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()

    def write_body(self, body, length=None):
        self.write(b"Content-Length: %d\r\n\r\n" % (len(body) if length is None else length) + body)

    def send(self, **message):
        self.write_body(json.dumps({"jsonrpc": "2.0"} | message).encode())

    def read_document(self, uri):
        if uri in self.documents:
            return self.documents[uri]
        try:
            return pathlib.Path(uri.removeprefix("file://")).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def find_word(self, uri, position):
        lines = self.read_document(uri).split("\n")
        line = lines[position["line"]] if position["line"] < len(lines) else ""
        for match in re.finditer(r"\w+", line):
            if match.start() <= position["character"] <= match.end():
                return match.group(0)
        return None

    def scan_root(self):
        for path in sorted(pathlib.Path(self.root).rglob("*.py")):
            for index, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n")):
                match = DEFINITION.match(line)
                if match:
                    place = {"uri": path.as_uri(), "range": text_range(index, match.start(2), match.end(2))}
                    self.definitions.setdefault(match.group(2), []).append(place)

    def list_symbols(self, uri):
        symbols = []
        for index, line in enumerate(self.read_document(uri).split("\n")):
            match = DEFINITION.match(line)
            if match:
                symbols.append(
                    {
                        "name": match.group(2),
                        "kind": FUNCTION if match.group(1) == "def" else CLASS,
                        "range": text_range(index, 0, len(line)),
                        "selectionRange": text_range(index, match.start(2), match.end(2)),
                    }
                )
        return symbols

    def find_definition(self, parameters):
        uri = parameters["textDocument"]["uri"]
        if MODE == "foreign":
            return [{"uri": "file:///somewhere/else/repo/x.py", "range": text_range(3, 4, 9)}]
        if MODE == "outside":
            places = ("file:///etc/passwd", f"file://{self.root}/../../secret.py", "http://evil/x.py")
            return [{"uri": place, "range": text_range(0, 0, 4)} for place in places]
        if MODE == "negative":
            last = {"line": 2**32 - 1, "character": 2**32 - 1}
            return [{"uri": uri, "range": {"start": last, "end": {"line": 0, "character": 0}}}]
        known = self.definitions.get(self.find_word(uri, parameters["position"]) or "", [])
        if MODE == "wrong" and known and random.random() < 0.7:
            return [random.choice([places[0] for places in self.definitions.values()])]
        here = [place for place in known if place["uri"] == uri]
        return here[:1] or known[:1]

    def find_references(self, parameters):
        word = self.find_word(parameters["textDocument"]["uri"], parameters["position"]) or "?"
        whole_word = re.compile(rf"\b{re.escape(word)}\b")
        references = []
        for path in sorted(pathlib.Path(self.root).rglob("*.py")):
            for index, line in enumerate(self.read_document(path.as_uri()).split("\n")):
                for match in whole_word.finditer(line):
                    references.append({"uri": path.as_uri(), "range": text_range(index, match.start(), match.end())})
        return references

    def initialize(self, identifier, parameters):
        self.root = (parameters.get("rootUri") or "file://.").removeprefix("file://")
        self.scan_root()
        providers = (
            "definition",
            "references",
            "documentSymbol",
            "implementation",
            "hover",
            "typeDefinition",
            "callHierarchy",
            "typeHierarchy",
            "workspaceSymbol",
        )
        capabilities = {f"{name}Provider": True for name in providers} | {"textDocumentSync": 1}
        self.send(id=identifier, result={"capabilities": capabilities, "serverInfo": {"name": "fake", "version": "1"}})

    def handle(self, message):
        """Handles one message of the client."""
        method, parameters, identifier = message.get("method"), message.get("params") or {}, message.get("id")
        if method == "initialize":
            self.initialize(identifier, parameters)
        elif method == "textDocument/didOpen":
            self.documents[parameters["textDocument"]["uri"]] = parameters["textDocument"]["text"]
        elif method == "textDocument/didChange":
            self.documents[parameters["textDocument"]["uri"]] = parameters["contentChanges"][-1]["text"]
        elif method == "textDocument/didClose":
            self.documents.pop(parameters["textDocument"]["uri"], None)
        elif method in ("exit", "shutdown"):
            self.end(method, identifier)
        elif identifier is not None and method is not None:
            self.requests += 1
            if not self.misbehave(identifier):
                self.answer(method, parameters, identifier)

    def end(self, method, identifier):
        if MODE == "ignore_exit":
            return
        if method == "exit":
            os._exit(0)
        self.send(id=identifier, result=None)

    def misbehave(self, identifier):
        """Misbehaves according to the mode. Returns whether the request gets no regular answer."""
        if MODE == "mute":
            return True
        if MODE == "slow":
            time.sleep(3)
        if self.requests >= LAST_REQUEST and MODE in ("crash", "abort"):
            if MODE == "crash":
                os._exit(139)
            os.kill(os.getpid(), signal.SIGSEGV)
        if MODE == "badjson" and self.requests % 3 == 0:
            self.write_body(b"{nope")
            return True
        if MODE == "chatty":
            for index, question in enumerate(INTRUSIVE_REQUESTS):
                self.send(id=f"question-{index}", method=question, params={})
        if MODE == "flood":
            for _ in range(200):
                self.send(method="window/logMessage", params={"type": 3, "message": "F" * 2000})
        if self.requests == FIRST_BAD_REQUEST and MODE == "spin":
            threading.Thread(target=spin_forever, daemon=True).start()
        return self.requests >= FIRST_BAD_REQUEST and self.send_too_much(identifier)

    def send_too_much(self, identifier):
        """Sends or allocates too much in the modes about size. Returns whether the request gets
        no regular answer."""
        head = b'{"jsonrpc":"2.0","id":%d,"result":' % identifier
        if MODE == "memory":
            self.delayed.append(os.urandom(1 << 20) * 200)
            return False
        if MODE == "huge":
            self.write_body(head + b'["' + b"A" * 100_000_000 + b'"]}')
        elif MODE == "hugelist":
            place = f"file://{self.root}/pkg/m"
            places = [{"uri": f"{place}{index}.py", "range": text_range(index, 4, 9)} for index in range(1_000_000)]
            self.send(id=identifier, result=places)
        elif MODE == "hugeheader":
            self.write(b"X-A: " + b"B" * 200_000_000)
        elif MODE == "endless":
            self.write(b"Content-Length: 99999999999999\r\n\r\n{")
            for _ in range(3000):
                self.write(b"x" * 1_000_000)
        elif MODE == "garbage":
            self.write(os.urandom(100_000))
        elif MODE == "deep":
            self.write_body(head + b"[" * 5_000_000 + b"]" * 5_000_000 + b"}")
        else:
            return False
        return True

    def answer(self, method, parameters, identifier):
        result = None
        if method == "textDocument/definition":
            result = self.find_definition(parameters)
        elif method == "textDocument/documentSymbol":
            result = self.list_symbols(parameters["textDocument"]["uri"])
        elif method == "textDocument/references":
            result = self.find_references(parameters)
        elif method in ("textDocument/implementation", "textDocument/typeDefinition", "workspace/symbol"):
            result = []
        if MODE == "badtypes":
            result = random.choice(ILL_TYPED)
        if MODE == "errors":
            self.send(id=identifier, error={"code": -32801, "message": "\x1b[31mevil\x1b[0m\n```"})
        elif MODE == "swap":
            self.send(id=identifier + random.choice([-1, 0, 1]), result=result)
        elif MODE == "reorder":
            self.delay_answer({"id": identifier, "result": result})
        else:
            self.send(id=identifier, result=result)
        if MODE == "dup_ids":
            self.send(id=identifier, result=[])
            self.send(id=identifier + 100_000, result=[])

    def delay_answer(self, answer):
        """Delays an answer until there are three or half a second has passed, and then sends
        them in random order."""
        self.delayed.append(answer)
        if len(self.delayed) < 3:
            threading.Timer(0.5, self.release_answers).start()
        else:
            self.release_answers()

    def release_answers(self):
        answers, self.delayed = self.delayed, []
        random.shuffle(answers)
        for answer in answers:
            self.send(**answer)

    def read_message(self):
        """Returns the next message, or None at the end of the input."""
        length = 0
        while True:
            header = sys.stdin.buffer.readline()
            if not header:
                return None
            if header in (b"\r\n", b"\n"):
                return json.loads(sys.stdin.buffer.read(length))
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])


def spin_forever():
    while True:
        pass


def main():
    if MODE in ("ignore_exit", "fork"):
        ignore_signals()
    if MODE == "fork":
        start_children()
    server = FakeServer()
    try:
        while True:
            message = server.read_message()
            if message is None:
                break
            server.handle(message)
    except BrokenPipeError:
        pass
    if MODE == "ignore_exit":
        time.sleep(1000)
    os._exit(0)


if __name__ == "__main__":
    main()
