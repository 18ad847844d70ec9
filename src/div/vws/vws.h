/*
 * Variable warp sizing, as its files share it. A strand is a gang, which is several slice warps of one static warp at
 * one point, or a singleton, which is one slice warp. The paper calls the static warp the original gang. vws.c makes,
 * splits and dissolves gangs, reform.c merges them again, report.c has knobs, counters, checks and reports.
 */
#ifndef HEDDLE_DIV_VWS_VWS_H
#define HEDDLE_DIV_VWS_VWS_H

#include "div/parts/slice.h"
#include "div/parts/stack_code.h"

enum vws_mode { VWS_BOTH, VWS_GANG_ONLY, VWS_SLICE_ONLY };
enum vws_split { VWS_SPLIT_CONTROL, VWS_SPLIT_IMPATIENT, VWS_SPLIT_GROUP };
enum { VWS_MAX_MEMBERS = 64 }; /* slice warps of a static warp: 64 threads in slices of one */
enum { VWS_SIZES = 8 };        /* gangs are counted by size, 1 to VWS_SIZES; larger ones count as VWS_SIZES */

struct vws_knobs {
    uint32_t width; /* index into vws_widths */
    uint32_t order;
    uint32_t mode, split;
    uint32_t gangs, table_sets, table_ways, sync_cycles, fetch_ports;
    bool reform;
};

struct ws_knobs {
    uint32_t width; /* index into vws_widths */
    uint32_t order;
};

extern const uint32_t vws_widths[];
extern const struct knob_table vws_knob_table, ws_knob_table;

struct vws_counters {
    struct stack_counters stack;
    uint64_t splits, memory_splits, merges, table_full, waits, timeouts;
    uint64_t size_cycles[VWS_SIZES]; /* by size - 1: slice warps in gangs of that size, summed over cycles */
};

extern const struct stat_owner vws_stats, ws_stats;

/* A static warp: the original gang. */
struct vws_original {
    int32_t first;    /* number of the warp's first thread: row * 32 + lane */
    uint64_t members; /* bits: slice warps that have live threads; bit 0 is the slice warp of the first thread */
    uint64_t passed;  /* scratch of `released`: members that a barrier released and that have no strand */
    int parts;        /* strands that have members of the static warp */
};

/* What vws knows of a strand. */
struct vws_gang {
    int32_t original; /* index in `warps` of the strand's static warp */
    uint64_t members; /* bits: slice warps of the static warp that the strand runs */
    /* PC at which a load split the strand from others, kept until the strand branches; PC_NONE: no load did. */
    int32_t load_split_pc;
};

/* A strand that waits at a sync point. */
struct vws_sync_wait {
    struct strand *strand;
    uint32_t generation; /* generation of the strand when it began to wait; if it differs now, the strand is gone */
    uint64_t until;      /* cycle in which the wait ends */
};

struct vws {
    struct div_host *host;
    struct vws_knobs knobs;
    struct slices slices;
    struct stack_code code;                   /* instructions of the stacks, which gangs issue once for all members */
    int per_warp;                             /* slice warps of a static warp */
    struct vec_of(struct vws_original) warps; /* by first thread / W, or by first row if W is 64 */
    struct vec_of(struct vws_gang) gangs;     /* by strand id */
    struct vec_of(int32_t) passing;           /* scratch of `released`: static warps with `passed` members */
    int *table;                               /* by set of the gang table: gangs in it */
    /* While a gang splits: its strand. Members that become other strands keep their instruction buffers (4.3). */
    struct strand *splitting;
    struct vws_counters counters;
    uint64_t in_size[VWS_SIZES]; /* by size - 1: slice warps that are in gangs of that size now */
    uint64_t counted;            /* cycle up to which `size_cycles` is counted */

    /* reformation */
    struct vec_of(uint64_t) apart; /* one bit per static warp: it runs in several strands */
    int apart_count;               /* bits set in `apart`; always 0 without reformation */
    int32_t turn;                  /* static warp that was visited in cycle `turn_cycle`; one per cycle follows */
    uint64_t turn_cycle;
    bool is_issuing;                           /* the SM issues something in every cycle: strands move */
    uint64_t moved;                            /* last cycle in which a strand may have moved, if not `is_issuing` */
    uint64_t visit_at;                         /* cycle of the next visit that may find something; 0: none is known */
    uint8_t *sync_points;                      /* by PC: a sync instruction, or a post-dominator if there are none */
    struct vec_of(struct vws_sync_wait) waits; /* in the order of `until`; those before `first_wait` are over */
    int first_wait;
};

static inline struct vws *vws_of(struct div *div)
{
    return (struct vws *)div;
}

/* Sets of slice warps of one static warp are masks of 64 bits: the lowest member, and the number of members. */
static inline int vws_lowest(uint64_t members)
{
    return __builtin_ctzll(members);
}

static inline int vws_size(uint64_t members)
{
    return bits_count((uint32_t)members) + bits_count((uint32_t)(members >> 32));
}

/* The slice warp that is member number `member` of the static warp. */
static inline struct slice *vws_slice(struct vws *d, const struct vws_original *o, int member)
{
    return slice_of_thread(&d->slices, o->first + member * d->slices.width);
}

static inline struct point vws_point(const struct strand *s)
{
    return (struct point){s->pc, s->depth};
}

/* vws.c */
/* The strand runs these members from now on. 0: none, and the strand has no entry of the gang table. */
void vws_set_members(struct vws *d, const struct strand *s, int32_t original, uint64_t members);
bool vws_has_room(struct vws *d, int32_t original); /* whether the gang table has room for another gang of it */
void vws_count_sizes(struct vws *d);                /* brings `size_cycles` up to the current cycle */

/* reform.c */
/* The number of strands that run members of the static warp changes by `change`. */
void vws_note_parts(struct vws *d, int32_t original, int change);
void vws_add_original(struct vws *d, int32_t number); /* makes room in `warps` for the static warp */
void vws_look(struct vws *d);                         /* a strand may have moved, or may merge now */
/* Parks the strand if it is at a sync point and does not have all members of its static warp. */
void vws_wait(struct vws *d, struct strand *s);
void vws_idle(struct div *div);
void vws_resume(struct div *div);
void vws_tick(struct div *div);

/* report.c */
void *vws_count(struct div *div);
void vws_check(struct div *div);
int32_t vws_where(struct div *div, int32_t row, int lane);
void vws_dump(struct div *div, struct text *out);

/* cost.c */
void ws_cost(struct cost *c);
void vws_cost(struct cost *c);

#endif
