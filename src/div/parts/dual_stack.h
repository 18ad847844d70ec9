/*
 * A dual-path stack: the paths of one warp, two per entry (Rhu and Erez, HPCA 2013, sections 3 and 4).
 *
 * An entry {left path, right path, rpc} has two paths that end at `rpc`; a path without threads is not valid. A path
 * that diverges waits at the branch's reconvergence point with its mask, and its two sides are pushed as one entry.
 * Both paths of the top entry may run. The paper describes no more. In heddle a branch takes time to resolve, so a path
 * may also diverge below the top, if its branch was in flight when the other path pushed an entry. Therefore each entry
 * names the path that waits for it, its parent: the stack is a tree, stored in the order of the pushes.
 *
 * Points are those of div/parts/point.h. This file knows masks of one warp's threads and nothing of rows or time; a
 * path has room for the pointer to its strand, which only the user of the stack reads.
 */
#ifndef HEDDLE_DIV_PARTS_DUAL_STACK_H
#define HEDDLE_DIV_PARTS_DUAL_STACK_H

#include "div/parts/stack.h"

enum dual_side { DUAL_LEFT, DUAL_RIGHT, DUAL_SIDES };

struct strand;

struct dual_path {
    /* Where the path continues. While it runs: the target of its last branch. {PC_NONE, d}: the end of the function at
     * call depth d. */
    struct point at;
    int32_t back;          /* with `at` = {PC_NONE, d}: PC at depth d - 1 that threads returned to; PC_NONE: none has */
    uint64_t mask;         /* the path's threads, thread 0 in the lowest bit; 0: the path is not valid */
    struct strand *strand; /* set and read by the user of the stack alone */
};

/* One path of the stack. */
struct dual_place {
    int32_t entry; /* -1: none */
    int32_t side;
};

struct dual_entry {
    struct dual_path path[DUAL_SIDES];
    struct point rpc;         /* reconvergence point of both paths, where they end */
    struct dual_place parent; /* the path that waits at `rpc` for the paths of this entry */
};

struct dual_stack vec_of(struct dual_entry);

struct dual_counters {
    uint64_t divergent_branches, reused_slots, pushes, pops, reconvergences, max_depth;
};

void dual_start(struct dual_stack *s, struct dual_counters *c, struct point at, uint64_t mask);
/* The threads of path `from` left an instruction at call depth `depth` for `paths`, which are distinct points.
 * `branch`: the instruction's branch, NULL if it has none. Reorders `paths`. */
void dual_branch(struct dual_stack *s, struct dual_counters *c, struct dual_place from, const struct branch *branch,
                 int32_t depth, struct path *paths, int count);
/* The threads of path `from` diverge to `paths` and reconverge at `meeting`; none of the paths is at `meeting` yet. */
void dual_diverge(struct dual_stack *s, struct dual_counters *c, struct dual_place from, struct point meeting,
                  const struct path *paths, int count);
/* Whether a path that reached `at` ends there. */
static inline bool dual_ends(const struct dual_stack *s, struct dual_place path, struct point at)
{
    return point_has_reached(at, s->data[path.entry].rpc);
}
/* Ends a path at `at`: dual_ends() holds. */
void dual_end(struct dual_stack *s, struct dual_counters *c, struct dual_place path, struct point at);
void dual_exit(struct dual_stack *s, struct dual_counters *c, uint64_t ended);
/* Threads that left the stack at a barrier (div/parts/held.h) return as a new path on top, without a reconvergence
 * point. */
void dual_return(struct dual_stack *s, struct dual_counters *c, struct point at, uint64_t mask);

/* The highest valid path below the top that has no children; entry -1: there is none. Paths that have reached their rpc
 * meanwhile are ended. */
struct dual_place dual_runnable_below(struct dual_stack *s, struct dual_counters *c);

static inline struct dual_path *dual_path_at(const struct dual_stack *s, struct dual_place at)
{
    return &s->data[at.entry].path[at.side];
}

uint64_t dual_threads(const struct dual_stack *s); /* all threads in the stack */
bool dual_is_sound(const struct dual_stack *s);
/* Prints one line per entry, bottom first: "  B 1000 C 0111 G" is left path, right path and rpc. A path that is not
 * valid is "- -". */
void dual_print(const struct dual_stack *s, const struct program *program, int width, struct text *out);

#endif
