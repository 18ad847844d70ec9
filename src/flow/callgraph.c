/*
 * The call graph: which calls can re-enter the function they stand in, where each function's planes start,
 * what recursive calls save, and what a thread needs in registers and stack.
 *
 * Planes of a function start above those of every function that can be waiting for it. Functions that call
 * each other in a circle share planes, and each call within the circle saves what its own function still
 * needs; so do calls of a function by itself. A call through a pointer counts as a call of each candidate.
 */
#include "base/vec.h"
#include "flow/analysis.h"

struct circle {                                             /* a strongly connected component of the call graph */
    int first_plane[WIDTH_COUNT], plane_count[WIDTH_COUNT]; /* counted within the width */
    int need_registers;                                     /* by the deepest chain of calls from here */
    uint32_t frame_bytes, need_stack_bytes;
    bool recursive;
};

struct resolver {
    struct program *program;
    const struct analysis *analysis; /* of the function at hand */
    const struct program_function *function;
    int32_t *circle_of; /* by function; a caller's number is higher than its callee's, or the same */
    struct circle *circles;
    int circle_count;
    int *across; /* by call: machine registers alive across it */
};

static void find_circles(struct resolver *r, struct arena *scratch)
{
    struct program *p = r->program;
    int edge_count = 0;
    for (int i = 0; i < p->call_count; i++)
        edge_count += p->calls[i].candidate_count;
    struct graph_edge *edges = arena_array(scratch, struct graph_edge, (size_t)edge_count);
    struct graph_edge *edge = edges;
    for (int i = 0; i < p->call_count; i++)
        for (int k = 0; k < p->calls[i].candidate_count; k++)
            *edge++ = (struct graph_edge){p->insns[p->calls[i].pc].function, p->calls[i].candidates[k]};
    struct graph g = graph_create(scratch, p->function_count, edges, edge_count);
    r->circle_of = arena_array(scratch, int32_t, (size_t)p->function_count);
    r->circle_count = graph_components(scratch, &g, r->circle_of);
    r->circles = arena_array(scratch, struct circle, (size_t)r->circle_count);
    for (int i = 0; i < edge_count; i++)
        if (r->circle_of[edges[i].from] == r->circle_of[edges[i].to])
            r->circles[r->circle_of[edges[i].from]].recursive = true;
}

static uint32_t add_bytes(uint32_t a, uint32_t b)
{
    return a > LAYOUT_LIMIT - b ? LAYOUT_LIMIT : a + b;
}

static int circle_of_caller(const struct resolver *r, const struct call *c)
{
    return r->circle_of[r->program->insns[c->pc].function];
}

/* Calls sorted by the circle that they stand in, highest first, so that a circle is done before its callees.
 */
static struct call **sort_calls(const struct resolver *r, struct arena *scratch)
{
    struct program *p = r->program;
    int32_t *place = arena_array(scratch, int32_t, (size_t)r->circle_count + 1);
    struct call **sorted = arena_array(scratch, struct call *, (size_t)p->call_count);
    for (int i = 0; i < p->call_count; i++)
        place[r->circle_count - circle_of_caller(r, &p->calls[i])]++;
    for (int c = 0; c < r->circle_count; c++)
        place[c + 1] += place[c];
    for (int i = 0; i < p->call_count; i++)
        sorted[place[r->circle_count - circle_of_caller(r, &p->calls[i]) - 1]++] = &p->calls[i];
    return sorted;
}

static void place_callees(struct resolver *r, struct call *call)
{
    struct circle *caller = &r->circles[circle_of_caller(r, call)];
    for (int k = 0; k < call->candidate_count; k++) {
        struct circle *callee = &r->circles[r->circle_of[call->candidates[k]]];
        call->recursive |= caller == callee;
        for (int w = 0; w < WIDTH_COUNT && caller != callee; w++)
            if (callee->first_plane[w] < caller->first_plane[w] + caller->plane_count[w])
                callee->first_plane[w] = caller->first_plane[w] + caller->plane_count[w];
    }
}

static void place_planes(struct resolver *r, struct call **sorted, int sreg_planes)
{
    struct program *p = r->program;
    for (int i = 0; i < p->function_count; i++) {
        struct circle *c = &r->circles[r->circle_of[i]];
        for (int w = 0; w < WIDTH_COUNT; w++)
            if (p->functions[i].plane_count[w] > c->plane_count[w])
                c->plane_count[w] = p->functions[i].plane_count[w];
        c->frame_bytes = add_bytes(c->frame_bytes, p->functions[i].frame_bytes);
    }
    for (int i = 0; i < p->call_count; i++)
        place_callees(r, sorted[i]);
    /* The widths stand one after the other, so that no plane ever serves two of them. */
    p->plane_count = sreg_planes;
    for (int w = 0; w < WIDTH_COUNT; w++) {
        int base = p->plane_count;
        for (int i = 0; i < p->function_count; i++) {
            struct program_function *f = &p->functions[i];
            f->first_plane[w] = base + r->circles[r->circle_of[i]].first_plane[w];
            if (f->first_plane[w] + f->plane_count[w] > p->plane_count)
                p->plane_count = f->first_plane[w] + f->plane_count[w];
        }
    }
    for (int i = 0; i < p->function_count; i++) {
        struct program_function *f = &p->functions[i];
        f->recursive = r->circles[r->circle_of[i]].recursive;
        p->has_recursion |= f->recursive;
    }
}

static void see_call(struct liveness_walker *w, int call, const uint64_t *alive, int machine_registers)
{
    struct resolver *r = w->data;
    const struct liveness *l = &r->analysis->live;
    struct call *c = &r->program->calls[call];
    r->across[call] = machine_registers;
    if (!c->recursive)
        return;
    struct vec_of(struct call_save) save = {0};
    for (int k = 0; k < l->words; k++)
        for (uint64_t bits = alive[k]; bits; bits &= bits - 1) {
            int32_t reg = l->reg[k * 64 + __builtin_ctzll(bits)];
            int32_t plane = analysis_plane(r->analysis, r->function, reg);
            uint8_t width = r->analysis->register_bits[reg];
            vec_push(&save, (struct call_save){plane, width > 64 ? 64 : width});
            if (width > 64)
                vec_push(&save, (struct call_save){plane + 2, 64});
        }
    vec_into_arena(&save, &r->program->arena, c->save, c->save_count);
}

static void count_call(struct resolver *r, const struct call *call)
{
    struct circle *caller = &r->circles[circle_of_caller(r, call)];
    for (int k = 0; k < call->candidate_count; k++) {
        const struct circle *callee = &r->circles[r->circle_of[call->candidates[k]]];
        int registers = r->across[call - r->program->calls] + callee->need_registers;
        uint32_t stack = add_bytes(caller->frame_bytes, callee->need_stack_bytes);
        if (caller == callee)
            continue;
        if (registers > caller->need_registers)
            caller->need_registers = registers;
        if (stack > caller->need_stack_bytes)
            caller->need_stack_bytes = stack;
    }
}

static void count_needs(struct resolver *r, struct call **sorted)
{
    struct program *p = r->program;
    for (int i = 0; i < p->function_count; i++) {
        struct circle *c = &r->circles[r->circle_of[i]];
        if (p->functions[i].live_registers > c->need_registers)
            c->need_registers = p->functions[i].live_registers;
    }
    for (int c = 0; c < r->circle_count; c++)
        r->circles[c].need_stack_bytes = r->circles[c].frame_bytes;
    for (int i = p->call_count - 1; i >= 0; i--)
        count_call(r, sorted[i]);
    const struct circle *kernel = &r->circles[r->circle_of[0]];
    p->register_count = kernel->need_registers > 1 ? kernel->need_registers : 1;
    p->stack_bytes = kernel->need_stack_bytes;
}

void callgraph_resolve(struct program *p, const struct analysis *functions, struct arena *scratch)
{
    int sreg_planes = p->plane_count;
    struct resolver r = {.program = p, .across = arena_array(scratch, int, (size_t)p->call_count)};
    find_circles(&r, scratch);
    struct call **sorted = sort_calls(&r, scratch);
    place_planes(&r, sorted, sreg_planes);
    for (int i = 0; i < p->function_count; i++) {
        struct liveness_walker walker = {.at_call = see_call, .data = &r};
        r.function = &p->functions[i];
        r.analysis = &functions[i];
        p->functions[i].live_registers = liveness_walk(p, i, &functions[i], &walker, scratch);
    }
    count_needs(&r, sorted);
}
