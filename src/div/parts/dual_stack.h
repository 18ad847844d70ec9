/*
 * A dual-path stack: one warp's paths, two to an entry (Rhu and Erez, HPCA 2013, sections 3 and 4).
 *
 * An entry {path L, path R, rpc} has two paths that end where they come to `rpc`; a path without threads is not
 * valid. Where a path parts it waits at the branch's post-dominator with its mask, and its sides are pushed as one
 * entry. The paths of the top entry may run. The paper has no more; here a path whose branch was under way when the
 * other one pushed may part below the top. So each entry knows the path that waits for it, its parent, and the stack
 * is a tree whose order of pushing is the order of the entries.
 *
 * As in div/parts/stack.h a point is a PC at a call depth, and {PC_NONE, d} the end of the function entered at depth d.
 * Here are masks of one warp's threads; nothing of rows or time, and of strands only that each path has room for one.
 */
#ifndef HEDDLE_DIV_PARTS_DUAL_STACK_H
#define HEDDLE_DIV_PARTS_DUAL_STACK_H

#include "div/parts/stack.h"

enum dual_side { DUAL_LEFT, DUAL_RIGHT, DUAL_SIDES };

struct strand;

struct dual_path {
    struct point at;       /* where it goes on; while it runs: where it last branched to. {PC_NONE, d}: see `back` */
    int32_t back;          /* of one at {PC_NONE, d}: where threads returned to, at depth d - 1; or PC_NONE */
    uint64_t mask;         /* 0: not valid */
    struct strand *strand; /* the user's; kept as it is */
};

struct dual_place {
    int32_t entry; /* -1: none */
    int32_t side;
};

struct dual_entry {
    struct dual_path path[DUAL_SIDES];
    struct point rpc;
    struct dual_place parent; /* the path that waits at `rpc` for these */
};

struct dual_stack vec_of(struct dual_entry);

struct dual_counters {
    uint64_t divergent_branches, reused_slots, pushes, pops, reconvergences, max_depth;
};

void dual_start(struct dual_stack *s, struct dual_counters *c, struct point at, uint64_t mask);
/* The path's threads left for `paths`, which are distinct points, from an instruction at depth `depth`. `branch` is the
 * instruction's, or NULL. The paths are reordered. */
void dual_branch(struct dual_stack *s, struct dual_counters *c, struct dual_place from, const struct branch *branch,
                 int32_t depth, struct path *paths, int count);
/* The path's threads part for `paths`, none of which is at `meeting`, and meet there. */
void dual_part(struct dual_stack *s, struct dual_counters *c, struct dual_place from, struct point meeting,
               const struct path *paths, int count);
/* True if a path that came to `at` ends there. */
static inline bool dual_ends(const struct dual_stack *s, struct dual_place path, struct point at)
{
    return point_has_reached(at, s->data[path.entry].rpc);
}
/* It does. */
void dual_end(struct dual_stack *s, struct dual_counters *c, struct dual_place path, struct point at);
void dual_exit(struct dual_stack *s, struct dual_counters *c, uint64_t ended);
/* Threads that left the stack at a barrier (div/parts/held.h) return as a path that ends with them, on top. */
void dual_return(struct dual_stack *s, struct dual_counters *c, struct point at, uint64_t mask);

/* A valid path that waits for none, below the top and as high as possible; entry -1: there is none. Paths that have
 * come to their end meanwhile are ended. */
struct dual_place dual_runnable_below(struct dual_stack *s, struct dual_counters *c);

static inline struct dual_path *dual_path_at(const struct dual_stack *s, struct dual_place at)
{
    return &s->data[at.entry].path[at.side];
}

uint64_t dual_threads(const struct dual_stack *s); /* all threads it holds */
bool dual_is_sound(const struct dual_stack *s);
/* A line an entry, bottom first: "  B 1000 C 0111 G" has left path, right path and rpc; a path that is not valid is "- -". */
void dual_print(const struct dual_stack *s, const struct program *program, int width, struct text *out);

#endif
