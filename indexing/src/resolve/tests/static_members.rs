//! Static and instance members with the same name, and receivers with a dynamic type such as `Any`.

use super::{check, parse_fixture, resolve_workspace};
use expect_test::{Expect, expect};
use kenning_graph::EdgeKind::{self, Calls, Inherits, Overrides};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Checks edges with the lines of both ends, because static and instance members can share a name.
fn check_lines(fixture: &str, kinds: &[EdgeKind], expected: Expect) {
    let snapshot = resolve_workspace(&parse_fixture(fixture));
    let describe_end = |id| {
        let symbol = snapshot.symbol(id).unwrap();
        format!("{}:{}", symbol.name, symbol.name_span.line + 1)
    };
    let symbols = snapshot.files().into_iter().flat_map(|file| snapshot.file_symbols(file));
    let edges = symbols.flat_map(|id| snapshot.out_edges(id)).filter(|edge| kinds.contains(&edge.kind));
    let lines: BTreeSet<String> = edges
        .map(|edge| {
            let (source, target) = (describe_end(edge.source), describe_end(edge.target));
            format!("{} {source} -> {target} {:.2}", edge.kind, edge.confidence)
        })
        .collect();
    let text = lines.into_iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{line}").unwrap();
        text
    });
    expected.assert_eq(&text);
}

#[test]
fn typescript_distinguishes_static_and_instance_members() {
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
fn this_in_a_static_member_is_the_class() {
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
fn members_assigned_to_a_class_are_static() {
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
fn ruby_distinguishes_singleton_and_instance_methods() {
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
fn a_static_java_method_overrides_no_method() {
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
fn a_receiver_with_a_dynamic_type_is_resolved_by_name() {
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

#[test]
fn super_has_the_staticness_of_the_enclosing_method() {
    check_lines(
        "//- a.ts
        class O {
          static total() { return 1; }
          total() { return 1; }
        }
        class S extends O {
          total() { return super.total(); }
          static total() { return [1].map(() => super.total()); }
        }
        class R extends S {}
        class T extends R {
          static total() { return super.total(); }
          total() { return super.total(); }
        }
        //- a.rb
        class Order
          def self.total = 1
          def total = 1
        end
        class Late < Order
          def total
            super
          end
          def self.total
            super
          end
        end",
        &[Calls],
        expect![[r#"
            calls total:11 -> total:7 0.85
            calls total:12 -> total:6 0.85
            calls total:6 -> total:3 0.85
            calls total:7 -> total:2 0.85
            calls total:9 -> total:2 0.85
        "#]],
    );
}

#[test]
fn an_unknown_value_has_instance_members() {
    check_lines(
        "//- a.ts
        class P {
          static shared() {}
          shared() {}
        }
        class Q {
          sole() {}
          static only() {}
        }
        function un(x: any, Unknown: any) {
          x.shared();
          x.sole();
          x.only();
          Unknown.shared();
          x.constructor.shared();
        }
        //- a.rb
        class Order
          def self.total = 1
          def total = 1
          def self.rate_all = 1
          def rate_all = 1
        end
        def unknown(order, x)
          order.total
          x.rate_all
          x.class.rate_all
        end",
        &[Calls],
        expect![[r#"
            calls un:9 -> only:7 0.70
            calls un:9 -> shared:2 0.70
            calls un:9 -> shared:3 0.70
            calls un:9 -> sole:6 0.70
            calls unknown:7 -> rate_all:4 0.70
            calls unknown:7 -> rate_all:5 0.70
            calls unknown:7 -> total:3 0.70
        "#]],
    );
}

#[test]
fn the_class_of_a_value_is_its_type() {
    check_lines(
        "//- a.ts
        class A {
          static rate() {}
          rate() {}
          run() {
            this.constructor.rate();
            new this.constructor();
          }
        }
        class B extends A {
          constructor() { super(); }
          go() { this.constructor.rate(); }
        }
        //- a.rb
        class Order
          def self.rate_all; end
          def rate_all; end
          def run_all
            self.class.rate_all
          end
          def self.total = 1
          def total
            self.class.total
          end
          def again
            self.class.new.rate_all
          end
        end",
        &[Calls],
        expect![[r#"
            calls again:11 -> rate_all:3 0.85
            calls constructor:10 -> A:1 0.85
            calls go:11 -> rate:2 0.85
            calls run:4 -> A:1 0.85
            calls run:4 -> rate:2 0.85
            calls run_all:4 -> rate_all:2 0.85
            calls total:8 -> total:7 0.85
        "#]],
    );
}

#[test]
fn members_that_every_class_has_are_not_instance_members() {
    check_lines(
        "//- a.ts
        class A {
          name = '';
          run() { return this.constructor.name + A.name; }
        }
        class B {
          static name = '';
          run() { return this.constructor.name; }
        }
        interface Face { total(): void }
        class C implements Face { total() {} }
        function f(face: Face) { return face.constructor.total(); }
        //- a.rb
        class Order
          attr_reader :name
          def run = self.class.name
          def own = name
        end
        module Shared
          def total = 1
          def run = self.class.total
        end",
        &[Calls, EdgeKind::AccessesField],
        expect![[r#"
            accesses_field run:7 -> name:6 0.85
            calls f:11 -> total:10 0.42
            calls f:11 -> total:9 0.42
            calls own:4 -> name:2 0.85
        "#]],
    );
}

#[test]
fn a_member_hides_no_inherited_member_of_the_other_staticness() {
    check_lines(
        "//- a.ts
        class A {
          static make() {}
          static gone() {}
        }
        class B extends A {
          make() {}
        }
        class C extends B {
          static make() { super.make(); }
        }
        class D extends B {}
        function type() {
          D.make();
          C.make();
        }
        interface Up extends Down {}
        interface Down extends Up { total(): void }
        function round(up: Up) { up.total(); }
        class X extends Y {}
        class Y extends X { total() {} }
        function cycle() { X.total(); }
        //- a.rb
        class Base
          def self.make = 1
        end
        class Mid < Base
          def make = 2
        end
        class Low < Mid
        end
        module Tools
          def total = 1
        end
        class Order
          extend Tools
        end
        module Own
          extend self
          def rate = 1
        end
        def type
          Low.make
          Order.total
          Own.rate
        end",
        &[Calls, Overrides],
        expect![[r#"
            calls cycle:21 -> total:20 0.70
            calls make:9 -> make:2 0.85
            calls round:18 -> total:17 0.85
            calls type:12 -> make:2 0.85
            calls type:12 -> make:9 0.85
            calls type:19 -> make:2 0.85
            calls type:19 -> rate:17 0.85
            calls type:19 -> total:10 0.85
            overrides make:9 -> make:2 0.85
        "#]],
    );
}

#[test]
fn a_member_of_the_other_staticness_is_only_inferred() {
    check_lines(
        "//- a.ts
        class A {
          static make(): A { return new A(); }
          total() {}
          size = 1;
        }
        function wrong(a: A) {
          a.make();
          A.total();
          a.make().total();
          return A.size;
        }
        //- a.js
        class B {}
        B.make = function () {};
        B.prototype.total = function () {};
        B.later = () => 1;
        function f() { B.make(); B.later(); new B().total(); }
        //- a.rb
        class Order
          cattr_accessor :limit
          def total = 1
        end
        def wrong
          Order.total
          Order.limit
        end",
        &[Calls, EdgeKind::AccessesField],
        expect![[r#"
            accesses_field wrong:6 -> size:4 0.70
            calls f:5 -> B:1 0.85
            calls f:5 -> later:4 0.85
            calls f:5 -> make:2 0.85
            calls f:5 -> total:3 0.85
            calls make:2 -> A:1 0.85
            calls wrong:5 -> limit:2 0.70
            calls wrong:5 -> total:3 0.70
            calls wrong:6 -> make:2 0.70
            calls wrong:6 -> total:3 0.70
        "#]],
    );
}

#[test]
fn blocks_in_a_class_body_call_instance_methods() {
    check_lines(
        "//- a.rb
        class Base
          def fixture
            Site.new
          end
          def self.macro(name) = 1
        end
        class Site
          def run = 1
        end
        class Test < Base
          macro :x
          setup do
            @site = fixture
            @site.run
          end
          def self.wrong
            fixture
          end
        end",
        &[Calls],
        expect![[r#"
            calls Test:10 -> fixture:2 0.85
            calls Test:10 -> macro:5 0.85
            calls Test:10 -> run:8 0.85
            calls fixture:2 -> Site:7 0.85
            calls wrong:16 -> fixture:2 0.70
        "#]],
    );
}

#[test]
fn brackets_on_a_ruby_class_construct_an_instance() {
    check_lines(
        "//- a.rb
        class Config < Hash
          def self.total = 1
          def total = 1
        end
        class Table
          def self.[](at)
            Config.new
          end
          def total = 2
        end
        def run
          Config[x].total
          Table[x].total
        end",
        &[Calls],
        expect![[r#"
            calls []:6 -> Config:1 0.85
            calls run:11 -> total:3 0.85
        "#]],
    );
}

#[test]
fn a_constructor_function_has_static_and_instance_members() {
    check_lines(
        "//- a.js
        function Timer() {}
        Timer.start = function () { return new Timer(); };
        Timer.prototype.start = function () {};
        Timer.only = () => 1;
        function Late() { Timer.call(this); }
        Late.prototype = Object.create(Timer.prototype);
        function run() {
          const timer = new Timer();
          timer.start();
          Timer.start().start();
          Timer.only();
          timer.only();
        }",
        &[Calls],
        expect![[r#"
            calls run:7 -> Timer:1 0.85
            calls run:7 -> only:4 0.85
            calls run:7 -> start:2 0.85
            calls run:7 -> start:3 0.85
            calls start:2 -> Timer:1 0.85
        "#]],
    );
}

#[test]
fn static_and_instance_members_are_inherited_separately() {
    check_lines(
        "//- a.ts
        class O {
          total() {}
          static all() {}
        }
        class Late extends O {
          static total() {}
          static all() {}
        }
        //- a.rb
        class Order
          def total = 1
        end
        class Late < Order
          def self.total = 1
        end",
        &[Inherits],
        expect![[r#"
            inherits Late:4 -> total:2 0.85
            inherits Late:5 -> total:2 0.85
        "#]],
    );
}

#[test]
fn modifiers_are_recognized_in_generic_methods_and_before_tuples() {
    check(
        "//- Order.java
        class Order { public static <T> T of(T x) { return x; } }
        class Late extends Order { public static <T> T of(T x) { return x; } }
        //- a.cs
        interface IShape { static abstract (int, int) Pair(); static abstract int Sole(); }
        class Shape : IShape { public static (int, int) Pair() => (1, 2); public static int Sole() => 1; }
        //- a.py
        class A:
            def go(self): pass
        class B(A):
            def go[T:x.y](self): pass",
        &[Overrides],
        expect![[r#"
            overrides a.cs::Shape.Pair -> a.cs::IShape.Pair
            overrides a.cs::Shape.Sole -> a.cs::IShape.Sole
            overrides a.py::B.go -> a.py::A.go
        "#]],
    );
}
