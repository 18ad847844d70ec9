/* Self-checks of a multiprocessor, in builds with HEDDLE_CHECKS, after each call of the mechanism. */
#include "base/diag.h"
#include "sm/internal.h"

/* Every strand of a row exists, has threads there, and shares none of them with another strand. */
static void check_row(const struct sm *sm, int32_t row)
{
    const struct row_strands *of = &sm->map.rows[row];
    uint32_t seen = 0;
    for (uint32_t left = of->lowest; left; left &= left - 1) {
        const int i = bits_lowest(left);
        const struct strand *s = &sm->strands.at[of->id[i]];
        uint32_t mask = threads_of_row(&s->threads, row);
        if (!sm->strands.state[s->id].in_use || !mask || seen & mask)
            panic("strand %d of row %d is gone, empty there, or shares a thread", s->id, row);
        if (of->lanes[i] != mask || bits_lowest(mask) != i)
            panic("the list of row %d has other lanes of strand %d than the strand", row, s->id);
        seen |= mask;
    }
    if (of->in_strands != seen)
        panic("the list of row %d has other lanes than its strands", row);
}

static void check_strand(const struct sm *sm, int32_t id)
{
    const struct strand *s = &sm->strands.at[id];
    int slots = 0;
    for (uint64_t left = s->slots; left; left &= left - 1)
        slots++;
    if (sm->strands.state[id].in_use && s->threads.count && slots != threads_size(&s->threads))
        panic("threads of strand %d share a home slot", id);
}

void sm_check(const struct sm *sm)
{
    for (int32_t row = 0; row < residents_row_count(&sm->residents); row++)
        check_row(sm, row);
    for (int32_t id = 0; id < sm->strands.top; id++)
        check_strand(sm, id);
    if (sm->ops->check)
        sm->ops->check(sm->div);
}
