/*
 * Variable warp sizing, as its files share it: gangs of slice warps.
 *
 * A strand is a gang, slice warps of one static warp (the original gang) at one point, or a singleton, one of them alone.
 * div/vws/vws.c makes, splits and dissolves them, vws_reform.c brings them together again, vws_report.c has knobs, counters and
 * words.
 */
#ifndef HEDDLE_DIV_VWS_VWS_H
#define HEDDLE_DIV_VWS_VWS_H

#include "div/parts/slice.h"

enum vws_mode { VWS_BOTH, VWS_GANG_ONLY, VWS_SLICE_ONLY };
enum vws_split { VWS_SPLIT_CONTROL, VWS_SPLIT_IMPATIENT, VWS_SPLIT_GROUP };
enum { VWS_SIZES = 8 }; /* sizes of gangs that are counted by themselves; bigger ones count with the last */

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
    uint64_t size_cycles[VWS_SIZES]; /* slice warps in gangs of so many, summed over cycles */
};

extern const struct stat_owner vws_stats, ws_stats;

/* An original gang: a static warp. */
struct vws_original {
    int32_t first;    /* thread */
    uint32_t members; /* slice warps that have threads left, from its first on */
    uint32_t passed;  /* members that have passed a barrier, while `released` is at work */
    int parts;        /* strands that run its members */
    uint64_t seen;    /* hash of where they were when they were last looked at, for merging */
};

/* What a strand runs, by its id. */
struct vws_gang {
    int32_t original;
    uint32_t members;
    int32_t parted_at; /* PC at which a load parted it from others, until it has branched; PC_NONE: it did not */
};

/* A strand that waits at a sync point until a cycle. */
struct vws_wait {
    struct strand *strand;
    uint32_t generation;
    uint64_t until;
};

struct vws {
    struct div_host *host;
    struct vws_knobs knobs;
    struct slices slices;
    int per_warp;                             /* slice warps of a static warp */
    struct vec_of(struct vws_original) warps; /* by first thread / W, or by row if W is more */
    struct vec_of(struct vws_gang) gangs;     /* by strand id */
    struct vec_of(int32_t) passing;           /* originals with `passed` members */
    int *table;                               /* gangs in each set of the gang table */
    struct vws_counters counters;
    uint64_t in_size[VWS_SIZES]; /* slice warps that are in gangs of each size now ... */
    uint64_t counted;            /* ... and up to this cycle in the counters */

    /* reformation */
    struct vec_of(uint64_t) apart;        /* bits: originals that run in several parts */
    int apart_count;                      /* 0 also if they are not to meet again */
    int32_t turn;                         /* original that was looked at last */
    int quiet;                            /* looks in a row at originals that had not moved since the last one */
    uint64_t look_at;                     /* cycle of the next look; 0: none is due */
    uint64_t ticked;                      /* cycle of the last tick */
    uint8_t *sync_points;                 /* by PC */
    struct vec_of(struct vws_wait) waits; /* by time; those before `first_wait` are over */
    int first_wait;
};

static inline struct vws *vws_of(struct div *div)
{
    return (struct vws *)div;
}

static inline struct slice *vws_slice(struct vws *d, const struct vws_original *o, int member)
{
    return slice_of_thread(&d->slices, o->first + member * d->slices.width);
}

static inline struct point vws_point(const struct strand *s)
{
    return (struct point){s->pc, s->depth};
}

/* vws.c */
/* The strand runs these members from now on. */
void vws_set_members(struct vws *d, const struct strand *s, int32_t original, uint32_t members);
bool vws_has_room(struct vws *d, int32_t original); /* in the gang table for one more gang */
void vws_count_sizes(struct vws *d);                /* up to now */

/* vws_reform.c */
void vws_note_parts(struct vws *d, int32_t original, int change);
void vws_look(struct vws *d); /* something has changed: parts may be at one point */
void vws_wait(struct vws *d,
              struct strand *s); /* if it has just come to a sync point, and others of its original may come */
void vws_idle(struct div *div);
void vws_tick(struct div *div);

/* vws_report.c */
void *vws_count(struct div *div);
void vws_check(struct div *div);
int32_t vws_where(struct div *div, int32_t row, int lane);
void vws_dump(struct div *div, struct text *out);

#endif
