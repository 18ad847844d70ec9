/*
 * The thread compactor of a multiprocessor, in time: it makes one warp per cycle. It starts on a request in the cycle
 * after the request was made or, if the reconvergence stack takes time, that much later; the request that may start
 * first is served first. div/parts/compact.h says which threads the warps have; the mechanism runs the warps.
 */
#ifndef HEDDLE_DIV_PARTS_COMPACTOR_H
#define HEDDLE_DIV_PARTS_COMPACTOR_H

#include "base/vec.h"
#include "div/parts/compact.h"

struct compactor_knobs {
    bool compaction;      /* false: threads stay in their static warps */
    bool static_toplevel; /* a mask that has all live threads of the block is not compacted */
};

struct compactor_counters {
    struct compact_counters masks;
    uint64_t wait; /* cycles that requests waited for earlier ones */
};

/* Who asked: a block and, if the block runs several paths, the path's number. */
struct compactor_user {
    int32_t block, path;
};

/* When the first warp of a request may be made. */
struct compactor_start {
    uint64_t wait; /* so many cycles after the next cycle */
    bool is_gated; /* and not before compactor_open_gate() */
};

/* The warps of one request. */
struct compactor_request {
    struct compactor_user user;
    uint64_t from;  /* the cycle of the first warp, if no earlier request is at work; UINT64_MAX: behind the gate */
    uint64_t least; /* `from` if there were no gate */
    int count, made, capacity;
    struct threads *warps;
};

struct compactor {
    struct div_host *host;
    struct compactor_knobs knobs;
    struct vec_of(struct compactor_request) queue; /* in order of `from`; the first is being served */
    struct vec_of(struct compactor_request) spare; /* finished requests, whose storage is used again */
    struct compactor_counters counters;
};

/* A warp that was made. */
struct compactor_warp {
    struct compactor_user user;
    const struct threads *threads; /* valid until the compactor is asked again */
};

/* Panics unless the warp width is a power of two up to 64. */
void compactor_open(struct compactor *c, struct div_host *host, struct compactor_knobs knobs);
void compactor_close(struct compactor *c);

/* The static warps of a block that is launched; they exist at once. Returns their number. */
int compactor_launch(struct compactor *c, const struct block_mask *all, int32_t first_row, int rows,
                     const struct threads **warps);
/* Requests the warps of these threads. Returns their number. The mechanism gets one `tick` per warp. */
int compactor_ask(struct compactor *c, struct compactor_user user, const struct block_mask *m, int32_t first_row,
                  int rows, struct compactor_start start);
/* Requests of the block that wait behind a gate may start. */
void compactor_open_gate(struct compactor *c, int32_t block);
/* To be called in `tick`: the warp that is finished in this cycle. False: none is. */
bool compactor_make(struct compactor *c, struct compactor_warp *made);

/* Whether a request of the block is not finished. */
bool compactor_works_for(const struct compactor *c, int32_t block);
/* Adds the threads of all warps that are still to be made for the user to `m`. Returns the number of warps. */
int compactor_missing(const struct compactor *c, struct compactor_user user, int32_t first_row, struct block_mask *m);

#endif
