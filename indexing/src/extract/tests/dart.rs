//! Tests that extraction finds the declarations and uses in Dart.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::check;
use expect_test::expect;

const SOURCE: &str = r##"import 'package:shop/store.dart' as store show Store, Item hide Other;
import 'dart:io';
export 'src/cart.dart';
part 'order.g.dart';

/// An order of many items.
abstract class Order<T> extends Base<T> with Priced, Dated implements Sellable {
  /// The items.
  final List<Item> items = [], extras;
  static const String currency = 'EUR';
  late final Client? client;
  Order(this.items, {required this.extras, super.key}) : client = Client(), super(1);
  Order.empty(int size) : this([], extras: []);
  factory Order.parse(Map<String, int> json) => Order(json['a']);
  @override
  Future<void> send(int times, [String? note]) async {
    final client = Client();
    for (final item in items) {
      item.check(note);
    }
    client.post(times).then((reply) => reply.read());
    items..add(1)..clear();
    if (note == null) throw ArgumentError('note');
    Platform.environment['HOME'];
  }
  int get total => _sum(items);
  set total(int value) {}
  operator ==(Object other) => true;
  void cancel();
}

mixin Priced on Base implements Sellable {
  void price() {}
}
extension Parsing on String {
  int parse() => 1;
}
enum Color with Priced {
  red, green(1);
  const Color();
}
typedef Handler = void Function(int);
int _sum(List<Item> items) => 0;
T choose<T>(T first) => first;
final limit = 10;
int? counter;
void main() {
  test('sends an order', () {
    expect(Order.empty(1).total, 0);
  });
}
"##;

#[test]
fn declarations_and_uses_of_dart_are_found() {
    check(
        "dart",
        SOURCE,
        expect![[r#"
            dart package="" lines=51
            class Order 7-30 `abstract class Order<T> extends Base<T> with Priced, Dated implements Sellable` Extends(Base) Embeds(Priced) Embeds(Dated) Implements(Sellable) public doc="An order of many items."
              field Order.items 9-9 `final List<Item> items = [], extras` : List<Item> public doc="The items."
              field Order.extras 9-9 `final List<Item> items = [], extras` : List<Item> public doc="The items."
              field Order.currency 10-10 `static const String currency = 'EUR'` : String public
              field Order.client 11-11 `late final Client? client` : Client? public
              constructor Order.Order 12-12 `Order(this.items, {required this.extras, super.key}) : client = Client(), super(1)` (this.,{requiredthis.extras,super.key})/3 public
              constructor Order.empty 13-13 `Order.empty(int size) : this([], extras: [])` (size)/1 public
              constructor Order.parse 14-14 `factory Order.parse(Map<String, int> json)` (json)/1 public
              method Order.send 15-25 `Future<void> send(int times, [String? note])` (times,[String?note])/2 : Future<void> public
              property Order.total 26-26 `int get total` : int public
              property Order.total 27-27 `set total(int value)` public
              method Order.== 28-28 `operator ==(Object other)` (other)/1 public
              method Order.cancel 29-29 `void cancel()` ()/0 : void public
            trait Priced 32-34 `mixin Priced on Base implements Sellable` Extends(Base) Implements(Sellable) public
              method Priced.price 33-33 `void price()` ()/0 : void public
            class Parsing 35-37 `extension Parsing on String` Extends(String) public
              method Parsing.parse 36-36 `int parse()` ()/0 : int public
            enum Color 38-41 `enum Color with Priced` Embeds(Priced) public
              enum_member Color.red 39-39 `red` public
              enum_member Color.green 39-39 `green(1)` public
              constructor Color.Color 40-40 `const Color()` ()/0 public
            type Handler 42-42 `typedef Handler = void Function(int)` : void Function(int) public
            function _sum 43-43 `int _sum(List<Item> items)` (items)/1 : int private
            function choose 44-44 `T choose<T>(T first)` (first)/1 : T public
            constant limit 45-45 `final limit = 10` public
            variable counter 46-46 `int? counter` : int? public
            function main 47-51 `void main()` ()/0 : void public
              function main.sends an order 48-50 `test('sends an order', ()` ()/0 public test
            ref Base Base in Order 7:33
            ref Base Priced in Order 7:46
            ref Base Dated in Order 7:54
            ref Base Sellable in Order 7:71
            ref Type List in Order.extras 9:9
            ref Type Item in Order.extras 9:14
            ref Type Client in Order.client 11:14
            ref Call Client/0 in Order.Order 12:67
            ref Call super/1 in Order.Order 12:77
            ref Type Map in Order.parse 14:23
            ref Call Order/1 in Order.parse 14:49
            ref Decorator override in Order.send 15:4
            ref Type Future in Order.send 16:3
            ref Call Client/0 in Order.send 17:20
            ref Name items in Order.send 18:24
            ref Call item.check/1 in Order.send 19:12
            ref Call client.post/1 in Order.send 21:12
            ref Call client.post().then/1 in Order.send 21:24
            ref Call reply.read/0 in Order.send 21:46
            ref Name items in Order.send 22:5
            ref Call items.add/1 in Order.send 22:12
            ref Call items.clear/0 in Order.send 22:20
            ref Call ArgumentError/1 in Order.send 23:29
            ref Throw ArgumentError in Order.send 23:29
            ref Field Platform.environment in Order.send 24:14
            ref Call _sum/1 in Order.total 26:20
            ref Value items in Order.total 26:25
            ref Base Base in Priced 32:17
            ref Base Sellable in Priced 32:33
            ref Base String in Parsing 35:22
            ref Base Priced in Color 38:17
            ref Type List in _sum 43:10
            ref Type Item in _sum 43:15
            ref Call test/2 in main.sends an order 48:3
            ref Call expect/2 in main.sends an order 49:5
            ref Call Order.empty/1 in main.sends an order 49:18
            ref Value Order.empty().total in main.sends an order 49:27
            import "package:shop/store.dart" "" as "store" in file
            import "dart:io" "" as "" in file
            import "src/cart.dart" "" as "" reexport in file
            import "order.g.dart" "" as "" reexport in file
            bind size = Type int in Order.empty
            bind json = Type Map<String, int> in Order.parse
            bind times = Type int in Order.send
            bind note = Type String? in Order.send
            bind client = Value Client() in Order.send
            bind item = Element items in Order.send
            bind reply = Value  in Order.send
            bind value = Type int in Order.total
            bind other = Type Object in Order.==
            bind items = Type List<Item> in _sum
            bind first = Type T in choose
        "#]],
    );
}
