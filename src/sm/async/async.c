/* Asynchronous work of a multiprocessor: see async.h. */
#include "sm/async/async.h"

#include "base/arena.h"
#include "sm/internal.h"

#include <stdlib.h>

void async_open(struct async *a, int rows, uint32_t tensor_cores)
{
    a->products = xcalloc((size_t)rows, sizeof *a->products);
    a->tensor_cores = tensor_cores;
    a->core_free = xcalloc(tensor_cores, sizeof *a->core_free);
}

void async_close(struct async *a)
{
    free(a->products);
    free(a->core_free);
}

/* The first cycle at which the row's tensor core takes another product. Warps side by side have cores side by side. */
static uint64_t *core_of(const struct sm *sm, int32_t row)
{
    return &sm->async.core_free[(uint32_t)row % sm->async.tensor_cores];
}

/* Starts the product of a row; in the least time, at once. */
static void multiply(struct sm *sm, int32_t row, const struct plan *p)
{
    uint64_t *core = core_of(sm, row), start = sm->traits.least_time ? sm->now : sm_later(sm->now, *core);
    uint64_t due = start + p->latency;
    *core = start + p->product;
    products_add(&sm->async.products[row], due);
    residents_keep_row(&sm->residents, row, due);
}

/* Threads of a row may come to wgmma one after the other: its first live thread counts. */
static bool has_first(const struct sm *sm, struct part part)
{
    uint32_t live = sm->residents.rows[part.row]->live;
    return part.mask & live & -live;
}

static void issue_products(struct sm *sm, const struct strand *s, const struct plan *p)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        if (!has_first(sm, part))
            continue;
        if (p->async == PLAN_MULTIPLIES)
            multiply(sm, part.row, p);
        else
            products_commit(&sm->async.products[part.row]);
    }
}

void async_issued(struct sm *sm, const struct strand *s, const struct plan *p)
{
    if (p->async == PLAN_MULTIPLIES || p->async == PLAN_COMMITS_PRODUCTS)
        issue_products(sm, s, p);
    else if (p->async == PLAN_COMMITS_COPIES)
        copies_commit(sm, s);
}

static uint64_t products_done(const struct sm *sm, const struct strand *s, uint32_t pending)
{
    uint64_t when = 0;
    for (int i = 0; i < s->threads.count; i++)
        when = sm_later(when, products_clear(&sm->async.products[s->threads.part[i].row], pending));
    return when;
}

/* The cycle from which the queues of the strand's tensor cores have room for another product. */
static uint64_t has_room(const struct sm *sm, const struct strand *s, const struct plan *p)
{
    uint64_t when = 0, most = (uint64_t)(PRODUCTS_QUEUE - 1) * p->product;
    for (int i = 0; !sm->traits.least_time && i < s->threads.count; i++) {
        uint64_t free = *core_of(sm, s->threads.part[i].row);
        when = sm_later(when, free > most ? free - most : 0);
    }
    return when;
}

uint64_t async_clears(struct sm *sm, const struct strand *s)
{
    const struct plan *p = &sm->plans->at[s->pc];
    switch (p->async) {
    case PLAN_MULTIPLIES:
        return has_room(sm, s, p);
    case PLAN_AWAITS_PRODUCTS:
        return products_done(sm, s, p->groups);
    case PLAN_AWAITS_COPIES:
        return copies_keep_groups(sm, s, p->groups) ? SM_NEVER : 0;
    case PLAN_AWAITS_PHASE:
        return copies_keep_phase(sm, s) ? SM_NEVER : 0;
    default:
        return 0;
    }
}
