//! Tests that extraction finds the sections, names and links of documents.

use super::check;
use crate::extract::Extractor;
use expect_test::expect;
use kenning_graph::FileFacts;
use kenning_graph::text::TextField;

fn extract(language: &str, text: &str) -> FileFacts {
    Extractor::new().extract_file(language, text.as_bytes())
}

/// Returns the words of a section (or of the text outside all sections) in a field, sorted.
fn sorted_words(facts: &FileFacts, section: Option<usize>, field: TextField) -> String {
    let counts = section.map_or(&facts.text.rest, |section| &facts.text.symbols[section]);
    let words = counts.counts.iter().filter(|(_, f, _)| *f == field as u8);
    let mut words: Vec<&str> = words.map(|(term, ..)| facts.text.terms.get(*term)).collect();
    words.sort_unstable();
    words.join(" ")
}

const MARKDOWN: &str = "\
---
title: ignored
---
Before the first heading.

# The *Guide* to `run`

The first paragraph, with `Server.start()`
and `cargo build`.

The second one.

## Install

- See [the API](docs/api.md#types), [home](https://example.org/x), [[Other Page]] and `src/app.py`.

```rust,ignore
let app = App::new(); app.serve();
```

```console
$ cargo_install kenning
```

### Deep
#### Deeper
##### Folded
Text of deeper.

> # Quoted

Last
====

[to the top](#the-guide-to-run)
";

#[test]
fn markdown_has_sections_names_and_links() {
    check(
        "markdown",
        MARKDOWN,
        expect![[r#"
        markdown package="" lines=35
        section The Guide to run 6-31 `# The *Guide* to `run`` public doc="The first paragraph, with Server.start() and cargo build."
          section The Guide to run > Install 13-31 `## Install` public
            section The Guide to run > Install > Deep 25-31 `### Deep` public
              section The Guide to run > Install > Deep > Deeper 26-31 `#### Deeper` public doc="Text of deeper."
        section Last 32-35 `Last` public doc="to the top"
        ref Doc run in The Guide to run 6:19
        ref Doc Server.start in The Guide to run 8:35
        ref Link types.docs/api.md in The Guide to run > Install 15:7
        ref Link Other Page([[) in The Guide to run > Install 15:68
        ref Link src/app.py(`) in The Guide to run > Install 15:88
        ref Doc App(rust) in The Guide to run > Install 18:11
        ref Doc App.new(rust) in The Guide to run > Install 18:16
        ref Doc app.serve(rust) in The Guide to run > Install 18:27
        ref Link the-guide-to-run.. in Last 35:1
    "#]],
    );
}

#[test]
fn the_words_of_a_section_end_at_the_next_heading() {
    let facts = extract("markdown", MARKDOWN);
    assert_eq!(sorted_words(&facts, None, TextField::Doc), "first head");
    assert_eq!(sorted_words(&facts, Some(0), TextField::Name), "guid run");
    assert_eq!(sorted_words(&facts, Some(0), TextField::Doc), "first one paragraph second");
    assert_eq!(sorted_words(&facts, Some(0), TextField::Code), "build cargo run server start");
    assert_eq!(sorted_words(&facts, Some(3), TextField::Doc), "deeper fold quot text");
    assert_eq!(sorted_words(&facts, Some(3), TextField::Container), "deep guid instal run");
}

#[test]
fn a_document_without_headings_has_only_text() {
    let facts = extract("markdown", "One *two*\n\n- three\n");
    assert!(facts.is_document && facts.symbols.is_empty());
    assert_eq!(sorted_words(&facts, None, TextField::Doc), "one three two");
    assert!(!extract("python", "def f(): pass\n").is_document);
}

#[test]
fn equal_headings_are_different_symbols() {
    let facts = extract("markdown", "# A\n## B\n## B\n# A\n");
    let hashes = kenning_graph::snapshot::identity::symbol_hashes("a.md", &facts);
    let distinct: std::collections::BTreeSet<_> = hashes.iter().collect();
    assert_eq!((facts.symbols.len(), distinct.len()), (4, 5));
}

#[test]
fn credentials_in_documents_are_masked() {
    let facts = extract("markdown", "# A\n\n    token = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\"\n");
    assert!(!facts.text.terms.joined_text().contains("abcdefghij"));
}

#[test]
fn the_modules_of_mdx_are_not_text() {
    check(
        "mdx",
        "import Chart from '../charts/Chart'\nexport const meta = {\n  title: 'x'\n}\n\n# Charts\n\n<Chart kind=\"bar\" />\n\nDrawn by `Chart`.\n",
        expect![[r#"
            mdx package="" lines=10
            section Charts 6-10 `# Charts` public doc="Drawn by Chart."
            ref Link ../charts/Chart in file 1:1
            ref Doc Chart in Charts 10:11
        "#]],
    );
}

#[test]
fn restructured_text_has_titles_roles_and_directives() {
    check(
        "restructuredtext",
        "\
=====
Guide
=====

.. _label:

The :class:`~flask.Flask` object, ``app.run()`` and :doc:`quickstart`::

    from flask import Flask
    app = Flask(name)

Usage
-----

.. code-block:: python
   :linenos:

   @app.route(\"/\")
   def index(): ...

.. autofunction:: flask.render_template

.. toctree::
   :maxdepth: 2

   api
   Title <other/page>

Details
~~~~~~~

See `the file <../src/app.py>`_.

Back
-----
x
",
        expect![[r#"
            restructuredtext package="" lines=36
            section Guide 1-36 `Guide` public doc="The flask.Flask object, app.run() and quickstart"
              section Guide > Usage 12-33 `Usage` public
                section Guide > Usage > Details 29-33 `Details` public doc="See the file."
              section Guide > Back 34-36 `Back` public doc="x"
            ref Doc flask.Flask in Guide 7:20
            ref Doc app.run in Guide 7:41
            ref Link quickstart in Guide 7:59
            ref Doc Flask(*) in Guide 10:11
            ref Doc app.route(python) in Guide > Usage 18:9
            ref Doc index(python) in Guide > Usage 19:8
            ref Doc flask.render_template in Guide > Usage 21:25
            ref Link api in Guide > Usage 26:4
            ref Link other/page in Guide > Usage 27:4
            ref Link ../src/app.py in Guide > Usage > Details 32:16
        "#]],
    );
}

#[test]
fn asciidoc_has_titles_blocks_and_cross_references() {
    check(
        "asciidoc",
        "\
= Manual
:toc:

The `Server.start()` call, see xref:other.adoc#part[Part] and <<Install>>.

== Install

[source,ruby]
----
Server.new.start
== not a title
----

// A comment
=== On Linux

include::common.adoc[]
",
        expect![[r#"
            asciidoc package="" lines=17
            section Manual 1-17 `= Manual` public doc="The Server.start() call, see xref:other.adoc#part[Part] and <<Install>>."
              section Manual > Install 6-17 `== Install` public
                section Manual > Install > On Linux 15-17 `=== On Linux` public
            ref Doc Server.start in Manual 4:13
            ref Link part.other.adoc in Manual 4:32
            ref Link Install.. in Manual 4:63
            ref Doc Server(ruby) in Manual > Install 10:1
            ref Doc Server.new(ruby) in Manual > Install 10:8
            ref Doc new.start(ruby) in Manual > Install 10:12
            ref Link common.adoc in Manual > Install > On Linux 17:1
        "#]],
    );
}

#[test]
fn wide_spaces_at_the_end_of_a_line_are_left_out() {
    for format in ["asciidoc", "restructuredtext", "markdown", "mdx"] {
        let facts = extract(format, "----\u{3000}\nAlpha()\n----\u{3000}\n\n= A\u{3000}\n`b.c`\u{2003}");
        assert!(facts.is_document, "{format}");
    }
}

#[test]
fn the_cells_of_a_notebook_have_their_positions_in_the_file() {
    let text = r###"{
 "cells": [
  {"cell_type": "markdown", "source": ["# Data\n", "\n", "Uses \"quotes\" and `Frame.load`.\n", "## Clean"]},
  {"cell_type": "code", "outputs": [], "source": "frame = Frame.load(path)\nclean_frame(frame)"},
  {"cell_type": "raw", "source": "# Not a heading"}
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4
}
"###;
    check(
        "jupyter",
        text,
        expect![[r#"
            jupyter package="" lines=9
            section Data 3-9 `# Data` public doc="Uses \"quotes\" and Frame.load."
              section Data > Clean 3-9 `## Clean` public
            ref Doc Frame.load in Data 3:86
            ref Doc Frame(python) in Data > Clean 4:59
            ref Doc Frame.load(python) in Data > Clean 4:65
            ref Doc clean_frame(python) in Data > Clean 4:77
        "#]],
    );
    for symbol in &extract("jupyter", text).symbols {
        let at = symbol.name_span.start as usize;
        assert_eq!(&text[at..at + symbol.name_span.len as usize], symbol.name);
    }
}

#[test]
fn a_markdown_cell_is_read_in_linear_time() {
    // Each bracket is an event with a position. Counting the bytes before each takes minutes.
    for source in ["[".repeat(300_000), r"\n".repeat(300_000), "`a` ".repeat(100_000)] {
        let text = format!(r##"{{"cells": [{{"cell_type": "markdown", "source": "# A\n{source}"}}]}}"##);
        assert_eq!(extract("jupyter", &text).symbols.len(), 1);
    }
}

#[test]
fn a_damaged_notebook_has_no_sections() {
    for text in ["", "{", "[]", "{\"cells\": 1}", "{\"cells\": [1, {\"cell_type\": \"code\"}]}"] {
        let facts = extract("jupyter", text);
        assert!(facts.symbols.is_empty() && facts.is_document, "{text}");
    }
    assert!(extract("jupyter", "{").quality.syntax_errors);
}

#[test]
fn a_section_has_a_limited_number_of_names_and_links() {
    let names: Vec<String> = (0..200).map(|n| format!("`name_{n}` [x](f{n}.md)\n")).collect();
    let facts = extract("markdown", &format!("# A\n{}# B\n`other_name`\n", names.concat()));
    assert_eq!(facts.references.len(), 64 + 64 + 1);
}
