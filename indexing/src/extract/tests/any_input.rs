//! Properties that hold for every input: no panic, no hang, spans inside the text, parents before
//! children.

use crate::extract::{EditedTree, ErrorRecovery, Extractor, render_facts};
use crate::languages::LanguageRegistry;
use kenning_graph::facts::{FILE_SCOPE, FileFacts};
use proptest::prelude::*;

fn check_invariants(facts: &FileFacts, length: usize) {
    let is_scope = |scope: u32| scope == FILE_SCOPE || (scope as usize) < facts.symbols.len();
    for (at, symbol) in facts.symbols.iter().enumerate() {
        assert!(!symbol.name.is_empty());
        assert!(symbol.span.start <= symbol.span.end && symbol.span.end as usize <= length);
        assert!((symbol.name_span.start + symbol.name_span.len) as usize <= length);
        assert!(
            symbol.span.start_line <= symbol.span.end_line && symbol.span.end_line < facts.lines.max(1) + 1
        );
        assert!(symbol.parent.is_none_or(|parent| (parent as usize) < at), "{symbol:?}");
    }
    for reference in &facts.references {
        assert!(is_scope(reference.scope) && (reference.at.start + reference.at.len) as usize <= length);
        assert!(!facts.strings.get(reference.name).is_empty());
    }
    assert!(facts.bindings.iter().all(|b| is_scope(b.scope) && (b.at as usize) < length));
    assert!(facts.imports.iter().all(|i| is_scope(i.scope)));
    assert_eq!(facts.text.symbols.len(), facts.symbols.len());
    assert!(facts.references.is_sorted_by_key(|r| r.at.start));
}

fn extract_in_every_language(bytes: &[u8]) {
    let mut extractor = Extractor::new();
    for language in LanguageRegistry::get().all_languages() {
        check_invariants(&extractor.extract_file(language.language_id(), bytes), bytes.len());
    }
}

#[test]
fn blank_names_and_bindings_at_the_end_of_a_text_are_left_out() {
    for text in [
        // Found by fuzzing.
        "for route in routes:\n    if isinstance(route, APIRoute):",
        "export const table = { ' ': make(1), '': make(2), kept: make(3) };",
        "const x = () => <td>A{' '} <strong",
    ] {
        extract_in_every_language(text.as_bytes());
    }
    let facts = Extractor::new()
        .extract_file("javascript", b"export const table = { ' ': make(1), '': make(2), kept: make(3) };");
    let names: Vec<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["table", "kept"]);
}

#[test]
fn malformed_input_neither_panics_nor_hangs() {
    let deep_indents: String = (0..400).map(|n| [" ".repeat(n), "if x:\n".to_owned()].concat()).collect();
    let inputs: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\0\0\0".to_vec(),
        // Ruby: a method whose name is one quote.
        b"0\0.`\0".to_vec(),
        b"class \xff\xfe { \xc3\x28 }".to_vec(),
        "(".repeat(10_000).into_bytes(),
        "{[(".repeat(3_000).into_bytes(),
        "a<".repeat(3_000).into_bytes(),
        "!".repeat(5_000).into_bytes(),
        "a.b().".repeat(1_000).into_bytes(),
        "f(".repeat(500).into_bytes(),
        "\"".repeat(5_001).into_bytes(),
        deep_indents.into_bytes(),
        vec![0xef, 0xbb, 0xbf, b'x', b'\r', b'\n'],
    ];
    for input in inputs {
        extract_in_every_language(&input);
    }
}

#[test]
fn a_too_deeply_nested_text_has_only_words() {
    let facts = Extractor::new().extract_file("go", format!("package deep{}", "(".repeat(10_000)).as_bytes());
    assert!(facts.quality.abandoned && facts.symbols.is_empty());
    assert!(facts.text.rest.counts.len() > 1);
}

#[test]
fn a_chain_of_calls_is_parsed_up_to_a_maximum_depth() {
    let chain = |calls: usize| format!("def f\n  a\n{}end\n", "    .b()\n".repeat(calls));
    let mut extractor = Extractor::new();
    let short = extractor.extract_file("ruby", chain(300).as_bytes());
    assert_eq!((short.quality.abandoned, short.symbols.len()), (false, 1));
    assert!(extractor.extract_file("ruby", chain(5_000).as_bytes()).quality.abandoned);
}

#[test]
fn a_parse_that_takes_too_many_steps_is_abandoned() {
    let mut extractor = Extractor::new();
    extractor.set_step_limit(50);
    let facts = extractor.extract_file("python", "x = f(1)\n".repeat(20_000).as_bytes());
    assert!(facts.quality.abandoned);
    extractor.set_step_limit(1_000_000);
    assert!(!extractor.extract_file("python", b"x = 1").quality.abandoned);
}

#[test]
fn a_chain_that_is_searched_from_its_beginning_for_each_link_is_abandoned() {
    let mut extractor = Extractor::new();
    let mut is_abandoned = |links: usize| {
        let text = format!("void f() {{ x{}; }}", "..a()".repeat(links));
        extractor.extract_file("dart", text.as_bytes()).quality.abandoned
    };
    assert!(!is_abandoned(200));
    assert!(is_abandoned(20_000));
}

#[test]
fn a_grammar_that_scans_to_the_end_from_every_line_is_abandoned() {
    let mut extractor = Extractor::new();
    extractor.set_step_limit(5_000);
    let mut is_abandoned =
        |language, text: String| extractor.extract_file(language, text.as_bytes()).quality.abandoned;
    assert!(!is_abandoned("python", "x = 1\n".repeat(5_000)));
    assert!(is_abandoned("python", format!("def f(): pass\n{}", "# c\n".repeat(5_000))));
    assert!(!is_abandoned("go", format!("package a\n{}", "/**/\n".repeat(1_000))));
    assert!(is_abandoned("go", format!("package a\n{}", "/*\n".repeat(2_000))));
}

#[test]
fn a_character_may_cross_the_boundary_of_two_parser_chunks() {
    for shift in 0..4 {
        let text = format!("{}x = \"{}\"\ndef f(): pass\n", " \n".repeat(shift), "\u{1f980}ü€".repeat(2_000));
        let facts = Extractor::new().extract_file("python", text.as_bytes());
        assert!(!facts.quality.syntax_errors && facts.symbols.len() == 2, "{shift}");
    }
}

#[test]
fn positions_in_lossy_text_equal_those_in_the_bytes() {
    let facts = Extractor::new().extract_file("python", b"# \xff\xff\ndef f(): pass\n");
    assert!(facts.quality.lossy);
    assert_eq!(facts.symbols[0].name_span.start, 9);
}

#[test]
fn an_incremental_parse_gives_the_same_facts() {
    let (old, new) = ("def f(): return g()\n", "def f(): return gh()\n");
    let mut extractor = Extractor::new();
    let mut tree = extractor.extract_with_tree("python", old.as_bytes(), None).tree.expect("a tree");
    let at = |column| tree_sitter::Point { row: 0, column };
    tree.edit(&tree_sitter::InputEdit {
        start_byte: 17,
        old_end_byte: 17,
        new_end_byte: 18,
        start_position: at(17),
        old_end_position: at(17),
        new_end_position: at(18),
    });
    let incremental = extractor
        .extract_with_tree(
            "python",
            new.as_bytes(),
            Some(EditedTree { tree: &tree, recovery: ErrorRecovery::FromScratch }),
        )
        .facts;
    assert_eq!(incremental, extractor.extract_file("python", new.as_bytes()));
    assert!(render_facts(&incremental).contains("Call gh/0"));
}

/// Pieces that look like code in several languages, so that random text reaches deep into the
/// extractor.
fn code_like_text() -> impl Strategy<Value = String> {
    let pieces = proptest::sample::select(vec![
        "def ",
        "class ",
        "func ",
        "fn ",
        "impl ",
        "struct ",
        "interface ",
        "module ",
        "end\n",
        "use ",
        "import ",
        "from ",
        "export ",
        "const ",
        "let ",
        "var ",
        "self.",
        "this.",
        "a",
        "Foo",
        "x.y",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ":",
        "::",
        ";",
        ",",
        "=",
        "=>",
        "->",
        "\n",
        "\n    ",
        " ",
        "\"s\"",
        "'",
        "\"\"\"",
        "# c\n",
        "// c\n",
        "/* d */",
        "@",
        "#[test]",
        "é",
        "::{a, b}",
    ]);
    proptest::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        extract_in_every_language(&bytes);
    }

    #[test]
    fn code_like_text_never_panics_and_keeps_the_invariants(text in code_like_text()) {
        extract_in_every_language(text.as_bytes());
    }
}

/// Nested values are read only a few levels deep, because each level reads the values inside it
/// more than once.
#[test]
fn deeply_nested_values_do_not_abandon_the_parse() {
    let alternatives = format!("x = {}1{}", "(1 or ".repeat(300), ")".repeat(300));
    let calls = format!("x = {}1{}", "next(".repeat(300), ")".repeat(300));
    let targets = format!("{} = f()\n", vec!["a"; 5_000].join(", "));
    for text in
        [alternatives, calls, targets.clone(), format!("for {targets}: ...").replace("= f()\n", "in y")]
    {
        let facts = Extractor::new().extract_file("python", text.as_bytes());
        assert!(!facts.quality.abandoned);
    }
    let text = format!("package a\nfunc f() {{\n{} := f()\n}}", vec!["a"; 5_000].join(", "));
    assert!(!Extractor::new().extract_file("go", text.as_bytes()).quality.abandoned);
}

#[test]
fn a_long_list_is_read_in_linear_time() {
    let names = (0..60_000).map(|n| format!("n{n}")).collect::<Vec<_>>().join(", ");
    let text = format!("def n1(): pass\n\nall = [{names}]\n");
    let facts = Extractor::new().extract_file("python", text.as_bytes());
    assert!(!facts.quality.abandoned);
    assert_eq!(facts.references.len(), 60_000);
}

#[test]
fn a_node_with_too_many_matches_abandons_the_parse() {
    // Each decorator matches the property in combination with each later definition.
    let text = format!("{}def made(): pass\n", "@property\n".repeat(20_000));
    let facts = Extractor::new().extract_file("python", text.as_bytes());
    assert!(facts.quality.abandoned);
}
