/*
 * The scoreboard, what is not inline: see scoreboard.h.
 *
 * The dual one is Rhu and Erez's (HPCA 2013, section 4): each side has a pending bit P and a shadow bit S a register.
 * Issue sets P; when paths of the warp part or one ends, P is copied to S on both sides; the write clears both. A path
 * waits for P of its own side and S of the other. Here P is that the write is not done yet, and S that it began in an
 * earlier phase of the warp, which every parting and ending begins anew: nothing has to be copied.
 */
#include "sm/scoreboard.h"

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
    sm->by_side = sm->config->scoreboard == SM_SCOREBOARD_DUAL && !sm->traits.ideal;
    sm->by_warp = sm->by_side || (sm->config->scoreboard == SM_SCOREBOARD_WARP && !sm->traits.ideal);
    sm->single = sm->config->scoreboard == SM_SCOREBOARD_SINGLE;
    sm->exact_scoreboard = !(sm->traits.every_commit || sm->single || sm->by_warp || keeps_both);
    sm->plane_count = sm->host.facts.program->plane_count;
    sm->free_late = -1;
    sm->cell_lanes = sm->wants.slice_lanes ? sm->slice_lanes : sm->config->warp_width;
    sm->warps_per_row = sm->cell_lanes < ROW_LANES ? (int)(ROW_LANES / sm->cell_lanes) : 1;
    if (sm->traits.every_commit)
        return;
    if (!sm->by_warp || keeps_both) {
        sm->cells = xcalloc(rows * (size_t)sm->plane_count + 1, sizeof *sm->cells);
        sm->row_until = xcalloc(rows, sizeof *sm->row_until);
        sm->late_of_row = xmalloc(sizeof *sm->late_of_row * rows);
        memset(sm->late_of_row, -1, sizeof *sm->late_of_row * rows);
    }
    if (sm->by_warp) {
        size_t warps = rows * (size_t)sm->warps_per_row;
        sm->warp_cells = xcalloc(warps * SIDES * (size_t)sm->plane_count + 1, sizeof *sm->warp_cells);
        sm->warp_phases = xcalloc(warps, sizeof *sm->warp_phases);
    }
}

void scoreboard_close(struct sm *sm)
{
    free(sm->cells);
    free(sm->row_until);
    free(sm->late_of_row);
    vec_free(&sm->late);
    free(sm->warp_cells);
    free(sm->warp_phases);
}

/* ---- exact, of the rows ---- */

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
        struct late_write *w = &sm->late.data[at];
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

uint64_t scoreboard_rows_clear(struct sm *sm, const struct strand *s)
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
        vec_push(&sm->late, (struct late_write){.next = -1});
        sm->free_late = sm->late.count - 1;
    }
    int32_t at = sm->free_late;
    sm->free_late = sm->late.data[at].next;
    sm->late.data[at] = (struct late_write){due, lanes, plane, sm->late_of_row[row]};
    sm->late_of_row[row] = at;
}

/* The write is noted with the rows of the strand's threads. */
static void note_lanes(struct sm *sm, const struct strand *s, int16_t plane, uint64_t due)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        struct cell *c = &cells_of(sm, part.row)[plane];
        uint32_t others = c->due > sm->now ? c->lanes & ~part.mask : 0;
        if (others && c->due != due) {
            add_late(sm, part.row, plane, others, c->due);
            others = 0;
        }
        c->lanes = part.mask | others;
        c->due = due;
    }
}

/* ---- exact, of one strand ---- */

static void give_to_rows(struct sm *sm, const struct strand *s, const struct own_write *w)
{
    note_lanes(sm, s, w->plane, w->due);
    for (int i = 0; i < s->threads.count; i++) {
        uint64_t *until = &sm->row_until[s->threads.part[i].row];
        *until = sm_later(*until, w->due);
    }
}

void scoreboard_give_to_rows(struct sm *sm, const struct strand *s, struct own_write *w)
{
    struct strand_state *state = &sm->states[s->id];
    give_to_rows(sm, s, w);
    state->others_until = sm_later(state->others_until, w->due);
}

/* Where several registers share a bit of the plan's. */
uint64_t scoreboard_own_clears_exactly(const struct strand_state *state, const struct plan *p)
{
    uint64_t when = 0;
    for (int k = 0; k < p->check_count; k++)
        for (int i = 0; i < SM_OWN_WRITES; i++)
            if (state->own[i].plane == p->plane[k])
                when = sm_later(when, state->own[i].due);
    return when;
}

void scoreboard_leave(struct sm *sm, const struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    for (int i = 0; i < SM_OWN_WRITES; i++) {
        if (state->own[i].due > sm->now)
            give_to_rows(sm, s, &state->own[i]);
        state->own[i].due = 0;
    }
}

void scoreboard_take_over(struct sm *sm, const struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    state->others_until = 0;
    for (int i = 0; sm->row_until && i < s->threads.count; i++)
        state->others_until = sm_later(state->others_until, sm->row_until[s->threads.part[i].row]);
    state->others_load = sm->memory_pending || sm->group.is_open;
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
    const unsigned lanes = sm->cell_lanes, shift = (unsigned)__builtin_ctz(lanes);
    uint32_t warps = 0;
    for (uint32_t left = mask; left;) {
        unsigned warp = (unsigned)bits_lowest(left) >> shift;
        warps |= 1u << warp;
        left &= ~(bits_below(lanes) << (warp << shift));
    }
    return warps;
}

/* Of the other side those that began before the phase count, of the own side all. */
static uint64_t clears_of(const struct warp_cell *cells, const struct plan *p, bool is_other, uint32_t phase)
{
    uint64_t when = 0;
    for (int k = 0; k < p->check_count; k++) {
        const struct warp_cell *c = &cells[p->plane[k]];
        if (is_other && c->phase == phase)
            continue;
        if (c->loads)
            return SM_NEVER;
        when = sm_later(when, c->due);
    }
    return when;
}

static uint32_t *phase_of(const struct sm *sm, int32_t row, int warp)
{
    return &sm->warp_phases[(size_t)row * (size_t)sm->warps_per_row + (size_t)warp];
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
            uint32_t phase = *phase_of(sm, part.row, warp);
            when = sm_later(when, clears_of(warp_cells_of(sm, part.row, warp, side), p, false, phase));
            if (sm->by_side)
                when = sm_later(when, clears_of(warp_cells_of(sm, part.row, warp, !side), p, true, phase));
        }
    }
    return when;
}

/* More is pending for the strand than when it was evaluated. If it was ready, it does not wait for the cycle's end to
 * hear of it. */
static void reconsider(struct sm *sm, struct strand *s)
{
    if (sm->states[s->id].ready && !s->syncs && scoreboard_clears(sm, s) > sm->open)
        strand_unready(sm, s);
    strand_evaluate(sm, s);
}

/* A strand began to write registers of these warps: others of them may have been ready to use these. Those that are not
 * ready find them when they wake. */
static void keep_siblings(struct sm *sm, int32_t row, uint32_t warps, int32_t writer)
{
    const struct row_strands *of = &sm->row_strands[row];
    for (int i = 0; i < of->count; i++) {
        struct strand *s = &sm->strands[of->id[i]];
        if (s->id != writer && sm->states[s->id].ready && warps_in(sm, threads_of_row(&s->threads, row)) & warps)
            reconsider(sm, s);
    }
}

static void warp_begin(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        uint32_t warps = warps_in(sm, part.mask);
        for (uint32_t left = warps; left; left &= left - 1) {
            int warp = bits_lowest(left);
            struct warp_cell *cells = warp_cells_of(sm, part.row, warp, side_of(sm, s));
            for (int k = 0; k < p->dest_count; k++) {
                struct warp_cell *c = &cells[p->plane[k]];
                c->due = sm_later(c->due, due);
                c->phase = *phase_of(sm, part.row, warp);
            }
        }
        keep_siblings(sm, part.row, warps, s->id);
    }
}

static void warp_load(struct sm *sm, const struct flight *f, uint32_t warps, int change)
{
    const struct plan *p = &sm->plans->at[f->pc];
    for (uint32_t left = warps; left; left &= left - 1) {
        int warp = bits_lowest(left);
        struct warp_cell *cells = warp_cells_of(sm, f->row, warp, f->side);
        for (int k = 0; k < p->dest_count; k++) {
            struct warp_cell *c = &cells[p->plane[k]];
            c->loads = (uint16_t)(c->loads + change);
            if (change > 0)
                c->phase = *phase_of(sm, f->row, warp);
        }
    }
}

/* What they can read changed for the warps' strands, but for those whose next instruction is not known yet. */
void scoreboard_share(struct sm *sm, int32_t row, uint32_t lanes)
{
    if (!sm->by_side || sm->traits.every_commit)
        return;
    uint32_t warps = warps_in(sm, lanes);
    for (uint32_t left = warps; left; left &= left - 1)
        ++*phase_of(sm, row, bits_lowest(left));
    const struct row_strands *of = &sm->row_strands[row];
    for (int i = 0; i < of->count; i++) {
        struct strand *s = &sm->strands[of->id[i]];
        if (warps_in(sm, threads_of_row(&s->threads, row)) & warps)
            reconsider(sm, s);
    }
}

/* ---- both ---- */

uint64_t scoreboard_other_clears(struct sm *sm, const struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    uint64_t when = 0;
    if (sm->single) {
        if (state->loads)
            return SM_NEVER;
        when = state->done_at;
    }
    bool asks = !sm->by_warp && scoreboard_asks_rows(sm, state);
    if (sm->by_warp)
        when = sm_later(when, warp_clears(sm, s));
    else
        when = sm_later(when, scoreboard_own_clears(sm, state, &sm->plans->at[s->pc]));
    if (asks)
        when = sm_later(when, scoreboard_rows_clear(sm, s));
    /* which also tells of writes that are done */
    if (keeps_both && !asks && sm_later(when, sm->now) < scoreboard_rows_clear(sm, s))
        panic("the scoreboard lets strand %d read at pc %d what is not written yet", s->id, s->pc);
    return when;
}

void scoreboard_other_begin(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    for (int k = 0; sm->cells && k < p->dest_count; k++) {
        scoreboard_own_write(sm, s, p->plane[k], due);
        if (keeps_both)
            note_lanes(sm, s, p->plane[k], due);
    }
    if (sm->warp_cells)
        warp_begin(sm, s, p, due);
}

void scoreboard_begin_load(struct sm *sm, struct flight *f)
{
    const struct plan *p = &sm->plans->at[f->pc];
    f->pending = f->mask;
    for (int k = 0; sm->cells && k < p->dest_count; k++)
        cells_of(sm, f->row)[p->plane[k]].loads |= f->mask;
    if (sm->warp_cells) {
        warp_load(sm, f, warps_in(sm, f->mask), 1);
        keep_siblings(sm, f->row, warps_in(sm, f->mask), f->strand);
    }
}

void scoreboard_end_load(struct sm *sm, struct flight *f, uint32_t lanes)
{
    const struct plan *p = &sm->plans->at[f->pc];
    lanes &= f->pending; /* others may have a later load under way */
    if (!lanes)
        return;
    f->pending &= ~lanes;
    for (int k = 0; sm->cells && k < p->dest_count; k++)
        cells_of(sm, f->row)[p->plane[k]].loads &= ~lanes;
    if (sm->warp_cells)
        warp_load(sm, f, f->pending ? warps_in(sm, lanes) & ~warps_in(sm, f->pending) : warps_in(sm, lanes), -1);
}
