//! Tests that extraction finds the declarations and uses in Rust.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
//! Module doc.
use std::{fmt::{self, Display as D}, io::*, collections::HashMap};
pub use crate::walk::Walker;
use super::args;
extern crate foo as bar;

/// A point.
///
/// More.
#[derive(Debug, Clone)]
pub struct Point<T> {
    /// x doc
    pub x: T,
    y: Option<Box<Inner>>,
}
pub(crate) enum Kind { /// a
 A, B(u32), C { f: Foo } }
struct Unit;
pub trait Shape: Display + fmt::Debug {
    type Out;
    const N: usize;
    fn area(&self) -> f64;
    fn name(&self) -> String { self.area().to_string() }
}
impl<T> Shape for Point<T> where T: Copy {
    type Out = Foo;
    const N: usize = 3;
    fn area(&self) -> f64 { 1.0 }
}
impl<T> Point<T> {
    /// New one.
    #[inline]
    pub fn new(x: T, kind: &mut Kind) -> Self {
        let p: Point<T> = Point { x, y: None };
        let w = Walker::new(args::parse(x)).build()?;
        for e in w.entries() { e.go(handler, Kind::A); }
        if let Some(q) = w.get() { q.run(); }
        fn inner(a: u32) {}
        println!("{}", foo(w.len(), Point::origin()));
        std::env::var("HOME"); Command::new("git");
        match kind { Kind::B(n) => n, Kind::C { f } => f }
        self.x.y.call(|z| z.go())
    }
}
impl fmt::Display for other::Thing { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "x") } }
pub const MAX: usize = 10;
static mut COUNT: u32 = 0;
macro_rules! my { ($x:expr) => { $x } }
type Alias = HashMap<String, Point<u8>>;
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn works() { assert_eq!(Point::new(1), 2); }
    fn helper() {}
}
"#;

#[test]
fn declarations_and_uses_of_rust_are_found() {
    check(
        "rust",
        SOURCE,
        expect![[r#"
            rust package="" lines=57
            struct Point 11-16 `pub struct Point<T>` Implements(Shape) public doc="A point.\n\nMore."
              field Point.x 14-14 `pub x: T` : T public doc="x doc"
              field Point.y 15-15 `y: Option<Box<Inner>>` : Option<Box<Inner>> private
            enum Kind 17-18 `pub(crate) enum Kind` internal
              enum_member Kind.A 18-18 `A` public
              enum_member Kind.B 18-18 `B` : (u32) public
              enum_member Kind.C 18-18 `C` public
                field Kind.C.f 18-18 `f: Foo` : Foo private
            struct Unit 19-19 `struct Unit` private
            trait Shape 20-25 `pub trait Shape: Display + fmt::Debug` Extends(Display) Extends(fmt.Debug) public
              type Shape.Out 21-21 `type Out` public
              constant Shape.N 22-22 `const N: usize` : usize public
              method Shape.area 23-23 `fn area(&self) -> f64` ()/0 : f64 public
              method Shape.name 24-24 `fn name(&self) -> String` ()/0 : String public
            type Point.Out 27-27 `type Out = Foo` : Foo public
            constant Point.N 28-28 `const N: usize = 3` : usize public
            method Point.area 29-29 `fn area(&self) -> f64` ()/0 : f64 public
            method Point.new 33-44 `pub fn new(x: T, kind: &mut Kind) -> Self` (T,&mutKind)/2 : Self public doc="New one."
              function Point.new.inner 39-39 `fn inner(a: u32)` (u32)/1 private
            method Thing.fmt 46-46 `fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result` (&mutfmt::Formatter<'_>)/1 : fmt::Result public
            constant MAX 47-47 `pub const MAX: usize = 10` : usize public
            variable COUNT 48-48 `static mut COUNT: u32 = 0` : u32 private
            macro my 49-49 `macro_rules! my { ($x:expr)` public
            type Alias 50-50 `type Alias = HashMap<String, Point<u8>>` : HashMap<String, Point<u8>> private
            module tests 51-57 `mod tests` private test
              function tests.works 54-55 `fn works()` ()/0 private test
              function tests.helper 56-56 `fn helper()` ()/0 private test
            ref Decorator derive in Point 11:3
            ref Decorator Debug in Point 11:10
            ref Decorator Clone in Point 11:17
            ref Type Option in Point.y 15:8
            ref Type Box in Point.y 15:15
            ref Type Inner in Point.y 15:19
            ref Type Foo in Kind.C.f 18:20
            ref Base Display in Shape 20:18
            ref Name fmt in Shape 20:28
            ref Base fmt.Debug in Shape 20:33
            ref Type String in Shape.name 24:23
            ref Call self.area/0 in Shape.name 24:37
            ref Call self.area().to_string/0 in Shape.name 24:44
            ref Base Shape in Point 26:9
            ref Type Point in file 26:19
            ref Type Copy in file 26:37
            ref Type Foo in Point.Out 27:16
            ref Type Point in file 31:9
            ref Decorator inline in Point.new 33:7
            ref Type Kind in Point.new 34:33
            ref Type Point in Point.new 35:16
            ref Construct Point in Point.new 35:27
            ref Call Walker.new/1 in Point.new 36:25
            ref Call args.parse/1 in Point.new 36:35
            ref Call Walker.new().build/0 in Point.new 36:45
            ref Call w.entries/0 in Point.new 37:20
            ref Call e.go/2 in Point.new 37:34
            ref Value handler in Point.new 37:37
            ref Value Kind.A in Point.new 37:52
            ref Call w.get/0 in Point.new 38:28
            ref Call q.run/0 in Point.new 38:38
            ref Call println(!) in Point.new 40:9
            ref Call foo in Point.new 40:24
            ref Call w.len in Point.new 40:30
            ref Call Point.origin in Point.new 40:44
            ref Field std.env in Point.new 41:14
            ref Call std.env.var/1 in Point.new 41:19
            ref Env HOME in Point.new 41:23
            ref Call Command.new/1 in Point.new 41:41
            ref Process git in Point.new 41:45
            ref Field Kind.B in Point.new 42:28
            ref Type Kind.C in Point.new 42:45
            ref Field self.x in Point.new 43:14
            ref Field self.x.y in Point.new 43:16
            ref Call self.x.y.call/1 in Point.new 43:18
            ref Call z.go/0 in Point.new 43:29
            ref Name fmt in file 46:6
            ref Base fmt.Display(other.Thing) in file 46:11
            ref Type other.Thing in file 46:30
            ref Name fmt in Thing.fmt 46:60
            ref Type fmt.Formatter in Thing.fmt 46:65
            ref Name fmt in Thing.fmt 46:83
            ref Type fmt.Result in Thing.fmt 46:88
            ref Call write(!) in Thing.fmt 46:97
            ref Type HashMap in Alias 50:14
            ref Type String in Alias 50:22
            ref Type Point in Alias 50:30
            ref Decorator cfg in tests 51:3
            ref Decorator test in tests.works 54:7
            ref Call assert_eq(!) in tests.works 55:18
            ref Call Point.new in tests.works 55:36
            import "std" "fmt" as "fmt" in file
            import "std.fmt" "Display" as "D" in file
            import "std.io" "*" as "" in file
            import "std.collections" "HashMap" as "HashMap" in file
            import "crate.walk" "Walker" as "Walker" reexport in file
            import "super" "args" as "args" in file
            import "foo" "" as "bar" in file
            import "super" "*" as "" in tests
            bind x = Type T in Point.new
            bind kind = Type &mut Kind in Point.new
            bind p = Type Point<T> in Point.new
            bind w = Value Walker.new().build() in Point.new
            bind e = Element w.entries() in Point.new
            bind q = Value w.get() in Point.new
            bind a = Type u32 in Point.new.inner
            bind n = Value Kind.B.0 in Point.new
            bind f = Value Kind.C.f in Point.new
            bind f = Type &mut fmt::Formatter<'_> in Thing.fmt
        "#]],
    );
}
