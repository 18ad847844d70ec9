/* The ready threads of bundles (bundles.h), by port and row: what the set of ready strands (ready_set.h) is where
 * threads are bundled. Inline, since most instructions make their strand leave the set and come back. */
#ifndef HEDDLE_SM_BUNDLES_READY_H
#define HEDDLE_SM_BUNDLES_READY_H

#include "sm/internal.h"

/* The ready threads of a class on the port, in a row. */
static ALWAYS_INLINE uint32_t *bundles_of_class(const struct bundles *b, int port, int class, int32_t row)
{
    return &b->of_class[port][class * b->row_count + row];
}

/* The threads of a strand of the port become ready. */
static ALWAYS_INLINE void bundles_list(struct bundles *b, int port, int class, struct part part)
{
    *bundles_of_class(b, port, class, part.row) |= part.mask;
    b->ready[port][part.row] |= part.mask;
    b->ready_rows[port][(uint32_t)part.row / 64] |= UINT64_C(1) << (uint32_t)part.row % 64;
}

/* They are no longer ready. */
static ALWAYS_INLINE void bundles_unlist(struct bundles *b, int port, int class, struct part part)
{
    *bundles_of_class(b, port, class, part.row) &= ~part.mask;
    const uint32_t left = b->ready[port][part.row] &= ~part.mask;
    b->ready_rows[port][(uint32_t)part.row / 64] &= ~((uint64_t)!left << (uint32_t)part.row % 64);
}

/* ready_set_add() and ready_set_remove(), for bundles. */
static ALWAYS_INLINE void bundles_add_ready(struct sm *sm, const struct strand *s, struct strand_state *state,
                                            int class)
{
    struct readiness *r = &sm->ready;
    const int port = state->port;
    state->ready = true;
    state->class = (uint8_t) class;
    bundles_list(&sm->map.bundles, port, class, s->threads.part[0]);
    r->by_class[port][class]++;
    r->at_port[port] |= 1u << class;
    r->classes |= 1u << class;
}

static ALWAYS_INLINE void bundles_remove_ready(struct sm *sm, const struct strand *s, struct strand_state *state)
{
    struct readiness *r = &sm->ready;
    const int port = state->port, class = state->class;
    state->ready = false;
    bundles_unlist(&sm->map.bundles, port, class, s->threads.part[0]);
    if (!--r->by_class[port][class]) {
        r->at_port[port] &= ~(1u << class);
        r->classes = r->at_port[0] | r->at_port[1] | r->at_port[2] | r->at_port[3];
    }
}

/* The ready threads of the port in a row, those of blocked classes apart. */
static ALWAYS_INLINE uint32_t bundles_find_free(const struct sm *sm, int port, int32_t row, uint32_t blocked)
{
    const struct bundles *b = &sm->map.bundles;
    uint32_t free = b->ready[port][row];
    for (uint32_t left = blocked & sm->ready.at_port[port]; left; left &= left - 1)
        free &= ~*bundles_of_class(b, port, bits_lowest(left), row);
    return free;
}

/* The first row with ready threads of the port, of those from `row` to `end` - 1; `end`: there is none. */
static ALWAYS_INLINE int32_t bundles_next_row(const struct bundles *b, int port, int32_t row, int32_t end)
{
    for (; row < end; row = (row | 63) + 1) {
        const uint64_t bits = b->ready_rows[port][(uint32_t)row / 64] >> (uint32_t)row % 64;
        if (bits) {
            row += __builtin_ctzll(bits);
            return row < end ? row : end;
        }
    }
    return end;
}

#endif
