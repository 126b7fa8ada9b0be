//! Tests that extraction finds the declarations and uses in Zig.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::check;
use expect_test::expect;

const SOURCE: &str = r##"const std = @import("std");
const Store = @import("store.zig");
const Item = @import("item.zig").Item;
const Allocator = std.mem.Allocator;

/// An order of many items.
pub const Order = struct {
    /// The items.
    items: []Item = &.{},
    store: *Store,
    const Self = @This();
    pub const State = enum { open, closed };

    pub fn init(allocator: Allocator, size: usize) !Order {
        const store = Store.open(allocator);
        store.check(helper);
        return Order{ .store = store };
    }

    fn send(self: *Self) void {
        self.store.post();
        for (self.items) |item| {
            item.check();
        }
        _ = try self.total();
    }
};

const Reply = union(enum) { ok: u8, failed: []const u8 };
const Failure = error{ NoMoney, NoStore };
pub extern fn c_send(times: c_int) void;
pub fn helper(value: anytype) ?Item {
    return null;
}
pub fn List(comptime T: type) type {
    return struct {
        value: T,
        pub fn first(self: @This()) T {
            return self.value;
        }
    };
}
var counter: u8 = 0;

test "sends an order" {
    try std.testing.expect(helper(1));
}
test helper {}
"##;

#[test]
fn declarations_and_uses_of_zig_are_found() {
    check(
        "zig",
        SOURCE,
        expect![[r#"
        zig package="" lines=48
        constant Allocator 4-4 `const Allocator = std.mem.Allocator` private
        struct Order 7-27 `pub const Order = struct` public doc="An order of many items."
          field Order.items 9-9 `items: []Item = &.{}` : []Item public doc="The items."
          field Order.store 10-10 `store: *Store` : *Store public
          constant Order.Self 11-11 `const Self = @This()` private
          enum Order.State 12-12 `pub const State = enum` public
            enum_member Order.State.open 12-12 `open` public
            enum_member Order.State.closed 12-12 `closed` public
          method Order.init 14-18 `pub fn init(allocator: Allocator, size: usize) !Order` (Allocator,usize)/2 : Order public
          method Order.send 20-26 `fn send(self: *Self) void` ()/0 : void private
        union Reply 29-29 `const Reply = union(enum)` private
          field Reply.ok 29-29 `ok: u8` : u8 public
          field Reply.failed 29-29 `failed: []const u8` : []const u8 public
        enum Failure 30-30 `const Failure = error` private
          enum_member Failure.NoMoney 30-30 `NoMoney` public
          enum_member Failure.NoStore 30-30 `NoStore` public
        function c_send 31-31 `pub extern fn c_send(times: c_int) void` (c_int)/1 : void public
        function helper 32-34 `pub fn helper(value: anytype) ?Item` (anytype)/1 : Item public
        function List 35-42 `pub fn List(comptime T: type) type` (type)/1 : type public
          field List.value 37-37 `value: T` : T public
          method List.first 38-40 `pub fn first(self: @This()) T` ()/0 : T public
        variable counter 43-43 `var counter: u8 = 0` : u8 private
        function sends an order 45-47 `test "sends an order"` ()/0 private test
        function test helper 48-48 `test helper` ()/0 private test
        ref Name Item in file 3:7
        ref Field ?.Item in file 3:34
        ref Field std.mem in Allocator 4:23
        ref Field std.mem.Allocator in Allocator 4:27
        ref Type Item in Order.items 9:14
        ref Type Store in Order.store 10:13
        ref Type Allocator in Order.init 14:28
        ref Type Order in Order.init 14:53
        ref Call Store.open in Order.init 15:29
        ref Call store.check in Order.init 16:15
        ref Value helper in Order.init 16:21
        ref Construct Order in Order.init 17:16
        ref Type Self in Order.send 20:20
        ref Field self.store in Order.send 21:14
        ref Call self.store.post in Order.send 21:20
        ref Field self.items in Order.send 22:19
        ref Call item.check in Order.send 23:18
        ref Call self.total in Order.send 25:22
        ref Type Item in helper 32:32
        ref Type T in List.value 37:16
        ref Type T in List.first 38:37
        ref Field self.value in List.first 39:25
        ref Field std.testing in sends an order 46:13
        ref Call std.testing.expect in sends an order 46:21
        ref Call helper in sends an order 46:28
        import "std" "" as "std" in file
        import "store.zig" "" as "Store" in file
        import "item.zig" "Item" as "Item" in file
        bind Allocator = Value std.mem.Allocator in file
        bind allocator = Type Allocator in Order.init
        bind size = Type usize in Order.init
        bind store = Value Store.open() in Order.init
        bind self = Type *Self in Order.send
        bind item = Element self.items in Order.send
        bind times = Type c_int in c_send
        bind value = Type anytype in helper
        bind T = Type type in List
        bind self = Type @This() in List.first
        bind counter = Type u8 in file
    "#]],
    );
}
