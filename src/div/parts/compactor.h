/*
 * The thread compactor of a multiprocessor, in time: it makes a warp a cycle, from the cycle after it was
 * asked on, for one request after the other. The mechanism runs the warps; which threads they have is said by
 * div/parts/compact.h.
 */
#ifndef HEDDLE_DIV_PARTS_COMPACTOR_H
#define HEDDLE_DIV_PARTS_COMPACTOR_H

#include "base/vec.h"
#include "div/parts/compact.h"

struct compactor_knobs {
    bool compaction, static_toplevel;
};

struct compactor_counters {
    struct compact_counters masks;
    uint64_t wait;
};

/* Whose threads: a block's and, if it has several paths to run, the path's number. */
struct compactor_user {
    int32_t block, path;
};

/* Warps to be made. */
struct compactor_request {
    struct compactor_user user;
    uint64_t from; /* cycle */
    int count, made, capacity;
    struct threads *warps;
};

struct compactor {
    struct div_host *host;
    struct compactor_knobs knobs;
    struct vec_of(struct compactor_request) queue; /* the first one is at work */
    struct vec_of(struct compactor_request) spare; /* done with; their room is used again */
    struct compactor_counters counters;
};

/* A warp that was made; `number` counts those of its request. */
struct compactor_warp {
    struct compactor_user user;
    int number;
    const struct threads *threads; /* valid until the compactor is asked again */
};

/* Panics if the machine's warps are none that compaction knows. */
void compactor_open(struct compactor *c, struct div_host *host, struct compactor_knobs knobs);
void compactor_close(struct compactor *c);

/* The static warps of a block that is launched, which are there at once: how many, and which. */
int compactor_launch(struct compactor *c, const struct block_mask *all, int32_t first_row, int rows,
                     const struct threads **warps);
/* Asks for the warps of these threads. Returns how many. `tick` follows for each. */
int compactor_ask(struct compactor *c, struct compactor_user user, const struct block_mask *m, int32_t first_row,
                  int rows);
/* In `tick`: the warp of this cycle; false: none is due. */
bool compactor_make(struct compactor *c, struct compactor_warp *made);

bool compactor_works_for(const struct compactor *c, int32_t block);
/* Adds the threads of warps still to be made for the user. Returns how many warps. */
int compactor_missing(const struct compactor *c, struct compactor_user user, int32_t first_row, struct block_mask *m);

#endif
