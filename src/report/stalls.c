/* The counters of memory-pipe stalls, as a table of pipes and causes: see stalls.h. */
#include "report/stalls.h"

#include "report/formula_terms.h"

const char *const stall_pipe_names[STALL_PIPES] = {"data", "shared", "constant", "texture"};
const char *const stall_cause_names[STALL_CAUSES] = {"bank", "send", "register", "target", "reads", "writes"};

/* clang-format off */
#define CACHE_CAUSES(owner) \
    {[STALL_BANK] = owner ".bank_stall_cycles", \
     [STALL_SEND] = owner ".send_stall_cycles", \
     [STALL_REGISTER] = owner ".mshr_stall_cycles", \
     [STALL_TARGET] = owner ".merge_stall_cycles", \
     [STALL_READS] = owner ".miss_queue_stall_cycles", \
     [STALL_WRITES] = owner ".write_queue_stall_cycles"}
/* clang-format on */

/* Paths of counters. Shared memory, a pipe without misses, has one cause. */
static const char *const paths[STALL_PIPES][STALL_CAUSES] = {
    [STALL_DATA] = CACHE_CAUSES("l1d"),
    [STALL_SHARED] = {[STALL_BANK] = "sm.shared_stall_cycles"},
    [STALL_CONSTANT] = CACHE_CAUSES("constant"),
    [STALL_TEXTURE] = CACHE_CAUSES("texture"),
};

double stalls_of(const struct stat_result *r, enum stall_pipe pipe, enum stall_cause cause)
{
    const char *path = paths[pipe][cause];
    return path ? get(r, path) : NAN;
}

double stalls_of_pipe(const struct stat_result *r, enum stall_pipe pipe)
{
    double sum = 0;
    for (int cause = 0; cause < STALL_CAUSES; cause++)
        if (paths[pipe][cause])
            sum += get(r, paths[pipe][cause]);
    return sum;
}
