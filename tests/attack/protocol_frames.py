"""Sends malformed frames and messages, and messages at the wrong time of a session."""

import contextlib
import json
import queue
import subprocess

from .client import command_parameters, error_code, frame, wait_for_answer

MODEST_MEGABYTES = 500
STATUS_REQUEST = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 77,
        "method": "workspace/executeCommand",
        "params": {"command": "kenning.status", "arguments": [{}]},
    }
).encode()


def with_header(header):
    """Returns the request with this header, in which `%d` is replaced by the correct length."""
    return header.replace(b"%d", b"%d" % len(STATUS_REQUEST)) + b"\r\n\r\n" + STATUS_REQUEST


def task_frame(task):
    """Returns a request for a pack; `task` is the content of a JSON string."""
    return frame(
        b'{"jsonrpc":"2.0","id":5,"method":"workspace/executeCommand","params":'
        b'{"command":"kenning.taskContext","arguments":[{"task":"' + task + b'"}]}}'
    )


# Frames without a known end: the server may end with a message, or continue after the next empty
# line.
UNREADABLE_FRAMES = {
    "no length": b"\r\n" + STATUS_REQUEST,
    "negative length": b"Content-Length: -5\r\n\r\n",
    "length beyond 64 bits": with_header(b"Content-Length: 99999999999999999999"),
    "length of 4 GB": with_header(b"Content-Length: 4294967296"),
    "length in letters": with_header(b"Content-Length: abc"),
    "length in hexadecimal": with_header(b"Content-Length: 0x10"),
    "length with plus": with_header(b"Content-Length: +%d"),
    "two lengths": with_header(b"Content-Length: 5\r\nContent-Length: %d"),
    "lines end with CR": b"Content-Length: %d\r\r" % len(STATUS_REQUEST) + STATUS_REQUEST,
    "zero bytes": bytes(1000),
    "HTTP": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "one byte too few": frame(STATUS_REQUEST, len(STATUS_REQUEST) - 1),
}
# Frames that can be read, whatever they contain: the server must continue.
READABLE_FRAMES = {
    "lines end with LF": b"Content-Length: %d\n\n" % len(STATUS_REQUEST) + STATUS_REQUEST,
    "blanks in the header": with_header(b"  Content-Length :   %d  "),
    "lower case": with_header(b"content-length: %d"),
    "other charset": with_header(b"Content-Type: application/vscode-jsonrpc; charset=utf-16\r\nContent-Length: %d"),
    "header of 10 MB": with_header(b"X: " + b"a" * 10_000_000 + b"\r\nContent-Length: %d"),
    "200,000 headers": with_header(b"".join(b"X%d: y\r\n" % n for n in range(200_000)) + b"Content-Length: %d"),
    "empty body": frame(b""),
    "no UTF-8": frame(b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}'),
    "half a message": frame(b'{"jsonrpc":"2.0","id":1,'),
    "batch": frame(b"[" + STATUS_REQUEST + b"," + STATUS_REQUEST + b"]"),
    "empty batch": frame(b"[]"),
    "number": frame(b"5"),
    "string": frame(b'"x"'),
    "null": frame(b"null"),
    "nested arrays": frame(b"[" * 200_000 + b"]" * 200_000),
    "nested objects": frame(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "nested parameters": frame(
        b'{"jsonrpc":"2.0","id":5,"method":"workspace/executeCommand","params":'
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}"
    ),
    "byte order mark": frame(b"\xef\xbb\xbf" + STATUS_REQUEST),
    "lone surrogate": task_frame(b"\\ud800 x"),
    "zero in a string": task_frame(b"a\\u0000b"),
    "keys twice": frame(b'{"jsonrpc":"2.0","jsonrpc":"1.0","id":991,"id":992,"method":"x","method":"y"}'),
    "object as id": frame(b'{"jsonrpc":"2.0","id":{"a":1},"method":"workspace/symbol","params":{}}'),
    "fraction as id": frame(b'{"jsonrpc":"2.0","id":1.5,"method":"workspace/symbol","params":{}}'),
    "huge id": frame(b'{"jsonrpc":"2.0","id":99999999999999999999999,"method":"workspace/symbol","params":{}}'),
    "no version": frame(b'{"id":1,"method":"workspace/symbol"}'),
    "version 1": frame(b'{"jsonrpc":"1.0","id":1,"method":"workspace/symbol"}'),
    "answer to nothing": frame(b'{"jsonrpc":"2.0","id":999,"result":5}'),
    "everything at once": frame(
        b'{"jsonrpc":"2.0","id":999,"result":5,"error":{"code":1,"message":"x"},"method":"exit2"}'
    ),
    "one blank more": frame(STATUS_REQUEST + b" "),
}


def send_malformed_frames(attack):
    """Sends each frame to a new session."""
    context, continued = attack.context, 0
    frames = [(name, content, True) for name, content in READABLE_FRAMES.items()]
    frames += [(name, content, False) for name, content in UNREADABLE_FRAMES.items()]
    if context.is_quick:
        frames = frames[::3]
    for name, content, must_continue in frames:
        session = attack.lab.serve(attack.workspace)
        session.send_bytes(content)
        if not must_continue:
            session.send_bytes(b"\r\n" * 3)
        # A server may wait for the rest of a frame that is too short, so a short timeout is enough.
        continues = "result" in session.command("status", 30 if must_continue else 4)
        continued += continues
        errors = session.error_text()
        context.expect(continues or not must_continue, f"frame with {name}: the session does not continue: {errors[-200:]}")
        if not session.is_alive():
            context.expect(errors.strip(), f"frame with {name}: the session ended without a message")
        context.expect("panicked" not in errors, f"frame with {name}: a panic: {errors[-300:]}")
        peak = session.peak_megabytes
        context.expect(peak < MODEST_MEGABYTES, f"frame with {name}: {peak:.0f} MB")
        session.kill()
    return f"{continued} of {len(frames)} sessions continued"


def send_byte_by_byte(attack):
    """Sends a request one byte at a time."""
    session = attack.start()
    message = {
        "jsonrpc": "2.0",
        "id": 4242,
        "method": "workspace/executeCommand",
        "params": command_parameters("taskContext", {"task": "grüße 😀 run", "noLearning": True}),
    }
    answer = session.pending[4242] = queue.Queue()
    for byte in frame(json.dumps(message, ensure_ascii=False).encode()):
        session.send_bytes(bytes([byte]))
    attack.context.expect("result" in wait_for_answer(answer, 30), "a request sent byte by byte is not answered")
    attack.end(session, "byte by byte")
    return "answered"


def break_life_cycle(attack):
    """Sends messages before, after and between the steps of a session's life."""
    status, hover = "workspace/executeCommand", "textDocument/hover"
    # For each order: the allowed answer codes of its requests, in turn, and whether the server then
    # ends.
    not_initialized, invalid = {-32002}, {-32600}
    orders = {
        "questions first": ([hover, status, "shutdown"], [not_initialized, not_initialized, {"ok", -32002}], False),
        "initialize twice": (["initialize", "initialize", "initialized", "initialized"], [{"ok"}, invalid], False),
        "after shutdown": (
            ["initialize", "initialized", "shutdown", hover, "shutdown", "initialize", "exit"],
            [{"ok"}, {"ok"}, invalid, invalid, invalid],
            True,
        ),
        "exit first": (["exit"], [], True),
        "never initialized": (["initialize", status], [{"ok"}, {"ok", -32002}], False),
    }
    for name, (methods, expected, ends) in orders.items():
        session = attack.lab.serve(attack.workspace, initialize=False)
        codes = [code for code in (send_step(attack, session, method) for method in methods) if code is not None]
        is_expected = len(codes) == len(expected) and all(
            code in allowed for code, allowed in zip(codes, expected, strict=True)
        )
        attack.context.expect(is_expected, f"life cycle, {name}: answers {codes}, expected {expected}")
        with contextlib.suppress(subprocess.TimeoutExpired):
            session.process.wait(10 if ends else 0.5)
        attack.context.expect(session.is_alive() != ends, f"life cycle, {name}: runs: {session.is_alive()}")
        attack.context.expect(not session.has_panicked(), f"life cycle, {name}: a panic")
        session.kill()
    return f"{len(orders)} orders"


def send_step(attack, session, method):
    """Sends one message. Returns the code of the answer, or None for a notification."""
    if method in ("initialized", "exit"):
        session.notify(method, {} if method == "initialized" else None)
        return None
    uri = (attack.workspace / "pkg/m1.py").as_uri()
    parameters = {
        "initialize": {"processId": None, "rootUri": attack.workspace.as_uri(), "capabilities": {}},
        "shutdown": None,
        "workspace/executeCommand": command_parameters("status", {}),
        "textDocument/hover": {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}},
    }
    return error_code(session.request(method, parameters[method], 20))
