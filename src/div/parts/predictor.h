/*
 * A compaction-adequacy predictor (Rhu and Erez, ISCA 2012): one saturating counter per branch that remembers whether
 * compaction would have saved a warp there. The table is set-associative with LRU replacement; a branch without an
 * entry has a fixed answer. A counter of one bit remembers the last outcome only.
 */
#ifndef HEDDLE_DIV_PARTS_PREDICTOR_H
#define HEDDLE_DIV_PARTS_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

struct predictor_entry {
    bool valid;
    uint8_t counter; /* the upper half of its values predicts that compaction saves a warp */
    uint64_t tag;    /* key of the branch */
    uint64_t used;   /* `clock` of the last use */
};

struct predictor {
    unsigned sets, ways;
    uint8_t most;                     /* the largest value of a counter */
    bool first;                       /* the answer for a branch without an entry */
    uint64_t clock;                   /* lookups and updates so far, for LRU */
    struct predictor_entry *entries;  /* [set][way] */
    uint64_t hits, misses, evictions; /* of the table */
};

/* `size`: entries of the table. `ways` larger than `size` means fully associative; `size` is rounded down to whole
 * sets. */
void predictor_init(struct predictor *p, unsigned size, unsigned ways, unsigned bits, bool first);
void predictor_free(struct predictor *p);
/* Whether compaction is predicted to save a warp. Counts a hit or a miss. */
bool predictor_ask(struct predictor *p, uint64_t key);
/* Trains the branch's counter. `adequate`: compaction would have saved a warp. */
void predictor_tell(struct predictor *p, uint64_t key, bool adequate);

#endif
