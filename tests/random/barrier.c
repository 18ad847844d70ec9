/*
 * Block barriers: see barrier.h.
 *
 * All live threads of the block reach each of these places. A barrier of the form bar, or .aligned, is one
 * instruction for a whole row; a barrier without .aligned may be reached through several.
 *
 * A count names threads by whole rows, and a row counts once its live threads have come. It is true only
 * while every row has a live thread: until threads may end, or if the plan keeps one of each row.
 *
 * What may race: an exchange word is written by its own thread, in divergent code before the program's switch
 * to `exits` or at the start of an exchange, and then read by others between two barriers that the writer
 * reaches, or ended before, with no write between. So a thread may end in an exchange before its write, and
 * between the first barrier and its read. From its write to the first barrier, and from its read to the
 * second, only ends stand that nobody takes.
 */
#include "barrier.h"
#include "atomics.h"

/* Threads, first and number, and the named barrier that they share. */
struct group {
    unsigned first, threads;
    unsigned number, count;
};

static unsigned barrier_rows(const struct gen *g)
{
    return (g->plan.threads_per_block + ROW_THREADS - 1) / ROW_THREADS;
}

static bool barrier_counts_hold(const struct gen *g)
{
    return g->plan.keepers || !(g->scope->exits || g->plan.thins);
}

/* Threads of a row come to one barrier through two instructions. */
static void barrier_split(struct gen *g)
{
    struct name p = expr_condition(g);
    struct name text = name_format("barrier.sync %u", rng_below(&g->rng, 16));
    gen_count(g, RANDOM_barrier_split);
    if (barrier_counts_hold(g) && rng_chance(&g->rng, 25))
        text = name_format("barrier.sync %u, %u", 1 + rng_below(&g->rng, 15), barrier_rows(g) * ROW_THREADS);
    if (rng_chance(&g->rng, 30)) {
        struct name kept = gen_temporary(g, KIND_P);
        gen_op(g, "mov.pred %s, %s", kept.s, p.s);
        gen_op(g, "@%s %s", kept.s, text.s);
        gen_op(g, "@!%s %s", kept.s, text.s);
        return;
    }
    int other = gen_label(g), join = gen_label(g);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, other).s);
    expr_mark(g);
    gen_op(g, "%s", text.s);
    gen_op(g, "bra %s", gen_target(g, join).s);
    gen_place(g, other);
    gen_op(g, "%s", text.s);
    if (rng_chance(&g->rng, 50))
        expr_mark(g);
    gen_place(g, join);
}

/* A barrier for the block where rows that are still on their way may be at two others, `busy` and the next.
 */
static void barrier_join(struct gen *g, unsigned busy)
{
    unsigned number = (busy + 2 + rng_below(&g->rng, 14)) % 16;
    gen_count(g, g->scope->exits ? RANDOM_barrier_after_exit : RANDOM_barrier);
    gen_op(g, "%s %u", rng_chance(&g->rng, 75) ? "bar.sync" : "barrier.sync", number);
}

void barrier_any(struct gen *g)
{
    unsigned roll = rng_below(&g->rng, 100);
    gen_count(g, g->scope->exits ? RANDOM_barrier_after_exit : RANDOM_barrier);
    if (roll < 12 && barrier_counts_hold(g)) {
        static const char *const forms[] = {"bar.sync", "barrier.sync", "barrier.sync.aligned"};
        gen_count(g, RANDOM_barrier_counted);
        const char *form = forms[rng_below(&g->rng, 3)];
        unsigned number = rng_below(&g->rng, 16);
        gen_op(g, "%s %u, %u", form, number, barrier_rows(g) * ROW_THREADS);
    } else if (roll < 20) {
        barrier_split(g);
    } else if (roll < 70) {
        gen_op(g, "bar.sync 0");
    } else if (roll < 85) {
        gen_op(g, "bar.sync %u", 1 + rng_below(&g->rng, 15));
    } else {
        gen_op(g, "barrier.sync %u", rng_below(&g->rng, 4));
    }
}

void barrier_reduce(struct gen *g)
{
    struct name p = gen_source(g, KIND_P);
    gen_count(g, g->scope->exits ? RANDOM_reduce_after_exit : RANDOM_barrier_reduce);
    unsigned number = rng_chance(&g->rng, 60) ? 0 : rng_below(&g->rng, 16);
    if (rng_chance(&g->rng, 50)) {
        struct name t = gen_temporary(g, KIND_R);
        struct name dest = gen_dest(g, KIND_R);
        gen_op(g, "bar.red.popc.u32 %s, %u, %s", t.s, number, p.s);
        gen_op(g, "add.u32 %s, %s, %s", dest.s, dest.s, t.s);
    } else {
        struct name dest = gen_dest(g, KIND_P);
        gen_op(g, "bar.red.%s.pred %s, %u, %s", rng_chance(&g->rng, 50) ? "and" : "or", dest.s, number, p.s);
    }
}

void barrier_early(struct gen *g, unsigned how)
{
    int skip = gen_label(g);
    bool is_nested = rng_chance(&g->rng, 70);
    gen_count(g, RANDOM_end_at_barrier);
    if (is_nested)
        control_branch(g, skip, true);
    if (!(how & EARLY_ALONE) && rng_chance(&g->rng, 30))
        control_arm(g);
    if (g->scope->skips && rng_chance(&g->rng, 30)) {
        early_skip(g);
    } else {
        struct name p = early_rare(g);
        early_end(g, p.s, how);
    }
    if (!(how & EARLY_ALONE) && rng_chance(&g->rng, 30))
        expr_mark(g);
    gen_place(g, skip);
}

/* The number of a thread of the group, by position or by data. Those who ask may lie behind the group. */
static struct name barrier_other_thread(struct gen *g, struct group group, bool are_members)
{
    struct name t = gen_temporary(g, KIND_R);
    unsigned shape = are_members ? rng_below(&g->rng, 3) : 1 + rng_below(&g->rng, 2);
    if (shape == 0) {
        gen_op(g, "sub.u32 %s, %u, %%lin", t.s, 2 * group.first + group.threads - 1);
        return t;
    }
    struct name moved = gen_temporary(g, KIND_R);
    if (shape == 1) {
        gen_op(g, "sub.u32 %s, %%lin, %u", moved.s, group.first);
        gen_op(g, "add.u32 %s, %s, %u", moved.s, moved.s, 1 + rng_below(&g->rng, group.threads));
    } else {
        moved = gen_word(g);
    }
    gen_op(g, "rem.u32 %s, %s, %u", t.s, moved.s, group.threads);
    if (group.first)
        gen_op(g, "add.u32 %s, %s, %u", t.s, t.s, group.first);
    return t;
}

static struct name barrier_word_of(struct gen *g, struct group group, bool are_members)
{
    struct name other = barrier_other_thread(g, group, are_members);
    struct name base = gen_temporary(g, KIND_R);
    struct name address = gen_temporary(g, KIND_R);
    gen_op(g, "mov.u32 %s, xch", base.s);
    gen_op(g, "mad.lo.u32 %s, %s, %d, %s", address.s, other.s, SLOT_BYTES, base.s);
    return address;
}

static void barrier_read(struct gen *g, struct group group, bool are_members)
{
    struct name address = barrier_word_of(g, group, are_members);
    struct name t = gen_temporary(g, KIND_R);
    if (rng_chance(&g->rng, 25)) {
        struct name wide = gen_temporary(g, KIND_D);
        struct name flat = gen_temporary(g, KIND_D);
        gen_count(g, RANDOM_generic);
        gen_op(g, "cvt.u64.u32 %s, %s", wide.s, address.s);
        gen_op(g, "cvta.shared.u64 %s, %s", flat.s, wide.s);
        gen_op(g, "ld.u32 %s, [%s]", t.s, flat.s);
    } else {
        gen_op(g, "ld.shared.u32 %s, [%s]", t.s, address.s);
    }
    struct name dest = gen_dest(g, KIND_R);
    gen_op(g, "mad.lo.u32 %s, %s, 7, %s", dest.s, dest.s, t.s);
}

static void barrier_write_own(struct gen *g)
{
    struct name v = gen_source(g, KIND_R);
    gen_op(g, "st.shared.u32 [%%sown], %s", v.s);
}

void barrier_exchange(struct gen *g)
{
    struct group all = {.threads = g->plan.threads_per_block};
    gen_count(g, RANDOM_exchange);
    if (rng_chance(&g->rng, 30))
        barrier_early(g, 0);
    if (rng_chance(&g->rng, 75))
        barrier_write_own(g);
    if (rng_chance(&g->rng, 20))
        barrier_early(g, EARLY_NEVER | EARLY_ALONE);
    barrier_any(g);
    if (rng_chance(&g->rng, 20))
        barrier_early(g, EARLY_ALONE);
    barrier_read(g, all, true);
    if (rng_chance(&g->rng, 30))
        barrier_read(g, all, true);
    if (g->plan.atomics && rng_chance(&g->rng, 50))
        atomic_shared_read(g);
    if (rng_chance(&g->rng, 15))
        barrier_early(g, EARLY_NEVER | EARLY_ALONE);
    barrier_any(g);
}

/* arrive does not promise to order what its thread wrote, so a fence stands before it. */
bool barrier_pair(struct gen *g)
{
    unsigned rows = barrier_rows(g);
    if (!g->plan.shared || rows < 2 || !barrier_counts_hold(g))
        return false;
    unsigned producers = 1 + rng_below(&g->rng, rows - 1), number = 1 + rng_below(&g->rng, 15);
    bool is_aligned = rng_chance(&g->rng, 70);
    const char *form = is_aligned ? "bar" : "barrier";
    int consumer = gen_label(g), join = gen_label(g);
    struct name p = gen_temporary(g, KIND_P);
    gen_count(g, RANDOM_barrier_arrive);
    gen_op(g, "setp.hs.u32 %s, %%lin, %u", p.s, producers * ROW_THREADS);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, consumer).s);
    if (rng_chance(&g->rng, 40))
        barrier_early(g, 0);
    barrier_write_own(g);
    gen_op(g, "membar.cta");
    gen_op(g, "%s.arrive %u, %u", form, number, rows * ROW_THREADS);
    expr_mark(g);
    gen_op(g, "bra %s", gen_target(g, join).s);
    gen_place(g, consumer);
    if (rng_chance(&g->rng, 40))
        barrier_early(g, 0);
    gen_op(g, "%s.sync %u, %u", form, number, rows * ROW_THREADS);
    barrier_read(g, (struct group){.threads = producers * ROW_THREADS}, false);
    gen_place(g, join);
    barrier_join(g, number);
    return true;
}

static void barrier_group_rounds(struct gen *g, struct group group)
{
    struct scope *s = g->scope;
    unsigned trips = 1 + rng_below(&g->rng, 3);
    struct name i = gen_counter(g);
    struct name p = gen_temporary(g, KIND_P);
    int head = gen_label(g);
    const char *form = rng_chance(&g->rng, 70) ? "bar.sync" : "barrier.sync";
    gen_op(g, "mov.u32 %s, %u", i.s, trips);
    gen_place(g, head);
    s->times *= trips;
    if (rng_chance(&g->rng, 60))
        barrier_early(g, 0);
    barrier_write_own(g);
    gen_op(g, "%s %u, %u", form, group.number, group.count);
    if (rng_chance(&g->rng, 25))
        barrier_early(g, EARLY_ALONE);
    barrier_read(g, group, true);
    if (rng_chance(&g->rng, 15))
        barrier_early(g, EARLY_NEVER | EARLY_ALONE);
    gen_op(g, "%s %u, %u", form, group.number, group.count);
    gen_op(g, "sub.u32 %s, %s, 1", i.s, i.s);
    gen_op(g, "setp.ne.u32 %s, %s, 0", p.s, i.s);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, head).s);
    s->times /= trips;
}

bool barrier_groups(struct gen *g)
{
    unsigned rows = barrier_rows(g);
    if (!g->plan.shared || rows < 2 || !barrier_counts_hold(g))
        return false;
    unsigned split = 1 + rng_below(&g->rng, rows - 1), number = rng_below(&g->rng, 15);
    unsigned first = split * ROW_THREADS;
    int other = gen_label(g), join = gen_label(g);
    struct name p = gen_temporary(g, KIND_P);
    gen_count(g, RANDOM_barrier_groups);
    gen_op(g, "setp.hs.u32 %s, %%lin, %u", p.s, first);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, other).s);
    barrier_group_rounds(g, (struct group){.threads = first, .number = number, .count = first});
    gen_op(g, "bra %s", gen_target(g, join).s);
    gen_place(g, other);
    barrier_group_rounds(g, (struct group){.first = first,
                                           .threads = g->plan.threads_per_block - first,
                                           .number = number + 1,
                                           .count = (rows - split) * ROW_THREADS});
    gen_place(g, join);
    barrier_join(g, number);
    return true;
}

/* An exchange of one or two rounds; the caller says where the thread's own word and the other's lie. */
void barrier_write_function(struct gen *g, struct draft *to)
{
    bool ends_by_jump = rng_chance(&g->rng, 50), has_end = rng_chance(&g->rng, 70);
    unsigned rounds = 1 + rng_below(&g->rng, 2), number = rng_below(&g->rng, 16);
    if (!g->plan.meets)
        return;
    draft_add(to,
              ".func (.param .b32 m_ret) meet (.param .b32 m_own, .param .b32 m_other, .param .b32 m_v)\n{\n"
              "\t.reg .pred %%p<4>;\n\t.reg .b32 %%r<8>;\n"
              "\tld.param.u32 %%r0, [m_own];\n\tld.param.u32 %%r1, [m_other];\n\tld.param.u32 %%r2, [m_v];\n"
              "\tmov.u32 %%r3, %u;\n\tmov.u32 %%r4, 0;\nmeet_round:\n"
              "\tand.b32 %%r5, %%r2, 3;\n\tsetp.eq.u32 %%p0, %%r5, %%r3;\n\t@%%p0 bra meet_odd;\n",
              rounds);
    if (has_end)
        draft_add(to, "\tld.global.u32 %%r6, [nil+%u];\n\tsetp.ne.u32 %%p1, %%r6, 0;\n\t@%%p1 %s;\n",
                  4 * rng_below(&g->rng, NIL_WORDS), ends_by_jump ? "bra meet_end" : "exit");
    draft_add(to,
              "\tmad.lo.u32 %%r2, %%r2, 5, %%r3;\nmeet_odd:\n\tst.shared.u32 [%%r0], %%r2;\n"
              "\tbar.sync %u;\n\tld.shared.u32 %%r5, [%%r1];\n\tmad.lo.u32 %%r4, %%r4, 3, %%r5;\n\tbar.sync %u;\n"
              "\tsub.u32 %%r3, %%r3, 1;\n\tsetp.ne.u32 %%p2, %%r3, 0;\n\t@%%p2 bra meet_round;\n"
              "\tst.param.b32 [m_ret], %%r4;\n\tret;\n",
              number, number);
    if (has_end && ends_by_jump)
        draft_add(to, "meet_end:\n\texit;\n");
    draft_add(to, "}\n\n");
}

enum { MEET_COST = 3 + 2 + 2 * 17 + 3 };

void barrier_call(struct gen *g)
{
    struct name other = barrier_word_of(g, (struct group){.threads = g->plan.threads_per_block}, true);
    struct name v = gen_source(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    struct name dest = gen_dest(g, KIND_R);
    gen_count(g, RANDOM_barrier_in_function);
    gen_line(g, "{");
    gen_line(g, ".param .b32 qo;");
    gen_line(g, ".param .b32 qw;");
    gen_line(g, ".param .b32 qv;");
    gen_line(g, ".param .b32 qr;");
    gen_op(g, "st.param.b32 [qo], %%sown");
    gen_op(g, "st.param.b32 [qw], %s", other.s);
    gen_op(g, "st.param.b32 [qv], %s", v.s);
    gen_op(g, "call (qr), meet, (qo, qw, qv)");
    gen_op(g, "ld.param.b32 %s, [qr]", t.s);
    gen_line(g, "}");
    gen_op(g, "mad.lo.u32 %s, %s, 5, %s", dest.s, dest.s, t.s);
    g->scope->spent += g->scope->times * MEET_COST;
}
