#!/bin/sh
# The watcher of the loader leads programs to heddle's libraries: run.sh BUILD. The compiler is $CC, with $CFLAGS.
set -eu
build=$1
case $build in /*) ;; *) build=$PWD/$build ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# shellcheck disable=SC2086
compile() { ${CC:-cc} ${CFLAGS:-} "$@"; }
say() { echo "FAILED $1"; sed 's/^/  /' out; exit 1; }
watched() { LD_AUDIT="$build/lib/libheddle-audit.so" "$@" >out 2>&1; }

# Foreign libraries of the names that programs ask for. Each says who it is by what its call returns.
mkdir foreign
echo 'int cuInit(unsigned flags) { return 77 + (int)flags; }' >cuda.c
compile -shared -fPIC -Wl,-soname,libcuda.so.1 -o foreign/libcuda.so.1 cuda.c
echo 'int cublasCreate(void) { return 5; }' >cublas.c
compile -shared -fPIC -Wl,-soname,libcublas.so.99 -o foreign/libcublas.so.99 cublas.c

# A program that finds its driver by an RPATH, which goes before LD_LIBRARY_PATH.
cat >program.c <<'C'
int cuInit(unsigned flags);
int main(void) { return cuInit(0); }
C
compile -o program program.c foreign/libcuda.so.1 -Wl,--disable-new-dtags,-rpath,"$scratch/foreign"
./program && say "the program does not find the foreign driver at all"
watched ./program || say "a program with an RPATH does not get heddle's driver"

# A program that names its driver by a whole path.
cat >opener.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : 0;
    return init ? init(0) : 99;
}
C
compile -o opener opener.c -ldl
watched ./opener "$scratch/foreign/libcuda.so.1" || say "a program that opens a path does not get heddle's driver"

# Files of NVIDIA's have longer versions in their names than programs ask for.
echo 'int cuInit(unsigned flags); int cudaRuntimeGetVersion(int *v) { return cuInit(*v = 0); }' >runtime.c
compile -shared -fPIC -o foreign/libcuda.so.570.86 cuda.c
for version in 11.8.89 12.4.127 13.0.48; do
    compile -shared -fPIC -o "foreign/libcudart.so.$version" runtime.c foreign/libcuda.so.570.86
done
watched ./opener "$scratch/foreign/libcuda.so.570.86" || say "a driver with its version is not replaced by heddle's"
cat >versions.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    int (*get)(int *) = library ? (int (*)(int *))dlsym(library, "cudaRuntimeGetVersion") : 0;
    int version = 0;
    return get && !get(&version) ? version / 1000 : 99;
}
C
compile -o versions versions.c -ldl
for version in 11.8.89 12.4.127 13.0.48; do
    watched ./versions "$scratch/foreign/libcudart.so.$version" && got=0 || got=$?
    [ "$got" -eq "${version%%.*}" ] || say "a program that opens libcudart.so.$version does not get heddle's"
done

# A version of CUDA that heddle has no runtime for.
echo 'int cudaFree(void *p) { return p != 0; }' >old.c
compile -shared -fPIC -Wl,-soname,libcudart.so.10.2 -o libcudart.so.10.2 old.c
echo 'int cudaFree(void *p); int main(void) { return cudaFree(0); }' >old_program.c
compile -o old_program old_program.c libcudart.so.10.2
watched ./old_program && say "a program of CUDA 10 runs without its runtime"
grep -q '^heddle: old_program needs libcudart.so.10.2, .* runtimes of CUDA 11, 12 and 13' out || say "CUDA 10 is not named"
[ "$(wc -l <out)" -eq 1 ] || say "not one line about CUDA 10"
watched env LD_LIBRARY_PATH=. ./old_program || say "the program's own runtime of CUDA 10 is not loaded"

# A program that looks for a library by dlopen() goes on without it.
watched ./opener libcudart.so.10.2 && got=0 || got=$?
[ "$got" -eq 99 ] || say "a program that tries to open a runtime of CUDA 10 ends"
watched ./opener libcublas.so.98 && got=0 || got=$?
[ "$got" -eq 99 ] || say "a program that tries to open a closed library ends"
[ ! -s out ] || say "a library that a program does without is spoken of"

# A child of a script.
printf '#!/bin/sh\n./program\n' >script
chmod +x script
watched ./script || say "a script's program does not get heddle's driver"

# A closed library that is there is loaded, also by $ORIGIN; one that is not ends the program with a line.
cat >linked.c <<'C'
int cublasCreate(void);
int main(int argc, char **argv) { (void)argv; return argc > 1 ? cublasCreate() : 0; }
C
# shellcheck disable=SC2016
compile -o linked linked.c foreign/libcublas.so.99 -Wl,-rpath,'$ORIGIN/foreign'
watched ./linked || say "a closed library that is there is not loaded"
[ ! -s out ] || say "a closed library that nobody calls is spoken of"
rm foreign/libcublas.so.99
watched ./linked && say "a program without its library runs"
[ "$(wc -l <out)" -eq 1 ] || say "not one line"
grep -q '^heddle: linked needs libcublas.so.99, which is not on this machine' out || say "the library is not named"

# Programs that have nothing to do with CUDA are left alone.
watched sh -c 'echo hello; exit 4' && say "a status is lost"
[ "$(cat out)" = hello ] || say "the output of another program changes"
echo "audit: ok"
