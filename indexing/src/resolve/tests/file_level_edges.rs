//! Edges that are derived from whole files: symbols tested together, owners of files, similar
//! bodies.

use super::{check, parse_fixture, resolve_workspace};
use expect_test::expect;
use kenning_graph::EdgeKind;
use std::fmt::Write as _;

#[test]
fn symbols_with_certain_uses_in_one_test_file_are_paired() {
    check(
        "//- go.mod
        module m
        //- shop/cart.go
        package shop
        type Cart struct{}
        func (c *Cart) Total() int { return 0 }
        func Tax(n int) int { return n }
        func Round(n int) int { return n }
        //- shop/cart_test.go
        package shop
        import \"testing\"
        func fixture() *Cart { return nil }
        func TestTotal(t *testing.T) { c := fixture(); Tax(c.Total()) }
        func TestTax(t *testing.T) { Tax(1); Tax(2) }
        //- shop/round_test.go
        package shop
        import \"testing\"
        func TestRound(t *testing.T) { Round(1) }
        //- py/x.py
        class X:
            def process_all(self): ...
        class Y:
            def process_all(self): ...
        def make(): ...
        //- py/test_x.py
        from x import make
        def test_it(z):
            make()
            z.process_all()",
        &[EdgeKind::CoTestedWith, EdgeKind::Tests],
        expect![[r#"
            co_tested_with shop/cart.go::Tax -> shop/cart.go::Cart.Total (ast_inferred 0.60)
            tests py/test_x.py::test_it -> py/x.py::X.process_all (ast_inferred 0.42)
            tests py/test_x.py::test_it -> py/x.py::Y.process_all (ast_inferred 0.42)
            tests py/test_x.py::test_it -> py/x.py::make
            tests shop/cart_test.go::TestTax -> shop/cart.go::Tax
            tests shop/cart_test.go::TestTotal -> shop/cart.go::Cart.Total
            tests shop/cart_test.go::TestTotal -> shop/cart.go::Tax
            tests shop/round_test.go::TestRound -> shop/cart.go::Round
        "#]],
    );
}

#[test]
fn among_many_symbols_only_the_most_tested_are_paired() {
    let mut fixture = String::from("//- a.py\n");
    for n in 0..60 {
        writeln!(fixture, "def f{n:02}(): ...").unwrap();
    }
    fixture.push_str("//- test_a.py\nfrom a import *\n");
    for test in 0..60 {
        writeln!(fixture, "def test_{test}():").unwrap();
        for n in test..60 {
            writeln!(fixture, "    f{n:02}()").unwrap();
        }
    }
    let snapshot = resolve_workspace(&parse_fixture(&fixture));
    let mut ends = std::collections::BTreeSet::new();
    let mut count = 0;
    for id in snapshot.symbols() {
        for edge in snapshot.out_edges(id).into_iter().filter(|e| e.kind == EdgeKind::CoTestedWith) {
            let name = |id| snapshot.symbol(id).unwrap().name;
            assert!(name(edge.source) < name(edge.target));
            ends.extend([name(edge.source), name(edge.target)]);
            count += 1;
        }
    }
    assert_eq!((count, ends.first(), ends.last()), (40, Some(&"f50"), Some(&"f59")));
}

#[test]
fn the_last_matching_rule_determines_the_owners() {
    check(
        "//- CODEOWNERS
        * @org/all
        *.go @gopher mail@example.com
        //- a/a.go
        package a
        //- b.py
        def b(): ...",
        &[EdgeKind::OwnedBy],
        expect![[r#"
            owned_by a/a.go -> owner::@gopher
            owned_by a/a.go -> owner::mail@example.com
            owned_by b.py -> owner::@org/all
        "#]],
    );
}

/// Two similar functions with different names, a different function, short functions, and a test.
const SIMILAR_BODIES: &str = "//- a/sum.py
        def total(items, start):
            result = start
            for item in items:
                if item.price > 0 and item.count > 0:
                    result = result + item.price * item.count
                else:
                    raise ValueError('no price')
            return round(result, 2)
        def short(): return 1
        //- b/tax.py
        class Tax:
            def total(self, items, start):
                result = start
                for item in items:
                    if item.price > 1 and item.count > 1:
                        result = result + item.price * item.count
                    else:
                        raise ValueError('nothing')
                return round(result, 3)
            def other(self, names):
                found = {}
                for name in names:
                    key = name.lower().strip()
                    while key in found:
                        key = key + '-' + str(len(found))
                    found[key] = name
                return sorted(found.values(), key=len, reverse=True)
            def short(self): return 1
        //- test_tax.py
        def test_total(items, start):
            result = start
            for item in items:
                if item.price > 0 and item.count > 0:
                    result = result + item.price * item.count
                else:
                    raise ValueError('no price')
            return round(result, 2)
        //- a.go
        package a";

#[test]
fn similar_bodies_in_different_files_get_an_edge() {
    check(
        SIMILAR_BODIES,
        &[EdgeKind::SimilarTo],
        expect![[r#"
        similar_to a/sum.py::total -> b/tax.py::Tax.total (ast_inferred 1.00)
    "#]],
    );
}

#[test]
fn very_common_bodies_are_not_compared() {
    let body = "    a = b + c\n    d = e - f\n    g = a * d\n    h = g / a\n    if h > d and g < a:\n        return h % g\n    return a + d + g + h\n";
    let count_edges = |count: usize| {
        let mut fixture = String::new();
        for n in 0..count {
            writeln!(fixture, "//- m{n}.py\ndef f{n}(b, c, e, f):\n{body}").unwrap();
        }
        let snapshot = resolve_workspace(&parse_fixture(&fixture));
        snapshot
            .symbols()
            .into_iter()
            .flat_map(|id| snapshot.out_edges(id))
            .filter(|e| e.kind == EdgeKind::SimilarTo)
            .count()
    };
    assert_eq!(count_edges(3), 3);
    assert_eq!(count_edges(50), 45 * 5 + 4 + 3 + 2 + 1);
    assert_eq!(count_edges(51), 0);
}
