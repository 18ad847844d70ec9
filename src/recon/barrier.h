/*
 * Barrier plans: the convergence barriers of a program, kept beside the program.
 *
 * A convergence barrier makes threads of a warp reconverge. A thread joins the barrier, and is a participant from then
 * on. A participant that waits at the barrier is held until all participants of its warp wait, have cancelled or have
 * exited; then the threads that waited continue, and are participants no more. These are BSSY, BSYNC and BREAK of
 * NVIDIA's Volta, in the words of Damani et al. (Speculative Reconvergence, CGO 2020, Table 1). Barriers change which
 * threads execute together, never what they compute: every plan gives correct results, and a plan that is not sound
 * (barrier_check) may only be slow.
 *
 * A plan is a list of operations at places of the program. Threads do the operations of a place in the order of the
 * list, under a mechanism that knows barriers (div/volta.c). The program itself is not changed: no PC moves.
 *
 *   barrier    a name: an index into `barriers`. A plan may have any number of barriers.
 *   register   what holds a barrier while threads participate in it: a warp has BARRIER_REGISTERS. barrier_colour()
 *              gives each barrier a register that no other barrier needs at the same time, and takes out barriers for
 *              which no register is left.
 *   place      before an instruction, whichever path threads come by; or on one edge between two blocks.
 *
 * Plans are made by barriers_place() (recon/place_barriers.h), from post-dominators alone, and by passes that start
 * from a copy of that plan. Whoever made a plan frees it with barrier_plan_destroy(). A plan points to its program,
 * which must live longer. While a launch runs with a plan, the plan is only read.
 *
 * Calls. Each activation of a function has barrier registers of its own, as if the caller's were saved on entry and
 * restored on return. So the joins, waits and cancels of a barrier stand in one function, and only threads at the same
 * call depth reconverge at it. Threads that return leave the barriers of the activation that they leave, as threads
 * that exit leave all barriers; machines need a BREAK for that, under the guard of the return, which no plan has and
 * which takes no time here. Plans cancel ahead of a return without a guard. A barrier that `spans_calls` is an
 * exception: threads that joined it in one function wait for each other in another, at any depth, and no other barrier
 * of the program has its register.
 */
#ifndef HEDDLE_RECON_BARRIER_H
#define HEDDLE_RECON_BARRIER_H

#include "base/vec.h"
#include "flow/program.h"

enum {
    BARRIER_REGISTERS = 16, /* barrier registers per warp */
    BARRIER_NONE = -1,      /* no barrier; no register */
    BARRIER_THRESHOLD_MAX = 64,
    BARRIER_ADAPTIVE = 255 /* as a threshold: threads continue until waiting pays; see div/parts/groups.h */
};

enum barrier_kind {
    BARRIER_JOIN,      /* threads become participants; participants stay participants */
    BARRIER_REJOIN,    /* a join by threads that have just waited and will wait again */
    BARRIER_WAIT,      /* participants wait until all participants wait; other threads pass */
    BARRIER_SOFT_WAIT, /* a wait that ends as soon as `threshold` participants wait */
    BARRIER_CANCEL, /* threads are participants no more; with a threshold, only threads that the next soft wait holds */
    BARRIER_YIELD   /* threads let other threads of the warp go first; an operation without a barrier */
};

struct barrier_op {
    uint8_t kind;      /* enum barrier_kind */
    uint8_t threshold; /* soft wait: threads, from 1, or BARRIER_ADAPTIVE; cancel: that of the next soft wait, or 0 */
    int32_t barrier;   /* index into the plan's barriers; BARRIER_NONE for a yield */
};

/*
 * Before the instruction at `pc`, whichever path threads come by (`from` is PC_NONE); or on the edge from the
 * instruction `from`, the last of its block, to `pc`, the first of another. Threads on an edge do the operations of the
 * edge first, then those before `pc`. A call has two edges: to the entry of the callee, and to the instruction behind
 * the call, which threads take when they return (or when the call's guard is false).
 */
struct barrier_place {
    int32_t from, pc;
};

struct barrier_entry {
    struct barrier_place place;
    struct barrier_op op;
};

struct barrier {
    const char *why;  /* what the barrier is for: "branch at A+3"; in the plan's arena */
    int32_t branch;   /* branch of the program that the barrier was first made for, or -1 */
    int32_t reg;      /* register, 0 to BARRIER_REGISTERS - 1; BARRIER_NONE before colouring, and if dropped */
    bool spans_calls; /* threads join in one function and wait in another */
    bool is_dropped;  /* barrier_colour() found no register, and took out all operations of the barrier */
};

struct barrier_plan {
    struct arena arena;
    const struct program *program;
    struct vec_of(struct barrier) barriers;
    /* Sorted by pc; of one pc, operations on edges first, by `from`; of one place, in the order in which threads do
     * them. */
    struct vec_of(struct barrier_entry) entries;
    int dropped;     /* number of barriers that colouring took out */
    int predictions; /* predictions that the plan honours (recon/speculate.h) */
};

struct barrier_plan *barrier_plan_create(const struct program *program); /* a plan without barriers */
void barrier_plan_destroy(struct barrier_plan *plan);                    /* `plan` may be NULL */

/* ---- making ---- */

/* Adds a barrier without operations; the text is copied. Returns its index. */
int32_t barrier_add(struct barrier_plan *plan, int32_t branch, bool spans_calls, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

static inline struct barrier_place barrier_before(int32_t pc)
{
    return (struct barrier_place){PC_NONE, pc};
}

/* The edge from a block to one of its successors. */
struct barrier_place barrier_between(const struct program *program, int32_t from_block, int32_t to_block);

/* Adds an operation behind (append) or ahead of (prepend) all other operations of its place. */
void barrier_append(struct barrier_plan *plan, struct barrier_place place, struct barrier_op op);
void barrier_prepend(struct barrier_plan *plan, struct barrier_place place, struct barrier_op op);
/* Inserts an operation at a position among all entries; the entry at that position moves behind it. */
void barrier_insert(struct barrier_plan *plan, int position, struct barrier_entry entry);
void barrier_remove(struct barrier_plan *plan, int position);
void barrier_remove_all(struct barrier_plan *plan, int32_t barrier); /* all operations of the barrier */

/* ---- reading ---- */

/* Entries [first, first + count) of a plan. */
struct barrier_range {
    int first, count;
};
struct barrier_range barrier_at(const struct barrier_plan *plan, struct barrier_place place);
/* Position of the first such operation of the barrier, or -1. */
int barrier_find(const struct barrier_plan *plan, enum barrier_kind kind, int32_t barrier);

/* ---- registers ---- */

/*
 * Gives each barrier a register. Two barriers need different registers if some thread may participate in both at some
 * point (barrier_flow.h: joined). Barriers choose in the order of their length, the number of instructions at which
 * threads participate, longest first, and take the lowest free register. So an inner barrier has a higher register than
 * the outer one, and groups of threads that wait at barriers whose registers other groups of the warp use elsewhere
 * cannot wait for each other in a cycle.
 *
 * A barrier for which no register is left is taken out, and its threads reconverge at the next barrier around it. That
 * happens to a barrier within 16 others, or to one that conflicts with longer ones. Real compilers would spill a
 * register instead.
 *
 * Returns how many barriers were taken out. Registers that barriers had before are forgotten.
 */
int barrier_colour(struct barrier_plan *plan);

/* ---- soundness ---- */

/*
 * Whether the plan is sound. If not, `error` says what is wrong first (freed by the caller): an operation at a place
 * that the program does not have; an unknown barrier; a threshold out of range; a reachable wait before which no thread
 * can have joined; joins, waits and cancels in several functions without `spans_calls`; threads that may come to a
 * return without a guard, in a function, as participants; a missing register, one out of range, or one that two
 * barriers need at the same time.
 */
bool barrier_check(const struct barrier_plan *plan, char **error);

/* ---- for people ---- */

extern const char *const barrier_kind_text[]; /* "join", "rejoin", "wait", "soft wait", "cancel", "yield" */

/* Prints an operation: "join b2", "soft wait b0 at 8", "yield". */
void barrier_print_op(const struct barrier_op *op, struct text *out);
/* Prints the barriers with their registers and reasons, then the operations block by block. */
void barrier_print(const struct barrier_plan *plan, struct text *out);

#endif
