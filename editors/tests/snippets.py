"""The tested snippets of docs/editors.md.

`snippets.py NAME` prints one. `snippets.py --check PROGRAM` reads those of editors that are not installed here as the editor does
(JSON, TOML) and starts the server by the command that each names, up to its answer to `initialize`. `snippets.py --zed FOLDER`
writes the extension for Zed.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

PAGE = pathlib.Path(__file__).parents[2] / "docs/editors.md"
# Longer than a server takes to say hello.
PATIENCE = 60


def snippet(name):
    found = re.search(rf"<!-- tested: {name} -->\n```\w*\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    if not found:
        sys.exit(f"docs/editors.md has no snippet '{name}'")
    return found[1]


def blocks(name):
    """The snippet and the blocks that follow it up to the next heading."""
    section = PAGE.read_text(encoding="utf-8").split(f"<!-- tested: {name} -->")[1].split("\n## ")[0]
    return re.findall(r"```(\w*)\n(.*?)```", section, re.DOTALL)


def sublime():
    client = json.loads(snippet("sublime"))["clients"]["kenning"]
    assert client["enabled"] is True and "source.python" in client["selector"]
    return client["command"]


def kakoune():
    servers = re.search(r"lsp_servers %\{\n(.*?)\n *\}", snippet("kakoune"), re.DOTALL)[1]
    server = tomllib.loads("\n".join(line.strip() for line in servers.splitlines()))["kenning"]
    assert ".git" in server["root_globs"]
    return [server.get("command", "kenning"), *server["args"]]


def zed():
    extension, cargo, source = (text for _, text in blocks("zed"))
    server = tomllib.loads(extension)["language_servers"]["kenning"]
    assert "Python" in server["languages"] and "zed_extension_api" in tomllib.loads(cargo)["dependencies"]
    program, argument = re.search(r'which\("(\w+)"\).*args: vec!\["(\w+)"', source, re.DOTALL).groups()
    return [program, argument]


def write_zed(folder):
    names = ["extension.toml", "Cargo.toml", "src/lib.rs"]
    for name, (_, text) in zip(names, blocks("zed"), strict=True):
        assert name in text.split("\n", 1)[0], f"the page names the file otherwise than {name}"
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def helix():
    server = tomllib.loads(snippet("helix"))["language-server"]["kenning"]
    return [server["command"], *server["args"]]


def answers(command, program):
    """What a server that is started by `command` says to `initialize`."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    message = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    server = subprocess.run(
        [program, *command[1:]], input=message, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE
    )
    answer = json.loads(server.stdout.split(b"\r\n\r\n")[1].split(b"Content-Length")[0])
    return answer["result"]["serverInfo"]["name"]


def check(program):
    for editor in (sublime, kakoune, zed, helix):
        command = editor()
        assert command[0] == "kenning", command
        assert answers(command, program) == "kenning", command
        print(f"ok     the snippet for {editor.__name__} starts the server")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"] and len(sys.argv) == 3:
        check(sys.argv[2])
    elif sys.argv[1:2] == ["--zed"] and len(sys.argv) == 3:
        write_zed(sys.argv[2])
    elif len(sys.argv) == 2:
        print(snippet(sys.argv[1]), end="")
    else:
        sys.exit(__doc__)
