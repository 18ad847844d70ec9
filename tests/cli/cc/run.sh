#!/bin/sh
# heddle cc, and CUDA sources where a PTX file may stand: run.sh HEDDLE. Compilers are scripts that say what they were
# asked for, so that no CUDA compiler is needed.
set -eu
heddle=$1
case $heddle in /*) ;; *) heddle=$PWD/$heddle ;; esac
ptx=$PWD/tests/cli/saxpy.ptx
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
say() { echo "FAILED $1"; sed 's/^/  /' out; exit 1; }

# A compiler that writes its words to `asked`, and PTX to what stands behind -o.
mkdir tools
cat >tools/nvcc <<EOF
#!/bin/sh
echo "\$@" >>"$scratch/asked"
case "\$*" in *wrong*) echo "wrong.cu(3): error: expected a ;" >&2; exit 2 ;; esac
while [ \$# -gt 1 ]; do [ "\$1" != -o ] || cp "$ptx" "\$2"; shift; done
EOF
sed 's/asked/asked-clang/' tools/nvcc >tools/clang++
chmod +x tools/*
echo '__global__ void saxpy();' >saxpy.cu
cp saxpy.cu wrong.cu
none="$scratch/empty:/bin:/usr/bin"

PATH="$scratch/tools:$PATH" "$heddle" cc saxpy.cu -O3 -o app >out 2>&1 || say "heddle cc fails"
[ "$(cat asked)" = "-cudart=shared -lineinfo -arch=compute_80 saxpy.cu -O3 -o app" ] || { cp asked out; say "other options"; }
rm asked
PATH="$scratch/tools:$PATH" "$heddle" cc -arch=sm_90 saxpy.cu -o app >out 2>&1 || say "heddle cc fails with -arch"
[ "$(cat asked)" = "-cudart=shared -lineinfo -arch=sm_90 saxpy.cu -o app" ] || { cp asked out; say "-arch is not kept"; }
PATH="$scratch/tools:$PATH" "$heddle" cc --compiler clang++ saxpy.cu -o app >out 2>&1 || say "clang++ is not called"
grep -q -- '--cuda-gpu-arch=sm_80.*saxpy.cu -o app -lcudart' asked-clang || { cp asked-clang out; say "other options for clang"; }
status=0
PATH="$scratch/tools:$PATH" "$heddle" cc wrong.cu -o app >out 2>&1 || status=$?
[ $status = 2 ] && grep -q 'expected a ;' out || say "the compiler's message or status is lost"
status=0
"$heddle" cc -O3 >out 2>&1 || status=$?
[ $status = 2 ] && grep -q 'nothing to compile' out || say "no source goes unnoticed"
status=0
"$heddle" cc --compiler nosuchcc saxpy.cu >out 2>&1 || status=$?
[ $status = 1 ] && grep -q 'there is no compiler nosuchcc' out || say "a missing compiler is not named"
if [ ! -x /usr/local/cuda/bin/nvcc ] && ! PATH=$none command -v clang++ >/dev/null; then
    status=0
    PATH=$none "$heddle" cc saxpy.cu >out 2>&1 || status=$?
    [ $status = 1 ] && grep -q 'neither nvcc' out || say "no compiler at all goes unnoticed"
fi
# A CUDA source stands where a PTX file may: its kernels are compiled first.
rm asked
PATH="$scratch/tools:$PATH" "$heddle" list kernels saxpy.cu >out 2>&1 || say "a source is not taken"
grep -q saxpy out || say "the source's kernel is not there"
grep -q -- '^-ptx -lineinfo -arch=compute_80 -o .* saxpy.cu$' asked || { cp asked out; say "other options for PTX"; }
PATH="$scratch/tools:$PATH" "$heddle" run saxpy.cu --block 32 --arg 2.0 --arg 'buf:f32[32]=iota' --arg 'buf:f32[32]=iota' \
    --arg 32 --print 2:2 >out 2>&1 || say "a source does not run"
status=0
PATH="$scratch/tools:$PATH" "$heddle" flow wrong.cu >out 2>&1 || status=$?
[ $status = 1 ] && grep -q 'expected a ;' out && grep -q 'could not compile wrong.cu' out || say "a wrong source is not named"
sed "s|cp \"$ptx\"|cp \"$scratch/empty.ptx\"|" tools/nvcc >tools/new && mv tools/new tools/nvcc && chmod +x tools/nvcc
printf '.version 7.0\n.target sm_80\n.address_size 64\n' >empty.ptx
status=0
PATH="$scratch/tools:$PATH" "$heddle" flow saxpy.cu >out 2>&1 || status=$?
[ $status = 1 ] && grep -q '^heddle: saxpy.cu (compiled to PTX) holds no kernel$' out || say "a source without kernels is not named"
status=0
PATH="$scratch/tools:$PATH" "$heddle" run missing.cu >out 2>&1 || status=$?
[ $status = 1 ] && grep -q 'missing.cu' out || say "a missing source is not named"
echo "cc: ok"
