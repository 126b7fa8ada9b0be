"""Makes random edits in many open documents: surrogates, line ends, several changes at once, saves,
closes, deletions.

Criterion: after each round, the session reports the correct hash of each open text, and its source
root equals that of a fresh index of the same contents.
"""

import hashlib
import shutil

from . import workspaces
from .client import text_range

# Number of files in the workspace.
FILES = 60
EDITS_PER_ROUND = 300
# Most edits go to a few files, so that their texts change a lot.
FREQUENT_FILES = 12
# Number of characters that nine of ten longer removals leave in place.
MAX_FREQUENT_REMOVAL = 400
SNIPPETS = (
    "x",
    "\n",
    "😀",
    "𝒳y",
    "(",
    ")",
    "{",
    "}",
    '"',
    "'",
    '"""',
    "/*",
    "*/",
    "//",
    "#",
    "def f(a):\n    return a\n",
    "func g() { h() }\n",
    "class K {\n  m() { return f() }\n}\n",
    "import os\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "",
    "\ufeff",
    "\u2028",
    "self.run()",
    ";",
    "e\u0301",
)


def run(context):
    """Makes 30 rounds of 300 edits."""
    attack = EditAttack(context)
    for number in range(context.choose(30, 2)):
        for _ in range(EDITS_PER_ROUND):
            attack.perform_action()
        attack.judge(number)
    attack.end()


class EditAttack:
    """A workspace, a session on it, and the expected texts of its documents."""

    def __init__(self, context):
        self.context = context
        self.random = context.random()
        self.workspace = copy_some_files(context, self.random)
        self.paths = [str(path.relative_to(self.workspace)) for path in workspaces.source_files(self.workspace)]
        self.lab = context.lab()
        self.session = self.lab.serve(self.workspace)
        self.session.wait_until_ready()
        self.texts = {}
        self.versions = {}
        for figure in ("rounds", "different rounds", "edits"):
            context.figure(figure, 0)

    def next_version(self, path):
        self.versions[path] = self.versions.get(path, 0) + 1
        return self.versions[path]

    def perform_action(self):
        """Performs one random action on one document."""
        path = self.random.choice(self.paths[:FREQUENT_FILES] if self.random.random() < 0.8 else self.paths)
        if path not in self.texts:
            self.open(path)
            return
        actions = (
            (self.edit, 78),
            (self.replace, 6),
            (self.save, 4),
            (self.close, 4),
            (self.delete, 2),
            (self.write_other, 2),
            (self.request_pack, 1),
            (self.edit, 3),
        )
        action = self.random.choices([name for name, _ in actions], [weight for _, weight in actions])[0]
        self.context.count("edits")
        action(path)

    def open(self, path):
        try:
            text = (self.workspace / path).read_bytes().decode("utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            text = ""
        self.texts[path] = text
        self.session.open(path, text, self.next_version(path))

    def edit(self, path):
        changes = []
        for _ in range(self.random.choice([1, 1, 1, 2, 5])):
            text = self.texts[path]
            lines = split_lines(text)
            positions = [self.choose_position(text, lines)]
            positions.append(positions[0] if self.random.random() < 0.6 else self.choose_position(text, lines))
            (first, start), (last, end) = sorted(positions, key=lambda position: position[1])
            if end - start > MAX_FREQUENT_REMOVAL and self.random.random() < 0.9:
                last, end = first, start
            inserted = self.random.choice(SNIPPETS)
            self.texts[path] = text[:start] + inserted + text[end:]
            changes.append({"range": text_range(first, last), "text": inserted})
        self.session.change(path, self.next_version(path), changes)

    def choose_position(self, text, lines):
        """Returns a random position as (line, UTF-16 column) and as an offset."""
        line = self.random.randrange(len(lines))
        start, end = lines[line]
        offset = self.random.randint(start, end)
        return (line, len(text[start:offset].encode("utf-16-le")) // 2), offset

    def replace(self, path):
        other = self.workspace / self.random.choice(self.paths)
        self.texts[path] = workspaces.read_text(other) if other.exists() else ""
        self.session.change(path, self.next_version(path), [{"text": self.texts[path]}])

    def save(self, path):
        write_bytes(self.workspace / path, self.texts[path])
        self.session.save(path)

    def close(self, path):
        self.session.close_document(path)
        del self.texts[path]

    def delete(self, path):
        (self.workspace / path).unlink(missing_ok=True)
        self.session.report_files(3, path)

    def write_other(self, _):
        path = self.random.choice(self.paths)
        write_bytes(self.workspace / path, f"def fresh_{self.random.randrange(10**6)}():\n    return 1\n")
        self.session.report_files(self.random.choice([1, 2]), path)

    def request_pack(self, _):
        self.session.send_command("taskContext", task="run route", noLearning=True)

    def judge(self, number):
        """Compares the session with a fresh index of the same texts."""
        context = self.context
        context.count("rounds")
        failures_before = len(context.failures)
        snapshot = context.folder / "snapshot"
        shutil.rmtree(snapshot, ignore_errors=True)
        shutil.copytree(self.workspace, snapshot)
        for path, text in self.texts.items():
            write_bytes(snapshot / path, text)
        fresh = self.lab.fresh_source_root(snapshot)
        status = self.session.wait_until_ready()
        documents = {document.get("path"): document for document in status.get("documents", [])}
        for path, text in self.texts.items():
            hashes = [value for value in documents.get(path, {}).values() if is_hash(value)]
            expected = hashlib.sha256(text.encode()).hexdigest()
            context.expect(
                expected in hashes, f"round {number}: the text of {path} differs from the edits: {documents.get(path)}"
            )
        root = status.get("source_root")
        if root != fresh:
            self.session.command("reindex", 60)
            later = self.session.wait_until_ready().get("source_root")
            after = "correct after reindex" if later == fresh else "different after reindex, too"
            context.fail(f"round {number}: source_root {root}, of a fresh index {fresh}, {after}")
            shutil.copytree(snapshot, context.folder / f"different-{number}")
        unsynchronized = status.get("desynchronized_files")
        context.expect(not unsynchronized, f"round {number}: out of sync: {unsynchronized}")
        if len(context.failures) > failures_before:
            context.count("different rounds")

    def end(self):
        self.context.expect(not self.session.has_panicked(), f"a panic: {self.session.error_text()[-300:]}")
        ended = self.session.close()
        self.context.expect(ended == 0, f"the session ended with {ended}")


def copy_some_files(context, generator):
    """Copies random files and the manifests of the workspace into a smaller one."""
    whole = context.workspace("whole")
    files = workspaces.source_files(whole)
    generator.shuffle(files)
    target = context.folder / "workspace"
    for path in files[:FILES]:
        copy = target / path.relative_to(whole)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for name in workspaces.MANIFESTS:
        if (whole / name).exists():
            shutil.copy(whole / name, target / name)
    return target


def split_lines(text):
    """Returns the start and end of each line. As in the protocol, \\n, \\r\\n and \\r end a
    line."""
    lines, start, offset = [], 0, 0
    while offset < len(text):
        width = 2 if text.startswith("\r\n", offset) else 1
        if text[offset] in "\r\n":
            lines.append((start, offset))
            start = offset + width
        offset += width
    return [*lines, (start, len(text))]


def is_hash(value):
    return isinstance(value, str) and len(value) == 64


def write_bytes(path, text):
    """Writes a text with its line ends as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
