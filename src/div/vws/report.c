/* Variable warp sizing: knobs, counters, checks, and its state in words. vws.c has the rules. */
#include "div/vws/vws.h"

#include "base/diag.h"
#include "div/parts/control.h"
#include "div/parts/stack_words.h"

/* ---- knobs ---- */

const uint32_t vws_widths[] = {1, 2, 4, 8, 16, 32};
static const char *const width_names[] = {"1", "2", "4", "8", "16", "32", NULL};
enum { INDEX_4 = 2, INDEX_32 = 5 }; /* in vws_widths */
static const char *const mode_names[] = {"both", "gang", "slice", NULL};
static const char *const split_names[] = {"control", "impatient", "group", NULL};

#define FIELD(field) .name = #field, .offset = offsetof(struct vws_knobs, field)
#define COUNT(field, measure, usual, least, most, text)                                                      \
    {                                                                                                        \
        FIELD(field), .unit = measure, .meaning = text, .kind = KNOB_COUNT, .fallback = usual, .low = least, \
                      .high = most                                                                           \
    }
#define CHOICE(type, field, names, usual, last, text)                                                             \
    {                                                                                                             \
        .name = #field, .offset = offsetof(struct type, field), .unit = "", .meaning = text, .kind = KNOB_CHOICE, \
        .fallback = usual, .high = last, .choices = names                                                         \
    }
#define ORDER(type)                                                              \
    CHOICE(type, order, pdom_order_names, ORDER_TAKEN_FIRST, ORDER_HIGHEST_LANE, \
           "Side of a branch that runs first when a slice warp diverges.")

static const struct knob vws_knob_list[] = {
    CHOICE(vws_knobs, width, width_names, INDEX_4, INDEX_32, "Width of a slice warp, in threads; at most W."),
    ORDER(vws_knobs),
    CHOICE(vws_knobs, mode, mode_names, VWS_BOTH, VWS_SLICE_ONLY,
           "What a warp consists of: slice warps that form gangs (both), a single slice as wide "
           "as the warp (gang), or slice warps without gangs (slice)."),
    CHOICE(vws_knobs, split, split_names, VWS_SPLIT_CONTROL, VWS_SPLIT_GROUP,
           "When gangs split: on control flow only (control), or also when some members are ready "
           "and others wait for memory, into singletons (impatient) or into two gangs (group)."),
    {FIELD(reform), .unit = "",
     .meaning = "Whether gangs that split merge again where they are at one PC: E-VWS (yes) or "
                "I-VWS (no).",
     .kind = KNOB_BOOL, .high = 1},
    COUNT(sync_cycles, "cycles", 0, 0, 10000,
          "Time for which a gang waits at a post-dominator for other gangs of its warp if "
          "reform is yes, in cycles."),
    COUNT(gangs, "gangs", 2, 1, 32,
          "Gangs that may issue per port and cycle; from half the number of slices on, as many gangs "
          "as fit."),
    COUNT(table_sets, "sets", 32, 1, 1024, "Sets of the gang table."),
    COUNT(table_ways, "gangs", 4, 1, 64, "Gangs per set of the gang table; further gangs run as singletons."),
    COUNT(fetch_ports, "fetches", 8, 1, 64,
          "Fetches from the L1 instruction cache per cycle; a hit in a slice's L0 takes none."),
};

static const struct knob ws_knob_list[] = {
    CHOICE(ws_knobs, width, width_names, INDEX_4, INDEX_32, "Width of a narrow warp, in threads; at most W."),
    ORDER(ws_knobs),
};

const struct knob_table vws_knob_table = {"vws", vws_knob_list, sizeof vws_knob_list / sizeof *vws_knob_list};
const struct knob_table ws_knob_table = {"ws", ws_knob_list, sizeof ws_knob_list / sizeof *ws_knob_list};

/* ---- counters ---- */

#define COUNTER(field, measure, text)                                                                    \
    {                                                                                                    \
        .name = #field, .offset = offsetof(struct vws_counters, field), .unit = measure, .meaning = text \
    }
#define SIZE(n, text)                                                                  \
    {                                                                                  \
        .name = "in_" #n, .offset = offsetof(struct vws_counters, size_cycles[n - 1]), \
        .unit = "slice warps times cycles", .meaning = text                            \
    }

/* The stack's counters come first: PDOM_COUNTERS takes offsets from the start. */
static const struct stat_counter counters[] = {
    PDOM_COUNTERS,
    SIZE(1, "Slice warps that run as singletons, summed over cycles."),
    COUNTER(splits, "gangs", "Gangs and singletons that left a gang because their PCs differed."),
    COUNTER(memory_splits, "gangs", "Gangs that split because some members were ready and others waited for memory."),
    COUNTER(merges, "gangs", "Gangs and singletons that joined another at the same PC."),
    COUNTER(table_full, "gangs", "Groups that ran as singletons because their set of the gang table was full."),
    COUNTER(waits, "gangs", "Gangs and singletons that waited at a sync point."),
    COUNTER(timeouts, "gangs", "Gangs and singletons that waited at a sync point for sync_cycles."),
    SIZE(2, "Slice warps in gangs of 2, summed over cycles."),
    SIZE(3, "Slice warps in gangs of 3, summed over cycles."),
    SIZE(4, "Slice warps in gangs of 4, summed over cycles."),
    SIZE(5, "Slice warps in gangs of 5, summed over cycles."),
    SIZE(6, "Slice warps in gangs of 6, summed over cycles."),
    SIZE(7, "Slice warps in gangs of 7, summed over cycles."),
    SIZE(8, "Slice warps in gangs of 8 or more, summed over cycles."),
};

enum { COUNTERS_ALL = sizeof counters / sizeof *counters, COUNTERS_OF_GANGS = 13 };

const struct stat_owner vws_stats = {"vws", counters, COUNTERS_ALL, sizeof(struct vws_counters)};
const struct stat_owner ws_stats = {"ws", counters, COUNTERS_ALL - COUNTERS_OF_GANGS, sizeof(struct vws_counters)};

void *vws_count(struct div *div)
{
    struct vws *d = vws_of(div);
    vws_count_sizes(d);
    d->counters.stack = d->slices.rules.counters;
    return &d->counters;
}

/* ---- checks ---- */

static void check_original(struct vws *d, int32_t number, int *table)
{
    struct vws_original *o = &d->warps.data[number];
    int parts = 0;
    for (uint64_t left = o->members; left; left &= left - 1) {
        int member = vws_lowest(left);
        struct slice *slice = vws_slice(d, o, member);
        slice_check(&d->slices, slice);
        if (!slice->strand)
            continue;
        const struct vws_gang *g = &d->gangs.data[slice->strand->id];
        if (g->original != number || !(g->members >> member & 1))
            panic("slice warp %d of warp %d is not in its gang, of strand %d", member, number, slice->strand->id);
        if (member != vws_lowest(g->members))
            continue;
        parts++;
        table[(uint32_t)number % d->knobs.table_sets] += vws_size(g->members) > 1;
    }
    if (parts != o->parts)
        panic("warp %d runs in %d parts, and counts %d", number, parts, o->parts);
}

void vws_check(struct div *div)
{
    struct vws *d = vws_of(div);
    int *table = xcalloc(d->knobs.table_sets, sizeof *table);
    for (int32_t i = 0; i < d->warps.count; i++)
        if (d->warps.data[i].members)
            check_original(d, i, table);
    for (uint32_t i = 0; i < d->knobs.table_sets; i++)
        if (table[i] != d->table[i] || table[i] > (int)d->knobs.table_ways)
            panic("set %u of the gang table has %d gangs, counts %d, and holds %u", i, table[i], d->table[i],
                  d->knobs.table_ways);
    free(table);
}

/* ---- words ---- */

/* The highest entry that holds the thread says where it goes on. */
int32_t vws_where(struct div *div, int32_t row, int lane)
{
    struct vws *d = vws_of(div);
    int32_t thread = row * 32 + lane;
    if (thread / d->slices.width >= d->slices.all.count)
        return PC_NONE;
    const struct slice *slice = slice_of_thread(&d->slices, thread);
    for (int i = slice->stack.count - 1; i >= 0; i--)
        if (slice->stack.data[i].mask >> (lane - slice->shift) & 1)
            return slice->stack.data[i].at.pc;
    return PC_NONE;
}

static void print_slice(const struct vws *d, const struct slice *slice, struct text *out)
{
    const struct program *p = d->host->facts.program;
    text_printf(out, " slice at lane %d\n", slice->shift);
    if (slice->strand) {
        struct point here = control_block_of(p, slice->strand);
        stack_print(&slice->stack, &here, p, d->slices.width, out);
    }
    held_print(&slice->held, d->slices.width, out);
}

static void print_gang(struct vws *d, const struct vws_original *o, struct strand *s, struct text *out)
{
    const struct program *p = d->host->facts.program;
    uint64_t members = d->gangs.data[s->id].members;
    text_printf(out, " gang ");
    for (int i = 0; i < d->per_warp; i++)
        text_append(out, members >> i & 1 ? "1" : o->members >> i & 1 ? "0" : "-", 1);
    text_printf(out, " ");
    point_print(control_block_of(p, s), p, out);
    text_printf(out, s->parked ? ", waits for others\n" : "\n");
}

/* For each warp its gangs, one digit per slice warp ("-": ended), and the stacks of slice warps that have diverged. */
void vws_dump(struct div *div, struct text *out)
{
    struct vws *d = vws_of(div);
    for (int32_t i = 0; i < d->warps.count; i++) {
        const struct vws_original *o = &d->warps.data[i];
        if (!o->members)
            continue;
        text_printf(out, "warp %d\n", (int)i);
        for (uint64_t left = o->members; left; left &= left - 1) {
            struct strand *s = vws_slice(d, o, vws_lowest(left))->strand;
            if (s && vws_lowest(left) == vws_lowest(d->gangs.data[s->id].members))
                print_gang(d, o, s, out);
        }
        for (uint64_t left = o->members; left; left &= left - 1) {
            struct slice *slice = vws_slice(d, o, vws_lowest(left));
            if (slice->stack.count > 1 || !slice->strand)
                print_slice(d, slice, out);
        }
    }
}
