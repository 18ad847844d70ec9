/* Threads that barriers and rendezvous let go (releases.h): strands all of whose threads were let go pass the
 * instruction; loose threads go to the mechanism. */
#include "sm/releases.h"

#include "sm/internal.h"

void releases_deliver(struct sm *sm)
{
    struct releases *r = &sm->releases;
    int count = r->loose_count;
    r->loose_count = 0;
    for (int i = 0; i < count && sm->ops->released; i++) {
        sm->ops->released(sm->div, r->loose[i].pc, r->loose[i].depth, &r->loose[i].threads);
        sm_called(sm);
    }
}

static void add_loose(struct sm *sm, int32_t row, int32_t pc, int32_t depth, uint32_t mask)
{
    struct releases *r = &sm->releases;
    int i = 0;
    while (i < r->loose_count && (r->loose[i].pc != pc || r->loose[i].depth != depth))
        i++;
    if (i == RELEASES_MAX_LOOSE) {
        releases_deliver(sm);
        i = 0;
    }
    struct outcome *o = &r->loose[i];
    if (i == r->loose_count) {
        r->loose_count++;
        o->pc = pc;
        o->depth = depth;
        o->threads.count = 0;
    }
    threads_add(&o->threads, row, mask);
}

void releases_take(void *context, int32_t row, int32_t pc, int32_t depth, uint32_t mask)
{
    struct sm *sm = context;
    const struct row_strands *of = &sm->map.rows[row];
    struct strand *released[ROW_LANES];
    int released_count = 0;
    for (uint32_t left = of->lowest; left; left &= left - 1) {
        struct strand *s = &sm->strands.at[of->id[bits_lowest(left)]];
        uint32_t own = of->lanes[bits_lowest(left)] & mask;
        if (!own)
            continue;
        mask &= ~own;
        s->waiting -= bits_count(own);
        if (s == sm->releases.executing)
            threads_add(&sm->releases.passed, row, own);
        else if (s->held && s->waiting == 0)
            released[released_count++] = s;
    }
    for (int i = 0; i < released_count; i++) /* only now: the mechanism may change the strands of the row */
        issue_pass(sm, released[i], pc, depth);
    if (mask)
        add_loose(sm, row, pc, depth, mask);
}
