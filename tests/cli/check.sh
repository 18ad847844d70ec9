# What the tests of the command line share; read by scripts that are called with HEDDLE as their one argument. They go on
# in their own folder, with a scratch folder in $scratch, and count in $count and $failed. Each check names a behaviour,
# the exit status, and patterns (of grep -E) that stdout and stderr must hold; "-" demands silence, "" nothing.
heddle=$1
[ -x "$heddle" ] || { echo "usage: run.sh HEDDLE"; exit 2; }
case $heddle in /*) ;; *) heddle=$PWD/$heddle ;; esac
cd "$(dirname "$0")" || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
failed=0 count=0 awaited=
unset HEDDLE_OPTS HEDDLE_STORE

holds() # FILE PATTERN
{
    case $2 in
    "") true ;;
    -) [ ! -s "$1" ] ;;
    *) grep -Eq -e "$2" "$1" ;;
    esac
}

longest=300 # seconds, after which a command that does not end is stopped, with status 124

check() # NAME STATUS STDOUT STDERR ARGUMENTS...
{
    name=$1 status=$2 out=$3 err=$4
    shift 4
    count=$((count + 1))
    timeout --foreground "$longest" "$heddle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
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


# A command that is sent a signal, with all that it has started. They are known by their TMPDIR, a folder of their own, which
# also shows what they leave behind; it is read from a file, so that the command that looks for it does not have it.
processes() # COUNT: waits until so many are there
{
    tries=0
    until [ "$(grep -alsF -f "$scratch/mark" /proc/[0-9]*/environ | wc -l)" -eq "$1" ]; do
        [ $tries -lt 100 ] || return 1
        sleep 0.1
        tries=$((tries + 1))
    done
}

# Waits until the process catches the signal, ten seconds at most: it does not in its first moments.
catches() # PROCESS HUP|INT|TERM
{
    tries=0
    case $2 in HUP) bit=0 ;; INT) bit=1 ;; *) bit=14 ;; esac
    until caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) &&
        [ $((0x${caught:-0} >> bit & 1)) -eq 1 ]; do
        [ $tries -lt 100 ] || return 1
        sleep 0.1
        tries=$((tries + 1))
    done
}

# When PROCESSES are there, and a file $awaited in their temporary folder if that is set, the first gets SIGNAL.
stops() # NAME SIGNAL STATUS PROCESSES FILES STDOUT STDERR ARGUMENTS...
{
    name=$1 signal=$2 status=$3 running=$4 files=$5 out=$6 err=$7
    shift 7
    count=$((count + 1))
    mkdir "$scratch/tmp-$name"
    echo "TMPDIR=$scratch/tmp-$name" >"$scratch/mark"
    TMPDIR=$scratch/tmp-$name "$heddle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
    first=$!
    why=
    tries=0
    while [ -n "$awaited" ] && [ ! -e "$scratch/tmp-$name"/*/"$awaited" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    processes "$running" || why="$why, without $running processes"
    [ "$signal" = KILL ] || catches $first "$signal" || why="$why, which does not catch $signal"
    kill -"$signal" $first
    tries=0
    while kill -0 $first 2>/dev/null && [ $tries -lt 50 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ $tries -lt 50 ] || { kill -KILL $first; why="$why, not within 5 seconds"; }
    wait $first 2>/dev/null
    got=$?
    [ $got -eq "$status" ] || why="$why, status $got"
    processes 0 || why="$why, with processes left"
    [ "$(ls "$scratch/tmp-$name" | wc -l)" -eq "$files" ] || why="$why, with files left: $(ls "$scratch/tmp-$name")"
    holds "$scratch/out" "$out" && holds "$scratch/err" "$err" || why="$why, without '$out' and '$err'"
    [ -z "$why" ] && return
    failed=$((failed + 1))
    echo "FAILED $name$why"
    sed 's/^/  out: /' "$scratch/out" | head -20
    sed 's/^/  err: /' "$scratch/err" | head -20
}
