/* The scoreboard (scoreboard.h explains what is kept where): storage, what rows keep, and the papers' scoreboards by
 * static warp. */
#include "sm/scoreboard.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/inline.h"

#include <stdlib.h>
#include <string.h>

/* Builds that check themselves also keep the exact scoreboard beside a simpler one. Whenever the simpler one says that
 * a strand may issue, the exact one must agree: instructions are executed at issue, so a wrong answer would read a
 * register before it is written. */
#ifdef HEDDLE_CHECKS
static const bool keeps_both = true;
#else
static const bool keeps_both = false;
#endif

void scoreboard_open(struct scoreboard *b, const struct scoreboard_setup *setup)
{
    size_t rows = (size_t)setup->rows, planes = (size_t)setup->planes;
    b->is_off = setup->is_off;
    b->by_side = setup->kind == SM_SCOREBOARD_DUAL;
    b->by_warp = b->by_side || setup->kind == SM_SCOREBOARD_WARP;
    b->has_warps_alone = b->by_warp && !b->by_side && !b->is_off && !keeps_both;
    b->single = setup->kind == SM_SCOREBOARD_SINGLE;
    b->is_plain = !(b->is_off || b->single || b->by_warp || keeps_both);
    b->plane_count = setup->planes;
    b->free_late = -1;
    b->warp_lanes = setup->warp_lanes;
    b->warps_per_row = b->warp_lanes < ROW_LANES ? (int)(ROW_LANES / b->warp_lanes) : 1;
    b->warp_shift = (unsigned)__builtin_ctz(b->warp_lanes);
    b->sides = b->by_side ? 2 : 1;
    for (int i = 0; i < b->warps_per_row; i++)
        b->first_lanes |= 1u << (unsigned)i * b->warp_lanes;
    if (b->is_off)
        return;
    if (!b->by_warp || keeps_both) {
        b->cells = storage_calloc(setup->storage, rows * planes + 1, sizeof *b->cells);
        b->row_until = storage_calloc(setup->storage, rows, sizeof *b->row_until);
        b->row_loads = storage_calloc(setup->storage, rows, sizeof *b->row_loads);
        b->late_of_row = storage_alloc(setup->storage, sizeof *b->late_of_row * rows);
        memset(b->late_of_row, -1, sizeof *b->late_of_row * rows);
    }
    if (b->by_warp) {
        size_t warps = rows * (size_t)b->warps_per_row;
        size_t cells = warps * (size_t)b->sides * planes + 1;
        b->warp_cells = storage_calloc(setup->storage, cells, sizeof *b->warp_cells);
        if (b->by_side)
            b->cell_phases = storage_calloc(setup->storage, cells, sizeof *b->cell_phases);
        b->warp_phases = storage_calloc(setup->storage, warps, sizeof *b->warp_phases);
    }
}

void scoreboard_close(struct scoreboard *b)
{
    vec_free(&b->late);
}

/* ---- exact: what rows keep ---- */

static struct scoreboard_cell *cells_of(const struct scoreboard *b, int32_t row)
{
    return b->cells + (size_t)row * (size_t)b->plane_count;
}

/* The late write of a row that the link is to, of those that are not done; NULL: there is none. Late writes that are
 * done leave the row's list. */
static struct scoreboard_late *late_at(struct scoreboard *b, int32_t *link, uint64_t now)
{
    while (*link >= 0) {
        const int32_t at = *link;
        struct scoreboard_late *w = &b->late.data[at];
        if (w->due > now)
            return w;
        *link = w->next;
        w->next = b->free_late;
        b->free_late = at;
    }
    return NULL;
}

/* The cycle at which the row's late writes to these lanes of the plan's registers are done. */
static uint64_t late_clears(struct scoreboard *b, int32_t row, uint32_t mask, const struct plan *p, uint64_t now)
{
    uint64_t when = 0;
    struct scoreboard_late *w;
    for (int32_t *link = &b->late_of_row[row]; (w = late_at(b, link, now)); link = &w->next)
        for (int k = 0; k < p->check_count && w->lanes & mask; k++)
            if (p->plane[k] == w->plane)
                when = sm_later(when, w->due);
    return when;
}

/* The cycle at which what rows keep for the strand's threads and the plan's registers is written; SM_NEVER: a load. */
uint64_t scoreboard_rows_clear(struct scoreboard *b, const struct strand *s, const struct plan *p, uint64_t now)
{
    uint64_t when = 0;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        const struct scoreboard_cell *cells = cells_of(b, part.row);
        for (int k = 0; k < p->check_count; k++) {
            const struct scoreboard_cell *c = &cells[p->plane[k]];
            if (c->loads & part.mask)
                return SM_NEVER;
            if (c->lanes & part.mask && c->due > when)
                when = c->due;
        }
        if (b->late_of_row[part.row] >= 0)
            when = sm_later(when, late_clears(b, part.row, part.mask, p, now));
    }
    return when;
}

/* What the row keeps, for scoreboard_row_clears(). Where several registers share a bit of plan.checks, it is not known
 * whether the row keeps a write to one of the others. */
uint64_t scoreboard_look_at_row(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                                const struct plan *p, uint64_t now)
{
    const struct part part = s->threads.part[0];
    const struct scoreboard_cell *cells = cells_of(b, part.row);
    uint64_t when = 0;
    if (!scoreboard_asks_rows(b, of, s, p, now))
        return 0;
    for (int k = 0; k < p->check_count; k++) {
        const struct scoreboard_cell *c = &cells[p->plane[k]];
        if (c->loads & part.mask)
            return SM_NEVER;
        when = sm_later(when, c->lanes & part.mask ? c->due : 0);
    }
    if (b->late_of_row[part.row] >= 0)
        when = sm_later(when, late_clears(b, part.row, part.mask, p, now));
    if (when <= now && b->plane_count <= PLAN_CHECK_BITS)
        of->rows_keep &= ~p->checks;
    return when;
}

/* Adds a write to the row's list of writes that end at another cycle than their register's cell says. What is done
 * leaves the list before, so that it stays short where nobody asks for what the row keeps. */
static void add_late(struct scoreboard *b, int32_t row, int16_t plane, uint32_t lanes, uint64_t due, uint64_t now)
{
    struct scoreboard_late *w;
    for (int32_t *link = &b->late_of_row[row]; (w = late_at(b, link, now)); link = &w->next)
        ;
    if (b->free_late < 0) {
        vec_push(&b->late, (struct scoreboard_late){.next = -1});
        b->free_late = b->late.count - 1;
    }
    int32_t at = b->free_late;
    b->free_late = b->late.data[at].next;
    b->late.data[at] = (struct scoreboard_late){due, lanes, plane, b->late_of_row[row]};
    b->late_of_row[row] = at;
}

/* Notes a write in the cell of a row. */
static inline void note_part(struct scoreboard *b, struct part part, int16_t plane, uint64_t due, uint64_t now)
{
    struct scoreboard_cell *c = &cells_of(b, part.row)[plane];
    uint32_t others = c->due > now ? c->lanes & ~part.mask : 0;
    if (others && c->due != due) {
        add_late(b, part.row, plane, others, c->due, now);
        others = 0;
    }
    c->lanes = part.mask | others;
    c->due = due;
}

/* Notes a write in the cells of the rows of the strand's threads. */
static void note_lanes(struct scoreboard *b, const struct strand *s, int16_t plane, uint64_t due, uint64_t now)
{
    for (int i = 0; i < s->threads.count; i++)
        note_part(b, s->threads.part[i], plane, due, now);
}

static void give_to_rows(struct scoreboard *b, const struct strand *s, int16_t plane, uint64_t due, uint64_t now)
{
    for (int i = 0; i < s->threads.count; i++) {
        const struct part part = s->threads.part[i];
        note_part(b, part, plane, due, now);
        b->row_until[part.row] = sm_later(b->row_until[part.row], due);
    }
}

/* ---- exact: what a strand keeps ---- */

void scoreboard_give_to_rows(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s, int16_t plane,
                             uint64_t due, uint64_t now)
{
    give_to_rows(b, s, plane, due, now);
    of->others_until = sm_later(of->others_until, due);
    of->rows_keep |= plan_check_bit(plane);
}

/* scoreboard_begin() for any number of destinations. */
void scoreboard_begin_several(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                              const struct plan *p, uint64_t due, uint64_t now)
{
    for (int k = 0; k < p->dest_count; k++)
        scoreboard_own_write(b, of, s, p->plane[k], due, now);
}

/* The cycle at which those of the strand's own writes are done that are to registers behind the plan's first ones. */
uint64_t scoreboard_later_clears(const struct scoreboard_strand *of, const struct plan *p)
{
    uint64_t when = 0;
    for (int k = PLAN_FIRST_CHECKS; k < p->check_count; k++)
        for (int i = 0; i < SCOREBOARD_OWN_WRITES; i++)
            if (scoreboard_own_plane(of, i) == p->plane[k])
                when = sm_later(when, of->own_due[i]);
    return when;
}

void scoreboard_leave(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s, uint64_t now)
{
    for (int i = 0; i < SCOREBOARD_OWN_WRITES; i++) {
        if (of->own_due[i] > now)
            give_to_rows(b, s, scoreboard_own_plane(of, i), of->own_due[i], now);
        of->own_due[i] = 0;
    }
}

/* The strand's own writes in flight go to its rows, which keep them for it. */
static void give_own(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s, uint64_t now)
{
    for (int i = 0; i < SCOREBOARD_OWN_WRITES; i++) {
        if (of->own_due[i] > now)
            scoreboard_give_to_rows(b, of, s, scoreboard_own_plane(of, i), of->own_due[i], now);
        of->own_due[i] = 0;
    }
}

void scoreboard_unite(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                      struct scoreboard_strand *from_of, const struct strand *from, uint64_t now)
{
    give_own(b, of, s, now);
    give_own(b, from_of, from, now);
    of->others_until = sm_later(of->others_until, from_of->others_until);
    of->rows_keep |= from_of->rows_keep;
    of->others_load |= from_of->others_load || from_of->loads > 0;
    of->done_at = sm_later(of->done_at, from_of->done_at);
}

void scoreboard_take_over(const struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s)
{
    const int parts = b->row_until ? s->threads.count : 0;
    uint64_t until = 0;
    int32_t loads = 0;
    for (int i = 0; i < parts; i++) {
        const int32_t row = s->threads.part[i].row;
        until = sm_later(until, b->row_until[row]);
        loads |= b->row_loads[row];
    }
    of->others_until = until;
    of->others_load = loads != 0;
    of->rows_keep = UINT64_MAX;
}

/* Those of the lanes `same` for which the write to `lanes` is in flight as it is for the lowest of them. */
static uint32_t with_lowest(uint32_t same, uint32_t lanes)
{
    return same & (same & -same & lanes ? lanes : ~lanes);
}

uint32_t scoreboard_alike(const struct scoreboard *b, struct part part, const struct plan *p, uint64_t now)
{
    const struct scoreboard_cell *cells = cells_of(b, part.row);
    uint32_t same = part.mask;
    for (int k = 0; k < p->check_count; k++) {
        const struct scoreboard_cell *c = &cells[p->plane[k]];
        same = with_lowest(same, c->loads);
        if (c->due > now)
            same = with_lowest(same, c->lanes);
    }
    for (int32_t at = b->late_of_row[part.row]; at >= 0; at = b->late.data[at].next) {
        const struct scoreboard_late *w = &b->late.data[at];
        for (int k = 0; k < p->check_count && w->due > now; k++)
            if (p->plane[k] == w->plane)
                same = with_lowest(same, w->lanes);
    }
    return same;
}

/* ---- by static warp ---- */

/* The index of the first cell of one side of a static warp, which has `first_lane` of the row. */
static size_t cells_at(const struct scoreboard *b, int32_t row, int first_lane, int side)
{
    size_t warp = (size_t)row * (size_t)b->warps_per_row + ((unsigned)first_lane >> b->warp_shift);
    return (warp * (size_t)b->sides + (size_t)side) * (size_t)b->plane_count;
}

static uint32_t *phase_of(const struct scoreboard *b, int32_t row, int first_lane)
{
    return &b->warp_phases[(size_t)row * (size_t)b->warps_per_row + ((unsigned)first_lane >> b->warp_shift)];
}

/* The largest of the plan's cells on one side. */
static ALWAYS_INLINE uint64_t last_cell(const uint64_t *cells, const struct plan *p)
{
    uint64_t last = 0;
    for (int k = 0; k < p->check_count; k++)
        last = sm_later(last, cells[p->plane[k]]);
    return last;
}

/* The largest of the plan's cells on the other side of a dual path, of those whose last write began before the warp's
 * current phase. */
static uint64_t last_cell_of_past(const struct scoreboard *b, size_t first, const struct plan *p, uint32_t phase)
{
    uint64_t last = 0;
    for (int k = 0; k < p->check_count; k++) {
        size_t at = first + (size_t)p->plane[k];
        if (b->cell_phases[at] != phase)
            last = sm_later(last, b->warp_cells[at]);
    }
    return last;
}

static uint64_t warps_clear(const struct scoreboard *b, const struct strand *s, const struct plan *p)
{
    int side = scoreboard_side(b, s);
    uint64_t last = 0;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        for (uint32_t left = scoreboard_warps(b, part.mask); left; left &= left - 1) {
            int lane = bits_lowest(left);
            last = sm_later(last, last_cell(b->warp_cells + cells_at(b, part.row, lane, side), p));
            if (b->by_side)
                last = sm_later(
                    last, last_cell_of_past(b, cells_at(b, part.row, lane, !side), p, *phase_of(b, part.row, lane)));
        }
    }
    return last < SCOREBOARD_LOAD ? last : SM_NEVER;
}

void scoreboard_begin_warps(struct scoreboard *b, int32_t row, uint32_t warps, int side, const struct plan *p,
                            uint64_t due)
{
    for (uint32_t left = warps; left; left &= left - 1) {
        size_t first = cells_at(b, row, bits_lowest(left), side);
        for (int k = 0; k < p->dest_count; k++) {
            uint64_t *cell = &b->warp_cells[first + (size_t)p->plane[k]], loads = *cell & -SCOREBOARD_LOAD;
            *cell = loads | sm_later(*cell - loads, due);
            if (b->cell_phases)
                b->cell_phases[first + (size_t)p->plane[k]] = *phase_of(b, row, bits_lowest(left));
        }
    }
}

/* Changes the number of loads in flight to the load's registers, for these static warps of its row. */
static void count_warp_loads(struct scoreboard *b, const struct scoreboard_load *load, uint32_t warps, int change)
{
    const struct plan *p = load->plan;
    for (uint32_t left = warps; left; left &= left - 1) {
        size_t first = cells_at(b, load->row, bits_lowest(left), load->side);
        for (int k = 0; k < p->dest_count; k++) {
            size_t at = first + (size_t)p->plane[k];
            b->warp_cells[at] += (uint64_t)change * SCOREBOARD_LOAD;
            if (b->cell_phases && change > 0)
                b->cell_phases[at] = *phase_of(b, load->row, bits_lowest(left));
        }
    }
}

bool scoreboard_begin_phase(struct scoreboard *b, int32_t row, uint32_t lanes)
{
    if (!b->by_side || b->is_off)
        return false;
    for (uint32_t left = scoreboard_warps(b, lanes); left; left &= left - 1)
        ++*phase_of(b, row, bits_lowest(left));
    return true;
}

/* ---- all scoreboards ---- */

/* Panics if the exact scoreboard says that registers are written later than `when`, in builds that keep it beside
 * another. scoreboard_rows_clear() may also name the cycle of a write that is done: compare with `now` at least. */
static inline void check_exact(struct scoreboard *b, const struct strand *s, const struct plan *p, uint64_t when,
                               uint64_t now)
{
    if (keeps_both && sm_later(when, now) < scoreboard_rows_clear(b, s, p, now))
        panic("the scoreboard lets strand %d read at pc %d what is not written yet", s->id, s->pc);
}

uint64_t scoreboard_other_clears(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                                 const struct plan *p, uint64_t now)
{
    if (b->by_warp) {
        uint64_t when = warps_clear(b, s, p);
        check_exact(b, s, p, when, now);
        return when;
    }
    if (b->single && of->loads)
        return SM_NEVER;
    uint64_t when = sm_later(b->single ? of->done_at : 0, scoreboard_own_clears(b, of, p));
    if (scoreboard_asks_rows(b, of, s, p, now))
        return sm_later(when, scoreboard_rows_clear(b, s, p, now));
    check_exact(b, s, p, when, now);
    return when;
}

void scoreboard_other_begin(struct scoreboard *b, struct scoreboard_strand *of, const struct strand *s,
                            const struct plan *p, uint64_t due, uint64_t now)
{
    for (int k = 0; k < p->dest_count; k++) {
        scoreboard_own_write(b, of, s, p->plane[k], due, now);
        if (keeps_both)
            note_lanes(b, s, p->plane[k], due, now);
    }
}

void scoreboard_begin_load(struct scoreboard *b, struct scoreboard_load *load)
{
    const struct plan *p = load->plan;
    b->loads++;
    if (b->row_loads)
        b->row_loads[load->row]++;
    load->pending = load->mask;
    for (int k = 0; b->cells && k < p->dest_count; k++)
        cells_of(b, load->row)[p->plane[k]].loads |= load->mask;
    if (b->warp_cells)
        count_warp_loads(b, load, scoreboard_warps(b, load->mask), 1);
}

/* Loads to one register of a row that the scoreboard knows, as far as they concern these lanes. */
static bool has_load(const struct scoreboard *b, int32_t row, uint32_t lanes, int16_t plane)
{
    if (b->cells)
        return cells_of(b, row)[plane].loads & lanes;
    bool has = false;
    for (uint32_t left = scoreboard_warps(b, lanes); left; left &= left - 1)
        for (int side = 0; side < b->sides; side++)
            has |= b->warp_cells[cells_at(b, row, bits_lowest(left), side) + (size_t)plane] >= SCOREBOARD_LOAD;
    return has;
}

bool scoreboard_awaits_load(const struct scoreboard *b, const struct threads *threads, const struct plan *p)
{
    for (int i = 0; b->loads && !b->is_off && i < threads->count; i++)
        for (int k = 0; k < p->check_count; k++)
            if (has_load(b, threads->part[i].row, threads->part[i].mask, p->plane[k]))
                return true;
    return false;
}

void scoreboard_end_load(struct scoreboard *b, struct scoreboard_load *load, uint32_t lanes)
{
    const struct plan *p = load->plan;
    lanes &= load->pending; /* the register of a lane that was cleared may have a later load in flight */
    if (!lanes)
        return;
    load->pending &= ~lanes;
    b->loads -= !load->pending;
    if (b->row_loads)
        b->row_loads[load->row] -= !load->pending;
    for (int k = 0; b->cells && k < p->dest_count; k++)
        cells_of(b, load->row)[p->plane[k]].loads &= ~lanes;
    if (!b->warp_cells)
        return;
    uint32_t warps = scoreboard_warps(b, lanes);
    count_warp_loads(b, load, load->pending ? warps & ~scoreboard_warps(b, load->pending) : warps, -1);
}
