"""Plants codes that a terminal obeys in every text of a workspace that Kenning prints, and runs the
commands in a terminal, in a pipe and with the log.

Criterion: no output contains a control character, or one that changes the direction of text, apart
from the styles and the links to files that Kenning adds. No payload is printed as it is.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import time

from . import processes

# Each kind of character or code that a terminal, or the reader of one, can be attacked with.
PAYLOADS = {
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "clear": "\x1b[2J\x1b[H",
    "title": "\x1b]0;evil\x07",
    "hidden": "\x1b[8mhidden",
    "color": "\x1b[31;5mred",
    "link": "\x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\",
    "device": "\x1bP$q\x1b\\\x1b_x\x1b\\\x1b^x\x1b\\",
    "c1": "\x9b31m\x9d52;c;eA==\x9c",
    "return": "shown\rhidden",
    "erase": "\x08\x7f\x0b\x0c",
    "bidi": "\u202e\u2066reverse\u2069\u061c\u200f",
    "separator": "\u2028## line\u2029",
}
QUICK_PAYLOADS = ("clipboard", "c1", "bidi")
TOML_FORMS = {
    "a pattern": "[index]\nexclude = [{text_open}]\n",
    "an option": "{text} = 1\n",
    "a table": "[{text}]\nx = 1\n",
    "a server": "[servers.{text}]\nenabled = true\n",
    "a section's option": "[ranking]\n{text} = 1\n",
    "a value": "[index]\nlanguages = {text}\n",
    "a class": "[[classes]]\nphrases = [{text}, {text}]\n",
    "broken TOML": "{raw} = [\n",
}
TOML_COMMANDS = (("index",), ("status",), ("pack", "handle"), ("config", "show"), ("doctor",), ("changes",))

# What Kenning itself writes: colors, weights, links to files, and the progress bar.
OWN_CODES = re.compile(
    r"\x1b\[(?:[0-4]|[39][0-7])(?:;(?:[0-4]|[39][0-7]))*m"
    r"|\x1b\]8;;(?:file://[!-~]*)?\x1b\\"
    r"|\x1b\[[0-2]?K|\x1b\[\d*A|\r\x1b\[2K|\r(?=\n)"
)
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
SECONDS = 60


def run(context):
    """Tries each payload in names and texts, and in each form of a kenning.toml."""
    payloads = {name: PAYLOADS[name] for name in QUICK_PAYLOADS} if context.is_quick else PAYLOADS
    context.figure("payloads", len(payloads))
    context.figure("outputs", 0)
    for name, payload in payloads.items():
        case = context.case(f"names-{name}")
        plant_names(case, payload)
        for command in name_commands(case, payload):
            for form in ("terminal",) if context.is_quick else ("terminal", "no color", "pipe", "log"):
                judge(context, case, command, form, payload, f"names with {name}")
        shutil.rmtree(case.folder)
        forms = list(TOML_FORMS.items())
        for form, template in forms[:3] if context.is_quick else forms:
            case = context.case(f"toml-{name}-{form.replace(' ', '-')}")
            case.write("mod.py", "def handle():\n    return 1\n")
            case.write("kenning.toml", fill_toml(template, payload))
            for command in TOML_COMMANDS[:2] if context.is_quick else TOML_COMMANDS:
                judge(context, case, command, "terminal", payload, f"{form} with {name}")
            shutil.rmtree(case.folder)


def fill_toml(template, payload):
    """Returns a kenning.toml with the payload, escaped where TOML requires it."""
    quote = lambda text: '"' + "".join(f"\\u{ord(c):04x}" for c in text) + '"'
    return template.format(text=quote(payload), text_open=quote(payload + "["), raw=payload)


def plant_names(case, payload):
    """Writes a workspace whose names, texts and history contain the payload."""
    name = payload.replace("/", "_")
    case.write("mod.py", "def handle():\n    return 1\n")
    case.write("package.json", '{"name": "shop", "devDependencies": {"vitest": "3.0.0"}}')
    case.write(f"tests/d{name}/test_a.py", "from mod import handle\n\n\ndef test_a():\n    handle()\n")
    title = payload.replace("\r", " ").replace("\u2028", " ").replace("\u2029", " ")
    case.write("src/mod.ts", "export function sum() { return 1 }\n")
    case.write("src/mod.test.ts", f"import {{ sum }} from './mod'\nit('adds {title}', () => {{ sum() }})\n")
    case.write(f"big{name}.py", f'def big():\n    """{title}"""\n    return handle()\n')
    case.write(f"broken{name}.json", "{")
    case.write(f"zero{name}.py", "\0")
    case.write(".gitignore", f"[{payload}\n")
    case.write("Cargo.toml", f"[package]\nname = \"{payload}\"\n[")
    case.write("notes/one.md", f"# Note {title}\n\nhandle\n")
    case.write(".mcp.json", '{"mcpServers": {"kenning": {"command": "%s"}}}' % "".join(f"\\u{ord(c):04x}" for c in payload))
    case.commit(f"Start {payload.replace(chr(0), ' ')}")


def name_commands(case, payload):
    """Returns the commands that print names or texts of the workspace."""
    word = f"x{payload}"
    return [
        ("index", "-v"),
        ("status",),
        ("status", "--json"),
        ("doctor", "-v"),
        ("pack", "big handle"),
        ("pack", "big", "--format", "xml"),
        ("pack", "big", "--format", "json"),
        ("pack", "big", "--format", "gcf"),
        ("pack", word),
        ("files", f"big{payload.replace('/', '_')}.py"),
        ("files", word),
        ("blast", "handle"),
        ("blast", word),
        ("why", "--symbol", "big", "handle"),
        ("why", "--symbol", word, "handle"),
        ("search", "big"),
        ("graph", "handle", "--format", "json"),
        ("graph", "handle", "--format", "dot"),
        ("graph", "handle", "--format", "svg"),
        ("tests", "mod.py"),
        ("tests", "mod.py", "--json"),
        ("tests", "mod.py", "--run"),
        ("tests", "src/mod.ts", "--run"),
        ("tests", "mod.py", "--paths-only"),
        ("changes",),
        ("changes", "--base", word),
        ("debug", "seeds", "big"),
        ("note", "list"),
        ("agents", "status", "--project"),
        ("agents", "install", "claude", "--project", "--dry-run"),
        (f"--x{payload}",),
        ("pack", "--format", word, "x"),
        ("man", word),
    ]


def judge(context, case, command, form, payload, place):
    """Runs a command in a form of output and searches the output."""
    status, text = run_in_form(case, command, form)
    context.count("outputs")
    described = f"{place}, {' '.join(command)[:60]!r}, {form}"
    context.expect(status in (0, 1, 2), f"{described}: ended with {status}: {text[-200:]!r}")
    rest = OWN_CODES.sub("", text)
    found = sorted(set(FORBIDDEN.findall(rest)))
    context.expect(not found, f"{described}: prints {found} in {excerpt(rest, found)!r}")
    context.expect(payload not in text, f"{described}: prints the payload {payload!r}")


def excerpt(text, found):
    """Returns the text around the first of some characters."""
    at = text.find(found[0]) if found else 0
    return text[max(0, at - 60) : at + 60]


def run_in_form(case, command, form):
    """Runs a command on a workspace. Returns its status and what it printed on both streams."""
    first, *rest = command
    takes_folder = first in ("index", "status", "doctor")
    where = () if first.startswith("-") or first == "man" else (("--root", str(case.workspace)) if not takes_folder else (str(case.workspace),))
    # An attacker's file name is an argument if a shell expands a pattern.
    arguments = [first, *where, *rest] if first not in ("note", "agents", "debug", "config") else [first, rest[0], *where, *rest[1:]]
    arguments = [argument.replace("\0", "") for argument in arguments]
    env = case.lab.env | {"TERM": "xterm-256color", "KENNING_PAGER": ""}
    if form == "no color":
        env["NO_COLOR"] = "1"
    if form == "log":
        env["KENNING_LOG"] = "debug"
    if form == "pipe":
        done = subprocess.run(
            [case.lab.binary, *arguments], env=env, cwd=case.workspace, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")
    return run_in_terminal([case.lab.binary, *arguments], env, case.workspace)


def run_in_terminal(words, env, folder):
    """Runs a program in a terminal of its own. Returns its status and what the terminal got."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        words, env=env, cwd=folder, stdin=end, stdout=end, stderr=end, start_new_session=True, close_fds=True
    )
    os.close(end)
    chunks, deadline = [], time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.5)
        try:
            chunk = os.read(terminal, 65536) if ready else b""
        except OSError:  # The last program that had the terminal open has ended.
            break
        chunks.append(chunk)
        if not chunk and process.poll() is not None:
            break
    else:
        processes.kill_with_descendants(process)
    os.close(terminal)
    return process.wait(), b"".join(chunks).decode("utf-8", "replace").replace("\r\n", "\n")
