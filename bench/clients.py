"""Minimal clients of `kenning mcp` and `kenning serve`, and the choice of tasks for them."""
import hashlib
import json
import pathlib
import subprocess
import time

BENCH = pathlib.Path(__file__).resolve().parent


def choose_tasks(count):
    """Returns `count` tasks of the commit set, taken from the repositories in turn, in the order of
    the hashes of their ids."""
    tasks = json.loads((BENCH / "commits/tasks.json").read_text())
    tasks.sort(key=lambda task: hashlib.sha256(task["id"].encode()).digest())
    by_repo = {repo: [] for repo in sorted({task["repo"] for task in tasks})}
    for task in tasks:
        by_repo[task["repo"]].append(task)
    rounds = [queue[turn] for turn in range(count) for queue in by_repo.values() if turn < len(queue)]
    return sorted(rounds[:count], key=lambda task: task["repo"])


class Server:
    """A server process that exchanges JSON-RPC messages over standard input and output."""

    def __init__(self, command, root, environment):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, cwd=root, env=environment, **pipes)
        self.last_id = 0

    def request(self, method, params):
        """Returns the result of a request. Answers requests of the server meanwhile, and ends the
        script on an error."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while True:
            message = self.receive()
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})
            elif message.get("id") == self.last_id:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']['message']}")
                return message["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


class McpServer(Server):
    """A session of `kenning mcp` with structured answers."""

    def __init__(self, kenning, root, environment):
        super().__init__([kenning, "mcp", "--structured"], root, environment)
        client = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def call(self, name, arguments):
        """Returns the text of an answer, its note and its structured form."""
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        texts = [block["text"] for block in result["content"]]
        if result.get("isError"):
            raise SystemExit(f"{name}: {texts[0]}")
        return texts[0], texts[1], result["structuredContent"]

    def wait_until_current(self):
        """Waits until the session has checked the disk, so that no answer reports that it has
        not."""
        while "up to date" not in self.call("why", {"op": "index"})[1]:
            time.sleep(0.05)


class LanguageServer(Server):
    """A session of `kenning serve` with the settings of an editor."""

    def __init__(self, kenning, root, environment=None, settings=None):
        super().__init__([kenning, "serve"], root, environment)
        uri = root.as_uri()
        folders = [{"uri": uri, "name": root.name}]
        params = {"processId": None, "rootUri": uri, "capabilities": {}, "workspaceFolders": folders}
        self.request("initialize", params | {"initializationOptions": settings or {}})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while header := self.process.stdout.readline().strip():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def execute_command(self, name, argument):
        """Runs a command of the server and returns its result."""
        return self.request("workspace/executeCommand", {"command": name, "arguments": [argument]})

    def wait_until_current(self):
        """Waits until the session has checked the disk, so that no answer reports that it has
        not."""
        while self.execute_command("kenning.waitForIndex", {"limitMs": 600_000})["freshness"].get("disk_check_pending"):
            time.sleep(0.05)

    def close(self):
        self.request("shutdown", None)
        self.send({"method": "exit", "params": None})
        super().close()
