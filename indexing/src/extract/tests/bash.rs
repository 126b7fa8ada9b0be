//! Tests that extraction finds the declarations and uses in shell scripts.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::check;
use expect_test::expect;

const SOURCE: &str = r##"#!/usr/bin/env bash
. "$(dirname "$0")/lib/util.sh"
source ./config.sh

VERSION=1.0
export SHOP_URL="https://x"
readonly limit=3

# Sends an order.
send_order() {
  local id=$1 reply
  check_order "$id" || return 1
  reply=$(post "$SHOP_URL/$id" | grep ok)
  if [ -z "$reply" ]; then
    log "failed: ${VERSION:-0}"
  fi
}

function check_order { true; }

alias so='send_order'
trap cleanup EXIT
send_order "$@"
"##;

#[test]
fn declarations_and_uses_of_shell_scripts_are_found() {
    check(
        "bash",
        SOURCE,
        expect![[r#"
        bash package="" lines=23
        constant VERSION 5-5 `VERSION=1.0` public
        constant SHOP_URL 6-6 `SHOP_URL="https://x"` public
        variable limit 7-7 `limit=3` public
        function send_order 10-17 `send_order()` ()/0 public doc="Sends an order."
        function check_order 19-19 `function check_order` ()/0 public
        function so 21-21 `alias so='send_order'` ()/0 public
        ref Call . in file 2:1
        ref Call dirname in file 2:6
        ref Value 0 in file 2:16
        ref Call source in file 3:1
        ref Value ./config.sh in file 3:8
        ref Value 1 in send_order 11:13
        ref Call check_order in send_order 12:3
        ref Call return in send_order 12:24
        ref Call post in send_order 13:11
        ref Value SHOP_URL in send_order 13:18
        ref Call grep in send_order 13:34
        ref Value ok in send_order 13:39
        ref Call log in send_order 15:5
        ref Value VERSION in send_order 15:20
        ref Call true in check_order 19:24
        ref Call alias in so 21:1
        ref Call trap in file 22:1
        ref Value cleanup in file 22:6
        ref Value EXIT in file 22:14
        ref Call send_order in file 23:1
        import "lib/util.sh" "" as "" in file
        import "./config.sh" "" as "" in file
        bind id = Value  in send_order
        bind reply = Value  in send_order
    "#]],
    );
}

#[test]
fn tests_of_bats_are_functions() {
    check(
        "bash",
        "load 'helper'

@test \"sends an order: twice\" {
  run send_order 1
  [ \"$status\" -eq 0 ]
}

@test 'checks' { check_order; }
",
        expect![[r#"
            bash package="" lines=8
            function sends an order: twice 3-6 `@test "sends an order: twice"` ()/0 public test
            function checks 8-8 `@test "checks"` ()/0 public test
            ref Call load in file 1:1
            ref Call run in sends an order: twice 4:3
            ref Call send_order in sends an order: twice 4:7
            ref Value status in sends an order: twice 5:7
            ref Call check_order in checks 8:18
            import "helper" "" as "" in file
        "#]],
    );
}
