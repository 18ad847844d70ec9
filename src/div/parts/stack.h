/*
 * A reconvergence stack: one warp's paths, the one that runs on top.
 *
 * An entry {pc, mask, rpc} goes on at `pc` with the threads of `mask` and ends where it comes to `rpc`. The
 * entry below, or further down, that stands at this `rpc` holds these threads already: masks are nested or
 * disjoint. A point is a PC at a call depth, so that a recursive call does not meet its caller. The point
 * (PC_NONE, d) is where the function entered at depth d ends: threads that return wait there until the others
 * of their entry returned too. At depth 0 nobody returns, and the point is never reached.
 *
 * With likely-convergence points (Fung and Aamodt, HPCA 2011, section 4) an entry also has an `lpc`, where
 * its threads leave it for the entry at `lpos`. That entry starts empty and runs when those above it are
 * gone.
 *
 * All threads of an entry have the same calls behind them: they parted, if at all, at the depth at which they
 * meet.
 *
 * Here are masks of one warp's threads, thread 0 as the lowest bit; nothing of strands, rows or time.
 */
#ifndef HEDDLE_DIV_PARTS_STACK_H
#define HEDDLE_DIV_PARTS_STACK_H

#include "base/vec.h"
#include "div/parts/point.h"

enum { STACK_MAX_THREADS = 64 };

/* Which side of a branch runs first. */
enum stack_order {
    ORDER_TAKEN_FIRST, /* in the order of the branch's targets; the next PC last */
    ORDER_NOT_TAKEN_FIRST,
    ORDER_LARGER_FIRST,
    ORDER_SMALLER_FIRST, /* at most log2 W entries above one: each pushed side is at most half */
    ORDER_HIGHEST_LANE   /* the side with the highest thread is pushed first, so runs last (GPGPU-Sim 2.1.1b) */
};

struct stack_counters {
    uint64_t divergent_branches, reused_slots, pushes, pops, reconvergences, max_depth;
    uint64_t lcp_pushed, lcp_merged, lcp_unused;
};

/* What the stacks of one multiprocessor share. */
struct stack_rules {
    enum stack_order order;
    struct stack_counters counters;
};

struct entry {
    struct point at;  /* where it goes on; of the top entry: where it last branched to. {PC_NONE, d}: see `back` */
    struct point rpc; /* where it ends */
    struct point lpc; /* {PC_NONE, 0}: none */
    int32_t lpos;     /* index of the entry for `lpc` */
    int32_t back;     /* of an entry at {PC_NONE, d}: where threads returned to, at depth d - 1; or PC_NONE */
    bool likely;      /* made for a likely-convergence point, and has not run yet */
    uint64_t mask;
};

struct stack vec_of(struct entry);

/* Threads that leave an instruction for one point. */
struct path {
    struct point to;
    uint64_t mask;
};

/* Adds threads, if any, to those that leave for the same point. Returns how many paths there are then. */
static inline int path_add(struct path *paths, int used, struct path more)
{
    int k = 0;
    while (k < used && !point_is_same(paths[k].to, more.to))
        k++;
    if (k < used)
        paths[k].mask |= more.mask;
    else if (more.mask)
        paths[used++] = more;
    return used;
}

void stack_start(struct stack *s, struct stack_rules *rules, int32_t pc, uint64_t mask);
/* The top's threads left for `paths`, which are distinct points, from an instruction at depth `depth`.
 * `branch` is the instruction's, or NULL; `likely` its likely-convergence point, or PC_NONE. The paths are
 * reordered. */
void stack_branch(struct stack *s, struct stack_rules *rules, const struct branch *branch, int32_t likely,
                  int32_t depth, struct path *paths, int count);
/* The top came to `to` in a straight line. */
void stack_advance(struct stack *s, struct stack_rules *rules, struct point to);
/* Threads ended. True if the top has none left and another entry, or none, is now on top. */
bool stack_exit(struct stack *s, struct stack_rules *rules, uint64_t ended);
/* Threads that left the stack at a barrier (div/parts/held.h) return as a path that ends with them. It runs last: what is on top
 * may be the path that opened the barrier. */
void stack_return(struct stack *s, struct stack_rules *rules, struct point at, uint64_t mask);
/* The top came to `here`, behind a barrier. If all other threads of the stack are there too, since they returned or wait
 * there, all become one path, and the result is true. */
bool stack_unite(struct stack *s, struct stack_rules *rules, struct point here);

/* Those that run first come first. */
void stack_sort_paths(enum stack_order order, const struct branch *branch, struct path *paths, int count);

/* For mechanisms that also run paths beside the stack. Such paths may end where an entry of it waits for them. */
struct entry stack_take_top(struct stack *s, struct stack_rules *rules);
void stack_push(struct stack *s, struct stack_rules *rules, struct point at, uint64_t mask, struct point rpc);
void stack_note_end(struct stack *s, struct point at, struct point rpc); /* one came to `rpc`, its end, at `at` */
void stack_resume(struct stack *s, struct stack_rules *rules);           /* no such path is left: the top is to run */

/* NULL when all threads ended. */
static inline const struct entry *stack_top(const struct stack *s)
{
    return s->count ? &s->data[s->count - 1] : NULL;
}

uint64_t stack_threads(const struct stack *s); /* all threads it holds */
bool stack_is_sound(const struct stack *s);    /* masks are nested or disjoint, points as they must be */
/* A line an entry, bottom first: "  F 0111 G" goes on at F with these threads, thread 0 first, until G. PCs are named as
 * program_print_pc() does; one in a function d calls deep has @d behind it; "ret" stands for the end of the function,
 * "-" for the end of the thread. An entry with a likely point has that and the index of its entry as a fourth field,
 * "E:1"; the entry at the likely point itself has a star. */
void stack_print(const struct stack *s, const struct program *program, int width, struct text *out);

#endif
