/*
 * Block-uniform code: the only place for barriers, exchanges through shared memory, and row operations.
 *
 * A phase at this level is reached by every thread of the block that has not ended, equally often, because
 * only conditions that are the same for the whole block stand around it. Between phases lie divergent
 * segments, which all threads leave at the segment's end or by ending.
 *
 * Exchange: a thread's exchange word is written by that thread alone, and read by others only between
 * two barriers that surround no write. Threads may end only after the program has switched to `exits`; a
 * barrier stands at the switch, and from then on a thread writes its exchange word only in the phase
 * itself, so every value read was ordered by a barrier in which its writer took part.
 *
 * Row operations name all threads of the row and stand only before that switch, so all named threads come.
 */
#include "uniform.h"
#include "atomics.h"
#include "gen.h"

static void uniform_barrier(struct gen *g)
{
    unsigned roll = rng_below(&g->rng, 100);
    gen_count(g, g->scope->exits ? RANDOM_barrier_after_exit : RANDOM_barrier);
    if (roll < 60)
        gen_op(g, "bar.sync 0");
    else if (roll < 80)
        gen_op(g, "bar.sync %u", 1 + rng_below(&g->rng, 15));
    else
        gen_op(g, "barrier.sync %u", rng_below(&g->rng, 4));
}

/* The number of a thread of the block, by position or by data. */
static struct name uniform_other_thread(struct gen *g)
{
    unsigned threads = g->plan.threads_per_block;
    struct name t = gen_temporary(g, KIND_R);
    unsigned shape = rng_below(&g->rng, 3);
    if (shape == 0) {
        gen_op(g, "sub.u32 %s, %u, %%lin", t.s, threads - 1);
    } else if (shape == 1) {
        struct name moved = gen_temporary(g, KIND_R);
        gen_op(g, "add.u32 %s, %%lin, %u", moved.s, 1 + rng_below(&g->rng, threads));
        gen_op(g, "rem.u32 %s, %s, %u", t.s, moved.s, threads);
    } else {
        struct name v = gen_word(g);
        gen_op(g, "rem.u32 %s, %s, %u", t.s, v.s, threads);
    }
    return t;
}

static void uniform_read_exchange(struct gen *g)
{
    struct name other = uniform_other_thread(g);
    struct name base = gen_temporary(g, KIND_R);
    struct name address = gen_temporary(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    gen_op(g, "mov.u32 %s, xch", base.s);
    gen_op(g, "mad.lo.u32 %s, %s, %d, %s", address.s, other.s, SLOT_BYTES, base.s);
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

static void uniform_exchange(struct gen *g)
{
    gen_count(g, RANDOM_exchange);
    if (rng_chance(&g->rng, 75)) {
        struct name v = gen_source(g, KIND_R);
        gen_op(g, "st.shared.u32 [%%sown], %s", v.s);
    }
    uniform_barrier(g);
    uniform_read_exchange(g);
    if (rng_chance(&g->rng, 30))
        uniform_read_exchange(g);
    if (g->plan.atomics && rng_chance(&g->rng, 50))
        atomic_shared_read(g);
    uniform_barrier(g);
}

static void uniform_reduce(struct gen *g)
{
    struct name p = gen_source(g, KIND_P);
    gen_count(g, RANDOM_barrier_reduce);
    if (rng_chance(&g->rng, 50)) {
        struct name t = gen_temporary(g, KIND_R);
        struct name dest = gen_dest(g, KIND_R);
        gen_op(g, "bar.red.popc.u32 %s, 0, %s", t.s, p.s);
        gen_op(g, "add.u32 %s, %s, %s", dest.s, dest.s, t.s);
    } else {
        struct name dest = gen_dest(g, KIND_P);
        gen_op(g, "bar.red.%s.pred %s, 0, %s", rng_chance(&g->rng, 50) ? "and" : "or", dest.s, p.s);
    }
}

/*
 * The clamp operand keeps the source lane among the threads that exist: in a partial row it is the last
 * one's lane, in a full row any segment width will do.
 */
static void uniform_shuffle(struct gen *g)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const unsigned segments[] = {0x00, 0x00, 0x10, 0x18, 0x1c};
    unsigned mode = rng_below(&g->rng, 4);
    struct name lane = gen_temporary(g, KIND_R);
    struct name clamp = gen_temporary(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    if (mode == 3) {
        lane = gen_word(g);
    } else {
        gen_op(g, "mov.u32 %s, %u", lane.s, 1 + rng_below(&g->rng, 17));
    }
    if (mode == 0) {
        clamp = name_format("0");
    } else if (g->plan.threads_per_block % 32 == 0) {
        unsigned segment = segments[rng_below(&g->rng, 5)];
        clamp = name_format("%u", segment << 8 | 31);
    } else {
        gen_op(g, "sub.u32 %s, %%row, 1", clamp.s);
    }
    struct name v = gen_source(g, KIND_R);
    struct name p = gen_dest(g, KIND_P);
    struct name dest = gen_dest(g, KIND_R);
    gen_count(g, RANDOM_row_shuffle);
    if (rng_chance(&g->rng, 50))
        gen_op(g, "shfl.sync.%s.b32 %s, %s, %s, %s, %%mask", modes[mode], t.s, v.s, lane.s, clamp.s);
    else
        gen_op(g, "shfl.sync.%s.b32 %s|%s, %s, %s, %s, %%mask", modes[mode], t.s, p.s, v.s, lane.s, clamp.s);
    gen_op(g, "lop3.b32 %s, %s, %s, 0x%x, 0x96", dest.s, dest.s, t.s, rng_below(&g->rng, 1 << 30));
}

static void uniform_vote(struct gen *g)
{
    static const char *const modes[] = {"all", "any", "uni"};
    struct name p = expr_condition(g);
    const char *negate = rng_chance(&g->rng, 30) ? "!" : "";
    gen_count(g, RANDOM_row_vote);
    if (rng_chance(&g->rng, 60)) {
        struct name t = gen_temporary(g, KIND_R);
        struct name dest = gen_dest(g, KIND_R);
        gen_op(g, "vote.sync.ballot.b32 %s, %s%s, %%mask", t.s, negate, p.s);
        gen_op(g, "xor.b32 %s, %s, %s", dest.s, dest.s, t.s);
    } else {
        struct name dest = gen_dest(g, KIND_P);
        gen_op(g, "vote.sync.%s.pred %s, %s%s, %%mask", modes[rng_below(&g->rng, 3)], dest.s, negate, p.s);
    }
}

static void uniform_match(struct gen *g)
{
    struct name few = gen_temporary(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    struct name v = gen_word(g);
    struct name dest = gen_dest(g, KIND_R);
    struct name p = gen_dest(g, KIND_P);
    gen_count(g, RANDOM_row_match);
    gen_op(g, "and.b32 %s, %s, %u", few.s, v.s, rng_below(&g->rng, 4));
    if (rng_chance(&g->rng, 60))
        gen_op(g, "match.any.sync.b32 %s, %s, %%mask", t.s, few.s);
    else
        gen_op(g, "match.all.sync.b32 %s|%s, %s, %%mask", t.s, p.s, few.s);
    gen_op(g, "add.u32 %s, %s, %s", dest.s, dest.s, t.s);
}

static void uniform_row(struct gen *g)
{
    unsigned roll = rng_below(&g->rng, 100);
    if (roll < 45) {
        uniform_shuffle(g);
    } else if (roll < 75) {
        uniform_vote(g);
    } else if (roll < 92) {
        uniform_match(g);
    } else {
        gen_count(g, RANDOM_row_barrier);
        gen_op(g, "bar.warp.sync %%mask");
    }
}

static void uniform_phase(struct gen *g, int depth);

static void uniform_loop(struct gen *g, int depth)
{
    struct scope *s = g->scope;
    unsigned trips = 2 + rng_below(&g->rng, 3);
    struct name i = gen_counter(g);
    struct name p = gen_temporary(g, KIND_P);
    int head = gen_label(g);
    gen_count(g, RANDOM_uniform_loop);
    if (rng_chance(&g->rng, 50)) {
        gen_op(g, "mov.u32 %s, %u", i.s, trips);
    } else {
        struct name n = gen_temporary(g, KIND_R);
        struct name below = gen_temporary(g, KIND_R);
        gen_op(g, "ld.param.u32 %s, [k_n]", n.s);
        gen_op(g, "rem.u32 %s, %s, %u", below.s, n.s, trips);
        gen_op(g, "add.u32 %s, %s, 1", i.s, below.s);
    }
    gen_place(g, head);
    s->times *= trips;
    unsigned phases = 1 + rng_below(&g->rng, 3);
    for (unsigned phase = 0; phase < phases; phase++)
        uniform_phase(g, depth + 1);
    gen_op(g, "sub.u32 %s, %s, 1", i.s, i.s);
    gen_op(g, "setp.ne.u32 %s, %s, 0", p.s, i.s);
    gen_op(g, "@%s bra%s %s", p.s, rng_chance(&g->rng, 50) ? ".uni" : "", gen_target(g, head).s);
    s->times /= trips;
}

static void uniform_if(struct gen *g, int depth)
{
    struct name t = gen_temporary(g, KIND_R);
    struct name p = gen_temporary(g, KIND_P);
    int end = gen_label(g);
    gen_count(g, RANDOM_uniform_if);
    if (rng_chance(&g->rng, 50)) {
        gen_op(g, "mov.u32 %s, %%ctaid.x", t.s);
        gen_op(g, "setp.%s.u32 %s, %s, 0", rng_chance(&g->rng, 50) ? "eq" : "ne", p.s, t.s);
    } else {
        gen_op(g, "ld.param.u32 %s, [k_n]", t.s);
        gen_op(g, "setp.lt.s32 %s, %s, %u", p.s, t.s, rng_below(&g->rng, 32));
    }
    gen_op(g, "@%s bra%s %s", p.s, rng_chance(&g->rng, 50) ? ".uni" : "", gen_target(g, end).s);
    uniform_phase(g, depth + 1);
    gen_place(g, end);
}

static void uniform_phase(struct gen *g, int depth)
{
    const struct scope *s = g->scope;
    unsigned roll = rng_below(&g->rng, 100);
    if (!gen_room(g, 14))
        return;
    if (roll < 15 && g->plan.shared)
        uniform_exchange(g);
    else if (roll < 35 && g->plan.row_ops && !s->exits)
        uniform_row(g);
    else if (roll < 38 && g->plan.row_ops && !s->exits)
        uniform_reduce(g);
    else if (roll < 41)
        uniform_barrier(g);
    else if (roll < 51 && depth < 2 && gen_room(g, 60))
        uniform_loop(g, depth);
    else if (roll < 56 && depth < 2 && gen_room(g, 30))
        uniform_if(g, depth);
    else
        control_segment(g, 2 + rng_below(&g->rng, 8));
}

/* A call that some threads make, so that no program carries functions for nothing. */
static void uniform_first_call(struct gen *g)
{
    int skip = gen_label(g);
    if (rng_chance(&g->rng, 60))
        control_branch(g, skip, true);
    function_call(g);
    gen_place(g, skip);
}

void uniform_phases(struct gen *g)
{
    if (g->functions > 0)
        uniform_first_call(g);
    control_segment(g, 1 + rng_below(&g->rng, 4));
    unsigned exits_from = rng_chance(&g->rng, 65) ? rng_below(&g->rng, 4) : UINT32_MAX;
    for (unsigned phase = 0; gen_room(g, 14); phase++) {
        if (phase == exits_from) {
            if (g->plan.shared)
                uniform_barrier(g);
            g->scope->exits = true;
        }
        uniform_phase(g, 0);
    }
}
