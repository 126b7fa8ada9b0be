//! Correct code that a grammar cannot read.

use crate::extract::Extractor;

const OVERLOADS: &str = "export interface Get {
  // first
  (key: string): Reply<string>

  // second
  <T>(key: T): Reply<T>
}
export class After {
  go() {}
}
";

fn names(language: &str, text: &str) -> (Vec<String>, bool) {
    let facts = Extractor::new().extract_file(language, text.as_bytes());
    let shown = |s: &kenning_graph::facts::SymbolFact| format!("{} {}", s.qualified_name(), s.name_span.line);
    (facts.symbols.iter().map(shown).collect(), facts.quality.syntax_errors)
}

#[test]
fn what_follows_call_signatures_with_type_parameters_is_found() {
    let (found, errors) = names("typescript", OVERLOADS);
    assert!(!errors);
    assert_eq!(found, ["Get 0", "Get.() 2", "Get.() 5", "After 7", "After.go 8"]);
}

#[test]
fn a_text_that_stays_wrong_is_read_as_it_stands() {
    let (found, errors) =
        names("tsx", "function A() { return (\n  <div>\n  <p/>\n  </div>) }\nclass B { = }\n");
    assert!(errors);
    assert_eq!(found, ["A 0", "B 4"]);
}

#[test]
fn no_parse_starts_from_the_tree_of_another_text() {
    let mut extractor = Extractor::new();
    assert!(!extractor.extract_with_tree("typescript", OVERLOADS.as_bytes(), None).reusable);
    assert!(extractor.extract_with_tree("typescript", b"class A {}", None).reusable);
}
