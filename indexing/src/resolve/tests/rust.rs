//! Rust: names, receivers, inheritance and types across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_use_paths_receivers_and_traits() {
    check(
        "//- Cargo.toml
        [package]
        name = \"my-app\"
        [dependencies]
        serde = \"1\"
        //- src/lib.rs
        pub mod walk;
        mod shape;
        pub use walk::Walk as Walker;

        pub fn top() { helper(); }
        fn helper() {}
        //- src/shape.rs
        pub trait Shape {
            fn area(&self) -> u32;
            fn double(&self) -> u32 { self.area() * 2 }
        }
        //- src/walk.rs
        use crate::shape::Shape;
        use std::fmt;
        use super::top;

        pub struct Walk { inner: Inner }
        struct Inner;

        impl Inner {
            fn step(&self) {}
        }

        impl Walk {
            pub fn new() -> Self { Walk { inner: Inner } }
            pub fn run(&self) -> Option<&Walk> {
                self.inner.step();
                self.double();
                top();
                crate::top();
                Self::new().run().unwrap().run();
                fmt::format(format_args!(\"x\"));
                None
            }
        }

        impl Shape for Walk {
            fn area(&self) -> u32 { 1 }
        }

        #[cfg(test)]
        mod tests {
            use super::*;
            #[test]
            fn it_runs() { Walk::new().run(); }
        }
        //- src/main.rs
        use my_app::Walker;
        fn main() {
            let walk = Walker::new();
            walk.run();
            serde::from_str(\"x\");
        }",
        &[Calls, Implements, Overrides, Tests],
        expect![[r#"
            calls src/lib.rs::top -> src/lib.rs::helper
            calls src/main.rs::main -> external::serde.from_str
            calls src/main.rs::main -> src/walk.rs::Walk.new
            calls src/main.rs::main -> src/walk.rs::Walk.run
            calls src/shape.rs::Shape.double -> src/shape.rs::Shape.area
            calls src/walk.rs::Walk.new -> src/walk.rs::Walk
            calls src/walk.rs::Walk.run -> external::std.fmt.format
            calls src/walk.rs::Walk.run -> src/lib.rs::top
            calls src/walk.rs::Walk.run -> src/shape.rs::Shape.double
            calls src/walk.rs::Walk.run -> src/walk.rs::Inner.step
            calls src/walk.rs::Walk.run -> src/walk.rs::Walk.new
            calls src/walk.rs::tests.it_runs -> src/walk.rs::Walk.new
            calls src/walk.rs::tests.it_runs -> src/walk.rs::Walk.run
            implements src/walk.rs::Walk -> src/shape.rs::Shape
            overrides src/walk.rs::Walk.area -> src/shape.rs::Shape.area
            tests src/walk.rs::tests.it_runs -> src/walk.rs::Walk.new
            tests src/walk.rs::tests.it_runs -> src/walk.rs::Walk.run
            resolved 14 ambiguous 0 external 4 unresolved 0
        "#]],
    );
}

#[test]
fn unknown_receivers_are_ambiguous_or_inferred() {
    check(
        "//- src/lib.rs
        struct A;
        struct B;
        impl A { fn render(&self) {} fn alone(&self) {} fn push(&self, x: u8) {} }
        impl B { fn render(&self) {} }
        fn use_it() {
            for x in unknown() {
                x.render();
                x.alone();
                x.push(1);
                x.nowhere();
            }
        }",
        &[Calls],
        expect![[r#"
            calls src/lib.rs::use_it -> src/lib.rs::A.alone (ast_inferred 0.70)
            calls src/lib.rs::use_it -> src/lib.rs::A.render (ast_inferred 0.42)
            calls src/lib.rs::use_it -> src/lib.rs::B.render (ast_inferred 0.42)
            resolved 1 ambiguous 1 external 2 unresolved 1
        "#]],
    );
}

#[test]
fn members_of_an_impl_in_another_file_belong_to_the_type() {
    check(
        "//- Cargo.toml
        [package]
        name = \"a\"
        //- src/lib.rs
        mod more;
        pub struct A { pub count: u32 }
        //- src/more.rs
        use crate::A;
        impl A {
            fn extra(&self) -> u32 { self.count }
        }
        fn use_it(a: &A) { a.extra(); }",
        &[Calls, MemberOf, AccessesField, TypeHintOf],
        expect![[r#"
            accesses_field src/more.rs::A.extra -> src/lib.rs::A.count
            calls src/more.rs::use_it -> src/more.rs::A.extra
            member_of src/lib.rs::A.count -> src/lib.rs::A
            member_of src/more.rs::A.extra -> src/lib.rs::A
            type_hint_of src/more.rs::use_it -> src/lib.rs::A
            resolved 1 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn a_trait_can_be_implemented_outside_the_file_of_the_type() {
    check(
        r#"//- Cargo.toml
        [package]
        name = "app"
        //- src/lib.rs
        mod a;
        mod b;
        mod c;
        mod d;
        //- src/a.rs
        pub struct Item;
        pub struct Unit;
        impl Item { pub fn touch(&self) {} }
        //- src/b.rs
        use crate::a::Item;
        pub trait Tr { fn tr(&self); fn def(&self) {} }
        pub trait Ext { fn ext(&self) {} }
        impl<T: Tr> Ext for T {}
        impl Tr for Item { fn tr(&self) { self.touch(); self.def(); } }
        impl Tr for crate::a::Unit { fn tr(&self) {} fn def(&self) {} }
        impl std::fmt::Display for Item { fn fmt(&self) {} }
        impl<T> Tr for Vec<T> { fn tr(&self) {} }
        //- src/c.rs
        use crate::a::{Item, Unit};
        use crate::b::Tr;
        use crate::b::Ext as _;
        fn f(i: Item, u: Unit) { i.tr(); i.def(); i.touch(); u.def(); i.ext(); }
        //- src/d.rs
        use crate::a::Item;
        fn f(i: Item) { i.def(); }"#,
        &[Calls, Implements, Overrides, Inherits, MemberOf],
        expect![[r#"
            calls src/b.rs::Item.tr -> src/a.rs::Item.touch
            calls src/b.rs::Item.tr -> src/b.rs::Tr.def
            calls src/c.rs::f -> src/a.rs::Item.touch
            calls src/c.rs::f -> src/b.rs::Ext.ext
            calls src/c.rs::f -> src/b.rs::Item.tr
            calls src/c.rs::f -> src/b.rs::Tr.def
            calls src/c.rs::f -> src/b.rs::Unit.def
            implements src/a.rs::Item -> external::std.fmt.Display
            implements src/a.rs::Item -> src/b.rs::Tr
            implements src/a.rs::Unit -> src/b.rs::Tr
            inherits src/a.rs::Item -> src/b.rs::Tr.def
            member_of src/a.rs::Item.touch -> src/a.rs::Item
            member_of src/b.rs::Ext.ext -> src/b.rs::Ext
            member_of src/b.rs::Item.fmt -> src/a.rs::Item
            member_of src/b.rs::Item.tr -> src/a.rs::Item
            member_of src/b.rs::Tr.def -> src/b.rs::Tr
            member_of src/b.rs::Tr.tr -> src/b.rs::Tr
            member_of src/b.rs::Unit.def -> src/a.rs::Unit
            member_of src/b.rs::Unit.tr -> src/a.rs::Unit
            overrides src/b.rs::Item.tr -> src/b.rs::Tr.tr
            overrides src/b.rs::Unit.def -> src/b.rs::Tr.def
            overrides src/b.rs::Unit.tr -> src/b.rs::Tr.tr
            resolved 7 ambiguous 0 external 0 unresolved 1
        "#]],
    );
}

#[test]
fn elements_of_rust_collections_have_the_element_type() {
    check(
        r#"//- Cargo.toml
        [package]
        name = "app"
        //- src/a.rs
        pub struct Item;
        pub struct Cat;
        impl Item { pub fn touch(&self) {} }
        impl Cat { pub fn touch(&self) {} }
        //- src/lib.rs
        mod a;
        use crate::a::{Cat, Item};
        use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
        pub struct Holder { items: Vec<Item>, map: HashMap<String, Item>, deep: Vec<Vec<Item>> }
        fn index(v: Vec<Item>) { v[0].touch(); }
        fn borrowed(v: &Vec<Item>) { for i in v { i.touch(); } }
        fn reference(v: Vec<Item>) { for i in &v { i.touch(); } for i in &mut v { i.touch(); } }
        fn iter(v: VecDeque<Item>) { for i in v.iter() { i.touch(); } }
        fn mapped(v: Vec<Item>) { v.iter().map(|i| i.touch()).count(); }
        fn filtered(v: Vec<Item>) { v.iter().filter(|i| true).for_each(|i| i.touch()); }
        fn counted(v: Vec<Item>) { for (n, i) in v.iter().enumerate() { i.touch(); } }
        fn first(v: Vec<Item>) { v.first().unwrap().touch(); v.iter().next().unwrap().touch(); }
        fn some(v: &[Item]) { if let Some(i) = v.get(0) { i.touch(); } while let Some(i) = v.pop() { i.touch(); } }
        fn option(v: Option<Item>) { v.map(|i| i.touch()); }
        fn field(x: &Holder) { x.items[0].touch(); for i in &x.items { i.touch(); } }
        fn of_map(x: &Holder) { x.map.get("a").map(|i| i.touch()); x.map["a"].touch(); }
        fn deep(x: &Holder) { x.deep[0][0].touch(); }
        type Items = Vec<Item>;
        fn alias(v: Items) { v[0].touch(); for i in v { i.touch(); } }
        fn map(m: &HashMap<String, Item>) {
            m.get("x").unwrap().touch();
            for (k, v) in m { v.touch(); }
            for v in m.values() { v.touch(); }
            m.values().for_each(|v| v.touch());
        }
        fn tree(m: BTreeMap<u32, Cat>) { for (k, v) in &m { v.touch(); } }
        fn set(s: HashSet<Item>) { for i in s.iter() { i.touch(); } }
        fn array(a: [Item; 3]) { a[0].touch(); for i in a { i.touch(); } }
        fn made() { let v: Vec<Item> = Vec::new(); v[0].touch(); let w = vec![Item]; w[0].touch(); }
        fn collected(v: Vec<Item>) { let w: Vec<_> = v.iter().collect(); w[0].touch(); }
        struct Parser;
        impl Parser { fn map(&self, f: u32) {} fn touch(&self) {} }
        fn own(p: Parser) { p.map(|x| x.touch()); }
        struct Walk;
        impl Iterator for Walk { type Item = Item; fn next(&mut self) -> Option<Item> { None } }
        fn walk(w: Walk) { for i in w { i.touch(); } w.map(|i| i.touch()); w.fold(0, |n, i| i.touch()); }
        fn sort(mut v: Vec<Cat>, m: HashMap<String, Cat>) { v.sort_by(|a, b| a.touch().cmp(b.touch())); m.retain(|k, v| v.touch()); }"#,
        &[Calls],
        expect![[r#"
            calls src/lib.rs::alias -> src/a.rs::Item.touch
            calls src/lib.rs::array -> src/a.rs::Item.touch
            calls src/lib.rs::borrowed -> src/a.rs::Item.touch
            calls src/lib.rs::collected -> src/a.rs::Cat.touch (ast_inferred 0.35)
            calls src/lib.rs::collected -> src/a.rs::Item.touch (ast_inferred 0.35)
            calls src/lib.rs::collected -> src/lib.rs::Parser.touch (ast_inferred 0.35)
            calls src/lib.rs::counted -> src/a.rs::Item.touch
            calls src/lib.rs::deep -> src/a.rs::Item.touch
            calls src/lib.rs::field -> src/a.rs::Item.touch
            calls src/lib.rs::filtered -> src/a.rs::Item.touch
            calls src/lib.rs::first -> src/a.rs::Item.touch
            calls src/lib.rs::index -> src/a.rs::Item.touch
            calls src/lib.rs::iter -> src/a.rs::Item.touch
            calls src/lib.rs::made -> src/a.rs::Cat.touch (ast_inferred 0.35)
            calls src/lib.rs::made -> src/a.rs::Item.touch
            calls src/lib.rs::made -> src/lib.rs::Parser.touch (ast_inferred 0.35)
            calls src/lib.rs::map -> src/a.rs::Item.touch
            calls src/lib.rs::mapped -> src/a.rs::Item.touch
            calls src/lib.rs::of_map -> src/a.rs::Item.touch
            calls src/lib.rs::option -> src/a.rs::Item.touch
            calls src/lib.rs::own -> src/a.rs::Cat.touch (ast_inferred 0.35)
            calls src/lib.rs::own -> src/a.rs::Item.touch (ast_inferred 0.35)
            calls src/lib.rs::own -> src/lib.rs::Parser.map
            calls src/lib.rs::own -> src/lib.rs::Parser.touch (ast_inferred 0.35)
            calls src/lib.rs::reference -> src/a.rs::Item.touch
            calls src/lib.rs::set -> src/a.rs::Item.touch
            calls src/lib.rs::some -> src/a.rs::Item.touch
            calls src/lib.rs::sort -> src/a.rs::Cat.touch
            calls src/lib.rs::tree -> src/a.rs::Cat.touch
            calls src/lib.rs::walk -> src/a.rs::Item.touch
            resolved 36 ambiguous 3 external 34 unresolved 0
        "#]],
    );
}

#[test]
fn a_block_module_reexports_its_imports() {
    check(
        r#"//- Cargo.toml
        [workspace]
        members = ["core", "app"]
        //- core/Cargo.toml
        [package]
        name = "acme-core"
        //- core/src/lib.rs
        pub mod a;
        pub mod b;
        mod user;
        mod inner { pub mod deep { pub fn d() {} } }
        pub use inner::deep::*;
        pub mod prelude { pub use crate::a::*; pub use super::b::Tr; pub use super::b::Renamed as Other; }
        //- core/src/a.rs
        pub struct Item;
        impl Item { pub fn mk() -> Item { Item } pub fn touch(&self) {} }
        //- core/src/b.rs
        use crate::a::Item;
        pub struct Renamed;
        impl Renamed { pub fn go(&self) {} }
        pub trait Tr { fn tr(&self); fn def(&self) {} }
        impl Tr for Item { fn tr(&self) {} }
        //- core/src/user.rs
        use crate::prelude::*;
        fn one() { Item::mk().touch(); }
        fn two(i: Item, o: Other) { i.tr(); i.def(); o.go(); }
        fn three(x: &dyn Tr) { x.def(); }
        mod nested { use super::*; fn four(i: Item) { i.touch(); one(); } }
        //- app/Cargo.toml
        [package]
        name = "app"
        [dependencies]
        acme-core = { path = "../core" }
        //- app/src/main.rs
        use acme_core::{prelude::*, d};
        use acme_core::prelude::Item as Thing;
        fn main() { Item::mk().touch(); d(); Item::mk().def(); Thing::mk(); }
        fn take(t: &dyn Tr) { t.tr(); }"#,
        &[Calls, Imports],
        expect![[r#"
            calls app/src/main.rs::main -> core/src/a.rs::Item.mk
            calls app/src/main.rs::main -> core/src/a.rs::Item.touch
            calls app/src/main.rs::main -> core/src/b.rs::Tr.def
            calls app/src/main.rs::main -> core/src/lib.rs::inner.deep.d
            calls app/src/main.rs::take -> core/src/b.rs::Tr.tr
            calls core/src/user.rs::nested.four -> core/src/a.rs::Item.touch
            calls core/src/user.rs::nested.four -> core/src/user.rs::one
            calls core/src/user.rs::one -> core/src/a.rs::Item.mk
            calls core/src/user.rs::one -> core/src/a.rs::Item.touch
            calls core/src/user.rs::three -> core/src/b.rs::Tr.def
            calls core/src/user.rs::two -> core/src/b.rs::Item.tr
            calls core/src/user.rs::two -> core/src/b.rs::Renamed.go
            calls core/src/user.rs::two -> core/src/b.rs::Tr.def
            imports app/src/main.rs -> core/src/a.rs::Item
            imports app/src/main.rs -> core/src/lib.rs::inner.deep.d
            imports app/src/main.rs -> core/src/lib.rs::prelude
            imports core/src/b.rs -> core/src/a.rs::Item
            imports core/src/lib.rs -> core/src/a.rs
            imports core/src/lib.rs -> core/src/b.rs::Renamed
            imports core/src/lib.rs -> core/src/b.rs::Tr
            imports core/src/lib.rs -> core/src/lib.rs::inner.deep
            imports core/src/user.rs -> core/src/lib.rs::prelude
            resolved 15 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn files_traits_and_variants_are_found_by_their_paths() {
    check(
        r#"//- Cargo.toml
        [package]
        name = "app"
        //- src/lib.rs
        mod a;
        #[cfg(unix)]
        #[path = "weird/name.rs"]
        pub mod renamed;
        #[path = "gone.rs"]
        mod gone;
        #[path = "../shared/s.rs"]
        mod shared;
        fn one() { renamed::run(); gone::run(); shared::help(); }
        //- shared/s.rs
        pub fn help() {}
        //- src/weird/name.rs
        pub fn run() { crate::a::two(); }
        //- src/a.rs
        use crate::renamed::run;
        pub struct Item;
        pub trait Tr { fn tr(&self); fn def(&self) {} fn make() -> Self; }
        impl Tr for Item { fn tr(&self) {} fn make() -> Item { Item } }
        pub enum E { P { a: u32 }, Q(Item) }
        pub fn two() { run(); crate::renamed::run(); }
        fn three(x: &Item) { <Item as Tr>::tr(x); <Item as Tr>::def(x); <Item as Tr>::make().tr(); }
        fn four(e: E) { match e { E::P { a } => {} E::Q(i) => i.tr() } }"#,
        &[Calls, Imports, References],
        expect![[r#"
            calls src/a.rs::four -> src/a.rs::Item.tr
            calls src/a.rs::three -> src/a.rs::Item.make
            calls src/a.rs::three -> src/a.rs::Item.tr
            calls src/a.rs::three -> src/a.rs::Tr.def
            calls src/a.rs::two -> src/weird/name.rs::run
            calls src/lib.rs::one -> shared/s.rs::help
            calls src/lib.rs::one -> src/weird/name.rs::run
            calls src/weird/name.rs::run -> src/a.rs::two
            imports src/a.rs -> src/weird/name.rs::run
            imports src/lib.rs -> shared/s.rs
            imports src/lib.rs -> src/weird/name.rs
            references src/a.rs -> src/a.rs::Item
            references src/a.rs::E.Q -> src/a.rs::Item
            references src/a.rs::four -> src/a.rs::E.P
            references src/a.rs::four -> src/a.rs::E.Q
            references src/a.rs::three -> src/a.rs::Tr
            resolved 10 ambiguous 0 external 1 unresolved 0
        "#]],
    );
}

#[test]
fn macros_and_functions_are_separate_and_the_nearest_macro_is_called() {
    check(
        r#"//- a/Cargo.toml
        [package]
        name = "a"
        //- a/src/lib.rs
        mod macros;
        pub fn format() {}
        pub fn run() { format!("{}", 1); format(); check!(1); assert!(same!(2)); }
        //- a/src/macros.rs
        macro_rules! check { ($x:expr) => {} }
        macro_rules! same { ($x:expr) => {} }
        //- b/Cargo.toml
        [package]
        name = "b"
        //- b/src/lib.rs
        macro_rules! check { ($x:expr) => {} }
        pub fn run() { check!(1); }"#,
        &[Calls],
        expect![[r#"
            calls a/src/lib.rs::run -> a/src/lib.rs::format
            calls a/src/lib.rs::run -> a/src/macros.rs::check (ast_inferred 0.70)
            calls a/src/lib.rs::run -> a/src/macros.rs::same (ast_inferred 0.70)
            calls b/src/lib.rs::run -> b/src/lib.rs::check
            resolved 4 ambiguous 0 external 2 unresolved 0
        "#]],
    );
}

#[test]
fn type_parameters_have_the_members_of_their_bounds() {
    check(
        r#"//- Cargo.toml
        [package]
        name = "a"
        //- src/lib.rs
        pub trait Matcher { fn find(&self); fn all(&self) { self.find(); } }
        pub trait Sink { fn take(&mut self); }
        pub struct Searcher<M> { matcher: M, rest: Vec<M> }
        impl<M: Matcher + Send> Searcher<M> {
            fn run<S>(&self, mut sink: S) where S: Sink {
                self.matcher.find();
                sink.take();
                for one in &self.rest { one.all(); }
            }
            fn inner(&self) -> &M { &self.matcher }
        }
        fn each(all: impl Iterator<Item = Searcher<Box<dyn Matcher>>>) { for one in all { one.inner().all(); } }"#,
        &[Calls],
        expect![[r#"
            calls src/lib.rs::Matcher.all -> src/lib.rs::Matcher.find
            calls src/lib.rs::Searcher.run -> src/lib.rs::Matcher.all
            calls src/lib.rs::Searcher.run -> src/lib.rs::Matcher.find
            calls src/lib.rs::Searcher.run -> src/lib.rs::Sink.take
            calls src/lib.rs::each -> src/lib.rs::Matcher.all
            calls src/lib.rs::each -> src/lib.rs::Searcher.inner
            resolved 6 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn patterns_bind_the_types_of_the_destructured_fields() {
    check(
        r#"//- Cargo.toml
        [package]
        name = "a"
        //- src/lib.rs
        pub struct Left;
        impl Left { fn left(&self) {} }
        pub struct Right;
        impl Right { fn right(&self) {} fn left(&self) {} }
        pub enum Side { L(Left), Both(Left, Right), Named { right: Right } }
        pub struct Pair(pub Left, Right);
        fn find() -> Option<Right> { None }
        fn go(side: Side, pair: Pair) {
            match side {
                Side::L(x) => x.left(),
                Side::Both(_, x) => x.left(),
                Side::Named { right } => right.right(),
            }
            pair.1.right();
            let Pair(first, second) = pair;
            first.left();
            second.right();
            if let Some(found) = find() { found.right(); }
            match find() { Some(found) => found.left(), None => {} }
            check!(|one: Left, mut two: Right| { one.left(); two.right(); });
        }"#,
        &[Calls],
        expect![[r#"
            calls src/lib.rs::go -> src/lib.rs::Left.left
            calls src/lib.rs::go -> src/lib.rs::Right.left
            calls src/lib.rs::go -> src/lib.rs::Right.right
            calls src/lib.rs::go -> src/lib.rs::find
            resolved 12 ambiguous 0 external 0 unresolved 1
        "#]],
    );
}
