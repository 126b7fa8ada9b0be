//! Java: names, receivers, inheritance and types across files.

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
fn inherited_overloads_are_candidates_and_variables_hide_no_methods() {
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
fn a_type_bound_named_like_a_rust_trait_is_an_ordinary_type() {
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

#[test]
fn elements_of_collections_have_the_element_type() {
    check(
        r#"//- p/M.java
        package p;
        import java.util.*;
        import java.util.function.*;
        class Ord { void ship() {} boolean ok() { return true; } void one() {} void two() {} }
        class Cat { void ship() {} boolean ok() { return true; } void one() {} void two() {} }
        class M {
          Map<String, Ord> map; Optional<Ord> opt;
          void spread(Ord... os) { os[0].ship(); }
          void spreadLoop(final Ord... os) { for (var o : os) o.ship(); }
          void list(List<Ord> l) { l.get(0).ship(); }
          void wild(List<? extends Ord> l) { l.get(0).ship(); for (var o : l) o.ok(); }
          void mapped() { map.get("a").ship(); }
          void iterated(Iterator<Ord> it) { it.next().ship(); }
          void optional() { opt.get().ship(); opt.orElseThrow().ok(); }
          void present() { opt.ifPresent(o -> o.ship()); }
          void each(List<Ord> l) { l.forEach(o -> o.ship()); }
          void streamed(List<Ord> l) { l.stream().filter((o) -> o.ok()).findFirst().get().ship(); }
          void entries(Map<String, Ord> m) { for (Map.Entry<String, Ord> e : m.entrySet()) { e.getValue().ship(); } }
          void entriesVar(Map<String, Ord> m) { for (var e : m.entrySet()) { e.getValue().ship(); } }
          void valuesOf() { for (var o : map.values()) o.ship(); }
          void nested(Map<String, List<Ord>> m) { m.get("a").get(0).ship(); m.values().forEach(q -> q.get(0).ok()); }
          void nestedIsNoElement(Map<String, List<Ord>> m) { m.get("a").ship(); }
          void arrays(Ord[][] b) { b[0][0].ship(); for (Ord[] row : b) for (var o : row) o.ok(); }
          void supplied(Supplier<Ord> s) { s.get().ship(); }
          void lambdas(List<Ord> l, List<Cat> k) { l.forEach(o -> o.one()); k.forEach(o -> o.two()); }
          void ownEntry(Entry<Ord> e) { e.turn(); }
          void keys(Map<Ord, Cat> m) { for (var k : m.keySet()) k.ship(); }
        }
        class Entry<T> { void turn() {} }"#,
        &[Calls],
        expect![[r#"
            calls p/M.java::M.arrays -> p/M.java::Ord.ok
            calls p/M.java::M.arrays -> p/M.java::Ord.ship
            calls p/M.java::M.each -> p/M.java::Ord.ship
            calls p/M.java::M.entries -> p/M.java::Ord.ship
            calls p/M.java::M.entriesVar -> p/M.java::Ord.ship
            calls p/M.java::M.iterated -> p/M.java::Ord.ship
            calls p/M.java::M.lambdas -> p/M.java::Cat.two
            calls p/M.java::M.lambdas -> p/M.java::Ord.one
            calls p/M.java::M.list -> p/M.java::Ord.ship
            calls p/M.java::M.mapped -> p/M.java::Ord.ship
            calls p/M.java::M.nested -> p/M.java::Ord.ok
            calls p/M.java::M.nested -> p/M.java::Ord.ship
            calls p/M.java::M.optional -> p/M.java::Ord.ok
            calls p/M.java::M.optional -> p/M.java::Ord.ship
            calls p/M.java::M.ownEntry -> p/M.java::Entry.turn
            calls p/M.java::M.present -> p/M.java::Ord.ship
            calls p/M.java::M.spread -> p/M.java::Ord.ship
            calls p/M.java::M.spreadLoop -> p/M.java::Ord.ship
            calls p/M.java::M.streamed -> p/M.java::Ord.ok
            calls p/M.java::M.streamed -> p/M.java::Ord.ship
            calls p/M.java::M.supplied -> p/M.java::Ord.ship
            calls p/M.java::M.valuesOf -> p/M.java::Ord.ship
            calls p/M.java::M.wild -> p/M.java::Ord.ok
            calls p/M.java::M.wild -> p/M.java::Ord.ship
            resolved 24 ambiguous 0 external 29 unresolved 0
        "#]],
    );
}

#[test]
fn results_of_methods_and_of_optional_suppliers_are_thrown() {
    check(
        r#"//- src/p/M.java
        package p;
        import java.util.*;
        import q.*;
        class M {
          Optional<Ord> opt;
          void builtin() { throw bad(); }
          void ofWorkspace() { throw Ord.worse("x"); }
          RuntimeException bad() { return new BadEx(); }
          void reference() { opt.orElseThrow(BadEx::new).ship(); }
          void lambda() { opt.orElseThrow(() -> new BadEx()).ship(); }
          void nested() { opt.orElseThrow(Ord.Worse::new).ship(); }
          void outside() { opt.orElseThrow(IllegalStateException::new).ship(); }
          void noThrow() { opt.map(BadEx::new); opt.orElseGet(() -> new Ord()); }
        }
        class BadEx extends RuntimeException {}
        //- src/q/Ord.java
        package q;
        public class Ord {
          public void ship() {}
          public static Worse worse(String s) { return null; }
          public static class Worse extends RuntimeException {}
        }"#,
        &[Throws, Imports, Calls],
        expect![[r#"
            calls src/p/M.java::M.bad -> src/p/M.java::BadEx
            calls src/p/M.java::M.builtin -> src/p/M.java::M.bad
            calls src/p/M.java::M.lambda -> src/p/M.java::BadEx
            calls src/p/M.java::M.lambda -> src/q/Ord.java::Ord.ship
            calls src/p/M.java::M.nested -> src/q/Ord.java::Ord.ship
            calls src/p/M.java::M.noThrow -> src/q/Ord.java::Ord
            calls src/p/M.java::M.ofWorkspace -> src/q/Ord.java::Ord.worse
            calls src/p/M.java::M.outside -> src/q/Ord.java::Ord.ship
            calls src/p/M.java::M.reference -> src/q/Ord.java::Ord.ship
            imports src/p/M.java -> external::java.util
            imports src/p/M.java -> src/q/Ord.java
            throws src/p/M.java::M.builtin -> external::RuntimeException
            throws src/p/M.java::M.lambda -> src/p/M.java::BadEx
            throws src/p/M.java::M.nested -> src/q/Ord.java::Ord.Worse
            throws src/p/M.java::M.ofWorkspace -> src/q/Ord.java::Ord.Worse
            throws src/p/M.java::M.outside -> external::IllegalStateException
            throws src/p/M.java::M.reference -> src/p/M.java::BadEx
            resolved 9 ambiguous 0 external 6 unresolved 0
        "#]],
    );
}

#[test]
fn generated_accessors_refer_to_their_fields() {
    check(
        "//- a/Order.java
        package a;
        import lombok.Data;
        @Data
        public class Order extends Base { private Buyer buyer; private boolean open; private boolean isPaid; }
        //- a/Base.java
        package a;
        import lombok.*;
        @Getter public abstract class Base { private long id; public String getName() { return \"\"; } }
        //- a/Buyer.java
        package a;
        import lombok.experimental.Accessors;
        import lombok.Setter;
        @Setter @Accessors(chain = true) public class Buyer { private String name; void call() {} }
        //- a/Plain.java
        package a;
        public class Plain { private int size; }
        //- a/Line.java
        package a;
        public record Line(Order order, int count) {}
        //- a/Both.java
        package a;
        public class Both { private Order part; public Buyer part() { return null; } }
        //- a/Child.java
        package a;
        import lombok.Getter;
        @Getter public class Child extends Base { private Buyer id; public int buyer() { return 1; } private Buyer buyer; }
        //- a/Page.java
        package a;
        import lombok.Getter;
        @Getter public class Page<T extends Buyer> { private T one; }
        //- a/Hidden.java
        package a;
        public class Hidden extends Old { private Buyer part; void in() { part().call(); } }
        class Old { public Order part() { return null; } }
        //- b/Use.java
        package b;
        import a.*;
        class Use {
          void more(Child child, Page<Buyer> page, Order order) {
            child.getId().call();
            child.getBuyer().call();
            page.getOne().call();
            order.setBuyer(null).call();
          }
          void both(Both both) { both.part().call(); }
          void all(Order order, Line line, Buyer buyer, Plain plain) {
            order.getBuyer().call();
            order.setBuyer(buyer);
            order.isOpen();
            order.isPaid();
            order.getId();
            order.getName();
            line.order().getBuyer();
            line.count();
            buyer.setName(\"\").call();
            plain.getSize();
            order.get();
            order.getMissing();
          }
        }",
        &[Calls],
        expect![[r#"
            calls a/Hidden.java::Hidden.in -> a/Buyer.java::Buyer.call (ast_inferred 0.70)
            calls b/Use.java::Use.all -> a/Base.java::Base.getName
            calls b/Use.java::Use.all -> a/Base.java::Base.id
            calls b/Use.java::Use.all -> a/Buyer.java::Buyer.call
            calls b/Use.java::Use.all -> a/Buyer.java::Buyer.name
            calls b/Use.java::Use.all -> a/Line.java::Line.count
            calls b/Use.java::Use.all -> a/Line.java::Line.order
            calls b/Use.java::Use.all -> a/Order.java::Order.buyer
            calls b/Use.java::Use.all -> a/Order.java::Order.isPaid
            calls b/Use.java::Use.all -> a/Order.java::Order.open
            calls b/Use.java::Use.both -> a/Both.java::Both.part
            calls b/Use.java::Use.both -> a/Buyer.java::Buyer.call
            calls b/Use.java::Use.more -> a/Buyer.java::Buyer.call
            calls b/Use.java::Use.more -> a/Child.java::Child.buyer
            calls b/Use.java::Use.more -> a/Child.java::Child.id
            calls b/Use.java::Use.more -> a/Order.java::Order.buyer
            calls b/Use.java::Use.more -> a/Page.java::Page.one
            resolved 21 ambiguous 0 external 1 unresolved 5
        "#]],
    );
}
