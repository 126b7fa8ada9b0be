"""Indexes texts that make a parser take far more memory or time than source of the same size:
deep nesting, long chains, wide lists and errors from which a parser recovers at a high price.

Criterion: for each language and format and each form, at 200 kB and 2 MB, `index` ends with
status 0, below 600 MB and 20 seconds, and a session in which the text is opened survives.
"""

import resource
import shutil
from collections import Counter
from dataclasses import dataclass

from .bombs_forms import enclose, repeat_openers, texts_of
from .bombs_languages import LANGUAGES
from .lab import CommandResult

MEGABYTES = 600
SECONDS = 20
SMALL_BYTES = 200_000
# Kenning skips files of more than 2 MiB. A text has a little more than these bytes, because of its
# line breaks, and as the cell of a notebook up to three times as many.
LARGE_BYTES = 1_900_000
SHARE_IN_CELLS = 0.3
LARGEST_FILE = 2 * 1024 * 1024
# Texts of each language and kind of form. --seed chooses others.
TEXTS_OF_KIND = {SMALL_BYTES: 5, LARGE_BYTES: 3}
# Languages in a quick run, with one text each, and the texts that are opened in sessions.
QUICK_LANGUAGES = 12
SESSION_TEXTS = 30
WORST = 10
# Texts that took all memory, or minutes, at these sizes: a language and what it repeats.
KNOWN = (
    ("python", ("/*",)),
    ("java", ("a<",)),
    ("dart", ("a<",)),
    ("csharp", ("a<",)),
    ("cpp", ("a<",)),
    ("csharp", ("'''",)),
    ("csharp", (" < a",)),
    ("java", (" < a",)),
    ("tsx", ("<A>",)),
    ("dart", ("..a()",)),
    ("go", ("*", "case ", "* ", "*")),
    ("typescript", ("} ", "!")),
    ("javascript", ("} ", "- ")),
    ("tsx", ("} ", "() => ")),
    ("rust", ("] ", "* ")),
)
KNOWN_BYTES = (4_000, 40_000)


@dataclass
class Measured:
    """What indexing of one text took."""

    language: str
    form: str
    size: int
    run: CommandResult
    cpu: float

    def describe(self):
        return f"{self.language}, {self.form}, {self.size} bytes: {self.run.describe()}, {self.cpu:.1f} s CPU"

    def is_sound(self):
        return self.run.status == 0 and self.run.peak_megabytes <= MEGABYTES and self.run.seconds <= SECONDS


def run(context):
    """Indexes every text and opens the worst ones in sessions."""
    measured, costly = [], []
    for name, form, text in choose_texts(context):
        result = index_text(context, name, form, text)
        measured.append(result)
        costly.append((result, text))
        costly.sort(key=lambda pair: -pair[0].run.peak_megabytes)
        del costly[context.choose(SESSION_TEXTS, 2) :]
        context.count("texts")
        context.count("bad texts", 0 if result.is_sound() else 1)
        context.expect(result.is_sound(), f"index of {result.describe()}")
    report(context, measured)
    open_in_sessions(context, costly)


def choose_texts(context):
    """Yields the language, form and text of each test."""
    for name, openers in KNOWN:
        for size in KNOWN_BYTES:
            yield name, f"known {openers!r}", enclose(LANGUAGES[name], repeat_openers(openers, LANGUAGES[name], size))
    generator = context.random()
    if context.is_quick:
        for name in generator.sample(sorted(LANGUAGES), QUICK_LANGUAGES):
            form, build = generator.choice(list(texts_of(LANGUAGES[name], SMALL_BYTES, context.settings.seed)))
            yield name, form, enclose(LANGUAGES[name], build())
        return
    for name, pieces in LANGUAGES.items():
        for size, count in TEXTS_OF_KIND.items():
            kinds = {}
            size = int(size * SHARE_IN_CELLS) if pieces.cell else size
            for form, build in texts_of(pieces, size, context.settings.seed):
                kinds.setdefault(form.split()[0], []).append((form, build))
            for texts in kinds.values():
                for form, build in generator.sample(texts, min(count, len(texts))):
                    yield name, form, enclose(pieces, build())


def index_text(context, name, form, text):
    """Indexes a workspace that has only this text. Returns what it took."""
    size = len(text.encode())
    if size > LARGEST_FILE:
        raise ValueError(f"{name}, {form}: Kenning does not read a file of {size} bytes")
    case = context.case("text")
    case.write(LANGUAGES[name].path, text)
    before = cpu_of_children()
    result = case.run("index", "--no-history", timeout=3 * SECONDS)
    measured = Measured(name, form, size, result, cpu_of_children() - before)
    if measured.is_sound():
        shutil.rmtree(case.folder)
    else:
        case.folder.rename(context.folder / f"bad-{context.figures.get('bad texts', 0)}-{name.replace(' ', '-')}")
    return measured


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def report(context, measured):
    """Reports the counts by kind of form and the texts that took most."""
    context.figure("languages", len({text.language for text in measured}))
    for kind, count in sorted(Counter(text.form.split()[0] for text in measured).items()):
        context.figure(kind, count)
    context.figure("most MB", f"{max(text.run.peak_megabytes for text in measured):.0f}")
    context.figure("most seconds", f"{max(text.run.seconds for text in measured):.1f}")
    if context.is_quick:
        return
    for title, key in (("memory", lambda text: -text.run.peak_megabytes), ("time", lambda text: -text.run.seconds)):
        for text in sorted(measured, key=key)[:WORST]:
            context.progress(f"most {title}: {text.describe()}")
    by_language = Counter(text.language for text in measured)
    context.progress("texts: " + ", ".join(f"{name} {count}" for name, count in by_language.items()))


def open_in_sessions(context, costly):
    """Opens the texts that took most memory in a session each."""
    for measured, text in costly:
        open_in_session(context, measured, text)
        context.count("sessions")


def open_in_session(context, measured, text):
    """Opens a text and expects that the session survives and answers about another file."""
    pieces = LANGUAGES[measured.language]
    case = context.case("session")
    case.write("calm.py", "def calm():\n    return 1\n")
    case.write(pieces.path, pieces.sample)
    session = case.lab.serve(case.workspace)
    session.wait_until_ready(SECONDS)
    session.open(pieces.path, text, language=measured.language.split()[0])
    hover = session.hover("calm.py", 0, 5, timeout=SECONDS)
    status = session.wait_until_ready(SECONDS)
    what = f"a session in which {measured.language}, {measured.form}, {measured.size} bytes is opened"
    context.expect(session.is_alive() and status.get("phase") == "ready", f"{what}: {session.error_text()[-200:]!r}")
    context.expect(hover.get("result"), f"{what}: no hover of another file: {str(hover)[:100]}")
    context.expect(session.peak_megabytes <= MEGABYTES, f"{what}: {session.peak_megabytes:.0f} MB")
    ended = session.close()
    context.expect(ended == 0 and not session.has_panicked(), f"{what}: ended with {ended}")
    shutil.rmtree(case.folder)
