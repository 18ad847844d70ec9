# What the tests of the command line share; read by scripts that are called with HEDDLE as their one argument. They go on
# in their own folder, with a scratch folder in $scratch, and count in $count and $failed. Each check names a behaviour,
# the exit status, and patterns (of grep -E) that stdout and stderr must hold; "-" demands silence, "" nothing.
heddle=$1
[ -x "$heddle" ] || { echo "usage: run.sh HEDDLE"; exit 2; }
case $heddle in /*) ;; *) heddle=$PWD/$heddle ;; esac
cd "$(dirname "$0")" || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
failed=0 count=0
unset HEDDLE_OPTS

holds() # FILE PATTERN
{
    case $2 in
    "") true ;;
    -) [ ! -s "$1" ] ;;
    *) grep -Eq -e "$2" "$1" ;;
    esac
}

check() # NAME STATUS STDOUT STDERR ARGUMENTS...
{
    name=$1 status=$2 out=$3 err=$4
    shift 4
    count=$((count + 1))
    "$heddle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    got=$?
    if [ $got -ne "$status" ] || ! holds "$scratch/out" "$out" || ! holds "$scratch/err" "$err"; then
        failed=$((failed + 1))
        echo "FAILED $name: status $got, expected $status; stdout '$out', stderr '$err'"
        sed 's/^/  out: /' "$scratch/out" | head -20
        sed 's/^/  err: /' "$scratch/err" | head -20
    fi
    if LC_ALL=C awk 'length > 100 { exit 1 }' "$scratch/out"; then :; elif [ "$wide" != yes ]; then
        failed=$((failed + 1))
        echo "FAILED $name: wider than 100 columns"
    fi
}

expect() # NAME COMMAND...
{
    name=$1
    shift
    count=$((count + 1))
    "$@" || { failed=$((failed + 1)); echo "FAILED $name"; }
}

