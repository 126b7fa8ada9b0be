//! Java.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_imports_receivers_and_inheritance() {
    check(
        "//- core/src/main/java/com/x/Base.java
        package com.x;
        public abstract class Base {
          protected void start() { finish(1); }
          void finish(int a) {}
          void finish(int a, int b) {}
          public Base(String name) {}
        }
        //- core/src/main/java/com/x/Sibling.java
        package com.x;
        class Sibling { static void stat() {} }
        //- core/src/main/java/com/y/Util.java
        package com.y;
        public class Util {
          public static void help() {}
          public static class Part { public void turn() {} }
        }
        //- core/src/main/java/com/x/App.java
        package com.x;
        import com.y.Util;
        import com.y.Util.Part;
        import static com.y.Util.help;
        import java.util.List;
        import org.slf4j.LoggerFactory;

        public class App extends Base implements Runnable {
          private final Part part;
          public App(Part part) { super(\"x\"); this.part = part; }
          public void go(List<Part> all, Util.Part one) {
            start();
            help();
            part.turn();
            this.part.turn();
            one.turn();
            Sibling.stat();
            Util.help();
            new App(part).go(all, one);
            for (Part each : all) { each.turn(); }
            LoggerFactory.getLogger(\"x\").info(\"y\");
            System.out.println(String.valueOf(1));
          }
          @Override void finish(int a) {}
        }
        //- core/src/test/java/com/x/AppTest.java
        package com.x;
        class AppTest {
          @Test void runs() { App app = new App(null); app.go(null, null); }
        }",
        &[Calls, Extends, Implements, Overrides, Tests],
        expect![[r#"
            calls core/src/main/java/com/x/App.java::App.App -> core/src/main/java/com/x/Base.java::Base.Base
            calls core/src/main/java/com/x/App.java::App.go -> core/src/main/java/com/x/App.java::App.App
            calls core/src/main/java/com/x/App.java::App.go -> core/src/main/java/com/x/Base.java::Base.start
            calls core/src/main/java/com/x/App.java::App.go -> core/src/main/java/com/x/Sibling.java::Sibling.stat
            calls core/src/main/java/com/x/App.java::App.go -> core/src/main/java/com/y/Util.java::Util.Part.turn
            calls core/src/main/java/com/x/App.java::App.go -> core/src/main/java/com/y/Util.java::Util.help
            calls core/src/main/java/com/x/App.java::App.go -> external::org.slf4j.LoggerFactory.getLogger
            calls core/src/main/java/com/x/Base.java::Base.start -> core/src/main/java/com/x/Base.java::Base.finish
            calls core/src/test/java/com/x/AppTest.java::AppTest.runs -> core/src/main/java/com/x/App.java::App.App
            calls core/src/test/java/com/x/AppTest.java::AppTest.runs -> core/src/main/java/com/x/App.java::App.go
            extends core/src/main/java/com/x/App.java::App -> core/src/main/java/com/x/Base.java::Base
            overrides core/src/main/java/com/x/App.java::App.finish -> core/src/main/java/com/x/Base.java::Base.finish
            tests core/src/test/java/com/x/AppTest.java::AppTest.runs -> core/src/main/java/com/x/App.java::App.App
            tests core/src/test/java/com/x/AppTest.java::AppTest.runs -> core/src/main/java/com/x/App.java::App.go
            resolved 14 ambiguous 0 external 4 unresolved 0
        "#]],
    );
}

#[test]
fn unknown_receivers_are_ambiguous_or_inferred() {
    check(
        "//- a/A.java
        package a;
        class A { void paint(int x) {} void alone() {} void close() {} }
        //- a/B.java
        package a;
        class B { void paint(int x) {} }
        //- a/C.java
        package a;
        class C { void paint(int x, int y) {} }
        //- b/Use.java
        package b;
        import a.A;
        class Use {
          void use(Object[] all) {
            all[0].paint(1);
            unknown().alone();
          }
        }
        //- a/Use2.java
        package a;
        class Use2 {
          void use(Missing<?> all) {
            all.first().paint(1);
            all.first().alone();
            all.first().close();
          }
        }",
        &[Calls],
        expect![[r#"
            calls a/Use2.java::Use2.use -> a/A.java::A.alone (ast_inferred 0.70)
            calls a/Use2.java::Use2.use -> a/A.java::A.paint (ast_inferred 0.42)
            calls a/Use2.java::Use2.use -> a/B.java::B.paint (ast_inferred 0.42)
            resolved 1 ambiguous 1 external 5 unresolved 2
        "#]],
    );
}

#[test]
fn overloads_of_bases_count_and_variables_hide_no_methods() {
    check(
        r#"//- src/x/Base.java
        package x;
        class Base { void go(int a) {} void go(int a, int b) {} }
        //- src/x/App.java
        package x;
        class App extends Base {
          private static final App ONE = new App();
          private App() {}
          static App one() { return App.current(); }
          private static App current() { return ONE; }
          @Override void go(int a) {}
          void run() {
            go(1);
            go(1, 2);
            String reader = reader();
          }
          String reader() { return ""; }
          static class Part { Part(int a) {} Part(String a) {} }
        }
        //- src/x/Other.java
        package x;
        class Other { void make() { new App.Part("a"); } }"#,
        &[Calls],
        expect![[r#"
            calls src/x/App.java::App.ONE -> src/x/App.java::App.App
            calls src/x/App.java::App.one -> src/x/App.java::App.current
            calls src/x/App.java::App.run -> src/x/App.java::App.go
            calls src/x/App.java::App.run -> src/x/App.java::App.reader
            calls src/x/App.java::App.run -> src/x/Base.java::Base.go
            calls src/x/Other.java::Other.make -> src/x/App.java::App.Part.Part
            resolved 6 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}

#[test]
fn a_bound_is_a_type_like_any_other_whatever_its_name_is_in_rust() {
    check(
        "//- J.java
        class Ord { void ship() {} }
        class Cat { void ship() {} }
        class M { <T extends Ord> void one(T t) { t.ship(); } }",
        &[Calls],
        expect![[r#"
            calls J.java::M.one -> J.java::Ord.ship
            resolved 1 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}
