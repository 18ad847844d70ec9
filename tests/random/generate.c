/*
 * From a seed to a case: the plan, the launch, the buffers. The text comes from kernel.c.
 *
 * Why every program has one answer, whatever the order of its threads:
 *
 *   - A thread writes its own words of `out`, its own local memory, its own slot of shared memory: one writer
 *     for each word, for the whole launch. Functions write through pointers to such memory of their caller's.
 *   - Threads see each other's values at three places only: between the barriers of an exchange, in row
 *     operations, in bar.red. All stand in block-uniform code, or in code that is uniform for each of two
 * groups of rows (uniform.c, barrier.c and row.c say why each is ordered). Words that say who lives take an
 * `and`, then an `or`, and are then read, with barriers between (row.c).
 *   - The accumulators take one commutative integer operation a word, and nobody uses a result (atomics.h).
 *     The global ones are never read; the shared ones between two barriers around no atomic.
 *   - `in`, `tab`, the tables and textures are never written. A surface is read, stored to by one thread per texel, or
 *     takes one commutative operation (texture.h).
 *   - Every live variable, local array, shared slot and accumulator is initialised before the random code
 * starts, and every temporary in straight line before its use (gen.h).
 *   - No divisor is zero, no division overflows, no NaN becomes bits, no float operation may be contracted,
 * no branch index leaves its list, no address leaves its region, no shuffle names a thread that does not
 * exist.
 *
 * Why every program ends: all backward edges are counted down (control.c, tangle.c, uniform.c, barrier.c),
 * calls form no cycle but those with a falling depth (function.c), and nothing waits but at barriers, which
 * every thread that they wait for reaches or ends before. Barriers with a count wait for rows of which a
 * thread lives (barrier.c). The generator adds up a bound on the instructions a thread executes while it
 * writes; random_case_profile() reports it, and no program above RANDOM_DYNAMIC_LIMIT leaves this file.
 */
#include "generate.h"

#include <inttypes.h>
#include <string.h>

#include "atomics.h"
#include "kernel.h"
#include "texture.h"

static const char *const construct_names[] = {
#define CONSTRUCT(name, meaning) #name,
#include "constructs.def"
#undef CONSTRUCT
};

static const char *const construct_meanings[] = {
#define CONSTRUCT(name, meaning) meaning,
#include "constructs.def"
#undef CONSTRUCT
};

const char *random_construct_name(enum random_construct construct)
{
    return construct_names[construct];
}

const char *random_construct_meaning(enum random_construct construct)
{
    return construct_meanings[construct];
}

static void random_choose_block(struct gen *g, unsigned block[3])
{
    static const unsigned solid[][3] = {{8, 4, 1}, {5, 7, 1},  {16, 8, 1}, {3, 11, 1}, {4, 4, 2},   {3, 5, 2},
                                        {2, 3, 7}, {32, 2, 1}, {1, 40, 1}, {1, 1, 33}, {16, 16, 1}, {6, 5, 4}};
    static const unsigned whole[] = {32, 32, 64, 96, 128, 256};
    unsigned roll = rng_below(&g->rng, 100);
    block[0] = block[1] = block[2] = 1;
    if (roll < 35)
        block[0] = whole[rng_below(&g->rng, sizeof whole / sizeof whole[0])];
    else if (roll < 45)
        block[0] = 1 + rng_below(&g->rng, 31);
    else if (roll < 70)
        block[0] = 33 + rng_below(&g->rng, 100);
    else if (roll < 75)
        block[0] = 1 + rng_below(&g->rng, 256);
    else
        memcpy(block, solid[rng_below(&g->rng, sizeof solid / sizeof solid[0])], sizeof solid[0]);
}

static void random_choose_launch(struct gen *g, struct kernel_shape *shape)
{
    static const unsigned grids[][3] = {{1, 1, 1}, {1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {4, 1, 1}, {2, 2, 1}, {1, 3, 1}};
    struct plan *plan = &g->plan;
    random_choose_block(g, shape->block);
    memcpy(shape->grid, grids[rng_below(&g->rng, sizeof grids / sizeof grids[0])], sizeof grids[0]);
    shape->dynamic_shared = rng_chance(&g->rng, 50);
    plan->threads_per_block = shape->block[0] * shape->block[1] * shape->block[2];
    plan->blocks = shape->grid[0] * shape->grid[1] * shape->grid[2];
    plan->threads = plan->threads_per_block * plan->blocks;
    if (plan->threads_per_block % 32)
        gen_count(g, RANDOM_block_partial);
    if (shape->block[1] > 1 || shape->block[2] > 1)
        gen_count(g, RANDOM_block_solid);
    if (plan->blocks > 1)
        gen_count(g, RANDOM_grid_many);
}

static unsigned random_weight(struct gen *g, unsigned usual)
{
    static const unsigned factor[] = {0, 1, 2, 2, 3, 8};
    return usual * factor[rng_below(&g->rng, sizeof factor / sizeof factor[0])];
}

static void random_choose_style(struct gen *g)
{
    static const char *const prefixes[] = {"L", "$L__BB0_", "BB_", "$"};
    struct plan *plan = &g->plan;
    plan->label_prefix = prefixes[rng_below(&g->rng, sizeof prefixes / sizeof prefixes[0])];
    plan->control_percent = 22 + rng_below(&g->rng, 30);
    plan->memory_percent = 12 + rng_below(&g->rng, 20);
    plan->guard_percent = rng_below(&g->rng, 40);
    plan->weight_if = 5 + random_weight(g, 10);
    plan->weight_loop = random_weight(g, 10);
    plan->weight_switch = random_weight(g, 5);
    plan->weight_tangle = random_weight(g, 8);
    plan->weight_jump = random_weight(g, 10);
    plan->weight_call = rng_chance(&g->rng, 60) ? random_weight(g, 12) : 0;
    plan->interleaved = rng_chance(&g->rng, 30);
    plan->slots = MIN_SLOTS << rng_below(&g->rng, 3);
    plan->in_bytes = 256u << rng_below(&g->rng, 4);
    plan->tab_bytes = 64u << rng_below(&g->rng, 5);
}

/* Size first: small programs get few kinds of variables, or the prologue would outweigh them. */
static void random_choose_plan(struct gen *g)
{
    static const unsigned limits[] = {1000, 1500, 2500, 4000, 6000, 8000, 12000};
    struct plan *plan = &g->plan;
    struct scope *s = g->scope;
    unsigned roll = rng_below(&g->rng, 100);
    bool tiny = roll < 12;
    unsigned percent = tiny ? 4 : roll < 35 ? 30 : 55;
    if (tiny)
        g->static_left = 8 + (int)rng_below(&g->rng, 28);
    else if (roll < 35)
        g->static_left = 30 + (int)rng_below(&g->rng, 60);
    else if (roll < 80)
        g->static_left = 90 + (int)rng_below(&g->rng, 130);
    else
        g->static_left = 220 + (int)rng_below(&g->rng, 230);
    s->limit = limits[rng_below(&g->rng, sizeof limits / sizeof limits[0])];
    random_choose_style(g);
    if (tiny)
        plan->weight_call = 0;
    bool *const feature[] = {&plan->wide,   &plan->half,     &plan->float32, &plan->float64,
                             &plan->tab,    &plan->constant, &plan->global,  &plan->local,
                             &plan->shared, &plan->atomics,  &plan->row_ops, &plan->special};
    for (size_t i = 0; i < sizeof feature / sizeof feature[0]; i++)
        *feature[i] = rng_chance(&g->rng, percent);
    if (!tiny && rng_chance(&g->rng, 40))
        plan->shared = true; /* what barriers order shows in shared memory alone */
    plan->meets_often = rng_chance(&g->rng, 45);
    plan->keepers = rng_chance(&g->rng, 55);
    plan->thins = plan->row_ops && rng_chance(&g->rng, 50);
    plan->meets = plan->shared && rng_chance(&g->rng, 60);
    s->live[KIND_R] = tiny ? 3 : 3 + (int)rng_below(&g->rng, 5);
    s->live[KIND_P] = 2 + (tiny ? 0 : (int)rng_below(&g->rng, 3));
    s->live[KIND_D] = plan->wide ? 2 + (int)rng_below(&g->rng, 2) : 0;
    s->live[KIND_H] = plan->half ? 2 + (int)rng_below(&g->rng, 2) : 0;
    s->live[KIND_F] = plan->float32 ? 2 + (int)rng_below(&g->rng, 2) : 0;
    s->live[KIND_G] = plan->float64 ? 2 : 0;
    s->local_bytes = plan->local ? LOCAL_BYTES : 0;
}

static struct case_arg *random_add_arg(struct test_case *c, size_t bytes, bool is_buffer)
{
    struct case_arg *arg = &c->arg[c->arg_count++];
    *arg = (struct case_arg){.is_buffer = is_buffer, .bytes = bytes, .data = draft_allocate(bytes)};
    return arg;
}

/* Bytes are written one by one, lowest first, so that buffers are the same on every host. */
static void random_fill(struct gen *g, struct case_arg *arg)
{
    unsigned char *bytes = arg->data;
    uint32_t word = 0;
    for (size_t i = 0; i < arg->bytes; i++) {
        if (i % 4 == 0)
            word = rng_word(&g->rng);
        bytes[i] = (unsigned char)(word >> (8 * (i % 4)));
    }
}

static void random_add_args(struct gen *g, struct test_case *c)
{
    random_fill(g, random_add_arg(c, g->plan.in_bytes, true));
    struct case_arg *out = random_add_arg(c, (size_t)g->plan.threads * g->plan.slots * 4, true);
    out->is_output = true;
    memset(out->data, 0xa5, out->bytes); /* so that a store that is missing shows */
    if (g->plan.tab)
        random_fill(g, random_add_arg(c, g->plan.tab_bytes, true));
    if (g->plan.atomics) {
        struct case_arg *acc = random_add_arg(c, atomic_buffer_bytes(), true);
        acc->is_output = true;
        random_fill(g, acc);
    }
    random_fill(g, random_add_arg(c, 4, false));
    random_fill(g, random_add_arg(c, 8, false));
}

static char *random_copy(const char *s)
{
    size_t bytes = strlen(s) + 1;
    return memcpy(draft_allocate(bytes), s, bytes);
}

static struct test_case *random_attempt(uint64_t seed, uint64_t attempt, struct random_profile *profile)
{
    struct gen g = {.profile = profile, .labels = 1};
    struct scope kernel = {.times = 1};
    struct kernel_shape shape;
    struct test_case *c = draft_allocate(sizeof *c);
    struct draft name = {0}, ptx = {0};

    memset(profile, 0, sizeof *profile);
    rng_seed(&g.rng, seed ^ attempt << 56);
    g.scope = &kernel;
    random_choose_plan(&g);
    random_choose_launch(&g, &shape);
    texture_choose(&g);
    if (g.plan.shared && shape.dynamic_shared)
        gen_count(&g, RANDOM_shared_dynamic);

    draft_add(&name, "random-%" PRIu64, seed);
    draft_add(&ptx, "// %s\n.version 8.6\n.target sm_90\n.address_size 64\n\n", name.s);
    kernel_write(&g, &shape, &ptx);
    profile->dynamic_bound = kernel.spent;

    c->name = name.s;
    c->ptx = ptx.s;
    c->kernel = random_copy("k");
    memcpy(c->grid, shape.grid, sizeof c->grid);
    memcpy(c->block, shape.block, sizeof c->block);
    c->shared_bytes = g.plan.shared && shape.dynamic_shared ? g.plan.threads_per_block * SLOT_BYTES : 0;
    random_add_args(&g, c);
    texture_add_args(&g, c);
    return c;
}

/* Budgets steer towards the limit but statements overshoot them; one program in 100,000 is made again. */
struct test_case *random_case_profile(uint64_t seed, struct random_profile *profile)
{
    for (uint64_t attempt = 0;; attempt++) {
        struct test_case *c = random_attempt(seed, attempt, profile);
        if (profile->dynamic_bound <= RANDOM_DYNAMIC_LIMIT)
            return c;
        case_destroy(c);
    }
}

struct test_case *random_case(uint64_t seed)
{
    struct random_profile profile;
    return random_case_profile(seed, &profile);
}
