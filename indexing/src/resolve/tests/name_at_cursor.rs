//! Resolution of the name at the cursor.

use super::{extract_facts, parse_fixture, read_project, resolve_workspace};
use crate::resolve::resolve_site;
use expect_test::{Expect, expect};
use std::fmt::Write as _;

/// Checks the targets of the name at each `$0` of a fixture. Removes the markers before it resolves
/// the workspace.
fn check(fixture: &str, expected: Expect) {
    let marked = parse_fixture(fixture);
    let plain = marked.iter().map(|(path, text)| (path.clone(), text.replace("$0", ""))).collect();
    let (snapshot, project) = (resolve_workspace(&plain), read_project(&plain));
    let mut out = String::new();
    for (path, text) in &marked {
        for (nth, (at, _)) in text.match_indices("$0").enumerate() {
            let (file, facts) =
                (snapshot.file_by_path(path).unwrap(), extract_facts(path, &plain[path]).unwrap());
            let offset = at - 2 * nth;
            let Some(site) = resolve_site(&snapshot, &project, file, &facts, offset as u32) else {
                writeln!(out, "nothing at {path} {offset}").unwrap();
                continue;
            };
            let name = &plain[path][site.name.start as usize..][..site.name.len as usize];
            writeln!(out, "{name} in {path}").unwrap();
            for candidate in site.candidates {
                let target = snapshot.symbol(candidate.symbol).unwrap().qualified_name();
                let (kind, confidence) = (candidate.kind, candidate.confidence);
                writeln!(out, "  {kind} {target} ({} {confidence:.2})", candidate.provenance).unwrap();
            }
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn calls_types_bases_imports_and_decorators_lead_to_their_targets() {
    check(
        "
        //- a.py
        from b import $0Base, wrap, make as build
        import o$0s

        class A($0Base):
            @$0wrap
            def run(self, other: B$0ase):
                self.$0run(other)
                build$0()
                os.get$0cwd()
        //- b.py
        class Base: ...
        def wrap(f): ...
        def make(): ...
        ",
        expect![[r#"
            Base in a.py
              imports b.py::Base (ast_resolved 0.85)
            os in a.py
              imports external::os (ast_resolved 0.85)
            Base in a.py
              extends b.py::Base (ast_resolved 0.85)
            wrap in a.py
              decorates b.py::wrap (ast_resolved 0.85)
            Base in a.py
              type_hint_of b.py::Base (ast_resolved 0.85)
            run in a.py
              calls a.py::A.run (ast_resolved 0.85)
            build in a.py
              calls b.py::make (ast_resolved 0.85)
            getcwd in a.py
              calls external::os.getcwd (ast_resolved 0.85)
        "#]],
    );
}

#[test]
fn all_of_several_candidates_are_returned() {
    check(
        "
        //- a.py
        def go(x):
            x.$0step()
        //- b.py
        class One:
            def step(self): ...
        class Two:
            def step(self): ...
        ",
        expect![[r#"
            step in a.py
              calls b.py::One.step (ast_inferred 0.42)
              calls b.py::Two.step (ast_inferred 0.42)
        "#]],
    );
}

#[test]
fn a_construction_leads_to_its_constructors_and_the_cursor_may_follow_the_name() {
    check(
        "
        //- go.mod
        module m
        //- a.go
        package a

        type T struct{ N int }

        func (t T) Get() int { return t.N$0 }

        func f() int { return $0T{N: 1}.Get$0() }
        //- B.java
        class B { B() {} B(int x) {} B make() { return new B$0(); } }
        ",
        expect![[r#"
            B in B.java
              calls B.java::B.B (ast_resolved 0.85)
            N in a.go
              accesses_field a.go::T.N (ast_resolved 0.85)
            T in a.go
              calls a.go::T (ast_resolved 0.85)
            Get in a.go
              calls a.go::T.Get (ast_resolved 0.85)
        "#]],
    );
}

#[test]
fn locals_keywords_and_blanks_lead_nowhere() {
    check(
        "
        //- a.py
        def f(x):
            y = 1
            ret$0urn $0y +  $0 2
        ",
        expect![[r#"
            nothing at a.py 27
            nothing at a.py 31
            nothing at a.py 36
        "#]],
    );
}
