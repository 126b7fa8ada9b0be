"""Runs one long session at full speed on a large workspace: edits, saves, checkouts, packs, hovers,
lenses.

Criterion: memory at the end is at most 1.15 times the memory after the first third, at most 5 new
descriptors are open, the 99th percentile of hovers is under 100 ms, no request fails, and the
source root at the end equals that of a fresh index.

Latencies are only meaningful for a release build on an idle machine.
"""

import os
import statistics
import time

from . import processes
from .workspaces import commit_all, git, read_text, source_files, write_mixed_workspace

# Relative frequency of each operation.
WEIGHTS = {"edit": 60, "save": 12, "pack": 8, "hover": 14, "lens": 5}
# Intervals between checkouts, samples of memory, and lines of progress.
CHECKOUT_SECONDS = 20
SAMPLE_SECONDS = 1
PROGRESS_SECONDS = 60
OPEN_DOCUMENTS = 40
# Number of modules of the generated workspace, which makes a thousand files.
GENERATED_MODULES = 125
# Number of edits after which a document is reset to the text on disk, so that it does not grow
# forever.
EDITS_BEFORE_RELOAD = 50
SNIPPETS = ("x", " ", "\n", "(", ")", "f()", "//")

MAX_MEMORY_GROWTH = 1.15
MAX_NEW_DESCRIPTORS = 5
MAX_HOVER_MILLISECONDS = 100


def run(context):
    """Runs for --minutes (half a minute with --quick) and checks the results."""
    attack = SoakAttack(context)
    attack.work(context.choose(context.settings.minutes * 60, 30))
    attack.judge()


class SoakAttack:
    """A repository with two branches, a session with open documents, and the measurements."""

    def __init__(self, context):
        self.context = context
        self.random = context.random()
        self.workspace = context.folder / "workspace"
        if context.settings.root is None:
            write_mixed_workspace(self.workspace, GENERATED_MODULES)
        else:
            self.workspace = context.workspace()
        files = source_files(self.workspace)
        self.files = [str(path.relative_to(self.workspace)) for path in files if path.stat().st_size > 200]
        self.random.shuffle(self.files)
        self.make_branches()
        self.lab = context.lab()
        first_index = self.lab.run("index", self.workspace, timeout=1800)
        context.expect(first_index.status == 0, f"the first index: {first_index.describe()}")
        self.session = self.lab.serve(self.workspace)
        self.session.wait_until_ready(600)
        self.texts, self.versions = {}, {}
        for path in self.files[:OPEN_DOCUMENTS]:
            self.texts[path] = read_text(self.workspace / path)
            self.versions[path] = 1
            self.session.open(path, self.texts[path])
        self.words = self.collect_words()
        self.latencies = {name: [] for name in ("pack", "hover", "lens")}
        self.samples = []
        self.branch = "main"
        self.errors = {}

    def make_branches(self):
        """Commits the workspace, and a branch in which a tenth of its files differ and a few are
        gone."""
        commit_all(self.workspace, "Base")
        git(self.workspace, "checkout", "-q", "-b", "side")
        changed = self.files[OPEN_DOCUMENTS:]
        for path in changed[: max(10, len(changed) // 10)]:
            content = (self.workspace / path).read_bytes()
            (self.workspace / path).write_bytes(content.replace(b"return", b"return ") + b"\n")
        for path in changed[-10:]:
            (self.workspace / path).unlink(missing_ok=True)
        commit_all(self.workspace, "Side")
        git(self.workspace, "checkout", "-q", "main")

    def collect_words(self):
        words = {word for text in self.texts.values() for word in text.split() if word.isidentifier() and len(word) > 5}
        return sorted(words) or ["request", "handler"]

    def work(self, seconds):
        """Performs random operations until the time is up."""
        names, weights = list(WEIGHTS), list(WEIGHTS.values())
        actions = {"edit": self.edit, "save": self.save, "pack": self.pack, "hover": self.hover, "lens": self.lens}
        start = time.monotonic()
        next_sample = next_progress = start
        next_checkout = start + CHECKOUT_SECONDS
        while time.monotonic() - start < seconds and self.session.is_alive():
            name = self.random.choices(names, weights)[0]
            actions[name](self.random.choice(list(self.texts)))
            self.context.count(f"{name}s" if name != "lens" else "lenses")
            now = time.monotonic()
            if now >= next_checkout:
                self.check_out()
                next_checkout = now + CHECKOUT_SECONDS
            if now >= next_sample:
                self.sample(now - start)
                next_sample = now + SAMPLE_SECONDS
            if now >= next_progress:
                memory, descriptors = self.samples[-1][1:]
                self.context.progress(
                    f"soak: {now - start:.0f} of {seconds:.0f} s, {memory:.0f} MB, {descriptors} descriptors"
                )
                next_progress = now + PROGRESS_SECONDS

    def sample(self, seconds):
        pid = self.session.pid
        self.samples.append((seconds, processes.resident_megabytes(pid), processes.open_descriptors(pid)))

    def edit(self, path):
        text, version = self.texts[path], self.versions[path] + 1
        self.versions[path] = version
        if version % EDITS_BEFORE_RELOAD == 0:
            # The other branch may not have the file.
            if (self.workspace / path).exists():
                self.texts[path] = read_text(self.workspace / path)
            self.session.change(path, version, [{"text": self.texts[path]}])
            return
        offset = self.random.randrange(len(text) + 1)
        inserted = self.random.choice(SNIPPETS)
        self.texts[path] = text[:offset] + inserted + text[offset:]
        before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        line_start = before.rfind("\n") + 1
        column = len(before[line_start:].encode("utf-16-le")) // 2
        place = {"line": before.count("\n"), "character": column}
        self.session.change(path, version, [{"range": {"start": place, "end": place}, "text": inserted}])

    def save(self, path):
        (self.workspace / path).write_bytes(self.texts[path].encode())
        self.session.save(path)
        self.session.report_files(2, path)

    def check_out(self):
        """Checks out the other branch, which discards saved changes."""
        self.branch = "side" if self.branch == "main" else "main"
        git(self.workspace, "checkout", "-qf", self.branch)
        self.context.count("checkouts")

    def measure(self, name, request):
        """Sends a request and records its latency or its error."""
        start = time.monotonic()
        answer = request()
        self.latencies[name].append((time.monotonic() - start) * 1000)
        if "error" in answer:
            message = str(answer["error"])[:100]
            self.errors[message] = self.errors.get(message, 0) + 1

    def pack(self, _):
        task = " ".join(self.random.sample(self.words, min(5, len(self.words))))
        self.measure("pack", lambda: self.session.command("taskContext", task=task, budget=8000))

    def hover(self, path):
        line = self.random.randrange(self.texts[path].count("\n") + 1)
        self.measure("hover", lambda: self.session.hover(path, line, self.random.randrange(30)))

    def lens(self, path):
        document = {"textDocument": {"uri": self.session.uri(path)}}
        self.measure("lens", lambda: self.session.request("textDocument/codeLens", document))

    def judge(self):
        context, session = self.context, self.session
        context.expect(
            session.is_alive(), f"the session ended with {session.process.poll()}: {session.error_text()[-300:]}"
        )
        for message, times in self.errors.items():
            context.fail(f"{times} errors: {message}")
        self.judge_latencies()
        self.judge_resources()
        for path in self.texts:
            session.close_document(path)
        status = session.wait_until_ready(600)
        root, fresh = status.get("source_root"), self.lab.fresh_source_root(self.workspace)
        context.expect(root == fresh, f"source_root at the end {root}, of a fresh index {fresh}")
        context.expect(not session.has_panicked(), f"a panic: {session.error_text()[-300:]}")
        ended = session.close(60)
        context.expect(ended == 0, f"the session ended with {ended}")

    def judge_latencies(self):
        for name, values in self.latencies.items():
            if values:
                middle, high = (percentile(values, part) for part in (0.5, 0.99))
                self.context.figure(f"{name} p50/p99", f"{middle:.0f}/{high:.0f} ms")
        if self.latencies["hover"]:
            high = percentile(self.latencies["hover"], 0.99)
            bound = (
                f"the bound is {MAX_HOVER_MILLISECONDS} ms; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
            )
            self.context.expect(high < MAX_HOVER_MILLISECONDS, f"99% of hovers take up to {high:.0f} ms; {bound}")

    def judge_resources(self):
        """Compares memory and descriptors at the end with those after the first third."""
        if len(self.samples) < 6:
            self.context.fail(f"only {len(self.samples)} samples of memory: the run was too short")
            return
        # Use the median of a tenth, so that a single pause for compaction or freeing memory does
        # not decide.
        count, width = len(self.samples), max(1, len(self.samples) // 10)
        third, end = self.samples[count // 3 : count // 3 + width], self.samples[-width:]
        memory = [statistics.median(sample[1] for sample in part) for part in (third, end)]
        descriptors = [statistics.median(sample[2] for sample in part) for part in (third, end)]
        self.context.figure("memory", f"{memory[0]:.0f} to {memory[1]:.0f} MB")
        self.context.figure("descriptors", f"{descriptors[0]:.0f} to {descriptors[1]:.0f}")
        growth = memory[1] / memory[0]
        self.context.expect(growth <= MAX_MEMORY_GROWTH, f"memory grew to {growth:.2f} times the memory after a third")
        new_descriptors = descriptors[1] - descriptors[0]
        self.context.expect(new_descriptors <= MAX_NEW_DESCRIPTORS, f"{new_descriptors:.0f} more descriptors than after a third")


def percentile(values, part):
    """Returns the value that `part` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]
