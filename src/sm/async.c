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

void async_issued(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct row_products *products = &sm->async.products[s->threads.part[i].row];
        if (p->async == PLAN_MULTIPLIES)
            products_add(products, due);
        else if (p->async == PLAN_COMMITS_PRODUCTS)
            products_commit(products);
    }
}

uint64_t async_clears(struct sm *sm, const struct strand *s)
{
    const struct plan *p = &sm->plans->at[s->pc];
    uint64_t when = 0;
    if (p->async != PLAN_AWAITS_PRODUCTS)
        return 0;
    for (int i = 0; i < s->threads.count; i++)
        when = sm_later(when, products_clear(&sm->async.products[s->threads.part[i].row], p->groups));
    return when;
}
