/*
 * Splits of a warp in the order of their PCs: without a stack, several of them run side by side.
 *
 * Each thread has a PC. Threads of a warp at one point are a split. Splits are ordered as thread frontiers are
 * (div/parts/block_order.h, or by PC): the first `most` of them run, each as a strand; the others are groups that wait
 * for their turn. Brunie, Collange and Diamos, ISCA 2012, keep the running splits of a warp in its hot contexts, and
 * the others in cold contexts that are sorted by PC. What happens to a warp:
 *
 *   branch    The split's threads join the splits at the branch's targets; missing ones are made. The first splits in
 *             the order run.
 *   arrival   When a strand comes to the start of a block, it merges with a split that is there. If a group is at an
 *             earlier block, that group runs in its place.
 *   sync      Two strands that run side by side may pass the point at which they should merge one behind the other. So
 *             a split that comes to a reconvergence point (the post-dominator of a branch) waits there while another
 *             split of the warp can still come: with SPLITS_REGION, one that stands between the branch and that point
 *             in the order, which leaves out those that went back to the start of a loop; with SPLITS_PATHS, one that
 *             is on a path from a branch to that point; with SPLITS_ORDER, any that comes before that point in the
 *             order.
 *   load      A mechanism may cut the threads that still wait for a load off their split (splits_subdivide()).
 *   exit      Threads that ended leave their split; if none are left, the first group runs.
 *   barrier   Barriers hold single threads. A strand that waits without the rest of its warp becomes a group, and
 *             other groups run. Threads that are released form a group again.
 *
 * The first split in the order never waits for another, so the warp always runs.
 *
 * A mechanism that uses splits has a `struct splits` as the first member of its own structure, starts it with
 * splits_start(), and fills its div_ops with SPLITS_CALLS, or with SPLITS_CALLS_BUT_PREPARE if it looks at the program
 * itself before it calls splits_prepare(); its counters start with SPLITS_COUNTERS.
 *
 * Not modelled: the time to sort groups, and tables of limited size.
 */
#ifndef HEDDLE_DIV_PARTS_SPLITS_H
#define HEDDLE_DIV_PARTS_SPLITS_H

#include "base/vec.h"
#include "div/contract/div.h"
#include "div/parts/point.h"
#include "div/parts/static_warp.h"

enum splits_order { SPLITS_TOPOLOGICAL, SPLITS_LAYOUT };
enum splits_sync { SPLITS_FREE, SPLITS_REGION, SPLITS_ORDER, SPLITS_PATHS };

extern const char *const splits_order_names[];
extern const char *const splits_sync_names[];

struct splits_counters {
    uint64_t divergent_branches, made, merges, switches, waits, max_splits;
};

/* Threads of a warp at one point that are in no strand. */
struct split_group {
    struct point at;
    uint64_t mask;
    bool is_held; /* the threads are at a barrier or rendezvous, and go on at `at` when it releases them */
};

/* A static warp. */
struct split_warp {
    struct static_warp at;
    struct vec_of(struct strand *) running;
    struct vec_of(struct split_group) groups;
};

struct splits {
    struct div_host *host;
    int most; /* splits of a warp that run side by side */
    enum splits_order order;
    enum splits_sync sync;
    int64_t *order_of; /* by PC: grows in the order of blocks and, within a block, of PCs */
    /* By PC: where a reconvergence point is, the order of the first PC of the first block that ends with a branch which
     * reconverges there; elsewhere -1. */
    int64_t *opens;
    /* With SPLITS_PATHS, by PC: where a reconvergence point is, blocks (one bit each) from which threads come there. */
    uint64_t **paths;
    int hurried;                            /* place of the warp of which splits_hurry() let a split go on last */
    struct vec_of(struct split_warp) warps; /* by place of the static warp */
    struct vec_of(int32_t) place;           /* by strand id: index in `warps` */
    struct splits_counters counters;
};

#define SPLITS_COUNTER(type, field) .name = #field, .offset = offsetof(type, splits.field)
#define SPLITS_COUNTERS(type)                                                                                          \
    {SPLITS_COUNTER(type, divergent_branches), .unit = "branches",                                                     \
     .meaning = "Control instructions at which a split diverged."},                                                    \
        {SPLITS_COUNTER(type, made), .unit = "splits",                                                                 \
         .meaning = "Splits that divergent branches made beyond the one that goes on."},                               \
        {SPLITS_COUNTER(type, merges), .unit = "splits", .meaning = "Splits that joined another at the same PC."},     \
        {SPLITS_COUNTER(type, switches), .unit = "switches",                                                           \
         .meaning = "Times that a split at an earlier block took over from one that came to a later block."},          \
        {SPLITS_COUNTER(type, waits), .unit = "splits",                                                                \
         .meaning = "Splits that waited at a reconvergence point for other splits of their warp."},                    \
    {                                                                                                                  \
        SPLITS_COUNTER(type, max_splits), .unit = "splits", .meaning = "Most splits that a warp had, barriers apart.", \
                                          .combine = STAT_MAX                                                          \
    }

#define SPLITS_CALLS_BUT_PREPARE                                                                          \
    .launch = splits_launch, .branch = splits_branch, .arrive = splits_arrive, .exit = splits_exit,       \
    .barrier = splits_barrier, .released = splits_released, .check = splits_check, .where = splits_where, \
    .dump = splits_dump
#define SPLITS_CALLS .prepare = splits_prepare, SPLITS_CALLS_BUT_PREPARE

/* `splits` is zeroed but for `most`, `order` and `sync`. */
void splits_start(struct splits *d, struct div_host *host);
void splits_close(struct splits *d);

/* Lets one split that waits at a reconvergence point go on, of another warp each time. With `free_only`, only a split
 * that takes no more passes through the lanes apart from the rest of its warp than together with them. False: there is
 * none. */
bool splits_hurry(struct splits *d, bool free_only);
/* Cuts the `late` threads off the split; both parts run. False: the strand cannot be cut now, or as many splits
 * of its warp run as may. */
bool splits_subdivide(struct splits *d, struct strand *s, const struct threads *late);
void splits_prepare(struct div *div, uint8_t *marks);
void splits_launch(struct div *div, int32_t block);
void splits_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count);
void splits_arrive(struct div *div, struct strand *s);
void splits_exit(struct div *div, struct strand *s, const struct threads *ended);
void splits_barrier(struct div *div, struct strand *s, int32_t block, int id);
void splits_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads);
void splits_check(struct div *div);
int32_t splits_where(struct div *div, int32_t row, int lane);
void splits_dump(struct div *div, struct text *out);

#endif
