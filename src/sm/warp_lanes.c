/* Lanes that run warps over time: see warp_lanes.h. */
#include "sm/warp_lanes.h"

#include "base/arena.h"

#include <stdlib.h>

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
}

/* Thread slots that the threads take: whole groups of `width`. */
static uint64_t slots_used(const struct warp_lanes *l, uint64_t slots)
{
    if (l->width == 1)
        return (uint64_t)__builtin_popcountll(slots);
    uint64_t used = 0, group = l->width == 64 ? UINT64_MAX : (UINT64_C(1) << l->width) - 1;
    for (uint32_t first = 0; first < l->warp_width; first += l->width)
        used += slots >> first & group ? l->width : 0;
    return used;
}

static uint64_t divided(uint64_t a, uint64_t b)
{
    return a > b ? (a + b - 1) / b : 1;
}

uint64_t warp_lanes_hold(struct warp_lanes *l, int port, uint32_t lane, uint64_t slots, int unit, uint32_t interval,
                         uint32_t operands, uint64_t now)
{
    uint64_t used = slots_used(l, slots), at = (uint64_t)port * l->per_port + lane;
    uint64_t issue = divided(used * l->per_port, l->warp_width), through = issue;
    l->held[port].lanes |= UINT64_C(1) << lane;
    l->held[port].freed[(now + issue) % WARP_LANES_CYCLES] |= UINT64_C(1) << lane;
    l->offered += used;
    if (!l->unit_free[unit])
        return through;
    /* All lanes together pass rate / interval threads per cycle, and one more pass over p of W slots per conflict. */
    uint64_t lanes = (uint64_t)l->per_port * l->ports;
    through =
        divided(used * lanes * interval * (l->warp_width + operands * l->simd_width), l->rate[unit] * l->warp_width);
    l->unit_free[unit][at] = now + through;
    if (l->unit_last[unit][port] < now + through)
        l->unit_last[unit][port] = now + through;
    return through > issue ? through : issue;
}
