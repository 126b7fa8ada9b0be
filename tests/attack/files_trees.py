"""Creates trees that are deep, have circular links, special files, odd names, deep nesting, or
huge or very many files."""

import contextlib
import os
import socket

from .workspaces import git

# A word in files that must not appear in any answer.
CANARY = "OUTSIDE_CANARY_7f3a"
CANARY_SOURCE = f"{CANARY}_leak = '{CANARY}'\ndef {CANARY}_function(): pass\n"
MEGABYTE = 1 << 20
# Sizes of a sparse source and of a real one, both above the limit.
SPARSE_MEGABYTES = 1024
LARGE_MEGABYTES = 128
MANY_FILES = 100_000

ODD_NAMES = (
    "new\nline.py",
    "tab\t.py",
    "bidi\u202egnp.py",
    "]](x).py",
    "`back`tick.py",
    "<script>alert(1)<\u2215script>.py",
    "```fence.py",
    "\x1b[31mred\x1b[0m.py",
    "\x07bell.py",
    "a" * 250 + ".py",
    "quote\"'.py",
    "-rf.py",
    "--help.py",
    "%s%n.py",
    "${HOME}.py",
    "con.py",
    "\u00e9.py",
    "e\u0301.py",
    " lead.py",
    "trail .py",
    "..py",
    "...py",
    "\ufeff.py",
    "*.py",
    "[a].py",
    "back\\slash.py",
    "|pipe.py",
    "&amp;.py",
    "]]>.py",
    "\u2028.py",
    "😀.py",
)
NAMES_WITHOUT_UTF8 = (b"bad\xff\xfe.py", b"folder\xff/x.py")

NESTED_SOURCES = (
    "(" * 500_000,
    "[" * 500_000 + "]" * 500_000,
    "{" * 200_000,
    "".join(" " * depth + "if x:\n" for depth in range(3000)),
    "a." * 300_000 + "a",
    "f(" * 100_000 + ")" * 100_000,
    "x = " + "-" * 300_000 + "1",
    "lambda: " * 50_000 + "1",
    "'" * 400_001,
    "class A:\n" + "".join("  " * depth + f"class B{depth}:\n" for depth in range(1, 900)) + "  " * 900 + "pass\n",
    "def f(" + ",".join(f"a{index}" for index in range(100_000)) + "): pass\n",
    "def same(): pass\n" * 50_000,
)
NESTED_SUFFIXES = ("py", "ts", "rs", "java", "rb", "cs", "go")


def make_deep_folders(case):
    """Creates 3,000 nested folders, whose path is longer than the system accepts."""
    folder = os.open(case.workspace, os.O_RDONLY)
    for depth in range(3000):
        os.mkdir("d" * 50, dir_fd=folder)
        inner = os.open("d" * 50, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
        if depth % 500 == 0:
            source = os.open("x.py", os.O_CREAT | os.O_WRONLY, dir_fd=folder)
            os.write(source, b"def deep(): pass\n")
            os.close(source)
    os.close(folder)


def make_circular_and_outside_links(case):
    """Creates links, also as manifests, to parents, to themselves, to one another and out of the
    workspace."""
    outside = case.folder.parent / "outside"
    links = {
        "a/loop": "..",
        "self": "self",
        "x.py": "y.py",
        "y.py": "x.py",
        "out": outside,
        "leak.py": outside / "leak.py",
        "relative.py": "../../outside/leak.py",
        "passwd.py": "/etc/passwd",
        "go.mod": "/etc/passwd",
        "package.json": "/proc/self/environ",
    }
    (case.workspace / "a").mkdir()
    for name, target in links.items():
        (case.workspace / name).symlink_to(target)
    os.link(outside / "leak.py", case.workspace / "hard.txt")


def make_configuration_links(case):
    """Makes .gitattributes, kenning.toml, tsconfig.json and .git links out of the workspace."""
    for name in (".gitattributes", "kenning.toml", "tsconfig.json"):
        (case.workspace / name).symlink_to("/etc/passwd")
    (case.workspace / ".git").symlink_to(case.folder.parent / "outside")


def make_secret_files(case):
    """Writes files of secrets, ignored files, and sources in .git."""
    for name in (".env", "id_rsa", "server.pem", ".aws/credentials", ".npmrc", "secrets.yaml"):
        case.write(name, CANARY_SOURCE)
    case.write(".gitignore", "ignored.py\nprivate/\n")
    case.write("ignored.py", CANARY_SOURCE)
    case.write("private/p.py", CANARY_SOURCE)
    git(case.workspace, "init", "-q")
    git(case.workspace, "add", "alpha.py")
    git(case.workspace, "commit", "-q", "-m", "Start")
    case.write(".git/x.py", CANARY_SOURCE)


def make_special_files(case):
    """Creates pipes, devices (as root only) and a socket under the names of sources and
    manifests."""
    for name in ("pipe.py", "package.json", ".gitattributes", "pyproject.toml", "kenning.toml", ".ignore"):
        os.mkfifo(case.workspace / name)
    if os.geteuid() == 0:
        os.mknod(case.workspace / "zero.py", 0o20666, os.makedev(1, 5))
        os.mknod(case.workspace / "null.go", 0o20666, os.makedev(1, 3))
        (case.workspace / "below").mkdir()
        os.mknod(case.workspace / "below/.gitignore", 0o20666, os.makedev(1, 5))
    # The path of a socket must be short.
    with socket.socket(socket.AF_UNIX) as listener:
        short = os.path.relpath(case.workspace / "socket.py")
        # The path may still be too long for this system.
        with contextlib.suppress(OSError):
            listener.bind(short)


def make_odd_names(case):
    """Creates files whose names contain line ends, control characters, markup, options and
    invalid UTF-8."""
    for index, name in enumerate(ODD_NAMES):
        (case.workspace / name).write_text(f"def alpha_{index}():\n    return {index}\n", encoding="utf-8")
    for name in NAMES_WITHOUT_UTF8:
        path = os.path.join(os.fsencode(case.workspace), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"def no_utf8(): pass\n")


def make_nested_sources(case):
    """Writes sources in seven languages that are nested deeper than a parser's stack allows."""
    for index, text in enumerate(NESTED_SOURCES):
        for suffix in NESTED_SUFFIXES:
            case.write(f"n{index}.{suffix}", text)


def make_hostile_configuration(case):
    """Writes a kenning.toml with too many or too long patterns and classes, patterns that lead
    outside, and a program."""
    patterns = ["*a" * 60] * 300 + ["{a,b}" * 40, "../../**", "/etc/**", "(((" * 100]
    classes = "".join(
        f"[[class]]\nid = 'c{index}'\nphrases = ['alpha {index}', 'alpha']\ntargets = ['beta']\n"
        for index in range(20_000)
    )
    case.write(
        "kenning.toml",
        f"[index]\nexclude = {patterns}\nthreads = 256\nmaxFileSize = 1\n"
        f"[[class]]\nid = 'x'\nphrases = ['{'a ' * 20_000}']\ntargets = ['{'x' * 100_000}']\n{classes}"
        "[servers.evil]\ncommand = '/bin/sh'\nargs = ['-c', 'true']\n",
    )


def make_nested_configuration(case):
    """Writes a kenning.toml that is nested deeper than a parser's stack allows."""
    case.write("kenning.toml", "a" + ".a" * 100_000 + " = 1\nx = " + "[" * 100_000 + "]" * 100_000)


def make_large_files(case):
    """Writes a sparse file of 1 GB, a source of 128 MB, and a source with a line of 50 MB."""
    with open(case.workspace / "sparse.py", "wb") as file:
        file.truncate(SPARSE_MEGABYTES * MEGABYTE)
    with open(case.workspace / "large.py", "wb") as file:
        block = b"def f(): pass\n" * (MEGABYTE // 14)
        for _ in range(LARGE_MEGABYTES):
            file.write(block)
    case.write("line.py", "x = '" + "a" * 50_000_000 + "'\n")


def make_many_files(case):
    """Writes 100,000 small sources in 100 folders."""
    for index in range(MANY_FILES):
        folder = case.workspace / f"d{index // 1000}"
        if index % 1000 == 0:
            folder.mkdir()
        (folder / f"f{index}.py").write_text(f"def f{index}():\n    return f{index + 1}()\n", encoding="utf-8")


QUICK = (
    make_circular_and_outside_links,
    make_configuration_links,
    make_secret_files,
    make_special_files,
    make_odd_names,
    make_nested_configuration,
)
WHOLE = (*QUICK, make_deep_folders, make_nested_sources, make_hostile_configuration, make_large_files, make_many_files)
# Time limits for trees where a minute is too short, or too long to wait for a hanging command.
SECONDS = {make_special_files: 15, make_nested_sources: 240, make_large_files: 240, make_many_files: 600}


def choose_trees(context):
    """Returns the functions that create the trees."""
    if os.geteuid() != 0:
        context.skip("devices as sources", "needs root")
    return QUICK if context.is_quick else WHOLE
