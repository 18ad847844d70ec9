# For the tests of scripts that make pages: a folder $work that goes away at the end, and checks, which are counted.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # NAME COMMAND...: the command succeeds
    name=$1
    shift
    if "$@" >"$work/out" 2>&1; then passed=$((passed + 1)); else
        echo "FAILED $name"
        head -20 "$work/out"
        failed=$((failed + 1))
    fi
}
