//! Tests that the graph keeps every symbol when several have the same name: overloads, methods of
//! two types, nested types, and repeated definitions, in eight languages. The symbols are read back
//! from the base image and from the database.

use kenning_indexing::workspace::NoProgress;
use std::collections::BTreeSet;
use tests::Fixture;

/// Language, file, text, and the qualified names of the file's symbols in the graph, with
/// repetitions.
const CASES: &[(&str, &str, &str, &[&str])] = &[
    (
        "go",
        "a.go",
        "package a\ntype A struct{}\ntype B struct{}\nfunc (a A) Close() {}\nfunc (b *B) Close() {}\nfunc Close() {}\nfunc init() {}\nfunc init() {}\n",
        &["A", "A.Close", "B", "B.Close", "Close", "init", "init"],
    ),
    (
        "python",
        "a.py",
        "class A:\n    class B:\n        def run(self): pass\n    def run(self): pass\nclass C:\n    def run(self): pass\nif 1:\n    def run(): pass\nelse:\n    def run(): pass\n",
        &["A", "A.B", "A.B.run", "A.run", "C", "C.run", "run", "run"],
    ),
    (
        "typescript",
        "a.ts",
        "export class A {\n  run(a: string): void;\n  run(a: number): void;\n  run(a: any) {}\n}\nclass B { run() {} }\nnamespace N { class A { run() {} } }\nfunction run() {}\n",
        &["A", "A.run", "A.run", "A.run", "B", "B.run", "N", "N.A", "N.A.run", "run"],
    ),
    (
        "javascript",
        "a.js",
        "class A { run() {} static run() {} get size() { return 1 } set size(n) {} }\nclass B { run() {} }\nfunction run() {}\n",
        &["A", "A.run", "A.run", "A.size", "A.size", "B", "B.run", "run"],
    ),
    (
        "rust",
        "a.rs",
        "struct A;\nstruct B;\nimpl A { fn new() {} }\nimpl B { fn new() {} }\nmod inner { pub struct A; impl A { pub fn new() {} } }\ntrait T { fn new(); }\nimpl T for A { fn new() {} }\n",
        &["A", "A.new", "A.new", "B", "B.new", "T", "T.new", "inner", "inner.A", "inner.A.new"],
    ),
    (
        "java",
        "A.java",
        "class A {\n  A() {}\n  A(int n) {}\n  void run() {}\n  void run(String s) {}\n  static class B { void run() {} class C { void run() {} } }\n}\nclass D { void run() {} }\n",
        &["A", "A.A", "A.A", "A.B", "A.B.C", "A.B.C.run", "A.B.run", "A.run", "A.run", "D", "D.run"],
    ),
    (
        "csharp",
        "A.cs",
        "class A {\n  void Run() {}\n  void Run(int n) {}\n  class B { void Run() {} }\n}\nstruct D { void Run() {} }\n",
        &["A", "A.B", "A.B.Run", "A.Run", "A.Run", "D", "D.Run"],
    ),
    (
        "ruby",
        "a.rb",
        "class A\n  def run; end\n  def self.run; end\n  class B\n    def run; end\n  end\nend\nmodule C\n  def run; end\nend\nclass A\n  def run; end\nend\n",
        &["A", "A", "A.B", "A.B.run", "A.run", "A.run", "A.run", "C", "C.run"],
    ),
];

#[test]
fn the_graph_keeps_symbols_with_equal_names() {
    for (language, path, text, expected) in CASES {
        let fixture = Fixture::new();
        fixture.write(path, text);
        fixture.open("names").refresh_all(&NoProgress).expect("the index succeeds");
        // Another process reads the image, or the database if there is no image.
        for source in ["image", "database"] {
            if source == "database" {
                std::fs::remove_file(fixture.database_path("names").with_extension("base"))
                    .expect("the image is removed");
            }
            let snapshot = fixture.open("names").current_snapshot();
            let symbols: Vec<_> =
                snapshot.symbols().into_iter().filter_map(|id| snapshot.symbol(id)).collect();
            let mut names: Vec<String> = symbols.iter().map(kenning_graph::SymbolRef::display_name).collect();
            names.sort();
            assert_eq!(names, *expected, "{language}, from the {source}");
            let identities: BTreeSet<_> = symbols.iter().map(|symbol| symbol.hash).collect();
            assert_eq!(identities.len(), symbols.len(), "{language}: identities are unique");
        }
    }
}
