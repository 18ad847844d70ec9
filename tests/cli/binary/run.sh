#!/bin/sh
# Files that are not PTX: run.sh HEDDLE. Checks are those of ../check.sh. tests/binary/mutate.c wrote whole.fatbin (kernel
# whole, LZ4), program (the same, and the kernel run, whose module is linked with another) and library.a (an archive).
. "$(dirname "$0")/../check.sh"

# what holds PTX is taken
check fat-binary 0 '^whole$' - list kernels whole.fatbin
check executable 0 '^run$' - list kernels program --names
check executable-whole 0 '^whole\$2$' - list kernels program --names
check archive 0 '^run$' - list kernels library.a --names
check executable-flow 0 'run' - flow program --kernel run
check executable-runs 0 ' 0: 5$' - run program --kernel run --block 1 --arg 'buf:u32[1]' --print 0 --quiet
check executable-recon 0 '' '' recon program --kernel run
check executable-compare 0 'pdom' '' compare whole.fatbin --gpu tiny --mech pdom

cp program "$scratch/app" && chmod +x "$scratch/app"
check program-of-several 2 - "choose one with --kernel: .*; heddle exec $scratch/app runs the whole program$" run "$scratch/app"
check program-with-arguments 2 - "heddle run: heddle exec $scratch/app runs a program with arguments" run "$scratch/app" 100
check program-behind-dashes 2 - 'heddle run: a program behind -- is for heddle exec' run -- "$scratch/app"
check no-program 2 - 'choose one with --kernel: [^;]*$' run program

# what does not is named
refused() # NAME FILE PATTERN
{
    for command in "list kernels" run flow recon; do
        # shellcheck disable=SC2086
        check "$1: $command" 1 - "$3" $command "$scratch/$2"
    done
}
head -c 100 whole.fatbin >"$scratch/short.fatbin"
refused damaged short.fatbin 'short.fatbin: error: the fat binary says that it is longer than the data that holds it'
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\276\0%44s' '' >"$scratch/code.cubin"
refused cubin code.cubin "this is GPU machine code \(a cubin\), not PTX; heddle executes PTX; compile with 'nvcc -gencode"
printf '\177ELF\1\1' >"$scratch/old"
refused old-elf old 'this is an ELF file that heddle cannot read, not PTX'
printf '!<arch>\n' >"$scratch/empty.a"
refused archive empty.a 'this is an archive of object files, not PTX; no device code is in it'
printf 'BC\300\336more' >"$scratch/code.bc"
refused bitcode code.bc 'this is LLVM bitcode, not PTX'
printf '\1\2\3\4' >"$scratch/noise"
refused noise noise 'this is a binary file of a kind that heddle does not know'
refused folder . 'cannot read the file: Is a directory'

echo "$count checks of files that are not PTX, $failed failed"
[ "$failed" = 0 ]
