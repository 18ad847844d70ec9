/*
 * A round: stretches of consecutive blocks that the members of a crew run at the same time, ahead of their turns
 * (ahead.h).
 *
 * A round has two parts. In the first, memory does not change: each member takes one stretch after the other and writes
 * into the stretch's draft. It ends when every member has found no further stretch, or has come to an instruction that
 * must wait for its turn. In the second part one thread runs at a time: the turns come, in the order of blocks.
 */
#ifndef HEDDLE_EXEC_AHEAD_ROUND_H
#define HEDDLE_EXEC_AHEAD_ROUND_H

#include "exec/ahead/ahead.h"

struct round_plan {
    uint64_t first, end; /* blocks from `first` up to `end`, exclusively */
    uint64_t blocks;     /* of a stretch */
    int stretches;       /* at most */
};

struct round;

/* Serves one round after the other, of one launch. */
struct round *round_open(struct engine *e, struct crew *crew);
void round_close(struct round *r); /* NULL is allowed */
/* Whether the next round has several stretches. Else one stretch runs at its turn, to show which areas blocks write. */
bool round_knows_writes(const struct round *r);
struct ahead_end round_run(struct round *r, const struct round_plan *plan, bool *has_locks);

#endif
