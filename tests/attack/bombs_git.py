"""Opens repositories whose few small objects describe enormous trees, in the history, as the
checked-out commit, in merges and in the index.

Criterion: `index`, `index --blame`, `changes` and `tests` end properly within 20 seconds, and
`index` takes less than 400 MB. The commit beyond a limit is reported, and the other commits are
read.
"""

import hashlib
import shutil
import zlib

from .workspaces import git

SECONDS = 20
MEGABYTES = 400
PERSON = "a <a@x> 1717243200 +0000"
ALPHA = "def alpha():\n    return 1\n"
# The shapes of trees. Each function gets the repository and returns the id of a tree.
SHAPES = {}


def shape(function):
    """Adds a function to the shapes."""
    SHAPES[function.__name__] = function
    return function


def run(context):
    """Tries each shape at each place."""
    for name in ("git bombs", "peak MB of index"):
        context.figure(name, 0)
    shapes = context.choose(SHAPES, {name: SHAPES[name] for name in ("nested", "deep")})
    places = context.choose(PLACES, {name: PLACES[name] for name in ("history", "head")})
    for shape_name, make in shapes.items():
        for place_name, place in places.items():
            try_bomb(context, f"{shape_name}-{place_name}", lambda store, make=make, place=place: place(store, make(store)))
    for name, make in context.choose(OTHERS, dict(list(OTHERS.items())[:2])).items():
        try_bomb(context, name, make)


def try_bomb(context, name, make):
    """Creates a repository with a bomb and runs the commands that read it."""
    case = context.case(f"git-{name}")
    case.write("alpha.py", ALPHA)
    case.commit()
    make(ObjectStore(case.workspace))
    commands = {
        "index": ("index",),
        "index --blame": ("index", "--blame"),
        "changes": ("changes",),
        "tests": ("tests", "alpha.py"),
        "status": ("status", "--verbose"),
    }
    for command, arguments in commands.items():
        outcome = case.run(*arguments, timeout=SECONDS)
        is_sound = outcome.is_orderly() and outcome.peak_megabytes < MEGABYTES
        if command.startswith("index"):
            is_sound = is_sound and outcome.status == 0
            context.figure("peak MB of index", max(context.figures["peak MB of index"], round(outcome.peak_megabytes)))
        if not context.expect(is_sound, f"{name}, {command}: {outcome.describe()}"):
            break
        if command == "index" and name.endswith("-history"):
            reported = "more changed files than Kenning compares" in outcome.out
            context.expect(reported, f"{name}: the commit is left out without a message: {outcome.out!r}")
    context.count("git bombs")
    shutil.rmtree(case.folder)


class ObjectStore:
    """Writes objects into a repository without git's checks."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.blob = self.write("blob", ALPHA.encode())

    def write(self, kind, content):
        """Writes a loose object and returns its id."""
        data = f"{kind} {len(content)}\0".encode() + content
        name = hashlib.sha1(data).hexdigest()
        path = self.workspace / ".git/objects" / name[:2] / name[2:]
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            path.write_bytes(zlib.compress(data, 1))
        return name

    def tree(self, entries):
        """Writes a tree of (mode, name, id)."""
        encoded = (f"{mode} {name}\0".encode() + bytes.fromhex(object_id) for mode, name, object_id in entries)
        return self.write("tree", b"".join(encoded))

    def files(self, count):
        """Writes a tree of files with equal contents."""
        return self.tree(("100644", f"f{index:07}.py", self.blob) for index in range(count))

    def commit(self, tree, *parents, message="Grow"):
        """Writes a commit and returns its id."""
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {PERSON}", f"committer {PERSON}", "", message]
        return self.write("commit", ("\n".join(lines) + "\n").encode())

    def head(self):
        """Returns the id of the checked-out commit."""
        return git(self.workspace, "rev-parse", "HEAD").strip()

    def head_tree(self):
        """Returns the id of its tree."""
        return git(self.workspace, "rev-parse", "HEAD^{tree}").strip()

    def set_head(self, commit):
        """Moves the branch without touching the working tree."""
        git(self.workspace, "update-ref", "HEAD", commit)


@shape
def nested(store):
    """Ten levels of ten entries that are the same tree: 10^10 files in twelve objects."""
    tree = store.files(10)
    for _ in range(9):
        tree = store.tree(("40000", f"d{index}", tree) for index in range(10))
    return tree


@shape
def deep(store):
    """Ten thousand nested folders."""
    tree = store.files(1)
    for _ in range(10_000):
        tree = store.tree([("40000", "d" * 20, tree)])
    return tree


@shape
def wide(store):
    """A folder with 800,000 files, whose object is as large as Kenning reads."""
    return store.files(800_000)


@shape
def million(store):
    """A million files in folders of a thousand."""
    folder = store.files(1_000)
    return store.tree(("40000", f"d{index:04}", folder) for index in range(1_000))


@shape
def long_names(store):
    """A thousand files in a folder with a name of a megabyte."""
    return store.tree([("40000", "d" * (1 << 20), store.files(1_000))])


def in_history(store, tree):
    """Puts the tree between the first commit and the checked-out copy of it."""
    bomb = store.commit(tree, store.head())
    store.set_head(store.commit(store.head_tree(), bomb))


def at_head(store, tree):
    """Makes the tree that of the checked-out commit."""
    store.set_head(store.commit(tree, store.head()))


def in_merge(store, tree):
    """Merges two commits with the tree."""
    first, second = (store.commit(tree, store.head(), message=message) for message in ("One", "Two"))
    store.set_head(store.commit(store.head_tree(), first, second))


def in_blame(store, tree):
    """Gives the file another path in the tree, so that its lines are followed through all changes."""
    old = store.tree([("100644", "old.py", store.blob), ("40000", "z", tree)])
    store.set_head(store.commit(store.head_tree(), store.commit(old)))


PLACES = {"history": in_history, "head": at_head, "merge": in_merge, "blame": in_blame}


def alternating_commits(store):
    """Two thousand commits that switch between an empty tree and 90,000 files."""
    folder = store.files(300)
    large = store.tree(("40000", f"d{index:04}", folder) for index in range(300))
    empty, head = store.tree([]), store.head()
    for index in range(2_000):
        head = store.commit(empty if index % 2 else large, head)
    store.set_head(store.commit(store.head_tree(), head))


def deep_index(store):
    """An index whose cached trees are nested 300,000 deep."""
    append_index_extension(store, b"TREE", b"d\0-1 1\n" * 300_000)


def deep_untracked_cache(store):
    """An index whose cache of untracked files is nested 300,000 deep."""
    head = b"\0" + bytes(36 + 36 + 4 + 20 + 20) + b"\0" + b"\x91\xa6\x60"
    append_index_extension(store, b"UNTR", head + b"\0\x01a\0" * 300_000)


def compressed_paths(store):
    """An index of version 4 whose 100,000 entries repeat a path of 50 kB."""
    entry = bytes(40) + bytes.fromhex(store.blob) + b"\x0f\xff"
    body = b"DIRC" + (4).to_bytes(4, "big") + (100_000).to_bytes(4, "big")
    body += entry + b"\0" + b"a/" * 25_000 + b"b\0" + (entry + b"\x01c\0") * 99_999
    (store.workspace / ".git/index").write_bytes(body + hashlib.sha1(body).digest())


def append_index_extension(store, signature, content):
    """Appends an extension to the index, with a correct checksum."""
    path = store.workspace / ".git/index"
    body = path.read_bytes()[:-20] + signature + len(content).to_bytes(4, "big") + content
    path.write_bytes(body + hashlib.sha1(body).digest())


def octopus(store):
    """A merge with 20,000 parents."""
    first, tree = store.head(), store.head_tree()
    parents = [store.commit(tree, first, message=f"Side {index}") for index in range(20_000)]
    store.set_head(store.commit(tree, *parents))


def long_messages(store):
    """Fifty commits with messages of 20 MB."""
    head, tree = store.head(), store.head_tree()
    for index in range(50):
        head = store.commit(tree, head, message=f"{index} " + "wisteria " * 2_200_000)
    store.set_head(head)


def repeated_file(store):
    """A folder with 20,000 times the same file of 2 MB, which the working tree does not have."""
    store.blob = store.write("blob", b"x = 1\n" * 330_000)
    at_head(store, store.files(20_000))


def renamed_files(store):
    """Commits that move a thousand files from folder to folder."""
    head, folder = store.head(), store.files(1_000)
    for index in range(500):
        head = store.commit(store.tree([("40000", f"d{index}", folder)]), head)
    store.set_head(store.commit(store.head_tree(), head))


OTHERS = {
    make.__name__: make
    for make in (
        deep_index,
        compressed_paths,
        deep_untracked_cache,
        alternating_commits,
        octopus,
        long_messages,
        repeated_file,
        renamed_files,
    )
}
