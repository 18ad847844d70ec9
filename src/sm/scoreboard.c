/*
 * The scoreboard: which registers are still to be written, and until when.
 *
 * The exact one knows it for each thread, so that any regrouping of threads is right: of each register of a row the
 * lanes with a write under way, and the cycle at which it ends, or that memory must answer. Lanes of one register
 * mostly end together; writes that do not are kept in a list of the row. The papers' simpler ones know registers of a
 * static warp only, for one side, or for both sides of a dual path: there a write is seen by the other side once the
 * warp forked or joined while it was pending (shadow). A warp wider than a row is looked up row by row.
 */
#include "sm/internal.h"

#include "base/arena.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };

/* The exact one is also kept beside a simpler one in builds that check themselves: whenever the simpler says ready, it
 * must agree, since instructions are executed at issue. */
#ifdef HEDDLE_CHECKS
static const bool keeps_both = true;
#else
static const bool keeps_both = false;
#endif

void scoreboard_open(struct sm *sm, size_t rows)
{
    sm->by_warp = sm->config->scoreboard == SM_SCOREBOARD_WARP || sm->config->scoreboard == SM_SCOREBOARD_DUAL;
    sm->by_side = sm->config->scoreboard == SM_SCOREBOARD_DUAL;
    sm->single = sm->config->scoreboard == SM_SCOREBOARD_SINGLE;
    sm->plane_count = sm->host.program->plane_count;
    sm->free_late = -1;
    unsigned width = sm->config->warp_width;
    sm->warps_per_row = width < ROW_LANES ? (int)(ROW_LANES / width) : 1;
    if (sm->every_commit) /* a thread has one instruction in flight, and is in no pool until it is done */
        return;
    if (!sm->by_warp || keeps_both) {
        sm->cells = xcalloc(rows * (size_t)sm->plane_count + 1, sizeof *sm->cells);
        sm->late_of_row = xmalloc(sizeof *sm->late_of_row * rows);
        memset(sm->late_of_row, -1, sizeof *sm->late_of_row * rows);
    }
    if (sm->by_warp)
        sm->warp_cells = xcalloc(rows * (size_t)sm->warps_per_row * SIDES * (size_t)sm->plane_count + 1,
                                 sizeof *sm->warp_cells);
}

void scoreboard_close(struct sm *sm)
{
    free(sm->cells);
    free(sm->late_of_row);
    free(sm->late);
    free(sm->warp_cells);
}

/* ---- exact ---- */

static struct cell *cells_of(const struct sm *sm, int32_t row)
{
    return sm->cells + (size_t)row * (size_t)sm->plane_count;
}

/* When the listed writes of these lanes of the plan's registers end. Those that have ended leave the list. */
static uint64_t late_clears(struct sm *sm, int32_t row, uint32_t mask, const struct plan *p)
{
    uint64_t when = 0;
    for (int32_t *link = &sm->late_of_row[row]; *link >= 0;) {
        int32_t at = *link;
        struct late_write *w = &sm->late[at];
        if (w->due <= sm->now) {
            *link = w->next;
            w->next = sm->free_late;
            sm->free_late = at;
            continue;
        }
        for (int k = 0; k < p->check_count && w->lanes & mask; k++)
            if (p->plane[k] == w->plane)
                when = sm_later(when, w->due);
        link = &w->next;
    }
    return when;
}

static uint64_t exact_clears(struct sm *sm, const struct strand *s)
{
    const struct plan *p = &sm->plans->at[s->pc];
    uint64_t when = 0;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        const struct cell *cells = cells_of(sm, part.row);
        for (int k = 0; k < p->check_count; k++) {
            const struct cell *c = &cells[p->plane[k]];
            if (c->loads & part.mask)
                return SM_NEVER;
            if (c->lanes & part.mask && c->due > when)
                when = c->due;
        }
        if (sm->late_of_row[part.row] >= 0)
            when = sm_later(when, late_clears(sm, part.row, part.mask, p));
    }
    return when;
}

static void add_late(struct sm *sm, int32_t row, int16_t plane, uint32_t lanes, uint64_t due)
{
    if (sm->free_late < 0) {
        int old = sm->late_capacity;
        sm->late_capacity = old ? 2 * old : 64;
        sm->late = xrealloc(sm->late, sizeof *sm->late * (size_t)sm->late_capacity);
        for (int i = sm->late_capacity - 1; i >= old; i--) {
            sm->late[i].next = sm->free_late;
            sm->free_late = i;
        }
    }
    int32_t at = sm->free_late;
    sm->free_late = sm->late[at].next;
    sm->late[at] = (struct late_write){due, lanes, plane, sm->late_of_row[row]};
    sm->late_of_row[row] = at;
}

static void exact_begin(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        struct cell *cells = cells_of(sm, part.row);
        for (int k = 0; k < p->dest_count; k++) {
            struct cell *c = &cells[p->plane[k]];
            uint32_t others = c->due > sm->now ? c->lanes & ~part.mask : 0;
            if (others && c->due != due) {
                add_late(sm, part.row, p->plane[k], others, c->due);
                others = 0;
            }
            c->lanes = part.mask | others;
            c->due = due;
        }
    }
}

/* ---- by static warp ---- */

static struct warp_cell *warp_cells_of(const struct sm *sm, int32_t row, int warp, int side)
{
    size_t index = ((size_t)row * (size_t)sm->warps_per_row + (size_t)warp) * SIDES + (size_t)side;
    return sm->warp_cells + index * (size_t)sm->plane_count;
}

/* Bits of the row's static warps that have threads in the mask. */
static uint32_t warps_in(const struct sm *sm, uint32_t mask)
{
    if (sm->warps_per_row == 1)
        return 1;
    uint32_t warps = 0;
    for (uint32_t left = mask; left; left &= left - 1)
        warps |= 1u << (unsigned)bits_lowest(left) / sm->config->warp_width;
    return warps;
}

static uint64_t clears_of(const struct warp_cell *cells, const struct plan *p, bool shadow_only)
{
    uint64_t when = 0;
    for (int k = 0; k < p->check_count; k++) {
        const struct warp_cell *c = &cells[p->plane[k]];
        if (shadow_only && !c->shadow)
            continue;
        if (c->loads)
            return SM_NEVER;
        when = sm_later(when, c->due);
    }
    return when;
}

static int side_of(const struct sm *sm, const struct strand *s)
{
    return sm->by_side ? s->side & 1 : 0;
}

static uint64_t warp_clears(const struct sm *sm, const struct strand *s)
{
    const struct plan *p = &sm->plans->at[s->pc];
    int side = side_of(sm, s);
    uint64_t when = 0;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        for (uint32_t left = warps_in(sm, part.mask); left; left &= left - 1) {
            int warp = bits_lowest(left);
            when = sm_later(when, clears_of(warp_cells_of(sm, part.row, warp, side), p, false));
            if (sm->by_side)
                when = sm_later(when, clears_of(warp_cells_of(sm, part.row, warp, !side), p, true));
        }
    }
    return when;
}

static void warp_begin(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        for (uint32_t left = warps_in(sm, part.mask); left; left &= left - 1) {
            struct warp_cell *cells = warp_cells_of(sm, part.row, bits_lowest(left), side_of(sm, s));
            for (int k = 0; k < p->dest_count; k++) {
                struct warp_cell *c = &cells[p->plane[k]];
                c->due = sm_later(c->due, due);
                c->shadow = false;
            }
        }
    }
}

static void warp_load(struct sm *sm, const struct flight *f, int change)
{
    const struct plan *p = &sm->plans->at[f->pc];
    for (uint32_t left = warps_in(sm, f->mask); left; left &= left - 1) {
        struct warp_cell *cells = warp_cells_of(sm, f->row, bits_lowest(left), f->side);
        for (int k = 0; k < p->dest_count; k++) {
            cells[p->plane[k]].loads = (uint16_t)(cells[p->plane[k]].loads + change);
            if (change > 0)
                cells[p->plane[k]].shadow = false;
        }
    }
}

void scoreboard_share(struct sm *sm, int32_t row)
{
    if (!sm->by_side)
        return;
    for (int warp = 0; warp < sm->warps_per_row; warp++)
        for (int side = 0; side < SIDES; side++) {
            struct warp_cell *cells = warp_cells_of(sm, row, warp, side);
            for (int k = 0; k < sm->plane_count; k++)
                cells[k].shadow |= cells[k].due > sm->now || cells[k].loads;
        }
}

/* ---- both ---- */

uint64_t scoreboard_clears(struct sm *sm, const struct strand *s)
{
    const struct strand_state *state = &sm->states[s->id];
    uint64_t when = 0;
    if (sm->every_commit)
        return 0;
    if (sm->single) {
        if (state->loads)
            return SM_NEVER;
        when = state->done_at;
    }
    if (!sm->by_warp)
        return sm_later(when, exact_clears(sm, s));
    when = sm_later(when, warp_clears(sm, s));
    if (keeps_both && when < exact_clears(sm, s))
        panic("a simpler scoreboard lets strand %d read at pc %d what is not written yet", s->id, s->pc);
    return when;
}

void scoreboard_begin(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    if (sm->cells)
        exact_begin(sm, s, p, due);
    if (sm->warp_cells)
        warp_begin(sm, s, p, due);
}

void scoreboard_begin_load(struct sm *sm, const struct flight *f)
{
    const struct plan *p = &sm->plans->at[f->pc];
    for (int k = 0; sm->cells && k < p->dest_count; k++)
        cells_of(sm, f->row)[p->plane[k]].loads |= f->mask;
    if (sm->warp_cells)
        warp_load(sm, f, 1);
}

void scoreboard_end_load(struct sm *sm, const struct flight *f, uint32_t lanes, bool is_last)
{
    const struct plan *p = &sm->plans->at[f->pc];
    for (int k = 0; sm->cells && k < p->dest_count; k++)
        cells_of(sm, f->row)[p->plane[k]].loads &= ~lanes;
    if (sm->warp_cells && is_last)
        warp_load(sm, f, -1);
}
