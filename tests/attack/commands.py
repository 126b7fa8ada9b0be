"""Gives folders, files and tests names that break out of quotes, templates and patterns, and runs
the printed test commands in shells that show the words which they read.

Criterion: a shell runs nothing but the runner, and the runner gets the path of the test's file, or
a pattern that matches the test's name, as one word. A command is one line without control
characters.
"""

import re
import shutil
import subprocess

FOLDER_NAMES = (
    "{paths} $(touch pwn)",
    "{ids}",
    "{path}{folder}{project}",
    "'; touch pwn; '",
    '"; touch pwn; "',
    "`touch pwn`",
    "$(touch pwn)",
    "-x",
    "--rootdir=evil",
    "@args",
    "=ls",
    "~",
    "a\nb; touch pwn",
    "a\tb",
    "\x1b]52;c;eA==\x07",
    "\u202egnp",
    "\u2028",
    "!!",
    "!touch",
    "^a^b",
    "%s%n",
    "*",
    "[a-z]",
    "a&&touch pwn",
    "a|touch pwn",
    ">pwn",
    "#x",
    "a\\",
    "日本 é",
)
TEST_NAMES = (
    "adds (a|b",
    "adds a+b",
    "isn't $5",
    "[1] of {2}",
    "-v",
    "^start",
    "why? *",
    "100%",
    "quote \\' \\\"",
    "{paths}",
    "$(touch pwn)",
    "`touch pwn`",
    "!!",
)
QUICK = 8
SHELLS = ("sh", "bash", "zsh")
RUNNERS = {
    "vitest": ('{"devDependencies": {"vitest": "3"}}', "-t"),
    "jest": ('{"devDependencies": {"jest": "29"}}', "-t"),
    "mocha": ('{"devDependencies": {"mocha": "10"}}', "-g"),
}
SHOW = "show() { for word in \"$@\"; do printf '%s\\0' \"$word\"; done; }\n"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def run(context):
    """Tries the names of folders with pytest, and those of tests with three runners."""
    shells = [shell for shell in SHELLS if shutil.which(shell)]
    for shell in SHELLS:
        if shell not in shells:
            context.skip(shell, "not installed")
    for figure in ("names", "commands", "words"):
        context.figure(figure, 0)
    for index, name in enumerate(FOLDER_NAMES[:QUICK] if context.is_quick else FOLDER_NAMES):
        try_folder(context, shells, index, name)
    runners = list(RUNNERS.items())
    for runner, (manifest, option) in runners[:1] if context.is_quick else runners:
        for index, name in enumerate(TEST_NAMES[:QUICK] if context.is_quick else TEST_NAMES):
            try_test_name(context, shells, index, name, runner, manifest, option)


def try_folder(context, shells, index, name):
    """Checks the command for a test in a folder with this name."""
    case = context.case(f"folder-{index}")
    case.write("mod.py", "def handle():\n    return 1\n")
    source = "from mod import handle\n\n\ndef test_a():\n    handle()\n\n\ndef test_b():\n    handle()\n"
    path = f"{name}/test_a.py"
    case.write(path, source)
    for words in read_commands(context, case, shells, "mod.py"):
        named = {path, f"./{path}"} & {word.split("::test_")[0] for word in words}
        context.expect(words[:3] == ["python", "-m", "pytest"] and named, f"folder {name!r}: the words are {words}")
    context.count("names")
    shutil.rmtree(case.folder)


def try_test_name(context, shells, index, name, runner, manifest, option):
    """Checks the pattern for a test with this name."""
    case = context.case(f"test-{runner}-{index}")
    case.write("package.json", manifest)
    case.write("src/mod.ts", "export function sum() { return 1 }\n")
    # Of a name with escapes, Kenning knows the text in the source.
    mark = '"' if "'" in name and "\\" not in name else "'"
    case.write("src/[id]/mod.test.ts", f"import {{ sum }} from '../mod'\nit({mark}{name}{mark}, () => {{ sum() }})\n")
    shown = re.sub(r"\\(.)", r"\1", name)
    for words in read_commands(context, case, shells, "src/mod.ts"):
        pattern = words[words.index(option) + 1] if option in words else ""
        matches = any(matches_pattern(pattern, text) for text in (shown, name))
        others = matches_pattern(pattern, "another test")
        context.expect(matches and not others, f"{runner}, test {name!r}: the pattern is {pattern!r} in {words}")
        context.expect(not pattern.startswith("-"), f"{runner}, test {name!r}: the pattern looks like an option")
    context.count("names")
    shutil.rmtree(case.folder)


def matches_pattern(pattern, text):
    """Whether a pattern finds a text. A pattern that is not valid finds none."""
    try:
        return bool(pattern) and bool(re.search(pattern, text))
    except re.error:
        return False


def read_commands(context, case, shells, changed):
    """Yields the words of each printed command, as each shell reads them."""
    printed = case.run("tests", changed, "--run")
    context.expect(printed.status == 0 and printed.out, f"{changed}: {printed.describe()}, {printed.out!r}")
    context.expect(not CONTROL.search(printed.out), f"{changed}: control characters in {printed.out!r}")
    for command in printed.out.splitlines():
        context.count("commands")
        for shell in shells:
            # Not every `sh` reads the quotes that control characters need.
            if shell == "sh" and "$'" in command:
                continue
            folder = case.folder / f"run-{shell}"
            folder.mkdir(exist_ok=True)
            first = "set -o history -o histexpand\n" if shell == "bash" else ""
            script = f"{SHOW}{first}set -- {command}\nshow \"$@\"\n"
            (folder / "script").write_text(script, encoding="utf-8")
            done = subprocess.run([shell, "script"], cwd=folder, capture_output=True, timeout=20, check=False)
            left = sorted(path.name for path in folder.iterdir())
            context.expect(left == ["script"], f"{shell} made {left} from {command!r}")
            context.expect(done.returncode == 0, f"{shell} ended with {done.returncode}: {done.stderr!r} for {command!r}")
            words = done.stdout.decode("utf-8", "replace").split("\0")[:-1]
            context.count("words", len(words))
            yield words
