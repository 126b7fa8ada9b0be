#!/bin/sh
# Installs Kenning: the program, its manual pages and completions for bash, zsh and fish.
#
# Checks the archive against SHA256SUMS and starts the program before it changes anything. Needs no
# root. `usage` lists the options.
set -eu

releases=@REPOSITORY@/releases/download
other_ways=@REPOSITORY@/blob/main/docs/install.md

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

usage() {
    cat <<'END'
Installs Kenning: the program, its manual pages and completions for bash, zsh and fish.

  install.sh                          version @VERSION@ in ~/.local
  install.sh --prefix FOLDER          in another folder: FOLDER/bin/kenning, FOLDER/share/...
  install.sh --version X.Y.Z          another version
  install.sh --from FOLDER|URL        from a folder, or another place, that has the archives and SHA256SUMS
  install.sh --uninstall [--prefix FOLDER]   removes what it installed
END
}

has_command() { command -v "$1" >/dev/null 2>&1; }

# check_libc: fails if this Linux has no glibc, or an older one than the program needs.
check_libc() {
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || ldd --version 2>&1 | head -n 1 || true)
    case $libc in
        *musl*) fail "this system uses musl, and the packages need glibc @GLIBC@ or newer; build from source instead: $other_ways" ;;
        glibc\ * | ldd\ *) number=${libc##* } ;;
        *) return 0 ;; # Starting the program decides.
    esac
    needed=@GLIBC@
    if [ "${number%%.*}" -lt "${needed%%.*}" ] || { [ "${number%%.*}" -eq "${needed%%.*}" ] && [ "${number#*.}" -lt "${needed#*.}" ]; }; then
        fail "this system has glibc $number, and the packages need @GLIBC@ or newer (Ubuntu 22.04, Debian 12, Fedora 36); build from source instead: $other_ways"
    fi
}

# find_target: sets `target` to the name of this platform.
find_target() {
    machine="$(uname -s) $(uname -m)"
    case $machine in
        'Linux x86_64' | 'Linux amd64') target=x86_64-unknown-linux-gnu ;;
        'Linux aarch64' | 'Linux arm64') target=aarch64-unknown-linux-gnu ;;
        'Darwin arm64') target=aarch64-apple-darwin ;;
        'Darwin x86_64')
            target=x86_64-apple-darwin
            # The shell itself may be running under Rosetta.
            if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then target=aarch64-apple-darwin; fi
            ;;
        MINGW* | MSYS* | CYGWIN*) fail "on Windows, use Scoop, npm, pip or the .zip archive: $other_ways" ;;
        *) fail "there are no packages for this platform ($machine), only for Linux and macOS on x86-64 and ARM64; build from source instead: $other_ways" ;;
    esac
    case $target in *-linux-gnu) check_libc ;; esac
}

# fetch NAME: copies or downloads a file of the release to the temporary folder.
fetch() {
    case $from in
        https://* | http://localhost:* | http://127.0.0.1:*)
            if has_command curl; then
                curl --fail --silent --show-error --location --output "$work/$1" "$from/$1" ||
                    fail "cannot download $from/$1 (see above); is there a version $version?"
            elif has_command wget; then
                wget -q -O "$work/$1" "$from/$1" ||
                    fail "cannot download $from/$1; is there a version $version?"
            else
                fail "neither curl nor wget is installed; install one of them, or download $1 and SHA256SUMS from $from and pass their folder with --from"
            fi
            ;;
        http://*) fail "$from is not encrypted, so the checksums would prove nothing; use https://" ;;
        *)
            [ -f "$from/$1" ] || fail "there is no $1 in $from"
            cp "$from/$1" "$work/$1"
            ;;
    esac
}

# checksum FILE: prints the SHA-256 checksum of a file.
checksum() {
    if has_command sha256sum; then
        sum=$(sha256sum "$1")
    elif has_command shasum; then
        sum=$(shasum -a 256 "$1")
    elif has_command openssl; then
        sum=$(openssl dgst -sha256 -r "$1")
    else
        fail "none of sha256sum, shasum and openssl is installed, so the archive cannot be checked; install one of them"
    fi
    echo "${sum%% *}"
}

# check_archive NAME: fails unless SHA256SUMS has the checksum of the archive.
check_archive() {
    expected=
    while read -r sum name; do
        if [ "${name#\*}" = "$1" ]; then expected=$sum; fi
    done <"$work/SHA256SUMS"
    [ -n "$expected" ] || fail "SHA256SUMS of $from does not name $1; nothing was installed"
    actual=$(checksum "$work/$1")
    [ "$actual" = "$expected" ] ||
        fail "$1 is damaged or was changed: its SHA-256 checksum is $actual, and SHA256SUMS says $expected; nothing was installed"
}

# make_folder FOLDER: creates a folder and its parents, and records the folders that it created.
make_folder() {
    [ -d "$1" ] && return
    make_folder "$(dirname "$1")"
    mkdir "$1" || fail "cannot create $1; pass another folder with --prefix"
    echo "folder $1" >>"$work/record"
}

# list_files FOLDER: prints each file of the unpacked archive with its place below the prefix.
list_files() {
    for page in "$1"/man/*.1; do echo "man/${page##*/} share/man/man1/${page##*/}"; done
    cat <<'END'
kenning bin/kenning
completions/kenning.bash share/bash-completion/completions/kenning
completions/_kenning share/zsh/site-functions/_kenning
completions/kenning.fish share/fish/vendor_completions.d/kenning.fish
LICENSE-APACHE share/doc/kenning/LICENSE-APACHE
LICENSE-MIT share/doc/kenning/LICENSE-MIT
END
}

# place_files FOLDER: copies the files of the unpacked archive below the prefix. Records the files
# before it writes them, so that an interrupted installation can be removed.
place_files() {
    grep '^folder ' "$record" >"$work/record" 2>/dev/null || : >"$work/record"
    list_files "$1" >"$work/files"
    make_folder "$(dirname "$record")"
    while read -r source place; do
        make_folder "$(dirname "$prefix/$place")"
        echo "file $prefix/$place" >>"$work/record"
    done <"$work/files"
    cp "$work/record" "$record" || fail "cannot write to $(dirname "$record"); pass another folder with --prefix"
    while read -r source place; do
        # A running program keeps its file, because the new file takes the name in one step.
        if ! cp "$1/$source" "$prefix/$place.new" || ! mv -f "$prefix/$place.new" "$prefix/$place"; then
            rm -f "$prefix/$place.new"
            fail "cannot write $prefix/$place"
        fi
    done <"$work/files"
    chmod 755 "$prefix/bin/kenning"
}

install_kenning() {
    find_target
    archive=kenning-$version-$target.tar.gz
    if [ -e "$prefix/bin/kenning" ] && ! grep -qxF "file $prefix/bin/kenning" "$record" 2>/dev/null; then
        fail "$prefix/bin/kenning exists, and this script did not install it; remove it, or pass another folder with --prefix"
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    fetch SHA256SUMS
    fetch "$archive"
    check_archive "$archive"
    tar -xzf "$work/$archive" -C "$work" || fail "cannot unpack $archive (see above); tar and gzip are needed"
    unpacked=$work/${archive%.tar.gz}
    started=$("$unpacked/kenning" --version 2>&1) || fail "the program does not start on this system; nothing was installed: $started"
    place_files "$unpacked"

    echo "Installed $started as $prefix/bin/kenning"
    case ":${PATH:-}:" in
        *":$prefix/bin:"*) ;;
        *) echo "Add it to your search path, for example in ~/.profile: export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
    echo "Try it in a repository: kenning pack \"what you are about to change\""
}

uninstall_kenning() {
    [ -f "$record" ] || fail "there is no $record, so this script did not install Kenning in $prefix"
    folders=
    while read -r kind installed; do
        case $kind in
            file) rm -f "$installed" || fail "cannot remove $installed" ;;
            folder) folders="$installed
$folders" ;;
        esac
    done <"$record"
    rm -f "$record"
    # The deepest folders come first. Folders with other files stay.
    printf '%s' "$folders" | while read -r folder; do rmdir "$folder" 2>/dev/null || true; done
    echo "Removed Kenning from $prefix. Indexes and entries in agents are kept ($other_ways)."
}

main() {
    version=@VERSION@
    prefix=
    from=
    uninstall=no
    while [ $# -gt 0 ]; do
        case $1 in
            --version | --prefix | --from)
                [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value (try --help)"
                case $1 in
                    --version) version=${2#v} ;;
                    --prefix) prefix=${2%/} ;;
                    --from) from=${2%/} ;;
                esac
                shift
                ;;
            --uninstall) uninstall=yes ;;
            -h | --help)
                usage
                exit 0
                ;;
            *) fail "unknown argument '$1' (try --help)" ;;
        esac
        shift
    done
    case $version in
        '' | *[!0-9.]*) fail "'$version' is not a version such as @VERSION@" ;;
    esac
    if [ -z "$prefix" ]; then
        [ -n "${HOME:-}" ] || fail "HOME is not set; pass a folder with --prefix"
        prefix=$HOME/.local
    fi
    case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
    record=$prefix/share/kenning/installed
    if [ -z "$from" ]; then from=$releases/v$version; fi
    from=${from#file://}
    if [ "$uninstall" = yes ]; then uninstall_kenning; else install_kenning; fi
}

# This call is on the last line, so that a script whose download was cut off does nothing.
main "$@"
