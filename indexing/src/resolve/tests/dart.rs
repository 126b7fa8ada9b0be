//! Dart: packages, parts, constructors, mixins and receivers.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_packages_parts_and_receivers() {
    check(
        r##"//- pubspec.yaml
        name: shop
        //- lib/shop.dart
        export 'src/store.dart';
        part 'order.dart';
        class Base { void start() => finish(); void finish() {} }
        //- lib/order.dart
        part of 'shop.dart';
        class Order extends Base with Priced implements Sellable {
          final Store store;
          Order(this.store);
          Order.empty({int size = 1}) : store = Store.open();
          @override
          void finish() { start(); price(); store.save(1); super.finish(); }
          Future<Store> load() async => store;
        }
        mixin Priced { int price() => 1; }
        abstract class Sellable {}
        //- lib/src/store.dart
        class Store {
          static Store open() => Store();
          void save(int times, {bool force = false}) {}
        }
        void helper() {}
        //- bin/main.dart
        import 'package:shop/shop.dart' as shop;
        import 'package:shop/src/store.dart' show Store;
        import 'package:other/other.dart';
        void run(shop.Order order) async {
          final store = Store.open();
          store.save(2, force: true);
          order.finish();
          shop.Order.empty(size: 3).load();
          final loaded = await order.load();
          loaded.save(1);
          shop.helper();
          helper();
          outside();
        }
        //- test/order_test.dart
        import 'package:shop/shop.dart';
        void main() {
          test('finishes', () { Order(Store.open()).finish(); });
        }"##,
        &[Calls, Extends, Implements, Imports, Overrides, Tests],
        expect![[r#"
            calls bin/main.dart::run -> lib/order.dart::Order.empty
            calls bin/main.dart::run -> lib/order.dart::Order.finish
            calls bin/main.dart::run -> lib/order.dart::Order.load
            calls bin/main.dart::run -> lib/src/store.dart::Store.open
            calls bin/main.dart::run -> lib/src/store.dart::Store.save
            calls bin/main.dart::run -> lib/src/store.dart::helper
            calls lib/order.dart::Order.empty -> lib/src/store.dart::Store.open
            calls lib/order.dart::Order.finish -> lib/order.dart::Priced.price
            calls lib/order.dart::Order.finish -> lib/shop.dart::Base.finish
            calls lib/order.dart::Order.finish -> lib/shop.dart::Base.start
            calls lib/order.dart::Order.finish -> lib/src/store.dart::Store.save
            calls lib/shop.dart::Base.start -> lib/shop.dart::Base.finish
            calls lib/src/store.dart::Store.open -> lib/src/store.dart::Store
            calls test/order_test.dart::main.finishes -> lib/order.dart::Order.Order
            calls test/order_test.dart::main.finishes -> lib/order.dart::Order.finish
            calls test/order_test.dart::main.finishes -> lib/src/store.dart::Store.open
            extends lib/order.dart::Order -> lib/shop.dart::Base
            implements lib/order.dart::Order -> lib/order.dart::Priced
            implements lib/order.dart::Order -> lib/order.dart::Sellable
            imports bin/main.dart -> external::package:other/other.dart
            imports bin/main.dart -> lib/shop.dart
            imports bin/main.dart -> lib/src/store.dart::Store
            imports lib/order.dart -> lib/shop.dart
            imports lib/shop.dart -> lib/order.dart
            imports lib/shop.dart -> lib/src/store.dart
            imports test/order_test.dart -> lib/shop.dart
            overrides lib/order.dart::Order.finish -> lib/shop.dart::Base.finish
            tests test/order_test.dart::main.finishes -> lib/order.dart::Order.Order
            tests test/order_test.dart::main.finishes -> lib/order.dart::Order.finish
            tests test/order_test.dart::main.finishes -> lib/src/store.dart::Store.open
            resolved 18 ambiguous 0 external 3 unresolved 0
        "#]],
    );
}
