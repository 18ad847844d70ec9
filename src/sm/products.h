/*
 * Products of matrices that warps have started with wgmma, and wait for by groups.
 *
 * wgmma is asynchronous: its warp goes on while a tensor core multiplies. The scoreboard does not know the registers
 * that it writes; the program waits with wgmma.wait_group for all but the last n groups that wgmma.commit_group has
 * closed. A product holds its unit for its interval, so that the next one starts when the unit is free, and is done
 * when its latency has passed. Each warp has its own products: that the four warps of a group start a product together
 * is not modelled. Values are there at once (exec/matrix.h); only the wait takes time.
 */
#ifndef HEDDLE_SM_PRODUCTS_H
#define HEDDLE_SM_PRODUCTS_H

#include <stdint.h>

enum { PRODUCTS_GROUPS = 8 }; /* the last groups of a row that are known; a wait for all but more than these is none */

/* Products of one row. */
struct row_products {
    uint64_t open;                  /* cycle at which the last product so far is done */
    uint64_t done[PRODUCTS_GROUPS]; /* [group modulo PRODUCTS_GROUPS]: cycle at which it and all before it are done */
    uint32_t groups;                /* groups closed so far */
};

/* A product that starts now is done at cycle `due`. */
void products_add(struct row_products *p, uint64_t due);
/* Closes the group of products since the last call. */
void products_commit(struct row_products *p);
/* The cycle from which at most `pending` groups are under way. */
uint64_t products_clear(const struct row_products *p, uint32_t pending);

#endif
