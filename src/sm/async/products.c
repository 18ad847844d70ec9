/* Products of wgmma by groups: see products.h. */
#include "sm/async/products.h"

#include "sm/cycles.h"

void products_add(struct row_products *p, uint64_t due)
{
    p->open = sm_later(p->open, due);
}

void products_commit(struct row_products *p)
{
    p->done[p->groups++ % PRODUCTS_GROUPS] = p->open;
}

uint64_t products_clear(const struct row_products *p, uint32_t pending)
{
    if (pending >= p->groups || pending >= PRODUCTS_GROUPS)
        return 0;
    return p->done[(p->groups - 1 - pending) % PRODUCTS_GROUPS];
}
