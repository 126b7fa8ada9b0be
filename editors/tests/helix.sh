#!/usr/bin/env bash
# Checks the snippet of docs/editors.md in Helix in a real terminal: the hover, and a code action
# whose result the server shows.
#   helix.sh HELIX SCREENS
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
helix=$1 screens=$2
# shellcheck source=editors/tests/screen.sh
. "$here/screen.sh"

mkdir -p "$XDG_CONFIG_HOME/helix"
python3 "$here/snippets.py" helix >"$XDG_CONFIG_HOME/helix/languages.toml"
start_screen "$helix src/itsdangerous/signer.py"
screen opened 'signer.py'
keys '/def derive_key' Enter
screen found ' 182:'
keys 'w'
again=(Space k)
screen hover 'Blast radius' '[0-9] callers'
# Without a pause, Escape and the next key would count as one key with Alt.
keys Escape
again=(Space a)
screen actions 'Show blast radius of Signer.derive_key' 'Copy context for Signer.derive_key'
again=()
keys Down Enter
screen blast-radius '/kenning/shown/blastRadius-.*\.md'
keys ':lsp-workspace-command ken' # completed from the server's commands
screen commands 'kenning.status' 'kenning.reindex'
keys Escape ':qa!' Enter
end_screens helix
