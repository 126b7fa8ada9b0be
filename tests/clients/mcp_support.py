"""Workspaces and agents for the tests of `kenning mcp`."""

import asyncio
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import pytest
from mcp import Client, StdioServerParameters
from support import KENNING, build_environment, write_files

LIFECYCLES = ["legacy", "2026-07-28"]
TOPICS = ["invoice", "refund", "voucher", "parcel", "ledger", "quota", "tariff", "mandate"]
STEPS = ["create", "validate", "round", "archive", "export", "cancel"]


def build_files():
    """Returns the files of a workspace that is too large for one pack: eight topics with code and
    tests."""
    files = {"kenning.toml": "", "shop/__init__.py": ""}
    for topic in TOPICS:
        lines = []
        for number, step in enumerate(STEPS):
            lines += [f"def {step}_{topic}({topic}, amount):", f'    """{step.title()} the {topic} of a customer."""']
            lines += [f"    total = {topic}.amount * amount + {line}" for line in range(30)]
            lines += [f"    {STEPS[number - 1]}_{topic}({topic}, total)"] if number else []
            lines += ["    return total", "", ""]
        files[f"shop/{topic}.py"] = "\n".join(lines)
        names = ", ".join(f"{step}_{topic}" for step in STEPS)
        tests = "\n\n".join(f"def test_{step}_{topic}():\n    assert {step}_{topic}(1, 2)\n" for step in STEPS)
        files[f"tests/test_{topic}.py"] = f"from shop.{topic} import {names}\n\n\n{tests}"
    return files


class AgentWorkspace:
    """A workspace with its own caches, whose path is short enough for sockets."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "work é"
        self.environment = build_environment(folder / "home")
        write_files(self.root, build_files())

    def client(self, lifecycle, *options):
        """Returns an agent that starts its own server."""
        return Client(self.parameters(KENNING, "mcp", *options), mode=lifecycle)

    def client_with_pid(self, lifecycle, file):
        """Returns an agent whose server writes its process id into a file."""
        return Client(self.parameters("sh", "-c", f'echo $$ > "{file}"; exec "{KENNING}" mcp'), mode=lifecycle)

    def parameters(self, command, *arguments):
        return StdioServerParameters(command=command, args=list(arguments), env=self.environment, cwd=self.root)

    def run(self, *arguments):
        """Returns the output of a command."""
        command = [KENNING, *arguments]
        result = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=True)
        return result.stdout

    def sockets(self):
        """Returns the names of the sockets of all sessions on this workspace."""
        return sorted(path.name for path in self.folder.glob("home/kenning/*/graph.sockets/*"))

    def kill(self, pid_file):
        """Kills the server that wrote the file."""
        os.kill(int(pid_file.read_text()), signal.SIGKILL)


@pytest.fixture
def workspace():
    with tempfile.TemporaryDirectory(prefix="kn", ignore_cleanup_errors=True) as folder:
        yield AgentWorkspace(pathlib.Path(folder).resolve())


@contextlib.contextmanager
def serve_http(workspace, **environment):
    """Runs `kenning mcp --http` on a free port. Yields its URL, and the header with the token that
    it prints, or that `KENNING_MCP_TOKEN` sets."""
    command = [KENNING, "mcp", "--http", "0"]
    token = environment.get("KENNING_MCP_TOKEN")
    environment = workspace.environment | environment
    server = subprocess.Popen(command, cwd=workspace.root, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", server.stderr.readline())[0]
        while token is None:
            printed = re.search(r'Bearer ([^"]+)', server.stderr.readline())
            token = printed and printed[1]
        yield url, {"Authorization": f"Bearer {token}"}
    finally:
        server.kill()
        server.wait()


async def ask(client, tool, **arguments):
    """Returns the text and the note of an answer."""
    result = await client.call_tool(tool, arguments)
    texts = [block.text for block in result.content]
    assert not result.is_error, texts[0]
    return texts[0], texts[1]


async def expect_error(client, tool, **arguments):
    """Returns the text of the error that a tool answers with."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content[0].text
    return result.content[0].text


async def wait_until_current(client):
    """Waits until the session has checked the disk, so that no pack reports a pending check."""
    while "up to date" not in (await ask(client, "why", op="index"))[1]:
        await asyncio.sleep(0.05)


def read_pack_root(note):
    """Returns the `pack_root` of an answer from its note."""
    return re.search(r"pack_root (\w+)", note)[1]
