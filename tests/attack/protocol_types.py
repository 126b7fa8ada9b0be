"""Sends a wrong value in each field of each message that the server supports."""

import copy

from .client import error_code, position, text_range, wait_for_answer

INTERNAL_ERROR = -32603
DELETE = object()
VALUES = (
    None,
    5,
    -1,
    1e308,
    2**63,
    2**32,
    -(2**31),
    True,
    "",
    "x",
    "\u0000\ud7ff\U0001f600",
    "A" * 300_000,
    "file:///",
    "../../../etc/passwd",
    [],
    [[]],
    {},
    {"a": {}},
    DELETE,
)


def list_messages(uri):
    """Returns (method, parameters, is request) of well-formed messages about a file."""
    document, place = {"uri": uri}, position(4, 8)
    point, start = text_range((4, 8), (4, 8)), text_range((0, 0), (0, 0))
    caller = {"name": "x", "kind": 12, "uri": uri, "range": start, "selectionRange": start, "data": {"id": "x"}}
    requests = [
        ("textDocument/hover", {"textDocument": document, "position": place}),
        ("textDocument/codeLens", {"textDocument": document}),
        (
            "textDocument/codeAction",
            {"textDocument": document, "range": point, "context": {"diagnostics": [], "only": ["x"]}},
        ),
        ("textDocument/prepareCallHierarchy", {"textDocument": document, "position": place}),
        ("callHierarchy/incomingCalls", {"item": caller}),
        ("codeLens/resolve", {"range": point, "data": {"uri": uri, "id": "x"}}),
    ]
    requests += [
        ("workspace/executeCommand", {"command": f"kenning.{name}", "arguments": [argument], "workDoneToken": "t"})
        for name, argument in list_commands(uri).items()
    ]
    return [(*request, True) for request in requests] + [(*message, False) for message in list_notifications(uri)]


def list_commands(uri):
    """Returns the argument of each of Kenning's commands with all of its fields."""
    document, place = {"uri": uri}, position(1, 1)
    return {
        "taskContext": {
            "task": "run",
            "budget": 500,
            "format": "markdown",
            "packRoot": "x",
            "textDocument": document,
            "position": place,
            "pinned": ["a"],
            "excluded": ["b"],
            "noLearning": True,
        },
        "blastRadius": {
            "symbol": "f1",
            "textDocument": document,
            "position": place,
            "depth": 2,
            "format": "json",
            "show": False,
        },
        "graph": {"symbol": "f1", "depth": 2, "limit": 10, "format": "svg"},
        "affectedTests": {"uris": [uri], "format": "json"},
        "changeContext": {"base": "HEAD", "budget": 200},
        "explain": {"task": "run", "symbol": "f1", "pinned": ["x"]},
        "feedback": {"packRoot": "abc", "symbol": "f1", "useful": True},
        "enrich": {"limit": 3, "wait": True},
        "fileContext": {"uris": [uri], "budget": 100},
        "restartServers": {"server": "x"},
    }


def list_notifications(uri):
    """Returns method and parameters of notifications about a file."""
    document = {"uri": uri}
    change = {"range": text_range((0, 0), (0, 1)), "rangeLength": 1, "text": "x"}
    settings = {
        "codeLens": {"enabled": True, "minimumCallers": 3, "kinds": ["function"]},
        "index": {"exclude": ["x"], "threads": 1, "maxFileSize": 100_000},
        "servers": {"pyright": {"enabled": False, "command": "x", "args": ["y"]}},
        "class": [{"id": "i", "phrases": ["a b"], "targets": ["c"]}],
    }
    opened = {"uri": uri, "languageId": "python", "version": 1, "text": "def a(): pass\n"}
    return [
        ("textDocument/didOpen", {"textDocument": opened}),
        ("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]}),
        ("textDocument/didClose", {"textDocument": document}),
        ("textDocument/didSave", {"textDocument": document, "text": "x"}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]}),
        ("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": uri, "name": "x"}], "removed": []}}),
        ("workspace/didChangeConfiguration", {"settings": {"kenning": settings}}),
        ("$/cancelRequest", {"id": 5}),
        ("window/workDoneProgress/cancel", {"token": "x"}),
        ("$/setTrace", {"value": "verbose"}),
    ]


def list_paths(value, path=()):
    """Yields the paths of a value and of all values inside it."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from list_paths(inner, (*path, key))


def replace_at(value, path, replacement):
    """Returns a copy of a value with the value at a path replaced or deleted."""
    if not path:
        return None if replacement is DELETE else replacement
    value = copy.deepcopy(value)
    container = value
    for key in path[:-1]:
        container = container[key]
    if replacement is DELETE:
        del container[path[-1]]
    else:
        container[path[-1]] = replacement
    return value


def send_wrong_types(attack):
    """Sends each message with each wrong value at each path."""
    context, sent = attack.context, 0
    values = VALUES[::6] if context.is_quick else VALUES
    for method, parameters, is_request in list_messages((attack.workspace / "pkg/m1.py").as_uri()):
        session, pending = attack.start(), []
        for path in list_paths(parameters):
            for value in values:
                wrong = replace_at(parameters, path, value)
                sent += 1
                if is_request:
                    pending.append((path, value, session.send_request(method, wrong)[1]))
                else:
                    session.notify(method, wrong)
        for path, value, answer in pending:
            code = error_code(wait_for_answer(answer, 60))
            what = f"{method} with {str(value)[:30]!r} at {'.'.join(map(str, path))}"
            context.expect(code != INTERNAL_ERROR, f"{what}: an internal error")
            if not context.expect(code not in ("timeout", "eof"), f"{what}: not answered ({code})"):
                break
        attack.end(session, f"{method} with wrong types")
    return f"{sent} messages"
