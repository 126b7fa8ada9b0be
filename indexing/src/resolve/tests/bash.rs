//! Shell scripts: functions, sourced files and external programs.

use super::check;
use expect_test::expect;
use kenning_graph::EdgeKind::*;

#[test]
fn commands_resolve_to_functions_or_external_programs() {
    check(
        r##"//- lib/util.sh
        log() { echo "$1"; }
        cleanup() { log done; }
        //- main.sh
        . "$(dirname "$0")/lib/util.sh"
        send() { local id=$1; log "$id"; curl "$id"; helper; }
        log() { printf '%s' "$1"; }
        trap cleanup EXIT
        send 1
        //- plugin/extra.sh
        helper() { send 2; missing 3; }
        //- test/main.bats
        load '../main.sh'
        @test "sends once" {
          run send 1
        }"##,
        &[Calls, Imports, Tests],
        expect![[r#"
            calls lib/util.sh::cleanup -> lib/util.sh::log
            calls main.sh -> main.sh::send
            calls main.sh::send -> main.sh::log
            calls main.sh::send -> plugin/extra.sh::helper (ast_inferred 0.70)
            calls plugin/extra.sh::helper -> main.sh::send (ast_inferred 0.70)
            calls test/main.bats::sends once -> main.sh::send
            imports main.sh -> lib/util.sh
            imports test/main.bats -> main.sh
            tests test/main.bats::sends once -> main.sh::send
            resolved 6 ambiguous 0 external 9 unresolved 0
        "#]],
    );
}
