/*
 * The scoreboard: which registers have a write in flight, and until when.
 *
 * The exact scoreboard knows pending writes per thread, so any regrouping of threads is safe. It keeps them in two
 * places:
 *   - with the strand: the last three writes of fixed latency that the strand began, which hold for all its threads;
 *   - with the rows: loads, and writes of fixed latency that the strand no longer keeps because it began newer ones or
 *     its threads left it. For each register of a row there is one cell: the lanes with a write in flight, and the
 *     cycle at which it ends. Lanes of one register mostly end together; writes that end at another cycle are in a list
 *     per row.
 * A strand looks at the rows only while something may be noted there for its threads and its next registers.
 *
 * The simpler scoreboards of the papers know the registers of a static warp (or of one slice of it), either for the
 * warp as a whole or for both sides of a dual path. A warp wider than a row is looked up one row at a time. Under these
 * scoreboards a strand's write may delay sibling strands of its warp that were ready; readiness.c evaluates the
 * siblings anew as the write begins, so that the siblings do not issue in that cycle either. Ideal lanes know no warps,
 * and have the exact scoreboard.
 *
 * The dual scoreboard is Rhu and Erez's (HPCA 2013, section 4): each side has a pending bit P and a shadow bit S per
 * register. Issue sets P; when paths of the warp diverge or one ends, P is copied to S on both sides; the write clears
 * both. A path waits for P of its own side and S of the other. Here P means that the write is not done, and S that the
 * write began in an earlier phase of the warp. Each divergence and each end of a path begins a new phase, so nothing is
 * copied.
 *
 * The scoreboard knows neither which strands there are nor which of them are ready; callers pass the current cycle.
 * Other files read the flags of struct scoreboard; of struct scoreboard_strand, issue.c raises `done_at`, access.c
 * counts `loads`, and host.c resets and reads both. Nearly every instruction comes through here, so the common case is
 * inline.
 */
#ifndef HEDDLE_SM_SCOREBOARD_H
#define HEDDLE_SM_SCOREBOARD_H

#include "base/inline.h"
#include "base/storage.h"
#include "base/vec.h"
#include "exec/strand.h"
#include "sm/cycles.h"
#include "sm/plan.h"

/* Three writes with their planes take half a cache line of the host. */
enum { SCOREBOARD_OWN_WRITES = 3 };

/* One load in flight, in a cell of the scoreboard by warp. A cell without loads is less than this, and says when its
 * register is written: the largest of several cells decides when all are. */
#define SCOREBOARD_LOAD (UINT64_C(1) << 48)

/* What is in flight for one strand; part of its strand_state. */
struct scoreboard_strand {
    uint64_t others_until; /* cycle at which all writes of fixed latency that rows keep for its threads are done */
    int32_t loads;         /* the strand's accesses that memory has not answered */
    bool others_load;      /* rows may keep loads that another strand began for threads that are in this strand now */
    uint64_t done_at; /* cycle at which the strand's instructions of fixed latency are done: the first of the fields
                            * that every instruction reads */
    uint64_t
        rows_keep; /* registers for which rows may keep writes in flight of its threads, as bits like plan.checks */
    /* The last writes of fixed latency that the strand began, the newest first: the cycles at which they are done, and
     * the numbers of their registers. */
    uint64_t own_due[SCOREBOARD_OWN_WRITES];
    uint64_t own_planes; /* 16 bits for each, the newest lowest: a word, which is written and read as one */
};

/* A load in flight to registers of one row. */
struct scoreboard_load {
    const struct plan *plan; /* the load instruction */
    int32_t row;
    uint32_t mask;    /* lanes that issued the load, also those that their guard switches off */
    uint32_t pending; /* lanes of `mask` for which the scoreboard still has the load */
    uint8_t side;     /* side of the dual path, as scoreboard_side() gives it */
};

/* One register of a row, in the exact scoreboard. */
struct scoreboard_cell {
    uint64_t due;   /* cycle at which the writes of `lanes` are done */
    uint32_t lanes; /* lanes with a write of fixed latency in flight */
    uint32_t loads; /* lanes with a load in flight */
};

/* A write of fixed latency that ends at another cycle than the one in its register's cell. */
struct scoreboard_late {
    uint64_t due;
    uint32_t lanes;
    int16_t plane;
    int32_t next; /* next late write of the row, or next free entry; -1 ends the list */
};

struct scoreboard {
    bool is_plain;        /* the exact scoreboard and nothing else: the inline case */
    bool is_off;          /* a thread has at most one instruction in flight, so none waits for registers */
    bool by_warp;         /* pending writes are known per static warp */
    bool has_warps_alone; /* by_warp, without sides, and no exact scoreboard beside it: the other inline case */
    bool by_side;         /* pending writes are known per static warp and side of a dual path */
    bool single;          /* a strand has one instruction in flight */
    int plane_count;
    int loads; /* loads in flight, counted per row */

    /* Exact; NULL if another scoreboard is used. */
    uint64_t *row_until;           /* [row]: cycle at which all writes of fixed latency that the row keeps are done */
    struct scoreboard_cell *cells; /* [row][plane] */
    int32_t *row_loads;            /* [row]: loads in flight */
    int32_t *late_of_row;          /* [row]: first of its late writes; -1: none */
    struct vec_of(struct scoreboard_late) late;
    int32_t free_late; /* first free entry of `late`; -1: none */

    /* By warp; NULL if another scoreboard is used. A cell is a register of a static warp on one side of a dual path. */
    int sides;             /* 2 for the dual scoreboard, else 1 */
    uint64_t *warp_cells;  /* [static warp][side][plane]: SCOREBOARD_LOAD times the loads in flight, plus the cycle at
                            * which writes of fixed latency are done */
    uint32_t *cell_phases; /* [static warp][side][plane]: phase of the warp in which the last write began; NULL unless
                            * the scoreboard is dual */
    uint32_t *warp_phases; /* [static warp]: how often its paths diverged or ended (dual scoreboard) */
    unsigned warp_lanes;   /* lanes of a static warp, or of a slice of it that has a scoreboard of its own */
    unsigned warp_shift;   /* its logarithm */
    int warps_per_row;
    uint32_t first_lanes; /* one bit at the first lane of each static warp of a row */
};

struct scoreboard_setup {
    enum sm_scoreboard kind;
    bool is_off;
    int rows, planes;
    unsigned warp_lanes;
    struct storage *storage; /* what the scoreboard's tables are kept in */
};

void scoreboard_open(struct scoreboard *b, const struct scoreboard_setup *setup);
void scoreboard_close(struct scoreboard *b);

/* Notes the lanes of a load as pending, and clears them when their data has returned; clearing lanes twice has no
 * effect. */
void scoreboard_begin_load(struct scoreboard *b, struct scoreboard_load *load);
void scoreboard_end_load(struct scoreboard *b, struct scoreboard_load *load, uint32_t lanes);
/* Whether a load in flight to one of the plan's registers has still to return for these threads. */
bool scoreboard_awaits_load(const struct scoreboard *b, const struct threads *threads, const struct plan *p);
/* Moves the strand's own writes in flight to the rows, before threads leave the strand. */
void scoreboard_leave(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s, uint64_t now);
/* A strand of one row takes over the threads of another one of that row, with what is in flight for them. Own writes in
 * flight of either go to the row, since they are not those of all threads any more. */
void scoreboard_unite(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                      struct scoreboard_strand *from_of, const struct strand *from, uint64_t now);
/* Finds out until when the rows may keep writes for the strand's threads, after the strand was given threads. */
void scoreboard_take_over(const struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s);

/* Exact: those of the threads for which rows keep the same writes in flight to the plan's registers as for the first of
 * them. */
uint32_t scoreboard_alike(const struct scoreboard *b, struct part part, const struct plan *p, uint64_t now);

/* ---- scoreboards by static warp ---- */

/* The static warps of a row (or slices with a scoreboard of their own) that have threads in the mask, which is not 0:
 * one bit for each, at the warp's first lane. */
static inline uint32_t scoreboard_warps(const struct scoreboard *b, uint32_t mask)
{
    if (b->warps_per_row == 1)
        return 1;
    for (unsigned lanes = 1; lanes < b->warp_lanes; lanes *= 2)
        mask |= mask >> lanes;
    return mask & b->first_lanes;
}

/* All lanes of these static warps of a row. */
static inline uint32_t scoreboard_lanes(const struct scoreboard *b, uint32_t warps)
{
    return b->warps_per_row == 1 ? UINT32_MAX : warps * bits_below(b->warp_lanes);
}

/* Whether threads of a row, of which there is one at least, are of one static warp (or slice). */
static inline bool scoreboard_is_one_warp(const struct scoreboard *b, uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask) >> b->warp_shift == (31u - (unsigned)__builtin_clz(mask)) >> b->warp_shift;
}

/* With has_warps_alone: the cycle from which the instruction of the plan finds the registers of one static warp
 * written; SM_NEVER: memory must answer first. */
static inline uint64_t scoreboard_warp_clears(const struct scoreboard *b, struct part of, const struct plan *p)
{
    size_t warp = (size_t)of.row * (size_t)b->warps_per_row + ((unsigned)__builtin_ctz(of.mask) >> b->warp_shift);
    const uint64_t *cells = b->warp_cells + warp * (size_t)b->plane_count;
    uint64_t last = 0;
    for (int k = 0; k < p->check_count; k++)
        last = sm_later(last, cells[p->plane[k]]);
    return last < SCOREBOARD_LOAD ? last : SM_NEVER;
}

/* The instruction of the plan writes registers of these static warps of the row, on one side, at cycle `due`. */
void scoreboard_begin_warps(struct scoreboard *b, int32_t row, uint32_t warps, int side, const struct plan *p,
                            uint64_t due);
/* Begins a new phase for the static warps of these lanes: writes in flight are seen by both sides. False if the
 * scoreboard knows no sides. */
bool scoreboard_begin_phase(struct scoreboard *b, int32_t row, uint32_t lanes);

static inline int scoreboard_side(const struct scoreboard *b, const struct strand *s)
{
    return b->by_side ? s->side & 1 : 0;
}

/* ---- writes of fixed latency ---- */

/* scoreboard_clears() and scoreboard_begin() where the scoreboard is neither plain nor off. */
uint64_t scoreboard_other_clears(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                                 const struct plan *p, uint64_t now);
void scoreboard_other_begin(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                            const struct plan *p, uint64_t due, uint64_t now);

/* The uncommon cases of the inline functions below. */
uint64_t scoreboard_rows_clear(struct scoreboard *b, const struct strand *s, const struct plan *p, uint64_t now);
uint64_t scoreboard_look_at_row(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                                const struct plan *p, uint64_t now);
uint64_t scoreboard_later_clears(const struct scoreboard_strand *of, const struct plan *p);
void scoreboard_begin_several(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                              const struct plan *p, uint64_t due, uint64_t now);
void scoreboard_give_to_rows(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s, int16_t plane,
                             uint64_t due, uint64_t now);

/* The register that the strand wrote as its i-th newest own write. */
static inline int16_t scoreboard_own_plane(const struct scoreboard_strand *of, int i)
{
    return (int16_t)(of->own_planes >> 16 * i);
}

/* Which of the strand's own writes are to one of the plan's first registers: 16 bits for each write, all ones or 0.
 * All are compared with all at once. */
static inline uint64_t scoreboard_own_found(const struct scoreboard_strand *of, const struct plan *p)
{
    typedef int16_t eight_planes __attribute__((vector_size(16)));
    typedef int32_t four_pairs __attribute__((vector_size(16)));
    typedef uint64_t two_words __attribute__((vector_size(16)));
    const uint64_t own = of->own_planes;
    uint64_t first;
    _Static_assert(PLAN_FIRST_CHECKS * sizeof p->plane[0] == sizeof first, "the first planes are one word");
    memcpy(&first, p->plane, sizeof first);
    const eight_planes writes = (eight_planes)(two_words){own, own}, checks = (eight_planes)(two_words){first, first};
    const four_pairs pairs = (four_pairs)__builtin_shufflevector(checks, checks, 0, 0, 1, 1, 2, 2, 3, 3);
    const eight_planes low = (eight_planes)__builtin_shufflevector(pairs, pairs, 0, 0, 1, 1);
    const eight_planes high = (eight_planes)__builtin_shufflevector(pairs, pairs, 2, 2, 3, 3);
    const two_words found = (two_words)((writes == low) | (writes == high));
    return found[0] | found[1];
}

/* scoreboard_own_clears() for programs with so many planes that several share a bit of plan.checks. */
static inline uint64_t scoreboard_own_clears_exactly(const struct scoreboard_strand *of, const struct plan *p)
{
    const uint64_t found = scoreboard_own_found(of, p);
    uint64_t when = 0;
    for (int i = 0; i < SCOREBOARD_OWN_WRITES; i++)
        when = sm_later(when, of->own_due[i] & (uint64_t)(int64_t)(int16_t)(found >> 16 * i));
    if (UNLIKELY(p->check_count > PLAN_FIRST_CHECKS))
        when = sm_later(when, scoreboard_later_clears(of, p));
    return when;
}

/* The cycle at which those of the strand's own writes are done that the plan's registers wait for. There is no branch
 * on whether the plan waits for a write: the host could not predict it. */
static inline uint64_t scoreboard_own_clears(const struct scoreboard *b, const struct scoreboard_strand *of,
                                             const struct plan *p)
{
    uint64_t when = 0;
    if (UNLIKELY(b->plane_count > PLAN_CHECK_BITS)) /* several registers share a bit of plan.checks */
        return scoreboard_own_clears_exactly(of, p);
    for (int i = 0; i < SCOREBOARD_OWN_WRITES; i++) {
        uint64_t is_checked = p->checks >> (of->own_planes >> 16 * i & (PLAN_CHECK_BITS - 1)) & 1;
        when = sm_later(when, of->own_due[i] & -is_checked);
    }
    return when;
}

/* Whether a load is in flight for threads of the strand's rows. */
static inline bool scoreboard_rows_load(const struct scoreboard *b, const struct strand *s)
{
    for (int i = 0; i < s->threads.count; i++)
        if (b->row_loads[s->threads.part[i].row])
            return true;
    return false;
}

/* Whether rows may keep writes in flight of the strand's threads to registers of the plan. */
static inline bool scoreboard_asks_rows(const struct scoreboard *b, struct scoreboard_strand *of,
                                        const struct strand *s, const struct plan *p, uint64_t now)
{
    if (!(of->rows_keep & p->checks))
        return false;
    if (of->others_load)
        of->others_load = scoreboard_rows_load(b, s);
    bool asks = of->loads || of->others_load || of->others_until > now;
    of->rows_keep = asks ? of->rows_keep : 0;
    return asks;
}

/* The strand began a load to the plan's destinations, which rows keep. */
static inline void scoreboard_note_load(struct scoreboard_strand *of, const struct plan *p)
{
    for (int k = 0; k < p->dest_count; k++)
        of->rows_keep |= plan_check_bit(p->plane[k]);
}

/* A strand of one row has left some of its threads to a new one: what is in flight for its threads is so for theirs,
 * too. */
static inline void scoreboard_divide(const struct scoreboard_strand *of, struct scoreboard_strand *rest)
{
    *rest = *of;
    rest->others_load |= of->loads > 0;
    rest->loads = 0;
}

/* With the plain scoreboard: the cycle from which some threads of a strand find the registers of their next
 * instruction, that of the plan, written; SM_NEVER: memory must answer first. */
static inline uint64_t scoreboard_clears_of_some(struct scoreboard *b, struct scoreboard_strand *of,
                                                 const struct strand *some, const struct plan *p, uint64_t now)
{
    uint64_t when = scoreboard_own_clears(b, of, p);
    return scoreboard_asks_rows(b, of, some, p, now) ? sm_later(when, scoreboard_rows_clear(b, some, p, now)) : when;
}

/* scoreboard_clears_of_some() for all threads of the strand. Registers that their rows turn out not to keep are not
 * asked for again. Where several registers share a bit of plan.checks, it is not known of all of them. */
static inline uint64_t scoreboard_clears(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                                         const struct plan *p, uint64_t now)
{
    uint64_t when = scoreboard_own_clears(b, of, p);
    if (!scoreboard_asks_rows(b, of, s, p, now))
        return when;
    const uint64_t rows_clear = scoreboard_rows_clear(b, s, p, now);
    if (rows_clear <= now && b->plane_count <= PLAN_CHECK_BITS)
        of->rows_keep &= ~p->checks;
    return sm_later(when, rows_clear);
}

/* scoreboard_clears() for a strand of one row. What the row turns out not to keep is not asked for again, so nobody may
 * ask for some of the strand's threads only. */
static inline uint64_t scoreboard_row_clears(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                                             const struct plan *p, uint64_t now)
{
    uint64_t when = scoreboard_own_clears(b, of, p);
    return of->rows_keep & p->checks ? sm_later(when, scoreboard_look_at_row(b, of, s, p, now)) : when;
}

/* Notes one write of the strand in place of the strand's oldest, which goes to the rows if it is still in flight. */
static inline void scoreboard_own_write(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                                        int16_t plane, uint64_t due, uint64_t now)
{
    const int oldest = SCOREBOARD_OWN_WRITES - 1;
    if (UNLIKELY(of->own_due[oldest] > now))
        scoreboard_give_to_rows(b, of, s, scoreboard_own_plane(of, oldest), of->own_due[oldest], now);
    for (int i = oldest; i > 0; i--)
        of->own_due[i] = of->own_due[i - 1];
    of->own_due[0] = due;
    of->own_planes = of->own_planes << 16 | (uint16_t)plane;
}

/* With the plain scoreboard: the plan's instruction, which the strand issues, writes its destinations at cycle
 * `due`. */
static inline void scoreboard_begin(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                                    const struct plan *p, uint64_t due, uint64_t now)
{
    if (__builtin_expect(p->dest_count == 1, 1))
        scoreboard_own_write(b, of, s, p->plane[0], due, now);
    else
        scoreboard_begin_several(b, of, s, p, due, now);
}

#endif
