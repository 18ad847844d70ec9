/* Polling: see poll.h. */
#include "exec/poll.h"

#include "base/bits.h"
#include "exec/ahead/draft.h"

/* The address that the lane's access had, unless the access itself wrote its address register. */
static uint64_t address_of(const struct engine *e, const struct bound *in, int lane)
{
    if (in->address == OFFSET_NONE)
        return (uint64_t)in->address_offset;
    return lanes_value(e->row->planes + in->address, in->address_bits, lane) + (uint64_t)in->address_offset;
}

bool poll_repeats(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    struct poll *p = &e->row->poll;
    struct draft *d = draft_of(e);
    /* Atomics that wait have not been counted in e->writes yet: nobody knows whether they change memory. */
    if (d && d->log.count && !draft_take_turn(e))
        return true;
    uint64_t address = address_of(e, in, bits_lowest(mask));
    if (p->writes == e->writes && p->pc == pc && p->address == address)
        return true;
    bool has_changed = p->writes != e->writes;
    if (!has_changed && ++p->seen < p->patience)
        return false;
    uint32_t patience = has_changed ? 1 : 2 * p->patience;
    *p = (struct poll){.writes = e->writes, .address = address, .pc = pc, .patience = patience ? patience : 1};
    return false;
}
