# Functions shared by the test scripts: installing Debian packages, and reporting skipped parts.
# Sourced by bash.
# shellcheck shell=bash

# The exit status of a script that could not test anything here.
# shellcheck disable=SC2034
readonly SKIPPED=77

# apt_install COMMAND PACKAGE...: installs Debian packages unless the command exists. Fails without
# apt-get.
apt_install() {
    command -v "$1" >/dev/null && return 0
    command -v apt-get >/dev/null || return 1
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
    echo "installing ${*:2} (for $1)"
    "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${@:2}" >/dev/null
}

# skip_part WHAT WHY: reports a skipped part in a line that the summary of scripts/test repeats. In
# CI this is a failure.
skip_part() {
    echo "SKIPPED: $1 ($2)"
    [ -z "${CI:-}" ]
}
