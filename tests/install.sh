#!/bin/sh
# heddle as it is installed, below a folder that stands for the root: install.sh BUILD. The compiler is $CC.
# It runs from any folder and finds its workloads; a program finds libheddle by pkg-config; uninstalling leaves nothing.
set -eu
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
sources=$(cd "$(dirname "$0")/.." && pwd)
cd "$sources"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED $*"; exit 1; }
unset HEDDLE_OPTS HEDDLE_WORKLOADS LD_LIBRARY_PATH
export PREFIX=/opt/lab DESTDIR="$scratch/the root"
root=$DESTDIR$PREFIX

mkdir -p "$DESTDIR/opt/lab/bin" "$scratch/elsewhere"
echo theirs >"$root/bin/other"
packaging/install.sh "$build" >"$scratch/said"
packaging/install.sh "$build" >"$scratch/said" # again, over the first
cd "$scratch/elsewhere"

# Nothing of it may lead back to where it was built.
for file in bin/heddle lib/heddle/workloads/bfs2 lib/libheddle.so.0 lib/heddle/libcuda.so.1 lib/heddle/libcudart.so.11.0 \
    lib/heddle/libcudart.so.12 lib/heddle/libcudart.so.13; do
    [ -f "$root/$file" ] || fail "$file is not installed"
    readelf -d "$root/$file" | grep -i 'rpath\|runpath' | grep -qF "$sources" && fail "$file looks for libraries in $sources"
done
readelf -d "$root/lib/libheddle.so.0" | grep -q 'SONAME.*\[libheddle.so.0\]' || fail "the library's soname is another"
nm -D --defined-only "$root/lib/libheddle.so.0" | awk '$3 !~ /^(cu|heddle_)/ { print; bad = 1 } END { exit bad }' ||
    fail "the library exports other names than its headers'"

"$root/bin/heddle" exec sh -c 'env; "$@"' sh "$root/lib/heddle/workloads/bfs2" --size test >"$scratch/said" 2>&1 ||
    { cat "$scratch/said"; fail "heddle exec bfs2"; }
grep -q ': 14 launches of 2 kernels' "$scratch/said" || { cat "$scratch/said"; fail "heddle exec sums nothing up"; }
grep -q "^LD_LIBRARY_PATH=$root/lib/heddle\$" "$scratch/said" || fail "heddle exec names other libraries"
grep -q "^LD_AUDIT=$root/lib/heddle/libheddle-audit.so\$" "$scratch/said" || fail "heddle exec has no audit library"
"$root/bin/heddle" compare bfs2 --size test >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "heddle compare bfs2"; }
grep -q '^  tbc ' "$scratch/said" || { cat "$scratch/said"; fail "heddle compare bfs2 has no row of tbc"; }
"$root/bin/heddle" run "$root/share/heddle/examples/trips.ptx" --grid 4 --block 128 --arg 'buf:u32[512]' \
    --gpu "$root/share/heddle/gpus/fermi.ini" --quiet || fail "heddle run of an example on a machine file"

for page in heddle $("$root/bin/heddle" list commands --names | sed 's/^/heddle-/'); do
    gzip -dc "$root/share/man/man1/$page.1.gz" | grep -q '^\.SH NAME' || fail "$page.1.gz is no man page"
done
bash -n "$root/share/bash-completion/completions/heddle" || fail "bash does not read its completions"
grep -q '^#compdef heddle' "$root/share/zsh/site-functions/_heddle" || fail "zsh does not take its completions for heddle's"

# A program of one's own, by pkg-config.
cat >"$scratch/program.c" <<'C'
#include <cuda.h>
#include <heddle.h>
#include <heddle_hints.h>
#include <stdio.h>

int main(void)
{
    int devices = 0;
    if (heddle_set_options("--gpu fermi") || cuInit(0) || cuDeviceGetCount(&devices))
        return 1;
    printf("heddle %s, %d device\n", heddle_version(), devices);
    return 0;
}
C
cp -a "$DESTDIR" "$scratch/root" # pkg-config has no names with spaces
export PKG_CONFIG_PATH="$scratch/root$PREFIX/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$scratch/root"
# shellcheck disable=SC2046,SC2086 -- words
${CC:-cc} ${CFLAGS:-} $(pkg-config --cflags heddle) "$scratch/program.c" -o "$scratch/program" $(pkg-config --libs heddle) ||
    fail "a program does not compile with pkg-config"
said=$(LD_LIBRARY_PATH="$root/lib" "$scratch/program") || fail "a program with libheddle ends with status $?"
[ "$said" = "heddle $(cat "$sources/VERSION"), 1 device" ] || fail "a program with libheddle says '$said'"
[ "$(pkg-config --modversion heddle)" = "$(cat "$sources/VERSION")" ] || fail "pkg-config knows another version"

# The same for the CUDA runtime, shared and static.
cat >"$scratch/runtime.c" <<'C'
#include <cuda_runtime_api.h>
#include <stdio.h>

int main(void)
{
    int devices = 0, error = cudaGetDeviceCount(&devices);
    printf("%d device: %s\n", devices, cudaGetErrorName(error));
    return error;
}
C
folder=$scratch/root$PREFIX/lib/heddle
for library in -lcudart "-l:libcudart_static.a -ldl -lpthread"; do
    # shellcheck disable=SC2046,SC2086
    ${CC:-cc} ${CFLAGS:-} $(pkg-config --cflags heddle) "$scratch/runtime.c" -o "$scratch/runtime" -L"$folder" $library ||
        fail "a program does not compile with $library"
    said=$(LD_LIBRARY_PATH="$root/lib/heddle" "$scratch/runtime") || fail "a program with $library ends with status $?"
    [ "$said" = "1 device: cudaSuccess" ] || fail "a program with $library says '$said'"
done

cd "$sources"
packaging/uninstall.sh >"$scratch/said"
[ "$(find "$DESTDIR" ! -type d)" = "$root/bin/other" ] || { find "$DESTDIR" ! -type d; fail "uninstalling leaves files"; }
[ "$(find "$DESTDIR" -type d | wc -l)" = 4 ] || { find "$DESTDIR" -type d; fail "uninstalling leaves folders"; }
packaging/uninstall.sh >"$scratch/said" 2>&1 && fail "what is not installed is uninstalled"
rm "$root/bin/other"
echo "installed, run, and removed"
