//! Rust.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_use_paths_receivers_and_traits() {
    check(
        "//- Cargo.toml
        [package]
        name = \"my-app\"
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
        expect![],
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
        expect![],
    );
}

#[test]
fn an_impl_in_another_file_belongs_to_its_type() {
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
        expect![],
    );
}
