//! Tests of correct code that a grammar cannot parse.

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

fn names_and_errors(language: &str, text: &str) -> (Vec<String>, bool) {
    let facts = Extractor::new().extract_file(language, text.as_bytes());
    let name_and_line =
        |s: &kenning_graph::facts::SymbolFact| format!("{} {}", s.qualified_name(), s.name_span.line);
    (facts.symbols.iter().map(name_and_line).collect(), facts.quality.syntax_errors)
}

#[test]
fn declarations_after_call_signatures_with_type_parameters_are_found() {
    let (found, errors) = names_and_errors("typescript", OVERLOADS);
    assert!(!errors);
    assert_eq!(found, ["Get 0", "Get.() 2", "Get.() 5", "After 7", "After.go 8"]);
}

#[test]
fn a_text_that_cannot_be_recovered_is_parsed_unchanged() {
    let (found, errors) =
        names_and_errors("tsx", "function A() { return (\n  <div>\n  <p/>\n  </div>) }\nclass B { = }\n");
    assert!(errors);
    assert_eq!(found, ["A 0", "B 4"]);
}

#[test]
fn the_tree_of_a_recovered_text_is_not_reused() {
    let mut extractor = Extractor::new();
    assert!(!extractor.extract_with_tree("typescript", OVERLOADS.as_bytes(), None).reusable);
    assert!(extractor.extract_with_tree("typescript", b"class A {}", None).reusable);
}
