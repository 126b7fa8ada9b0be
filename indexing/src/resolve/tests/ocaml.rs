//! OCaml: files as modules, nested modules, `open`, and interfaces.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn calls_resolve_through_modules() {
    check(
        r##"//- shop/order.ml
        open Base
        module H = Client.Http
        type t = { id : int }
        type state = Open of int | Closed
        let rec send order =
          let check x = x in
          helper (check order);
          H.post order.id;
          Shop.Money.round 1 |> Money.round
        and cancel order = send order
        //- shop/order.mli
        type t
        val send : t -> unit
        //- shop/client.ml
        module Http = struct
          let rec post x = post x
        end
        //- shop/base.ml
        let helper x = x
        //- shop/money.ml
        let round x = List.map x
        //- bin/main.ml
        let () = Order.send 1
        let run state = match state with Order.Open n -> Shop.Order.cancel n | _ -> Order.check 1
        //- test/test_order.ml
        let test_send () = Order.send 1"##,
        &[Calls, Implements, Imports, Tests],
        expect![[r#"
            calls bin/main.ml -> shop/order.ml::send
            calls bin/main.ml::run -> shop/order.ml::cancel
            calls shop/order.ml::cancel -> shop/order.ml::send
            calls shop/order.ml::send -> shop/base.ml::helper
            calls shop/order.ml::send -> shop/client.ml::Http.post
            calls shop/order.ml::send -> shop/money.ml::round
            calls test/test_order.ml::test_send -> shop/order.ml::send
            imports shop/order.ml -> shop/base.ml
            imports shop/order.ml -> shop/client.ml::Http
            tests test/test_order.ml::test_send -> shop/order.ml::send
            resolved 9 ambiguous 0 external 1 unresolved 2
        "#]],
    );
}
