/*
 * Early ends: threads that leave the kernel before its last instruction, and jumps around barriers.
 *
 * An end is an exit or a ret where it is written, predicated or behind a branch; or a jump to code at the
 * scope's end that all such jumps share: to the last ret alone, to some work before it, or to the kernel's
 * last stores. Compilers merge returns like that, and the post-dominator of a divergent branch around one
 * then lies behind every barrier between.
 *
 * An end or jump that no thread takes hangs on a word of `nil`, a table of zeros in global memory that nobody
 * writes: the text does not say that it never happens. It may stand anywhere, since the program runs as if it
 * were not there. Other ends stand only where scope->exits says that threads may end.
 *
 * Termination: all labels jumped to here lie ahead.
 */
#include "gen.h"

struct name early_never(struct gen *g)
{
    struct name t = gen_temporary(g, KIND_R);
    struct name p = gen_temporary(g, KIND_P);
    if (rng_chance(&g->rng, 40)) {
        gen_op(g, "ld.global.u32 %s, [nil+%u]", t.s, 4 * rng_below(&g->rng, NIL_WORDS));
    } else {
        struct name index = gen_temporary(g, KIND_R);
        struct name base = gen_temporary(g, KIND_D);
        struct name address = gen_temporary(g, KIND_D);
        struct name v = gen_word(g);
        gen_op(g, "and.b32 %s, %s, %d", index.s, v.s, NIL_WORDS - 1);
        gen_op(g, "mov.u64 %s, nil", base.s);
        gen_op(g, "mad.wide.u32 %s, %s, 4, %s", address.s, index.s, base.s);
        gen_op(g, "ld.global.u32 %s, [%s]", t.s, address.s);
    }
    gen_op(g, "setp.ne.u32 %s, %s, 0", p.s, t.s);
    return p;
}

struct name early_rare(struct gen *g)
{
    if (rng_chance(&g->rng, 35))
        return expr_condition(g);
    struct name few = gen_temporary(g, KIND_R);
    struct name p = gen_temporary(g, KIND_P);
    struct name v = gen_word(g);
    unsigned mask = rng_chance(&g->rng, 50) ? 7 : 31;
    gen_op(g, "and.b32 %s, %s, %u", few.s, v.s, mask);
    gen_op(g, "setp.eq.u32 %s, %s, %u", p.s, few.s, rng_below(&g->rng, mask + 1));
    return p;
}

void early_spare_keeper(struct gen *g, struct name *predicate)
{
    if (!g->plan.keepers)
        return;
    struct name lane = gen_temporary(g, KIND_R);
    struct name p = gen_temporary(g, KIND_P);
    gen_op(g, "mov.u32 %s, %%laneid", lane.s);
    if (predicate->s[0])
        gen_op(g, "setp.ne.and.u32 %s, %s, 0, %s", p.s, lane.s, predicate->s);
    else
        gen_op(g, "setp.ne.u32 %s, %s, 0", p.s, lane.s);
    *predicate = p;
}

static void early_jump(struct gen *g, const char *guard, int *label, enum random_construct construct)
{
    if (!*label)
        *label = gen_label(g);
    gen_count(g, construct);
    gen_op(g, "%sbra %s", guard, gen_target(g, *label).s);
}

static void early_behind_branch(struct gen *g, const char *predicate, const char *end, bool stores)
{
    int skip = gen_label(g);
    gen_count(g, RANDOM_end_behind_branch);
    gen_op(g, "@!%s bra %s", predicate, gen_target(g, skip).s);
    if (stores)
        ldst_store(g);
    gen_op(g, "%s", end);
    gen_place(g, skip);
}

/* `predicate` may be empty: all that come here. */
static void early_emit(struct gen *g, const char *predicate)
{
    struct scope *s = g->scope;
    struct name guard = predicate[0] ? name_format("@%.28s ", predicate) : name_format("%s", "");
    const char *end = s->function || rng_chance(&g->rng, 50) ? "exit" : "ret";
    unsigned roll = s->is_ending ? rng_below(&g->rng, 25) : rng_below(&g->rng, 100);
    if (roll < 15)
        gen_op(g, "%s%s", guard.s, end);
    else if (roll < 25 && predicate[0])
        early_behind_branch(g, predicate, end, rng_chance(&g->rng, 50));
    else if (roll < 25)
        gen_op(g, "%s", end);
    else if (roll < 55 || s->function)
        early_jump(g, guard.s, &s->end, RANDOM_end_merged);
    else if (roll < 75)
        early_jump(g, guard.s, &s->last_work, RANDOM_end_after_work);
    else
        early_jump(g, guard.s, &s->last_stores, RANDOM_end_after_stores);
}

void early_end(struct gen *g, const char *predicate, unsigned how)
{
    const struct scope *s = g->scope;
    struct name p = name_format("%s", predicate ? predicate : "");
    if (how & EARLY_NEVER || !s->exits || rng_chance(&g->rng, 40)) {
        struct name never = early_never(g);
        gen_count(g, RANDOM_end_never);
        if (predicate && rng_chance(&g->rng, 50))
            gen_op(g, "and.pred %s, %s, %s", never.s, never.s, predicate);
        p = never;
    } else {
        gen_count(g, s->function ? RANDOM_exit_in_function : RANDOM_jump_exit);
        early_spare_keeper(g, &p);
    }
    early_emit(g, p.s);
}

void early_end_exactly(struct gen *g, const char *predicate)
{
    struct scope *s = g->scope;
    bool exits = s->exits;
    gen_count(g, RANDOM_jump_exit);
    s->exits = true; /* for what they store on the way */
    early_emit(g, predicate);
    s->exits = exits;
}

void early_skip(struct gen *g)
{
    struct scope *s = g->scope;
    struct skip *skip = &s->skip[rng_below(&g->rng, (unsigned)s->skips)];
    struct name never = early_never(g);
    gen_count(g, RANDOM_skip_never);
    skip->is_used = true;
    gen_op(g, "@%s bra %s", never.s, gen_target(g, skip->label).s);
}

void early_place_stores(struct gen *g)
{
    struct scope *s = g->scope;
    s->is_ending = true;
    s->exits = true;
    if (s->last_stores)
        gen_place(g, s->last_stores);
    if (s->common_return)
        gen_place(g, s->common_return);
}

/* A kernel comes here with its stores done and must end; a function has returned already. */
void early_place_end(struct gen *g)
{
    struct scope *s = g->scope;
    const char *end = s->function || rng_chance(&g->rng, 30) ? "exit" : "ret";
    if (s->last_work) {
        if (!s->end)
            s->end = gen_label(g);
        if (rng_chance(&g->rng, 50))
            gen_op(g, "bra %s", gen_target(g, s->end).s);
        gen_place(g, s->last_work);
        for (unsigned i = 1 + rng_below(&g->rng, 2); i > 0; i--) {
            expr_mark(g);
            ldst_store(g);
        }
    }
    if (s->end)
        gen_place(g, s->end);
    if (s->end || !s->function)
        gen_op(g, "%s", end);
}
