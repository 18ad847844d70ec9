/* Execution units and lane slices: storage, and what machines with slices alone need. See units.h. */
#include "sm/units.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void units_open(struct units *u, const struct sm_config *config, struct storage *storage)
{
    u->passes = sm_passes(config);
    u->all_slots = UINT64_MAX >> (64 - config->warp_width);
    u->busy_until = UINT64_MAX;
    memset(u->group_copy, UNITS_NO_COPY, sizeof u->group_copy);
    for (int i = 0; i < SM_UNIT_COUNT; i++) {
        u->copies[i] = config->unit_count[i];
        u->second[i] = u->copies[i] == 2 ? 0 : UINT64_MAX;
        u->copy_free[i] = storage_calloc(storage, u->copies[i], sizeof *u->copy_free[i]);
    }
}

void units_cut(struct units *u, uint32_t slice_lanes, uint32_t slices, bool has_shares, struct storage *storage)
{
    u->slice_lanes = slice_lanes;
    u->slices = slices;
    for (int i = 0; i < SM_UNIT_COUNT; i++) {
        u->share_of[i] = (uint8_t)u->share_count;
        u->share_count += u->copies[i];
    }
    if (has_shares)
        u->shares = storage_calloc(storage, (size_t)u->share_count * slices, sizeof *u->shares);
}

uint64_t units_slices_of(const struct units *u, uint64_t slots)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < u->slices; i++)
        if (slots & units_slice_slots(u, i))
            taken |= units_slice_slots(u, i);
    return taken;
}

void units_end_group(struct units *u)
{
    memset(u->group_copy, UNITS_NO_COPY, sizeof u->group_copy);
}

void units_refresh_busy(struct units *u, uint64_t now)
{
    u->busy_until = UINT64_MAX;
    u->busy_classes = 0;
    for (uint32_t left = u->busy; left; left &= left - 1) {
        int unit = bits_lowest(left);
        if (u->next[unit] <= now) {
            u->busy &= ~(left & -left);
            continue;
        }
        u->busy_classes |= u->classes_of[unit];
        u->busy_until = sm_earlier(u->busy_until, u->next[unit]);
    }
}

uint64_t units_hold_copy(struct units *u, int unit, uint64_t until, uint64_t now, bool is_sliced)
{
    uint64_t *copy = u->copy_free[unit];
    uint32_t chosen = is_sliced ? u->group_copy[unit] : UNITS_NO_COPY;
    if (chosen == UNITS_NO_COPY)
        for (chosen = 0; copy[chosen] > now;)
            chosen++;
    copy[chosen] = is_sliced ? sm_later(copy[chosen], until) : until;
    if (is_sliced)
        u->group_copy[unit] = (uint8_t)chosen;
    uint64_t first = copy[0];
    for (uint32_t i = 1; i < u->copies[unit]; i++)
        first = sm_earlier(first, copy[i]);
    return first;
}

void units_hold_shares(struct units *u, int unit, uint64_t until, uint64_t slots)
{
    for (uint32_t slice = 0; slice < u->slices; slice++)
        if (slots & units_slice_slots(u, slice))
            units_hold_share(u, unit, slice, until);
}

/* Home slots of slices whose shares of all copies of the unit are busy. There is no branch on what is busy, since the
 * host could not predict it. */
static uint64_t busy_shares(const struct units *u, int unit, uint64_t now)
{
    const uint64_t *share = u->shares + u->share_of[unit];
    uint64_t slots = 0;
    for (uint32_t i = 0; i < u->slices; i++, share += u->share_count)
        slots |= (*share > now) * units_slice_slots(u, i);
    return slots;
}

const uint64_t *units_find_busy_slots(struct units *u, const uint32_t *classes_of_unit, uint64_t now)
{
    bool is_busy = false;
    for (int i = 0; i < SM_UNIT_COUNT; i++) {
        uint64_t slots = u->share_last[i] > now ? busy_shares(u, i, now) : 0;
        is_busy |= slots != 0;
        for (uint32_t left = classes_of_unit[i]; left; left &= left - 1)
            u->busy_slots[bits_lowest(left)] = slots;
    }
    return is_busy ? u->busy_slots : NULL;
}
