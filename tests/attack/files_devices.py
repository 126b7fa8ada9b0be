"""Replaces each file that Kenning reads by name with a link to an endless device and with a pipe
without a writer.

Criterion: `index`, `pack` and `changes` end properly within 10 seconds and modest memory.
"""

import os
import shutil

from .lab import MODEST_MEGABYTES

SECONDS = 10
NAMES = (
    ".gitignore",
    ".ignore",
    ".gitattributes",
    "sub/.gitattributes",
    "sub/.gitignore",
    "package.json",
    "tsconfig.json",
    "jsconfig.json",
    "go.mod",
    "go.work",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Gemfile",
    "pom.xml",
    "kenning.toml",
    "CODEOWNERS",
    ".github/CODEOWNERS",
    "pnpm-workspace.yaml",
    "vendor/modules.txt",
    "x.csproj",
    ".mailmap",
    ".git",
    ".git/HEAD",
    ".git/config",
    ".git/index",
    ".git/shallow",
    ".git/commondir",
    ".git/packed-refs",
    ".git/logs/HEAD",
    ".git/info/exclude",
    ".git/info/grafts",
    ".git/objects/info/alternates",
    ".git/refs/heads/main",
)
QUICK_NAMES = (".gitignore", "sub/.gitattributes", "package.json", "kenning.toml", ".git/HEAD", ".git/index")
SOURCES = {
    "alpha.py": "def alpha(): pass\n",
    "sub/b.py": "import alpha\n",
    "b.ts": "import './c'\n",
    "c.go": "package c\n",
    "d.rs": "fn d() {}\n",
    "e.rb": "def e; end\n",
    "F.java": "class F {}\n",
    "g.cs": "class G {}\n",
    "vendor/v.go": "package v\n",
}


def try_named_files(context):
    """Tests each name as a link and as a pipe."""
    context.figure("named files", 0)
    context.figure("bad named files", 0)
    for name in QUICK_NAMES if context.is_quick else NAMES:
        for kind, make in {"link to /dev/zero": link_to_zero, "pipe": os.mkfifo}.items():
            failures_before = len(context.failures)
            try_named_file(context, name, kind, make)
            context.count("named files")
            context.count("bad named files", len(context.failures) > failures_before)


def link_to_zero(path):
    path.symlink_to("/dev/zero")


def try_named_file(context, name, kind, make):
    case = context.case(f"named-{kind.split()[0]}-{name.replace('/', '-')}")
    for path, text in SOURCES.items():
        case.write(path, text)
    if name != ".git":
        case.commit()
    path = case.workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)
    for command, *arguments in (("index",), ("pack", "alpha"), ("changes",)):
        run = case.run(command, *arguments, timeout=SECONDS)
        is_sound = run.is_orderly() and run.peak_megabytes < MODEST_MEGABYTES
        if not context.expect(is_sound, f"{name} as a {kind}, {command}: {run.describe()}"):
            # The other commands read the same file and would take as long.
            break
    shutil.rmtree(case.folder)
