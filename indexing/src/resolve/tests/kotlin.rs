//! Kotlin: names, receivers, inheritance and tests across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_packages_extensions_and_properties() {
    check(
        r#"//- core/Base.kt
        package com.x.core

        abstract class Base(val log: Log) : Runs {
            override fun run() { log.note("x") }
            protected fun finish(a: Int) {}
            protected fun finish(a: Int, b: Int) {}
        }

        interface Runs {
            fun run()
        }
        //- core/Log.kt
        package com.x.core

        class Log {
            fun note(text: String) {}
            fun sink() = Sink()
            companion object {
                fun create(): Log = Log()
            }
        }

        class Sink {
            fun flush() {}
        }

        fun Log.shout(text: String) { note(text) }
        fun String.quoted(): String = "x"
        //- app/App.kt
        package com.x.app

        import com.x.core.Base
        import com.x.core.Log as Logger
        import com.x.core.shout
        import com.x.core.quoted
        import org.other.Thing

        class App(log: Logger, private val parts: List<Part>) : Base(log) {
            private val other = Logger()
            val sink by lazy { Logger.create().sink() }
            constructor() : this(Logger(), listOf())
            override fun run() {
                super.run()
                finish(1)
                finish(1, 2)
                log.note("a")
                other.sink().flush()
                other.shout("b")
                "x".quoted()
                this.other?.note("c")
                for (part in parts) { part.turn() }
                parts.first().turn()
                val thing = Thing()
                thing.work()
                helper(Logger.create())
                Registry.add(this)
            }
        }

        class Part {
            fun turn() {}
        }

        object Registry {
            fun add(app: App) {}
        }
        //- app/Helper.kt
        package com.x.app

        fun helper(log: com.x.core.Log) {
            log.note("x")
        }
        //- app/src/test/AppTest.kt
        package com.x.app

        class AppTest {
            @Test
            fun runs() {
                App().run()
            }
        }
        "#,
        &[Calls, Extends, Implements, Imports, Overrides, Tests],
        expect![[r#"
            calls app/App.kt::App.constructor -> app/App.kt::App
            calls app/App.kt::App.constructor -> core/Log.kt::Log
            calls app/App.kt::App.other -> core/Log.kt::Log
            calls app/App.kt::App.run -> app/App.kt::Part.turn
            calls app/App.kt::App.run -> app/App.kt::Registry.add
            calls app/App.kt::App.run -> app/Helper.kt::helper
            calls app/App.kt::App.run -> core/Base.kt::Base.finish
            calls app/App.kt::App.run -> core/Base.kt::Base.run
            calls app/App.kt::App.run -> core/Log.kt::Log.create
            calls app/App.kt::App.run -> core/Log.kt::Log.note
            calls app/App.kt::App.run -> core/Log.kt::Log.shout
            calls app/App.kt::App.run -> core/Log.kt::Log.sink
            calls app/App.kt::App.run -> core/Log.kt::Sink.flush
            calls app/App.kt::App.run -> core/Log.kt::String.quoted (ast_inferred 0.70)
            calls app/App.kt::App.run -> external::org.other.Thing
            calls app/App.kt::App.run -> external::org.other.Thing.work
            calls app/App.kt::App.sink -> core/Log.kt::Log.create
            calls app/App.kt::App.sink -> core/Log.kt::Log.sink
            calls app/Helper.kt::helper -> core/Log.kt::Log.note
            calls app/src/test/AppTest.kt::AppTest.runs -> app/App.kt::App.constructor
            calls app/src/test/AppTest.kt::AppTest.runs -> app/App.kt::App.run
            calls core/Base.kt::Base.run -> core/Log.kt::Log.note
            calls core/Log.kt::Log.create -> core/Log.kt::Log
            calls core/Log.kt::Log.shout -> core/Log.kt::Log.note
            calls core/Log.kt::Log.sink -> core/Log.kt::Sink
            extends app/App.kt::App -> core/Base.kt::Base
            implements core/Base.kt::Base -> core/Base.kt::Runs
            imports app/App.kt -> core/Base.kt::Base
            imports app/App.kt -> core/Log.kt::Log
            imports app/App.kt -> core/Log.kt::Log.shout
            imports app/App.kt -> core/Log.kt::String.quoted
            imports app/App.kt -> external::org.other.Thing
            overrides app/App.kt::App.run -> core/Base.kt::Base.run
            overrides core/Base.kt::Base.run -> core/Base.kt::Runs.run
            tests app/src/test/AppTest.kt::AppTest.runs -> app/App.kt::App.constructor
            tests app/src/test/AppTest.kt::AppTest.runs -> app/App.kt::App.run
            resolved 26 ambiguous 0 external 5 unresolved 0
        "#]],
    );
}
