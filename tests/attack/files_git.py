"""Repositories that are broken, that lie, or that are huge."""

import hashlib
import os
import random
import shutil

from .regressions.reading import write_object
from .workspaces import git

FAST_IMPORT = ("fast-import", "--quiet", "--force")
CHECKSUM_BYTES = 20
LONG_HISTORY = 60_000
WIDE_COMMIT = 100_000
HUGE_MESSAGE_WORDS = 4_000_000


def noise(length):
    """Returns random bytes, the same in every run."""
    return random.Random(length).randbytes(length)


def packed_refs(folder):
    """packed-refs that is noise."""
    lines = b"# pack-refs with: peeled\n" + b"zz refs/heads/x\n" * 10
    (folder / "packed-refs").write_bytes(lines + noise(10_000))


def head_out(folder):
    """HEAD that leads out of the repository."""
    (folder / "HEAD").write_text("ref: refs/heads/" + "../" * 30 + "etc/passwd\n", encoding="utf-8")


def head_loop(folder):
    """Branches that refer to one another."""
    for name, target in {"HEAD": "a", "refs/heads/a": "b", "refs/heads/b": "a"}.items():
        (folder / name).write_text(f"ref: refs/heads/{target}\n", encoding="utf-8")


def alternates(folder):
    """Alternates that are the repository itself, a device, and a path without an end."""
    places = ("../../.git/objects", "/dev/zero", "../" * 1000 + "x", f"{folder}/objects")
    (folder / "objects/info").mkdir(exist_ok=True)
    (folder / "objects/info/alternates").write_text("\n".join(places) + "\n", encoding="utf-8")


def index_noise(folder):
    """An index that is noise."""
    (folder / "index").write_bytes(noise(100_000))


def index_entries(folder):
    """An index with a right checksum that announces four billion entries."""
    body = b"DIRC" + (2).to_bytes(4, "big") + b"\xff" * 4
    (folder / "index").write_bytes(body + hashlib.sha1(body).digest())


def index_empty(folder):
    """An index that a power cut left empty."""
    (folder / "index").write_bytes(b"")


def objects_noise(folder):
    """Objects that are noise."""
    for path in (folder / "objects").glob("??/*"):
        path.chmod(0o644)
        path.write_bytes(noise(200))


def pack_noise(folder):
    """A pack and its index that are noise."""
    name = folder / "objects/pack" / f"pack-{'a' * 40}"
    name.with_suffix(".idx").write_bytes(noise(5000))
    name.with_suffix(".pack").write_bytes(b"PACK" + noise(5000))


def configuration_loop(folder):
    """A configuration that includes itself and ends in the middle."""
    (folder / "config").write_text("[include]\n\tpath = config\n" * 50 + "[core\n" + "x" * 100_000, encoding="utf-8")


def include_pipe(folder):
    """A configuration that includes a pipe."""
    os.mkfifo(folder / "pipe")
    with open(folder / "config", "a", encoding="utf-8") as file:
        file.write("[include]\n\tpath = pipe\n")


def submodule(folder):
    """A submodule whose repository lies outside, with programs in its settings."""
    root = folder.parent
    (root / "sub").mkdir()
    (root / "sub/.git").write_text("gitdir: ../../../outside\n", encoding="utf-8")
    (root / ".gitmodules").write_text(
        '[submodule "x"]\n\tpath = sub\n\turl = ext::sh -c touch\n\tupdate = !touch x\n', encoding="utf-8"
    )


def git_file(folder):
    """A .git file with a path that is too long."""
    shutil.rmtree(folder)
    folder.write_text("gitdir: " + "/" * 5000 + "\n", encoding="utf-8")


def inflating_commit(folder):
    """A commit that inflates a thousandfold."""
    write_object(folder, "c" * 40, b"commit 2000000000\0" + bytes(300_000_000))
    (folder / "refs/heads/main").write_text("c" * 40 + "\n", encoding="utf-8")


def huge_message(folder):
    """A commit with a message of 20 MB."""
    message = b"alpha subject " + b"word " * HUGE_MESSAGE_WORDS
    git(folder.parent, "commit", "-q", "--allow-empty", "-F", "-", stdin=message)


def wide_commit(folder):
    """A commit of 100,000 files that are not in the tree."""
    files = (b"M 100644 inline d%d/f%d.py\ndata 2\nx\n\n" % (n % 1000, n) for n in range(WIDE_COMMIT))
    head = b"commit refs/heads/main\ncommitter m <m@example.com> 1700000000 +0000\ndata 5\nalpha\n"
    git(folder.parent, *FAST_IMPORT, stdin=head + b"".join(files))


def long_history(folder):
    """60,000 commits of one file."""
    commit = (
        b"commit refs/heads/main\ncommitter m <m@example.com> %d +0000\ndata 8\nalpha %02d\n"
        b"M 100644 inline alpha.py\ndata 30\ndef alpha(): return %10d\n\n"
    )
    commits = (commit % (1_600_000_000 + n, n % 100, n) for n in range(LONG_HISTORY))
    git(folder.parent, *FAST_IMPORT, stdin=b"".join(commits))


QUICK = (
    packed_refs,
    head_out,
    head_loop,
    alternates,
    index_noise,
    index_entries,
    index_empty,
    configuration_loop,
    submodule,
)
WHOLE = (
    *QUICK,
    objects_noise,
    pack_noise,
    include_pipe,
    git_file,
    inflating_commit,
    huge_message,
    wide_commit,
    long_history,
)


def choose_repositories(context):
    """Returns for each kind of repository the function that makes it in a case."""
    breakers = QUICK if context.is_quick else WHOLE
    return {breaker.__name__: make_repository(breaker) for breaker in breakers}


def make_repository(breaker):
    """Returns a function that commits what a case has and breaks the repository then."""

    def make(case):
        case.commit()
        breaker(case.workspace / ".git")

    return make
