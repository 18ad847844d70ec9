/*
 * A compaction-adequacy predictor (Rhu and Erez, ISCA 2012): for each branch a saturating counter that
 * remembers whether compaction would have saved a warp there. A set-associative table with least recent use
 * as its order; an unseen branch has a fixed answer. One bit remembers the last time only.
 */
#ifndef HEDDLE_DIV_PARTS_PREDICTOR_H
#define HEDDLE_DIV_PARTS_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

struct predictor_entry {
    bool valid;
    uint8_t counter;
    uint64_t tag, used;
};

struct predictor {
    unsigned sets, ways;
    uint8_t most; /* of a counter */
    bool first;   /* the answer for an unseen branch */
    uint64_t clock;
    struct predictor_entry *entries; /* ways of a set together */
    uint64_t hits, misses, evictions;
};

/* `ways` is cut to `size`; `size` to a multiple of it. */
void predictor_init(struct predictor *p, unsigned size, unsigned ways, unsigned bits, bool first);
void predictor_free(struct predictor *p);
/* Whether compaction is predicted to save a warp. Counts a hit or a miss. */
bool predictor_ask(struct predictor *p, uint64_t key);
void predictor_tell(struct predictor *p, uint64_t key, bool adequate);

#endif
