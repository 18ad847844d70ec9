#!/bin/sh
# Says which of Debian's packages heddle lacks on this machine, and which command installs them; exit status 1 if any is
# missing. With --install, and as root, installs them instead, and with them what a part of the tests is skipped without.
# Usage: deps.sh build|test|fuzz|deb [--install]      (the compiler is $CC)
set -eu
what=${1:-build} install=${2:-}
compiler=${CC:-cc}
compiler=${compiler%% *}

have_command() { command -v "$1" >/dev/null 2>&1; }
have_header() { have_command "$compiler" && echo "#include <$1>" | "$compiler" -E -x c - >/dev/null 2>&1; }

missing="" wished=""
need() { missing="$missing $1"; }
wish() { wished="$wished $1"; }

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
    # 30 MB to download, with all that they need
    { have_command "${MPICC:-mpicc}" && have_command mpirun; } || wish "libopenmpi-dev openmpi-bin"
    # the compiler of the kernels in tests/opencl, and what OpenCL C is linked with
    have_command clang || wish clang
    [ -e /usr/lib/clc/nvptx64--nvidiacl.bc ] || wish libclc-14
    # the browser in which pages are tested; its packages from npm follow at the end
    have_command chromium || wish "chromium fonts-dejavu-core"
    have_command node || wish nodejs
    have_command npm || wish npm
    ;;
fuzz) have_command clang || need "clang libclang-rt-dev" ;;
deb)
    have_command dpkg-deb || need dpkg
    have_command dpkg-shlibdeps || need dpkg-dev
    ;;
esac

[ "$install" = --install ] || wished=""

# The packages that tests of pages need, into web/node_modules. Without a network the tests are skipped, and say so.
install_web_packages()
{
    if [ "$what" != test ] || [ "$install" != --install ] || [ -d web/node_modules ] || ! have_command npm; then return; fi
    echo "installing: packages of web/package.json"
    (cd web && npm ci --silent --no-audit --no-fund >/dev/null 2>&1) ||
        { rm -rf web/node_modules; echo "npm ci failed in web/: the tests of pages are skipped" >&2; }
}

[ -n "$missing$wished" ] || { install_web_packages; exit 0; }
if [ "$(id -u)" = 0 ]; then sudo=; else sudo="sudo "; fi
install_packages()
{
    echo "installing: $*"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
can_install=no
if [ "$install" = --install ] && [ -z "$sudo" ] && have_command apt-get; then can_install=yes; fi
if [ -n "$missing" ] && [ $can_install = yes ]; then
    # shellcheck disable=SC2086
    install_packages $missing
elif [ -n "$missing" ]; then
    echo "heddle needs packages that are not installed; run:" >&2
    echo "    ${sudo}apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
# shellcheck disable=SC2086
if [ -n "$wished" ] && ! { [ $can_install = yes ] && install_packages $wished; }; then
    echo "A part of the tests is skipped. For all of them, run:" >&2
    echo "    ${sudo}apt-get install -y --no-install-recommends$wished" >&2
fi
install_web_packages
