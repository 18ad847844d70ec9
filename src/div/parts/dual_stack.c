/*
 * The rules of the dual-path stack when the threads of a path branch, in the order in which they apply:
 *
 *   1. Threads at the entry's rpc leave the path: the path's parent holds them already.
 *   2. All other threads go to one point: the path continues there.
 *   3. They go to several points. Let r be the branch's reconvergence point. If r is not the entry's rpc, the path
 *      waits at r with its mask, and the sides that are not at r are pushed with rpc r, two per entry.
 *   4. If r is the entry's rpc, no path has to wait: the sides take the slot of the path and, if the sibling is not
 *      valid, the sibling's slot. Further sides are pushed with the same rpc and parent. So loops do not grow the
 *      stack.
 *   5. While neither path of the top entry is valid, the entry is popped. A path whose last child is gone continues.
 *
 * If the number of sides is odd, the lowest new entry has one side. The first target of a branch (the taken side of a
 * conditional branch) is the left path of the highest entry.
 */
#include "div/parts/dual_stack.h"

#include "base/diag.h"
#include "div/parts/static_warp.h"

static const struct point no_point = {PC_NONE, 0};
static const struct dual_place no_place = {-1, 0};

static void push(struct dual_stack *s, struct dual_counters *c, struct dual_entry e)
{
    vec_push(s, e);
    c->pushes++;
    if ((uint64_t)s->count > c->max_depth)
        c->max_depth = (uint64_t)s->count;
}

static struct dual_path new_path(const struct path *p)
{
    return (struct dual_path){.at = p->to, .back = PC_NONE, .mask = p->mask};
}

void dual_start(struct dual_stack *s, struct dual_counters *c, struct point at, uint64_t mask)
{
    s->count = 0;
    dual_return(s, c, at, mask);
}

void dual_return(struct dual_stack *s, struct dual_counters *c, struct point at, uint64_t mask)
{
    struct path path = {at, mask};
    push(s, c, (struct dual_entry){.path = {new_path(&path)}, .rpc = no_point, .parent = no_place});
}

/* Threads that `parent` waits for reached `goal` and stand at `p`. If `goal` is the end of a function, `parent` is told
 * the PC that they returned to. */
static void note_return(struct dual_stack *s, struct dual_place parent, struct point p, struct point goal)
{
    if (parent.entry < 0)
        panic("threads came to pc %d, where no path waits for them", (int)p.pc);
    point_note_return(goal, p, &dual_path_at(s, parent)->back);
}

static bool has_children(const struct dual_stack *s, struct dual_place path)
{
    for (int i = path.entry + 1; i < s->count; i++)
        if (s->data[i].parent.entry == path.entry && s->data[i].parent.side == path.side)
            return true;
    return false;
}

/* A path without children continues behind its waiting point. If that is the rpc of its entry, the path ends. */
static void go_on(struct dual_stack *s, struct dual_counters *c, struct dual_place place)
{
    struct dual_path *p = dual_path_at(s, place);
    const struct dual_entry *e = &s->data[place.entry];
    p->at = point_behind(p->at, &p->back);
    if (p->strand || !point_has_reached(p->at, e->rpc))
        return;
    note_return(s, e->parent, p->at, e->rpc);
    p->mask = 0;
    c->reconvergences++;
}

/* Pops entries without valid paths until a path of the top can run (rule 5). */
static void settle(struct dual_stack *s, struct dual_counters *c)
{
    while (s->count) {
        int32_t last = s->count - 1;
        const struct dual_entry *top = &s->data[last];
        for (int side = 0; side < DUAL_SIDES; side++)
            if (top->path[side].mask)
                go_on(s, c, (struct dual_place){last, side});
        if (top->path[DUAL_LEFT].mask || top->path[DUAL_RIGHT].mask)
            return;
        s->count--;
        c->pops++;
    }
}

/* Pushes the sides of a divergence, two per entry, the first side on top (rule 3). */
static void push_sides(struct dual_stack *s, struct dual_counters *c, struct point rpc, struct dual_place parent,
                       const struct path *paths, int count)
{
    while (count > 0) {
        int here = count % 2 ? 1 : 2;
        struct dual_entry e = {.rpc = rpc, .parent = parent};
        count -= here;
        for (int i = 0; i < here; i++)
            e.path[i] = new_path(&paths[count + i]);
        push(s, c, e);
    }
}

/* The sides take the slot of their path (rule 4). */
static void replace(struct dual_stack *s, struct dual_counters *c, struct dual_place from, const struct path *paths,
                    int count)
{
    struct dual_entry *e = &s->data[from.entry];
    struct dual_path *own = &e->path[from.side], *other = &e->path[!from.side];
    struct point rpc = e->rpc;
    struct dual_place parent = e->parent;
    int here = count % 2 ? 1 : other->mask ? 0 : 2;
    count -= here;
    c->reused_slots++;
    if (here == 2) {
        e->path[DUAL_LEFT] = new_path(&paths[count]);
        e->path[DUAL_RIGHT] = new_path(&paths[count + 1]);
    } else if (here == 1) {
        *own = new_path(&paths[count]);
    } else {
        own->mask = 0;
    }
    push_sides(s, c, rpc, parent, paths, count);
}

void dual_diverge(struct dual_stack *s, struct dual_counters *c, struct dual_place from, struct point meeting,
                  const struct path *paths, int count)
{
    struct dual_entry *e = &s->data[from.entry];
    if (point_is_same(meeting, e->rpc)) {
        replace(s, c, from, paths, count);
        return;
    }
    e->path[from.side].at = meeting;
    push_sides(s, c, meeting, from, paths, count);
}

static void diverge(struct dual_stack *s, struct dual_counters *c, struct dual_place from, const struct branch *branch,
                    int32_t depth, struct path *paths, int count)
{
    struct point r = branch ? (struct point){branch->ipdom, depth} : s->data[from.entry].rpc;
    int apart = 0;
    stack_sort_paths(ORDER_TAKEN_FIRST, branch, paths, count);
    for (int i = 0; i < count; i++)
        if (point_has_reached(paths[i].to, r))
            note_return(s, from, paths[i].to, r);
        else
            paths[apart++] = paths[i];
    dual_diverge(s, c, from, r, paths, apart);
}

void dual_branch(struct dual_stack *s, struct dual_counters *c, struct dual_place from, const struct branch *branch,
                 int32_t depth, struct path *paths, int count)
{
    struct dual_entry *e = &s->data[from.entry];
    struct dual_path *own = &e->path[from.side];
    int staying = 0;
    own->mask = 0;
    for (int i = 0; i < count; i++) {
        if (point_has_reached(paths[i].to, e->rpc)) {
            note_return(s, e->parent, paths[i].to, e->rpc);
            c->reconvergences++;
        } else {
            own->mask |= paths[i].mask;
            paths[staying++] = paths[i];
        }
    }
    c->divergent_branches += count > 1;
    c->reused_slots += count > 1 && staying == 1;
    if (staying == 1)
        own->at = paths[0].to;
    else if (staying)
        diverge(s, c, from, branch, depth, paths, staying);
    settle(s, c);
}

void dual_end(struct dual_stack *s, struct dual_counters *c, struct dual_place path, struct point at)
{
    const struct dual_entry *e = &s->data[path.entry];
    note_return(s, e->parent, at, e->rpc);
    dual_path_at(s, path)->mask = 0;
    c->reconvergences++;
    settle(s, c);
}

void dual_exit(struct dual_stack *s, struct dual_counters *c, uint64_t ended)
{
    for (int i = 0; i < s->count; i++)
        for (int side = 0; side < DUAL_SIDES; side++)
            s->data[i].path[side].mask &= ~ended;
    settle(s, c);
}

struct dual_place dual_runnable_below(struct dual_stack *s, struct dual_counters *c)
{
    for (int32_t i = s->count - 2; i >= 0; i--)
        for (int side = 0; side < DUAL_SIDES; side++) {
            struct dual_place place = {i, side};
            const struct dual_path *p = dual_path_at(s, place);
            if (!p->mask || has_children(s, place))
                continue;
            go_on(s, c, place);
            if (p->mask)
                return place;
        }
    return no_place;
}

uint64_t dual_threads(const struct dual_stack *s)
{
    uint64_t all = 0;
    for (int i = 0; i < s->count; i++)
        all |= s->data[i].path[DUAL_LEFT].mask | s->data[i].path[DUAL_RIGHT].mask;
    return all;
}

/* Paths are disjoint but for parents, which hold what their children have. */
bool dual_is_sound(const struct dual_stack *s)
{
    for (int32_t i = 0; i < s->count; i++) {
        const struct dual_entry *e = &s->data[i];
        uint64_t both = e->path[DUAL_LEFT].mask | e->path[DUAL_RIGHT].mask;
        if (e->path[DUAL_LEFT].mask & e->path[DUAL_RIGHT].mask || e->parent.entry >= i)
            return false;
        if (e->parent.entry < 0)
            continue;
        const struct dual_path *parent = dual_path_at(s, e->parent);
        if (both & ~parent->mask || (both && !point_is_same(parent->at, e->rpc)))
            return false;
        for (int32_t k = e->parent.entry + 1; k < i; k++)
            if (s->data[k].parent.entry == e->parent.entry && s->data[k].parent.side == e->parent.side &&
                both & (s->data[k].path[DUAL_LEFT].mask | s->data[k].path[DUAL_RIGHT].mask))
                return false;
    }
    const struct dual_entry *top = s->count ? &s->data[s->count - 1] : NULL;
    return !top || top->path[DUAL_LEFT].mask || top->path[DUAL_RIGHT].mask;
}

void dual_print(const struct dual_stack *s, const struct program *program, int width, struct text *out)
{
    for (int i = 0; i < s->count; i++) {
        text_printf(out, "  ");
        for (int side = 0; side < DUAL_SIDES; side++) {
            const struct dual_path *p = &s->data[i].path[side];
            if (p->mask) {
                point_print(p->at, program, out);
                text_printf(out, " ");
                static_warp_print(p->mask, width, out);
                text_printf(out, " ");
            } else {
                text_printf(out, "- - ");
            }
        }
        point_print(s->data[i].rpc, program, out);
        text_printf(out, "\n");
    }
}
