//! Tests that extraction finds the declarations and uses in Scala.

use super::check_file;
use expect_test::expect_file;

const SOURCE: &str = r#"
package com.x
package app

import com.x.core.{Base, Util => U, _}
import com.x.other._
import scala.collection.mutable

/** Doc of A. */
case class A(name: String, private val repo: Repo[Item])(implicit ev: Ev) extends Base(name) with Runnable with Other[Int] {
  private val log = new Logger("x")
  var count: Int = 0
  lazy val z = Foo(1)
  def this(s: String) = this(s, new Repo)
  override def run[T](a: Int, b: String*)(cb: Int => Unit): Option[Item] = {
    val item = repo.find(a)
    item.touch(1)
    items.foreach(i => i.go())
    items.map { x => x.foo() }
    for (i <- items; j <- i.parts) i.bar(j)
    a match { case q: Foo => q.show(); case Bar(x, y) => x.z() }
    this.log.info("a")
    super.run(a)
    U.help(a)
    list foldLeft 1
    throw new MyError("x")
    new Outer.Inner(1)
  }
  def short = helper(1)
  type Id = Int
}
object A { def create(): A = A("x", new Repo); val TAG = "t"; def apply(n: Int): A = null }
trait Shape { def area: Double; val x: Int }
sealed trait T2
object Registry extends Shape with T2 { def area = 1.0 }
class FooTest extends munit.FunSuite { test("works") { val a = A.create(); a.run(1) } }
enum Color(val rgb: Int) { case Red extends Color(1); case Green, Blue }
extension (s: String) def shout(n: Int): String = s.toUpperCase
given ordering: Ordering[Int] = ???
implicit class Rich(s: String) { def twice = s + s }
"#;

#[test]
fn declarations_and_uses_of_scala_are_found() {
    check_file("scala", SOURCE, &expect_file!["./scala.facts"]);
}
