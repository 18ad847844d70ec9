/* The tables of remedies and of what kinds mean: see remedy.h. */
#include "explain/remedy.h"

#include <string.h>

#define KIND(name) (1u << KIND_##name)

const struct remedy remedy_table[REMEDY_COUNT + 1] = {
    {"sort",
     "Sort or bin the inputs, so that threads of a warp do the same amount of work, or take the same side",
     KIND(LOOP_TRIPS) | KIND(EARLY_END) | KIND(CONDITION) | KIND(LOOP_CONDITION) | KIND(COMMON),
     true,
     {NULL},
     "// Before the launch: order[] = indices of the inputs, sorted by the\n"
     "// trips they will take or by their side (thrust::stable_sort_by_key).\n"
     "// A coarse key, or a guess of it, is best: inputs with the same key keep\n"
     "// their order, and neighbours in memory stay together. If nothing is\n"
     "// known ahead, do a few iterations per launch, and go on with those that\n"
     "// are not done (thrust::copy_if). Reuse the order for the same inputs.\n"
     "int slot = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "if (slot >= n) return;\n"
     "int i = order[slot];                // instead of i = slot\n"
     "%s\n"},
    {"merge",
     "Merge the inner loop with the outer one: a round does one inner iteration for every thread that wants one",
     KIND(LOOP_TRIPS),
     false,
     {"merge-loops", "merge-loops=all", "merge-loops=all-majority", NULL},
     "unsigned group = __activemask();    // who enters the outer loop together\n"
     "bool more = true;\n"
     "bool inner = begin_task();          // the code ahead of the inner loop\n"
     "while (__any_sync(group, more)) {   // threads vote even if they are done\n"
     "    if (more && inner)\n"
     "        inner = iterate();          // body of: %s\n"
     "    if (more && !inner) {\n"
     "        finish_task();              // the code behind the inner loop\n"
     "        more = next_task();\n"
     "        inner = more && begin_task();\n"
     "    }\n"
     "    __syncwarp(group);              // threads meet before the next round\n"
     "}\n"},
    {"refill",
     "Refill lanes: a thread that is done takes the next input at once, while the others go on",
     KIND(LOOP_TRIPS) | KIND(EARLY_END),
     false,
     {"coarsen=4,merge-loops=all", "coarsen=16,merge-loops=all", NULL},
     "// Launch fewer threads than there are inputs.\n"
     "unsigned group = __activemask();\n"
     "int stride = gridDim.x * blockDim.x;\n"
     "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "bool busy = i < n && begin(i);      // false: nothing to do for this input\n"
     "while (__any_sync(group, i < n)) {\n"
     "    if (i < n && busy)\n"
     "        busy = iterate(i);          // once: %s\n"
     "    if (i < n && !busy) {\n"
     "        finish(i);\n"
     "        i += stride;                // or atomicAdd(&next, 1)\n"
     "        busy = i < n && begin(i);\n"
     "    }\n"
     "    __syncwarp(group);\n"
     "}\n"},
    {"delay",
     "Let threads that come to the expensive side wait, by a vote, until others of the warp need it, too",
     KIND(LOOP_CONDITION),
     false,
     {"delay", "delay=all", "delay=all-majority", NULL},
     "unsigned group = __activemask();    // those that enter the loop together\n"
     "bool more = true, waits = false;\n"
     "while (__any_sync(group, more)) {\n"
     "    if (more && !waits)\n"
     "        waits = advance();          // up to: %s\n"
     "    // waits: the thread wants the expensive side; else it went on\n"
     "    unsigned waiting = __ballot_sync(group, waits);\n"
     "    bool all_wait = !__any_sync(group, more && !waits);\n"
     "    if (waits && (all_wait || __popc(waiting) >= 16)) {\n"
     "        expensive_side();           // many threads at once\n"
     "        waits = false;\n"
     "    }\n"
     "    more = waits || has_more();\n"
     "    __syncwarp(group);\n"
     "}\n"},
    {"hoist",
     "Hoist what both sides have in common out of the branch: choose the operands first, then do it once for all",
     KIND(COMMON) | KIND(CONDITION) | KIND(LOOP_CONDITION),
     false,
     {"fuse", "fuse=all", NULL},
     "// before: %s\n"
     "//             a = f(x); else b = f(y);\n"
     "auto argument = condition ? x : y;  // a select, no branch\n"
     "auto result = f(argument);          // all threads of the warp together\n"
     "if (condition) a = result; else b = result;\n"},
    {NULL, NULL, 0, false, {NULL}, NULL},
};

void remedy_print_pattern(const struct remedy *r, const char *line, int columns, int indent, struct text *out)
{
    for (const char *at = r->pattern; *at;) {
        size_t length = strcspn(at, "\n");
        const char *mark = strstr(at, "%s");
        text_printf(out, "%*s", indent, "");
        if (mark && mark < at + length) {
            int room = columns - indent - (int)(mark - at);
            text_append(out, at, (size_t)(mark - at));
            if (line && (int)strlen(line) > room && room > 3)
                text_printf(out, "%.*s...", room - 3, line);
            else
                text_printf(out, "%s", line ? line : "...");
        } else {
            text_append(out, at, length);
        }
        text_printf(out, "\n");
        at += length + (at[length] == '\n');
    }
}

bool remedy_fits(const struct remedy *r, enum explain_kind kind, const struct shape *shape)
{
    bool is_nested = shape->leaves_to_loop || shape->loop_depth > 1;
    if (!(r->kinds >> kind & 1))
        return false;
    if (!strcmp(r->name, "merge"))
        return is_nested;
    return strcmp(r->name, "refill") != 0 || !is_nested;
}

const char *kind_meaning(enum explain_kind kind)
{
    switch (kind) {
    case KIND_LOOP_TRIPS:
        return "Threads of a warp stay in the loop for different numbers of iterations, and those that have left it "
               "wait for the last one.";
    case KIND_LOOP_CONDITION:
        return "In each iteration some threads of the warp take one side and the rest the other, one after the other.";
    case KIND_COMMON:
        return "Both sides do much the same, but at different places of the code, so that the warp does it twice.";
    case KIND_BOUNDARY:
        return "Only the warps at an edge diverge here; all others go one way as a whole.";
    case KIND_EARLY_END:
        return "Some threads of a warp end here, and their lanes stay empty until the last thread has ended.";
    case KIND_MEMORY:
        return "The threads of a warp access places that lie far apart, so that each access moves more sectors of 32 "
               "bytes than the threads asked for.";
    default:
        return "Some threads of the warp take one side and the rest the other, one after the other.";
    }
}

const char *kind_mechanism(enum explain_kind kind)
{
    switch (kind) {
    case KIND_LOOP_TRIPS:
        return "narrow warps (ws, vws): fewer threads wait for the longest; in a loop within a loop also convergence "
               "barriers at the loop's body (volta with --recon auto)";
    case KIND_LOOP_CONDITION:
        return "two paths of a warp that issue in turns (dpe, sbi, reed), and compaction of a block's warps (tbc-lcp) "
               "if its branches diverge in most warps";
    case KIND_COMMON:
        return "convergence barriers at the function's entry (volta with --recon auto)";
    case KIND_BOUNDARY:
        return "none: there is little to win";
    case KIND_EARLY_END:
        return "compaction of a block's threads (tbc-lcp, capri), and narrow warps (ws, vws)";
    case KIND_MEMORY:
        return "splitting warps at memory (dws) lets threads whose data came go on; it moves no fewer sectors";
    default:
        return "two paths of a warp that issue in turns (dpe, sbi, reed), and compaction of a block's warps (tbc-lcp)";
    }
}
