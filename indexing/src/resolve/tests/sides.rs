//! Static and instance members of one name, and receivers of which a type says that nothing is known.

use super::{check, files, resolved};
use expect_test::{Expect, expect};
use kenning_graph::EdgeKind::{self, Calls, Overrides};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Checks edges with the lines of both ends: members of both sides have one name.
fn check_lines(fixture: &str, kinds: &[EdgeKind], expected: Expect) {
    let snapshot = resolved(&files(fixture));
    let end = |id| {
        let symbol = snapshot.symbol(id).unwrap();
        format!("{}:{}", symbol.name, symbol.name_span.line + 1)
    };
    let symbols = snapshot.files().into_iter().flat_map(|file| snapshot.file_symbols(file));
    let edges = symbols.flat_map(|id| snapshot.out_edges(id)).filter(|edge| kinds.contains(&edge.kind));
    let lines: BTreeSet<String> = edges
        .map(|edge| {
            format!("{} {} -> {} {:.2}", edge.kind, end(edge.source), end(edge.target), edge.confidence)
        })
        .collect();
    let text = lines.into_iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{line}").unwrap();
        text
    });
    expected.assert_eq(&text);
}

#[test]
fn typescript_tells_static_members_from_those_of_values() {
    check_lines(
        "//- a.ts
        export class Order {
          total(): number { return this.rate(); }
          rate(): number { return 1; }
          static total(): number { return 1; }
          static rate(): number { return this.base(); }
          static base(): number { return 1; }
        }
        export class Late extends Order {
          static total(): number { return 2; }
        }
        export function value(order: Order, late: Late) {
          order.total();
          late.total();
        }
        export function type() {
          Order.total();
          Late.total();
        }",
        &[Calls, Overrides],
        expect![[r#"
            calls rate:5 -> base:6 0.85
            calls total:2 -> rate:3 0.85
            calls type:15 -> total:4 0.85
            calls type:15 -> total:9 0.85
            calls value:11 -> total:2 0.85
            overrides total:9 -> total:4 0.85
        "#]],
    );
}

#[test]
fn this_of_a_static_member_is_the_class() {
    check_lines(
        "//- a.ts
        export class Order {
          total() { return this.rate(); }
          rate() { return new Value(); }
          get size() { return this.rate(); }
          cache = this.rate();
          static total() { return this.rate(); }
          static rate() { return new Type(); }
          static get size() { return this.rate(); }
          static cache = this.rate();
          static { this.rate(); const kept = this.rate(); }
          static later() { return [1].map(function each() { return this.rate(); }); }
        }
        export class Value { ofValue() {} }
        export class Type { ofType() {} }
        //- b.ts
        import { Order } from './a';
        export function type() {
          Order.total().ofType();
          Order.total().ofValue();
        }
        export function value(order: Order) {
          order.total().ofValue();
          order.total().ofType();
        }",
        &[Calls],
        expect![[r#"
            calls Order:1 -> rate:7 0.85
            calls cache:5 -> rate:3 0.85
            calls cache:9 -> rate:7 0.85
            calls each:11 -> rate:7 0.85
            calls rate:3 -> Value:13 0.85
            calls rate:7 -> Type:14 0.85
            calls size:4 -> rate:3 0.85
            calls size:8 -> rate:7 0.85
            calls total:2 -> rate:3 0.85
            calls total:6 -> rate:7 0.85
            calls type:2 -> ofType:14 0.85
            calls type:2 -> total:6 0.85
            calls value:6 -> ofValue:13 0.85
            calls value:6 -> total:2 0.85
        "#]],
    );
}

#[test]
fn what_is_assigned_to_a_class_is_static() {
    check_lines(
        "//- a.js
        class Base {
          static run() {}
          walk() {}
        }
        class Foo extends Base {
          static other() {}
        }
        Foo.run = function () { this.other(); };
        Foo.walk = () => {};
        Foo.prototype.other = function () { this.walk(); };
        Object.assign(Foo, { last() {} });
        Object.assign(Foo.prototype, { last() {} });
        const api = {};
        api.run = function () {};
        function use() {
          Foo.last();
          new Foo().last();
          Foo.run();
          Foo.walk();
          new Foo().walk();
          new Foo().other();
          api.run();
        }",
        &[Calls],
        expect![[r#"
            calls other:10 -> walk:3 0.85
            calls run:8 -> other:6 0.85
            calls use:15 -> Foo:5 0.85
            calls use:15 -> last:11 0.85
            calls use:15 -> last:12 0.85
            calls use:15 -> other:10 0.85
            calls use:15 -> run:14 0.85
            calls use:15 -> run:8 0.85
            calls use:15 -> walk:3 0.85
            calls use:15 -> walk:9 0.85
        "#]],
    );
}

#[test]
fn ruby_tells_singleton_methods_from_those_of_values() {
    check_lines(
        "//- a.rb
        class Order
          def total
            rate
          end
          def rate = 1
          def self.total
            rate
          end
          class << self
            def rate = self.base
            def base = 1
          end
          def base = 2
        end
        class Late < Order
          def self.total = 2
        end
        def value(order)
          Order.new.total
          Late.new.total
        end
        def type
          Order.total
          Late.total
        end",
        &[Calls, Overrides],
        expect![[r#"
            calls rate:10 -> base:11 0.85
            calls total:2 -> rate:5 0.85
            calls total:6 -> rate:10 0.85
            calls type:22 -> total:16 0.85
            calls type:22 -> total:6 0.85
            calls value:18 -> Late:15 0.85
            calls value:18 -> Order:1 0.85
            calls value:18 -> total:2 0.85
            overrides total:16 -> total:6 0.85
        "#]],
    );
}

#[test]
fn a_static_method_of_java_overrides_none() {
    check(
        "//- A.java
        class Order { static int total() { return 1; } int rate() { return 1; } }
        class Late extends Order { static int total() { return 2; } int rate() { return 2; } }",
        &[Overrides],
        expect![[r#"
            overrides A.java::Late.rate -> A.java::Order.rate
        "#]],
    );
}

#[test]
fn a_type_that_says_nothing_leaves_the_name() {
    check(
        "//- a.py
        import typing as t
        from typing import Any
        class Order:
            def save_all(self): pass
        class Cart:
            def save_all(self): pass
            def empty_all(self): pass
        def several(x: Any): x.save_all()
        def one(x: t.Any): x.empty_all()
        //- a.ts
        export class Order { saveAll(): void {} }
        export class Cart { saveAll(): void {} }
        export function several(x: any) { x.saveAll(); }
        //- A.cs
        namespace N {
          class Order { public void SaveAll() {} }
          class Cart { public void SaveAll() {} }
          class Run { void Several(dynamic x) { x.SaveAll(); } }
        }",
        &[Calls],
        expect![[r#"
            calls A.cs::Run.Several -> A.cs::Cart.SaveAll (ast_inferred 0.42)
            calls A.cs::Run.Several -> A.cs::Order.SaveAll (ast_inferred 0.42)
            calls a.py::one -> a.py::Cart.empty_all (ast_inferred 0.70)
            calls a.py::several -> a.py::Cart.save_all (ast_inferred 0.42)
            calls a.py::several -> a.py::Order.save_all (ast_inferred 0.42)
            calls a.ts::several -> a.ts::Cart.saveAll (ast_inferred 0.42)
            calls a.ts::several -> a.ts::Order.saveAll (ast_inferred 0.42)
            resolved 1 ambiguous 3 external 0 unresolved 0
        "#]],
    );
}
