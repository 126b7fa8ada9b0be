//! Tests that extraction finds the declarations and uses in Kotlin.

use super::check_file;
use crate::extract::Extractor;
use expect_test::expect_file;

const SOURCE: &str = r#"
package com.x.app

import com.x.core.Base
import com.x.core.Util as U
import com.x.other.*

const val LIMIT = 10
typealias Cb = (Int) -> Unit
val top: Foo = Foo(1)

/** Doc of A. */
data class A(val name: String, private val repo: Repo<Item>, x: Int = 1) : Base(name), Runnable {
    private val log = Logger("x")
    var count: Int = 0
        get() {
            val y = repo.size()
            return y
        }
    val lazyOne by lazy { Foo() }
    init {
        val z = 1
        setup(z)
    }
    constructor(s: String) : this(s, Repo()) {
        go()
    }
    override fun run(a: Int, vararg b: String, cb: (Int) -> Unit): Item? {
        val item = repo.find(a)
        item?.touch(1)
        items.forEach { it.go() }
        other(1) { x -> x.foo() }
        this.log.info("a")
        super.run()
        for (i in items) { i.bar() }
        try { risky() } catch (e: MyError) { e.show() }
        when (val q = item) { is Foo -> q.go() }
        U.help(name = a)
        if (a > 1) throw IllegalStateException("x")
        return a.b.C()
    }
    fun short() = helper(1)
    companion object {
        fun create(): A = A("x", Repo())
        const val TAG = "t"
    }
    enum class E {
        ONE,
        TWO(1)
    }
}
interface Shape {
    fun area(): Double
}
object Registry : Shape {
    override fun area() = 1.0
}
val A.ext: Int get() = 1
fun String.shout(n: Int): String = this.uppercase()
fun <T> List<T>.second(): T {
    return get(1)
}

class FooTest {
    @Test
    fun works() {
        A.create().run(1)
        listOf(1).map(::helper)
        (x as Foo).go()
    }
}

@DslMarker
annotation class Marker

class B(x: Foo) : Other by x

class KoSpec : FunSpec({
    val q = 1
    test("works") {
        val z = Foo()
        z.run()
    }
})
"#;

#[test]
fn declarations_and_uses_of_kotlin_are_found() {
    check_file("kotlin", SOURCE, &expect_file!["./kotlin.facts"]);
}

#[test]
fn declarations_for_several_platforms_and_functional_interfaces_are_found() {
    let text = "package a\n\n@Opt(X::class)\nactual class Crc {\n  internal actual fun update() = 1\n}\n\
        interface F {\n  fun interface G {\n    fun g()\n  }\n}\n";
    let facts = Extractor::new().extract_with_tree("kotlin", text.as_bytes(), None).facts;
    let names: Vec<&str> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert!(names.ends_with(&["Crc", "update", "F", "G", "g"]), "{names:?}");
}
