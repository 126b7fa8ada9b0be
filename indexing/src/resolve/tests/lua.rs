//! Lua: tables as modules and classes, and `require`.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_returned_tables() {
    check(
        r##"//- lua/shop/order.lua
        local util = require("shop.util")
        local Order = {}
        Order.__index = Order
        function Order:new(items)
          return setmetatable({ items = items }, self)
        end
        function Order.total(order)
          helper(order)
          util.sum(order)
          return require("shop.util").round(order)
        end
        function Order:send()
          self:total()
          local log = function() end
          log(1)
          unknown.call()
        end
        local function log(text) print(text) end
        function global() log("x") end
        return Order
        //- lua/shop/util.lua
        local M = {}
        M.sum = function(a) return M.round(a) end
        function M.round(a) return a end
        function helper(a) return a end
        return M
        //- lua/shop/init.lua
        return { start = function() global() end }
        //- lua/main.lua
        local Order = require("shop.order")
        local round = require("shop.util").round
        local order = Order:new({})
        order:send()
        round(1)
        log("not visible")
        require("shop").start()
        //- spec/order_spec.lua
        local Order = require("shop.order")
        it("sends", function()
          local order = Order:new({})
          order:send()
        end)"##,
        &[Calls, Imports, Tests],
        expect![[r#"
            calls lua/main.lua -> lua/shop/init.lua::start
            calls lua/main.lua -> lua/shop/order.lua::Order.send
            calls lua/main.lua -> lua/shop/util.lua::M.round
            calls lua/main.lua::order -> lua/shop/order.lua::Order.new
            calls lua/shop/order.lua::Order.send -> lua/shop/order.lua::Order.total
            calls lua/shop/order.lua::Order.total -> lua/shop/util.lua::M.round
            calls lua/shop/order.lua::Order.total -> lua/shop/util.lua::M.sum
            calls lua/shop/order.lua::Order.total -> lua/shop/util.lua::helper
            calls lua/shop/order.lua::global -> lua/shop/order.lua::log
            calls lua/shop/util.lua::M.sum -> lua/shop/util.lua::M.round
            calls spec/order_spec.lua::sends -> lua/shop/order.lua::Order.new
            calls spec/order_spec.lua::sends -> lua/shop/order.lua::Order.send
            imports lua/main.lua -> lua/shop/init.lua
            imports lua/main.lua -> lua/shop/order.lua
            imports lua/main.lua -> lua/shop/util.lua
            imports lua/main.lua -> lua/shop/util.lua::M.round
            imports lua/shop/order.lua -> lua/shop/util.lua
            imports spec/order_spec.lua -> lua/shop/order.lua
            tests spec/order_spec.lua::sends -> lua/shop/order.lua::Order.new
            tests spec/order_spec.lua::sends -> lua/shop/order.lua::Order.send
            resolved 12 ambiguous 0 external 4 unresolved 2
        "#]],
    );
}
