//! Swift: names, receivers, inheritance and tests across files.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_extensions_protocols_and_closures() {
    check(
        r#"//- Sources/Session.swift
        import Foundation

        public protocol Runs {
            func run()
        }

        open class Base {
            let log = Log(level: 1)
            init(name: String) {}
            func stop() {}
        }

        class Session: Base, Runs {
            var items: [Item] = []
            lazy var last: Item? = nil
            init() { super.init(name: "x") }
            func run() {
                stop()
                log.note("a")
                self.log.note("b")
                last?.touch()
                items[0].touch()
                for item in items { item.touch() }
                if let first = items.first { first.touch() }
                shared().touch()
                "x".shout()
                Log.make().note("c")
                let task = URLSession.shared
                task.resume()
                Session.Part().turn()
            }
            struct Part {}
        }
        //- Sources/Log.swift
        struct Log {
            let level: Int
            func note(_ text: String) {}
            static func make() -> Log { Log(level: 2) }
        }
        struct Item {
            func touch() {}
        }
        //- Sources/Session+More.swift
        extension Session {
            func shared() -> Item {
                stop()
                return Item()
            }
        }
        extension Session.Part {
            func turn() {}
        }
        extension String {
            func shout() -> String { uppercased() }
        }
        //- Tests/SessionTests.swift
        final class SessionTests: XCTestCase {
            func testRun() {
                let session = Session()
                session.run()
            }
        }
        "#,
        &[Calls, Extends, Implements, Overrides, Tests],
        expect![[r#"
            calls Sources/Log.swift::Log.make -> Sources/Log.swift::Log
            calls Sources/Session+More.swift::Session.shared -> Sources/Log.swift::Item
            calls Sources/Session+More.swift::Session.shared -> Sources/Session.swift::Base.stop
            calls Sources/Session.swift::Base.log -> Sources/Log.swift::Log
            calls Sources/Session.swift::Session.init -> Sources/Session.swift::Base.init
            calls Sources/Session.swift::Session.run -> Sources/Log.swift::Item.touch
            calls Sources/Session.swift::Session.run -> Sources/Log.swift::Log.make
            calls Sources/Session.swift::Session.run -> Sources/Log.swift::Log.note
            calls Sources/Session.swift::Session.run -> Sources/Session+More.swift::Session.Part.turn
            calls Sources/Session.swift::Session.run -> Sources/Session+More.swift::Session.shared
            calls Sources/Session.swift::Session.run -> Sources/Session+More.swift::String.shout (ast_inferred 0.70)
            calls Sources/Session.swift::Session.run -> Sources/Session.swift::Base.stop
            calls Sources/Session.swift::Session.run -> Sources/Session.swift::Session.Part
            calls Tests/SessionTests.swift::SessionTests.testRun -> Sources/Session.swift::Session.init
            calls Tests/SessionTests.swift::SessionTests.testRun -> Sources/Session.swift::Session.run
            extends Sources/Session.swift::Session -> Sources/Session.swift::Base
            implements Sources/Session.swift::Session -> Sources/Session.swift::Runs
            overrides Sources/Session.swift::Session.run -> Sources/Session.swift::Runs.run
            tests Tests/SessionTests.swift::SessionTests.testRun -> Sources/Session.swift::Session.init
            tests Tests/SessionTests.swift::SessionTests.testRun -> Sources/Session.swift::Session.run
            resolved 21 ambiguous 0 external 1 unresolved 1
        "#]],
    );
}
