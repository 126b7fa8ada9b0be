# Runs a program in a real terminal, a separate tmux server: sends keys and reads the screen.
# Sourced by the tests of terminal editors.
# shellcheck shell=bash
: "${screens:?names the folder for the screens}"

# Timeout for a screen, in tenths of a second. scripts/defects sets a shorter one for screens that
# are expected to be missing.
timeout_tenths=$((${KENNING_TEST_TIMEOUT:-30} * 10))
terminal=kenning-$$

in_tmux() { tmux -L "$terminal" -f /dev/null "$@"; }

# start_screen COMMAND: runs it in a terminal of 110 columns and 34 lines.
start_screen() {
    export TERM=screen-256color LANG=C.UTF-8
    in_tmux new-session -d -x 110 -y 34 "$1"
    trap 'in_tmux kill-server 2>/dev/null || true' EXIT
}

keys() { in_tmux send-keys "$@"; }

# shows PATTERN...: whether the screen shows all patterns (of grep -E); sets $text and $missing.
shows() {
    local pattern
    text=$(in_tmux capture-pane -p) || {
        echo "FAILED: the program has ended" >&2
        exit 1
    }
    missing=
    for pattern in "$@"; do
        if ! grep -qE -- "$pattern" <<<"$text"; then missing=$pattern; fi
    done
    [ -z "$missing" ]
}

# screen NAME PATTERN...: waits until the screen shows all patterns and saves it as NAME under
# $screens. After the timeout, continues and makes end_screens fail. Sends the keys of the array
# `again` every two seconds, for programs that ignore keys until they are ready.
screen() {
    local name=$1 text missing waited=0 outcome=ok
    shift
    until shows "$@"; do
        waited=$((waited + 1))
        if [ "$waited" -gt "$timeout_tenths" ]; then
            printf 'the screen does not show: %s\n%s\n' "$missing" "$text" >&2
            outcome=FAILED
            failed_screens=$((failed_screens + 1))
            break
        fi
        if [ $((waited % 20)) -eq 0 ] && [ ${#again[@]} -gt 0 ]; then keys "${again[@]}"; fi
        sleep 0.1
    done
    printf '  %-6s %s\n' "$outcome" "$name"
    screen_count=$((screen_count + 1))
    mkdir -p "$screens"
    printf '%s\n' "$text" >"$screens/$name.txt"
}

# end_screens PROGRAM: reports the screens as one suite, and fails if one of them was not shown.
end_screens() {
    local outcome=ok
    if [ "$failed_screens" -gt 0 ]; then outcome=FAILED; fi
    printf '%-6s %s: %d checks\n' "$outcome" "$1" "$screen_count"
    [ "$failed_screens" -eq 0 ]
}
again=()
screen_count=0
failed_screens=0
