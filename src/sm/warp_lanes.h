/*
 * Lanes that run warps over time (temporal SIMT): a lane executes the threads of a warp one after the other, and every
 * lane issues on its own.
 *
 * A strand belongs to one lane of its port, which its lineage selects. A lane may be several threads wide (`width`): it
 * then takes a warp in groups of so many consecutive home slots, and skips groups without a thread. An instruction
 * occupies its lane only for the threads that the strand has, so a strand with few threads costs little.
 *
 * The lanes together are the machine's datapath, cut another way. A port issues W threads per cycle, and each of its
 * lanes an equal share of them. A unit takes p threads per interval and copy, and each lane has an equal share in all
 * copies; so the peak rates are those of the machine under every other mechanism. The load/store and texture units are
 * not shared out: an access goes to memory whole, as from a warp.
 *
 * Lanes know neither strands nor instructions; callers pass the current cycle. Only warp_lanes.c writes the fields.
 */
#ifndef HEDDLE_SM_WARP_LANES_H
#define HEDDLE_SM_WARP_LANES_H

#include "base/bits.h"
#include "sm/config.h"

#include <string.h>

/* At most this many lanes per port: one pool of the scheduler each. An issue takes at most as many cycles. */
enum { WARP_LANES_MOST = 64, WARP_LANES_CYCLES = 2 * WARP_LANES_MOST };

/* Lanes of a port that have issued and do not issue again yet. */
struct warp_lanes_held {
    uint64_t lanes;                    /* one bit each */
    uint64_t until;                    /* lanes that issue again at this cycle, or before, are not in `lanes` */
    uint64_t freed[WARP_LANES_CYCLES]; /* [cycle modulo their number] lanes that issue again from that cycle on */
};

/* How many cycles so many thread slots take through a lane's share of a unit: the last answer. */
struct warp_lanes_answer {
    uint16_t interval, operands; /* of the instruction; interval 0: none yet */
    uint32_t cycles;
};

struct warp_lanes {
    uint32_t per_port;                  /* lanes of a port */
    uint32_t width;                     /* threads that a lane takes together */
    uint32_t ports, warp_width;         /* of the machine */
    struct warp_lanes_held *held;       /* [port] lanes that do not issue yet */
    uint64_t *unit_free[SM_UNIT_COUNT]; /* [unit][port * per_port + lane] first cycle at which the lane's share takes
                                         * another instruction; NULL: the unit is not shared out */
    uint64_t *unit_last[SM_UNIT_COUNT]; /* [unit][port] the last of these cycles; NULL as unit_free */
    uint64_t rate[SM_UNIT_COUNT];       /* [unit] p times copies: threads per interval of all lanes */
    uint64_t simd_width;
    uint8_t issue_cycles[WARP_LANES_MOST + 1]; /* [thread slots] cycles for which an issue of so many holds its lane */
    struct warp_lanes_answer (*through)[WARP_LANES_MOST + 1]; /* [unit][thread slots] */
    uint64_t offered; /* thread slots of the instructions that a port has issued in this cycle */
};

/* `width` threads per lane, or as many as make no port go without a lane. */
void warp_lanes_open(struct warp_lanes *l, const struct sm_config *config, uint32_t width);
void warp_lanes_close(struct warp_lanes *l);

/* The lane of its port for a strand of this lineage. */
static inline uint32_t warp_lanes_of(const struct warp_lanes *l, int32_t lineage)
{
    return (uint32_t)lineage / l->ports % l->per_port;
}

/* The lane's threads among those of all lanes, for the trace. */
static inline uint64_t warp_lanes_slots(const struct warp_lanes *l, uint32_t lane)
{
    return (l->width >= 64 ? UINT64_MAX : (UINT64_C(1) << l->width) - 1) << lane * l->width % 64;
}

static inline bool warp_lanes_has_share(const struct warp_lanes *l, int unit)
{
    return l->unit_free[unit] != NULL;
}

/* The lanes of the port that do not issue in this cycle, one bit each. */
static inline uint64_t warp_lanes_held(struct warp_lanes *l, int port, uint64_t now)
{
    struct warp_lanes_held *h = &l->held[port];
    if (h->lanes && now - h->until >= WARP_LANES_CYCLES) {
        memset(h->freed, 0, sizeof h->freed);
        h->lanes = 0;
    }
    for (; h->lanes && h->until < now;) {
        uint64_t *freed = &h->freed[++h->until % WARP_LANES_CYCLES];
        h->lanes &= ~*freed;
        *freed = 0;
    }
    h->until = now;
    return h->lanes;
}

/* Whether the lane cannot use the unit now. */
static inline bool warp_lanes_is_busy(const struct warp_lanes *l, int unit, int port, uint32_t lane, uint64_t now)
{
    return l->unit_free[unit] && l->unit_free[unit][(uint32_t)port * l->per_port + lane] > now;
}

/* Those of the lanes, one bit each, that can use the unit now. Mostly all can. */
static inline uint64_t warp_lanes_take(const struct warp_lanes *l, int unit, int port, uint64_t lanes, uint64_t now)
{
    uint64_t busy = 0;
    if (!l->unit_free[unit] || l->unit_last[unit][port] <= now)
        return lanes;
    const uint64_t *free = l->unit_free[unit] + (uint32_t)port * l->per_port;
    for (uint64_t left = lanes; left; left &= left - 1)
        busy |= (uint64_t)(free[__builtin_ctzll(left)] > now) << __builtin_ctzll(left);
    return lanes & ~busy;
}

/* A strand with so many threads, in these home slots, issues an instruction of the unit, which takes `interval` cycles
 * and `operands` more passes for conflicts of register banks. Holds the lane and its share of the unit. Returns the
 * cycles until the last of the threads is through. */
uint64_t warp_lanes_hold(struct warp_lanes *l, int port, uint32_t lane, int threads, uint64_t slots, int unit,
                         uint32_t interval, uint32_t operands, uint64_t now);

#endif
