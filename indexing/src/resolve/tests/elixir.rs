//! Elixir: modules by their full name, aliases, imports, pipes and clauses.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_aliases_imports_and_pipes() {
    check(
        r##"//- lib/shop/order.ex
        defmodule Shop.Order do
          alias Shop.{Client, Money}
          import Shop.Money, only: [round: 1]
          @behaviour Shop.Sellable
          def send(order), do: send(order, [])
          def send(order, []), do: order |> check() |> Client.post(1)
          def send(order, opts) do
            round(order)
            Money.round(order, 2)
            Shop.Client.post(order, opts)
            __MODULE__.send(order)
            Enum.map(order, &check/1)
            Missing.call(order)
          end
          defp check(order), do: %Shop.Order.Line{order: order}
          defmodule Line do
            defstruct [:order]
            def total(line), do: line
          end
        end
        //- lib/shop/client.ex
        defmodule Shop.Client do
          def post(a, b), do: Shop.Order.Line.total(a + b)
          def post(a), do: a
        end
        //- lib/shop/money.ex
        defmodule Shop.Money do
          def round(a), do: a
          def round(a, b), do: a + b
        end
        defmodule Shop.Sellable do
          @callback send(term) :: term
        end
        defprotocol Shop.Priced do
          def price(value)
        end
        defimpl Shop.Priced, for: Shop.Order do
          def price(order), do: Shop.Order.send(order)
        end
        //- test/order_test.exs
        defmodule Shop.OrderTest do
          use ExUnit.Case
          alias Shop.Order, as: O
          test "sends" do
            O.send(1)
          end
        end"##,
        &[Calls, Implements, Imports, Tests],
        expect![[r#"
            calls lib/shop/client.ex::Shop.Client.post -> lib/shop/order.ex::Shop.Order.Line.total
            calls lib/shop/money.ex::Shop.Priced.Shop.Order.price -> lib/shop/order.ex::Shop.Order.send
            calls lib/shop/order.ex::Shop.Order.check -> lib/shop/order.ex::Shop.Order.Line
            calls lib/shop/order.ex::Shop.Order.send -> lib/shop/client.ex::Shop.Client.post
            calls lib/shop/order.ex::Shop.Order.send -> lib/shop/money.ex::Shop.Money.round
            calls lib/shop/order.ex::Shop.Order.send -> lib/shop/order.ex::Shop.Order.check
            calls lib/shop/order.ex::Shop.Order.send -> lib/shop/order.ex::Shop.Order.send
            calls test/order_test.exs::Shop.OrderTest.sends -> lib/shop/order.ex::Shop.Order.send
            implements lib/shop/money.ex::Shop.Priced.Shop.Order -> lib/shop/money.ex::Shop.Priced
            implements lib/shop/order.ex::Shop.Order -> lib/shop/money.ex::Shop.Sellable
            imports lib/shop/order.ex -> lib/shop/client.ex::Shop.Client
            imports lib/shop/order.ex -> lib/shop/money.ex::Shop.Money
            imports test/order_test.exs -> external::ExUnit.Case
            imports test/order_test.exs -> lib/shop/order.ex::Shop.Order
            tests test/order_test.exs::Shop.OrderTest.sends -> lib/shop/order.ex::Shop.Order.send
            resolved 11 ambiguous 0 external 2 unresolved 0
        "#]],
    );
}
