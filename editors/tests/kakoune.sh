#!/usr/bin/env bash
# Checks the snippet of docs/editors.md in Kakoune with kakoune-lsp in a real terminal: the hover,
# and a code action whose result the server shows.
#   kakoune.sh KAKOUNE KAKOUNE_LSP SCREENS
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
kakoune=$1 lsp=$2 screens=$3
# shellcheck source=editors/tests/screen.sh
. "$here/screen.sh"

mkdir -p "$XDG_CONFIG_HOME/kak"
{
    echo "eval %sh{ $lsp }"
    # Remove the default server for Python, which takes precedence and is not installed.
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
# Kakoune cannot open a document for a server, so the status line shows its path.
screen blast-radius 'kenning/shown/blastRadius-'
keys ':quit!' Enter
end_screens kakoune
