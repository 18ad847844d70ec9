/* Lanes that run warps over time: see warp_lanes.h. */
#include "sm/warp_lanes.h"

#include "base/arena.h"

#include <stdlib.h>

static uint64_t divided(uint64_t a, uint64_t b)
{
    return a > b ? (a + b - 1) / b : 1;
}

void warp_lanes_open(struct warp_lanes *l, const struct sm_config *config, uint32_t width)
{
    uint64_t alus = (uint64_t)config->simd_width * config->unit_count[SM_ALU];
    while (width > 1 && alus / ((uint64_t)width * config->schedulers) < 1)
        width /= 2;
    uint64_t lanes = alus / ((uint64_t)width * config->schedulers);
    l->width = width;
    l->per_port = (uint32_t)(lanes < 1 ? 1 : lanes > WARP_LANES_MOST ? WARP_LANES_MOST : lanes);
    l->ports = config->schedulers;
    l->warp_width = config->warp_width;
    l->simd_width = config->simd_width;
    size_t all = (size_t)l->per_port * l->ports;
    l->held = xcalloc(l->ports, sizeof *l->held);
    l->through = xcalloc(SM_UNIT_COUNT, sizeof *l->through);
    for (uint32_t used = 0; used <= WARP_LANES_MOST; used++)
        l->issue_cycles[used] = (uint8_t)divided((uint64_t)used * l->per_port, l->warp_width);
    for (int u = 0; u < SM_UNIT_COUNT; u++) {
        l->rate[u] = (uint64_t)config->simd_width * config->unit_count[u];
        if (u == SM_LSU || u == SM_TEX)
            continue;
        l->unit_free[u] = xcalloc(all, sizeof *l->unit_free[u]);
        l->unit_last[u] = xcalloc(l->ports, sizeof *l->unit_last[u]);
    }
}

void warp_lanes_close(struct warp_lanes *l)
{
    for (int u = 0; u < SM_UNIT_COUNT; u++) {
        free(l->unit_free[u]);
        free(l->unit_last[u]);
    }
    free(l->held);
    free(l->through);
}

/* Thread slots that the threads take: whole groups of `width`. */
static uint32_t slots_used(const struct warp_lanes *l, int threads, uint64_t slots)
{
    if (l->width == 1)
        return (uint32_t)threads;
    uint32_t used = 0;
    uint64_t group = l->width == 64 ? UINT64_MAX : (UINT64_C(1) << l->width) - 1;
    for (uint32_t first = 0; first < l->warp_width; first += l->width)
        used += slots >> first & group ? l->width : 0;
    return used;
}

/* The cycles that an instruction of so many thread slots takes through the lane's share of the unit. All lanes together
 * pass rate / interval threads per cycle, and one more pass over p of W slots per conflict. The host's division takes
 * longer than all else here, so answers are kept. */
static uint64_t through_unit(struct warp_lanes *l, int unit, uint32_t used, uint32_t interval, uint32_t operands)
{
    struct warp_lanes_answer *known = &l->through[unit][used];
    if (known->interval != interval || known->operands != operands) {
        uint64_t lanes = (uint64_t)l->per_port * l->ports;
        uint64_t cycles = divided(used * lanes * interval * (l->warp_width + operands * l->simd_width),
                                  l->rate[unit] * l->warp_width);
        *known = (struct warp_lanes_answer){(uint16_t)interval, (uint16_t)operands, (uint32_t)cycles};
    }
    return known->cycles;
}

uint64_t warp_lanes_hold(struct warp_lanes *l, int port, uint32_t lane, int threads, uint64_t slots, int unit,
                         uint32_t interval, uint32_t operands, uint64_t now)
{
    const uint32_t used = slots_used(l, threads, slots);
    const uint64_t issue = l->issue_cycles[used];
    l->held[port].lanes |= UINT64_C(1) << lane;
    l->held[port].freed[(now + issue) % WARP_LANES_CYCLES] |= UINT64_C(1) << lane;
    l->offered += used;
    if (!l->unit_free[unit])
        return issue;
    const uint64_t through = through_unit(l, unit, used, interval, operands), until = now + through;
    l->unit_free[unit][(uint32_t)port * l->per_port + lane] = until;
    if (l->unit_last[unit][port] < until)
        l->unit_last[unit][port] = until;
    return through > issue ? through : issue;
}
