#!/usr/bin/env python3
"""Writes bench/results/README.md from the CSV files next to it.

  bench/scripts/table.py          writes the page
  bench/scripts/table.py --check  fails if the page does not match the CSV files
"""
import csv
import json
import pathlib
import sys

BENCH = pathlib.Path(__file__).resolve().parent.parent
RESULTS = BENCH / "results"
CONFIGS = ["bm25-bodies", "seeds", "linear", "default", "no-classes", "no-history"]
COLUMNS = {
    "commits": ["hit@1", "hit@5", "hit@10", "R@10", "MRR", "NDCG@10", "fAcc@1", "fAcc@5"],
    "curated": ["P@10", "R@10", "MRR", "sP@10", "sR@10", "sNDCG@10"],
}
TITLES = {"commits": "Commit tasks", "curated": "Curated tasks"}
# The names of the languages of the commit set, by their ids.
TIER_1 = {
    "csharp": "C#", "go": "Go", "java": "Java", "python": "Python", "ruby": "Ruby", "rust": "Rust", "typescript": "TypeScript",
}


def read_csv(name):
    with open(RESULTS / name, newline="") as file:
        return list(csv.DictReader(file))


def group_rows(measured):
    """Returns rows by repository ("all" for the whole set) and metric."""
    found = {}
    for row in measured:
        found.setdefault(row["repo"], {})[row["metric"]] = row
    return found


def rows(task_set, config):
    """Returns the rows of a set and configuration by repository and metric."""
    return group_rows(read_csv(f"{task_set}-{config}.csv"))


def overall(task_set):
    """Yields the figures of each configuration over a whole set."""
    columns = COLUMNS[task_set]
    yield f"| configuration | tasks | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 2) + "|"
    for config in CONFIGS:
        cells = []
        row = rows(task_set, config)["all"]
        for column in columns:
            cell = row[column]
            cells.append(f"{float(cell['mean']):.3f} [{float(cell['lo']):.3f}, {float(cell['hi']):.3f}]")
        yield f"| {config} | {row[columns[0]]['tasks']} | {' | '.join(cells)} |"


def by_repository(task_set):
    """Yields the figures of the default configuration by repository."""
    columns = COLUMNS[task_set]
    found = rows(task_set, "default")
    yield f"| repository | tasks | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 2) + "|"
    for repo in sorted(name for name in found if name != "all"):
        cells = [f"{float(found[repo][column]['mean']):.3f}" for column in columns]
        yield f"| {repo} | {found[repo][columns[0]]['tasks']} | {' | '.join(cells)} |"


def comparisons(name, column, heading, means):
    """Yields a table of comparisons task by task.

    `column` is the column with the names of the runs or trees, `heading` its heading, and `means`
    maps the columns of the two means to their headings.
    """
    yield f"| set | {heading} | metric | {' | '.join(means.values())} | difference | wins | losses | p |"
    yield "|---" * 9 + "|"
    with open(RESULTS / name, newline="") as file:
        for row in csv.DictReader(file):
            difference, low, high = (float(row[name]) for name in ("difference", "lo", "hi"))
            figures = [f"{float(row[name]):.3f}" for name in means]
            change = f"{difference:+.3f} [{low:+.3f}, {high:+.3f}]"
            cells = [row["set"], row[column], row["metric"], *figures, change]
            yield f"| {' | '.join(cells)} | {row['wins']} | {row['losses']} | {row['p']} |"


def second_tier():
    """Yields the figures of the languages of tier 2 beside the ones of the commit set, by language
    and over each set."""
    configs, columns = ["default", "linear", "bm25-bodies"], ["hit@10", "MRR", "R@10", "fAcc@1"]
    measured = read_csv("second-tier.csv")
    with open(BENCH / "training" / "second-tier.tsv", newline="") as file:
        repositories = csv.DictReader(file, delimiter="\t")
        second = {row["repository"].replace("/", "+"): row["language"] for row in repositories}
    tasks = json.loads((BENCH / "commits" / "tasks.json").read_text())
    first = {task["repo"]: TIER_1[task["language"]] for task in tasks}
    yield f"| tier | language | repositories | tasks | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 4) + "|"
    for tier, languages, runs in [
        (1, first, {config: rows("commits", config) for config in configs}),
        (2, second, {config: group_rows(row for row in measured if row["config"] == config) for config in configs}),
    ]:
        for language in ["all", *sorted(set(languages.values()), key=str.lower)]:
            members = [name for name in languages if language in ("all", languages[name])]
            counts = [int(runs["default"][name]["MRR"]["tasks"]) for name in members]
            cells = []
            for column in columns:
                figures = []
                for config in configs:
                    means = [float(runs[config][name][column]["mean"]) for name in members]
                    figures.append(sum(mean * count for mean, count in zip(means, counts)) / sum(counts))
                cells.append(" / ".join(f"{figure:.3f}" for figure in figures))
            yield f"| {tier} | {language} | {len(members)} | {sum(counts)} | {' | '.join(cells)} |"


def trees_compared(name, heading):
    """Yields the differences of sets of trees from the first set of the file, for each metric of
    the commits, and for hit@1 of the questions."""
    columns = [("validation", metric) for metric in ("hit@10", "MRR", "R@10")] + [("validation-questions", "hit@1")]
    found = {}
    for row in read_csv(name):
        found.setdefault(row["trees"], {})[row["set"], row["metric"]] = row
    titles = [metric if task_set == "validation" else f"questions, {metric}" for task_set, metric in columns]
    yield f"| {heading} | repositories | features | {' | '.join(titles)} |"
    yield "|---" * (len(columns) + 3) + "|"
    for number, (trees, rows) in enumerate(found.items()):
        cells = []
        for column in columns:
            mean, difference, low, high = (float(rows[column][key]) for key in ("mean", "difference", "lo", "hi"))
            cells.append(f"{mean:.3f}" if number == 0 else f"{difference:+.3f} [{low:+.3f}, {high:+.3f}]")
        row = rows[columns[0]]
        yield f"| {trees} | {row['repositories']} | {row['features']} | {' | '.join(cells)} |"


def nothing_matches():
    """Yields the share of tasks for which a pack reports that nothing in the workspace matches."""
    with open(RESULTS / "nothing.csv", newline="") as file:
        found = list(csv.DictReader(file))
    shares = {(row["set"], row["repo"].rsplit("/", 1)[-1]): f"{float(row['mean']):.3f}" for row in found}
    groups = dict.fromkeys(name for task_set, name in shares if task_set == "nonsense" and ": " in name)
    yield "| set | tasks | share |"
    yield "|---|---|---|"
    for row in found:
        if row["repo"] == "all" or row["repo"] in groups:
            name = row["set"] if row["repo"] == "all" else f"{row['set']}, {row['repo']}"
            yield f"| {name} | {row['tasks']} | {float(row['mean']):.3f} |"
    yield ""
    sets = ["commits", "curated", "nonsense"]
    yield f"| repository | {' | '.join(sets)} |"
    yield "|---" * (len(sets) + 1) + "|"
    for name in sorted({name for _, name in shares if name != "all" and name not in groups}):
        yield f"| {name} | {' | '.join(shares.get((task_set, name), '') for task_set in sets)} |"


def typed_names():
    """Yields the figures of names as people type them."""
    metrics = ["hit@1", "hit@10", "MRR", "nothing"]
    yield f"| typed | setting | tasks | {' | '.join(metrics)} |"
    yield "|---" * (len(metrics) + 3) + "|"
    for row in read_csv("typed-names.csv"):
        shown = " | ".join(f"{float(row[metric]):.3f}" for metric in metrics)
        yield f"| {row['typed']} | {row['setting']} | {row['tasks']} | {shown} |"


def ablation(config):
    """Yields the change in each figure when one mechanism of a configuration changes."""
    found = {}
    with open(RESULTS / "ablation.csv", newline="") as file:
        for row in csv.DictReader(file):
            if f"--config {config}" in row["command"] and "--replay" not in row["command"]:
                found.setdefault(row["mechanism"], {})[row["set"], row["metric"]] = float(row["mean"])
    base = found.pop(config)
    columns = list(base)
    yield f"| changed in `{config}` | {' | '.join(f'{task_set} {metric}' for task_set, metric in columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    yield f"| nothing | {' | '.join(f'{base[column]:.3f}' for column in columns)} |"
    for mechanism, figures in found.items():
        name = mechanism.removeprefix(f"{config}: ")
        yield f"| {name} | {' | '.join(f'{figures[column] - base[column]:+.3f}' for column in columns)} |"


def replayed():
    """Yields the MRR of the first and the last round of simulated use, by change."""
    found = {}
    with open(RESULTS / "ablation.csv", newline="") as file:
        for row in csv.DictReader(file):
            if "--replay" in row["command"]:
                found.setdefault(row["mechanism"], {})[row["set"], row["metric"]] = row["mean"]
    columns = list(next(iter(found.values())))
    yield f"| learning | {' | '.join(f'{task_set} {metric}' for task_set, metric in columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for mechanism, figures in found.items():
        yield f"| {mechanism} | {' | '.join(figures[column] for column in columns)} |"


def speed(name):
    """Yields the cost of a first index, with a bare parse and ctags of the same run for
    comparison."""
    columns = {
        "source_MB": "source MB", "index_s": "seconds", "index_CPU_s": "CPU s", "index_MB_per_CPU_s": "MB / CPU s",
        "parse_MB_per_CPU_s": "bare parse, MB / CPU s", "index_per_parse": "CPU / bare parse", "index_per_ctags": "CPU / ctags",
        "index_peak_MB": "peak MB", "unchanged_ms": "nothing changed, ms", "kept_MB": "kept MB",
    }
    yield f"| tree | files | symbols | {' | '.join(columns.values())} |"
    yield "|---" * (len(columns) + 3) + "|"
    with open(RESULTS / name, newline="") as file:
        for row in csv.DictReader(file):
            yield f"| {' | '.join(row[name] for name in ['repo', 'files', 'symbols', *columns])} |"


def sessions(name):
    """Yields the latency and memory of an open session, one row for each tree."""
    requests = ["didChange_to_answered_hover", "didSave_to_answered_command", "hover", "codeLens", "codeLens/resolve", "taskContext"]
    yield f"| tree | symbols | lines | {' | '.join(name.replace('_', ' ') for name in requests)} | resident MB | bytes an edit | bytes a pack |"
    yield "|---" * (len(requests) + 6) + "|"
    with open(RESULTS / name, newline="") as file:
        for row in csv.DictReader(file):
            times = [f"{row[name + '_p50_ms']} / {row[name + '_p95_ms']}" if row.get(name + "_p50_ms") else "-" for name in requests]
            memory = " → ".join(
                f"{int(row[name]) / 1e6:.0f}"
                for name in ["resident_ready", "resident_after_edits", "resident_after_packs"]
            )
            cells = [row["repo"], row["symbols"], row["lines"], *times, memory]
            yield f"| {' | '.join(cells)} | {row['bytes_per_edit']} | {row['bytes_per_pack']} |"


def enrichment():
    """Yields the verdicts of language servers on whole trees, from enrichment.csv and, for the
    calls, judged.csv."""
    with open(RESULTS / "judged.csv", newline="") as file:
        judged = {row["repo"]: row for row in csv.DictReader(file)}
    yield "| tree | server | seconds | requests | MB of the server / of Kenning | confirmed | retargeted | outside | discovered | nothing |"
    yield "|---" * 10 + "|"
    with open(RESULTS / "enrichment.csv", newline="") as file:
        found = list(csv.DictReader(file))
    for row in found:
        counts = [row[name] for name in ["confirmed", "retargeted", "outside", "discovered", "nothing"]]
        memory = f"{row['server_peak_MB']} / {row['kenning_peak_MB']}"
        cells = [row["tree"], f"{row['server']} {row['version']}", row["seconds"], row["requests"], memory, *counts]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "| tree | edges | from servers | calls, confirmed | implements | overrides | calls of the text right |"
    yield "|---" * 7 + "|"
    for row in found:
        calls = judged[row["tree"]]
        inside = sum(int(calls[f"inside_{where}"]) for where in ["same", "other", "outside", "local"])
        cells = [
            row["tree"],
            f"{row['edges_before']} → {row['edges_after']}",
            row["edges_of_server"],
            f"{calls['calls_before']} → {calls['calls_after']}, {calls['calls_confirmed']}",
            f"{row['implements_before']} → {row['implements_after']}",
            f"{row['overrides_before']} → {row['overrides_after']}",
            f"{calls['inside_same']} of {inside} ({calls['precision']})",
        ]
        yield f"| {' | '.join(cells)} |"


def symbols():
    """Yields the tags of Universal Ctags by language: the number that are symbols of Kenning, and
    the reasons why the rest are not."""
    outcomes = ["files", "ctags", "found", "explained", "missing", "beyond"]
    counts, reasons = {}, {}
    with open(RESULTS / "ctags.csv", newline="") as file:
        for row in csv.DictReader(file):
            language, outcome = row["language"], row["outcome"]
            language_counts = counts.setdefault(language, dict.fromkeys(outcomes, 0))
            language_counts[outcome] += int(row["count"])
            if outcome == "explained":
                entry = reasons.setdefault((language, row["reason"]), [0, f"{row['repo']}/{row['example']}"])
                entry[0] += int(row["count"])
    yield "| language | files | tags | found | explained | missing | symbols beyond |"
    yield "|---" * (len(outcomes) + 1) + "|"
    for language in sorted(counts):
        yield f"| {language} | {' | '.join(str(counts[language][outcome]) for outcome in outcomes)} |"
    yield ""
    yield "| language | why a tag is not a symbol | tags | example |"
    yield "|---|---|---|---|"
    for (language, reason), (count, example) in sorted(reasons.items(), key=lambda item: (item[0][0], -item[1][0])):
        yield f"| {language} | {reason} | {count} | `{example.replace('|', ' ')}` |"


def calls():
    """Yields the grades of Kenning's edges at sampled call sites, by tree and by language."""
    columns = ["sites", "inside", "precision", "recall", "right", "wrong", "ambiguous", "missing",
               "external-right", "external-wrong", "silent", "unjudged"]
    yield f"| sample | tree | language | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 3) + "|"
    with open(RESULTS / "calls.csv", newline="") as file:
        for row in csv.DictReader(file):
            cells = [row["sample"], row["repository"], row["language"], *(row[column] for column in columns)]
            yield f"| {' | '.join(cells)} |"


def unresolved():
    """Yields the outcomes of all call sites of the tuning trees by language, with the most
    frequent reasons for having no edge."""
    yield "| language | call sites | outcome | count | share |"
    yield "|---|---|---|---|---|"
    with open(RESULTS / "unresolved.csv", newline="") as file:
        for row in csv.DictReader(file):
            yield f"| {row['language']} | {row['sites']} | {row['outcome']} | {row['count']} | {row['share']} |"


def peers(task_set):
    """Yields the figures of published tools and of the default configuration on the same
    repositories."""
    with open(RESULTS / "peers.csv", newline="") as file:
        found = [row for row in csv.DictReader(file) if row["set"] == task_set]
    columns = ["MRR", "hit@10", "P@10", "R@10"] + (["sP@10", "sR@10"] if task_set == "curated" else [])
    yield f"| system | repository | tasks | {' | '.join(columns)} | seconds a query | seconds to index |"
    yield "|---" * (len(columns) + 5) + "|"
    for row in found:
        cells = [f"{float(row[column]):.3f}" for column in columns]
        system = f"{row['peer']} {row['version']}"
        yield f"| {system} | {row['repository']} | {row['tasks']} | {' | '.join(cells)} | {row['query_seconds']} | {row['index_seconds']} |"
    ours = rows(task_set, "default")
    for repo in sorted({row["repository"] for row in found} - {"all"}):
        figures = ours.get(repo)
        if figures:
            cells = [f"{float(figures[column]['mean']):.3f}" if column in figures else "" for column in columns]
            yield f"| Kenning, `default` | {repo} | {figures['MRR']['tasks']} | {' | '.join(cells)} | | |"


def pack_tokens():
    """Yields the tokens of packs by format, and of the answers to readers who have a pack."""
    with open(RESULTS / "pack-tokens.csv", newline="") as file:
        found = list(csv.DictReader(file))
    names = {"whole": "lean", "explained": "explained"}
    mean = {
        (row["measure"], row["format"], row["budget"]): float(row["tokens"]) / int(row["answers"]) for row in found
    }
    yield f"| budget | format | packs | {' | '.join(f'tokens, {name}' for name in names.values())} |"
    yield "|---" * (len(names) + 3) + "|"
    for row in found:
        if row["measure"] == "whole":
            keys = [(measure, row["format"], row["budget"]) for measure in names]
            cells = [f"{mean[key]:.0f}" if key in mean else "-" for key in keys]
            yield f"| {row['budget']} | {row['format']} | {row['answers']} | {' | '.join(cells)} |"
    yield ""
    yield "| budget | the reader asks for | format | unchanged | differences | whole packs | tokens | tokens of the whole packs | saved |"
    yield "|---" * 9 + "|"
    for row in sorted((row for row in found if row["measure"] not in names), key=lambda row: (-int(row["budget"]), row["measure"])):
        whole = int(row["answers"]) - int(row["unchanged"]) - int(row["deltas"])
        cells = [row["budget"], row["measure"], row["format"], row["unchanged"], row["deltas"], str(whole), row["tokens"], row["whole_tokens"]]
        yield f"| {' | '.join(cells)} | {float(row['saved_percent']):.1f}% |"


def content():
    """Yields the share of edited lines and tests that packs show, one row for each variant and
    figure."""
    figures = {"lines": "edited lines shown", "any": "at least one of them", "tests": "an edited test", "over": "texts over the budget"}
    with open(RESULTS / "content.csv", newline="") as file:
        found = list(csv.DictReader(file))
    budgets = sorted({int(row["budget"]) for row in found})
    value = {(row["variant"], row["repositories"], row["figure"], int(row["budget"])): float(row["value"]) for row in found}
    yield f"| repositories | variant | figure | {' | '.join(f'{budget:,}' for budget in budgets)} |"
    yield "|---" * (len(budgets) + 3) + "|"
    for repositories, variant in dict.fromkeys((row["repositories"], row["variant"]) for row in found):
        for figure, title in figures.items():
            row = [value.get((variant, repositories, figure, budget)) for budget in budgets]
            if any(cell is not None for cell in row):
                cells = ["-" if cell is None else f"{cell:.0f}" if figure == "over" else f"{cell:.3f}" for cell in row]
                yield f"| {repositories} | {variant} | {title} | {' | '.join(cells)} |"


def search(name, kinds):
    """Yields the figures of each search, one row for each system and one column for each kind of
    question."""
    with open(RESULTS / name, newline="") as file:
        found = {(row["system"], row["kind"], row["metric"]): row for row in csv.DictReader(file)}
    counts = [found["bm25", kind, "NDCG@10"]["questions"] for kind in kinds]
    titles = [f"{kind} ({count})" for kind, count in zip(kinds, counts)]
    yield f"| system | {' | '.join(titles)} | MRR | hit@5 |"
    yield "|---" * (len(kinds) + 3) + "|"
    for system in sorted({system for system, _, _ in found}):
        cells = []
        for kind in kinds:
            row = found[system, kind, "NDCG@10"]
            cells.append(f"{float(row['mean']):.3f} [{float(row['lo']):.3f}, {float(row['hi']):.3f}]")
        cells += [f"{float(found[system, 'all', metric]['mean']):.3f}" for metric in ("MRR", "hit@5")]
        yield f"| {system} | {' | '.join(cells)} |"


def search_latency():
    """Yields the times of searches in a session."""
    yield "| repository | vectors | scope | mode | searches | median, ms | 95th percentile, ms |"
    yield "|---" * 7 + "|"
    with open(RESULTS / "search-latency.csv", newline="") as file:
        for row in csv.DictReader(file):
            yield f"| {' | '.join(row.values())} |"


def page():
    """Yields the lines of the page."""
    yield "# Results"
    yield ""
    yield "Generated by `bench/scripts/table.py` from the CSV files next to this page; each CSV row has the command that produced it."
    yield "Figures in brackets are 95% bootstrap intervals. `bm25-bodies` is the baseline: plain BM25 over name, path, signature,"
    yield "doc and body text. `linear` has the linear reranker instead of the learned ranker. All configurations rank the same candidates,"
    yield "including tests. `no-classes` is the default without equivalence"
    yield "classes, and `no-history` is the default without the commits of the repository."
    for task_set in COLUMNS:
        yield ""
        yield f"## {TITLES[task_set]}"
        yield ""
        yield from overall(task_set)
        yield ""
        yield "Configuration `default` by repository:"
        yield ""
        yield from by_repository(task_set)
    yield ""
    yield "## Languages of tier 2"
    yield ""
    yield "Commit tasks of public repositories in the languages of tier 2 (`bench/training/second-tier.tsv`; `bench/README.md`, \"Languages of tier 2\")"
    yield "beside the commit tasks above, which are in languages of tier 1 (none is in JavaScript). Each cell has the figures of `default`, `linear` and"
    yield "`bm25-bodies`. Nothing was fitted on the tasks of tier 2. The rerankers were fitted on repositories in languages of tier 1, and `linear` on"
    yield "the commit tasks themselves; `docs/ranking.md` has the figures on repositories of tier 1 on which nothing was fitted."
    yield ""
    yield from second_tier()
    yield ""
    yield "## Learned ranker"
    yield ""
    yield "By `measure_ranker.py` on the validation repositories (`bench/README.md`, \"Learned ranker\"). The first row of each table has the"
    yield "figures of trees trained on all training repositories with all features, the others the differences from it when the trees are"
    yield "trained again, with 95% intervals (bootstrap over repositories). With fewer repositories:"
    yield ""
    yield from trees_compared("learning-curve.csv", "trees")
    yield ""
    yield "Without one group of features (`bench/training/feature-groups.toml`), with half the trees at twice the learning rate. The list of"
    yield "candidates and its order are the same in all rows:"
    yield ""
    yield from trees_compared("leave-out.csv", "without")
    yield ""
    yield "## Peers"
    yield ""
    yield "Published tools on the same tasks with the same scorers, by `bench/peers` (`bench/README.md`, \"Peers\"). `all` is the mean over"
    yield "the tasks of the repositories on which the tool ran. Seconds are wall time on two heavily loaded cores, including the start of the"
    yield "process (the process of aider is kept running). They are orders of magnitude at best."
    for task_set in COLUMNS:
        yield ""
        yield f"{TITLES[task_set]}:"
        yield ""
        yield from peers(task_set)
    yield ""
    yield "## The default compared with the others, task by task"
    yield ""
    yield "By `rank.py`, with the reference scorers: 95% bootstrap intervals of the difference, two-sided Wilcoxon test."
    yield ""
    yield from comparisons("paired.csv", "other", "other", {"of_ours": "default", "of_other": "other"})
    yield ""
    yield "## Nothing matches"
    yield ""
    yield "The share of tasks for which `default` says that nothing in the workspace matches (`bench/README.md`, \"Nonsense\"). For real tasks"
    yield "it should be 0, for nonsense 1. The rule was fitted on `commits`, `curated` and the tuning half of `nonsense`."
    yield ""
    yield from nothing_matches()
    yield ""
    yield "## Typed names"
    yield ""
    yield "By `typed_names.py`: names in lower case and without underscores. Typed is the beginning of the name, the rest after two letters"
    yield "(`inside`), or the whole name in a question. The column `nothing` is the share of tasks that match nothing; it should be 0."
    yield ""
    yield from typed_names()
    yield ""
    yield "## One mechanism at a time"
    yield ""
    yield "By `ablate.py` (`bench/ablation.toml` has the changes): differences from the configuration in the first row. Rows marked `on` switch on"
    yield "a mechanism that is off there. Differences under 0.01 are noise. The factor of edges from language servers, feedback and recently shown"
    yield "symbols have no row: the trees of both sets have no such edges, and their tasks no readers."
    yield ""
    for config in ("linear", "seeds", "default"):
        yield from ablation(config)
        yield ""
    yield "The tasks in rounds with a simulated reader (`eval --replay`): with all uses, and without the uses of the task itself."
    yield ""
    yield from replayed()
    yield ""
    yield "## Content of packs"
    yield ""
    yield "By `bench/content/score.py` on the commit tasks (`bench/README.md`, \"Content of packs\"), at the budgets in tokens. `whole files`"
    yield "are the files of the same ranking. `packs before` has the few recorded figures of 26 November 2026. The map of aider lists"
    yield "signatures by file; a token of it is four characters, and aider lets it exceed the budget."
    yield ""
    yield from content()
    yield ""
    yield "## Tokens of packs"
    yield ""
    yield "By `pack-tokens` on this repository, with the 20 tasks of `bench/src/own_tasks.txt` (the command is in `pack-tokens.csv`): `cl100k_base`"
    yield "tokens of the text that a reader gets, without learning. GCF and GCB have no code. Then a reader who has the pack of a task asks again:"
    yield "the same question, with a smaller budget, or about the next task. *knowing* published savings of 81% and 70% for budgets that are 10% and"
    yield "20% smaller."
    yield ""
    yield from pack_tokens()
    yield ""
    yield "## Search"
    yield ""
    yield "By `bench/search/score.py` on questions about code (`bench/README.md`, \"Search\"): NDCG@10 of files by kind of question, and MRR and"
    yield "hit@5 over all. `bm25` and `ripgrep` search whole files."
    yield ""
    yield from search("search-code.csv", ["all", "where", "how", "which"])
    yield ""
    yield "The same for questions about documentation; `bm25` searches the text from one heading to the next:"
    yield ""
    yield from search("search-docs.csv", ["all", "heading", "question", "term", "link"])
    yield ""
    yield "By `bench/search/latency.py`: milliseconds of `kenning.search` in an open session."
    yield ""
    yield from search_latency()
    yield ""
    yield "## First index"
    yield ""
    yield "By `index-speed` (the command is in `speed.csv`): the run with the median CPU time, in turn with bare parses of the same files. Two"
    yield "runs of one program on this machine can differ by a factor of 1.5, and their ratio to the bare parse varies, too."
    yield "The program as built by `cargo build --release`:"
    yield ""
    yield from speed("speed.csv")
    yield ""
    yield "Languages of the second rank, each on the files of one public repository with the extensions of the language"
    yield "(`speed-second-rank.csv`). The bare parse of a component file (Vue, Svelte) also parses its markup; the index does not keep all of it:"
    yield ""
    yield from speed("speed-second-rank.csv")
    yield ""
    yield "The program as built by `scripts/pgo` for packages (`speed-guided.csv`, `index-speed --kenning`), trained on the repositories of"
    yield "`scripts/train.txt`, which include flask and caddy. The bare parser is built without a profile. This table was measured on an earlier day"
    yield "on a machine with less than half the speed, as the bare parse shows: compare only the ratios."
    yield ""
    yield from speed("speed-guided.csv")
    yield ""
    yield "## Open sessions"
    yield ""
    yield "Milliseconds, median / 95th percentile, by `session-latency` (the command is in `session.csv`). Half of the edits leave a text"
    yield "with syntax errors. Memory is the resident memory after the first index, after the edits, and after the packs."
    yield ""
    yield from sessions("session.csv")
    yield ""
    yield "The same with the program as built by `scripts/pgo` (`session-guided.csv`, `session-latency --kenning`), on that slower machine:"
    yield ""
    yield from sessions("session-guided.csv")
    yield ""
    yield "## Language servers"
    yield ""
    yield "`kenning enrich` on freshly checked out trees without their dependencies, one run each on an otherwise idle machine (the command is"
    yield "in `enrichment.csv`). The last column counts the calls that the text resolved inside the workspace and for which the server has a target (`judged.csv`)."
    yield ""
    yield from enrichment()
    yield ""
    yield "The ranking before and after, by `enriched.py`, task by task as above:"
    yield ""
    yield from comparisons("enriched.csv", "repo", "repository", {"before": "before", "after": "after"})
    yield ""
    yield "## Symbols against Universal Ctags"
    yield ""
    yield "By `symbols` on flask, fastapi, caddy, hono, trpc, ripgrep, helix, jekyll, ocelot, spark-java, the clients of kafka, and the npm"
    yield "packages fastify 5.12.8 and mocha 12.0.3 as plain JavaScript; for the other languages by `symbols --listed` on one repository each"
    yield "(`bench/symbols/repositories.toml`). ctags has no parser for Dart, Scala, Swift and Zig. A tag is found if a symbol has its name on"
    yield "its line; the reasons and their conditions are in `bench/ctags-differences.toml`."
    yield ""
    yield from symbols()
    yield ""
    yield "## Calls against language servers"
    yield ""
    yield "By `calls score`; `bench/README.md` (\"Calls\") explains the sample, the sources of the answers and the columns. `inside`: sites whose"
    yield "target is in the workspace. The 50 sites each of C#, Ruby, Kotlin, Swift and Scala were read by hand. Sample 2 shares no site with"
    yield "sample 1 and was not used for tuning. libuv, leveldb and guzzle were not read before they were scored for the first time."
    yield ""
    yield from calls()
    yield ""
    yield "The outcomes of all call sites, by `calls reasons` on the fourteen trees; at most ten reasons per language for having no edge."
    yield ""
    yield from unresolved()


def main():
    text = "\n".join(page()) + "\n"
    target = RESULTS / "README.md"
    if "--check" in sys.argv[1:]:
        if not target.exists() or target.read_text() != text:
            sys.exit("bench/results/README.md does not follow the CSV files: run bench/scripts/table.py")
    else:
        target.write_text(text)


if __name__ == "__main__":
    main()
