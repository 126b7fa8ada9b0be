//! Tests that extraction finds the declarations and uses in Elixir.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::check;
use expect_test::expect;

const SOURCE: &str = r##"defmodule Shop.Order do
  @moduledoc "An order."
  @behaviour Shop.Sellable
  use GenServer
  alias Shop.{Cart, Store.Item}
  alias Shop.Client, as: Http
  import Shop.Money, only: [round: 1]

  @limit 10
  defstruct [:id, items: []]

  @type t :: %__MODULE__{id: integer}
  @callback price(t) :: integer

  @doc """
  Sends an order.
  """
  @spec send(t, Keyword.t()) :: :ok
  def send(order, opts \\ [])
  def send(%Cart{} = cart, []), do: cart |> Cart.to_order() |> send(%{})
  def send(order, opts) when is_list(opts) do
    Enum.map(order.items, &check/1)
    Http.post(@limit, %Item{id: 1})
    System.get_env("SHOP_URL")
    raise ArgumentError, "no"
  end

  defp check(item), do: round(item.price)

  defmacro twice(body) do
    quote do: unquote(body)
  end

  defmodule Line do
    def total(line), do: line
  end
end

defprotocol Shop.Priced do
  def price(value)
end

defimpl Shop.Priced, for: Shop.Order do
  def price(order), do: Shop.Order.send(order)
end

defmodule Shop.OrderTest do
  use ExUnit.Case

  test "sends an order", %{order: order} do
    assert Shop.Order.send(order, []) == :ok
  end
end
"##;

#[test]
fn declarations_and_uses_of_elixir_are_found() {
    check(
        "elixir",
        SOURCE,
        expect![[r#"
        elixir package="" lines=53
        module Shop.Order 1-37 `defmodule Shop.Order` Implements(Shop.Sellable) public doc="An order."
          constant Shop.Order.limit 9-9 `@limit 10` public
          field Shop.Order.id 10-10 `:id` public
          field Shop.Order.items 10-10 `items: []` public
          type Shop.Order.t 12-12 `@type t :: %__MODULE__{id: integer}` public
          function Shop.Order.price 13-13 `@callback price(t) :: integer` (t)/1 public
          function Shop.Order.send 19-26 `def send(order, opts \\ [])` (order,opts)/2 public doc="Sends an order."
          function Shop.Order.check 28-28 `defp check(item), do: round(item.price)` (item)/1 private
          macro Shop.Order.twice 30-32 `defmacro twice(body)` public
          module Shop.Order.Line 34-36 `defmodule Line` public
            function Shop.Order.Line.total 35-35 `def total(line), do: line` (line)/1 public
        interface Shop.Priced 39-41 `defprotocol Shop.Priced` public
          method Shop.Priced.price 40-40 `def price(value)` (value)/1 public
        class Shop.Priced.Shop.Order 43-45 `defimpl Shop.Priced, for: Shop.Order` Implements(Shop.Priced) public
          method Shop.Priced.Shop.Order.price 44-44 `def price(order), do: Shop.Order.send(order)` (order)/1 public
        module Shop.OrderTest 47-53 `defmodule Shop.OrderTest` public
          function Shop.OrderTest.sends an order 50-52 `test "sends an order", %{order: order}` ()/0 public test
        ref Type Shop.Order in Shop.Order 1:11
        ref Base Shop.Sellable in Shop.Order 3:14
        ref Construct Cart in Shop.Order.send 20:13
        ref Type Cart in Shop.Order.send 20:45
        ref Call Cart.to_order/1 in Shop.Order.send 20:50
        ref Call send/2 in Shop.Order.send 20:64
        ref Call is_list/1 in Shop.Order.send 21:30
        ref Type Enum in Shop.Order.send 22:5
        ref Call Enum.map/2 in Shop.Order.send 22:10
        ref Value check in Shop.Order.send 22:28
        ref Type Http in Shop.Order.send 23:5
        ref Call Http.post/2 in Shop.Order.send 23:10
        ref Value limit in Shop.Order.send 23:16
        ref Construct Item in Shop.Order.send 23:24
        ref Type System in Shop.Order.send 24:5
        ref Call System.get_env/1 in Shop.Order.send 24:12
        ref Env SHOP_URL in Shop.Order.send 24:20
        ref Type ArgumentError in Shop.Order.send 25:11
        ref Throw ArgumentError in Shop.Order.send 25:11
        ref Call round/1 in Shop.Order.check 28:25
        ref Name price in Shop.Order.check 28:36
        ref Type Shop.Priced in Shop.Priced 39:13
        ref Base Shop.Priced in Shop.Priced.Shop.Order 43:9
        ref Type Shop.Order in Shop.Priced.Shop.Order 43:27
        ref Type Shop.Order in Shop.Priced.Shop.Order.price 44:25
        ref Call Shop.Order.send/1 in Shop.Priced.Shop.Order.price 44:36
        ref Type Shop.OrderTest in Shop.OrderTest 47:11
        ref Type Shop.Order in Shop.OrderTest.sends an order 51:12
        ref Call Shop.Order.send/2 in Shop.OrderTest.sends an order 51:23
        import "GenServer" "*" as "" in Shop.Order
        import "Shop.Cart" "" as "Cart" in Shop.Order
        import "Shop.Store.Item" "" as "Item" in Shop.Order
        import "Shop.Client" "" as "Http" in Shop.Order
        import "Shop.Money" "*" as "" in Shop.Order
        import "ExUnit.Case" "*" as "" in Shop.OrderTest
    "#]],
    );
}
