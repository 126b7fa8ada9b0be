"""Tests whole sessions over standard input and output, with `pytest-lsp` as the client and the
capabilities of several editors.

`scripts/test` runs them. To run them alone: KENNING=target/debug/kenning pytest tests/clients
"""

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import client_capabilities
from support import FILES, build_environment, start_session, write_files

EDITORS = ["visual-studio-code", "neovim", "neovim@v0.6", "emacs", None]


def command_arguments(tax):
    """Returns the argument of each command, or `None` for commands that are not tested here."""
    place = {"textDocument": {"uri": tax}, "position": {"line": 0, "character": 5}}
    return {
        "kenning.taskContext": {"task": "change how tax is applied", "format": "markdown"},
        "kenning.search": {"query": "apply the tax"},
        "kenning.fileContext": {"uris": [tax]},
        "kenning.changeContext": None,  # needs a repository
        "kenning.blastRadius": place,
        "kenning.affectedTests": {"uris": [tax]},
        "kenning.graph": place,
        "kenning.feedback": None,  # needs a pack; tested below
        "kenning.knowledge": {"op": "list"},
        "kenning.explain": {"task": "apply tax", "symbol": "apply_tax"},
        "kenning.status": {},
        "kenning.waitForIndex": {"limitMs": 30000},
        "kenning.unsavedTexts": {},
        "kenning.reindex": {},
        "kenning.enrich": {"limit": 1},
        "kenning.restartServers": {},
    }


@pytest.fixture(params=EDITORS, ids=str)
async def session(request, tmp_path):
    root = tmp_path / "work space é"
    write_files(root, FILES)
    capabilities = client_capabilities(request.param) if request.param else types.ClientCapabilities()
    session = await start_session(root, build_environment(tmp_path / "home"), capabilities)
    await session.command("kenning.reindex", {})
    yield session
    server = session.client._server
    await session.client.shutdown_session()
    assert server.returncode == 0
    await session.client.stop()


async def test_unsaved_edits_count_until_the_document_is_closed(session):
    session.open("shop/tax.py", FILES["shop/tax.py"])
    session.change("shop/tax.py", 2, (0, 4), (0, 13), "levy_duty")
    pack = await session.pack("levy duty")
    assert pack["symbols"][0]["name"] == "levy_duty"
    assert pack["freshness"]["unsaved_files"] == 1
    document = types.TextDocumentIdentifier(uri=session.uri("shop/tax.py"))
    session.client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document))
    pack = await session.pack("apply tax")
    assert pack["symbols"][0]["name"] == "apply_tax"
    assert pack["freshness"]["unsaved_files"] == 0


async def test_a_saved_document_is_not_unsaved(session):
    text = "def levy_duty(price):\n    return price\n"
    session.open("shop/tax.py", FILES["shop/tax.py"])
    session.change("shop/tax.py", 2, (0, 0), (2, 0), text)
    (session.root / "shop/tax.py").write_text(text)
    document = types.TextDocumentIdentifier(uri=session.uri("shop/tax.py"))
    session.client.text_document_did_save(types.DidSaveTextDocumentParams(text_document=document))
    pack = await session.pack("levy duty")
    assert pack["symbols"][0]["name"] == "levy_duty"
    assert pack["freshness"]["unsaved_files"] == 0


async def test_every_command_answers(session):
    tax = session.uri("shop/tax.py")
    arguments = command_arguments(tax)
    commands = session.capabilities.execute_command_provider.commands
    assert set(commands) <= set(arguments), "this test needs an argument for each command"
    for name in commands:
        if arguments[name] is not None:
            result = await session.command(name, arguments[name])
            assert isinstance(result, dict) and result, name
    pack = await session.pack("apply tax")
    feedback = {"packRoot": pack["pack_root"], "symbol": "apply_tax", "useful": True}
    result = await session.command("kenning.feedback", feedback)
    assert isinstance(result, dict) and result


async def test_hovers_lenses_and_actions_are_offered(session):
    tax = types.TextDocumentIdentifier(uri=session.uri("shop/tax.py"))
    session.open("shop/tax.py", FILES["shop/tax.py"])
    await session.pack("apply tax")
    place = types.Position(line=0, character=6)
    if session.capabilities.hover_provider:
        hover = await session.client.text_document_hover_async(types.HoverParams(text_document=tax, position=place))
        assert "Blast radius" in hover.contents.value
    if session.capabilities.code_lens_provider:
        lenses = await session.client.text_document_code_lens_async(types.CodeLensParams(text_document=tax))
        assert [lens.range.start.line for lens in lenses] == [0]
        lens = lenses[0]
        if lens.command is None:
            lens = await session.client.code_lens_resolve_async(lens)
        assert "caller" in lens.command.title
        assert lens.command.command in (
            "kenning.showBlastRadius",
            *session.capabilities.execute_command_provider.commands,
        )
    if session.capabilities.code_action_provider:
        span = types.Range(start=place, end=place)
        context = types.CodeActionContext(diagnostics=[])
        params = types.CodeActionParams(text_document=tax, range=span, context=context)
        for action in await session.client.text_document_code_action_async(params):
            assert action.title


async def test_folders_can_be_added_and_removed(session, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "stock.py").write_text("def count_stock():\n    return 1\n")
    folder = types.WorkspaceFolder(uri=other.as_uri(), name="other")

    def change_folders(added, removed):
        event = types.WorkspaceFoldersChangeEvent(added=added, removed=removed)
        params = types.DidChangeWorkspaceFoldersParams(event=event)
        session.client.workspace_did_change_workspace_folders(params)

    change_folders([folder], [])
    document = {"textDocument": {"uri": (other / "stock.py").as_uri()}}
    await session.command("kenning.reindex", document)
    pack = await session.command("kenning.taskContext", {"task": "count stock", **document})
    assert pack["symbols"][0]["name"] == "count_stock"
    change_folders([], [folder])
    assert len((await session.command("kenning.status", {}))["folders"]) == 1


async def test_a_changed_configuration_takes_effect(session):
    settings = {"kenning": {"pack": {"budget": 700}}}
    session.client.set_configuration(settings)
    params = types.DidChangeConfigurationParams(settings=settings)
    session.client.workspace_did_change_configuration(params)
    assert (await session.pack("apply tax"))["symbols"][0]["name"] == "apply_tax"


async def test_an_error_affects_only_its_request(session):
    for name, argument in [("kenning.taskContext", {}), ("kenning.unknown", {})]:
        with pytest.raises(JsonRpcException) as error:
            await session.command(name, argument)
        assert error.value.code == types.ErrorCodes.InvalidParams
    with pytest.raises(JsonRpcException) as error:
        await session.client.protocol.send_request_async("kenning/unknown", {})
    assert error.value.code == types.ErrorCodes.MethodNotFound
    assert (await session.pack("apply tax"))["symbols"]


async def test_setting_the_trace_takes_effect(session):
    session.client.set_trace(types.SetTraceParams(value=types.TraceValue.Verbose))
    await session.command("kenning.status", {})
    session.client.set_trace(types.SetTraceParams(value=types.TraceValue.Off))
    async with asyncio.timeout(60):
        # Notifications and answers may overtake one another.
        while not session.client.traces:
            await asyncio.sleep(0.01)
    assert "workspace/executeCommand" in session.client.traces[0].message
    assert "kenning.status" in session.client.traces[0].verbose


async def test_file_events_of_the_client_update_the_index(session):
    capabilities = session.client.capabilities.workspace
    watches = capabilities and capabilities.did_change_watched_files
    if watches and watches.dynamic_registration:
        async with asyncio.timeout(60):
            while "workspace/didChangeWatchedFiles" not in session.client.registered:
                await asyncio.sleep(0.01)
    (session.root / "fresh.py").write_text("def fresh_file():\n    pass\n")
    change = types.FileEvent(uri=session.uri("fresh.py"), type=types.FileChangeType.Created)
    params = types.DidChangeWatchedFilesParams(changes=[change])
    session.client.workspace_did_change_watched_files(params)
    assert (await session.pack("fresh file"))["symbols"][0]["name"] == "fresh_file"
