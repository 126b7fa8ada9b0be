"""Draws the diagrams of the page "How it works", in the style of the charts."""

import html

from docs_site.charts import draw_card, text

FOLDER = "docs/diagrams"

STYLE = """<style>
.box{fill:#f6f8fa;stroke:#8c959f}.main{fill:#ddf4ff;stroke:#1f6feb}.test{fill:#dafbe1;stroke:#1a7f37}
.arrow{fill:none;stroke:#59636e;stroke-width:1.5}.head{fill:#59636e}.unsure{stroke-dasharray:5 4}
.name{font-weight:600}.small{font-size:12.5px}.code{font:12px ui-monospace,monospace}
@media (prefers-color-scheme:dark){
.box{fill:#21262d;stroke:#768390}.main{fill:#0c2d5e;stroke:#4493f8}.test{fill:#12361f;stroke:#3fb950}.arrow{stroke:#9198a1}.head{fill:#9198a1}
}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>"""


def render_all():
    """Returns the diagrams by path."""
    drawn = {"overview": draw_overview(), "ranking": draw_ranking(), "blast-radius": draw_blast_radius()}
    return {f"{FOLDER}/{name}.svg": svg for name, svg in drawn.items()}


def draw_overview():
    """Draws the sources of the graph and the answers from it."""
    sources = [("Files on disk", "tree-sitter, per file"), ("Unsaved text", "every keystroke"), ("Git history", "commits, authors"), ("Language servers", "confirm, if installed")]
    answers = [("Context pack", "ranked code for a task"), ("Blast radius", "callers, dependents, tests"), ("Affected tests", "with the commands"), ("Search", "symbols, documents, files")]
    readers = [("You", "terminal"), ("Your editor", "lenses, hovers"), ("Your agent", "MCP, shell or LSP")]
    body = [STYLE]
    for index, (name, note) in enumerate(sources):
        y = 72 + index * 62
        body += draw_box(20, y, 150, 48, name, note) + draw_arrow(170, y + 24, 210, 190)
    body += draw_box(212, 130, 120, 120, "Graph", "", "main")
    body += [text(272, 206, line, 'class="small" text-anchor="middle" dy="%d"' % (16 * row)) for row, line in enumerate(("symbols, edges", "and words"))]
    for index, (name, note) in enumerate(answers):
        y = 72 + index * 62
        body += draw_arrow(332, 190, 372, y + 24) + draw_box(374, y, 172, 48, name, note)
    for index, (name, note) in enumerate(readers):
        y = 88 + index * 74
        body += draw_arrow(546, 190, 576, y + 24) + draw_box(578, y, 124, 48, name, note)
    return draw_card("From your files to an answer", "Everything runs on your machine", body, 336)


def draw_ranking():
    """Draws the stages from a task to a pack."""
    steps = [
        ("1  Words", ("names, paths,", "compounds,", "plain words")),
        ("2  Channels", ("text, names,", "locations,", "commits, classes")),
        ("3  Walk", ("from the seeds", "along calls,", "types and tests")),
        ("4  Order", ("trees learned", "from public", "repositories")),
        ("5  Pack", ("bodies, lines,", "signatures: what", "the budget holds")),
    ]
    body = [STYLE]
    for index, (name, lines) in enumerate(steps):
        x = 16 + index * 140
        body += draw_box(x, 72, 128, 100, name, "", "main" if index == 4 else "box", top=24)
        body += [text(x + 64, 118 + 18 * row, line, 'class="small" text-anchor="middle"') for row, line in enumerate(lines)]
        if index:
            body += draw_arrow(x - 12, 122, x - 1, 122)
    return draw_card("From a task to a pack", "kenning why explains them for one symbol", body, 192)


def draw_blast_radius():
    """Draws the blast radius of a method of flask, as `kenning blast` lists it."""
    symbol = (16, 150, "get_cookie_samesite", "main")
    columns = [
        [("save_session", "box", False)],
        [("process_response", "box", False), ("session_transaction", "box", True)],
        [("finalize_request", "box", False), ("test_flash_signal", "test", True), ("4 in test_testing.py", "test", True)],
    ]
    body = [STYLE]
    body += draw_code_box(*symbol)
    last = [(symbol[0], symbol[1])]
    for hop, column in enumerate(columns, 1):
        x, placed = 16 + hop * 178, []
        body.append(text(x + 77, 78, f"{hop} hop{'s' if hop > 1 else ''}", 'class="small" text-anchor="middle"'))
        for index, (name, kind, unsure) in enumerate(column):
            y = 150 + round((index - (len(column) - 1) / 2) * 64)
            target = last[min(index, len(last) - 1)]
            body += draw_arrow(x, y + 18, target[0] + 155, target[1] + 18, unsure) + draw_code_box(x, y, name, kind)
            placed.append((x, y))
        last = placed
    body.append(text(20, 270, "Green: tests. Dashed: a call that may lead to another definition; its numbers have a ~.", 'class="small"'))
    return draw_card("Blast radius of a method in flask", "An arrow leads from a caller to the symbol that it calls", body, 290)


def draw_box(x, y, width, height, name, note, kind="box", top=None):
    """Returns a box with a name and a note below it."""
    middle = x + width / 2
    top = top or (20 if note else 48)
    parts = [f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>', text(middle, y + top, name, 'class="name" text-anchor="middle"')]
    return parts + ([text(middle, y + 38, note, 'class="small" text-anchor="middle"')] if note else [])


def draw_code_box(x, y, name, kind):
    """Returns a box with the name of a symbol."""
    return [f'<rect class="{kind}" x="{x}" y="{y}" width="154" height="36" rx="6"/>', f'<text class="code" x="{x + 77}" y="{y + 22}" text-anchor="middle">{html.escape(name)}</text>']


def draw_arrow(x1, y1, x2, y2, unsure=False):
    """Returns an arrow."""
    middle = (x1 + x2) / 2
    kind = "arrow unsure" if unsure else "arrow"
    return [f'<path class="{kind}" marker-end="url(#head)" d="M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}"/>']
