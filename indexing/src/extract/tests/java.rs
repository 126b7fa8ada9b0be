//! Facts of java.

use super::check;
use expect_test::expect;

const SOURCE: &str = r#"
/* Copyright X */
package com.foo.bar;

import java.util.List;
import java.util.*;
import static org.junit.Assert.assertEquals;
import static a.B.*;

/** Service doc. {@link Foo} */
@Component("x")
public class Service<T extends Base> extends Parent<T> implements Runnable, Comparable<Service> {
    /** max doc */
    public static final int MAX = 10, MIN = 1;
    private final Repo repo = new Repo();
    protected List<Item> items;

    public Service(Repo repo, int... xs) throws IOException { super(repo); this.repo = repo; }
    Service() { this(null); }

    /**
     * Run doc.
     * @param a the a
     */
    @Override
    public void run(final String a, Map<String, Item> m) throws IOException {
        // comment inside
        Item it = repo.find(a).get();
        var v = new Outer.Inner(a);
        for (Item i : items) { i.go(helper); }
        items.forEach(this::handle);
        list.map(Item::getName).filter(x -> x.ok());
        try (Reader r = open()) { r.read(); } catch (Foo | Bar e) { throw new RuntimeException(e); }
        System.getenv("HOME"); new ProcessBuilder("git", "x"); Runtime.getRuntime().exec("ls -l");
        if (o instanceof Item q) { q.go(); }
        new Thread(new Runnable() { public void run() { inner(); } });
        Foo.bar(MAX); this.repo.save(T.class); ((Item) o).go();
    }
    public void run(int a) {}
    static class Inner { void run() {} enum E { A, B(1) { void f() {} }; int n; } }
    @interface Ann { String value() default ""; }
    interface I extends J, K<String> { int X = 1; void m(); default int d() { return 1; } }
    record Point(int x, List<String> y) { Point { check(x); } }
    @Test public void works() { assertEquals(1, 2); }
}
"#;

#[test]
fn everything_that_java_declares_and_uses_is_found() {
    check(
        "java",
        SOURCE,
        expect![[r#"
        java package="com.foo.bar" lines=45
        class Service 11-45 `public class Service<T extends Base> extends Parent<T> implements Runnable, Comparable<Service>` Extends(Parent) Implements(Runnable) Implements(Comparable) public doc="Service doc. {@link Foo}"
          field Service.MAX 14-14 `public static final int MAX = 10` : int public
          field Service.MIN 14-14 `public static final int MIN = 1` : int public
          field Service.repo 15-15 `private final Repo repo = new Repo()` : Repo private
          field Service.items 16-16 `protected List<Item> items` : List<Item> protected
          constructor Service.Service 18-18 `public Service(Repo repo, int... xs) throws IOException` (Repo,int...xs)/2 public
          constructor Service.Service 19-19 `Service()` ()/0 internal
          method Service.run 25-38 `public void run(final String a, Map<String, Item> m) throws IOException` (String,Map<String,Item>)/2 : void public doc="Run doc.\n@param a the a"
            function Service.run.run 36-36 `public void run()` ()/0 : void public
          method Service.run 39-39 `public void run(int a)` (int)/1 : void public
          class Service.Inner 40-40 `static class Inner` internal
            method Service.Inner.run 40-40 `void run()` ()/0 : void internal
            enum Service.Inner.E 40-40 `enum E` internal
              enum_member Service.Inner.E.A 40-40 `A` public
              enum_member Service.Inner.E.B 40-40 `B(1)` public
                function Service.Inner.E.B.f 40-40 `void f()` ()/0 : void internal
              field Service.Inner.E.n 40-40 `int n` : int internal
          interface Service.Ann 41-41 `@interface Ann` internal
            method Service.Ann.value 41-41 `String value() default ""` ()/0 : String public
          interface Service.I 42-42 `interface I extends J, K<String>` Extends(J) Extends(K) internal
            constant Service.I.X 42-42 `int X = 1` : int public
            method Service.I.m 42-42 `void m()` ()/0 : void public
            method Service.I.d 42-42 `default int d()` ()/0 : int public
          record Service.Point 43-43 `record Point(int x, List<String> y)` internal
            field Service.Point.x 43-43 `int x` : int public
            field Service.Point.y 43-43 `List<String> y` : List<String> public
            constructor Service.Point.Point 43-43 `Point` ()/0 internal
          method Service.works 44-44 `public void works()` ()/0 : void public test
        ref Decorator Component in Service 11:2
        ref Type Base in Service 12:32
        ref Base Parent in Service 12:46
        ref Base Runnable in Service 12:67
        ref Base Comparable in Service 12:77
        ref Type Service in Service 12:88
        ref Type Repo in Service.repo 15:19
        ref Construct Repo/0 in Service.repo 15:35
        ref Type List in Service.items 16:15
        ref Type Item in Service.items 16:20
        ref Type Repo in Service.Service 18:20
        ref Type IOException in Service.Service 18:49
        ref Throw IOException in Service.Service 18:49
        ref Call super/1 in Service.Service 18:63
        ref Field this.repo in Service.Service 18:81
        ref Call this/1 in Service.Service 19:17
        ref Decorator Override in Service.run 25:6
        ref Type String in Service.run 26:27
        ref Type Map in Service.run 26:37
        ref Type String in Service.run 26:41
        ref Type Item in Service.run 26:49
        ref Type IOException in Service.run 26:65
        ref Throw IOException in Service.run 26:65
        ref Type Item in Service.run 28:9
        ref Call repo.find/1 in Service.run 28:24
        ref Call repo.find().get/0 in Service.run 28:32
        ref Type Outer in Service.run 29:21
        ref Construct Inner/1 in Service.run 29:27
        ref Type Item in Service.run 30:14
        ref Call i.go/1 in Service.run 30:34
        ref Value helper in Service.run 30:37
        ref Call items.forEach/1 in Service.run 31:15
        ref Value this.handle in Service.run 31:29
        ref Call list.map/1 in Service.run 32:14
        ref Value Item.getName in Service.run 32:24
        ref Call list.map().filter/1 in Service.run 32:33
        ref Call x.ok/0 in Service.run 32:47
        ref Type Reader in Service.run 33:14
        ref Call open/0 in Service.run 33:25
        ref Call r.read/0 in Service.run 33:37
        ref Type Foo in Service.run 33:54
        ref Type Bar in Service.run 33:60
        ref Construct RuntimeException/1 in Service.run 33:79
        ref Throw RuntimeException in Service.run 33:79
        ref Call System.getenv/1 in Service.run 34:16
        ref Env HOME in Service.run 34:23
        ref Construct ProcessBuilder/2 in Service.run 34:36
        ref Process git in Service.run 34:51
        ref Call Runtime.getRuntime/0 in Service.run 34:72
        ref Call Runtime.getRuntime().exec/1 in Service.run 34:85
        ref Process ls in Service.run 34:90
        ref Type Item in Service.run 35:26
        ref Call q.go/0 in Service.run 35:38
        ref Construct Thread/1 in Service.run 36:13
        ref Construct Runnable/0 in Service.run 36:24
        ref Call inner/0 in Service.run.run 36:57
        ref Call Foo.bar/1 in Service.run 37:13
        ref Value MAX in Service.run 37:17
        ref Field this.repo in Service.run 37:28
        ref Call this.repo.save/1 in Service.run 37:33
        ref Type Item in Service.run 37:50
        ref Call Item.go/0 in Service.run 37:59
        ref Type String in Service.Ann.value 41:22
        ref Base J in Service.I 42:25
        ref Base K in Service.I 42:28
        ref Type String in Service.I 42:30
        ref Type List in Service.Point.y 43:25
        ref Type String in Service.Point.y 43:30
        ref Call check/1 in Service.Point.Point 43:51
        ref Value x in Service.Point.Point 43:57
        ref Decorator Test in Service.works 44:6
        ref Call assertEquals/2 in Service.works 44:33
        import "java.util" "List" as "List" in file
        import "java.util" "*" as "" in file
        import "org.junit.Assert" "assertEquals" as "assertEquals" in file
        import "a.B" "*" as "" in file
        bind repo = Type Repo in Service.Service
        bind a = Type String in Service.run
        bind m = Type Map in Service.run
        bind it = Type Item in Service.run
        bind v = Type Outer.Inner in Service.run
        bind i = Type Item in Service.run
        bind r = Type Reader in Service.run
        bind e = Type Foo in Service.run
        bind q = Type Item in Service.run
        bind a = Type int in Service.run
        bind x = Type int in Service.Point
        bind y = Type List in Service.Point
    "#]],
    );
}
