/*
 * Products of matrices that warps have started with wgmma, and wait for by groups.
 *
 * wgmma is asynchronous: its warp goes on while a tensor core multiplies. The scoreboard does not know the registers
 * that it writes; the program waits with wgmma.wait_group for all but the last n groups that wgmma.commit_group has
 * closed. A warp has its products on one tensor core, which takes them one after the other, and issues no wgmma while
 * PRODUCTS_QUEUE of them wait or are under way (measured on an H200: about six of any size). Values are there at once
 * (exec/matrix.h); only the wait takes time.
 *
 * Not modelled: that a product starts when all four warps of its group have issued it, and that mma on the same core
 * waits for it.
 */
#ifndef HEDDLE_SM_ASYNC_PRODUCTS_H
#define HEDDLE_SM_ASYNC_PRODUCTS_H

#include <stdint.h>

enum {
    PRODUCTS_GROUPS = 8, /* the last groups of a row that are known; a wait for all but more than these is none */
    PRODUCTS_QUEUE = 6   /* products of a tensor core that wait or are under way */
};

/* Products of one row. */
struct row_products {
    uint64_t open;                  /* cycle at which the last product so far is done */
    uint64_t done[PRODUCTS_GROUPS]; /* [group modulo PRODUCTS_GROUPS]: cycle at which it and all before it are done */
    uint32_t groups;                /* groups closed so far */
};

/* A product of the row is done at cycle `due`. */
void products_add(struct row_products *p, uint64_t due);
/* Closes the group of products since the last call. */
void products_commit(struct row_products *p);
/* The cycle from which at most `pending` groups are under way. */
uint64_t products_clear(const struct row_products *p, uint32_t pending);

#endif
