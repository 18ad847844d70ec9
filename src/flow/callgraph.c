/*
 * The call graph: which calls can re-enter the function they stand in, where each function's planes start, which planes
 * recursive calls save, and how many registers and bytes of stack a thread needs.
 *
 * Planes of a function start above those of every function that can be waiting for it to return. Functions that call
 * each other in a cycle share planes, and each call within the cycle saves what its own function still needs; likewise
 * calls of a function by itself. A call through a pointer counts as a call of each candidate.
 */
#include "base/vec.h"
#include "flow/analysis.h"

/* A strongly connected component of the call graph: functions that call each other, or one function. */
struct call_cycle {
    int first_plane[WIDTH_COUNT], plane_count[WIDTH_COUNT]; /* counted among planes of that width */
    int need_registers;        /* 32-bit registers of the deepest chain of calls from here */
    uint32_t frame_bytes;      /* all frames of the component together */
    uint32_t need_stack_bytes; /* stack of the deepest chain of calls from here */
    bool recursive;            /* a function of the component can call itself, perhaps through others */
};

struct call_resolver {
    struct program *program;
    const struct analysis *analysis;         /* of the function that is walked now */
    const struct program_function *function; /* that is walked now */
    int32_t *cycle_of; /* by function: component; a caller's is higher than its callee's, or the same */
    struct call_cycle *cycles;
    int cycle_count;
    int *across; /* by call: 32-bit machine registers that are live across the call */
};

static void find_cycles(struct call_resolver *r, struct arena *scratch)
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
    r->cycle_of = arena_array(scratch, int32_t, (size_t)p->function_count);
    r->cycle_count = graph_components(scratch, &g, r->cycle_of);
    r->cycles = arena_array(scratch, struct call_cycle, (size_t)r->cycle_count);
    for (int i = 0; i < edge_count; i++)
        if (r->cycle_of[edges[i].from] == r->cycle_of[edges[i].to])
            r->cycles[r->cycle_of[edges[i].from]].recursive = true;
}

static uint32_t add_bytes(uint32_t a, uint32_t b)
{
    return a > LAYOUT_LIMIT - b ? LAYOUT_LIMIT : a + b;
}

static int cycle_of_caller(const struct call_resolver *r, const struct call *c)
{
    return r->cycle_of[r->program->insns[c->pc].function];
}

/* Calls sorted by the component of their caller, highest first, so that a component comes before its callees. */
static struct call **sort_calls(const struct call_resolver *r, struct arena *scratch)
{
    struct program *p = r->program;
    int32_t *place = arena_array(scratch, int32_t, (size_t)r->cycle_count + 1);
    struct call **sorted = arena_array(scratch, struct call *, (size_t)p->call_count);
    for (int i = 0; i < p->call_count; i++)
        place[r->cycle_count - cycle_of_caller(r, &p->calls[i])]++;
    for (int c = 0; c < r->cycle_count; c++)
        place[c + 1] += place[c];
    for (int i = 0; i < p->call_count; i++)
        sorted[place[r->cycle_count - cycle_of_caller(r, &p->calls[i]) - 1]++] = &p->calls[i];
    return sorted;
}

/* Moves the planes of the callees above those of the caller; a call within one component is recursive instead. */
static void place_callees(struct call_resolver *r, struct call *call)
{
    struct call_cycle *caller = &r->cycles[cycle_of_caller(r, call)];
    for (int k = 0; k < call->candidate_count; k++) {
        struct call_cycle *callee = &r->cycles[r->cycle_of[call->candidates[k]]];
        call->recursive |= caller == callee;
        for (int w = 0; w < WIDTH_COUNT && caller != callee; w++)
            if (callee->first_plane[w] < caller->first_plane[w] + caller->plane_count[w])
                callee->first_plane[w] = caller->first_plane[w] + caller->plane_count[w];
    }
}

/* Gives each function its first plane of each width. `sorted`: callers before callees. */
static void place_planes(struct call_resolver *r, struct call **sorted, int sreg_planes)
{
    struct program *p = r->program;
    for (int i = 0; i < p->function_count; i++) {
        struct call_cycle *c = &r->cycles[r->cycle_of[i]];
        for (int w = 0; w < WIDTH_COUNT; w++)
            if (p->functions[i].plane_count[w] > c->plane_count[w])
                c->plane_count[w] = p->functions[i].plane_count[w];
        c->frame_bytes = add_bytes(c->frame_bytes, p->functions[i].frame_bytes);
    }
    for (int i = 0; i < p->call_count; i++)
        place_callees(r, sorted[i]);
    /* All planes of one width come before those of the next, so that no plane ever serves two widths. */
    p->plane_count = sreg_planes;
    for (int w = 0; w < WIDTH_COUNT; w++) {
        int base = p->plane_count;
        for (int i = 0; i < p->function_count; i++) {
            struct program_function *f = &p->functions[i];
            f->first_plane[w] = base + r->cycles[r->cycle_of[i]].first_plane[w];
            if (f->first_plane[w] + f->plane_count[w] > p->plane_count)
                p->plane_count = f->first_plane[w] + f->plane_count[w];
        }
    }
    for (int i = 0; i < p->function_count; i++) {
        struct program_function *f = &p->functions[i];
        f->recursive = r->cycles[r->cycle_of[i]].recursive;
        p->has_recursion |= f->recursive;
    }
}

/* Called by liveness_walk(): notes the registers that are live across the call, and lists those that a recursive call
 * must save. */
static void see_call(struct liveness_walker *w, int call, const uint64_t *alive, int machine_registers)
{
    struct call_resolver *r = w->data;
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
            vec_push(&save, (struct call_save){plane, width});
        }
    vec_into_arena(&save, &r->program->arena, c->save, c->save_count);
}

static void count_call(struct call_resolver *r, const struct call *call)
{
    struct call_cycle *caller = &r->cycles[cycle_of_caller(r, call)];
    for (int k = 0; k < call->candidate_count; k++) {
        const struct call_cycle *callee = &r->cycles[r->cycle_of[call->candidates[k]]];
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

static void count_needs(struct call_resolver *r, struct call **sorted)
{
    struct program *p = r->program;
    for (int i = 0; i < p->function_count; i++) {
        struct call_cycle *c = &r->cycles[r->cycle_of[i]];
        if (p->functions[i].live_registers > c->need_registers)
            c->need_registers = p->functions[i].live_registers;
    }
    for (int c = 0; c < r->cycle_count; c++)
        r->cycles[c].need_stack_bytes = r->cycles[c].frame_bytes;
    for (int i = p->call_count - 1; i >= 0; i--)
        count_call(r, sorted[i]);
    const struct call_cycle *kernel = &r->cycles[r->cycle_of[0]];
    p->register_count = kernel->need_registers > 1 ? kernel->need_registers : 1;
    p->stack_bytes = kernel->need_stack_bytes;
}

void callgraph_resolve(struct program *p, const struct analysis *functions, struct arena *scratch)
{
    int sreg_planes = p->plane_count;
    struct call_resolver r = {.program = p, .across = arena_array(scratch, int, (size_t)p->call_count)};
    find_cycles(&r, scratch);
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
