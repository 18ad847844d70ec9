/* Ends of threads: exit and ret, guarded or behind a branch, merged at the kernel's end, or behind a tail with work. */
#include "sheet.h"

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

/* Ends those that are here: the rest of the path. */
static void leave(struct manual_sheet *s, const struct manual_place *at)
{
    const int form = roll(s, 4);
    if (!s->body->is_kernel || form == 0)
        manual_line(s, at, "exit;");
    else if (form == 1)
        manual_line(s, at, "ret;");
    else
        manual_line(s, at, "bra%s $L%d;", manual_uni(s), s->body->end_label);
}

/* Work on the way out: what the thread has is stored, and nobody waits. */
static void work(struct manual_sheet *s, const struct manual_place *at)
{
    struct manual_place inner = manual_inner(at, false);
    inner.may_end = false;
    inner.scopes = inner.floor = NULL;
    inner.depth = MAX_DEPTH - 1;
    manual_statements(s, &inner, roll(s, 3));
    manual_store_row(s, &inner);
}

static void end_kernel(struct manual_sheet *s, const struct manual_place *at, int p, bool all_or_none)
{
    const int form = roll(s, 8);
    if (form == 0) {
        manual_line(s, at, "@%%p%d exit;", p);
    } else if (form == 1) {
        manual_line(s, at, "@%%p%d ret;", p);
    } else if (form <= 3) {
        manual_line(s, at, "@%%p%d bra $L%d;", p, s->body->end_label);
    } else if (form <= 5 && s->tail_count) {
        const int tail = roll(s, s->tail_count);
        manual_line(s, at, "@%%p%d bra $L%d;", p, s->tail_label[tail]);
    } else if (form == 6 && all_or_none && (at->is_uniform || at->crosses)) {
        manual_line(s, at, "@%%p%d bra $L%d;", p, s->uniform_tail_label);
    } else {
        const int stay = manual_new_label(s);
        manual_line(s, at, "@!%%p%d bra $L%d;", p, stay);
        work(s, at);
        leave(s, at);
        manual_label(s, stay);
    }
}

static void end_in_function(struct manual_sheet *s, const struct manual_place *at, int p)
{
    if (roll(s, 2)) {
        manual_line(s, at, "@%%p%d exit;", p);
    } else {
        const int stay = manual_new_label(s);
        manual_line(s, at, "@!%%p%d bra $L%d;", p, stay);
        work(s, at);
        leave(s, at);
        manual_label(s, stay);
    }
}

void manual_end(struct manual_sheet *s, const struct manual_place *at)
{
    const bool all = at->is_uniform && !at->group && at->may_end && manual_dice_percent(&s->dice, 30);
    const bool some = !all && at->may_end && manual_dice_percent(&s->dice, 65);
    int p = manual_condition(s, at, all ? IF_RARE_UNIFORM : some ? IF_FEW : IF_NEVER);
    if (some && s->leaders_stay) {
        const int spared = manual_new_p(s);
        manual_line(s, at, "setp.ne.and.u32 %%p%d, %%lane, 0, %%p%d;", spared, p);
        p = spared;
    }
    if (s->body->is_kernel)
        end_kernel(s, at, p, !some);
    else
        end_in_function(s, at, p);
}

void manual_tails(struct manual_sheet *s)
{
    const struct manual_place plain = {
        .warp_count = s->warps, .mask = NO_MASK, .crosses = s->crosses, .weight = 1, .depth = 2};
    for (int i = 0; i < s->tail_count; i++) {
        manual_label(s, s->tail_label[i]);
        manual_statements(s, &plain, 1 + roll(s, 2));
        manual_store_row(s, &plain);
        leave(s, &plain);
    }
    struct manual_place uniform = plain;
    uniform.is_uniform = true;
    manual_label(s, s->uniform_tail_label);
    manual_exchange(s, &uniform);
    manual_store_row(s, &uniform);
    leave(s, &uniform);
}
