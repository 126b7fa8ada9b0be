"""Creates repositories that are damaged, misleading or huge. Each breaker gets the `.git` folder
of a case."""

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


def corrupt_packed_refs(folder):
    """Writes noise into packed-refs."""
    lines = b"# pack-refs with: peeled\n" + b"zz refs/heads/x\n" * 10
    (folder / "packed-refs").write_bytes(lines + noise(10_000))


def point_head_outside(folder):
    """Makes HEAD point out of the repository."""
    (folder / "HEAD").write_text("ref: refs/heads/" + "../" * 30 + "etc/passwd\n", encoding="utf-8")


def loop_branches(folder):
    """Makes branches refer to one another."""
    for name, target in {"HEAD": "a", "refs/heads/a": "b", "refs/heads/b": "a"}.items():
        (folder / name).write_text(f"ref: refs/heads/{target}\n", encoding="utf-8")


def set_bad_alternates(folder):
    """Sets alternates to the repository itself, a device, and a very long path."""
    places = ("../../.git/objects", "/dev/zero", "../" * 1000 + "x", f"{folder}/objects")
    (folder / "objects/info").mkdir(exist_ok=True)
    (folder / "objects/info/alternates").write_text("\n".join(places) + "\n", encoding="utf-8")


def corrupt_index(folder):
    """Writes noise into the index."""
    (folder / "index").write_bytes(noise(100_000))


def overstate_index_entries(folder):
    """Writes an index with a correct checksum that announces four billion entries."""
    body = b"DIRC" + (2).to_bytes(4, "big") + b"\xff" * 4
    (folder / "index").write_bytes(body + hashlib.sha1(body).digest())


def empty_index(folder):
    """Empties the index, as a power cut can."""
    (folder / "index").write_bytes(b"")


def corrupt_objects(folder):
    """Writes noise into the objects."""
    for path in (folder / "objects").glob("??/*"):
        path.chmod(0o644)
        path.write_bytes(noise(200))


def corrupt_pack(folder):
    """Writes a pack and its index that contain noise."""
    name = folder / "objects/pack" / f"pack-{'a' * 40}"
    name.with_suffix(".idx").write_bytes(noise(5000))
    name.with_suffix(".pack").write_bytes(b"PACK" + noise(5000))


def loop_configuration(folder):
    """Writes a configuration that includes itself and is truncated."""
    (folder / "config").write_text("[include]\n\tpath = config\n" * 50 + "[core\n" + "x" * 100_000, encoding="utf-8")


def include_pipe(folder):
    """Makes the configuration include a pipe."""
    os.mkfifo(folder / "pipe")
    with open(folder / "config", "a", encoding="utf-8") as file:
        file.write("[include]\n\tpath = pipe\n")


def add_outside_submodule(folder):
    """Adds a submodule with a repository outside the workspace and programs in its settings."""
    root = folder.parent
    (root / "sub").mkdir()
    (root / "sub/.git").write_text("gitdir: ../../../outside\n", encoding="utf-8")
    (root / ".gitmodules").write_text(
        '[submodule "x"]\n\tpath = sub\n\turl = ext::sh -c touch\n\tupdate = !touch x\n', encoding="utf-8"
    )


def write_long_git_file(folder):
    """Replaces the folder by a .git file with a path that is too long."""
    shutil.rmtree(folder)
    folder.write_text("gitdir: " + "/" * 5000 + "\n", encoding="utf-8")


def write_inflating_commit(folder):
    """Writes a commit that inflates a thousandfold."""
    write_object(folder, "c" * 40, b"commit 2000000000\0" + bytes(300_000_000))
    (folder / "refs/heads/main").write_text("c" * 40 + "\n", encoding="utf-8")


def commit_huge_message(folder):
    """Creates a commit with a message of 20 MB."""
    message = b"alpha subject " + b"word " * HUGE_MESSAGE_WORDS
    git(folder.parent, "commit", "-q", "--allow-empty", "-F", "-", stdin=message)


def commit_many_files(folder):
    """Creates a commit of 100,000 files that are not in the working tree."""
    files = (b"M 100644 inline d%d/f%d.py\ndata 2\nx\n\n" % (n % 1000, n) for n in range(WIDE_COMMIT))
    head = b"commit refs/heads/main\ncommitter m <m@example.com> 1700000000 +0000\ndata 5\nalpha\n"
    git(folder.parent, *FAST_IMPORT, stdin=head + b"".join(files))


def commit_long_history(folder):
    """Creates 60,000 commits of one file."""
    commit = (
        b"commit refs/heads/main\ncommitter m <m@example.com> %d +0000\ndata 8\nalpha %02d\n"
        b"M 100644 inline alpha.py\ndata 30\ndef alpha(): return %10d\n\n"
    )
    commits = (commit % (1_600_000_000 + n, n % 100, n) for n in range(LONG_HISTORY))
    git(folder.parent, *FAST_IMPORT, stdin=b"".join(commits))


QUICK = (
    corrupt_packed_refs,
    point_head_outside,
    loop_branches,
    set_bad_alternates,
    corrupt_index,
    overstate_index_entries,
    empty_index,
    loop_configuration,
    add_outside_submodule,
)
WHOLE = (
    *QUICK,
    corrupt_objects,
    corrupt_pack,
    include_pipe,
    write_long_git_file,
    write_inflating_commit,
    commit_huge_message,
    commit_many_files,
    commit_long_history,
)


def choose_repositories(context):
    """Returns, for each kind of repository, the function that creates it in a case."""
    breakers = QUICK if context.is_quick else WHOLE
    return {breaker.__name__: make_repository(breaker) for breaker in breakers}


def make_repository(breaker):
    """Returns a function that commits the files of a case and then breaks the repository."""

    def make(case):
        case.commit()
        breaker(case.workspace / ".git")

    return make
