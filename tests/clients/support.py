"""The workspace of the tests, and a simulated editor."""

import asyncio
import os
import pathlib

from lsprotocol import types
from pytest_lsp import ClientServerConfig

KENNING = os.environ.get("KENNING", str(pathlib.Path(__file__).parents[2] / "target/debug/kenning"))
FILES = {
    "kenning.toml": 'knowledge.folder = "docs/knowledge"\n',
    "shop/cart.py": "from .tax import apply_tax\n\n\nclass Cart:\n    def total(self):\n        return apply_tax(1)\n",
    "shop/tax.py": "def apply_tax(price):\n    return price + 1\n",
    "tests/test_tax.py": "from shop.tax import apply_tax\n\n\ndef test_apply_tax():\n    assert apply_tax(1) == 2\n",
}


def write_files(root, files):
    """Writes files, by path below `root`."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def build_environment(home):
    """Returns the environment of a server whose caches, data and settings are in `home`."""
    homes = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    return {"PATH": os.environ["PATH"]} | {name: str(home) for name in homes}


class Session:
    """An editor with its language server and their workspace."""

    def __init__(self, client, root, capabilities):
        self.client, self.root, self.capabilities = client, root, capabilities

    def uri(self, path):
        return (self.root / path).as_uri()

    async def command(self, name, argument):
        """Runs a command of the server and returns its result."""
        params = types.ExecuteCommandParams(command=name, arguments=[argument])
        return await self.client.workspace_execute_command_async(params)

    async def pack(self, task):
        """Returns a pack that includes every edit. Repeats the request while its answer reports
        pending files."""
        async with asyncio.timeout(60):
            while True:
                pack = await self.command("kenning.taskContext", {"task": task})
                freshness = pack["freshness"]
                if not freshness["pending_files"] and not freshness.get("disk_check_pending"):
                    return pack

    def open(self, path, text, version=1):
        """Opens a document."""
        item = types.TextDocumentItem(uri=self.uri(path), language_id="python", version=version, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def change(self, path, version, start, end, text):
        """Replaces the text between two (line, character) pairs."""
        event = types.TextDocumentContentChangePartial(
            range=types.Range(start=types.Position(*start), end=types.Position(*end)), text=text
        )
        document = types.VersionedTextDocumentIdentifier(uri=self.uri(path), version=version)
        params = types.DidChangeTextDocumentParams(text_document=document, content_changes=[event])
        self.client.text_document_did_change(params)


def register_features(client):
    """Registers the handlers that the client library leaves to its users."""
    client.registered = []

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams):
        client.registered += [registration.method for registration in params.registrations]

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh(params):
        return None

    client.traces = []

    @client.feature(types.LOG_TRACE)
    def trace(params: types.LogTraceParams):
        client.traces.append(params)


async def start_session(root, environment, capabilities):
    """Starts an editor with `capabilities` on a workspace."""
    client = await ClientServerConfig(server_command=[KENNING, "serve", "--stdio"], server_env=environment).start()
    register_features(client)
    folder = types.WorkspaceFolder(uri=root.as_uri(), name="work")
    params = types.InitializeParams(
        capabilities=capabilities, root_uri=root.as_uri(), workspace_folders=[folder], process_id=os.getpid()
    )
    result = await client.initialize_session(params)
    return Session(client, root, result.capabilities)
