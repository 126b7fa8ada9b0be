//! Outcomes of call sites, and the reasons why some have no edge.

use super::{extract_facts, parse_fixture, read_project, resolve_workspace};
use crate::resolve::{CallOutcome, collect_call_sites};
use expect_test::{Expect, expect};
use std::fmt::Write as _;

/// Checks the outcome of each call site in one file of a fixture.
fn check(path: &str, fixture: &str, expected: Expect) {
    let files = parse_fixture(fixture);
    let (snapshot, project) = (resolve_workspace(&files), read_project(&files));
    let (file, facts) = (snapshot.file_by_path(path).unwrap(), extract_facts(path, &files[path]).unwrap());
    let mut out = String::new();
    for site in collect_call_sites(&snapshot, &project, &[(file, facts)]).remove(0) {
        let name = &files[path][site.name.start as usize..][..site.name.len as usize];
        let outcome = match site.outcome {
            CallOutcome::Symbols(targets) => {
                let names =
                    targets.iter().map(|target| snapshot.symbol(target.symbol).unwrap().qualified_name());
                names.collect::<Vec<_>>().join(", ")
            }
            CallOutcome::External => "external".to_owned(),
            CallOutcome::Unresolved(reason) => format!("? {reason}"),
        };
        let dot = if site.receiver.is_empty() { "" } else { "." };
        writeln!(out, "{}{dot}{name}: {outcome}", site.receiver).unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn every_call_site_has_a_target_or_a_reason() {
    check(
        "a.py",
        "
        //- a.py
        import os
        from b import Box, make, deco
        from .gone import lost

        @deco()
        def run(box: Box, bare, handler):
            box.open()
            os.getcwd()
            bare.open()
            bare.unheard_of()
            make().open()
            handler()
            lost()
            box.absent()
            box.lid.open()
            for each in bare:
                each.open()
            local = make()
            local.open()
            nobody()
            (1 + 2).open()
        //- b.py
        class Box:
            def __init__(self, lid):
                self.lid = lid
            def open(self): ...
        class Door:
            def open(self): ...
        def make(): ...
        def deco(): ...
        ",
        expect![[r#"
            deco: b.py::deco
            box.open: b.py::Box.open
            os.getcwd: external
            bare.open: ? receiver is an untyped parameter
            bare.unheard_of: external
            make: b.py::make
            make().open: ? return type of the called function unknown
            handler: ? a parameter or local variable is called
            lost: ? import source not found
            box.absent: ? no such member of the receiver's type
            box.lid.open: ? type of the field or variable unknown
            each.open: ? element of a collection of unknown type
            make: b.py::make
            local.open: ? return type of the called function unknown
            nobody: ? name not found
            ?.open: ? receiver is an expression without a name (literal, operator, index)
        "#]],
    );
}
