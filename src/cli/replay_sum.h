/* Sums over the launches of a replay, and how heddle replay prints them. */
#ifndef HEDDLE_CLI_REPLAY_SUM_H
#define HEDDLE_CLI_REPLAY_SUM_H

#include "gpu/gpu.h"

struct replay;

struct replay_sum {
    const char *mechanism;
    int launches;
    uint64_t cycles, warp_instructions, thread_instructions, lanes; /* lanes that issues offered */
    double seconds;                                                 /* of the host */
};

void replay_sum_add(struct replay_sum *sum, const struct gpu_result *result);
/* Prints one replay on stderr, or several as a table on stdout. */
void replay_sum_print(const struct replay_sum *sum, const char *path, const struct replay *replay);
void replay_sum_table(const struct replay_sum *sums, int count, const char *path, const struct replay *replay);

#endif
