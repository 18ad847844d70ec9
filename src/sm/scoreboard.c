/*
 * The scoreboard: for each (row, register) the lanes whose write is under way. Exact per thread, so that any
 * regrouping of threads is right; a strand whose next instruction touches such a register is not ready.
 */
#include "sm/internal.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/diag.h"

static void add_check(struct check_list *c, int32_t plane)
{
    for (int i = 0; i < c->count; i++)
        if (c->plane[i] == plane)
            return;
    if (c->count == SM_MAX_CHECKS)
        panic("an instruction with more than %d registers", SM_MAX_CHECKS);
    c->plane[c->count++] = (int16_t)plane;
}

void scoreboard_prepare(struct sm *sm)
{
    const struct program *p = sm->host.program;
    sm->plane_count = p->plane_count;
    sm->checks = xcalloc((size_t)p->insn_count, sizeof *sm->checks);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        const struct insn *in = &p->insns[pc];
        struct check_list *c = &sm->checks[pc];
        for (int i = 0; i < in->dest_count; i++)
            if (in->dest[i].kind == REF_PLANE)
                add_check(c, in->dest[i].plane);
        c->dest_count = c->count;
        for (int i = 0; i < in->source_count; i++)
            if (in->source[i].kind == REF_PLANE)
                add_check(c, in->source[i].plane);
        if (in->guard >= 0)
            add_check(c, in->guard);
    }
}

static uint32_t *row_pending(const struct sm *sm, int32_t row)
{
    return sm->pending + (size_t)row * (size_t)sm->plane_count;
}

bool scoreboard_allows(const struct sm *sm, const struct strand *s)
{
    if (sm->config->scoreboard == SM_SCOREBOARD_SINGLE && sm->states[s->id].in_flight)
        return false;
    const struct check_list *c = &sm->checks[s->pc];
    bool by_warp = sm->config->scoreboard == SM_SCOREBOARD_WARP;
    for (int i = 0; i < s->threads.count; i++) {
        const uint32_t *pending = row_pending(sm, s->threads.part[i].row);
        uint32_t mask = by_warp ? UINT32_MAX : s->threads.part[i].mask;
        for (int k = 0; k < c->count; k++)
            if (pending[c->plane[k]] & mask)
                return false;
    }
    return true;
}

static int32_t take_write(struct sm *sm)
{
    if (sm->free_write < 0) {
        int old = sm->write_capacity;
        sm->write_capacity = old ? 2 * old : 1024;
        sm->writes = xrealloc(sm->writes, sizeof *sm->writes * (size_t)sm->write_capacity);
        for (int i = sm->write_capacity - 1; i >= old; i--) {
            sm->writes[i].next = sm->free_write;
            sm->free_write = i;
        }
    }
    int32_t w = sm->free_write;
    sm->free_write = sm->writes[w].next;
    return w;
}

int32_t scoreboard_begin(struct sm *sm, const struct strand *s, int32_t pc)
{
    const struct check_list *c = &sm->checks[pc];
    int32_t first = -1;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        uint32_t *pending = row_pending(sm, part.row);
        for (int k = 0; k < c->dest_count; k++)
            pending[c->plane[k]] |= part.mask;
        int32_t w = take_write(sm);
        sm->residents[sm->row_resident[part.row]].writes++;
        sm->writes[w] = (struct write){part.row, part.mask, pc, s->id, s->generation, first};
        first = w;
    }
    return first;
}

static void wake_waiting(struct sm *sm, int32_t row, uint32_t mask)
{
    if (sm->config->scoreboard == SM_SCOREBOARD_WARP)
        mask = UINT32_MAX; /* others of the row may have waited for these lanes */
    while (mask) {
        int32_t id = sm->strand_of[(size_t)row * ROW_LANES + (unsigned)bits_lowest(mask)];
        if (id < 0) {
            mask &= mask - 1;
            continue;
        }
        struct strand *s = &sm->strands[id];
        mask &= ~(threads_of_row(&s->threads, row) | (mask & -mask));
        if (!sm->states[id].ready)
            strand_evaluate(sm, s);
    }
}

/* Clears one record's lanes and frees it; returns the next of the instruction. */
static int32_t clear_write(struct sm *sm, int32_t write)
{
    const struct write *w = &sm->writes[write];
    const struct check_list *c = &sm->checks[w->pc];
    uint32_t *pending = row_pending(sm, w->row);
    int32_t next = w->next;
    for (int k = 0; k < c->dest_count; k++)
        pending[c->plane[k]] &= ~w->mask;
    sm->residents[sm->row_resident[w->row]].writes--;
    sm->writes[write].next = sm->free_write;
    sm->free_write = write;
    return next;
}

void scoreboard_cancel(struct sm *sm, int32_t write)
{
    while (write >= 0)
        write = clear_write(sm, write);
}

void scoreboard_end(struct sm *sm, int32_t write)
{
    struct write first = sm->writes[write];
    if (sm->states[first.strand].in_use && sm->strands[first.strand].generation == first.generation) {
        sm->states[first.strand].in_flight--;
        strand_evaluate(sm, &sm->strands[first.strand]);
    }
    while (write >= 0) {
        struct write done = sm->writes[write];
        write = clear_write(sm, write);
        wake_waiting(sm, done.row, done.mask);
    }
}
