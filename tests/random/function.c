/*
 * Device functions and calls.
 *
 * Termination: a function calls only functions written before it, except for recursion; a recursive call sits
 * outside all loops, runs only if the depth argument is not zero, and passes on the depth less one. Callers
 * pass a depth of at most `max_depth`. `cost` bounds the instructions of a call, all activations together.
 *
 * Races: a function touches read-only tables, its own local array, and what its caller's pointer names, which
 * is memory of the calling thread alone.
 */
#include "gen.h"

/* How a call reaches its callee. */
struct call {
    const struct function *callee;
    const char *depth;   /* first argument of a recursive callee */
    const char *through; /* register with the callee's address, or NULL: by name */
    const char *guard;   /* "" or "@%p ": only for callees without result */
};

static void function_parameters(const struct function *f, struct draft *to, const char *prefix)
{
    const char *separator = "";
    if (f->aggregate) {
        draft_add(to, ".param .align 4 .b8 %sa[%d]", prefix, f->words * 4);
        separator = ", ";
    }
    for (int i = 0; i < f->words && !f->aggregate; i++) {
        draft_add(to, "%s.param .b32 %sa%d", separator, prefix, i);
        separator = ", ";
    }
    if (f->wide) {
        draft_add(to, "%s.param .b64 %sw", separator, prefix);
        separator = ", ";
    }
    if (f->pointer)
        draft_add(to, "%s.param .b64 %sp", separator, prefix);
}

static void function_result(const struct function *f, struct draft *to, const char *name)
{
    if (f->result == RESULT_WORD)
        draft_add(to, ".param .b32 %s", name);
    else if (f->result == RESULT_WIDE)
        draft_add(to, ".param .b64 %s", name);
    else if (f->result == RESULT_AGGREGATE)
        draft_add(to, ".param .align 8 .b8 %s[%d]", name, RESULT_BYTES);
}

static void function_header(const struct function *f, struct draft *to, const char *end)
{
    struct name prefix = name_format("f%d_", f->id);
    struct name result = name_format("f%d_ret", f->id);
    draft_add(to, "%s.func ", f->visible ? ".visible " : "");
    if (f->result != RESULT_NONE) {
        draft_add(to, "(");
        function_result(f, to, result.s);
        draft_add(to, ") ");
    }
    draft_add(to, "f%d (", f->id);
    function_parameters(f, to, prefix.s);
    draft_add(to, ")%s\n", end);
}

void function_return(struct gen *g, const char *predicate)
{
    const struct function *f = g->scope->function;
    struct name v = gen_source(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    gen_op(g, "xor.b32 %s, %s, %%hash", t.s, v.s);
    if (f->result == RESULT_NONE) {
        gen_op(g, "st.u32 [%%ptr], %s", t.s);
    } else if (f->result == RESULT_WORD) {
        gen_op(g, "st.param.b32 [f%d_ret], %s", f->id, t.s);
    } else {
        struct name wide = gen_temporary(g, KIND_D);
        gen_op(g, "mul.wide.s32 %s, %s, 0x10001", wide.s, t.s);
        gen_op(g, "st.param.b64 [f%d_ret], %s", f->id, wide.s);
        if (f->result == RESULT_AGGREGATE)
            gen_op(g, "st.param.v2.b32 [f%d_ret+8], {%s, %s}", f->id, t.s, v.s);
    }
    if (predicate) /* the result is written by all, and again before the return that the others take */
        gen_op(g, "@%s ret", predicate);
    else
        gen_op(g, "ret");
}

/* The pointer argument: the caller's own pointer, local array or output words. */
static struct name function_pointer(struct gen *g)
{
    const struct scope *s = g->scope;
    struct name flat = gen_temporary(g, KIND_D);
    bool inherited = s->function && s->function->pointer;
    bool own_output = !s->function && !g->plan.interleaved;
    bool prefer_local = rng_chance(&g->rng, 50);
    if (s->local_bytes && (prefer_local || !(inherited || own_output))) {
        struct name near = gen_temporary(g, KIND_D);
        gen_op(g, "mov.u64 %s, loc", near.s);
        gen_op(g, "cvta.local.u64 %s, %s", flat.s, near.s);
    } else if (inherited) {
        gen_op(g, "mov.u64 %s, %%ptr", flat.s);
    } else {
        gen_op(g, "cvta.global.u64 %s, %%pout", flat.s);
    }
    return flat;
}

static void function_pass(struct gen *g, const struct call *call)
{
    const struct function *f = call->callee;
    if (f->aggregate)
        gen_line(g, ".param .align 4 .b8 qa[%d];", f->words * 4);
    for (int i = 0; i < f->words; i++) {
        struct name v = gen_source(g, KIND_R);
        const char *value = i == 0 && call->depth ? call->depth : v.s;
        if (!f->aggregate)
            gen_line(g, ".param .b32 qa%d;", i);
        if (f->aggregate)
            gen_op(g, "st.param.b32 [qa+%d], %s", 4 * i, value);
        else
            gen_op(g, "st.param.b32 [qa%d], %s", i, value);
    }
    if (f->wide) {
        struct name wide = gen_temporary(g, KIND_D);
        struct name v = gen_source(g, KIND_R);
        gen_op(g, "mul.wide.u32 %s, %s, 0x9e3779b1", wide.s, v.s);
        gen_line(g, ".param .b64 qw;");
        gen_op(g, "st.param.b64 [qw], %s", wide.s);
    }
    if (f->pointer) {
        struct name pointer = function_pointer(g);
        gen_line(g, ".param .b64 qp;");
        gen_op(g, "st.param.b64 [qp], %s", pointer.s);
    }
}

static void function_arguments(const struct function *f, struct draft *to)
{
    const char *separator = "";
    if (f->aggregate) {
        draft_add(to, "qa");
        separator = ", ";
    }
    for (int i = 0; i < f->words && !f->aggregate; i++) {
        draft_add(to, "%sqa%d", separator, i);
        separator = ", ";
    }
    if (f->wide) {
        draft_add(to, "%sqw", separator);
        separator = ", ";
    }
    if (f->pointer)
        draft_add(to, "%sqp", separator);
}

static void function_take_result(struct gen *g, const struct function *f)
{
    struct name dest = gen_dest(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    if (f->result == RESULT_NONE)
        return;
    if (f->result == RESULT_WORD) {
        gen_op(g, "ld.param.b32 %s, [qr]", t.s);
    } else {
        struct name wide = gen_temporary(g, KIND_D);
        struct name low = gen_temporary(g, KIND_R);
        gen_op(g, "ld.param.b64 %s, [qr]", wide.s);
        gen_op(g, "mov.b64 {%s, %s}, %s", low.s, t.s, wide.s);
        gen_op(g, "xor.b32 %s, %s, %s", t.s, t.s, low.s);
        if (f->result == RESULT_AGGREGATE) {
            gen_op(g, "ld.param.b32 %s, [qr+12]", low.s);
            gen_op(g, "add.u32 %s, %s, %s", t.s, t.s, low.s);
        }
    }
    gen_op(g, "mad.lo.u32 %s, %s, 3, %s", dest.s, dest.s, t.s);
}

static void function_emit_call(struct gen *g, const struct call *call)
{
    const struct function *f = call->callee;
    struct draft line = {0};
    int prototype = g->lists++;
    gen_count(g, g->scope->function ? RANDOM_call_nested : RANDOM_call);
    if (f->aggregate || f->result == RESULT_AGGREGATE)
        gen_count(g, RANDOM_call_aggregate);
    gen_line(g, "{");
    function_pass(g, call);
    if (f->result != RESULT_NONE) {
        function_result(f, &line, "qr");
        gen_line(g, "%s;", line.s);
        draft_clear(&line);
    }
    if (call->through) {
        if (f->result != RESULT_NONE) {
            draft_add(&line, "(");
            function_result(f, &line, "r_");
            draft_add(&line, ") ");
        }
        draft_add(&line, "_ (");
        function_parameters(f, &line, "p_");
        gen_line(g, "proto%d: .callprototype %s);", prototype, line.s);
        draft_clear(&line);
    }
    draft_add(&line, "%scall ", call->guard);
    if (f->result != RESULT_NONE)
        draft_add(&line, "(qr), ");
    if (call->through)
        draft_add(&line, "%s, (", call->through);
    else
        draft_add(&line, "f%d, (", f->id);
    function_arguments(f, &line);
    draft_add(&line, ")");
    if (call->through)
        draft_add(&line, ", proto%d", prototype);
    gen_op(g, "%s", line.s);
    draft_clear(&line);
    function_take_result(g, f);
    gen_line(g, "}");
}

static bool function_callable(const struct gen *g, const struct function *f)
{
    const struct scope *s = g->scope;
    if (f->exits && !s->exits)
        return false;
    if (f->pointer && !s->local_bytes && !(s->function ? s->function->pointer : !g->plan.interleaved))
        return false;
    return s->spent + s->times * (f->cost + 30) <= s->limit;
}

static bool function_same_type(const struct function *a, const struct function *b)
{
    return a->words == b->words && a->aggregate == b->aggregate && a->wide == b->wide && a->pointer == b->pointer &&
           a->result == b->result && !a->recursive && !b->recursive;
}

/* Calls one of two functions of one type, as the data says. */
static bool function_call_indirect(struct gen *g, const struct function *f)
{
    const struct function *other = NULL;
    for (int i = 0; i < g->functions; i++)
        if (g->function[i].id != f->id && function_same_type(&g->function[i], f) &&
            function_callable(g, &g->function[i]))
            other = &g->function[i];
    if (!other)
        return false;
    struct name p = expr_condition(g);
    struct name a = gen_temporary(g, KIND_D);
    struct name b = gen_temporary(g, KIND_D);
    struct name c = gen_temporary(g, KIND_D);
    uint64_t cost = f->cost > other->cost ? f->cost : other->cost;
    gen_count(g, RANDOM_call_indirect);
    gen_op(g, "mov.u64 %s, f%d", a.s, f->id);
    gen_op(g, "mov.u64 %s, f%d", b.s, other->id);
    gen_op(g, "selp.b64 %s, %s, %s, %s", c.s, a.s, b.s, p.s);
    function_emit_call(g, &(struct call){.callee = f, .through = c.s, .guard = ""});
    g->scope->spent += g->scope->times * cost;
    return true;
}

static const struct function *function_pick(struct gen *g)
{
    if (g->functions == 0)
        return NULL;
    int first = (int)rng_below(&g->rng, (unsigned)g->functions);
    for (int i = 0; i < g->functions; i++) {
        const struct function *f = &g->function[(first + i) % g->functions];
        if (function_callable(g, f))
            return f;
    }
    return NULL;
}

bool function_call(struct gen *g)
{
    const struct function *f = function_pick(g);
    if (!f)
        return false;
    if (rng_chance(&g->rng, 50) && function_call_indirect(g, f))
        return true;
    struct name depth = gen_temporary(g, KIND_R);
    struct name guard = name_format("%s", "");
    if (f->recursive) {
        struct name v = gen_word(g);
        gen_op(g, "rem.u32 %s, %s, %u", depth.s, v.s, f->max_depth + 1);
    }
    if (f->result == RESULT_NONE && rng_chance(&g->rng, 60)) {
        struct name p = expr_condition(g);
        guard = name_format("@%s%.24s ", rng_chance(&g->rng, 50) ? "!" : "", p.s);
        gen_count(g, RANDOM_call_guarded);
    }
    function_emit_call(g, &(struct call){.callee = f, .depth = f->recursive ? depth.s : NULL, .guard = guard.s});
    g->scope->spent += g->scope->times * f->cost;
    return true;
}

/* The one way down: outside loops, at a depth that is not zero, with the depth less one. */
static void function_recurse(struct gen *g, const char *depth)
{
    const struct function *f = g->scope->function;
    const struct function *mate = &g->function[f->partner];
    int skip = gen_label(g);
    struct name p = gen_temporary(g, KIND_P);
    struct name less = gen_temporary(g, KIND_R);
    gen_count(g, f->partner == f->id ? RANDOM_call_recursive : RANDOM_call_mutual);
    gen_op(g, "setp.eq.u32 %s, %s, 0", p.s, depth);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, skip).s);
    gen_op(g, "sub.u32 %s, %s, 1", less.s, depth);
    function_emit_call(g, &(struct call){.callee = mate, .depth = less.s, .guard = ""});
    gen_place(g, skip);
}

static void function_prologue(struct gen *g, const struct function *f)
{
    struct scope *s = g->scope;
    for (int i = 0; i < s->live[KIND_R]; i++) {
        struct name r = gen_live(KIND_R, i);
        if (i < f->words && f->aggregate)
            gen_op(g, "ld.param.u32 %s, [f%d_a+%d]", r.s, f->id, 4 * i);
        else if (i < f->words)
            gen_op(g, "ld.param.u32 %s, [f%d_a%d]", r.s, f->id, i);
        else
            gen_op(g, "mad.lo.u32 %s, %%r0, %u, %%r%d", r.s, 2 * rng_below(&g->rng, 5000) + 3, i - 1);
    }
    gen_op(g, "mov.u32 %%lin, %%tid.x");
    gen_op(g, "xor.b32 %%gid, %%r%d, %%lin", f->words - 1);
    gen_op(g, "xor.b32 %%hash, %%r%d, %u", f->words - 1, rng_below(&g->rng, 10000));
    for (int i = 0; i < s->live[KIND_D]; i++) {
        if (i == 0 && f->wide)
            gen_op(g, "ld.param.u64 %%d0, [f%d_w]", f->id);
        else
            gen_op(g, "mul.wide.s32 %%d%d, %%r%d, %u", i, i % s->live[KIND_R], rng_below(&g->rng, 1 << 30));
    }
    for (int i = 0; i < s->live[KIND_F]; i++)
        gen_op(g, "cvt.rn.f32.s32 %%f%d, %%r%d", i, i % s->live[KIND_R]);
    for (int i = 0; i < s->live[KIND_P]; i++)
        gen_op(g, "setp.lt.s32 %%p%d, %%r%d, %%r%d", i, i % s->live[KIND_R], (i + 1) % s->live[KIND_R]);
    if (f->pointer)
        gen_op(g, "ld.param.u64 %%ptr, [f%d_p]", f->id);
    ldst_fill_local(g);
}

static void function_body(struct gen *g, const struct function *f, unsigned sites, int budget)
{
    struct name depth = gen_counter(g);
    function_prologue(g, f);
    if (f->recursive)
        gen_op(g, "mov.u32 %s, %%r0", depth.s);
    g->static_left = budget;
    control_segment(g, 1 + rng_below(&g->rng, 6));
    for (unsigned i = 0; i < sites; i++) {
        function_recurse(g, depth.s);
        control_list(g, 1 + rng_below(&g->rng, 2));
    }
    if (rng_chance(&g->rng, 60))
        control_segment(g, 1 + rng_below(&g->rng, 4));
    early_place_stores(g);
    function_return(g, NULL);
    early_place_end(g);
}

/* Writes f's definition and returns the cost of one activation. */
static uint64_t function_define(struct gen *g, const struct function *f, struct draft *to, unsigned sites)
{
    struct scope scope = {.function = f, .times = 1, .exits = f->exits};
    struct scope *kernel = g->scope;
    int kernel_left = g->static_left;
    int budget = f->recursive ? 25 : 15 + (int)rng_below(&g->rng, 50);
    scope.limit = f->recursive ? 120 : 100 + rng_below(&g->rng, 300);
    scope.live[KIND_R] = f->words + (int)rng_below(&g->rng, 2) + 1;
    scope.live[KIND_P] = 2;
    scope.live[KIND_D] = f->wide || (g->plan.wide && rng_chance(&g->rng, 30)) ? 2 : 0;
    scope.live[KIND_F] = !f->recursive && g->plan.float32 && rng_chance(&g->rng, 30) ? 2 : 0;
    scope.local_bytes = g->plan.local && rng_chance(&g->rng, 40) ? LOCAL_BYTES / 2 : 0;
    g->scope = &scope;
    gen_count(g, RANDOM_function);
    function_body(g, f, sites, budget);
    g->static_left = kernel_left - (budget - g->static_left);
    g->scope = kernel;

    function_header(f, to, "\n{");
    gen_declare(&scope, to);
    if (f->pointer)
        draft_add(to, "\t.reg .b64 %%ptr;\n");
    draft_move(to, &scope.body);
    draft_move(to, &scope.cold);
    draft_add(to, "}\n\n");
    return scope.spent;
}

static void function_choose_type(struct gen *g, struct function *f)
{
    if (g->functions > 0 && !g->function[g->functions - 1].recursive && rng_chance(&g->rng, 50)) {
        int id = f->id;
        *f = g->function[g->functions - 1];
        f->id = f->partner = id;
        return;
    }
    f->words = 1 + (int)rng_below(&g->rng, MAX_WORDS);
    f->aggregate = rng_chance(&g->rng, 25);
    f->wide = rng_chance(&g->rng, 25);
    f->pointer = rng_chance(&g->rng, 50);
    f->result = (enum result)rng_below(&g->rng, 4);
    if (f->result == RESULT_NONE)
        f->pointer = true; /* or the call would leave no trace */
    f->exits = rng_chance(&g->rng, 40);
    f->recursive = rng_chance(&g->rng, 35);
    /* ptxas 13.0 for sm_90 crashes when it finds a call of a recursive function dead, unless it is visible */
    f->visible = f->recursive || rng_chance(&g->rng, 25);
}

void function_write(struct gen *g, struct draft *to)
{
    struct function *f = &g->function[g->functions];
    *f = (struct function){.id = g->functions, .partner = g->functions};
    function_choose_type(g, f);
    unsigned sites = 0, activations = 1;
    bool mutual = false;
    if (f->recursive) {
        mutual = g->functions + 2 <= MAX_FUNCTIONS && rng_chance(&g->rng, 35);
        sites = !mutual && rng_chance(&g->rng, 30) ? 2 : 1;
        f->max_depth = 2 + rng_below(&g->rng, sites == 2 ? 1 : 2);
        activations = sites == 2 ? (2u << f->max_depth) - 1 : f->max_depth + 1;
    }
    function_header(f, to, ";");
    struct function *mate = NULL;
    if (mutual) {
        mate = f + 1;
        *mate = *f;
        mate->id = f->id + 1;
        mate->partner = f->id;
        f->partner = mate->id;
        function_header(mate, to, ";");
    }
    uint64_t cost = function_define(g, f, to, sites);
    if (mutual) {
        uint64_t other = function_define(g, mate, to, sites);
        cost = other > cost ? other : cost;
        mate->cost = cost * activations;
    }
    f->cost = cost * activations;
    g->functions += mutual ? 2 : 1;
}
