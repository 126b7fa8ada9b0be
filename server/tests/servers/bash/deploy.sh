#!/usr/bin/env bash
set -euo pipefail
. "$(dirname "$0")/lib/log.sh"

build() {
    log "building $1"
    make "$1"
}

push() {
    local image=$1
    log "pushing $image"
    docker push "$image" || fail "cannot push $image"
}

main() {
    build app
    push "$(build app)"
    log finished
}

main "$@"
