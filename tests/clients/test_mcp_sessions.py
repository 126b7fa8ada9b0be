"""Tests that `kenning mcp` answers from the session of an editor or another agent, and survives
their end."""

import pytest
from lsprotocol import types
from mcp import MCPError
from mcp_support import LIFECYCLES, ask, wait_until_current, workspace
from pytest_lsp import client_capabilities
from support import start_session

TASK = "round the total of an invoice"
FILE = "shop/invoice.py"


async def open_editor(workspace):
    """Starts an editor, and types the name `levy_duty` into a file without saving it."""
    editor = await start_session(workspace.root, workspace.environment, client_capabilities("neovim"))
    await editor.command("kenning.waitForIndex", {"limitMs": 30000})
    editor.open(FILE, (workspace.root / FILE).read_text())
    editor.change(FILE, 2, (0, 4), (0, 18), "levy_duty")
    return editor


async def close_editor(editor):
    await editor.client.shutdown_session()
    await editor.client.stop()


async def kill_editor(editor):
    server = editor.client._server
    server.kill()
    await server.wait()


async def shows_unsaved(client):
    """Whether the agent sees the unsaved name. Its note must agree."""
    text, note = await ask(client, "pack", task="levy duty of an invoice")
    assert ("def levy_duty(" in text) == ("1 file with unsaved changes" in note), note
    return "def levy_duty(" in text


@pytest.mark.parametrize("lifecycle", LIFECYCLES)
async def test_unsaved_text_of_an_editor_is_in_the_answer(workspace, lifecycle):
    editor = await open_editor(workspace)
    async with workspace.client(lifecycle) as client:
        assert await shows_unsaved(client)
    await close_editor(editor)


@pytest.mark.parametrize("lifecycle", LIFECYCLES)
async def test_an_editor_that_starts_later_takes_over_until_it_ends(workspace, lifecycle):
    async with workspace.client(lifecycle) as client:
        assert not await shows_unsaved(client)
        for end in (close_editor, kill_editor):
            editor = await open_editor(workspace)
            assert await shows_unsaved(client)
            await end(editor)
            assert not await shows_unsaved(client)
            assert "def create_invoice(" in (await ask(client, "pack", task="create invoice"))[0]


async def test_the_editor_and_the_agent_get_the_same_packs(workspace):
    workspace.run("index")
    for step in ("round", "archive", "export"):
        task = f"{step} the voucher of a customer"
        # A session ranks recently shown symbols higher, so each task has a session of its own.
        editor = await start_session(workspace.root, workspace.environment, types.ClientCapabilities())
        async with workspace.client("2026-07-28") as client:
            await wait_until_current(client)
            text, _ = await ask(client, "pack", task=task, budget=8000)
            answer = await editor.command("kenning.taskContext", {"task": task, "text": True})
            assert text == answer["text"] == workspace.run("pack", task), task
        await close_editor(editor)


@pytest.mark.parametrize("lifecycle", LIFECYCLES)
async def test_a_killed_server_leaves_nothing_behind(workspace, lifecycle):
    pid_file = workspace.folder / "pid"
    async with workspace.client_with_pid(lifecycle, pid_file) as client:
        before = await ask(client, "pack", task=TASK)
        stale = workspace.sockets()
        assert stale
        workspace.kill(pid_file)
        with pytest.raises(MCPError):
            await ask(client, "pack", task=TASK)
    assert workspace.sockets() == stale
    async with workspace.client(lifecycle) as client:
        after = await ask(client, "pack", task=TASK)
        assert after[0] == before[0]
        assert workspace.sockets() and not set(workspace.sockets()) & set(stale)
    assert not workspace.sockets()


@pytest.mark.parametrize("lifecycle", LIFECYCLES)
async def test_two_agents_share_a_session_and_the_second_survives_the_first(workspace, lifecycle):
    pid_file = workspace.folder / "pid"
    async with workspace.client_with_pid(lifecycle, pid_file) as first:
        expected, _ = await ask(first, "pack", task=TASK)
        async with workspace.client(lifecycle) as second:
            assert (await ask(second, "pack", task=TASK))[0] == expected
            assert len(workspace.sockets()) == 1
            workspace.kill(pid_file)
            assert (await ask(second, "pack", task=TASK))[0] == expected
            with pytest.raises(MCPError):
                await ask(first, "pack", task=TASK)
            assert len(workspace.sockets()) == 1
