# The kernels of examples/ and how they are run. Scripts that measure the kernels read this file and set $heddle.
folder=$(dirname "$0")/../examples

# One line per kernel: its name and arguments.
kernels='hammock buf:u32[15360] 8
trips buf:u32[15360]
search buf:u32[15360] 16
cases buf:u32[15360] 16
rounds buf:u32[15360] 12
chase buf:u32[15360] buf:u32[262144]=random(1) 262143 4'

kernel_names=$(echo "$kernels" | awk '{ print $1 }')

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

# launch KERNEL OPTIONS...: prints the line of JSON if OPTIONS ask for one, then one hash per buffer
launch() {
    kernel=$1
    shift
    set -f # the brackets of arguments are no patterns of file names
    words=$(echo "$kernels" | awk -v k="$kernel" '$1 == k { for (i = 2; i <= NF; i++) print "--arg", $i }')
    "$heddle" run "$folder/$kernel.ptx" --grid 60 --block 256 $words --hash --quiet "$@"
    set +f
}

# expect KERNEL: sets $expected to the hashes of the memory that every run of the kernel must leave
expect() { expected=$(launch "$1") || fail "$1: the launch failed"; }

# measure KERNEL MACHINE MECHANISM OPTIONS...: prints "CYCLES EFFICIENCY"; fails if the run's memory is not $expected
measure() {
    where="$1 on $2 under $3"
    kernel=$1 machine=$2 mechanism=$3
    shift 3
    answer=$(launch "$kernel" --gpu "$machine" --mech "$mechanism" "$@" --json -) || fail "$where: the launch failed"
    [ "$(echo "$answer" | grep '^argument')" = "$expected" ] || fail "$where: wrong results"
    echo "$answer" | awk -F'[:,]' '/^{/ {
        for (i = 1; i < NF; i++) {
            if ($i == "\"cycles\"" && !cycles) cycles = $(i + 1)
            if ($i == "\"simd_efficiency\"") efficiency = $(i + 1)
        }
        print cycles, efficiency }'
}
