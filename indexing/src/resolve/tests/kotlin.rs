//! Kotlin: names, receivers, inheritance and tests across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_packages_extensions_and_properties() {
    check(
        include_str!("kotlin.fixture"),
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

#[test]
fn one_of_several_declarations_for_platforms_is_the_target() {
    check(
        "
        //- src/common/Clock.kt
        package time
        expect class Clock() {
            fun now(): Long
        }
        //- src/jvm/Clock.kt
        package time
        actual class Clock {
            actual fun now(): Long = 1
            fun twice() = now()
        }
        //- src/native/Clock.kt
        package time
        actual class Clock {
            actual fun now(): Long = 2
        }
        //- src/app/App.kt
        package app
        import time.Clock
        fun read(clock: Clock) = clock.now()",
        &[Calls],
        expect![[r#"
            calls src/app/App.kt::read -> src/common/Clock.kt::Clock.now
            calls src/jvm/Clock.kt::Clock.twice -> src/jvm/Clock.kt::Clock.now
            resolved 2 ambiguous 0 external 0 unresolved 0
        "#]],
    );
}
