/* Asynchronous work of a multiprocessor: see async.h. */
#include "sm/async.h"

#include "base/arena.h"
#include "sm/internal.h"

#include <stdlib.h>

void async_open(struct async *a, int rows)
{
    a->products = xcalloc((size_t)rows, sizeof *a->products);
}

void async_close(struct async *a)
{
    free(a->products);
}

static void issue_products(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct row_products *products = &sm->async.products[s->threads.part[i].row];
        if (p->async == PLAN_MULTIPLIES)
            products_add(products, due);
        else
            products_commit(products);
    }
}

void async_issued(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    if (p->async == PLAN_MULTIPLIES || p->async == PLAN_COMMITS_PRODUCTS)
        issue_products(sm, s, p, due);
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

uint64_t async_clears(struct sm *sm, const struct strand *s)
{
    const struct plan *p = &sm->plans->at[s->pc];
    switch (p->async) {
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
