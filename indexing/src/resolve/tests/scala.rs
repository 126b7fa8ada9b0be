//! Scala: names, receivers, inheritance and tests across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_companions_imports_and_traits() {
    check(
        r#"//- core/Base.scala
        package com.x.core

        abstract class Base(val log: Log) extends Runs {
          def run(): Unit = log.note("x")
          protected def finish(a: Int): Unit = {}
        }

        trait Runs {
          def run(): Unit
        }
        //- core/Log.scala
        package com.x.core

        class Log {
          def note(text: String): Unit = {}
          def sink = new Sink
        }

        object Log {
          def apply(level: Int): Log = new Log
          def create(): Log = Log(1)
        }

        class Sink {
          def flush(): Unit = {}
        }

        case class Point(x: Int, y: Int)
        //- app/App.scala
        package com.x.app

        import com.x.core.{Base, Log => Logger, _}
        import org.other.Thing
        import Registry._

        class App(log: Logger, parts: List[Part]) extends Base(log) {
          private val other = Logger(2)
          override def run(): Unit = {
            super.run()
            finish(1)
            log.note("a")
            other.sink.flush()
            Logger.create().note("b")
            for (part <- parts) part.turn()
            parts.head.turn()
            val point = Point(1, 2)
            new Sink().flush()
            new Thing().work()
            register(this)
            other note "c"
          }
        }

        class Part {
          def turn(): Unit = {}
        }

        object Registry {
          def register(app: App): Unit = {}
        }
        //- app/src/test/AppSuite.scala
        package com.x.app

        class AppSuite extends munit.FunSuite {
          test("runs") {
            val app = new App(null, Nil)
            app.run()
          }
        }
        "#,
        &[Calls, Extends, Implements, Overrides, Tests],
        expect![[r#"
            calls app/App.scala::App.other -> core/Log.scala::Log.apply
            calls app/App.scala::App.run -> app/App.scala::Part.turn
            calls app/App.scala::App.run -> app/App.scala::Registry.register
            calls app/App.scala::App.run -> core/Base.scala::Base.finish
            calls app/App.scala::App.run -> core/Base.scala::Base.run
            calls app/App.scala::App.run -> core/Log.scala::Log.create
            calls app/App.scala::App.run -> core/Log.scala::Log.note
            calls app/App.scala::App.run -> core/Log.scala::Log.sink
            calls app/App.scala::App.run -> core/Log.scala::Point
            calls app/App.scala::App.run -> core/Log.scala::Sink
            calls app/App.scala::App.run -> core/Log.scala::Sink.flush
            calls app/App.scala::App.run -> external::org.other.Thing
            calls app/App.scala::App.run -> external::org.other.Thing.work
            calls app/src/test/AppSuite.scala::AppSuite.runs -> app/App.scala::App
            calls app/src/test/AppSuite.scala::AppSuite.runs -> app/App.scala::App.run
            calls core/Base.scala::Base.run -> core/Log.scala::Log.note
            calls core/Log.scala::Log.apply -> core/Log.scala::Log
            calls core/Log.scala::Log.create -> core/Log.scala::Log.apply
            calls core/Log.scala::Log.sink -> core/Log.scala::Sink
            extends app/App.scala::App -> core/Base.scala::Base
            implements core/Base.scala::Base -> core/Base.scala::Runs
            overrides app/App.scala::App.run -> core/Base.scala::Base.run
            overrides core/Base.scala::Base.run -> core/Base.scala::Runs.run
            tests app/src/test/AppSuite.scala::AppSuite.runs -> app/App.scala::App
            tests app/src/test/AppSuite.scala::AppSuite.runs -> app/App.scala::App.run
            resolved 20 ambiguous 0 external 3 unresolved 0
        "#]],
    );
}
