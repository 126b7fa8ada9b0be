//! Tests of declarations inside macro calls.

use crate::extract::Extractor;
use kenning_graph::FileFacts;

fn extract(text: &str) -> FileFacts {
    Extractor::new().extract_file("rust", text.as_bytes())
}

/// Returns the qualified name, kind and first line of each symbol.
fn describe_symbols(facts: &FileFacts) -> Vec<String> {
    let describe = |symbol: &kenning_graph::facts::SymbolFact| {
        format!("{} {} {}", symbol.kind.as_str(), symbol.qualified_name(), symbol.name_span.line)
    };
    facts.symbols.iter().map(describe).collect()
}

#[test]
fn declarations_inside_macro_calls_are_symbols() {
    let facts = extract(
        "cfg_rt! {\n    /// Spawns.\n    pub fn spawn() { park(); }\n    cfg_time! {\n        mod time;\n        struct Timer { at: u64 }\n    }\n}\n\
         impl Runtime {\n    cfg_io! {\n        pub fn enter(&self) {}\n    }\n}\n\
         pin_project! {\n    #[derive(Debug)]\n    pub(crate) struct Sleep {\n        #[pin]\n        inner: Timer,\n    }\n}\nfn park() {}\n",
    );
    assert!(!facts.quality.syntax_errors);
    assert_eq!(
        describe_symbols(&facts),
        [
            "function spawn 2",
            "struct Timer 5",
            "field Timer.at 5",
            "method Runtime.enter 10",
            "struct Sleep 15",
            "field Sleep.inner 17",
            "function park 20"
        ]
    );
    assert_eq!(facts.symbols[0].doc, "Spawns.");
    let calls: Vec<&str> =
        facts.references.iter().map(|reference| facts.strings.get(reference.name)).collect();
    for name in ["cfg_rt", "cfg_time", "cfg_io", "pin_project", "park"] {
        assert!(calls.iter().any(|call| call.trim_end_matches('!') == name), "{name} in {calls:?}");
    }
}

#[test]
fn statics_and_flags_in_the_notation_of_their_macros_are_symbols() {
    let facts = extract(
        "lazy_static! {\n    pub static ref LIMIT: u32 = compute();\n}\nthread_local! { static DEPTH: u8 = 0; }\n\
         bitflags! {\n    /// Access.\n    pub struct Access: u32 {\n        const READ = 1;\n        const ALL = Self::READ.bits() | 2;\n        const _ = !0;\n    }\n}\n",
    );
    assert!(!facts.quality.syntax_errors);
    let found = describe_symbols(&facts);
    for symbol in ["LIMIT 1", "DEPTH 3", "Access 6", "Access.READ 7", "Access.ALL 8"] {
        assert!(found.iter().any(|line| line.ends_with(symbol)), "{symbol} in {found:?}");
    }
}

#[test]
fn a_call_whose_contents_are_not_declarations_stays_a_call() {
    let text = "notation! {\n    fn => { go }\n}\ncfg_rt!{fn real() {}}\nfn outer() { local! { fn hidden() {} } }\nname!(struct A;);\ntable! { users (id) { } }\n";
    let facts = extract(text);
    let found = describe_symbols(&facts);
    assert!(found.contains(&"function outer 4".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("hidden") || line.contains("struct A")), "{found:?}");
    assert!(!facts.quality.syntax_errors, "{found:?}");
}

#[test]
fn the_tree_with_the_contents_of_macro_calls_is_not_reused() {
    let mut extractor = Extractor::new();
    assert!(!extractor.extract_with_tree("rust", b"cfg_rt! { fn a() {} }\n", None).reusable);
    assert!(extractor.extract_with_tree("rust", b"cfg_rt! { a }\n", None).reusable);
}

/// Returns the names of the tests.
fn names_of_tests(text: &str) -> Vec<String> {
    let facts = extract(text);
    assert!(!facts.quality.syntax_errors);
    facts.symbols.iter().filter(|symbol| symbol.is_test).map(|symbol| symbol.name.clone()).collect()
}

#[test]
fn calls_of_a_local_macro_that_writes_tests_are_tests() {
    let single = "mod tests {\n    macro_rules! test {\n        ($name:ident, uri = $uri:literal,) => {\n            #[test]\n            fn $name() { strip($uri); }\n        };\n    }\n    test!(empty, uri = \"/\",);\n    test! { trailing, uri = \"/a/\", }\n    other!(hidden, uri = \"/\");\n}\n";
    assert_eq!(names_of_tests(single), ["empty", "trailing"]);
    let table = "macro_rules! cases {\n    ($($name:ident: $value:expr,)*) => {\n        $(\n            #[tokio::test]\n            async fn $name() { check($value).await; }\n        )*\n    };\n}\ncases! {\n    adds: (1, 2),\n    subtracts: (2, one),\n}\nmod inner {\n    cases! { multiplies: 3, }\n}\n";
    assert_eq!(names_of_tests(table), ["adds", "subtracts", "multiplies"]);
    let second = "macro_rules! check {\n    ($text:expr; $name:ident) => {\n        #[crate::test]\n        fn $name() {}\n    };\n}\ncheck!(text; named_last);\n";
    assert_eq!(names_of_tests(second), ["named_last"]);
    let helper = "macro_rules! make {\n    ($name:ident) => {\n        #[inline]\n        fn $name() { test(); }\n    };\n}\nmake!(no_test);\n";
    assert!(names_of_tests(helper).is_empty());
}

#[test]
fn functions_with_strategies_are_tests() {
    let text = "proptest! {\n    #![proptest_config(config())]\n    #[test]\n    fn adds(a in 0..9u8, b in vec(any::<u8>(), 0..5)) {\n        sum(a, b);\n    }\n    #[test]\n    fn parses(text in \".*\") { parse(&text); }\n}\n";
    assert_eq!(names_of_tests(text), ["adds", "parses"]);
    let facts = extract(text);
    let calls: Vec<&str> = facts.references.iter().map(|r| facts.strings.get(r.name)).collect();
    assert!(calls.contains(&"sum") && calls.contains(&"parse"), "{calls:?}");
}
