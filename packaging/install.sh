#!/bin/sh
# Installs what `make` has built, from the root of the sources: install.sh BUILD
#
# Environment: PREFIX (default /usr/local); DESTDIR, a folder that stands for the root of the file system; HEDDLE, the
# command that writes man pages and completions (default BUILD/heddle; another one for a build that does not run on this
# machine); RECORD=no for a packager that keeps its own list of files. Otherwise the files and folders that are new are
# recorded in PREFIX/share/heddle/installed.txt, which uninstall.sh reads. An earlier installation in PREFIX is removed
# first.
set -eu
build=${1:?usage: install.sh BUILD}
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}
heddle=${HEDDLE:-$build/heddle}
record=${RECORD:-yes}
version=$(cat VERSION)
case $prefix in /*) ;; *) echo "PREFIX must be an absolute path, not $prefix" >&2; exit 1 ;; esac
[ -x "$build/heddle" ] || { echo "$build/heddle is not built" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
list=$scratch/list
: >"$list"

[ ! -f "$root$prefix/share/heddle/installed.txt" ] || "$(dirname "$0")/uninstall.sh"

folder() { # PATH: made with its parents, each recorded if it is new
    [ -d "$root$1" ] && return
    folder "$(dirname "$1")"
    mkdir "$root$1"
    chmod 755 "$root$1"
    echo "folder $1" >>"$list"
}
put() { # MODE FILE PATH
    folder "$(dirname "$prefix/$3")"
    install -m "$1" "$2" "$root$prefix/$3"
    echo "file $prefix/$3" >>"$list"
}
link() { # TARGET PATH
    folder "$(dirname "$prefix/$2")"
    ln -sf "$1" "$root$prefix/$2"
    echo "file $prefix/$2" >>"$list"
}
write() { # PATH: a text on stdin
    cat >"$scratch/text"
    put 644 "$scratch/text" "$1"
}

# Texts that heddle writes come first, so that one without them installs nothing.
commands=$("$heddle" list commands --names)
for page in heddle $commands; do
    "$heddle" help --man "$page" >"$scratch/$page.1"
    [ -s "$scratch/$page.1" ] || { echo "$heddle writes no man page of $page" >&2; exit 1; }
    gzip -9n "$scratch/$page.1"
done
for shell in bash zsh; do
    "$heddle" help --completion $shell >"$scratch/$shell"
done

put 755 "$build/heddle" bin/heddle
for program in $(ls workloads); do
    [ ! -f "workloads/$program/host.c" ] || put 755 "$build/workloads/$program" "lib/heddle/workloads/$program"
done
put 644 "$build/lib/libcuda.so.1" lib/heddle/libcuda.so.1
link libcuda.so.1 lib/heddle/libcuda.so
for library in libcudart.so.11.0 libcudart.so.12 libcudart.so.13 libcudart_static.a libheddle-audit.so; do
    put 644 "$build/lib/$library" lib/heddle/$library
done
[ ! -e "$build/lib/farm-mpi.so" ] || put 644 "$build/lib/farm-mpi.so" lib/heddle/farm-mpi.so
link libcudart.so.13 lib/heddle/libcudart.so
put 644 "$build/libheddle.so.0" lib/libheddle.so.0
link libheddle.so.0 lib/libheddle.so
for header in cuda.h cuda_runtime_api.h heddle.h heddle_hints.h; do
    put 644 include/$header include/heddle/$header
done
write lib/pkgconfig/heddle.pc <<PC
prefix=$prefix
includedir=\${prefix}/include
libdir=\${prefix}/lib
# Driver-API programs that are linked with -lcuda find heddle's libcuda.so.1 here.
driverdir=\${libdir}/heddle

Name: heddle
Description: Runs GPU kernels on the CPU, behind the CUDA driver API, under divergence mechanisms of the literature
Version: $version
Cflags: -I\${includedir}/heddle
Libs: -L\${libdir} -lheddle
PC
for file in gpus/*.ini papers/*.ini papers/*.csv examples/*.* examples/exercises/*.* examples/tutorial/*.* \
    workloads/*/*.cu workloads/*/*.cuh workloads/common/device.h; do
    put 644 "$file" "share/heddle/$file"
done
put 644 "$scratch/heddle.1.gz" share/man/man1/heddle.1.gz
for command in $commands; do
    put 644 "$scratch/$command.1.gz" "share/man/man1/heddle-$command.1.gz"
done
put 644 "$scratch/bash" share/bash-completion/completions/heddle
put 644 "$scratch/zsh" share/zsh/site-functions/_heddle
for file in README.md CHANGELOG.md CITATION.cff LICENSE; do
    put 644 $file share/doc/heddle/$file
done
find docs -type f | LC_ALL=C sort >"$scratch/documents"
while read -r file; do
    put 644 "$file" "share/doc/heddle/$file"
done <"$scratch/documents"

if [ "$record" = yes ]; then
    echo "file $prefix/share/heddle/installed.txt" >>"$list"
    install -m 644 "$list" "$root$prefix/share/heddle/installed.txt"
    # The loader knows a library in its own folders only after ldconfig has seen it.
    if [ -z "$root" ] && [ "$(id -u)" = 0 ]; then ldconfig 2>/dev/null || true; fi
fi
echo "heddle $version is installed in $root$prefix"
