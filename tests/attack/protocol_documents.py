"""Opens documents with invalid changes, odd URIs, in great number, or of great size."""

import json
import time

from .client import error_code, text_range

INTERNAL_ERROR = -32603
FORBIDDEN_CODES = (INTERNAL_ERROR, "timeout", "eof")
DOCUMENT_COUNT = 1000
# A busy machine may take this long to notice that the last document was closed.
SETTLE_SECONDS = 20
TEXT = "def a😀():\n    return '𝒳𝒴'\r\nx = 1\rdef b(): pass\n"
LAST = 2**32 - 1
# Versions and content changes that no client should send, in this order.
ODD_CHANGES = (
    (3, [{"range": text_range((0, 6), (0, 7)), "text": "Z"}]),
    (2, [{"text": "older"}]),
    (3, [{"text": "same"}]),
    (4, [{"range": text_range((9, 9), (2, 2)), "text": "Q"}]),
    (5, [{"range": text_range((LAST, LAST), (LAST, LAST)), "text": "end"}]),
    (
        6,
        [
            {"range": text_range((0, 0), (0, 5)), "text": "a"},
            {"range": text_range((0, 3), (0, 9)), "text": "b"},
            {"range": text_range((0, 1), (0, 2)), "text": ""},
        ],
    ),
    (-1, [{"text": "negative"}]),
    (None, [{"text": "no version"}]),
    (7, []),
    (2**31 - 1, [{"text": "def c(): pass\n"}]),
    (2**31, [{"text": "over"}]),
    (8, [{"range": text_range((0, 0), (0, 0)), "rangeLength": 999, "text": "x"}]),
)
# `{root}` is the path of the workspace.
ODD_URIS = (
    "untitled:Untitled-1",
    "vscode-remote://ssh/x/a.py",
    "file://host/share/a.py",
    "file:///",
    "file:",
    "",
    " ",
    "%",
    "file:///%00",
    "file://{root}/pkg/%6D1.py",
    "file://{root}/pkg/../pkg/m1.py",
    "file://{root}/%2e%2e/%2e%2e/etc/passwd",
    "file://{root}/pkg/%FF%FE.py",
    "file://{root}//pkg//m1.py",
    "FILE://{root}/pkg/m1.py",
    "file://localhost{root}/pkg/m1.py",
    "file:{root}/pkg/m1.py",
    "file://{root}/pkg/m1.py?x=1",
    "file://{root}/pkg/m1.py#f",
    "file:///etc/passwd",
    "file://{root}/" + "a" * 5000 + ".py",
    "git:/x",
    "file://{root}/pkg",
    "file://{root}/pkg/m1.py/",
    "jdt://contents/x",
    "http://127.0.0.1/x.py",
    "data:,x",
    "file://{root}/pkg/a\nb.py",
    "file://[::1]/x",
    "file://{root}/con.py:stream",
    "file://{root}/pkg/%zz.py",
    "\u202efile:///x",
)


def expect_fresh_source_root(attack, session, what):
    """Expects that a session without open documents soon has the source root of a fresh index."""
    fresh = attack.lab.fresh_source_root(attack.workspace)
    deadline = time.monotonic() + SETTLE_SECONDS
    root = session.wait_until_ready().get("source_root")
    while root != fresh and time.monotonic() < deadline:
        time.sleep(0.5)
        root = session.wait_until_ready().get("source_root")
    attack.context.expect(root == fresh, f"{what}: source_root {root}, of a fresh index {fresh}")


def send_odd_changes(attack):
    """Sends changes with wrong versions, ranges and orders, and opens and closes documents too
    often."""
    session, path = attack.start(), "pkg/m1.py"
    session.open(path, TEXT)
    for version, changes in ODD_CHANGES:
        session.change(path, version, changes)
        attack.expect_sound(session, f"version {version} with {str(changes)[:100]}")
    session.open(path, "def twice(): pass\n", 1)
    session.open(path, "def thrice(): pass\n", 0)
    attack.expect_sound(session, "a document opened again")
    for _ in range(3):
        session.close_document(path)
    session.close_document("pkg/never.py")
    session.change("pkg/never.py", 1, [{"text": "x"}])
    session.save("pkg/never.py")
    expect_fresh_source_root(attack, session, "odd changes")
    attack.end(session, "odd changes")
    return f"{len(ODD_CHANGES)} odd changes"


def open_odd_uris(attack):
    """Opens, queries, changes, saves and closes documents whose URIs lead nowhere or out of the
    workspace."""
    session, root = attack.start(), str(attack.workspace)
    for template in ODD_URIS:
        uri = template.replace("{root}", root)
        document = {"uri": uri, "languageId": "python", "version": 1, "text": "def from_uri(): pass\n"}
        session.notify("textDocument/didOpen", {"textDocument": document})
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}}
        answers = [session.request(f"textDocument/{name}", place, 30) for name in ("hover", "codeLens")]
        answers.append(session.command("fileContext", 30, uris=[uri]))
        for answer in answers:
            attack.context.expect(error_code(answer) not in FORBIDDEN_CODES, f"the URI {uri[:80]!r}: {str(answer)[:200]}")
            attack.context.expect(
                "root:x:0" not in json.dumps(answer), f"the URI {uri[:80]!r}: a password file is read"
            )
        changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "def from_uri2(): pass\n"}]}
        session.notify("textDocument/didChange", changed)
        session.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        changes = [{"uri": uri, "type": kind} for kind in (1, 2, 3)]
        session.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    attack.expect_sound(session, "odd URIs")
    expect_fresh_source_root(attack, session, "odd URIs")
    attack.end(session, "odd URIs")
    return f"{len(ODD_URIS)} odd URIs"


def open_many(attack):
    """Opens 1,000 unsaved documents, changes them, and closes them."""
    session, count = attack.start(), attack.context.choose(DOCUMENT_COUNT, 200)
    paths = [f"pkg/new{index}.py" for index in range(count)]
    start = time.monotonic()
    for index, path in enumerate(paths):
        session.open(path, f"def new{index}():\n    return f{index % 60}()\n")
    status = session.wait_until_ready(120)
    opened = time.monotonic() - start
    known = len(status.get("documents", []))
    attack.context.expect(known == count, f"{known} of {count} documents are known")
    for index, path in enumerate(paths):
        session.change(path, 2, [{"text": f"def newer{index}():\n    return f{index % 60}()\n"}])
    session.wait_until_ready(120)
    for path in paths:
        session.close_document(path)
    expect_fresh_source_root(attack, session, "many documents, all closed")
    attack.end(session, "many documents")
    return f"{count} in {opened:.1f} s, {session.peak_megabytes:.0f} MB"


def open_large(attack):
    """Opens a document of 10 MB and edits it 100 times, each time followed by a request."""
    session = attack.start()
    # Raise the size limit, so that the document is indexed unless Kenning reports a reason.
    limit = {"settings": {"kenning": {"index": {"maxFileSize": 50_000_000}}}}
    session.notify("workspace/didChangeConfiguration", limit)
    session.wait_until_ready()
    size, edits = attack.context.choose((10_000_000, 100), (1_000_000, 10))
    function = "def function_{:06}(a, b):\n    return a + b\n\n\n"
    text = "".join(function.format(index) for index in range(size // len(function.format(0))))
    path, lines, latencies = "pkg/big.py", text.count("\n"), []
    start = time.monotonic()
    session.open(path, text)
    session.wait_until_ready(120)
    opened = time.monotonic() - start
    for index in range(edits):
        line = attack.random.randrange(lines)
        start = time.monotonic()
        session.change(path, 2 + index, [{"range": text_range((line, 0), (line, 0)), "text": "#"}])
        answer = session.hover(path, 4, 8)
        latencies.append((time.monotonic() - start) * 1000)
        attack.context.expect("result" in answer, f"hover in a large document: {str(answer)[:200]}")
    session.close_document(path)
    expect_fresh_source_root(attack, session, "a large document, closed")
    attack.end(session, "a large document")
    latencies.sort()
    p95 = latencies[int(len(latencies) * 0.95)]
    return f"{size // 1_000_000} MB in {opened:.1f} s, edit to hover p95 {p95:.0f} ms, {session.peak_megabytes:.0f} MB"
