/*
 * A reconvergence stack: the paths of one warp. The top entry runs.
 *
 * An entry {at, mask, rpc} continues at `at` with the threads of `mask` and ends at `rpc`, its reconvergence point. An
 * entry further down waits at this `rpc` and its mask already includes these threads: masks are nested or disjoint.
 * Points have a call depth (div/parts/point.h). Threads that return wait at the end of their function, (PC_NONE, d),
 * until the other threads of their entry have returned too.
 *
 * With likely-convergence points (Fung and Aamodt, HPCA 2011, section 4) an entry also has an `lpc`, where its threads
 * leave it and join the entry at index `lpos`. The entry at `lpos` starts without threads and runs when the entries
 * above it are gone.
 *
 * All threads of an entry have made the same calls: threads diverge and reconverge at the same depth.
 *
 * This file knows masks of one warp's threads, thread 0 in the lowest bit. It knows nothing of strands, rows or time.
 */
#ifndef HEDDLE_DIV_PARTS_STACK_H
#define HEDDLE_DIV_PARTS_STACK_H

#include "base/vec.h"
#include "div/parts/point.h"
#include "div/parts/stack_time.h"
#include "exec/strand.h"

enum { STACK_MAX_THREADS = 64 };

/* Which path of a divergent branch runs first. */
enum stack_order {
    ORDER_TAKEN_FIRST, /* in the order of the branch's targets; the fall-through path last */
    ORDER_NOT_TAKEN_FIRST,
    ORDER_LARGER_FIRST,
    ORDER_SMALLER_FIRST, /* at most log2 W entries per nesting: what waits is at most half of the threads */
    ORDER_HIGHEST_LANE   /* the path with the highest thread is pushed first, so it runs last (GPGPU-Sim 2.1.1b) */
};

/* Counts of events; div/parts/stack_words.h describes each. */
struct stack_counters {
    uint64_t divergent_branches, reused_slots, pushes, pops, reconvergences, max_depth;
    uint64_t lcp_pushed, lcp_merged, lcp_unused;
    struct stack_time_counters time; /* kept by mechanisms whose stacks take time */
};

/* Entries pushed onto and popped from all stacks. */
static inline uint64_t stack_operations(const struct stack_counters *c)
{
    return c->pushes + c->pops;
}

/* What all stacks of one multiprocessor share. */
struct stack_rules {
    enum stack_order order;
    struct stack_counters counters;
};

/* One path of the warp. */
struct stack_entry {
    /* Where the entry continues. For the top entry, which runs: the target of its last branch. {PC_NONE, d}: the end of
     * the function at call depth d. */
    struct point at;
    struct point rpc; /* the entry's reconvergence point, where it ends */
    struct point lpc; /* the entry's likely-convergence point; {PC_NONE, 0}: none */
    int32_t lpos;     /* index of the entry that waits at `lpc` */
    int32_t back;     /* with `at` = {PC_NONE, d}: the PC at depth d - 1 that threads returned to; PC_NONE: none has */
    bool likely;      /* the entry waits at a likely-convergence point and has not run yet */
    uint64_t mask;    /* the entry's threads, thread 0 in the lowest bit */
};

struct stack vec_of(struct stack_entry);

/* Threads that leave an instruction for one point. */
struct path {
    struct point to;
    uint64_t mask;
};

/* Adds the threads of `more` to the path with the same point, or as a new path. Returns the new number of paths. */
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

/* The paths of a strand whose threads `taken` go from its branch to `target`, and the others to the next PC, for
 * mechanisms with `part`. The threads of the strand's first part that stay come first, if there are any. Returns the
 * number of paths. */
static inline int path_part(const struct strand *s, int32_t target, uint32_t taken, struct path *paths)
{
    const uint32_t staying = s->lanes & ~taken;
    const bool stays_first = s->threads.part[0].mask & ~taken;
    const struct path stay = {{s->pc + 1, s->depth}, staying}, go = {{target, s->depth}, taken};
    paths[!stays_first] = stay; /* no branch: the host could not predict it */
    paths[stays_first] = go;
    return paths[1].mask ? 2 : 1;
}

void stack_start(struct stack *s, struct stack_rules *rules, int32_t pc, uint64_t mask);
/* The threads of the top left an instruction at call depth `depth` for `paths`, which are distinct points. `branch`:
 * the instruction's branch, NULL if it has none; `likely`: the branch's likely-convergence point, or PC_NONE. Reorders
 * `paths`. */
void stack_branch(struct stack *s, struct stack_rules *rules, const struct branch *branch, int32_t likely,
                  int32_t depth, struct path *paths, int count);
/* The top reached `to` by straight-line advance. True: it was popped, and another entry (or none) is now on top. */
bool stack_advance(struct stack *s, struct stack_rules *rules, struct point to);
/* Threads exited. True: the top has no threads left, and another entry (or none) is now on top. */
bool stack_exit(struct stack *s, struct stack_rules *rules, uint64_t ended);
/* Threads that left the stack at a barrier (div/parts/held.h) return, as a path without a reconvergence point. The path
 * goes to the bottom and runs last: the top may be the path that opened the barrier. */
void stack_return(struct stack *s, struct stack_rules *rules, struct point at, uint64_t mask);
/* The top reached `here`, just behind a barrier. If all other threads of the stack are at `here` too, all become one
 * path, and the result is true. */
bool stack_unite(struct stack *s, struct stack_rules *rules, struct point here);

/* Sorts paths: the path that runs first comes first. */
void stack_sort_paths(enum stack_order order, const struct branch *branch, struct path *paths, int count);

/* For mechanisms that also run paths outside the stack, which may reconverge with an entry of the stack.
 * stack_take_top() removes the top entry and returns it. */
struct stack_entry stack_take_top(struct stack *s, struct stack_rules *rules);
void stack_push(struct stack *s, struct stack_rules *rules, struct point at, uint64_t mask, struct point rpc);
/* A path outside the stack reached its reconvergence point `rpc`, and stands at `at`. */
void stack_note_end(struct stack *s, struct point at, struct point rpc);
/* No path outside the stack is left: the top runs again. */
void stack_resume(struct stack *s, struct stack_rules *rules);

/* The top entry; NULL: all threads have exited. */
static inline const struct stack_entry *stack_top(const struct stack *s)
{
    return s->count ? &s->data[s->count - 1] : NULL;
}

/* Whether stack_branch() for one path, that of the threads `mask` to a point, would change nothing but the point of the
 * top. */
static inline bool stack_goes_on(const struct stack *s, struct point to, uint64_t mask)
{
    const struct stack_entry *top = stack_top(s);
    return top->mask == mask && !point_is_end(to) && !point_has_reached(to, top->rpc) && point_is_end(top->lpc) &&
           !top->likely;
}

uint64_t stack_threads(const struct stack *s); /* all threads in the stack */
bool stack_is_sound(const struct stack *s);    /* masks are nested or disjoint, and `lpos` is below its entry */
/* Prints one line per entry, bottom first: "  F 0111 G" continues at F with these threads, thread 0 first, until G.
 * Points are printed as point_print() does. An entry with a likely-convergence point has a fourth field, "E:1": the
 * point and the index of the entry that waits there. That entry is marked by a star until it runs. `top_at`: the
 * current point of the top, known to its strand alone; NULL: the target of its last branch is printed. */
void stack_print(const struct stack *s, const struct point *top_at, const struct program *program, int width,
                 struct text *out);

#endif
