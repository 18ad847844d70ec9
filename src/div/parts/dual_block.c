/* The dual-path stack of a block (dual_block.h): how warps leave a path, how a path settles into its sides, and which
 * entry runs next. */
#include "div/parts/dual_block.h"

#include "base/diag.h"
#include "div/parts/stack.h"

static const struct point no_point = {PC_NONE, 0};
static const struct dual_place no_place = {-1, 0};

static struct dual_block_entry *entry_at(const struct dual_block *s, int i)
{
    return &s->entries.data[i];
}

/* A path without threads is valid while its last warp has instructions in flight. */
static bool is_valid(const struct dual_block *s, const struct dual_block_path *p)
{
    return p->warps || !block_mask_is_empty(&p->mask, s->rows);
}

static bool entry_is_valid(const struct dual_block *s, int i)
{
    return is_valid(s, &entry_at(s, i)->path[DUAL_LEFT]) || is_valid(s, &entry_at(s, i)->path[DUAL_RIGHT]);
}

static bool is_same_place(struct dual_place a, struct dual_place b)
{
    return a.entry == b.entry && a.side == b.side;
}

/* Adds an entry without paths. An entry that became invalid below others left a gap; the first gap above the parent is
 * used. */
static int32_t push(struct dual_block *s, struct block_rules *rules, struct point rpc, struct dual_place parent)
{
    struct dual_block_entry e = {.rpc = rpc, .parent = parent};
    int32_t i = parent.entry + 1;
    while (i < s->entries.count && entry_is_valid(s, i))
        i++;
    if (i == s->entries.count)
        vec_push(&s->entries, e);
    else
        rules->counters.pops++;
    *entry_at(s, i) = e;
    s->usage.operations++;
    rules->counters.pushes++;
    if ((uint64_t)s->entries.count > rules->counters.max_depth)
        rules->counters.max_depth = (uint64_t)s->entries.count;
    return i;
}

void dual_block_start(struct dual_block *s, struct block_rules *rules, int32_t pc, const struct block_mask *mask)
{
    s->entries.count = s->targets.count = 0;
    s->barred = (struct block_mask){{0}};
    int32_t i = push(s, rules, no_point, no_place);
    entry_at(s, i)->path[DUAL_LEFT] = (struct dual_block_path){.at = {pc, 0}, .back = PC_NONE, .mask = *mask};
    stack_usage_start(&s->usage);
}

void dual_block_free(struct dual_block *s)
{
    vec_free(&s->entries);
    vec_free(&s->targets);
    vec_free(&s->sides);
}

/* ---- reaching a reconvergence point ---- */

static void note_end(struct dual_block *s, struct block_rules *rules, int32_t entry, struct point at)
{
    const struct dual_block_entry *e = entry_at(s, entry);
    if (e->parent.entry < 0)
        panic("threads came to pc %d, where no path waits for them", (int)at.pc);
    block_rules_note_back(&dual_block_path_at(s, e->parent)->back, at, e->rpc);
    rules->counters.reconvergences++;
}

void dual_block_leave(struct dual_block *s, struct block_rules *rules, struct dual_place path, struct point to,
                      const struct threads *t)
{
    note_end(s, rules, path.entry, to);
    block_mask_remove(&dual_block_path_at(s, path)->mask, s->first_row, t);
}

/* ---- branches ---- */

static int32_t rank_of(const struct block_rules *rules, const struct branch *branch, struct point to)
{
    int32_t rank = 0, count = branch ? branch->target_count : 0;
    while (rank < count && branch->target[rank] != to.pc)
        rank++;
    return rules->not_taken_first ? -rank : rank;
}

/* The index of the target of the branch that threads of the path took to the point `to` before; -1: none did. */
static int find_target(const struct dual_block *s, struct dual_place from, const struct branch *branch, int32_t depth,
                       struct point to)
{
    for (int i = 0; i < s->targets.count; i++) {
        const struct dual_block_target *t = &s->targets.data[i];
        if (t->to.pc == to.pc && t->branch == branch && is_same_place(t->from, from) && t->depth == depth &&
            t->to.depth == to.depth)
            return i;
    }
    return -1;
}

static __attribute__((noinline)) int add_target(struct dual_block *s, struct dual_block_target t)
{
    int at = s->targets.count;
    vec_reserve(&s->targets, at + 1);
    for (; at > 0 && s->targets.data[at - 1].rank > t.rank; at--)
        s->targets.data[at] = s->targets.data[at - 1];
    s->targets.count++;
    s->targets.data[at] = t;
    return at;
}

/* The index of the target `to` of the instruction at which a warp of the path is. */
static int target_of(struct dual_block *s, const struct block_rules *rules, struct dual_place path,
                     const struct dual_block_site *at, struct point to)
{
    const int32_t listed = at->program->insns[at->pc].branch;
    const struct branch *branch = listed < 0 ? NULL : &at->program->branches[listed];
    const int found = find_target(s, path, branch, at->depth, to);
    if (found >= 0)
        return found;
    return add_target(s, (struct dual_block_target){.from = path,
                                                    .branch = branch,
                                                    .depth = at->depth,
                                                    .rank = rank_of(rules, branch, to),
                                                    .to = to,
                                                    .ends = point_has_reached(to, entry_at(s, path.entry)->rpc)});
}

void dual_block_branch(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                       const struct dual_block_site *at, const struct outcome *outcomes, int count)
{
    for (int i = 0; i < count; i++) {
        const struct point to = {outcomes[i].pc, outcomes[i].depth};
        const bool ends = dual_block_leaves(s, rules, path, to, &outcomes[i].threads);
        const int own = target_of(s, rules, path, at, to);
        if (!ends)
            block_mask_add(&s->targets.data[own].mask, s->first_row, &outcomes[i].threads);
    }
}

void dual_block_part(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                     const struct dual_block_site *at, const struct strand *warp, int32_t target, uint32_t taken)
{
    struct path paths[2];
    const int count = path_part(warp, target, taken, paths);
    int own[2] = {0}; /* indices of the paths' targets */
    uint32_t leaving = 0, going[2] = {0};
    for (int i = 0; i < count; i++) {
        const int before = s->targets.count;
        own[i] = target_of(s, rules, path, at, paths[i].to);
        own[0] += i && own[1] <= own[0] && s->targets.count > before; /* the new target moved it */
        const bool ends = s->targets.data[own[i]].ends;
        *(ends ? &leaving : &going[i]) |= (uint32_t)paths[i].mask;
        if (ends)
            note_end(s, rules, path.entry, paths[i].to);
    }
    uint32_t *left = dual_block_path_at(s, path)->mask.lanes;
    uint32_t *first = s->targets.data[own[0]].mask.lanes, *second = s->targets.data[own[1]].mask.lanes;
    for (int i = 0; i < warp->threads.count; i++) {
        const uint32_t lanes = warp->threads.part[i].mask;
        const int r = warp->threads.part[i].row - s->first_row;
        left[r] &= ~(lanes & leaving);
        first[r] |= lanes & going[0];
        second[r] |= lanes & going[1];
    }
}

/* ---- a path settles ---- */

static struct point meeting_of(const struct dual_block_target *t, struct point rpc)
{
    return t->branch ? (struct point){t->branch->ipdom, t->depth} : rpc;
}

/* The sides that threads took at the branch of a target. */
struct branch_sides {
    int staying;   /* sides that do not end the path */
    bool ends;     /* some threads went to the rpc of the path */
    bool is_first; /* the target is the first of its branch */
};

static struct branch_sides sides_of(const struct dual_block *s, int target)
{
    const struct dual_block_target *own = &s->targets.data[target];
    struct branch_sides sides = {.is_first = true};
    for (int i = 0; i < s->targets.count; i++) {
        const struct dual_block_target *t = &s->targets.data[i];
        if (!is_same_place(t->from, own->from) || t->branch != own->branch || t->depth != own->depth)
            continue;
        sides.is_first &= i >= target;
        sides.ends |= t->ends;
        sides.staying += !block_mask_is_empty(&t->mask, s->rows);
    }
    return sides;
}

/* The new path that waits at the reconvergence point of the target's branch. */
static struct dual_block_side *waiting_side(struct dual_block *s, const struct dual_block_target *t)
{
    for (int i = 0; i < s->sides.count; i++)
        if (s->sides.data[i].branch == t->branch && s->sides.data[i].depth == t->depth)
            return &s->sides.data[i];
    struct dual_block_path path = {.at = {t->branch->ipdom, t->depth}, .back = PC_NONE};
    vec_push(&s->sides, (struct dual_block_side){.path = path, .branch = t->branch, .depth = t->depth});
    return &s->sides.data[s->sides.count - 1];
}

static void add_side(struct dual_block *s, const struct dual_block_target *t)
{
    struct dual_block_path path = {.at = t->to, .back = PC_NONE, .mask = t->mask};
    vec_push(&s->sides, (struct dual_block_side){.path = path});
}

/* Finds the paths that replace the path `from` and end at its rpc: one per target or, where the threads of a branch
 * reconverge before that rpc, one path that waits for all threads of the branch. */
static void find_sides(struct dual_block *s, struct block_rules *rules, struct dual_place from)
{
    struct point rpc = entry_at(s, from.entry)->rpc;
    s->sides.count = 0;
    for (int i = 0; i < s->targets.count; i++) {
        const struct dual_block_target *t = &s->targets.data[i];
        if (!is_same_place(t->from, from))
            continue;
        struct point meeting = meeting_of(t, rpc);
        struct branch_sides sides = sides_of(s, i);
        bool goes_on = sides.staying == 1 || point_is_same(meeting, rpc);
        bool parts = sides.is_first && sides.staying + sides.ends > 1;
        rules->counters.divergent_branches += parts;
        rules->counters.reused_slots += parts && goes_on;
        if (block_mask_is_empty(&t->mask, s->rows))
            continue;
        if (goes_on) {
            add_side(s, t);
            continue;
        }
        struct dual_block_side *waits = waiting_side(s, t);
        block_mask_unite(&waits->path.mask, &t->mask, s->rows);
        if (point_has_reached(t->to, meeting))
            block_rules_note_back(&waits->path.back, t->to, meeting);
    }
}

/* Gives sides their slots, two per entry, the first side on top. If their number is odd, the lowest entry has one. */
static void push_sides(struct dual_block *s, struct block_rules *rules, struct point rpc, struct dual_place parent,
                       int first, int count)
{
    while (count > 0) {
        int here = count % 2 ? 1 : 2;
        int32_t entry = push(s, rules, rpc, parent);
        count -= here;
        for (int i = 0; i < here; i++) {
            struct dual_block_side *side = &s->sides.data[first + count + i];
            side->place = (struct dual_place){entry, i};
            *dual_block_path_at(s, side->place) = side->path;
        }
    }
}

/* The sides take the slot of their path and, if the sibling is not valid, the sibling's slot; other sides are
 * pushed. */
static void replace(struct dual_block *s, struct block_rules *rules, struct dual_place from)
{
    struct dual_block_entry *e = entry_at(s, from.entry);
    int count = s->sides.count;
    int here = count % 2 ? 1 : is_valid(s, &e->path[!from.side]) ? 0 : count ? 2 : 0;
    struct point rpc = e->rpc;
    struct dual_place parent = e->parent;
    e->path[from.side].mask = (struct block_mask){{0}};
    count -= here;
    for (int i = 0; i < here; i++) {
        struct dual_block_side *side = &s->sides.data[count + i];
        side->place = (struct dual_place){from.entry, here == 1 ? from.side : i};
        *dual_block_path_at(s, side->place) = side->path;
    }
    push_sides(s, rules, rpc, parent, 0, count);
}

/* Pushes the sides of branches that reconverge before the rpc of the path; a new path waits for each such branch. */
static void push_children(struct dual_block *s, struct block_rules *rules, struct dual_place from)
{
    int own = s->sides.count;
    for (int i = own - 1; i >= 0; i--) {
        const struct dual_block_side waits = s->sides.data[i];
        for (int k = 0; waits.branch && k < s->targets.count; k++) {
            const struct dual_block_target *t = &s->targets.data[k];
            if (is_same_place(t->from, from) && t->branch == waits.branch && t->depth == waits.depth &&
                !block_mask_is_empty(&t->mask, s->rows) && !point_has_reached(t->to, waits.path.at))
                add_side(s, t);
        }
        push_sides(s, rules, waits.path.at, waits.place, own, s->sides.count - own);
        s->sides.count = own;
    }
}

static void forget_targets(struct dual_block *s, struct dual_place from)
{
    int kept = 0;
    for (int i = 0; i < s->targets.count; i++)
        if (!is_same_place(s->targets.data[i].from, from))
            s->targets.data[kept++] = s->targets.data[i];
    s->targets.count = kept;
}

void dual_block_settle(struct dual_block *s, struct block_rules *rules, struct dual_place path)
{
    struct block_mask left = dual_block_path_at(s, path)->mask;
    find_sides(s, rules, path);
    for (int i = 0; i < s->sides.count; i++)
        block_mask_subtract(&left, &s->sides.data[i].path.mask, s->rows);
    if (!block_mask_is_empty(&left, s->rows))
        panic("threads of a block's path are in no warp and at no branch");
    replace(s, rules, path);
    push_children(s, rules, path);
    forget_targets(s, path);
}

/* ---- what runs next ---- */

/* The threads of all children of a path. */
static struct block_mask children_of(const struct dual_block *s, struct dual_place place)
{
    struct block_mask m = {{0}};
    for (int i = place.entry + 1; i < s->entries.count; i++)
        if (is_same_place(entry_at(s, i)->parent, place))
            for (int side = 0; side < DUAL_SIDES; side++)
                block_mask_unite(&m, &entry_at(s, i)->path[side].mask, s->rows);
    return m;
}

static bool waits_for_others(const struct dual_block *s, struct dual_place place)
{
    for (int i = place.entry + 1; i < s->entries.count; i++)
        if (is_same_place(entry_at(s, i)->parent, place) && entry_is_valid(s, i))
            return true;
    return false;
}

/* A path without children continues behind its waiting point. If that is the rpc of its entry, the path ends. */
static void go_on(struct dual_block *s, struct block_rules *rules, struct dual_place place)
{
    struct dual_block_path *p = dual_block_path_at(s, place);
    if (!is_valid(s, p) || p->warps || waits_for_others(s, place))
        return;
    if (point_is_end(p->at)) {
        if (p->back == PC_NONE)
            panic("threads wait at the end of a function that none of them left");
        p->at = (struct point){p->back, p->at.depth - 1};
        p->back = PC_NONE;
    }
    if (!point_has_reached(p->at, entry_at(s, place.entry)->rpc))
        return;
    note_end(s, rules, place.entry, p->at);
    p->mask = (struct block_mask){{0}};
}

bool dual_block_can_start(const struct dual_block *s, struct dual_place path)
{
    const struct dual_block_path *p = dual_block_path_at(s, path);
    return !p->warps && is_valid(s, p) && !block_mask_meets(&p->mask, &s->barred, s->rows) &&
           !waits_for_others(s, path);
}

/* Lets every path continue that can. Parents lie below their children, so one pass from the top down is enough. */
static void settle_all(struct dual_block *s, struct block_rules *rules)
{
    for (int i = s->entries.count - 1; i >= 0; i--) {
        for (int side = 0; side < DUAL_SIDES; side++)
            go_on(s, rules, (struct dual_place){i, side});
        if (i == s->entries.count - 1 && !entry_is_valid(s, i)) {
            s->entries.count--;
            s->usage.operations++;
            rules->counters.pops++;
        }
    }
}

static int32_t find_runnable(const struct dual_block *s)
{
    for (int i = s->entries.count - 1; i >= 0; i--)
        for (int side = 0; side < DUAL_SIDES; side++)
            if (entry_at(s, i)->path[side].warps || dual_block_can_start(s, (struct dual_place){i, side}))
                return i;
    return -1;
}

/* Pushes an entry for threads that are neither barred nor in a child of their path, of the highest path that has any.
 * False: no path has. */
static bool run_ahead(struct dual_block *s, struct block_rules *rules)
{
    for (int k = DUAL_SIDES * s->entries.count - 1; k >= 0; k--) {
        struct dual_place place = {k / DUAL_SIDES, k % DUAL_SIDES};
        struct dual_block_path ahead = *dual_block_path_at(s, place);
        struct block_mask children = children_of(s, place);
        block_mask_subtract(&ahead.mask, &children, s->rows);
        block_mask_subtract(&ahead.mask, &s->barred, s->rows);
        if (!is_valid(s, &ahead))
            continue;
        const struct dual_block_entry *e = entry_at(s, place.entry);
        struct point rpc = e->rpc;
        struct dual_place parent = e->parent;
        block_mask_subtract(&dual_block_path_at(s, place)->mask, &ahead.mask, s->rows);
        vec_push(&s->entries, (struct dual_block_entry){.path = {ahead}, .rpc = rpc, .parent = parent});
        s->usage.operations++;
        rules->counters.pushes++;
        rules->counters.ran_ahead++;
        return true;
    }
    return false;
}

int32_t dual_block_next(struct dual_block *s, struct block_rules *rules)
{
    int32_t found;
    do {
        settle_all(s, rules);
        found = find_runnable(s);
    } while (found < 0 && run_ahead(s, rules));
    return found;
}

/* ---- barriers and ends ---- */

void dual_block_bar(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                    const struct dual_block_site *at, const struct threads *t)
{
    struct outcome behind = {.pc = at->pc + 1, .depth = at->depth};
    threads_copy(&behind.threads, t);
    dual_block_branch(s, rules, path, at, &behind, 1);
    block_mask_add(&s->barred, s->first_row, t);
}

void dual_block_unbar(struct dual_block *s, const struct threads *t)
{
    block_mask_remove(&s->barred, s->first_row, t);
}

void dual_block_exit(struct dual_block *s, const struct threads *ended)
{
    for (int i = 0; i < s->entries.count; i++)
        for (int side = 0; side < DUAL_SIDES; side++)
            block_mask_remove(&entry_at(s, i)->path[side].mask, s->first_row, ended);
    for (int i = 0; i < s->targets.count; i++)
        block_mask_remove(&s->targets.data[i].mask, s->first_row, ended);
    dual_block_unbar(s, ended);
}

/* ---- questions and checks ---- */

static int32_t pc_of(struct point at, int32_t back)
{
    return point_is_end(at) ? back : at.pc;
}

int32_t dual_block_where(const struct dual_block *s, int32_t row, int lane)
{
    int r = row - s->first_row;
    for (int i = 0; i < s->targets.count; i++)
        if (s->targets.data[i].mask.lanes[r] >> lane & 1)
            return s->targets.data[i].to.pc;
    for (int i = s->entries.count - 1; i >= 0; i--)
        for (int side = 0; side < DUAL_SIDES; side++) {
            struct dual_place place = {i, side};
            const struct dual_block_path *p = dual_block_path_at(s, place);
            struct block_mask children = children_of(s, place);
            if ((p->mask.lanes[r] & ~children.lanes[r]) >> lane & 1)
                return pc_of(p->at, p->back);
        }
    return PC_NONE;
}

/* Whether the children of the path are disjoint and hold only threads of the path. */
static bool has_sound_children(const struct dual_block *s, struct dual_place place)
{
    const struct dual_block_path *parent = dual_block_path_at(s, place);
    struct block_mask seen = {{0}};
    for (int i = place.entry + 1; i < s->entries.count; i++)
        for (int side = 0; side < DUAL_SIDES && is_same_place(entry_at(s, i)->parent, place); side++) {
            const struct dual_block_path *p = &entry_at(s, i)->path[side];
            if (is_valid(s, p) && !point_is_same(parent->at, entry_at(s, i)->rpc))
                return false;
            if (block_mask_meets(&seen, &p->mask, s->rows))
                return false;
            block_mask_unite(&seen, &p->mask, s->rows);
        }
    return block_mask_is_within(&seen, &parent->mask, s->rows);
}

bool dual_block_is_sound(const struct dual_block *s)
{
    struct block_mask roots = {{0}};
    for (int i = 0; i < s->entries.count; i++)
        for (int side = 0; side < DUAL_SIDES; side++) {
            const struct dual_block_path *p = &entry_at(s, i)->path[side];
            if (entry_at(s, i)->parent.entry >= i || !has_sound_children(s, (struct dual_place){i, side}))
                return false;
            if (entry_at(s, i)->parent.entry >= 0)
                continue;
            if (block_mask_meets(&roots, &p->mask, s->rows))
                return false;
            block_mask_unite(&roots, &p->mask, s->rows);
        }
    return true;
}

void dual_block_print(const struct dual_block *s, const struct program *program, int width, struct text *out)
{
    for (int i = 0; i < s->entries.count; i++) {
        text_printf(out, "  ");
        for (int side = 0; side < DUAL_SIDES; side++) {
            const struct dual_block_path *p = &entry_at(s, i)->path[side];
            if (!is_valid(s, p)) {
                text_printf(out, "- - ");
                continue;
            }
            point_print(p->at, program, out);
            text_printf(out, " ");
            block_mask_print(&p->mask, s->rows, s->static_warps, width, out);
            text_printf(out, " ");
            if (p->warps)
                text_printf(out, "x%d ", (int)p->warps);
        }
        point_print(entry_at(s, i)->rpc, program, out);
        text_printf(out, "\n");
    }
}
