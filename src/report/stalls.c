/* The counters of memory-pipe stalls, as a table of pipes and causes: see stalls.h. */
#include "report/stalls.h"

#include "report/formula_terms.h"

#include <stdio.h>

const char *const stall_pipe_names[STALL_PIPES] = {"data", "shared", "constant", "texture"};
const char *const stall_cause_names[STALL_CAUSES] = {"bank", "send", "register", "target", "reads", "writes"};

/* Owner of the pipe's counters; shared memory, a pipe without misses, has one counter, of the multiprocessor. */
static const char *const owners[STALL_PIPES] = {"l1d", "sm", "constant", "texture"};
static const char *const counters[STALL_CAUSES] = {
    [STALL_BANK] = "bank_stall_cycles",        [STALL_SEND] = "send_stall_cycles",
    [STALL_REGISTER] = "mshr_stall_cycles",    [STALL_TARGET] = "merge_stall_cycles",
    [STALL_READS] = "miss_queue_stall_cycles", [STALL_WRITES] = "write_queue_stall_cycles",
};

double stalls_of(const struct stat_result *r, enum stall_pipe pipe, enum stall_cause cause)
{
    char path[64];
    if (pipe == STALL_SHARED)
        return cause == STALL_BANK ? get(r, "sm.shared_stall_cycles") : NAN;
    snprintf(path, sizeof path, "%s.%s", owners[pipe], counters[cause]);
    return get(r, path);
}

double stalls_of_pipe(const struct stat_result *r, enum stall_pipe pipe)
{
    double sum = 0;
    for (int cause = 0; cause < STALL_CAUSES; cause++)
        if (pipe != STALL_SHARED || cause == STALL_BANK)
            sum += stalls_of(r, pipe, (enum stall_cause)cause);
    return sum;
}
