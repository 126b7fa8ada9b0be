"""Tests `kenning mcp` with the official SDK for Python, in both lifecycles of the protocol: with
`initialize`, and without sessions (2026-07-28).
"""

import asyncio
import json
import subprocess
import time

import pytest
from mcp import MCPError
from mcp_support import LIFECYCLES, TOPICS, ask, expect_error, read_pack_root, wait_until_current, workspace
from support import KENNING

# The budget of a tool if a call names none, in tokens.
DEFAULT_BUDGET = 4000
TOOLS = ["pack", "blast", "tests", "search", "why"]
CALLS = {
    "pack": {"task": "round the total of an invoice"},
    "blast": {"symbol": "round_refund"},
    "tests": {"files": ["shop/parcel.py"]},
    "search": {"query": "archive voucher"},
    "why": {"task": "round invoice", "symbol": "round_invoice"},
}
EXPECTED = {
    "pack": "def round_invoice(",
    "blast": "archive_refund",
    "tests": "test_round_parcel",
    "search": "archive_voucher",
    "why": "# Why `round_invoice`\n\nfunction in `shop/invoice.py`\n\nRanked 1st",
}


@pytest.fixture(params=LIFECYCLES)
async def client(request, workspace):
    """Yields an agent. One task opens and closes it, as its library requires."""
    opened, is_done = asyncio.get_running_loop().create_future(), asyncio.Event()

    async def hold():
        async with workspace.client(request.param) as client:
            opened.set_result(client)
            await is_done.wait()

    holder = asyncio.create_task(hold())
    await asyncio.wait([opened, holder], return_when=asyncio.FIRST_COMPLETED)
    if not opened.done():
        await holder
    yield opened.result()
    is_done.set()
    await holder


async def test_every_tool_is_listed_with_texts_that_no_client_cuts(client):
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS
    for tool in tools:
        assert 0 < len(tool.description.encode()) < 2048, tool.name
        assert tool.annotations.read_only_hint, tool.name
        assert tool.output_schema is None, tool.name
    if client.protocol_version != "2026-07-28":
        assert client.server_info.name == "kenning"
        assert len(client.instructions.encode()) < 2048


async def test_every_tool_answers(client):
    for tool in TOOLS:
        text, note = await ask(client, tool, **CALLS[tool])
        assert EXPECTED[tool] in text, tool
        assert note.startswith("Index of "), tool
    assert "symbols" in (await ask(client, "why", op="index"))[0]
    assert "def create_quota" in (await ask(client, "pack", op="files", files=["shop/quota.py"]))[0]


async def test_a_client_with_automatic_negotiation_gets_the_new_lifecycle(workspace):
    async with workspace.client("auto") as client:
        assert client.protocol_version == "2026-07-28"
        assert client.server_info.name == "kenning"
        assert "pack" in client.instructions
        assert (await ask(client, "search", **CALLS["search"]))[0]


@pytest.mark.parametrize("lifecycle", LIFECYCLES)
async def test_packs_equal_those_of_the_command_line(workspace, lifecycle):
    workspace.run("index")
    tasks = [{"task": f"{step} the {topic} of a customer"} for topic in TOPICS[:5] for step in ("round", "archive")]
    for arguments in [*tasks, tasks[0] | {"budget": 900}]:
        # A session ranks recently shown symbols higher, so each task has a session of its own.
        async with workspace.client(lifecycle) as client:
            await wait_until_current(client)
            text, _ = await ask(client, "pack", **arguments)
        budget = str(arguments.get("budget", DEFAULT_BUDGET))
        assert text == workspace.run("pack", "--budget", budget, arguments["task"]), arguments


async def test_a_pack_that_the_agent_has_is_not_sent_again(client, workspace):
    task = "round the total of an invoice"
    text, note = await ask(client, "pack", task=task)
    root = read_pack_root(note)
    unchanged, _ = await ask(client, "pack", task=task, pack_root=root)
    assert unchanged.startswith(f"Pack `{root}` is unchanged"), unchanged
    file = workspace.root / "shop/invoice.py"
    file.write_text(file.read_text().replace("    return total", "    return total + 7", 3))
    delta, _ = await ask(client, "pack", task=task, pack_root=root)
    assert f"instead of `{root}`" in delta and "return total + 7" in delta
    assert len(delta) < len(text)


async def test_pages_are_disjoint(workspace):
    async with workspace.client("legacy", "--structured") as client:
        assert (await client.list_tools()).tools[0].output_schema == {"type": "object"}
        shown, arguments = [], {"task": "round the total of an invoice", "budget": 1500}
        for _ in range(3):
            result = await client.call_tool("pack", arguments)
            page = result.structured_content
            symbols = [symbol["id"] for symbol in page["symbols"]]
            assert symbols and not set(symbols) & set(shown)
            shown += symbols
            arguments["continue_from"] = page["pack_root"]
        assert "is not known" in await expect_error(client, "pack", **arguments | {"continue_from": "0123456789ab"})


async def test_feedback_is_recorded(client):
    task = "round the total of an invoice"
    _, note = await ask(client, "pack", task=task)
    feedback = {"pack_root": read_pack_root(note), "useful": ["round_invoice"], "not_useful": ["create_invoice"]}
    _, note = await ask(client, "pack", task=task, feedback=feedback)
    assert "Recorded the feedback on 2 symbols." in note
    feedback["useful"] = ["no_such_symbol"]
    assert "no_such_symbol" in await expect_error(client, "pack", task=task, feedback=feedback)


async def test_bad_arguments_are_explained(client):
    for tool, arguments, reason in [
        ("pack", {}, "task: missing"),
        ("pack", {"task": 7}, "task"),
        ("pack", {"task": "round", "budget": "many"}, "budget"),
        ("pack", {"task": "round", "budget": 0}, "budget"),
        ("pack", {"op": "everything"}, "everything"),
        ("pack", {"op": "files"}, "files: missing"),
        ("pack", {"op": "files", "files": ["no/such.py"]}, "no/such.py"),
        ("blast", {}, "symbol: missing"),
        ("blast", {"symbol": "no_such_symbol"}, "no_such_symbol"),
        ("blast", {"file": "shop/invoice.py", "line": 0}, "line"),
        ("tests", {"files": "shop/invoice.py"}, "files"),
        ("search", {}, "query"),
        ("search", {"query": ["round"]}, "query"),
        ("why", {"task": "round"}, "task and symbol"),
        ("why", {"task": "round", "symbol": "no_such_symbol"}, "no_such_symbol"),
    ]:
        text = await expect_error(client, tool, **arguments)
        assert reason in text and len(text) < 500, (tool, arguments, text)
    with pytest.raises(MCPError) as error:
        await client.call_tool("no_such_tool", {})
    assert "no_such_tool" in error.value.message and "pack" in error.value.message
    assert EXPECTED["search"] in (await ask(client, "search", **CALLS["search"]))[0]


async def test_concurrent_calls_get_the_answers_of_single_calls(client):
    single = {tool: (await ask(client, tool, **CALLS[tool]))[0] for tool in TOOLS}
    tools = TOOLS * 10
    answers = await asyncio.gather(*(ask(client, tool, **CALLS[tool]) for tool in tools))
    for tool, (text, _) in zip(tools, answers):
        # Symbols that other calls show change the scores of a pack.
        assert EXPECTED[tool] in text, tool
        assert tool in ("pack", "why") or text == single[tool], tool


async def test_an_edit_a_moment_before_a_call_is_in_the_answer(client, workspace):
    for number in range(4):
        with open(workspace.root / "shop/tariff.py", "a") as file:
            file.write(f"\n\ndef zebra_{number}():\n    return {number}\n")
        text, note = await ask(client, "search", query=f"zebra_{number}")
        assert f"def zebra_{number}()" in text, note


@pytest.mark.parametrize("lifecycle", LIFECYCLES)
async def test_an_edit_before_the_start_is_in_the_first_answer(workspace, lifecycle):
    workspace.run("index")
    for number in range(3):
        (workspace.root / "shop/tariff.py").write_text(f"def zebra_{number}():\n    return {number}\n")
        async with workspace.client(lifecycle) as client:
            text, note = await ask(client, "pack", task=f"zebra_{number}")
            assert f"def zebra_{number}()" in text, note
            assert "checking" not in text + note


class RawServer:
    """A server whose messages the tests write and read line by line."""

    def __init__(self, workspace):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [KENNING, "mcp"]
        self.process = subprocess.Popen(command, cwd=workspace.root, env=workspace.environment, text=True, **pipes)

    def send(self, message):
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"_meta": meta} | message.get("params", {})
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message, "params": params}) + "\n")
        self.process.stdin.flush()

    def call(self, number, tool, arguments):
        self.send({"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})

    def receive(self):
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    def end(self):
        """Closes standard input, and returns the rest of the output and the seconds until the
        end."""
        start = time.monotonic()
        output, errors = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, errors
        return output, errors, time.monotonic() - start


async def test_a_cancelled_call_gets_no_result_and_the_server_continues(workspace):
    # The first index of many files takes longer than the cancellation.
    for number in range(1200):
        text = "\n".join(f"def step_{number}_{line}(x):\n    return x + {line}\n" for line in range(20))
        (workspace.root / f"shop/module_{number}.py").write_text(text)
    server = RawServer(workspace)
    server.call(1, "pack", {"task": "round invoice"})
    server.send({"method": "notifications/cancelled", "params": {"requestId": 1, "reason": "test"}})
    server.call(2, "search", CALLS["search"])
    messages = [server.receive()]
    while messages[-1].get("id") != 2:
        messages.append(server.receive())
    assert not any(message["id"] == 1 and "result" in message for message in messages), messages
    # The second call waits for the first index.
    assert EXPECTED["search"] in messages[-1]["result"]["content"][0]["text"]
    output, _, _ = server.end()
    assert not output


async def test_standard_output_has_only_the_protocol_and_the_server_ends_with_its_input(workspace):
    server = RawServer(workspace)
    server.send({"id": 1, "method": "server/discover"})
    discovered = server.receive()["result"]
    assert "2026-07-28" in discovered["supportedVersions"] and discovered["ttlMs"] >= 0
    server.call(2, "pack", CALLS["pack"])
    result = server.receive()["result"]
    assert result["resultType"] == "complete" and "structuredContent" not in result
    output, errors, seconds = server.end()
    assert (output, errors) == ("", "")
    assert seconds < 3
    assert not workspace.sockets()


async def test_a_server_whose_client_says_nothing_ends(workspace):
    output, errors, seconds = RawServer(workspace).end()
    assert (output, errors) == ("", "") and seconds < 3


async def test_lines_that_are_not_messages_do_not_end_the_server(workspace):
    server = RawServer(workspace)
    server.call(1, "search", CALLS["search"])
    assert "result" in server.receive()
    for line in ["not json", "[]", "{}", '{"jsonrpc":"2.0","id":9,"method":"no/such","params":{}}', "\x00"]:
        server.process.stdin.write(line + "\n")
    server.call(2, "search", CALLS["search"])
    while (message := server.receive()).get("id") != 2:
        assert "error" in message
    assert "result" in message
    server.end()
