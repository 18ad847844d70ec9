#!/bin/sh
# Installs the Debian packages that heddle needs if run as root, or prints the command that installs them.
# Usage: deps.sh build|test|fuzz
set -eu

have_header() { echo "#include <$1>" | cc -E -x c - >/dev/null 2>&1; }
have_command() { command -v "$1" >/dev/null 2>&1; }

missing=""
need() { missing="$missing $1"; }

have_command cc || need "gcc libc6-dev"
if have_command cc; then
    have_header stdio.h || need libc6-dev
    have_header uthash.h || need uthash-dev
    have_header ini.h || need libinih-dev
    have_header cjson/cJSON.h || need libcjson-dev
else
    need "uthash-dev libinih-dev libcjson-dev"
fi
case "${1:-build}" in
test)
    have_command cc && have_header cmocka.h || need libcmocka-dev
    have_command cc && have_header zstd.h || need libzstd-dev
    ;;
fuzz)
    have_command clang || need "clang libclang-rt-dev"
    ;;
esac

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && have_command apt-get; then
    echo "installing:$missing"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "heddle needs packages that are not installed; run:" >&2
    echo "    sudo apt-get install -y$missing" >&2
    exit 1
fi
