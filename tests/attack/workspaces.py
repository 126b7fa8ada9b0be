"""Creates the workspaces of attacks: generated workspaces, which are the same on every machine, or
copies of a real repository."""

import os
import pathlib
import shutil
import string
import subprocess

SOURCE_SUFFIXES = (".py", ".go", ".ts", ".tsx", ".js", ".java", ".rs", ".rb", ".cs")
MANIFESTS = ("go.mod", "package.json", "pyproject.toml", "Cargo.toml")

# Keeps git from reading the settings of the current user.
GIT_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
GIT_SETTINGS = (
    "user.name=Mallory",
    "user.email=mallory@example.com",
    "commit.gpgsign=false",
    "init.defaultBranch=main",
)

# Topics of the modules in the mixed workspace. Tasks use the same words.
TOPICS = ("order", "invoice", "customer", "request", "route", "session", "token", "report", "shipment", "basket")

# The files of one module of the mixed workspace; each uses the next module.
MODULE_FILES = {
    "shop/${name}.py": '''"""Handles ${name} requests."""
from shop.${following} import handle_${following}


class ${Name}Handler:
    """Routes a ${name} to whoever handles it."""

    def __init__(self, app):
        self.app = app

    def dispatch(self, request):
        if request.path == "/${name}":
            return handle_${name}(request)
        return handle_${following}(request)


def handle_${name}(request):
    return {"${name}": request.body, "size": ${index}}
''',
    "tests/test_${name}.py": """from shop.${name} import ${Name}Handler, handle_${name}


def test_handle_${name}():
    assert ${Name}Handler(None).dispatch(None) == handle_${name}(None)
""",
    "web/${name}.ts": """import { render${Following} } from "./${following}";

export class ${Name}View {
  constructor(private readonly size: number) {}

  show(): string {
    return render${Name}(this.size) + render${Following}(this.size);
  }
}

export function render${Name}(size: number): string {
  return "${name}".repeat(size);
}
""",
    "store/${name}.go": """package store

// ${Name}Store keeps what was ordered.
type ${Name}Store struct{ size int }

func (s ${Name}Store) Load() int {
	return load${Name}(s.size) + load${Following}(s.size)
}

func load${Name}(size int) int { return size + ${index} }
""",
    "rust/${name}.rs": """//! Counts ${name} entries.
use crate::${following}::count_${following};

pub struct ${Name}Counter { pub size: u32 }

impl ${Name}Counter {
    pub fn total(&self) -> u32 { count_${name}(self.size) + count_${following}(self.size) }
}

pub fn count_${name}(size: u32) -> u32 { size + ${index} }
""",
    "src/main/java/shop/${Name}.java": """package shop;

public class ${Name} {
    private final int size;

    public ${Name}(int size) { this.size = size; }

    public int price() { return size * ${index} + ${Following}.tax(size); }

    public static int tax(int size) { return size / 5; }
}
""",
    "lib/${name}.rb": """require_relative "${following}"

class ${Name}Report
  def print_all(request)
    ${Following}Report.new.summary(request)
  end

  def summary(request)
    "${name} #{request}"
  end
end
""",
    "net/${Name}.cs": """namespace Shop;

public class ${Name}Service
{
    public int CommandResult(int size) => Check(size) + new ${Following}Service().Check(size);

    public int Check(int size) => size + ${index};
}
""",
}


def write_file(path, text, executable=False):
    """Writes a file and creates its folders. Returns the path."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if executable:
        path.chmod(0o755)
    return path


def write_marker_script(path, marker, then=""):
    """Writes a program that appends a line to the file `marker` and then runs the shell command
    `then`."""
    return write_file(path, f'#!/bin/sh\necho "$0 $*" >> "{marker}"\n{then}\n', executable=True)


def git(folder, *arguments, check=True, stdin=None):
    """Runs git in a folder and returns its output."""
    settings = [word for setting in GIT_SETTINGS for word in ("-c", setting)]
    result = subprocess.run(
        ["git", *settings, *arguments],
        cwd=folder,
        check=check,
        input=stdin,
        capture_output=True,
        env=os.environ | GIT_ENVIRONMENT,
    )
    return result.stdout.decode("utf-8", "replace")


def commit_all(folder, message="Start"):
    """Commits everything in a folder, and creates the repository if necessary."""
    if not (pathlib.Path(folder) / ".git").exists():
        git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)


def python_module(index, count, salt=0):
    """Returns one module of a ring of `count`, in which each calls the next; `salt` varies the
    text."""
    following = (index + 1) % count
    return f'''from pkg.m{following} import f{following}


class C{index}:
    """Runs number {index}."""
    def run(self, n):
        return f{following}(n) + {salt}


def f{index}(n):
    return C{index}().run(n)
'''


def write_python_ring(root, count=120):
    """Writes a Python package of `count` modules, in which each calls the next. Returns the
    root."""
    root = pathlib.Path(root)
    for index in range(count):
        write_file(root / f"pkg/m{index}.py", python_module(index, count))
    return root


def write_mixed_workspace(root, modules=40):
    """Writes `modules` modules in each of seven languages, about the same topics. Returns the
    root."""
    root = pathlib.Path(root)
    write_file(root / "go.mod", "module example.com/shop\n\ngo 1.21\n")
    write_file(root / "package.json", '{ "name": "shop", "version": "1.0.0" }\n')
    write_file(root / "pyproject.toml", '[project]\nname = "shop"\nversion = "1.0.0"\n')
    write_file(root / "Cargo.toml", '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n')
    write_file(root / "rust/lib.rs", "".join(f"pub mod {name_module(index)};\n" for index in range(modules)))
    for index in range(modules):
        for path, text in mixed_files(index, modules).items():
            write_file(root / path, text)
    return root


def name_module(index):
    """Returns the name of a module of the mixed workspace."""
    return f"{TOPICS[index % len(TOPICS)]}_{index}"


def mixed_files(index, modules):
    """Returns the paths and texts of the files of one module."""
    name, following = name_module(index), name_module((index + 1) % modules)
    words = {
        "name": name,
        "following": following,
        "Name": name.title().replace("_", ""),
        "Following": following.title().replace("_", ""),
        "index": index,
    }
    return {
        string.Template(path).substitute(words): string.Template(text).substitute(words)
        for path, text in MODULE_FILES.items()
    }


def source_files(root, max_bytes=60_000):
    """Returns the sources below a folder of at most `max_bytes` bytes each, in a stable order,
    without links and files of git."""
    root = pathlib.Path(root)
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            if path.suffix in SOURCE_SUFFIXES and not path.is_symlink() and path.stat().st_size <= max_bytes:
                paths.append(path)
    return paths


def copy_workspace(source, target):
    """Copies a workspace without its history. Returns the target."""
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    return pathlib.Path(target)


def read_text(path):
    """Returns a file's text. Bytes that are not UTF-8 are replaced."""
    return pathlib.Path(path).read_bytes().decode("utf-8", "replace")
