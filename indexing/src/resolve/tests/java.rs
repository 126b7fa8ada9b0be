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
          void use(Object[] all) {
            all[0].paint(1);
            all[0].alone();
            all[0].close();
          }
        }",
        &[Calls],
        expect![[r#"
            resolved 0 ambiguous 0 external 4 unresolved 2
        "#]],
    );
}
