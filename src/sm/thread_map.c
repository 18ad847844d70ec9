/* The thread map (thread_map.h): entering and taking out threads of strands, and finding their home slots and
 * slices. */
#include "sm/thread_map.h"

#include "base/arena.h"
#include "base/diag.h"
#include "sm/internal.h"

#include <stdlib.h>

void thread_map_open(struct thread_map *m, int rows, struct storage *storage)
{
    m->rows = storage_calloc(storage, (size_t)rows, sizeof *m->rows);
}

int32_t thread_map_find(const struct sm *sm, int32_t row, int lane)
{
    const struct row_strands *of = &sm->map.rows[row];
    for (uint32_t left = of->in_strands >> lane & 1 ? of->lowest : 0; left; left &= left - 1)
        if (of->lanes[bits_lowest(left)] >> lane & 1)
            return of->id[bits_lowest(left)];
    return -1;
}

/* ---- rows ---- */

/* The strand leaves the row, where it has these lanes. */
static void leave_row(struct sm *sm, int32_t row, int32_t id, uint32_t lanes)
{
    struct row_strands *of = &sm->map.rows[row];
    const int lowest = bits_lowest(lanes);
    if (!(of->lowest >> lowest & 1) || of->id[lowest] != id)
        panic("under %s strand %d leaves row %d, where it has no thread", sm->ops->name, id, row);
    of->lowest &= ~(lanes & -lanes);
    of->in_strands &= ~lanes;
}

/* Adds a strand that has no thread of the row yet. */
static void enter_row(struct sm *sm, int32_t row, int32_t id, uint32_t lanes)
{
    struct row_strands *of = &sm->map.rows[row];
    const int lowest = bits_lowest(lanes);
    if (of->in_strands & lanes)
        panic("under %s a thread of row %d is in two strands", sm->ops->name, row);
    of->in_strands |= lanes;
    of->lowest |= lanes & -lanes;
    of->lanes[lowest] = lanes;
    of->id[lowest] = (int16_t)id;
}

/* Gives a strand that has the lanes `old` of the row other lanes there. */
static void set_lanes(struct sm *sm, int32_t row, int32_t id, uint32_t old, uint32_t lanes)
{
    leave_row(sm, row, id, old);
    enter_row(sm, row, id, lanes);
}

/* ---- home slots and slices ---- */

/* The lane of the i-th thread of a warp, as the mechanism maps threads to lanes; a block has `warps` warps. */
static unsigned mapped_lane(const struct sm *sm, unsigned i, unsigned warp, unsigned warps)
{
    unsigned width = (unsigned)sm->host.facts.width, flipped = 0;
    switch (sm->wants.lane_map) {
    case DIV_LANES_MIRROR_ODD:
        return warp & 1 ? width - 1 - i : i;
    case DIV_LANES_MIRROR_HALF:
        return 2 * warp >= (unsigned)sm->residents.capacity * warps ? width - 1 - i : i;
    case DIV_LANES_XOR:
        return i ^ warp % width;
    default:
        for (unsigned bit = 1; bit < width; bit <<= 1)
            flipped = flipped << 1 | !!(warp & bit);
        return i ^ flipped;
    }
}

/* Slots are counted from the first thread of the block: warps narrower than a row lie side by side in it, and a wider
 * warp takes several rows. */
uint64_t thread_map_slots(const struct sm *sm, int32_t row, uint32_t lanes)
{
    unsigned width = (unsigned)sm->host.facts.width;
    if (sm->host.facts.slots_are_lanes)
        return lanes;
    unsigned rows = (unsigned)sm->residents.rows_per_block, resident = (unsigned)row / rows;
    unsigned first = ((unsigned)row - resident * rows) * ROW_LANES; /* thread of the block in lane 0 */
    unsigned warps = (rows * ROW_LANES + width - 1) / width;
    uint64_t slots = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned thread = first + (unsigned)bits_lowest(left);
        unsigned warp = resident * warps + thread / width;
        if (sm->wants.lane_map)
            slots |= UINT64_C(1) << mapped_lane(sm, thread % width, warp, warps);
        else
            slots |= UINT64_C(1) << (thread + (sm->config->lane_swizzle ? warp : 0)) % width;
    }
    return slots;
}

/* Adds slots for threads that are bound to a lane with several slots, not to one home slot: each takes a free slot of
 * its lane. `taken` are the slots that are not free. */
static uint64_t add_lane_slots(const struct sm *sm, uint64_t taken, int32_t row, uint32_t lanes)
{
    int lane_count = sm->wants.home_lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int slot = __builtin_ctzll(thread_map_slots(sm, row, left & -left)) % lane_count;
        while (slot < sm->host.facts.width && taken >> slot & 1)
            slot += lane_count;
        if (slot < sm->host.facts.width)
            taken |= UINT64_C(1) << slot;
    }
    return taken;
}

static bool is_bound_to_slots(const struct sm *sm)
{
    return !sm->wants.home_lanes || sm->wants.home_lanes == sm->host.facts.width;
}

static void find_slices(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->strands.state[s->id];
    if (sm->traits.has_lanes) {
        s->slices = 1;
        s->pool = (uint8_t)(1 + warp_lanes_of(&sm->lanes, s->lineage));
        return;
    }
    uint32_t first = 0;
    s->slices = 0;
    state->slices = 0;
    for (uint32_t i = sm->units.slices; i-- > 0;)
        if (s->slots & units_slice_slots(&sm->units, i)) {
            s->slices++;
            state->slices |= units_slice_slots(&sm->units, i);
            first = i;
        }
    s->pool = (uint8_t)(s->slices == 1 ? 1 + first : 0);
}

/* The slots of threads whose home slots are not their lanes. */
static uint64_t slots_of(const struct sm *sm, const struct threads *t)
{
    uint64_t slots = 0;
    for (int i = 0; i < t->count; i++)
        if (is_bound_to_slots(sm))
            slots |= thread_map_slots(sm, t->part[i].row, t->part[i].mask);
        else
            slots = add_lane_slots(sm, slots, t->part[i].row, t->part[i].mask);
    return slots;
}

/* Fills in slots, size, lanes and slices of a strand; `lanes` has the lanes of all its parts. */
static void find_slots(struct sm *sm, struct strand *s, uint32_t lanes)
{
    bool are_lanes = sm->host.facts.slots_are_lanes && is_bound_to_slots(sm);
    s->slots = are_lanes ? lanes : slots_of(sm, &s->threads);
    s->size = are_lanes ? bits_count(lanes) : threads_size(&s->threads);
    s->lanes = are_lanes || bits_count(lanes) == s->size ? lanes : 0;
    if (sm->traits.has_pools)
        find_slices(sm, s);
}

/* Fills in what follows from the threads of a strand, and what rows keep for them in the scoreboard. */
static void describe(struct sm *sm, struct strand *s, uint32_t lanes)
{
    if (s->threads.count) {
        s->block = sm->residents.place_of_row[s->threads.part[0].row];
        s->block_age = sm->residents.at[s->block].age;
        find_slots(sm, s, lanes);
    }
    if (!sm->scoreboard.is_off)
        scoreboard_take_over(&sm->scoreboard, &sm->strands.state[s->id].pending, s);
}

/* ---- threads of a strand ---- */

void thread_map_keep_rows(struct sm *sm, const struct strand *s)
{
    const uint64_t done_at = sm->strands.state[s->id].pending.done_at;
    if (done_at > sm->now && s->threads.count && !sm->traits.mixes_blocks)
        residents_keep_row(&sm->residents, s->threads.part[0].row, done_at);
}

/* Threads leave the strand: what is in flight for them stays with their rows. */
static void leave_writes(struct sm *sm, const struct strand *s)
{
    thread_map_keep_rows(sm, s);
    if (!sm->scoreboard.is_off)
        scoreboard_leave(&sm->scoreboard, &sm->strands.state[s->id].pending, s, sm->now);
}

void thread_map_enter(struct sm *sm, struct strand *s, const struct threads *threads)
{
    uint32_t lanes = 0;
    s->threads.count = threads->count;
    for (int i = 0; i < threads->count; i++) {
        struct part part = s->threads.part[i] = threads->part[i];
        enter_row(sm, part.row, s->id, part.mask);
        lanes |= part.mask;
    }
    if (sm->map.bundles.rows)
        bundles_enter(sm, s->threads.part[0].row, lanes, s->id);
    describe(sm, s, lanes);
}

/* Mostly a strand loses some rows, or gets rows behind those that it keeps. Then `kept` parts have the rows that they
 * had, and the row lists are searched only for parts whose lanes change. */
void thread_map_change(struct sm *sm, struct strand *s, const struct threads *threads)
{
    struct threads old; /* only if parts of the strand change places */
    int kept = 0;
    bool reordered = false;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        if (kept < threads->count && threads->part[kept].row == part.row) {
            if (threads->part[kept].mask != part.mask)
                set_lanes(sm, part.row, s->id, part.mask, threads->part[kept].mask);
            kept++;
        } else if (!threads_of_row(threads, part.row)) {
            leave_row(sm, part.row, s->id, part.mask);
        } else {
            reordered = true;
        }
    }
    if (reordered)
        threads_copy(&old, &s->threads);
    uint32_t lanes = 0;
    leave_writes(sm, s);
    s->threads.count = threads->count;
    for (int i = 0; i < threads->count; i++) {
        struct part part = s->threads.part[i] = threads->part[i];
        lanes |= part.mask;
        if (i < kept)
            continue;
        uint32_t had = reordered ? threads_of_row(&old, part.row) : 0;
        if (!had)
            enter_row(sm, part.row, s->id, part.mask);
        else
            set_lanes(sm, part.row, s->id, had, part.mask);
    }
    describe(sm, s, lanes);
}

void thread_map_divide(struct sm *sm, struct strand *s, uint32_t lanes, struct strand *rest)
{
    struct part *part = &s->threads.part[0];
    const uint32_t others = part->mask & ~lanes;
    set_lanes(sm, part->row, s->id, part->mask, lanes);
    enter_row(sm, part->row, rest->id, others);
    bundles_enter(sm, part->row, others, rest->id);
    part->mask = lanes;
    rest->threads.count = 1;
    rest->threads.part[0] = (struct part){part->row, others};
    rest->block = s->block;
    rest->block_age = s->block_age;
    find_slots(sm, s, lanes);
    find_slots(sm, rest, others);
    scoreboard_divide(&sm->strands.state[s->id].pending, &sm->strands.state[rest->id].pending);
}

void thread_map_unite(struct sm *sm, struct strand *s, struct strand *from)
{
    struct part *part = &s->threads.part[0];
    const uint32_t more = from->threads.part[0].mask;
    if (!sm->scoreboard.is_off)
        scoreboard_unite(&sm->scoreboard, &sm->strands.state[s->id].pending, s, &sm->strands.state[from->id].pending,
                         from, sm->now);
    leave_row(sm, part->row, from->id, more);
    set_lanes(sm, part->row, s->id, part->mask, part->mask | more);
    bundles_enter(sm, part->row, more, s->id);
    part->mask |= more;
    from->threads.count = 0;
    find_slots(sm, s, part->mask);
}

void thread_map_lose(struct sm *sm, struct strand *s, int32_t row, uint32_t mask)
{
    uint32_t lanes = 0, had = threads_of_row(&s->threads, row);
    threads_remove(&s->threads, row, mask);
    for (int i = 0; i < s->threads.count; i++)
        lanes |= s->threads.part[i].mask;
    find_slots(sm, s, lanes);
    uint32_t left = threads_of_row(&s->threads, row);
    if (left)
        set_lanes(sm, row, s->id, had, left);
    else
        leave_row(sm, row, s->id, had);
}

void thread_map_leave(struct sm *sm, struct strand *s)
{
    leave_writes(sm, s);
    for (int i = 0; i < s->threads.count; i++)
        leave_row(sm, s->threads.part[i].row, s->id, s->threads.part[i].mask);
    s->threads.count = 0;
}
