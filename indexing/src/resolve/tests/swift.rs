//! Swift: names, receivers, inheritance and tests across files.

use super::check;
use super::overloads::check_parameters;
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

#[test]
fn argument_labels_distinguish_overloads() {
    check_parameters(
        r#"//- Sources/Files.swift
        struct Files {
            func move(from source: String) {}
            func move(to target: String, force: Bool = false) {}
            func move(_ source: String, to target: String) {}
            func move(queue: Queue = .main, then: @escaping (Int) -> Void) {}
            func move(limit: Int = 1) {}
            func move(_ names: String..., where keep: (String) -> Bool = { _ in true }) {}
            func move(in folder: String, `where` keep: (String) -> Bool, done: () -> Void) {}
        }
        struct Queue { static let main = Queue() }
        //- Sources/Use.swift
        func byLabel(files: Files) { files.move(from: "a") }
        func byDefault(files: Files) { files.move(to: "a") }
        func byAll(files: Files) { files.move(to: "a", force: true) }
        func byPosition(files: Files) { files.move("a", to: "b") }
        func byTrailing(files: Files) { files.move(limit: 1); files.move(queue: Queue()) { print($0) } }
        func byPack(files: Files) { files.move("a", "b") { $0.isEmpty } }
        func byTwoClosures(files: Files) { files.move(in: "a") { $0.isEmpty } done: {} }
        func byName(files: Files) { let _ = files.move(_:to:) }
        func byNoneThatFits(files: Files) { files.move(by: 1) }
        "#,
        "move",
        expect![[r#"
            byAll -> move(to:String,force:Bool=) 0.85
            byDefault -> move(to:String,force:Bool=) 0.85
            byLabel -> move(from:String) 0.85
            byName -> move(_:String,to:String) 0.85
            byPack -> move(_:...String,where:(String)->Bool=) 0.85
            byPosition -> move(_:String,to:String) 0.85
            byTrailing -> move(limit:Int=) 0.85
            byTrailing -> move(queue:Queue=,then:(Int)->Void) 0.85
            byTwoClosures -> move(in:String,where:(String)->Bool,done:()->Void) 0.85
        "#]],
    );
}

#[test]
fn argument_types_distinguish_overloads() {
    check_parameters(
        r#"//- Sources/Client.swift
        protocol Address { func asAddress() -> String }
        protocol Message { func asMessage() -> String }
        extension String: Address { func asAddress() -> String { self } }
        extension URL: Address { func asAddress() -> String { path } }
        struct Endpoint { static var home: Endpoint { Endpoint() }; var url: URL { URL() } }
        enum Mode { case fast, slow(Int) }
        class Client {
            func send(_ address: any Address, mode: Mode = .fast) {}
            func send(_ message: any Message, retries: Int = 0) {}
            func send(_ endpoint: Endpoint) {}
            func send(_ endpoint: Endpoint?, bodies: [Int]) {}
            func send(value: Int) {}
            func send(value: String) {}
            func send(value: Mode) {}
            func send(value: Bool?, then: (Int) -> Void) {}
            func send<T: Message>(value: T) {}
        }
        //- Sources/Use.swift
        func text(client: Client, name: String) { client.send(name) }
        func literal(client: Client) { client.send("a") }
        func location(client: Client) { let url = Endpoint.home.url; client.send(url, mode: .fast) }
        func created(client: Client) { client.send(URL(string: "a")) }
        func member(client: Client) { client.send(.home) }
        func memberOfOptional(client: Client) { client.send(.home, bodies: [1]) }
        func number(client: Client) { client.send(value: 1) }
        func quoted(client: Client) { client.send(value: "a") }
        func enumCase(client: Client) { client.send(value: .slow(1)) }
        func closure(client: Client) { client.send(value: nil) { print($0) } }
        "#,
        "send",
        expect![[r#"
            closure -> send(value:Bool?,then:(Int)->Void) 0.85
            created -> send(_:any Address,mode:Mode=) 0.85
            enumCase -> send(value:Mode) 0.85
            literal -> send(_:any Address,mode:Mode=) 0.85
            location -> send(_:any Address,mode:Mode=) 0.85
            member -> send(_:Endpoint) 0.85
            memberOfOptional -> send(_:Endpoint?,bodies:[Int]) 0.85
            number -> send(value:Int) 0.85
            quoted -> send(value:String) 0.85
            text -> send(_:any Address,mode:Mode=) 0.85
        "#]],
    );
}

#[test]
fn self_is_the_type_of_the_receiver() {
    check(
        r#"//- Sources/Request.swift
        class Request {
            @discardableResult func validate() -> Self { self }
            func maybe() -> Self? { self }
            static func make() -> Self { fatalError() }
            func respond() {}
        }
        class Download: Request {
            func respond(with text: String) {}
            func run() {
                validate().respond(with: "a")
                super.validate().respond(with: "b")
            }
        }
        class Other: Request { func respond(with text: String) {} }
        //- Sources/Use.swift
        func chained(download: Download) { download.validate().validate().respond(with: "a") }
        func optional(download: Download) { download.maybe()?.respond(with: "a") }
        func stored() {
            let other = Other.make()
            other.respond(with: "a")
        }
        func inherited(request: Request) { request.validate().respond() }
        "#,
        &[Calls],
        expect![[r#"
            calls Sources/Request.swift::Download.run -> Sources/Request.swift::Download.respond
            calls Sources/Request.swift::Download.run -> Sources/Request.swift::Request.validate
            calls Sources/Use.swift::chained -> Sources/Request.swift::Download.respond
            calls Sources/Use.swift::chained -> Sources/Request.swift::Request.validate
            calls Sources/Use.swift::inherited -> Sources/Request.swift::Request.respond
            calls Sources/Use.swift::inherited -> Sources/Request.swift::Request.validate
            calls Sources/Use.swift::optional -> Sources/Request.swift::Download.respond
            calls Sources/Use.swift::optional -> Sources/Request.swift::Request.maybe
            calls Sources/Use.swift::stored -> Sources/Request.swift::Other.respond
            calls Sources/Use.swift::stored -> Sources/Request.swift::Request.make
            resolved 13 ambiguous 0 external 1 unresolved 0
        "#]],
    );
}

#[test]
fn closure_parameters_have_the_types_that_the_callee_passes() {
    check(
        r#"//- Sources/Monitor.swift
        protocol Monitor { func report() }
        struct Item { func report() {}; func touch() {} }
        struct Other { func report() {}; func touch() {} }
        typealias Handler = (Item) -> Void
        class Hub {
            var items: Set<Item> = []
            var monitors: [any Monitor] = []
            func perform(_ event: @escaping @Sendable (any Monitor) -> Void) { monitors.forEach(event) }
            func visit(depth: Int = 1, then: ((Other, Item) -> Void)? = nil) {}
            func handle(_ handler: @escaping Handler) {}
            func convert<Item>(_ make: (Item) -> Int) {}
            func elements() { items.forEach { $0.touch() } }
            func sortedPairs() { let _ = items.sorted { $1.touch() } }
            func dispatched() { perform { $0.report() } }
            func inParentheses() { perform({ $0.report() }) }
            func named() { visit { other, item in item.touch(); other.report() } }
            func aliased() { handle { $0.touch() } }
            func nested() { items.forEach { _ in unknown { $0.touch() } } }
            func generic() { convert { $0.touch() } }
        }
        "#,
        &[Calls],
        expect![[r#"
            calls Sources/Monitor.swift::Hub.aliased -> Sources/Monitor.swift::Hub.handle
            calls Sources/Monitor.swift::Hub.aliased -> Sources/Monitor.swift::Item.touch
            calls Sources/Monitor.swift::Hub.dispatched -> Sources/Monitor.swift::Hub.perform
            calls Sources/Monitor.swift::Hub.dispatched -> Sources/Monitor.swift::Monitor.report
            calls Sources/Monitor.swift::Hub.elements -> Sources/Monitor.swift::Item.touch
            calls Sources/Monitor.swift::Hub.generic -> Sources/Monitor.swift::Hub.convert
            calls Sources/Monitor.swift::Hub.generic -> Sources/Monitor.swift::Item.touch (ast_inferred 0.42)
            calls Sources/Monitor.swift::Hub.generic -> Sources/Monitor.swift::Other.touch (ast_inferred 0.42)
            calls Sources/Monitor.swift::Hub.inParentheses -> Sources/Monitor.swift::Hub.perform
            calls Sources/Monitor.swift::Hub.inParentheses -> Sources/Monitor.swift::Monitor.report
            calls Sources/Monitor.swift::Hub.named -> Sources/Monitor.swift::Hub.visit
            calls Sources/Monitor.swift::Hub.named -> Sources/Monitor.swift::Item.touch
            calls Sources/Monitor.swift::Hub.named -> Sources/Monitor.swift::Other.report
            calls Sources/Monitor.swift::Hub.nested -> Sources/Monitor.swift::Item.touch (ast_inferred 0.42)
            calls Sources/Monitor.swift::Hub.nested -> Sources/Monitor.swift::Other.touch (ast_inferred 0.42)
            calls Sources/Monitor.swift::Hub.sortedPairs -> Sources/Monitor.swift::Item.touch
            resolved 12 ambiguous 2 external 4 unresolved 1
        "#]],
    );
}

#[test]
fn labels_distinguish_the_methods_of_a_delegate() {
    let labels: Vec<String> =
        (0..50).map(|number| format!("func view(_ view: View, event{number}: Int)")).collect();
    let requirements = labels.join("\n");
    let defaults: Vec<String> = labels.iter().map(|label| format!("{label} {{}}")).collect();
    let fixture = format!(
        "//- Sources/Delegate.swift\nprotocol Delegate {{\n{requirements}\n}}\nextension Delegate {{\n{}\n}}\n\
         struct View {{ let delegate: Delegate; func tell() {{ delegate.view(self, event7: 1) }} }}\n",
        defaults.join("\n")
    );
    check_parameters(
        &fixture,
        "view",
        expect![[r#"
        tell -> view(_:View,event7:Int) 0.85
    "#]],
    );
}
