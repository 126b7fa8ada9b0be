//! Tests that extraction finds the declarations and uses in Swift.

use super::check_file;
use expect_test::expect_file;

const SOURCE: &str = r#"
import Foundation
import struct Foo.Bar

/// Doc of Session.
open class Session: Base, @unchecked Sendable {
    public let queue: DispatchQueue
    private(set) var items: [Item] = []
    lazy var log = Logger(name: "x")
    static let shared = Session(queue: .main)
    var total: Int { let y = items.count; return y }
    var watched: Int = 0 { didSet { update() } }
    public init(queue: DispatchQueue, _ n: Int = 1) { self.queue = queue; super.init() }
    deinit { stop() }
    @discardableResult
    func run(_ a: Int, with b: Foo?, xs: String..., cb: @escaping (Int) -> Void) throws -> Item? {
        let item = find(a)
        item?.touch(1)
        items.forEach { $0.go() }
        other(1) { x in x.foo() }
        if let r = item, let q = b { r.done(q) }
        guard let self = self else { return nil }
        for i in items { i.bar() }
        do { try risky() } catch let e as MyError { e.show() }
        self.log.info("a")
        let z: Foo = .init()
        z.a.b(cb)
        throw MyError.bad(1)
        return Outer.Inner(x: 1)
    }
    subscript(i: Int) -> Item { items[i] }
    struct Nested<T: Shape> { var t: T }
    static func == (l: Session, r: Session) -> Bool { true }
}
extension Session.Nested: Shape where T: Foo { func area() -> Double { 1 } }
extension String { func shout() -> String { uppercased() } }
protocol Shape: AnyObject { associatedtype E; var x: Int { get }; func area() -> Double; init(a: Int) }
enum Kind: String, CaseIterable { case one, two(Int), three = "x"; func f() {} }
typealias Cb = (Int) -> Void
func free(x: Int) -> Foo { Foo(x: x) }
let top = 1
final class SessionTests: XCTestCase { func testRun() { let s = Session(queue: q); s.run(1) } 
 @Test func works() async { await s.go() } }
"#;

#[test]
fn declarations_and_uses_of_swift_are_found() {
    check_file("swift", SOURCE, &expect_file!["./swift.facts"]);
}
