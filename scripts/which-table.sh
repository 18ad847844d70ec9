#!/bin/sh
# Prints studies/which-mechanism.csv from a store of the sweep studies/which-mechanism.ini:
# which-table.sh HEDDLE STORE [SIZE]
#
#   heddle sweep studies/which-mechanism.ini --store which.db
#   scripts/which-table.sh build/heddle which.db >studies/which-mechanism.csv
#
# One row per run. Rows of pdom also have the properties of the program: SIMD efficiency, the share of branches that
# diverge, the shares of cycles of all multiprocessors in which nothing was ready with (waiting) and without (idle)
# memory accesses in flight, transactions per access, resident warps per multiprocessor, and the deepest stack. The
# store must have the runs of one build of heddle only: the page refuses a table with two rows for one run.
set -eu
heddle=${1:?usage: which-table.sh HEDDLE STORE [SIZE]}
store=${2:?usage: which-table.sh HEDDLE STORE [SIZE]}
size=${3:-small}
case $size in test | small | paper) ;; *)
    echo "which-table.sh: there is no size $size; sizes are test, small and paper" >&2
    exit 2
    ;;
esac
table=$("$heddle" query "$store" --csv --sql "
    WITH f AS (SELECT run,
        max(CASE path WHEN 'cycles' THEN sum END) AS cycles,
        max(CASE path WHEN 'machine.gpu.sm_count' THEN max END) AS sms,
        max(CASE path WHEN 'machine.sm.warp_width' THEN max END) AS width,
        max(CASE path WHEN 'sm.thread_instructions' THEN sum END) AS threads,
        max(CASE path WHEN 'sm.warp_instructions' THEN sum END) AS warps,
        max(CASE path WHEN 'sm.branches' THEN sum END) AS branches,
        max(CASE path WHEN 'sm.divergent_branches' THEN sum END) AS divergent,
        max(CASE path WHEN 'sm.W0_Mem' THEN sum END) AS waiting,
        max(CASE path WHEN 'sm.W0_Idle' THEN sum END) AS idle,
        max(CASE path WHEN 'sm.memory_instructions' THEN sum END) AS accesses,
        max(CASE path WHEN 'sm.transactions' THEN sum END) AS transactions,
        max(CASE path WHEN 'sm.resident_thread_cycles' THEN sum END) AS resident,
        max(CASE path WHEN 'pdom.max_depth' THEN max END) AS depth
        FROM figures GROUP BY run)
    SELECT name AS program, gpu AS machine, mechanism,
        coalesce(nullif(failure, ''), 'ok') AS status, CAST(f.cycles AS INTEGER) AS cycles,
        CASE mechanism WHEN 'pdom' THEN printf('%.4f', threads / warps / width) END AS simd_efficiency,
        CASE mechanism WHEN 'pdom' THEN printf('%.4f', divergent / max(branches, 1)) END AS divergent_share,
        CASE mechanism WHEN 'pdom' THEN printf('%.4f', waiting / f.cycles / sms) END AS waiting_share,
        CASE mechanism WHEN 'pdom' THEN printf('%.4f', idle / f.cycles / sms) END AS idle_share,
        CASE mechanism WHEN 'pdom' THEN printf('%.3f', transactions / max(accesses, 1)) END AS transactions_per_access,
        CASE mechanism WHEN 'pdom' THEN printf('%.2f', resident / f.cycles / sms / width) END AS resident_warps,
        CASE mechanism WHEN 'pdom' THEN CAST(depth AS INTEGER) END AS stack_depth
    FROM run LEFT JOIN f ON f.run = run.id
    WHERE size = '$size' AND ptx = 'nvcc' AND coalesce(settings, '') = ''
    ORDER BY name, gpu, mechanism")
printf '%s\n' "$table" | tr -d '\r'
