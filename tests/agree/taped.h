/*
 * Recordings of a launch that are kept in memory: the launch runs once and is recorded, then it is replayed, through the
 * bytes that a file would hold.
 */
#ifndef HEDDLE_TESTS_TAPED_H
#define HEDDLE_TESTS_TAPED_H

#include "exec/taping.h"
#include "tape/bytes.h"

struct taped {
    struct bytes *block; /* by number in the grid */
    uint64_t block_count;
    uint32_t threads; /* of a block, rounded up to rows */
    struct decisions *decisions;
    struct taping taping;
    bool failed; /* what was asked for twice, or is not there */
};

/* A copy of the launch that records into `t`, which is empty, or that replays what `t` holds. Decisions are those of the
 * code, which may be another at each call. False: the launch cannot be recorded. */
bool taped_record(struct taped *t, const struct launch *launch, const struct code *code, struct launch *copy);
bool taped_replay(struct taped *t, const struct launch *launch, const struct code *code, struct launch *copy);
void taped_free(struct taped *t);

#endif
