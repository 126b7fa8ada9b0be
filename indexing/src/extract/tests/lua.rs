//! Tests that extraction finds the declarations and uses in Lua.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::check;
use expect_test::expect;

const SOURCE: &str = r##"local util = require("shop.util")
local post = require("shop.client").post

--- An order.
local Order = {}
Order.__index = Order

local defaults = { limit = 10 }
local LIMIT = 3
registry = {}

--- Makes an order.
function Order:new(items)
  return setmetatable({ items = items }, self)
end

function Order.total(order, ...)
  local sum = util.sum(order.items, compare)
  require("shop.log").write(sum)
  return sum
end

Order.send = function(self, times)
  for _, item in ipairs(self.items) do
    item:check()
  end
  post(self:total())
end

local function helper(a)
  local inner = function() end
  inner()
  os.getenv("HOME")
end

function visible() helper(1) end

describe("an order", function()
  it("is sent", function()
    Order:new({}):send(1)
  end)
end)

return Order
"##;

#[test]
fn declarations_and_uses_of_lua_are_found() {
    check(
        "lua",
        SOURCE,
        expect![[r#"
            lua package="Order" lines=44
            class Order 5-5 `local Order = {}` private doc="An order."
            field Order.__index 6-6 `Order.__index = Order` public
            variable defaults 8-8 `local defaults = { limit = 10 }` private
            constant LIMIT 9-9 `local LIMIT = 3` private
            variable registry 10-10 `registry = {}` public
            method Order.new 13-15 `function Order:new(items)` (items)/1 : self public doc="Makes an order."
            method Order.total 17-21 `function Order.total(order, ...)` (order,...)/2 public
            method Order.send 23-28 `Order.send = function(self, times)` (times)/1 public
            function helper 30-34 `local function helper(a)` (a)/1 private
            function visible 36-36 `function visible()` ()/0 public
            function is sent 39-41 `it("is sent", function()` ()/0 public test
            ref Field require:shop/client.post in file 2:37
            ref Call setmetatable/2 in Order.new 14:10
            ref Value self in Order.new 14:42
            ref Call util.sum/2 in Order.total 18:20
            ref Value order.items in Order.total 18:30
            ref Value compare in Order.total 18:37
            ref Call require:shop/log.write/1 in Order.total 19:23
            ref Call ipairs/1 in Order.send 24:18
            ref Value self.items in Order.send 24:30
            ref Call item.check/0 in Order.send 25:10
            ref Call post/1 in Order.send 27:3
            ref Call self.total/0 in Order.send 27:13
            ref Call inner/0 in helper 32:3
            ref Call os.getenv/1 in helper 33:6
            ref Env HOME in helper 33:13
            ref Call helper/1 in visible 36:20
            ref Call describe/2 in file 38:1
            ref Call it/2 in is sent 39:3
            ref Call Order.new/1 in is sent 40:11
            ref Call Order.new().send/1 in is sent 40:19
            import "shop/util" "" as "require:shop/util" in file
            import "shop/util" "" as "util" in file
            import "shop/client" "" as "require:shop/client" in file
            import "shop/client" "post" as "post" in file
            import "shop/log" "" as "require:shop/log" in Order.total
            bind util = Value require:shop/util in file
            bind post = Value require:shop/client.post in file
            bind items = Value  in Order.new
            bind order = Value  in Order.total
            bind sum = Value util.sum() in Order.total
            bind times = Value  in Order.send
            bind item = Value  in Order.send
            bind a = Value  in helper
            bind inner = Value  in helper
        "#]],
    );
}
