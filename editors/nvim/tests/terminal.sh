#!/usr/bin/env bash
# Checks lenses, the hover, the quickfix list and packs of Neovim in a real terminal: terminal.sh
# NEOVIM SCREENS
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
neovim=$1 screens=$2
# shellcheck source=editors/tests/screen.sh
. "$here/../../tests/screen.sh"

start_screen "$neovim -u $here/init.lua src/itsdangerous/signer.py"
keys ':set signcolumn=no | call search("class Signer")' Enter 'zt'
screen lenses 'class Signer.*[0-9]+ uses? · ~?[0-9]+\+? [a-z]+ · ~?[0-9]+ tests?'
keys '/def derive_key' Enter 'w' K
screen hover 'Blast radius' 'Direct callers|callers'
keys Escape ':fclose!' Enter
# Without a lens there is no number to compare with, so any number is accepted.
before=$(in_tmux capture-pane -p | grep -oE 'derive_key.*[0-9]+ callers?' | grep -oE '[0-9]+ callers?' || echo none)
keys 'Go' Enter 'def added(signer: Signer):' Enter 'return signer.derive_key()' Escape ':1' Enter '/def derive_key' Enter 'zt'
if [ "$before" = none ]; then after='[0-9]+ callers'; else after="$((${before%% *} + 1)) callers"; fi
screen unsaved-edit-lens "def derive_key.* ~?$after" '\[\+\]'
keys ':lua vim.lsp.codelens.run()' Enter
screen lens-run 'Quickfix List' 'added  calls'
keys ':cclose' Enter ':Kenning pack --to=float sign values' Enter
screen context-float 'pack/sign values' '# sign values|Change here'
keys q ':Kenning pack sign values' Enter
screen context-register 'copied to register .: [0-9]+ symbols, [0-9,]+ tokens'
keys ':Kenning blast --to=select load_unsafe' Enter
screen select 'Blast radius of .*load_unsafe' '1: '
keys '1' Enter ':Kenning status' Enter
screen status 'state: ready' 'calls resolved'
keys q ':Kenning re' Tab
screen completion ':Kenning reindex'
keys C-u ':qa!' Enter
end_screens terminal
