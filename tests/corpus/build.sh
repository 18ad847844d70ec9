#!/bin/sh
# Compiles the corpus to the PTX that is committed beside it, as ptx/NAME.VARIANT.ptx.
#
#   build.sh [NAME ...]      all sources, or those named
#
# NVCC, CLANG14, CLANG19 and PTXAS name the programs; what is missing is reported and its variants are left
# as they are. A source's own comments say what it needs:
#   // compilers: nvcc      it needs the CUDA headers or the math library; no clang variants
#   // flags: ...           more flags for nvcc
#   // debug: ...           debug variants too: "lines" (-lineinfo), "full" (-G)
#
# Contraction is off and optimisation fixed, so that every compiler must compute the same bits.
set -u
cd "$(dirname "$0")" || exit 1

NVCC=${NVCC:-nvcc}
CLANG14=${CLANG14:-clang-14}
CLANG19=${CLANG19:-clang-19}
PTXAS=${PTXAS:-ptxas}
failed=0
missing=

have() {
    command -v "$1" >/dev/null 2>&1 || { missing="$missing $1"; return 1; }
}

# header_line SOURCE KEY: what follows "// KEY:" in the source.
header_line() {
    sed -n "s|^// $2: *||p" "$1.cu"
}

# check FILE ARCH: the same architecture's assembler must take it.
check() {
    [ -z "$ptxas" ] && return
    "$ptxas" -arch="sm_$2" "$1" -o /dev/null 2>ptxas.log || { cat ptxas.log; echo "refused: $1"; failed=1; }
    rm -f ptxas.log
}

# settle FILE ARCH: checks what a compiler wrote to FILE.new and puts it in place. It must not tell where it
# was made: names of files lose their folders, and this folder's name in DWARF bytes becomes dots.
settle() {
    sed -e '/^[[:space:]]*\.file/s|"[^"]*/\([^"/]*\)"|"\1"|' -e "s/$here/$dots/" "$1.new" >"$1" && rm "$1.new"
    check "$1" "$2"
}

build_nvcc() { # NAME ARCH SUFFIX FLAGS...
    name=$1 arch=$2 out=ptx/$1.nvcc-$2$3.ptx
    shift 3
    "$nvcc" -ptx -arch="sm_$arch" -std=c++17 -fmad=false -Wno-deprecated-gpu-targets \
        $(header_line "$name" flags) "$@" "$name.cu" -o "$out.new" || { failed=1; return; }
    settle "$out" "$arch"
}

build_clang() { # NAME COMPILER TAG ARCH PTX_VERSION SUFFIX FLAGS...
    name=$1 compiler=$2 arch=$4 version=$5 out=ptx/$1.$3-$4$6.ptx
    shift 6
    "$compiler" -x cuda --cuda-device-only --cuda-gpu-arch="sm_$arch" -Xclang -target-feature \
        -Xclang "+ptx$version" -nocudainc -nocudalib --cuda-path=/none -Wno-unknown-cuda-version \
        -std=c++17 -O2 -ffp-contract=off -fdebug-compilation-dir=. -S "$@" "$name.cu" -o "$out.new" || { failed=1; return; }
    settle "$out" "$arch"
}

build() { # NAME
    compilers=$(header_line "$1" compilers)
    debug=$(header_line "$1" debug)
    if [ -n "$nvcc" ]; then
        for arch in 75 80 90 100 120; do
            build_nvcc "$1" $arch ""
        done
        case $debug in *lines*) build_nvcc "$1" 90 -lines -lineinfo ;; esac
        case $debug in *full*) build_nvcc "$1" 90 -debug -G ;; esac
    fi
    [ "$compilers" = nvcc ] && return
    if [ -n "$clang14" ]; then
        build_clang "$1" "$clang14" clang14 75 75 ""
        case $debug in *lines*) build_clang "$1" "$clang14" clang14 75 75 -lines -gline-tables-only ;; esac
        case $debug in *full*) build_clang "$1" "$clang14" clang14 75 75 -debug -g -O0 ;; esac
    fi
    if [ -n "$clang19" ]; then
        build_clang "$1" "$clang19" clang19 75 75 ""
        build_clang "$1" "$clang19" clang19 90 85 ""
        case $debug in *lines*) build_clang "$1" "$clang19" clang19 90 85 -lines -gline-tables-only ;; esac
        case $debug in *full*) build_clang "$1" "$clang19" clang19 90 85 -debug -g -O0 ;; esac
    fi
}

here=$(printf %s "$PWD" | od -An -v -tu1 | tr -s ' \n' ',' | sed 's/^,//; s/,$//')
dots=$(echo "$here" | sed 's/[0-9][0-9]*/46/g')

nvcc= clang14= clang19= ptxas=
have "$NVCC" && nvcc=$NVCC
have "$CLANG14" && clang14=$CLANG14
have "$CLANG19" && clang19=$CLANG19
have "$PTXAS" && ptxas=$PTXAS
[ -n "$missing" ] && echo "missing, so their variants are kept as they are:$missing"

mkdir -p ptx
[ $# -eq 0 ] && set -- *.cu
for source; do
    build "${source%.cu}"
done
du -sk ptx | awk '{ print "PTX in all: " $1 " KiB" }'
exit $failed
