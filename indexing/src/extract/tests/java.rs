//! Tests that extraction finds the declarations and uses in Java.

use super::check_file;
use expect_test::expect_file;

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
fn declarations_and_uses_of_java_are_found() {
    check_file("java", SOURCE, &expect_file!["./java.facts"]);
}
