//! Zig: files as types, imports, methods and tests.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_files_and_receivers() {
    check(
        r##"//- src/store.zig
        const std = @import("std");
        const Store = @This();
        size: usize,
        pub fn open(size: usize) Store { return .{ .size = size }; }
        pub fn save(self: *Store) void { self.check(); }
        fn check(self: *Store) void { std.debug.print("x", .{}); }
        //- src/order.zig
        const Store = @import("store.zig");
        const helper = @import("util.zig").helper;
        pub const Order = struct {
            store: Store,
            pub fn init(store: Store) !Order { return Order{ .store = store }; }
            pub fn send(self: *Order) void {
                self.store.save();
                self.total();
                helper(1);
            }
            fn total(self: Order) void {}
        };
        test "sends" {
            var order = try Order.init(Store.open(1));
            order.send();
        }
        //- src/util.zig
        pub fn helper(a: u8) void {}
        //- src/main.zig
        const orders = @import("order.zig");
        pub fn main() void {
            const order = orders.Order.init(undefined) catch unreachable;
            order.send();
            var other: orders.Order = undefined;
            other.send();
            missing();
        }"##,
        &[Calls, Imports, Tests],
        expect![[r#"
            calls src/main.zig::main -> src/order.zig::Order.init
            calls src/main.zig::main -> src/order.zig::Order.send
            calls src/order.zig::Order.init -> src/order.zig::Order
            calls src/order.zig::Order.send -> src/order.zig::Order.total
            calls src/order.zig::Order.send -> src/store.zig::save
            calls src/order.zig::Order.send -> src/util.zig::helper
            calls src/order.zig::sends -> src/order.zig::Order.init
            calls src/order.zig::sends -> src/order.zig::Order.send
            calls src/order.zig::sends -> src/store.zig::open
            calls src/store.zig::check -> external::std.debug.print
            calls src/store.zig::save -> src/store.zig::check
            imports src/main.zig -> src/order.zig
            imports src/order.zig -> src/store.zig
            imports src/order.zig -> src/util.zig::helper
            imports src/store.zig -> external::std
            tests src/order.zig::sends -> src/order.zig::Order.init
            tests src/order.zig::sends -> src/order.zig::Order.send
            tests src/order.zig::sends -> src/store.zig::open
            resolved 11 ambiguous 0 external 1 unresolved 1
        "#]],
    );
}
