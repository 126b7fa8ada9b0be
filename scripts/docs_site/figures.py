"""Compares the figures in the texts of pages with the CSV files of the results (figures.toml)."""

import pathlib
import tomllib

from docs_site import charts, pages

FIGURES = pathlib.Path(__file__).with_name("figures.toml")
FORMATS = {
    "percent": charts.format_percent,
    "number": "{:,.0f}".format,
    "two": "{:.2f}".format,
    "three": "{:.3f}".format,
}


def check_figures():
    """Yields a finding for each sentence of `figures.toml` that its page lacks with the current
    figures."""
    for figure in tomllib.loads(FIGURES.read_text(encoding="utf-8"))["figure"]:
        values = [read_value(value) for value in figure["values"]]
        sentence = figure["text"].format(*values)
        if sentence not in " ".join(pages.read_file(figure["page"]).split()):
            yield f"{figure['page']}: does not say: {sentence} (by bench/results; scripts/docs_site/figures.toml has the sentence)"


def read_value(value):
    """Returns one figure of the results in its format."""
    row = charts.read_rows(value["file"], **value["where"])[0]
    return FORMATS[value["format"]](float(row[value["column"]]))
