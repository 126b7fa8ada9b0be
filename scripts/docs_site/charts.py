"""Draws the charts of the benchmark page from the CSV files in bench/results, as SVG for light and
dark pages.

The same files give the same bytes: no clock, no random numbers, no hash order.
"""

import csv
import dataclasses
import html

from docs_site import pages

FOLDER = "docs/charts"
RESULTS = "bench/results"
# Sizes in pixels: the card, its margins, and the bars with the gaps between them.
WIDTH = 720
LEFT, RIGHT, TOP = 190, 84, 68
BAR, GAP, GROUP_GAP = 18, 4, 14

# Each chart has its own background in both color schemes, so that it is legible on a page of any
# theme.
STYLE = """<style>
text{font:14px system-ui,sans-serif;fill:#1f2328}
.title{font-size:17px;font-weight:600}
.note{font-size:13px;fill:#59636e}
.card{fill:#fff;stroke:#d1d9e0}
.grid{stroke:#d1d9e0}
.whisker{stroke:#1f2328;stroke-width:1.5}
.s0{fill:#1f6feb;stroke:#1f6feb}.s1{fill:#bc6c00;stroke:#bc6c00}.s2{fill:#6e7781;stroke:#6e7781}.s3{fill:#a371f7;stroke:#a371f7}
.line{fill:none;stroke-width:3}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.note{fill:#9198a1}.card{fill:#161b22;stroke:#3d444d}.grid{stroke:#3d444d}.whisker{stroke:#e6edf3}
.s0{fill:#4493f8;stroke:#4493f8}.s1{fill:#db8b1f;stroke:#db8b1f}.s2{fill:#8b949e;stroke:#8b949e}.s3{fill:#b083f0;stroke:#b083f0}
}
</style>"""


@dataclasses.dataclass(frozen=True)
class Bar:
    """One bar: its label, value and series, the text beside it, and the bounds of its 95%
    interval."""

    label: str
    value: float
    text: str
    series: int = 0
    low: float | None = None
    high: float | None = None


@dataclasses.dataclass(frozen=True)
class Chart:
    """A chart with groups of bars. The legend names the series; without one, each bar has its own
    label."""

    title: str
    note: str
    groups: list
    legend: tuple = ()
    maximum: float = 1.0


def render_all():
    """Returns the charts by path."""
    drawn = {
        "commits": draw_bars(commit_chart()),
        "peers": draw_bars(peer_chart()),
        "agents": draw_bars(agent_chart()),
        "content": draw_content(),
        "search": draw_bars(search_chart()),
        "tests": draw_bars(test_chart()),
        "index": draw_bars(index_chart()),
        "latency": draw_bars(latency_chart()),
    }
    return {f"{FOLDER}/{name}.svg": text for name, text in drawn.items()}


def read_rows(name, **conditions):
    """Returns the rows with these values from a CSV file of the results."""
    with open(pages.ROOT / RESULTS / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if all(row[key] == value for key, value in conditions.items())]
    if not rows:
        raise ValueError(f"{RESULTS}/{name}.csv has no row with {conditions}")
    return rows


def commit_chart():
    """Compares the configurations on the commit tasks."""
    names = {"default": "Kenning", "linear": "Kenning, linear model", "bm25-bodies": "BM25 with bodies", "seeds": "Kenning, first design"}
    groups, tasks = [], ""
    for config, label in names.items():
        row = read_rows(f"commits-{config}", repo="all", metric="hit@10")[0]
        tasks = row["tasks"]
        mean = float(row["mean"])
        groups.append([Bar(label, mean, format_percent(mean), 0 if config == "default" else 2, float(row["lo"]), float(row["hi"]))])
    return Chart("An edited symbol is among the first ten", f"{tasks} commits of eleven repositories; line: 95% interval", groups)


def peer_chart():
    """Compares tools on the same commit tasks, by repository."""
    legend = ("Kenning", "codegraph 1.6.1", "aider 0.86.2", "knowing 0.16.0")
    series = {"codegraph context": 1, "aider": 2, "knowing": 3}
    measured = [row for row in read_rows("peers", set="commits") if row["repository"] != "all" and row["peer"] in series]
    groups = []
    for repository in sorted({row["repository"] for row in measured}):
        ours = float(read_rows("commits-default", repo=repository, metric="hit@10")[0]["mean"])
        group = [Bar(repository, ours, format_percent(ours))]
        for row in sorted((row for row in measured if row["repository"] == repository), key=lambda row: series[row["peer"]]):
            group.append(Bar("", float(row["hit@10"]), format_percent(float(row["hit@10"])), series[row["peer"]]))
        groups.append(group)
    return Chart("An edited symbol is among the first ten, by tool", "37 to 40 commits of each repository; tools without a bar were not run on it", groups, legend)


def agent_chart():
    """Compares the tokens that scripted agents need."""
    names = {"kenning": "Kenning", "grep-windows": "grep, windows", "grep-files": "grep, whole files"}
    groups = []
    for agent, label in names.items():
        row = read_rows("agents", goal="files", agent=agent)[0]
        tokens = int(row["median_tokens"])
        groups.append([Bar(label, tokens, f"{tokens:,}", 0 if agent == "kenning" else 2)])
    return Chart("Tokens until a scripted agent has read all edited files", "Median of 60 commits; no language model takes part; less is better", groups, maximum=50_000)


def search_chart():
    """Compares the search with BM25 and ripgrep."""
    names = {"kenning-code-hybrid": "Kenning", "bm25": "BM25 over files", "ripgrep": "ripgrep"}
    groups = []
    for system, label in names.items():
        row = read_rows("search-code", kind="all", system=system, metric="NDCG@10")[0]
        mean = float(row["mean"])
        groups.append([Bar(label, mean, f"{mean:.2f}", 0 if system.startswith("kenning") else 2, float(row["lo"]), float(row["hi"]))])
    return Chart("Questions about code: NDCG@10 of files", "143 questions on eleven repositories; line: 95% interval", groups)


def test_chart():
    """Compares ways to find the tests of a function with per-test coverage."""
    legend = ("Kenning", "tests of the same package", "tests with the file's name")
    answers = ("text", "package", "namesakes")
    groups = []
    for repository in sorted({row["repository"] for row in read_rows("affected-tests")}):
        rows = [read_rows("affected-tests", repository=repository, answer=answer)[0] for answer in answers]
        groups.append([Bar(repository if index == 0 else "", float(row["f1"]), f"{float(row['f1']):.2f}", index) for index, row in enumerate(rows)])
    return Chart("Tests that reach a function: F1 against per-test coverage", "257 to 300 functions of each repository", groups, legend)


def index_chart():
    """Shows the time of a first index."""
    groups = []
    for row in read_rows("speed"):
        seconds = float(row["index_s"])
        label = "150 MB of repositories" if row["repo"] == "scale" else row["repo"]
        groups.append([Bar(f"{label}", seconds, f"{seconds:.1f} s")])
    return Chart("First index", "Seconds on two threads; flask 0.6 MB, caddy 2.9 MB, kafka 53 MB", groups, maximum=30)


def latency_chart():
    """Shows the latency of an open session on Kafka."""
    row = read_rows("session", repo="kafka")[0]
    names = {"hover": "hover", "codeLens": "code lenses of a file", "didChange_to_answered_hover": "edit, then hover", "taskContext": "pack for a task"}
    groups = []
    for key, label in names.items():
        middle, high = float(row[f"{key}_p50_ms"]), float(row[f"{key}_p95_ms"])
        groups.append([Bar(label, middle, f"{middle:.1f} ms"), Bar("", high, f"{high:.1f} ms", 2)])
    return Chart("Answers in an open session on Kafka", f"{int(row['symbols']):,} symbols; milliseconds on two threads", groups, ("median", "95th percentile"), maximum=45)


def format_percent(share):
    """Returns a share as a percentage."""
    return f"{100 * share:.0f}%"


def draw_bars(chart):
    """Returns the SVG of a chart with horizontal bars."""
    top = TOP + (26 if chart.legend else 0)
    parts, y = [], top
    for group in chart.groups:
        for bar in group:
            parts += draw_bar(bar, y, chart.maximum)
            y += BAR + GAP
        y += GROUP_GAP
    body = draw_legend(chart.legend, TOP) + parts
    return draw_card(chart.title, chart.note, body, y + 8)


def draw_bar(bar, y, maximum):
    """Returns the elements of one bar at the height `y`."""
    scale = (WIDTH - LEFT - RIGHT) / maximum
    length = max(1.0, bar.value * scale)
    parts = [f'<rect class="s{bar.series}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2" stroke="none"/>']
    end = length
    if bar.label:
        parts.append(text(LEFT - 10, y + 14, bar.label, 'text-anchor="end"'))
    if bar.low is not None:
        middle = y + BAR / 2
        low, end = bar.low * scale, bar.high * scale
        parts.append(f'<path class="whisker" d="M{LEFT + low:.1f} {middle}H{LEFT + end:.1f}M{LEFT + end:.1f} {middle - 4}v8M{LEFT + low:.1f} {middle - 4}v8"/>')
    parts.append(text(f"{LEFT + end + 8:.1f}", y + 14, bar.text))
    return parts


def draw_content():
    """Returns the line chart of the edited lines that packs show at each budget."""
    names = {"packs": "packs of Kenning", "whole files": "whole files in the same order"}
    budgets = [2000, 4000, 8000, 16000, 32000]
    top, height = TOP + 26, 220
    bottom = top + height
    step = (WIDTH - LEFT - RIGHT) / (len(budgets) - 1)
    parts = draw_legend(tuple(names.values()), TOP)
    for tick in (0, 0.25, 0.5, 0.75, 1):
        y = bottom - tick * height
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(text(LEFT - 10, f"{y + 5:.1f}", format_percent(tick), 'text-anchor="end"'))
    for index, budget in enumerate(budgets):
        parts.append(text(f"{LEFT + index * step:.1f}", bottom + 24, f"{budget:,}", 'text-anchor="middle"'))
    tasks = ""
    for series, variant in enumerate(names):
        values = {int(row["budget"]): row for row in read_rows("content", variant=variant, repositories="all", figure="lines")}
        tasks = values[budgets[0]]["tasks"]
        points = [(LEFT + index * step, bottom - float(values[budget]["value"]) * height) for index, budget in enumerate(budgets)]
        parts.append(f'<polyline class="line s{series}" style="fill:none" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>')
        parts += (f'<circle class="s{series}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in points)
    return draw_card("Edited lines that a pack shows, by budget in tokens", f"Mean share over {tasks} commits", parts, bottom + 44)


def draw_legend(names, y):
    """Returns the elements of a legend."""
    parts, x = [], LEFT
    for index, name in enumerate(names):
        parts.append(f'<rect class="s{index}" x="{x}" y="{y - 11}" width="12" height="12" rx="2" stroke="none"/>')
        parts.append(text(x + 18, y, name))
        x += 36 + round(7.2 * len(name))
    return parts


def draw_card(title, note, body, height):
    """Returns a whole SVG file."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{html.escape(title)}">'
    card = f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
    return "\n".join([head, STYLE, card, text(20, 28, title, 'class="title"'), text(20, 48, note, 'class="note"'), *body, "</svg>"]) + "\n"


def text(x, y, content, attributes=""):
    """Returns a text element."""
    return f'<text x="{x}" y="{y}"{" " + attributes if attributes else ""}>{html.escape(content)}</text>'
