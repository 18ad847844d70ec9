/* Entries of reconvergence stacks go to memory and back: see spill.h. */
#include "sm/spill.h"

#include "base/diag.h"
#include "sm/internal.h"

#define SPILL_BASE UINT64_C(0x600000000000)
/* Not a power of two: the stacks of different multiprocessors must not all fall into one slice of the L2. */
#define SPILL_BYTES_PER_SM ((UINT64_C(1) << 26) + 1280)

static uint64_t address_of(const struct sm *sm, const struct div_spill *move)
{
    uint64_t entry = (uint64_t)move->stack * SPILL_ENTRIES + (uint64_t)(move->entry % SPILL_ENTRIES);
    return SPILL_BASE + (uint64_t)sm->index * SPILL_BYTES_PER_SM + entry * (uint64_t)move->bytes;
}

void spill_add(struct sm *sm, const struct div_spill *move)
{
    struct spill_queue *q = &sm->spill;
    if (!sm->traits.spills || move->bytes <= 0 || move->bytes % SPILL_LANE_BYTES ||
        move->bytes > MEM_MAX_LANES * SPILL_LANE_BYTES)
        panic("%s moves a stack entry of %d bytes to memory without having asked for it", sm->ops->name, move->bytes);
    if (!spill_waits(q))
        q->first = q->moves.count = 0;
    vec_push(&q->moves, *move);
}

void spill_cycle(struct sm *sm)
{
    struct spill_queue *q = &sm->spill;
    if (!spill_waits(q) || !mem_can_take(sm->mem, sm->index, MEM_STORE, sm->now))
        return;
    struct div_spill move = q->moves.data[q->first++];
    struct mem_access access = {.kind = move.is_out ? MEM_STORE : MEM_LOAD,
                                .sm = sm->index,
                                .ticket = SPILL_TICKET + (uint32_t)move.stack,
                                .wants_reply = !move.is_out,
                                .count = move.bytes / SPILL_LANE_BYTES,
                                .bytes = SPILL_LANE_BYTES};
    for (int i = 0; i < access.count; i++)
        access.address[i] = address_of(sm, &move) + (uint64_t)i * SPILL_LANE_BYTES;
    int lines = 0;
    mem_issue(sm->mem, sm->now, &access, &lines);
    sm->flights.pending += !move.is_out;
    sm->ops->spilled(sm->div, move.stack, lines, move.is_out);
    sm_called(sm);
}

void spill_reply(struct sm *sm, uint32_t ticket)
{
    sm->flights.pending--;
    sm->ops->spilled(sm->div, (int32_t)(ticket - SPILL_TICKET), 0, true);
    sm_called(sm);
}
