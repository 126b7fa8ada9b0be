"""Tests of the checks of the documentation site (scripts/docs_site) and of the prose
(scripts/prose).

  python3 -m unittest discover --start-directory tests/docs_site
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import stat
import sys
import tempfile
import tomllib
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from docs_site import charts, code_blocks, command_page, figures, links, markdown, pages, program_help, tutorial  # noqa: E402

# A program with the help texts of a small `kenning`.
PROGRAM = """#!/bin/sh
case "$*" in
"--help") cat <<'END'
Find the code that a task needs

Usage: kenning <COMMAND>

Commands:
  pack   Print the code
  debug  Show the stages: of a ranking
  help   Print this message

Options:
  -h, --help  Print help
END
;;
"pack --help") cat <<'END'
Print the code that matters: for a task

Usage: kenning pack [OPTIONS] [TASK]...

Options:
      --root <DIR>
          The folder [default: .]

      --format <FORMAT>
          Format of the result

          Possible values:
          - markdown: Markdown, for people
          - json:     JSON | programs

  -v, --verbose
          Log progress

Examples:
  kenning pack "add a hook"
          Prints a pack
  kenning pack -
          Reads the task
          from standard input
END
;;
"debug --help") printf 'Show\\n\\nUsage: kenning debug <COMMAND>\\n\\nCommands:\\n  seeds  The seeds\\n' ;;
"debug seeds --help") printf 'The seeds\\n\\nUsage: kenning debug seeds\\n\\nOptions:\\n  -v, --verbose\\n' ;;
*) exit 2 ;;
esac
"""


class CheckoutTest(unittest.TestCase):
    """A test with a checkout of its own and a program that answers with help texts."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        patch = mock.patch.object(pages, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.program = str(self.write("program", PROGRAM))
        os.chmod(self.program, stat.S_IRWXU)

    def write(self, path, text):
        """Writes a file of the checkout."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file


class LinkTest(CheckoutTest):
    """Tests of the links between documents and of the built site."""

    def test_dead_files_and_anchors_are_found(self):
        self.write("docs/a.md", "# One `two`\n\n# One `two`\n\nText.\n")
        self.write("README.md", "[good](docs/a.md#one-two-1) [case](docs/A.md)\n\n[file](docs/b.md)\n[anchor](docs/a.md#three)\n![image](x.png)\n")
        found = list(links.check_documents())
        self.assertEqual(
            found,
            [
                "README.md:1: docs/A.md: there is no file docs/A.md",
                "README.md:3: docs/b.md: there is no file docs/b.md",
                "README.md:4: docs/a.md#three: docs/a.md has no heading with the anchor #three",
                "README.md:5: x.png: there is no file x.png",
            ],
        )

    def test_links_in_code_and_to_other_sites_are_not_checked(self):
        self.write("README.md", "`[a](b.md)` [c](https://example.org/d)\n\n```md\n[e](f.md)\n```\n")
        self.assertEqual(list(links.check_documents()), [])

    def test_links_to_this_repository_are_checked(self):
        self.write("README.md", f"[a]({pages.REPOSITORY}/blob/main/missing.md)\n")
        self.assertEqual(len(list(links.check_documents())), 1)

    def test_a_page_that_the_summary_does_not_list_is_found(self):
        self.write("docs/SUMMARY.md", "[A](a.md)\n[B](b.md)\n")
        self.write("docs/a.md", "# A\n")
        self.write("docs/c.md", "# C\n")
        found = list(links.check_summary())
        self.assertEqual(found, ["docs/SUMMARY.md: docs/b.md does not exist", "docs/c.md: add it to docs/SUMMARY.md, or the site leaves it out"])

    def test_dead_links_of_the_built_site_are_found(self):
        self.write("site/a.html", '<a href="b.html#x">1</a><a href="b.html#y">2</a><a href="c.html">3</a><a href="https://example.org">4</a>')
        self.write("site/b.html", '<h1 id="x">B</h1><img src="d.png">')
        found = list(links.check_site(self.root / "site"))
        self.assertEqual(found, ["a.html: b.html#y leads to no heading", "a.html: c.html leads to no page of the site", "b.html: d.png leads to no page of the site"])


class PageTest(CheckoutTest):
    """Tests of the texts of pages."""

    def test_an_included_page_has_links_of_the_site(self):
        self.write("docs/SUMMARY.md", "[Editor](editor.md)\n[Agents](agents.md)\n")
        self.write("docs/agents.md", "# Agents\n")
        self.write("docs/editor.md", "# Editor\n\n<!-- site: include ../editors/README.md -->\n[Text](../editors/README.md)\n")
        self.write("editors/README.md", "# Title\n\n[A](../docs/agents.md#x) [self](README.md) [code](src/a.rs) ![P](media/p.png) `[a](b)`\n")
        self.write("editors/src/a.rs", "")
        self.write("editors/media/p.png", "")
        text, images = pages.page_text("docs/editor.md")
        expected = "[A](agents.md#x) [self](editor.md) " f"[code]({pages.REPOSITORY}/blob/main/editors/src/a.rs) ![P](repository/editors/media/p.png) `[a](b)`"
        self.assertEqual(text, f"# Editor\n\n{expected}\n")
        self.assertEqual(images, {"editors/media/p.png"})

    def test_anchors_equal_those_of_github(self):
        self.assertEqual(markdown.make_anchor("What `kenning` does, and [how](x.md)?"), "what-kenning-does-and-how")
        self.assertEqual(markdown.heading_anchors('# A\n## A\n<a id="b"></a>\n```\n# c\n```\n'), {"a", "a-1", "b"})


class CodeBlockTest(CheckoutTest):
    """Tests of the checks of code in documents."""

    def findings(self, text):
        """Returns the findings in a document."""
        self.write("README.md", text)
        return [finding.removeprefix("README.md:") for finding in code_blocks.check_documents(self.program)]

    def test_unknown_commands_and_flags_are_found(self):
        text = "```sh\nkenning pack --root . 'a --b'   # --comment\nkenning pak x\nX=$(kenning pack --rot .) && ./kenning pack --json | less -x\nsource <(kenning pac) > --y\nkenning pack '--x y' -- --z\n```\n"
        self.assertEqual(
            self.findings(text),
            ["3: kenning has no command 'pak'", "4: 'kenning pack' has no flag --rot", "4: 'kenning pack' has no flag --json", "5: kenning has no command 'pac'"],
        )

    def test_synopses_in_prose_are_checked(self):
        self.assertEqual(self.findings("`kenning pack [--root R] TASK...`, `kenning debug seeds\\|fts`, `kenning.toml`\n"), ["1: `kenning debug seeds\\|fts`: kenning has no command 'debug fts'"])

    def test_in_a_console_only_prompts_are_commands(self):
        self.assertEqual(self.findings("```console\n$ kenning pack x\nkenning: no\n$ kenning no\n```\n"), ["4: kenning has no command 'no'"])

    def test_data_that_cannot_be_parsed_is_found(self):
        found = self.findings('```toml\na = 1\n```\n\n```toml\na = \n```\n\n```json\n{"a": 1,}\n```\n')
        self.assertEqual([finding.split(":")[0] for finding in found], ["6", "10"])


class CommandPageTest(CheckoutTest):
    """Tests of the page of commands."""

    def test_the_page_has_each_command_with_its_examples(self):
        page = command_page.render(self.program)
        self.assertIn("| [`kenning debug seeds`](#kenning-debug-seeds) | The seeds |", page)
        self.assertIn("Print the code that matters: for a task.\n\n```text\nkenning pack [OPTIONS] [TASK]...\n```", page)
        self.assertIn("* `--root <DIR>`: The folder. Default: `.`.\n", page)
        self.assertIn("Values: `markdown` (Markdown, for people), `json` (JSON \\| programs).", page)
        self.assertIn('```sh\n# Prints a pack\nkenning pack "add a hook"\n# Reads the task from standard input\nkenning pack -\n```', page)
        self.assertIn("## Every command\n\n* `-v, --verbose`: Log progress.\n", page)
        self.assertNotIn("verbose", page.split("## kenning pack")[1])

    def test_the_error_about_a_missing_program_names_the_solution(self):
        with self.assertRaisesRegex(program_help.MissingProgram, "build it"):
            program_help.find_program(str(self.root / "none"))


class FigureTest(CheckoutTest):
    """Tests of the figures in texts."""

    def test_a_figure_that_is_out_of_date_is_found(self):
        self.write("bench/results/a.csv", "kind,share\nx,0.5\ny,0.824\n")
        table = '[[figure]]\npage = "p.md"\ntext = "it is {0}"\nvalues = [{ file = "a", where = { kind = "y" }, column = "share", format = "percent" }]\n'
        with mock.patch.object(figures, "FIGURES", self.write("figures.toml", table)):
            self.write("p.md", "Today it\nis 82%.\n")
            self.assertEqual(list(figures.check_figures()), [])
            self.write("p.md", "Today it is 83%.\n")
            self.assertEqual([finding.split(" (")[0] for finding in figures.check_figures()], ["p.md: does not say: it is 82%"])


class TutorialTest(CheckoutTest):
    """Tests of the comparison of the tutorial with the program."""

    def test_outputs_that_differ_are_found(self):
        self.write("docs/tutorial.md", "Edit line 2 of `a.txt`:\n\n```python\nnew\n```\n\n```console\n$ cat a.txt\none…three\nfour\n$ kenning pack --help\nPrint the\ncode … no such text\n```\n")
        self.write("tree/a.txt", "one\ntwo\nthree  four\n")
        found = list(tutorial.check_outputs(self.root / "tree", self.program))
        self.assertEqual(found, ["docs/tutorial.md:11: kenning pack --help: does not print: no such text"])
        self.assertEqual((self.root / "tree/a.txt").read_text(), "one\ntwo\nthree  four\n")
        self.write("docs/tutorial.md", "Edit line 2 of `a.txt`:\n\n```python\nnew\n```\n\n```console\n$ cat a.txt\none two\n```\n")
        self.assertEqual(len(list(tutorial.check_outputs(self.root / "tree", self.program))), 1)


class ChartTest(unittest.TestCase):
    """Tests of the charts."""

    def test_bars_are_as_long_as_their_values(self):
        chart = charts.Chart("A & B", "note", [[charts.Bar("x", 0.5, "50%")], [charts.Bar("y", 1.0, "100%", 0, 0.5, 1.0)]])
        svg = charts.draw_bars(chart)
        width = charts.WIDTH - charts.LEFT - charts.RIGHT
        self.assertIn(f'width="{width / 2:.1f}"', svg)
        self.assertIn(f'width="{width:.1f}"', svg)
        self.assertIn("A &amp; B", svg)
        self.assertIn("prefers-color-scheme:dark", svg)


class ProseTest(unittest.TestCase):
    """Tests of the texts that scripts/prose reads."""

    def lines(self, name, text):
        """Returns the lines of a file that scripts/prose checks."""
        loader = importlib.machinery.SourceFileLoader("prose", str(ROOT / "scripts/prose"))
        prose = importlib.util.module_from_spec(importlib.util.spec_from_loader("prose", loader))
        loader.exec_module(prose)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / pathlib.Path(name).name
            path.write_text(text, encoding="utf-8")
            return [line for _, line in prose.readable_lines(path, name)]

    def test_help_and_messages_of_the_program_are_read(self):
        text = '/// Help of a flag.\nfn f() { bail!("first \\\n    second"); let c = \'"\'; g(r#"raw "text""#) }\n\n#[cfg(test)]\nmod tests {\n    const A: &str = "data";\n}\n'
        self.assertEqual(self.lines("server/src/a.rs", text), ["/// Help of a flag.", "first second", 'raw "text"'])

    def test_texts_of_editors_are_read(self):
        self.assertEqual(self.lines("editors/vscode/src/a.ts", "show('One', `two ${x}`, \"three\"); // four\n"), ["// four", "One", "two ${x}", "three"])
        self.assertEqual(self.lines("editors/nvim/lua/a.lua", "say('one', [[two]]) -- three\n"), ["-- three", "one", "two"])
        self.assertEqual(self.lines("editors/vscode/package.json", '{ "title": "One" }\n'), ["title", "One"])
        self.assertEqual(self.lines("editors/nvim/doc/kenning.txt", "one\n"), ["one"])

    def test_avoided_sentences_are_found(self):
        sentences = """
            keeps the graph true while you type
            each with the way by which it does
            or on what stands at `FILE:LINE`
            says how to mend each
            what was left out is listed
            lets the `kenning.toml` of a workspace name programs
            has language servers confirm and complete the graph
            Feedback on the symbols of packs is learnt
            the feedback that was given; erases it
            The index lies in the user's cache directory
            where the editor's word counts first, and is in force at once
            the editors that are built from it
            What there is today, and what not yet
            which says how far each was tested
            Erase what use taught about a workspace
            Say on standard error what is being done
            Trust it no more
            Nothing was learned of it.
            463 symbols use it otherwise (read, write, name it)
            may arrive here
            1 callers of that
            What is to be done?
            Let what was useful weigh in the ranking
            equal questions give equal bytes
            this build of the extension carries none
            1 more are not.
            may as well lead elsewhere
            Nothing changed; no test is known to reach that.
            Copied 40 symbols, 3\u2009697 tokens
            costs only itself
            what is open or was shown
        """
        with open(ROOT / "tests/prose.toml", "rb") as file:
            rules = [re.compile(rule["pattern"], re.IGNORECASE) for rule in tomllib.load(file)["rule"]]
        missed = [line.strip() for line in sentences.strip().split("\n") if not any(rule.search(line) for rule in rules)]
        self.assertEqual(missed, [])

    def test_data_of_tests_is_not_read(self):
        self.assertEqual(self.lines("server/tests/a.rs", 'const A: &str = "data";\n'), [])


if __name__ == "__main__":
    unittest.main()
