/*
 * Structured control flow, and the jumps that break its structure: break, continue, shared tails, exits.
 *
 * Termination: the only backward edges written here close loops, and each of them is behind a counter that
 * the loop's entry sets, that the loop's end moves by one, and that no other instruction writes. A jump out
 * of loops only leaves them; entering again sets the counter again. Hence `times`, the product of the
 * enclosing bounds, is a true bound of how often a place runs.
 */
#include "gen.h"

enum { CONTROL_SIZE = 18 }; /* instructions that a control statement should find room for */

void control_branch(struct gen *g, int label, bool sense)
{
    struct name p = expr_condition(g);
    gen_op(g, "@%s%s bra %s", sense ? "" : "!", p.s, gen_target(g, label).s);
}

/* Branches to label if a condition of up to four leaves is `sense`, evaluating no more leaves than needed. */
static void control_branch_tree(struct gen *g, int label, bool sense, unsigned height)
{
    if (height == 0) {
        control_branch(g, label, sense);
        return;
    }
    bool is_and = rng_chance(&g->rng, 50);
    if (is_and != sense) {
        control_branch_tree(g, label, sense, height - 1);
        control_branch_tree(g, label, sense, rng_below(&g->rng, height));
        return;
    }
    int skip = gen_label(g);
    control_branch_tree(g, skip, !sense, height - 1);
    control_branch_tree(g, label, sense, rng_below(&g->rng, height));
    gen_place(g, skip);
}

static void control_test(struct gen *g, int label, bool sense)
{
    unsigned height = 0;
    if (rng_chance(&g->rng, 25)) {
        height = 1 + rng_below(&g->rng, 2);
        gen_count(g, RANDOM_short_circuit);
    }
    control_branch_tree(g, label, sense, height);
}

/* A return by itself, under a predicate, or by a jump to the function's last one. */
static void control_return(struct gen *g, const char *predicate)
{
    struct scope *s = g->scope;
    gen_count(g, RANDOM_jump_return);
    if (!s->is_ending && rng_chance(&g->rng, 50)) {
        if (!s->common_return)
            s->common_return = gen_label(g);
        gen_count(g, RANDOM_return_merged);
        gen_op(g, "%s%s%sbra %s", predicate ? "@" : "", predicate ? predicate : "", predicate ? " " : "",
               gen_target(g, s->common_return).s);
        return;
    }
    if (predicate && rng_chance(&g->rng, 40)) {
        gen_count(g, RANDOM_return_predicated);
        function_return(g, predicate);
        return;
    }
    if (!predicate) {
        function_return(g, NULL);
        return;
    }
    int skip = gen_label(g);
    gen_op(g, "@!%s bra %s", predicate, gen_target(g, skip).s);
    function_return(g, NULL);
    gen_place(g, skip);
}

void control_jump(struct gen *g, const char *predicate)
{
    struct scope *s = g->scope;
    struct name guard = predicate ? name_format("@%.28s ", predicate) : name_format("%s", "");
    unsigned loops = (unsigned)s->loops, tails = (unsigned)s->tails;
    unsigned ends = s->exits ? 2 : 1, returns = s->function ? 2 : 0, skips = s->skips ? 1 : 0;
    unsigned choices = 2 * loops + tails + ends + skips + returns;
    unsigned choice = rng_below(&g->rng, loops && rng_chance(&g->rng, 50) ? 2 * loops : choices);
    if (choice < 2 * loops) {
        const struct loop *loop = &s->loop[choice / 2];
        bool is_break = choice % 2 == 0;
        gen_count(g, is_break ? RANDOM_jump_break : RANDOM_jump_continue);
        if (choice / 2 + 1 < loops)
            gen_count(g, RANDOM_jump_outer);
        gen_op(g, "%sbra %s", guard.s, gen_target(g, is_break ? loop->break_label : loop->continue_label).s);
    } else if (choice < 2 * loops + tails) {
        gen_count(g, RANDOM_jump_tail);
        s->tail_used[choice - 2 * loops] = true;
        gen_op(g, "%sbra %s", guard.s, gen_target(g, s->tail[choice - 2 * loops]).s);
    } else if (choice < 2 * loops + tails + ends) {
        early_end(g, predicate, 0);
    } else if (choice < 2 * loops + tails + ends + skips) {
        early_skip(g);
    } else {
        control_return(g, predicate);
    }
}

static void control_jump_if(struct gen *g)
{
    struct name p = expr_condition(g);
    if (rng_chance(&g->rng, 40))
        ldst_store(g);
    control_jump(g, p.s);
}

void control_arm(struct gen *g)
{
    g->scope->depth++;
    if (rng_chance(&g->rng, 50))
        expr_mark(g);
    control_list(g, 1 + rng_below(&g->rng, 4));
    if (rng_chance(&g->rng, 10))
        control_jump(g, NULL);
    g->scope->depth--;
}

static void control_if(struct gen *g)
{
    int end = gen_label(g);
    gen_count(g, RANDOM_if_then);
    control_test(g, end, rng_chance(&g->rng, 50));
    control_arm(g);
    gen_place(g, end);
}

static void control_if_else(struct gen *g)
{
    int other = gen_label(g), end = gen_label(g);
    gen_count(g, RANDOM_if_else);
    control_test(g, other, rng_chance(&g->rng, 50));
    control_arm(g);
    gen_op(g, "bra %s", gen_target(g, end).s);
    gen_place(g, other);
    control_arm(g);
    gen_place(g, end);
}

/* An if whose arm lies behind the function's end: control comes back to a lower address. */
static void control_cold(struct gen *g)
{
    struct scope *s = g->scope;
    int away = gen_label(g), back = gen_label(g);
    gen_count(g, RANDOM_cold_block);
    control_test(g, away, rng_chance(&g->rng, 50));
    gen_place(g, back);
    struct draft here = s->body;
    s->body = (struct draft){0};
    gen_place(g, away);
    control_arm(g);
    gen_op(g, "bra %s", gen_target(g, back).s);
    draft_move(&s->cold, &s->body);
    s->body = here;
}

static void control_loop_open(struct gen *g, unsigned trips)
{
    struct scope *s = g->scope;
    if (s->loops)
        gen_count(g, RANDOM_loop_nested);
    int end = gen_label(g);
    int next = gen_label(g);
    s->loop[s->loops++] = (struct loop){.break_label = end, .continue_label = next};
    s->times *= trips;
    s->depth++;
}

static void control_loop_close(struct gen *g, unsigned trips)
{
    struct scope *s = g->scope;
    gen_place(g, s->loop[--s->loops].break_label);
    s->times /= trips;
    s->depth--;
}

static const struct loop *control_innermost(const struct gen *g)
{
    return &g->scope->loop[g->scope->loops - 1];
}

/* A counter from data, below trips. */
static struct name control_limit(struct gen *g, unsigned trips)
{
    struct name limit = gen_counter(g);
    struct name v = gen_word(g);
    if (rng_chance(&g->rng, 20))
        gen_op(g, "mov.u32 %s, %u", limit.s, trips - 1);
    else if ((trips & (trips - 1)) == 0)
        gen_op(g, "and.b32 %s, %s, %u", limit.s, v.s, trips - 1);
    else
        gen_op(g, "rem.u32 %s, %s, %u", limit.s, v.s, trips);
    return limit;
}

static void control_use_counter(struct gen *g, const char *counter)
{
    if (rng_chance(&g->rng, 60)) {
        struct name dest = gen_dest(g, KIND_R);
        gen_op(g, "mad.lo.u32 %s, %s, 5, %s", dest.s, dest.s, counter);
    }
}

static void control_for(struct gen *g, unsigned trips)
{
    struct name limit = control_limit(g, trips);
    struct name i = gen_counter(g);
    int head = gen_label(g);
    gen_count(g, RANDOM_loop_for);
    gen_op(g, "mov.u32 %s, 0", i.s);
    control_loop_open(g, trips);
    const struct loop *loop = control_innermost(g);
    gen_place(g, head);
    struct name p = gen_temporary(g, KIND_P);
    gen_op(g, "setp.ge.u32 %s, %s, %s", p.s, i.s, limit.s);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, loop->break_label).s);
    control_use_counter(g, i.s);
    control_list(g, 1 + rng_below(&g->rng, 5));
    gen_place(g, loop->continue_label);
    gen_op(g, "add.u32 %s, %s, 1", i.s, i.s);
    gen_op(g, "bra %s", gen_target(g, head).s);
    control_loop_close(g, trips);
}

static void control_do(struct gen *g, unsigned trips)
{
    struct name i = control_limit(g, trips);
    int head = gen_label(g);
    gen_count(g, RANDOM_loop_do);
    control_loop_open(g, trips);
    gen_place(g, head);
    control_use_counter(g, i.s);
    control_list(g, 1 + rng_below(&g->rng, 5));
    gen_place(g, control_innermost(g)->continue_label);
    struct name p = gen_temporary(g, KIND_P);
    gen_op(g, "add.s32 %s, %s, -1", i.s, i.s);
    gen_op(g, "setp.ge.s32 %s, %s, 0", p.s, i.s);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, head).s);
    control_loop_close(g, trips);
}

/* Leaves on data, at two or three places; the counter is fuel that seldom decides. */
static void control_while(struct gen *g, unsigned trips)
{
    struct name fuel = gen_counter(g);
    int head = gen_label(g);
    gen_count(g, RANDOM_loop_while);
    gen_op(g, "mov.u32 %s, %u", fuel.s, trips);
    control_loop_open(g, trips);
    const struct loop *loop = control_innermost(g);
    gen_place(g, head);
    control_test(g, loop->break_label, rng_chance(&g->rng, 50));
    control_list(g, 1 + rng_below(&g->rng, 3));
    control_test(g, loop->break_label, rng_chance(&g->rng, 50));
    control_list(g, 1 + rng_below(&g->rng, 3));
    gen_place(g, loop->continue_label);
    struct name p = gen_temporary(g, KIND_P);
    gen_op(g, "sub.u32 %s, %s, 1", fuel.s, fuel.s);
    gen_op(g, "setp.ne.u32 %s, %s, 0", p.s, fuel.s);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, head).s);
    control_loop_close(g, trips);
}

/* Some threads enter at the top and some in the middle of the body. */
static void control_multi_entry(struct gen *g, unsigned trips)
{
    struct name fuel = gen_counter(g);
    int head = gen_label(g), middle = gen_label(g);
    gen_count(g, RANDOM_loop_multi_entry);
    gen_op(g, "mov.u32 %s, %u", fuel.s, trips);
    control_branch(g, middle, true);
    control_loop_open(g, trips);
    gen_place(g, head);
    control_list(g, 1 + rng_below(&g->rng, 3));
    gen_place(g, middle);
    control_list(g, 1 + rng_below(&g->rng, 3));
    gen_place(g, control_innermost(g)->continue_label);
    struct name again = expr_condition(g);
    struct name p = gen_temporary(g, KIND_P);
    gen_op(g, "sub.s32 %s, %s, 1", fuel.s, fuel.s);
    gen_op(g, "setp.gt.and.s32 %s, %s, 0, %s", p.s, fuel.s, again.s);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, head).s);
    control_loop_close(g, trips);
}

static void control_loop(struct gen *g)
{
    unsigned trips = g->scope->loops < MAX_LOOPS ? gen_trips(g, 25) : 0;
    if (trips < 2) {
        control_if(g);
        return;
    }
    unsigned roll = rng_below(&g->rng, 100);
    if (roll < 35)
        control_for(g, trips);
    else if (roll < 55)
        control_do(g, trips);
    else if (roll < 80)
        control_while(g, trips);
    else
        control_multi_entry(g, trips);
}

void control_statement(struct gen *g)
{
    const struct plan *plan = &g->plan;
    unsigned total = plan->weight_if + plan->weight_loop + plan->weight_switch + plan->weight_tangle +
                     plan->weight_jump + plan->weight_call;
    unsigned roll = rng_below(&g->rng, total);
    if (roll < plan->weight_if) {
        unsigned shape = rng_below(&g->rng, 5);
        if (shape == 0)
            control_cold(g);
        else if (shape < 3)
            control_if(g);
        else
            control_if_else(g);
        return;
    }
    roll -= plan->weight_if;
    if (roll < plan->weight_loop) {
        control_loop(g);
        return;
    }
    roll -= plan->weight_loop;
    if (roll < plan->weight_switch) {
        switch_statement(g);
        return;
    }
    roll -= plan->weight_switch;
    if (roll < plan->weight_tangle) {
        tangle_statement(g);
        return;
    }
    roll -= plan->weight_tangle;
    if (roll < plan->weight_jump)
        control_jump_if(g);
    else if (!function_call(g))
        control_if(g);
}

void control_list(struct gen *g, unsigned statements)
{
    for (unsigned i = 0; i < statements && gen_room(g, 10); i++) {
        unsigned roll = rng_below(&g->rng, 100);
        if (roll < g->plan.control_percent && g->scope->depth < MAX_DEPTH && gen_room(g, CONTROL_SIZE))
            control_statement(g);
        else if (roll >= 100 - g->plan.memory_percent)
            ldst_statement(g);
        else
            expr_statement(g);
    }
}

void control_segment(struct gen *g, unsigned statements)
{
    struct scope *s = g->scope;
    int end = gen_label(g);
    int tails = (int)rng_below(&g->rng, MAX_TAILS + 1);
    for (int i = 0; i < tails; i++) {
        s->tail[i] = gen_label(g);
        s->tail_used[i] = false;
    }
    s->tails = tails;
    struct budget kept = gen_keep_back(g);
    if (gen_room(g, CONTROL_SIZE) && rng_chance(&g->rng, 75))
        control_statement(g);
    control_list(g, statements);
    s->tails = 0;
    gen_release(g, kept);
    bool falls_in = false;
    for (int i = 0; i < tails; i++) {
        if (!s->tail_used[i])
            continue;
        if (!falls_in)
            gen_op(g, "bra %s", gen_target(g, end).s);
        gen_place(g, s->tail[i]);
        expr_mark(g);
        s->depth++;
        control_list(g, 1 + rng_below(&g->rng, 3));
        s->depth--;
        falls_in = rng_chance(&g->rng, 50);
    }
    gen_place(g, end);
}
