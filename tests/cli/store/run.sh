#!/bin/sh
# The store of heddle compare and heddle paper: run.sh HEDDLE. Checks are those of ../check.sh.
. "$(dirname "$0")/../check.sh"
store=$scratch/a.db
workloads=$("$heddle" list folders | awk '$1 == "workloads" { print $2 }')

# same NAME ARGUMENTS...: the same command without a store, with an empty one and with a full one prints the same
same()
{
    what=$1
    shift
    "$heddle" "$@" >"$scratch/plain" 2>"$scratch/plain-err"
    "$heddle" "$@" --store "$store" >"$scratch/first" 2>"$scratch/first-err"
    "$heddle" "$@" --store "$store" >"$scratch/second" 2>"$scratch/second-err"
    expect "$what has rows" [ -s "$scratch/plain" ]
    for run in first second; do
        expect "$what prints the same, $run time" cmp "$scratch/plain" "$scratch/$run"
        expect "$what complains of the same, $run time" cmp "$scratch/plain-err" "$scratch/$run-err"
    done
}

same compare compare lps --size test --mech pdom,tbc,pdom+merge-loops --gpu fx5800
same compare-wrong compare nvrt --size test --gpu fx5800 --mech pdom,dwf --limit 20000000
same compare-fault compare ../broken.ptx --mech pdom
same paper paper tbc --size test --claim T12 --details

# A program that counts its runs: what is stored is not run again, whatever the order of options; what failed is.
cat >"$scratch/app" <<APP
#!/bin/sh
echo >>"$scratch/count"
exec "$workloads/bfs2" --size test
APP
chmod +x "$scratch/app"
runs() { wc -l <"$scratch/count"; }
check program 0 '^  tbc ' - compare --mech pdom,tbc --gpu fermi --store "$store" -- "$scratch/app"
expect "three programs ran: under two mechanisms and the bound" [ "$(runs)" -eq 3 ]
check program-again 0 '^  pdom ' - compare --store "$store" --mech tbc,pdom --set sm.scheduler=gto -- "$scratch/app"
expect "none ran again" [ "$(runs)" -eq 3 ]
check program-other-argument 0 '^  pdom ' - compare --store "$store" --mech tbc,pdom -- "$scratch/app" x
expect "with another argument all ran" [ "$(runs)" -eq 6 ]
HEDDLE_STORE=$store
export HEDDLE_STORE
check environment 0 '^  pdom ' - compare --mech tbc,pdom -- "$scratch/app" x
expect "HEDDLE_STORE names the store" [ "$(runs)" -eq 6 ]
check without-result 0 '' '' compare --mech pdom --trace-svg "$scratch/x.svg" -- "$scratch/app" x
expect "a run that draws a picture is run again" [ "$(runs)" -gt 6 ]
expect "it drew one" [ -s "$scratch/x.svg" ]
unset HEDDLE_STORE
sed -i 's/^exec.*/exit 7/' "$scratch/app"
: >"$scratch/count"
check failing 3 'exit status 7' '' compare --mech pdom --store "$store" -- "$scratch/app"
check failing-again 3 'exit status 7' '' compare --mech pdom --store "$store" -- "$scratch/app"
expect "a run that failed is run again" [ "$(runs)" -eq 4 ]

# what is no store
echo "a letter, not a database; it is long enough to be told from an empty file" >"$scratch/letter"
check no-store 1 - 'letter is no store of heddle' compare lps --size test --mech pdom --store "$scratch/letter"
check no-folder 1 - 'unable to open' paper tbc --size test --claim T12 --store /no/such/folder/x.db

echo "$count checks of the store, $failed failed"
[ $failed -eq 0 ]
