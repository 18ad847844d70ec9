/*
 * Regions of predictions: finds the sites (where threads wait, or call what waits), the places where threads join, and
 * the code between, as predict_region.h defines them; and says why a prediction must not be honoured. The program and
 * the prediction are only read.
 */
#include "recon/predict_region.h"

static bool is_in_loop(const struct program *p, int32_t block, int loop)
{
    int l = p->blocks[block].loop;
    while (l >= 0 && l != loop)
        l = p->loops[l].parent;
    return l == loop;
}

/* ---- sites ---- */

/* reaches[f]: function f is the callee, or may call it, directly or through others. */
static bool *find_callers(const struct program *p, int32_t callee, struct arena *arena)
{
    bool *reaches = arena_array(arena, bool, (size_t)p->function_count);
    reaches[callee] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < p->call_count; i++)
            for (int k = 0; k < p->calls[i].candidate_count; k++) {
                int32_t caller = p->insns[p->calls[i].pc].function;
                if (reaches[p->calls[i].candidates[k]] && !reaches[caller])
                    reaches[caller] = changed = true;
            }
    }
    return reaches;
}

static void find_sites(struct predict_region *r, struct arena *arena)
{
    const struct program *p = r->program;
    r->sites = arena_array(arena, int32_t, (size_t)p->call_count + 1);
    r->must_wait = arena_array(arena, bool, (size_t)p->call_count + 1);
    if (r->prediction->callee < 0) {
        r->sites[r->site_count++] = r->prediction->label;
        r->must_wait[0] = true;
        return;
    }
    bool *reaches = find_callers(p, r->prediction->callee, arena);
    for (int32_t pc = p->functions[r->function].first; pc <= p->functions[r->function].last; pc++) {
        const struct call *c = p->insns[pc].call >= 0 ? &p->calls[p->insns[pc].call] : NULL;
        bool comes = false;
        for (int k = 0; c && k < c->candidate_count; k++)
            comes |= reaches[c->candidates[k]];
        if (!comes)
            continue;
        r->must_wait[r->site_count] = c->callee == r->prediction->callee && p->insns[pc].guard < 0;
        r->sites[r->site_count++] = pc;
    }
}

/* ---- where the region begins ---- */

/* The block in which threads are when they come to a place. */
static int32_t block_of(const struct program *p, struct barrier_place place)
{
    return p->insns[place.from != PC_NONE ? place.from : place.pc].block;
}

/* The loop before which the region begins: the innermost loop around its beginning, if that loop contains the point; or
 * -1. */
static int find_hoist(const struct predict_region *r)
{
    const struct program *p = r->program;
    const struct prediction *d = r->prediction;
    int loop = p->blocks[block_of(p, d->starts[0])].loop;
    if (d->as_listed || d->callee >= 0 || loop < 0 || !is_in_loop(p, p->insns[d->label].block, loop) ||
        is_in_loop(p, p->functions[r->function].first_block, loop))
        return -1;
    for (int i = 1; i < d->start_count; i++)
        if (!is_in_loop(p, block_of(p, d->starts[i]), loop))
            return -1;
    return loop;
}

/* Lets the region begin on all edges that enter the loop r->hoisted. */
static void begin_before_loop(struct predict_region *r, struct arena *arena)
{
    const struct program *p = r->program;
    const struct flow_loop *l = &p->loops[r->hoisted];
    int edges = 0;
    for (int i = 0; i < l->block_count; i++)
        edges += p->blocks[l->blocks[i]].predecessor_count;
    r->places = arena_array(arena, struct barrier_place, (size_t)edges);
    for (int i = 0; i < l->block_count; i++) {
        const struct flow_block *b = &p->blocks[l->blocks[i]];
        for (int k = 0; k < b->predecessor_count; k++)
            if (!is_in_loop(p, b->predecessors[k], r->hoisted) && p->blocks[b->predecessors[k]].reachable)
                r->places[r->place_count++] = barrier_between(p, b->predecessors[k], l->blocks[i]);
    }
}

static void find_places(struct predict_region *r, struct arena *arena)
{
    r->hoisted = find_hoist(r);
    if (r->hoisted >= 0) {
        begin_before_loop(r, arena);
        return;
    }
    r->places = arena_array(arena, struct barrier_place, (size_t)r->prediction->start_count);
    for (int i = 0; i < r->prediction->start_count; i++)
        r->places[r->place_count++] = r->prediction->starts[i];
}

/* ---- between ---- */

static bool is_start(const struct predict_region *r, struct barrier_place place)
{
    for (int i = 0; i < r->place_count; i++)
        if (r->places[i].from == place.from && r->places[i].pc == place.pc)
            return true;
    return false;
}

static bool is_site(const struct predict_region *r, int32_t pc)
{
    for (int i = 0; i < r->site_count; i++)
        if (r->sites[i] == pc)
            return true;
    return false;
}

/* Whether a path leads from `pc`, in the block, to a site without passing a beginning of the region. */
static bool leads_from(const struct predict_region *r, int32_t block, int32_t pc)
{
    for (; pc <= r->program->blocks[block].last; pc++) {
        if (is_start(r, barrier_before(pc)))
            return false;
        if (is_site(r, pc))
            return true;
    }
    return r->leads[block];
}

/* Fills in r->entered: the blocks to whose start a path leads from a beginning of the region. */
static void find_entered(struct predict_region *r, struct arena *arena)
{
    const struct program *p = r->program;
    const struct program_function *f = &p->functions[r->function];
    r->entered = arena_array(arena, bool, (size_t)p->block_count);
    for (int i = 0; i < r->place_count; i++) {
        int32_t block = p->insns[r->places[i].pc].block;
        const struct flow_block *b = &p->blocks[block];
        if (r->places[i].from != PC_NONE || r->places[i].pc == b->first)
            r->entered[block] = true;
        for (int k = 0; k < b->successor_count; k++)
            r->entered[b->successors[k]] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++)
            for (int k = 0; r->entered[b] && k < p->blocks[b].successor_count; k++)
                if (!r->entered[p->blocks[b].successors[k]])
                    r->entered[p->blocks[b].successors[k]] = changed = true;
    }
}

/* Fills in r->leads: the blocks from whose end a path leads to a site without passing a beginning of the region. */
static void find_leading(struct predict_region *r, struct arena *arena)
{
    const struct program *p = r->program;
    const struct program_function *f = &p->functions[r->function];
    r->leads = arena_array(arena, bool, (size_t)p->block_count);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = f->first_block + f->block_count - 1; b >= f->first_block; b--)
            for (int k = 0; k < p->blocks[b].successor_count && !r->leads[b]; k++) {
                int32_t to = p->blocks[b].successors[k];
                r->leads[b] = leads_from(r, to, p->blocks[to].first) && !is_start(r, barrier_between(p, b, to));
                changed |= r->leads[b];
            }
    }
}

/* Whether a path leads from behind the instruction to a site. */
static bool leads_on(const struct predict_region *r, int32_t pc)
{
    return leads_from(r, r->program->insns[pc].block, pc + 1);
}

/* Whether a path leads from a beginning of the region to the PC. */
static bool is_reached(const struct predict_region *r, int32_t pc)
{
    int32_t block = r->program->insns[pc].block;
    for (int i = 0; i < r->place_count; i++)
        if (r->places[i].from == PC_NONE && r->places[i].pc <= pc && r->program->insns[r->places[i].pc].block == block)
            return true;
    return r->entered[block];
}

bool predict_is_between(const struct predict_region *r, int32_t pc)
{
    return is_reached(r, pc) && (leads_on(r, pc) || is_site(r, pc));
}

struct predict_region predict_region_create(const struct program *program, const struct prediction *prediction,
                                            struct arena *arena)
{
    struct predict_region r = {
        .program = program, .prediction = prediction, .function = program->insns[prediction->starts[0].pc].function};
    find_sites(&r, arena);
    find_places(&r, arena);
    find_entered(&r, arena);
    find_leading(&r, arena);
    return r;
}

/* ---- where the region ends ---- */

static bool has_between(const struct predict_region *r, int32_t block)
{
    const struct flow_block *b = &r->program->blocks[block];
    for (int32_t pc = b->first; pc <= b->last; pc++)
        if (predict_is_between(r, pc))
            return true;
    return false;
}

static bool post_dominates(const struct program *p, int32_t above, int32_t below)
{
    while (below >= 0 && below != above)
        below = p->blocks[below].post_dominator;
    return below == above;
}

int32_t predict_exit(const struct predict_region *r)
{
    const struct program *p = r->program;
    const struct program_function *f = &p->functions[r->function];
    int32_t exit = p->insns[r->sites[0]].block;
    for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++)
        while (exit >= 0 && p->blocks[b].reachable && has_between(r, b) &&
               (exit == b || has_between(r, exit) || !post_dominates(p, exit, b)))
            exit = p->blocks[exit].post_dominator;
    return exit < 0 ? PC_NONE : p->blocks[exit].first;
}

/* ---- legality ---- */

static bool is_collective(const struct insn *in)
{
    return in->class == CLASS_BARRIER || class_is_warp_level(in->class);
}

/* The first barrier or warp-level operation of a function or its callees, or PC_NONE. The function `except` is not
 * searched. */
static int32_t find_collective(const struct program *p, int32_t function, int32_t except, bool *seen)
{
    if (seen[function] || function == except)
        return PC_NONE;
    seen[function] = true;
    for (int32_t pc = p->functions[function].first; pc <= p->functions[function].last; pc++) {
        const struct insn *in = &p->insns[pc];
        if (is_collective(in))
            return pc;
        for (int k = 0; in->call >= 0 && k < p->calls[in->call].candidate_count; k++) {
            int32_t found = find_collective(p, p->calls[in->call].candidates[k], except, seen);
            if (found != PC_NONE)
                return found;
        }
    }
    return PC_NONE;
}

/* The first barrier or warp-level operation that the prediction would split, or PC_NONE. */
static int32_t find_split(const struct predict_region *r, struct arena *arena)
{
    const struct program *p = r->program;
    size_t functions = (size_t)p->function_count;
    bool *seen = arena_array(arena, bool, functions);
    for (int32_t pc = p->functions[r->function].first; pc <= p->functions[r->function].last; pc++) {
        const struct insn *in = &p->insns[pc];
        if (!p->blocks[in->block].reachable || !predict_is_between(r, pc))
            continue;
        if (is_collective(in) && (leads_on(r, pc) || !is_site(r, pc)))
            return pc;
        /* The function whose entry is the point runs behind the wait: it is split only if threads come to the point
         * again. */
        int32_t except = leads_on(r, pc) ? -1 : r->prediction->callee;
        for (int k = 0; in->call >= 0 && k < p->calls[in->call].candidate_count; k++) {
            memset(seen, 0, functions * sizeof *seen);
            int32_t found = find_collective(p, p->calls[in->call].candidates[k], except, seen);
            if (found != PC_NONE)
                return found;
        }
    }
    return PC_NONE;
}

/* Whether threads that joined may return from the region's function, not a kernel, by a guarded `ret` before they come
 * to the point. */
static bool returns_between(const struct predict_region *r)
{
    const struct program *p = r->program;
    const struct program_function *f = &p->functions[r->function];
    for (int32_t pc = f->first; pc <= f->last && r->function != 0; pc++)
        if (p->insns[pc].op == OP_RET && p->blocks[p->insns[pc].block].reachable && predict_is_between(r, pc))
            return true;
    return false;
}

static const char *refuse_split(const struct predict_region *r, int32_t pc, struct arena *arena)
{
    char where[256];
    const struct insn *in = &r->program->insns[pc];
    program_where(r->program, pc, where, sizeof where);
    return arena_printf(arena, "the prediction would split a %s between the region's beginning and the point (%s)",
                        in->class == CLASS_BARRIER ? "block barrier" : "warp-level operation", where);
}

const char *predict_refusal(const struct predict_region *r, struct arena *arena)
{
    const struct program *p = r->program;
    const struct prediction *d = r->prediction;
    bool comes = false;
    for (int i = 0; i < d->start_count; i++) {
        if (p->insns[d->starts[i].pc].function != r->function)
            return "the region begins in several functions";
        if (!p->blocks[block_of(p, d->starts[i])].reachable)
            return "the beginning of the region cannot be reached";
    }
    if (d->callee < 0 && p->insns[d->label].function != r->function)
        return "the point is in another function, and is not the function's entry";
    if (d->threshold != BARRIER_ADAPTIVE && (d->threshold < 0 || d->threshold > BARRIER_THRESHOLD_MAX))
        return "the threshold is not from 1 to 64 threads";
    for (int i = 0; i < r->site_count; i++)
        comes |= is_reached(r, r->sites[i]) && p->blocks[p->insns[r->sites[i]].block].reachable;
    if (!comes)
        return "the point cannot be reached from where the region begins";
    /* The barrier of such a prediction spans calls, so that threads do not leave the barrier when they return. */
    if (d->callee >= 0 && returns_between(r))
        return "threads may return from the function between the region's beginning and a call that leads to the point";
    int32_t split = find_split(r, arena);
    return split == PC_NONE ? NULL : refuse_split(r, split, arena);
}
