/*
 * Loads and stores. Everything a thread writes here is its own: its words of `out`, its local arrays, its
 * slot of shared memory, or memory behind a pointer that its own caller passed. Everything shared that it
 * reads here is never written by the program. All of it was initialised by the host or at the top of the
 * function, and every index is masked to its region.
 */
#include "atomics.h"
#include "gen.h"
#include "texture.h"

enum region {
    REGION_IN,
    REGION_TAB,
    REGION_CONST,
    REGION_GLOBAL,
    REGION_LOCAL,
    REGION_OUT,
    REGION_SHARED,
    REGION_POINTER,
    REGIONS
};

struct access {
    const char *type;
    enum kind kind;
    unsigned elements, bytes; /* bytes: of all elements */
};

static const struct access accesses[] = {
    {"u32", KIND_R, 1, 4},    {"b32", KIND_R, 1, 4},    {"s32", KIND_R, 1, 4},     {"u8", KIND_R, 1, 1},
    {"s8", KIND_R, 1, 1},     {"u16", KIND_H, 1, 2},    {"s16", KIND_R, 1, 2},     {"u16", KIND_R, 1, 2},
    {"u64", KIND_D, 1, 8},    {"s32", KIND_D, 1, 4},    {"b64", KIND_D, 1, 8},     {"f32", KIND_F, 1, 4},
    {"f64", KIND_G, 1, 8},    {"v2.u32", KIND_R, 2, 8}, {"v4.u32", KIND_R, 4, 16}, {"v2.u64", KIND_D, 2, 16},
    {"v2.f32", KIND_F, 2, 8}, {"v2.u16", KIND_H, 2, 4}, {"v4.u8", KIND_R, 4, 4},   {"v2.f64", KIND_G, 2, 16},
};

struct place {
    struct name address;
    const char *space; /* "" when generic */
};

static unsigned ldst_region_bytes(const struct gen *g, enum region region)
{
    switch (region) {
    case REGION_IN:
        return g->plan.in_bytes;
    case REGION_TAB:
        return g->plan.tab_bytes;
    case REGION_LOCAL:
        return (unsigned)g->scope->local_bytes;
    case REGION_OUT:
        return g->plan.slots * 4;
    case REGION_SHARED:
        return SLOT_BYTES;
    case REGION_POINTER:
        return POINTER_BYTES;
    default:
        return TABLE_BYTES;
    }
}

static bool ldst_region_here(const struct gen *g, enum region region)
{
    const struct function *f = g->scope->function;
    switch (region) {
    case REGION_IN:
    case REGION_OUT:
        return !f;
    case REGION_TAB:
        return !f && g->plan.tab;
    case REGION_SHARED:
        return !f && g->plan.shared;
    case REGION_CONST:
        return g->plan.constant;
    case REGION_GLOBAL:
        return g->plan.global;
    case REGION_LOCAL:
        return g->scope->local_bytes > 0;
    case REGION_POINTER:
        return f && f->pointer;
    default:
        return false;
    }
}

/* The widest access: interleaved output words have no neighbours. */
static unsigned ldst_region_widest(const struct gen *g, enum region region)
{
    if (region == REGION_OUT && g->plan.interleaved)
        return 4;
    return region == REGION_SHARED ? SLOT_BYTES : 16;
}

static bool ldst_fits(const struct gen *g, const struct access *a, unsigned widest)
{
    return a->bytes <= widest && g->scope->live[a->kind] >= (int)a->elements;
}

static const struct access *ldst_pick_access(struct gen *g, unsigned widest)
{
    const struct access *a;
    do {
        a = &accesses[rng_below(&g->rng, sizeof accesses / sizeof accesses[0])];
    } while (!ldst_fits(g, a, widest));
    if (a->elements > 1)
        gen_count(g, RANDOM_vector_access);
    if (a->bytes / a->elements < 4)
        gen_count(g, RANDOM_narrow_access);
    return a;
}

static struct name ldst_symbol(enum region region)
{
    static const char *const symbols[REGIONS] = {
        [REGION_IN] = "%pin",   [REGION_TAB] = "%ptab", [REGION_CONST] = "ctab",   [REGION_GLOBAL] = "gtab",
        [REGION_LOCAL] = "loc", [REGION_OUT] = "%pout", [REGION_SHARED] = "%sown", [REGION_POINTER] = "%ptr",
    };
    return name_format("%s", symbols[region]);
}

/* base plus a data-dependent offset; `stride` is the distance of two neighbours */
static struct name ldst_dynamic(struct gen *g, enum region region, unsigned mask, unsigned stride)
{
    struct name base = ldst_symbol(region);
    struct name index = gen_temporary(g, KIND_R);
    struct name wide = gen_temporary(g, KIND_D);
    struct name sum = gen_temporary(g, KIND_D);
    struct name v = gen_word(g);
    gen_count(g, RANDOM_dynamic_index);
    gen_op(g, "and.b32 %s, %s, %u", index.s, v.s, mask);
    if (stride == 1)
        gen_op(g, "cvt.u64.u32 %s, %s", wide.s, index.s);
    else
        gen_op(g, "mul.wide.u32 %s, %s, %u", wide.s, index.s, stride);
    if (base.s[0] != '%') {
        struct name symbol = base;
        base = gen_temporary(g, KIND_D);
        gen_op(g, "mov.u64 %s, %s", base.s, symbol.s);
    }
    gen_op(g, "add.s64 %s, %s, %s", sum.s, base.s, wide.s);
    return sum;
}

static void ldst_make_generic(struct gen *g, struct place *place)
{
    struct name flat = gen_temporary(g, KIND_D);
    gen_op(g, "cvta.%s.u64 %s, %s", place->space, flat.s, place->address.s);
    place->address = flat;
    place->space = "";
    gen_count(g, RANDOM_generic);
}

static struct place ldst_place(struct gen *g, enum region region, unsigned bytes, unsigned lowest)
{
    static const char *const spaces[REGIONS] = {
        [REGION_IN] = "global",   [REGION_TAB] = "global", [REGION_CONST] = "const",   [REGION_GLOBAL] = "global",
        [REGION_LOCAL] = "local", [REGION_OUT] = "global", [REGION_SHARED] = "shared", [REGION_POINTER] = "",
    };
    struct place place = {.space = spaces[region]};
    unsigned size = ldst_region_bytes(g, region);
    struct name base = ldst_symbol(region);
    bool dynamic = region != REGION_SHARED && rng_chance(&g->rng, 50);
    if (region == REGION_OUT && g->plan.interleaved) {
        unsigned stride = 4 * g->plan.threads;
        if (dynamic)
            place.address = ldst_dynamic(g, region, g->plan.slots - 1, stride);
        else
            place.address = name_format("%s+%u", base.s, rng_below(&g->rng, g->plan.slots) * stride);
        return place;
    }
    if (dynamic) {
        place.address = ldst_dynamic(g, region, (size - 1) & ~(bytes - 1), 1);
        if (place.space[0] && rng_chance(&g->rng, 25))
            ldst_make_generic(g, &place);
    } else {
        unsigned offset = lowest + rng_below(&g->rng, (size - lowest) / bytes) * bytes;
        place.address = name_format("%s+%u", base.s, offset);
    }
    return place;
}

/* The operand of `elements` registers that start anywhere in the live ones of a kind. */
static struct name ldst_registers(struct gen *g, const struct access *a, bool clean)
{
    int first = (int)rng_below(&g->rng, (unsigned)g->scope->live[a->kind]);
    struct name part[4];
    for (unsigned i = 0; i < a->elements; i++) {
        part[i] = gen_live(a->kind, (first + (int)i) % g->scope->live[a->kind]);
        if (clean && (a->kind == KIND_F || a->kind == KIND_G))
            part[i] = expr_clean(g, a->kind, part[i].s);
    }
    if (a->elements == 1)
        return part[0];
    if (a->elements == 2)
        return name_format("{%.12s, %.12s}", part[0].s, part[1].s);
    return name_format("{%.5s, %.5s, %.5s, %.5s}", part[0].s, part[1].s, part[2].s, part[3].s);
}

/* Memory that is taken at run time, written, read, and given back: the program may be in a loop. */
static void ldst_stack(struct gen *g)
{
    struct name top = gen_temporary(g, KIND_D), first = gen_temporary(g, KIND_D), second = gen_temporary(g, KIND_D);
    struct name size = gen_temporary(g, KIND_D), t = gen_temporary(g, KIND_R), v = gen_source(g, KIND_R);
    struct name w = gen_source(g, KIND_R), dest = gen_dest(g, KIND_R);
    unsigned bytes = 8 * (1 + rng_below(&g->rng, 6)), last = bytes - 4;
    gen_count(g, RANDOM_stack);
    gen_op(g, "and.b32 %s, %s, 56", t.s, v.s);
    gen_op(g, "cvt.u64.u32 %s, %s", size.s, t.s);
    gen_op(g, "stacksave.u64 %s", top.s);
    gen_op(g, "alloca.u64 %s, %u%s", first.s, bytes, rng_chance(&g->rng, 50) ? ", 32" : "");
    gen_op(g, "add.u64 %s, %s, 4", size.s, size.s);
    gen_op(g, "alloca.u64 %s, %s", second.s, size.s);
    gen_op(g, "st.local.u32 [%s], %s", second.s, w.s);
    gen_op(g, "st.local.u32 [%s+%u], %s", first.s, last, v.s);
    gen_op(g, "ld.local.u32 %s, [%s]", t.s, second.s);
    if (rng_chance(&g->rng, 50)) /* gives the second piece back, and leaves the first one */
        gen_op(g, "stackrestore.u64 %s", second.s);
    gen_op(g, "ld.local.u32 %s, [%s+%u]", dest.s, first.s, last);
    gen_op(g, "mad.lo.u32 %s, %s, 3, %s", dest.s, dest.s, t.s);
    gen_op(g, "stackrestore.u64 %s", top.s);
}

/* A cache policy in a register, or "". Only accesses to global memory take one. */
static struct name ldst_policy(struct gen *g, const struct place *place)
{
    static const char *const policies[] = {
        "fractional.L2::evict_last.b64 %s", "fractional.L2::evict_first.L2::evict_unchanged.b64 %s, 0.4",
        "fractional.L2::evict_normal.b64 %s, 1.0", "cvt.L2.b64 %s, 0x12f0000000000000"};
    if (place->space[0] != 'g' || !rng_chance(&g->rng, 8))
        return name_format("%s", "");
    struct name policy = gen_temporary(g, KIND_D);
    struct draft line = {0};
    gen_count(g, RANDOM_cache_hint);
    draft_add(&line, policies[rng_below(&g->rng, sizeof policies / sizeof policies[0])], policy.s);
    gen_op(g, "createpolicy.%s", line.s);
    draft_clear(&line);
    return policy;
}

static void ldst_load(struct gen *g)
{
    static const enum random_construct counted[REGIONS] = {
        [REGION_IN] = RANDOM_load_in,         [REGION_TAB] = RANDOM_load_tab,     [REGION_CONST] = RANDOM_load_const,
        [REGION_GLOBAL] = RANDOM_load_global, [REGION_LOCAL] = RANDOM_local_load, [REGION_OUT] = RANDOM_load_own,
        [REGION_SHARED] = RANDOM_shared_own,  [REGION_POINTER] = RANDOM_pointer,
    };
    static const char *const caching[] = {"", "", ".nc", ".ca", ".cg", ".cs"};
    enum region region = REGION_IN;
    bool found = false;
    for (int tries = 0; tries < 20 && !found; tries++) {
        region = (enum region)rng_below(&g->rng, REGIONS);
        found = ldst_region_here(g, region);
    }
    if (!found) {
        expr_mark(g);
        return;
    }
    gen_count(g, counted[region]);
    const struct access *a = ldst_pick_access(g, ldst_region_widest(g, region));
    struct place place = ldst_place(g, region, a->bytes, 0);
    struct name dest = ldst_registers(g, a, false);
    struct name guard = gen_guard(g);
    unsigned hint = rng_below(&g->rng, sizeof caching / sizeof caching[0]);
    bool read_only = (region == REGION_IN || region == REGION_TAB) && place.space[0];
    const char *dot = place.space[0] ? "." : "";
    struct name policy = ldst_policy(g, &place);
    gen_op(g, "%sld%s%s%s%s.%s %s, [%s]%s%s", guard.s, dot, place.space, read_only ? caching[hint] : "",
           policy.s[0] ? ".L2::cache_hint" : "", a->type, dest.s, place.address.s, policy.s[0] ? ", " : "", policy.s);
}

static void ldst_store_to(struct gen *g, enum region region)
{
    unsigned widest = ldst_region_widest(g, region);
    unsigned lowest = 0;
    if (region == REGION_SHARED && g->scope->exits) {
        /* a thread that may end must leave its exchange word as the last barrier saw it */
        lowest = SLOT_BYTES / 2;
        widest = SLOT_BYTES / 2;
    }
    const struct access *a = ldst_pick_access(g, widest);
    struct name value = ldst_registers(g, a, true);
    struct place place = ldst_place(g, region, a->bytes, lowest);
    struct name guard = gen_guard(g);
    struct name policy = ldst_policy(g, &place);
    gen_op(g, "%sst%s%s%s.%s [%s], %s%s%s", guard.s, place.space[0] ? "." : "", place.space,
           policy.s[0] ? ".L2::cache_hint" : "", a->type, place.address.s, value.s, policy.s[0] ? ", " : "", policy.s);
}

void ldst_store(struct gen *g)
{
    static const struct {
        enum region region;
        enum random_construct construct;
        unsigned percent;
    } order[] = {
        {REGION_LOCAL, RANDOM_local_store, 30},  {REGION_SHARED, RANDOM_shared_own, 25},
        {REGION_POINTER, RANDOM_pointer, 100},   {REGION_OUT, RANDOM_store_out, 100},
        {REGION_LOCAL, RANDOM_local_store, 100},
    };
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        bool taken = rng_chance(&g->rng, order[i].percent);
        if (taken && ldst_region_here(g, order[i].region)) {
            gen_count(g, order[i].construct);
            ldst_store_to(g, order[i].region);
            return;
        }
    }
    expr_mark(g);
}

/* Copies 4 or 8 bytes of a buffer to the thread's own shared slot, some of them or none, and waits. */
static void ldst_copy(struct gen *g)
{
    enum region from = rng_chance(&g->rng, 50) ? REGION_IN : REGION_TAB;
    unsigned lowest = g->scope->exits ? SLOT_BYTES / 2 : 0, bytes = rng_chance(&g->rng, 50) ? 4 : 8;
    unsigned widest = g->scope->exits ? SLOT_BYTES / 2 : ldst_region_widest(g, REGION_SHARED);
    static const char *const waits[] = {"cp.async.wait_all", "cp.async.commit_group;\n    cp.async.wait_group 0"};
    if (!ldst_region_here(g, REGION_SHARED) || !ldst_region_here(g, from) || bytes > widest) {
        expr_mark(g);
        return;
    }
    struct place source = ldst_place(g, from, bytes, 0), target = ldst_place(g, REGION_SHARED, bytes, lowest);
    if (!target.space[0]) { /* a generic address: copies take an address in shared memory */
        expr_mark(g);
        return;
    }
    struct name guard = gen_guard(g);
    gen_count(g, RANDOM_copy_async);
    if (rng_chance(&g->rng, 60))
        gen_op(g, "%scp.async.ca.shared.global [%s], [%s], %u", guard.s, target.address.s, source.address.s, bytes);
    else
        gen_op(g, "%scp.async.ca.shared.global [%s], [%s], %u, %u", guard.s, target.address.s, source.address.s, bytes,
               rng_below(&g->rng, bytes + 1));
    gen_op(g, "%s", waits[rng_below(&g->rng, 2)]);
}

void ldst_fill_local(struct gen *g)
{
    for (int offset = 0; offset < g->scope->local_bytes; offset += 16) {
        struct name v = gen_source(g, KIND_R);
        gen_op(g, "st.local.v4.u32 [loc+%d], {%%lin, %s, %%gid, %%lin}", offset, v.s);
    }
}

void ldst_statement(struct gen *g)
{
    unsigned roll = rng_below(&g->rng, 100);
    if (g->textures && !g->scope->function && rng_chance(&g->rng, 45)) {
        texture_statement(g);
    } else if (roll < 6) {
        ldst_copy(g);
    } else if (roll < 45) {
        ldst_store(g);
    } else if (roll < 62 && g->plan.atomics && !g->scope->function) {
        atomic_statement(g);
    } else if (roll < 64) {
        ldst_stack(g);
    } else if (roll < 65) {
        static const char *const fences[] = {"membar.cta", "membar.gl", "fence.acq_rel.cta", "fence.sc.gpu"};
        gen_count(g, RANDOM_fence);
        gen_op(g, "%s", fences[rng_below(&g->rng, 4)]);
    } else {
        ldst_load(g);
    }
}
