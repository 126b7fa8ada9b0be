"""A language client that writes raw bytes, so that it can also send malformed messages."""

import json
import os
import pathlib
import queue
import subprocess
import tempfile
import threading
import time

from . import processes

# The answer to each request that is pending when the server ends.
ENDED = {"error": {"code": "eof", "message": "the server closed its output"}}

# The types of file events in the protocol.
CREATED, CHANGED, DELETED = 1, 2, 3

CAPABILITIES = {
    "window": {"workDoneProgress": True},
    "workspace": {"workspaceFolders": True, "didChangeWatchedFiles": {"dynamicRegistration": True}},
    "general": {"positionEncodings": ["utf-16"]},
}


def frame(body, length=None):
    """Returns a message with its header. `length` overrides the announced size."""
    return b"Content-Length: %d\r\n\r\n" % (len(body) if length is None else length) + body


def position(line, character):
    """Returns a position of the protocol."""
    return {"line": line, "character": character}


def text_range(start, end):
    """Returns a range of the protocol from two (line, character) pairs."""
    return {"start": position(*start), "end": position(*end)}


class Client:
    """A session of `kenning serve`. Answers are matched by id. Answers without a pending request
    are collected in `stray`."""

    def __init__(self, lab, workspace=None, options=None, env=None, wrapper=(), initialize=True):
        self.lab = lab
        self.root = pathlib.Path(workspace).resolve() if workspace else None
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*wrapper, lab.binary, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=lab.env | (env or {}),
            cwd=lab.folder,
        )
        self.pid = self.process.pid
        processes.limit_address_space(self.pid)
        self.write_lock = threading.Lock()
        self.next_id = 0
        self.pending = {}
        self.has_ended = False
        self.stray = []
        self.peak_megabytes = 0.0
        self.replies = queue.Queue()
        threading.Thread(target=self.read_messages, daemon=True).start()
        threading.Thread(target=self.write_replies, daemon=True).start()
        threading.Thread(target=self.watch_memory, daemon=True).start()
        if initialize:
            self.initialize(options)

    def initialize(self, options):
        """Opens the workspace as an editor does."""
        parameters = {
            "processId": os.getpid(),
            "rootUri": self.root.as_uri(),
            "workspaceFolders": [{"uri": self.root.as_uri(), "name": self.root.name}],
            "capabilities": CAPABILITIES,
            "initializationOptions": options,
        }
        self.request("initialize", parameters)
        self.notify("initialized", {})

    def send_bytes(self, content):
        """Writes raw bytes to the server. Returns whether the server could read them."""
        try:
            with self.write_lock:
                self.process.stdin.write(content)
                self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            return False
        return True

    def send(self, **message):
        """Sends one message. Returns whether the server could read it."""
        return self.send_bytes(frame(json.dumps({"jsonrpc": "2.0"} | message).encode()))

    def read_messages(self):
        """Reads messages until the server closes its output. Answers requests of the server with
        null."""
        try:
            while True:
                message = self.read_message()
                if message is None:
                    break
                if "method" in message:
                    if "id" in message:
                        self.answer_server(message)
                elif message.get("id") in self.pending:
                    self.pending.pop(message["id"]).put(message)
                else:
                    self.stray.append(message)
        except (ValueError, OSError) as error:
            self.stray.append({"reader": repr(error)})
        self.has_ended = True
        for answer in list(self.pending.values()):
            answer.put(ENDED)

    def read_message(self):
        """Returns the next message, or None at the end of the output."""
        length = None
        while True:
            header = self.process.stdout.readline()
            if not header:
                return None
            if header in (b"\r\n", b"\n"):
                return json.loads(self.process.stdout.read(length))
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])

    def write_replies(self):
        """Sends the answers to the server's requests. A separate thread writes them, because the
        reader must never block."""
        while self.is_alive():
            try:
                reply = self.replies.get(timeout=1)
            except queue.Empty:
                continue
            self.send(**reply)

    def answer_server(self, message):
        """Queues the answer to a request of the server."""
        is_configuration = message["method"] == "workspace/configuration"
        items = (message.get("params") or {}).get("items", [])
        self.replies.put({"id": message["id"], "result": [None] * len(items) if is_configuration else None})

    def watch_memory(self):
        """Records the peak of the server's memory and kills the server at the limit."""
        while self.is_alive():
            now = processes.resident_megabytes(self.pid)
            self.peak_megabytes = max(self.peak_megabytes, now)
            if now > processes.MEMORY_LIMIT_MEGABYTES:
                processes.kill_process(self.pid)
            time.sleep(0.05)

    def send_request(self, method, parameters, identifier=None):
        """Sends a request without waiting. Returns its id and the queue in which its answer
        arrives."""
        if identifier is None:
            self.next_id += 1
            identifier = self.next_id
        answer = queue.Queue()
        self.pending[identifier] = answer
        if not self.send(id=identifier, method=method, params=parameters):
            answer.put({"error": {"code": "pipe", "message": "the server closed its input"}})
        elif self.has_ended:
            # The reader may have answered the pending requests before this one was added.
            answer.put(ENDED)
        return identifier, answer

    def request(self, method, parameters, timeout=120):
        """Sends a request and returns the answer, or an error with the code `timeout`."""
        _, answer = self.send_request(method, parameters)
        return wait_for_answer(answer, timeout)

    def notify(self, method, parameters):
        """Sends a notification."""
        return self.send(method=method, params=parameters)

    def command(self, name, timeout=300, **argument):
        """Runs one of Kenning's commands, such as `taskContext`, and returns the whole answer."""
        return self.request("workspace/executeCommand", command_parameters(name, argument), timeout)

    def send_command(self, name, **argument):
        """Starts one of Kenning's commands without waiting for its answer."""
        return self.send_request("workspace/executeCommand", command_parameters(name, argument))

    def status(self, timeout=60):
        """Returns the result of kenning.status, or an empty object if there is no answer."""
        return self.command("status", timeout).get("result") or {}

    def uri(self, relative):
        """Returns the URI of a file of the workspace."""
        return (self.root / relative).as_uri()

    def open(self, relative, text, version=1, language="python"):
        """Opens a document with a text, which may differ from the file on disk."""
        document = {"uri": self.uri(relative), "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, relative, version, changes):
        """Sends content changes to an open document."""
        document = {"uri": self.uri(relative), "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def save(self, relative):
        """Notifies the server that a document was saved."""
        self.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(relative)}})

    def close_document(self, relative):
        """Closes a document."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(relative)}})

    def report_files(self, kind, *relatives):
        """Notifies the server that files were created, changed or deleted on disk."""
        changes = [{"uri": self.uri(relative), "type": kind} for relative in relatives]
        self.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def hover(self, relative, line, character, timeout=60):
        """Requests the hover at a position and returns the whole answer."""
        document = {"uri": self.uri(relative)}
        parameters = {"textDocument": document, "position": position(line, character)}
        return self.request("textDocument/hover", parameters, timeout)

    def wait_until_ready(self, limit=60):
        """Waits at most `limit` seconds until everything is indexed. Returns the last status."""
        deadline = time.monotonic() + limit
        status = {}
        while time.monotonic() < deadline and self.is_alive():
            status = self.status()
            is_pending = status.get("pending_files") or status.get("disk_check_pending")
            if status.get("phase") == "failed" or (status.get("phase") == "ready" and not is_pending):
                break
            time.sleep(0.1)
        return status

    def is_alive(self):
        """Whether the server is running."""
        return self.process.poll() is None

    def error_text(self):
        """Returns the server's standard error so far."""
        return os.pread(self.errors.fileno(), 1 << 24, 0).decode("utf-8", "replace")

    def has_panicked(self):
        """Whether the server reported a panic, even if it survived it."""
        return "panicked" in self.error_text()

    def kill(self):
        """Kills the server with SIGKILL and returns its exit status."""
        processes.kill_process(self.pid)
        return self.process.wait()

    def close(self, timeout=20):
        """Shuts the session down. Returns the exit status, or `hung` if the server had to be
        killed."""
        if self.is_alive():
            self.request("shutdown", None, timeout)
            self.notify("exit", None)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            return "hung"


def command_parameters(name, argument):
    """Returns the parameters of workspace/executeCommand for one of Kenning's commands."""
    return {"command": f"kenning.{name}", "arguments": [argument]}


def wait_for_answer(answer, timeout):
    """Waits for the answer in a queue. Returns an error with the code `timeout` if there is none
    in time."""
    try:
        return answer.get(timeout=timeout)
    except queue.Empty:
        return {"error": {"code": "timeout", "message": f"no answer in {timeout} s"}}


def error_code(answer):
    """Returns the code of an answer's error, or `ok`."""
    return (answer.get("error") or {}).get("code", "ok")
