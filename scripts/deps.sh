#!/bin/sh
# Says which of Debian's packages heddle lacks on this machine, and which command installs them; exit status 1 if any is
# missing. With --install, and as root, installs them instead.
# Usage: deps.sh build|test|fuzz|deb [--install]      (the compiler is $CC)
set -eu
what=${1:-build} install=${2:-}
compiler=${CC:-cc}
compiler=${compiler%% *}

have_command() { command -v "$1" >/dev/null 2>&1; }
have_header() { have_command "$compiler" && echo "#include <$1>" | "$compiler" -E -x c - >/dev/null 2>&1; }

missing=""
need() { missing="$missing $1"; }

if ! have_command "$compiler"; then
    case $compiler in
    *clang*) need clang ;;
    *) need gcc ;;
    esac
fi
have_header stdio.h || need libc6-dev
have_header uthash.h || need uthash-dev
have_header ini.h || need libinih-dev
have_header cjson/cJSON.h || need libcjson-dev
have_header lz4.h || need liblz4-dev
have_header zstd.h || need libzstd-dev
have_header sqlite3.h || need libsqlite3-dev
case $what in
test)
    have_command zstd || need zstd
    have_header cmocka.h || need libcmocka-dev
    have_command clang-format || need clang-format
    have_command pkg-config || need pkgconf
    ;;
fuzz) have_command clang || need "clang libclang-rt-dev" ;;
deb)
    have_command dpkg-deb || need dpkg
    have_command dpkg-shlibdeps || need dpkg-dev
    ;;
esac

[ -n "$missing" ] || exit 0
if [ "$install" = --install ] && [ "$(id -u)" = 0 ] && have_command apt-get; then
    echo "installing:$missing"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "heddle needs packages that are not installed; run:" >&2
    if [ "$(id -u)" = 0 ]; then sudo=; else sudo="sudo "; fi
    echo "    ${sudo}apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
