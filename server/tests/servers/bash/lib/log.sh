# Prints a message to standard error.
log() {
    printf '%s\n' "$*" >&2
}

fail() {
    log "error: $1"
    exit 1
}
