//! Tests that extraction finds the declarations and uses in OCaml.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::check;
use expect_test::expect;

const SOURCE: &str = r##"(** Orders. *)
open Shop_base
module Http = Client.Http

module type Sellable = sig
  type t

  val price : t -> int
end

(** An order of many items. *)
type order = { id : int; mutable items : Item.t list }

type state = Open of int | Closed

exception No_money of string

module Line : Sellable = struct
  type t = int

  let price line = line * 2
end

let limit = 10

(** Sends an order. *)
let rec send ?(times = 1) ~store order =
  let reply = Http.post ~store order.id in
  check reply |> List.map Line.price;
  if times > limit then raise (No_money "x") else send ~store order

and check reply = match reply with Open n -> n | Closed -> helper reply
let handler = fun x -> check x
external c_send : int -> int = "c_send"
let () = send ~store:(Sys.getenv "STORE") { id = 1; items = [] }
let%test "sends" = check Closed = 0

class cart =
  object
    val size = 1
    method total = size
  end

include Shop_base.Extra
"##;

#[test]
fn declarations_and_uses_of_ocaml_are_found() {
    check(
        "ocaml",
        SOURCE,
        expect![[r#"
        ocaml package="" lines=44
        interface Sellable 5-9 `module type Sellable` public
          type Sellable.t 6-6 `type t` public
          function Sellable.price 8-8 `val price : t -> int` ()/0 : t -> int public
        struct order 12-12 `type order` public doc="An order of many items."
          field id 12-12 `id : int` : int public
          field items 12-12 `mutable items : Item.t list` : Item.t list public
        enum state 14-14 `type state` public
          enum_member Open 14-14 `Open of int` public
          enum_member Closed 14-14 `Closed` public
        class No_money 16-16 `exception No_money of string` public
        module Line 18-22 `module Line : Sellable` Implements(Sellable) public
          type Line.t 19-19 `type t` : int public
          function Line.price 21-21 `let price line` ()/0 public
        variable limit 24-24 `let limit` public
        function send 27-30 `let rec send ?(times = 1) ~store order` ()/0 public
        function check 32-32 `let rec check reply` ()/0 public
        function handler 33-33 `let handler` ()/0 public
        function c_send 34-34 `external c_send : int -> int = "c_send"` ()/0 : int -> int public
        function sends 36-36 `let%test "sends" = check Closed = 0` ()/0 public test
        class cart 38-42 `class cart` public
          field cart.size 40-40 `val size` public
          method cart.total 41-41 `method total` ()/0 public
        ref Type t in Sellable.price 8:15
        ref Type ?.t in items 12:47
        ref Base Sellable in Line 18:15
        ref Call Http.post in send 28:20
        ref Call check in send 29:3
        ref Call List.map in send 29:23
        ref Value Line.price in send 29:32
        ref Value limit in send 30:14
        ref Call raise in send 30:25
        ref Construct No_money in send 30:32
        ref Throw No_money in send 30:32
        ref Call send in send 30:51
        ref Value Open in check 32:36
        ref Value Closed in check 32:50
        ref Call helper in check 32:60
        ref Call check in handler 33:24
        ref Call send in file 35:10
        ref Call Sys.getenv in file 35:27
        ref Call check in sends 36:20
        ref Value Closed in sends 36:26
        ref Value size in cart.total 41:20
        import "Shop_base" "*" as "" in file
        import "Client.Http" "" as "Http" in file
        import "Shop_base.Extra" "*" as "" reexport in file
        bind line = Value  in Line.price
        bind times = Value  in send
        bind store = Value  in send
        bind order = Value  in send
        bind reply = Value  in send
        bind reply = Value  in check
        bind n = Value  in check
        bind x = Value  in handler
    "#]],
    );
}

#[test]
fn an_interface_declares_values_and_types() {
    check(
        "ocaml_interface",
        "open Shop_base

(** Sends an order. *)
val send : ?times:int -> Order.t -> unit

val limit : int

type t
type state = Open of int | Closed

module Line : sig
  val price : t -> int
end

exception No_money of string
",
        expect![[r#"
            ocaml_interface package="" lines=15
            function send 4-4 `val send : ?times:int -> Order.t -> unit` ()/0 : ?times:int -> Order.t -> unit public doc="Sends an order."
            variable limit 6-6 `val limit : int` : int public
            type t 8-8 `type t` public
            enum state 9-9 `type state` public
              enum_member Open 9-9 `Open of int` public
              enum_member Closed 9-9 `Closed` public
            module Line 11-13 `module Line : sig val price : t -> int end` public
              function Line.price 12-12 `val price : t -> int` ()/0 : t -> int public
            class No_money 15-15 `exception No_money of string` public
            ref Type ?.t in send 4:32
            ref Type t in Line.price 12:15
        "#]],
    );
}
