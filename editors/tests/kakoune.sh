#!/usr/bin/env bash
# Kakoune with kakoune-lsp on a real screen with the snippet of docs/editors.md: hover, and a code action whose result the
# server shows. kakoune.sh KAKOUNE KAKOUNE_LSP SCREENS
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
kakoune=$1 lsp=$2 screens=$3
# shellcheck source=editors/tests/screen.sh
. "$here/screen.sh"

mkdir -p "$XDG_CONFIG_HOME/kak"
{
    echo "eval %sh{ $lsp }"
    # Its own choice of a server for Python comes first; it is not there.
    echo 'remove-hooks global lsp-filetype-python'
    python3 "$here/snippets.py" kakoune
    echo 'lsp-enable'
} >"$XDG_CONFIG_HOME/kak/kakrc"
PATH=$(dirname "$lsp"):$PATH
export XDG_RUNTIME_DIR=$HOME PATH
start_screen "$kakoune src/itsdangerous/signer.py"
screen opened 'signer.py'
keys '/def derive_key' Enter
screen found ' 182:'
again=(':lsp-hover' Enter)
screen hover 'Blast radius' '[0-9] callers'
again=(':lsp-code-actions' Enter)
screen actions 'Show blast radius of Signer.derive_key' 'Copy context for Signer.derive_key'
again=()
keys 'Show' Tab Enter
# It opens no documents for a server: the status line names it.
screen blast-radius 'kenning/shown/blastRadius-'
keys ':quit!' Enter
end_screens kakoune
