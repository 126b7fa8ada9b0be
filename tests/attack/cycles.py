"""Indexes and queries programs whose definitions refer to each other in a circle, and chains of
definitions that are too long to follow one by one.

Criterion: for every form of each language, alone, in pairs and as a chain, `index`, `pack`, `blast`,
`why` and a session end properly, within 20 seconds for a workspace of cyclic programs and within
modest memory.
"""

import itertools
import shutil

from .cycles_forms import FORMS
from .lab import MODEST_MEGABYTES

SECONDS = 20
CHAIN_SECONDS = 120
CHAIN_MEGABYTES = 1200
PROGRAMS = 4000
QUICK_PROGRAMS = 240
PROGRAMS_IN_WORKSPACE = 80
# Failing programs that are named for one workspace.
MAX_CULPRITS = 4
CHAIN_LINKS = 100_000
LINKS_IN_FILE = 1000
# Forms of each language of which a chain is made. --seed chooses others.
CHAINS_OF_LANGUAGE = 8
# Links of a chain in which each definition is a file.
CHAIN_FILES = 3000
QUICK_LINKS = 6000
QUICK_FILES = 300
CALM = "def calm():\n    return 1\n"
QUICK_CHAINS = ("javascript", "ruby", "tsconfig")


def run(context):
    """Tries the cyclic programs, many in a workspace, and then one chain after the other."""
    for figure in ("programs", "bad programs", "chains", "bad chains"):
        context.figure(figure, 0)
    programs = choose_programs(context.choose(PROGRAMS, QUICK_PROGRAMS), context.random())
    context.figure("languages", len({language for language, _ in programs}))
    numbered = list(enumerate(programs))
    for start in range(0, len(numbered), PROGRAMS_IN_WORKSPACE):
        try_programs(context, numbered[start : start + PROGRAMS_IN_WORKSPACE])
    for language, form in choose_chains(context):
        try_chain(context, language, form)


def choose_programs(count, generator):
    """Returns `count` programs as pairs of a language and the forms that refer to each other in a
    circle. Every form refers to itself, and to others in random pairs."""
    programs, pairs = [], []
    for language, forms in FORMS.items():
        programs += [(language, (form,)) for form in forms.forms]
        both = list(itertools.combinations(forms.forms, 2))
        # A language with many forms must not displace the others.
        pairs += [(language, pair) for pair in generator.sample(both, min(len(both), 400))]
        programs += [(language, (form, form, form)) for form in forms.forms[:4]]
    generator.shuffle(pairs)
    if count < len(programs):
        return generator.sample(programs, count)
    return programs + pairs[: count - len(programs)]


def named(text, name, other):
    """Puts the names of a definition and of the one that it refers to into a form."""
    for sign, value in (("AA", name), ("BB", other)):
        text = text.replace(sign, value.capitalize()).replace(sign.lower(), value)
    return text


def write_links(case, folder, forms, links, links_in_file):
    """Writes definitions as files of a folder. `links` are a form, a name and the name that it
    refers to each."""
    if forms.is_file:
        for form, name, other in links:
            write_file_link(case, folder, forms, form, name, other)
        return
    files = [links[start : start + links_in_file] for start in range(0, len(links), links_in_file)]
    for number, file_links in enumerate(files):
        imports = ""
        if forms.imports and len(files) > 1:
            following = (number + 1) % len(files)
            imports = named(forms.imports.format(file=f"f{following}"), "", file_links[-1][2]) + "\n"
        usage = named(forms.usage, file_links[0][1], "")
        body = "\n".join(named(*link) for link in file_links)
        path = forms.path.replace("{x}", f"f{number}")
        case.write(f"{folder}/{path}", f"{forms.header}{imports}{body}\n{usage}\n{forms.footer}")


def write_file_link(case, folder, forms, form, name, other):
    """Writes a definition that has a file of its own, and the source beside it."""
    # A form that names the other file in capitals expects such a name.
    stem = name.capitalize() if "BB" in form and "bb" not in form else name
    # A path that starts with a dot has its place at the top of the workspace.
    top = "" if forms.path.startswith(".") else f"{folder}/"
    path = top + forms.path.replace("{x}", stem)
    case.write(path, forms.header + named(form, name, other) + forms.footer)
    if forms.source:
        relative, text = forms.source
        case.write(f"{path.rpartition('/')[0]}/{relative}", named(text, name, other))


def write_program(case, number, language, forms_of_program):
    """Writes one cyclic program into a folder of its own. Odd ones have a file for each
    definition."""
    count = len(forms_of_program)
    names = [f"k{number}{letter}z" for letter in "pqr"[:count]]
    links = [(form, names[index], names[(index + 1) % count]) for index, form in enumerate(forms_of_program)]
    write_links(case, f"p{number}", FORMS[language], links, 1 if number % 2 else count)
    return names[0]


def try_programs(context, programs):
    """Runs the commands on a workspace of programs. Names the programs that fail."""
    context.count("programs", len(programs))
    for _ in range(MAX_CULPRITS):
        problem = run_on_programs(context, programs)
        if problem is None:
            return
        culprits = find_culprits(context, programs)
        context.count("bad programs", len(culprits))
        described = "; ".join(f"{language}: {' and '.join(forms)!r}" for _, (language, forms) in culprits)
        context.fail(f"{len(culprits)} cyclic programs ({described[:300]}): {problem}")
        programs = [program for program in programs if program not in culprits]


def find_culprits(context, programs):
    """Returns the smallest part of the programs, by halving, that still fails."""
    while len(programs) > 1:
        half = len(programs) // 2
        failing = next((part for part in (programs[:half], programs[half:]) if run_on_programs(context, part)), None)
        if failing is None:
            break
        programs = failing
    return programs


def run_on_programs(context, programs):
    """Returns what went wrong on a workspace of programs, or None."""
    case = context.case("programs")
    try:
        symbols = [write_program(case, number, language, forms) for number, (language, forms) in programs]
        case.write("calm.py", CALM)
        some = symbols[:: max(1, len(symbols) // 3)]
        return run_commands(case, some, SECONDS, MODEST_MEGABYTES) or run_session(case, programs)
    finally:
        shutil.rmtree(case.folder)


def run_commands(case, symbols, seconds, megabytes):
    """Returns how the first command failed that did, or None."""
    commands = [("index", "--no-history")]
    for symbol in symbols:
        upper = symbol.capitalize()
        commands.append(("pack", f"change {symbol} and {upper}", "--no-learning"))
        commands += [("blast", symbol), ("blast", upper), ("why", "--symbol", symbol, f"change {symbol}")]
    for command, *arguments in commands:
        result = case.run(command, *arguments, timeout=seconds)
        if not result.is_orderly() or result.peak_megabytes > megabytes or (command == "index" and result.status != 0):
            return f"{command} {' '.join(arguments)}: {result.describe()}"
    return None


def run_session(case, programs):
    """Returns how a session on the programs failed, or None."""
    session = case.lab.serve(case.workspace)
    status = session.wait_until_ready(SECONDS)
    answer = session.hover("calm.py", 0, 5, timeout=SECONDS)
    for path in sorted(case.workspace.rglob("*"))[:: max(1, len(programs) // 4)]:
        if path.is_file():
            text = path.read_text()
            relative = path.relative_to(case.workspace)
            session.open(relative, text + "\n")
            last = text.count("\n") - 1
            for column in (14, 22, 30):
                session.hover(relative, max(0, last), column, timeout=SECONDS)
    ended = session.close()
    if ended != 0 or session.has_panicked() or status.get("phase") != "ready" or not answer.get("result"):
        return f"a session ended with {ended}, phase {status.get('phase')}: {session.error_text()[-200:]!r}"
    return None


def choose_chains(context):
    """Yields the language and the form of each chain."""
    generator = context.random()
    for language, forms in FORMS.items():
        if not context.is_quick:
            # The first form of JavaScript, a spread, overflowed the stack.
            chosen = generator.sample(forms.forms[1:], min(CHAINS_OF_LANGUAGE, len(forms.forms)) - 1)
            yield from ((language, form) for form in (forms.forms[0], *chosen))
        elif language in QUICK_CHAINS:
            yield language, forms.forms[0]


def try_chain(context, language, form):
    """Runs the commands on one chain without a circle."""
    forms = FORMS[language]
    case = context.case("chain")
    count = context.choose(CHAIN_FILES, QUICK_FILES) if forms.is_file else context.choose(CHAIN_LINKS, QUICK_LINKS)
    links = [(form, f"k{number}z", f"k{number + 1}z") for number in range(count)]
    write_links(case, "p", forms, links, LINKS_IN_FILE)
    case.write("calm.py", CALM)
    problem = run_commands(case, ["k0z"], CHAIN_SECONDS, CHAIN_MEGABYTES)
    context.count("chains")
    context.count("links", count)
    if problem is not None:
        context.count("bad chains")
        context.fail(f"a chain of {count} links of {language}, {form!r}: {problem}")
    shutil.rmtree(case.folder)
