/*
 * Work that goes on behind the instruction which starts it: products of wgmma (products.h) and bulk copies (copies.h).
 * An instruction that waits for such work is not ready before the work is done. Only programs that start such work come
 * here (traits.has_async).
 */
#ifndef HEDDLE_SM_ASYNC_ASYNC_H
#define HEDDLE_SM_ASYNC_ASYNC_H

#include "sm/async/products.h"

struct plan;
struct sm;
struct strand;

struct async {
    struct row_products *products; /* [row] */
    uint32_t tensor_cores;
    uint64_t *core_free; /* [tensor core]: first cycle at which it takes another product */
};

void async_open(struct async *a, int rows, uint32_t tensor_cores);
void async_close(struct async *a);

/* The strand has issued an instruction with plan.async. */
void async_issued(struct sm *sm, const struct strand *s, const struct plan *p);
/* The cycle from which the strand's next instruction, whose registers are written, need not wait for work any more;
 * SM_NEVER: the strand is evaluated again when that may have changed. */
uint64_t async_clears(struct sm *sm, const struct strand *s);

#endif
