/* The tables of remedies and of what kinds mean: see remedy.h. */
#include "explain/remedy.h"

#include <string.h>

#define KIND(name) (1u << KIND_##name)

const struct remedy remedy_table[] = {
    {"sort",
     "Sort or bin the inputs, so that threads of a warp do the same amount of work, or take the same side",
     KIND(LOOP_TRIPS) | KIND(EARLY_END) | KIND(CONDITION) | KIND(LOOP_CONDITION),
     true,
     {NULL},
     "// Once, before the launch: order[] = indices of the inputs, sorted (thrust::sort_by_key) by\n"
     "// the trips they will take, or by the side; a good guess of the key is enough.\n"
     "__global__ void kernel(const int *order, ...) {\n"
     "    int slot = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (slot >= n) return;\n"
     "    int i = order[slot];              // instead of i = slot\n"
     "    %s\n"
     "}\n"},
    {"merge",
     "Merge the inner loop with the outer one: a round does one inner iteration for every thread that wants one",
     KIND(LOOP_TRIPS),
     false,
     {"merge-loops", "merge-loops=all", "merge-loops=all-majority", NULL},
     "unsigned group = __activemask();         // those that enter the outer loop together\n"
     "bool inner = begin_task(), more = true;  // the code ahead of the inner loop, for the first task\n"
     "while (__any_sync(group, more)) {        // every thread of the group votes, also when it is done\n"
     "    if (more && inner)\n"
     "        inner = iterate();               // body of: %s\n"
     "    if (more && !inner) {\n"
     "        finish_task();                   // the code behind the inner loop\n"
     "        more = next_task();\n"
     "        inner = more && begin_task();\n"
     "    }\n"
     "    __syncwarp(group);                   // threads meet before the next iteration\n"
     "}\n"},
    {"refill",
     "Refill lanes: a thread that is done takes the next input at once, while the others go on",
     KIND(LOOP_TRIPS) | KIND(EARLY_END),
     false,
     {"coarsen=4,merge-loops=all", "coarsen=16,merge-loops=all", NULL},
     "// Launch fewer threads than there are inputs; thread t takes t, t + stride, t + 2 * stride, ...\n"
     "unsigned group = __activemask();\n"
     "int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;\n"
     "bool busy = i < n && begin(i);           // false: nothing to do for this input\n"
     "while (__any_sync(group, i < n)) {\n"
     "    if (i < n && busy)\n"
     "        busy = iterate(i);               // one iteration of: %s\n"
     "    if (i < n && !busy) {\n"
     "        finish(i);\n"
     "        i += stride;\n"
     "        busy = i < n && begin(i);\n"
     "    }\n"
     "    __syncwarp(group);\n"
     "}\n"},
    {"delay",
     "Let threads that come to the expensive side wait, by a vote, until others of the warp need it, too",
     KIND(LOOP_CONDITION),
     false,
     {"delay", "delay=all", "delay=all-majority", NULL},
     "unsigned group = __activemask();         // those that enter the loop together\n"
     "bool more = true, waiting = false;\n"
     "while (__any_sync(group, more)) {\n"
     "    if (more && !waiting)\n"
     "        waiting = advance();             // up to: %s\n"
     "    // true: this thread wants the expensive side; false: it took the other one and goes on\n"
     "    if (!__any_sync(group, more && !waiting) || __popc(__ballot_sync(group, waiting)) >= 16)\n"
     "        if (waiting) {\n"
     "            expensive_side();            // many threads at once\n"
     "            waiting = false;\n"
     "        }\n"
     "    more = waiting || has_more();\n"
     "    __syncwarp(group);\n"
     "}\n"},
    {"hoist",
     "Hoist what both sides have in common out of the branch: choose the operands first, then do it once for all",
     KIND(COMMON) | KIND(CONDITION) | KIND(LOOP_CONDITION),
     false,
     {"fuse", "fuse=all", NULL},
     "// before:  %s  a = f(x); else b = f(y);\n"
     "auto argument = condition ? x : y;       // a select, no branch\n"
     "auto result = f(argument);               // all threads of the warp together\n"
     "if (condition) a = result; else b = result;\n"},
    {NULL, NULL, 0, false, {NULL}, NULL},
};

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
