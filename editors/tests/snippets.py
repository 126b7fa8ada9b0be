"""Reads the tested snippets of docs/editors.md.

`snippets.py NAME` prints a snippet. `snippets.py --check PROGRAM` checks the snippets of editors
that are not installed: it parses them (JSON, TOML), starts the server with the command of each, and
waits for its answer to `initialize`. `snippets.py --zed FOLDER` writes the extension for Zed.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

PAGE = pathlib.Path(__file__).parents[2] / "docs/editors.md"
# Timeout of the answer to `initialize`, in seconds.
INITIALIZE_TIMEOUT = 60


def snippet(name):
    match = re.search(rf"<!-- tested: {name} -->\n```\w*\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    if not match:
        sys.exit(f"docs/editors.md has no snippet '{name}'")
    return match[1]


def code_blocks(name):
    """Returns the code blocks from a snippet to the next heading, with their languages."""
    section = PAGE.read_text(encoding="utf-8").split(f"<!-- tested: {name} -->")[1].split("\n## ")[0]
    return re.findall(r"```(\w*)\n(.*?)```", section, re.DOTALL)


def sublime_command():
    client = json.loads(snippet("sublime"))["clients"]["kenning"]
    assert client["enabled"] is True and "source.python" in client["selector"]
    return client["command"]


def kakoune_command():
    servers = re.search(r"lsp_servers %\{\n(.*?)\n *\}", snippet("kakoune"), re.DOTALL)[1]
    server = tomllib.loads("\n".join(line.strip() for line in servers.splitlines()))["kenning"]
    assert ".git" in server["root_globs"]
    return [server.get("command", "kenning"), *server["args"]]


def zed_command():
    extension, cargo, source = (text for _, text in code_blocks("zed"))
    server = tomllib.loads(extension)["language_servers"]["kenning"]
    assert "Python" in server["languages"] and "zed_extension_api" in tomllib.loads(cargo)["dependencies"]
    program, argument = re.search(r'which\("(\w+)"\).*args: vec!\["(\w+)"', source, re.DOTALL).groups()
    return [program, argument]


def write_zed(folder):
    names = ["extension.toml", "Cargo.toml", "src/lib.rs"]
    for name, (_, text) in zip(names, code_blocks("zed"), strict=True):
        assert name in text.split("\n", 1)[0], f"the page does not name the file {name}"
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def helix_command():
    server = tomllib.loads(snippet("helix"))["language-server"]["kenning"]
    return [server["command"], *server["args"]]


def server_name(command, program):
    """Starts `program` with the arguments of `command`. Returns the server's name from its
    answer to `initialize`."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    message = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    server = subprocess.run(
        [program, *command[1:]], input=message, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=INITIALIZE_TIMEOUT
    )
    answer = json.loads(server.stdout.split(b"\r\n\r\n")[1].split(b"Content-Length")[0])
    return answer["result"]["serverInfo"]["name"]


COMMANDS = {"sublime": sublime_command, "kakoune": kakoune_command, "zed": zed_command, "helix": helix_command}


def check_snippets(program):
    for editor, read_command in COMMANDS.items():
        command = read_command()
        assert command[0] == "kenning", command
        assert server_name(command, program) == "kenning", command
        print(f"ok     the snippet for {editor} starts the server")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"] and len(sys.argv) == 3:
        check_snippets(sys.argv[2])
    elif sys.argv[1:2] == ["--zed"] and len(sys.argv) == 3:
        write_zed(sys.argv[2])
    elif len(sys.argv) == 2:
        print(snippet(sys.argv[1]), end="")
    else:
        sys.exit(__doc__)
