/*
 * Barrier plans: the convergence barriers of a program, kept beside it.
 *
 * A convergence barrier brings threads of a warp together. A thread joins it, and is a participant from then on; it waits
 * at it until all participants of its warp wait, have cancelled or have ended; then those that waited go on, and are no
 * participants any more. These are BSSY, BSYNC and BREAK of NVIDIA's Volta, in the words of Damani et al. (Speculative
 * Reconvergence, CGO 2020, Table 1). Barriers change when threads travel together, never what they compute: any plan is
 * right, and one that is not sound (barrier_check) may only be slow.
 *
 * A plan is a list of operations at places of the program. A mechanism that knows barriers (div/volta.c) lets threads do
 * them there, in the order of the list. The program is not changed: no PC moves.
 *
 *   barrier    a name: an index into `barriers`. There may be as many as you like.
 *   register   what holds a barrier while threads are in it: a warp has BARRIER_REGISTERS. barrier_colour() gives each
 *              barrier one that no other needs at the same time, and takes out barriers for which none is left.
 *   place      before an instruction, whichever way threads come to it; or on one way between two blocks.
 *
 * Who makes plans: barriers_place() (recon/place_barriers.h), from post-dominators alone; passes that start from a copy of
 * its plan. Whoever made a plan frees it with barrier_plan_destroy(). It points to its program, which must live longer.
 * While a launch runs with a plan, the plan is only read.
 *
 * Calls. Each call of a function has registers of its own: those of the callers are kept for them, as if they were saved
 * on entry and brought back on return. So the joins, waits and cancels of a barrier stand in one function, and only
 * threads at the same call depth meet. Not so for a barrier that `spans_calls`: threads that joined it in one function
 * wait for each other in another, at any depth, and its register is no other barrier's in the whole program.
 */
#ifndef HEDDLE_RECON_BARRIER_H
#define HEDDLE_RECON_BARRIER_H

#include "base/vec.h"
#include "flow/program.h"

enum {
    BARRIER_REGISTERS = 16, /* of a warp */
    BARRIER_NONE = -1,      /* no barrier; no register */
    BARRIER_THRESHOLD_MAX = 64,
    BARRIER_ADAPTIVE =
        255 /* as a threshold: threads go on until it pays to wait for the others; see div/parts/groups.h */
};

enum barrier_kind {
    BARRIER_JOIN,      /* become participants; those that are stay so */
    BARRIER_REJOIN,    /* the same; said of threads that have just waited and will wait again */
    BARRIER_WAIT,      /* participants wait until all do; others pass */
    BARRIER_SOFT_WAIT, /* the same; but when `threshold` of them wait, these go on */
    BARRIER_CANCEL, /* are participants no more; with a threshold, only if the soft wait that follows will hold them */
    BARRIER_YIELD   /* let other threads of the warp go first; of no barrier */
};

struct barrier_op {
    uint8_t kind; /* enum barrier_kind */
    uint8_t
        threshold; /* of a soft wait: threads, from 1 on, or BARRIER_ADAPTIVE; of a cancel ahead of one: the same, or 0 */
    int32_t barrier; /* BARRIER_NONE for a yield */
};

/*
 * Before the instruction at `pc`, by any way (`from` is PC_NONE); or only by the way from the instruction `from`, the last
 * of its block, to `pc`, the first of another. Threads on such a way do what stands there first, then what stands before
 * `pc`. A call has two ways: to the entry of what it calls, and to the instruction behind it, which threads take when they
 * come back (or pass its guard).
 */
struct barrier_place {
    int32_t from, pc;
};

struct barrier_entry {
    struct barrier_place place;
    struct barrier_op op;
};

struct barrier {
    const char *why;  /* in a few words, for people: "branch at A+3"; the plan's */
    int32_t branch;   /* of the program, that it was made for first; or -1 */
    int32_t reg;      /* 0 .. BARRIER_REGISTERS - 1; BARRIER_NONE before colouring, and if it was taken out */
    bool spans_calls; /* joined and waited at in different functions */
    bool is_dropped;  /* barrier_colour() found no register: it has no operations */
};

struct barrier_plan {
    struct arena arena;
    const struct program *program;
    struct vec_of(struct barrier) barriers;
    /* By pc; of one pc, those on ways first, by `from`; of one place, in the order in which threads do them. */
    struct vec_of(struct barrier_entry) entries;
    int dropped; /* barriers that colouring took out */
};

struct barrier_plan *barrier_plan_create(const struct program *program); /* without barriers */
void barrier_plan_destroy(struct barrier_plan *plan);                    /* NULL is fine */

/* ---- making ---- */

/* A new barrier without operations; the text is copied. */
int32_t barrier_add(struct barrier_plan *plan, int32_t branch, bool spans_calls, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

static inline struct barrier_place barrier_before(int32_t pc)
{
    return (struct barrier_place){PC_NONE, pc};
}

/* The way from a block to one of its successors. */
struct barrier_place barrier_between(const struct program *program, int32_t from_block, int32_t to_block);

/* Puts an operation behind all others of its place, or ahead of them. */
void barrier_append(struct barrier_plan *plan, struct barrier_place place, struct barrier_op op);
void barrier_prepend(struct barrier_plan *plan, struct barrier_place place, struct barrier_op op);
/* Puts an operation at a position among all entries; the one that stood there comes behind it. */
void barrier_insert(struct barrier_plan *plan, int position, struct barrier_entry entry);
void barrier_remove(struct barrier_plan *plan, int position);
void barrier_remove_all(struct barrier_plan *plan, int32_t barrier); /* operations of a barrier */

/* ---- reading ---- */

/* Entries [first, first + count) of a plan. */
struct barrier_range {
    int first, count;
};
struct barrier_range barrier_at(const struct barrier_plan *plan, struct barrier_place place);
int barrier_find(const struct barrier_plan *plan, enum barrier_kind kind, int32_t barrier); /* first position; or -1 */

/* ---- registers ---- */

/*
 * Gives each barrier a register. Two barriers need different ones if a thread that came to some point may be in both
 * (barrier_flow.h: joined). Barriers that threads are in for longest, in instructions, choose first, and take the lowest
 * that is free. So a barrier within another has the higher register of the two; threads that wait at one whose register
 * another group of the warp uses elsewhere can then not wait for each other in a circle.
 *
 * The spill rule: a barrier for which none is left is taken out, and its threads meet at the next barrier around; that
 * is one within 16 others, or one that a longer one conflicts with. Real compilers would save a register instead.
 *
 * Returns how many were taken out. Barriers that have a register already lose it first.
 */
int barrier_colour(struct barrier_plan *plan);

/* ---- soundness ---- */

/*
 * True if the plan keeps what it promises to mechanisms; else `error` says what is wrong first (freed by the caller):
 * operations at places that are none; unknown barriers; thresholds out of range; a wait that threads can come to and none
 * of them has joined; joins, waits and cancels in several functions without `spans_calls`; threads that may return from
 * a function as participants; no register, one out of range, or one that two barriers need at the same time.
 */
bool barrier_check(const struct barrier_plan *plan, char **error);

/* ---- for people ---- */

extern const char *const barrier_kind_text[]; /* "join", "rejoin", "wait", "soft wait", "cancel", "yield" */

/* "join b2", "soft wait b0 at 8", "yield". */
void barrier_print_op(const struct barrier_op *op, struct text *out);
/* The barriers with their registers and reasons, then block by block what stands where. */
void barrier_print(const struct barrier_plan *plan, struct text *out);

#endif
