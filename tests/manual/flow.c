/* Statements: which one stands where, branches, loops and switches. */
#include "sheet.h"

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

/* A place on one side of a branch that only some threads take; where the place has a mask, that side's threads. */
static struct manual_place side_place(struct manual_sheet *s, const struct manual_place *at, int p, bool taken)
{
    struct manual_place inner = manual_inner(at, false);
    if (at->mask == NO_MASK || !manual_dice_percent(&s->dice, 70))
        return inner;
    inner.mask = manual_new_x(s);
    manual_line(s, at, "vote.sync.ballot.b32 %%x%d, %s%%p%d, %%x%d;", inner.mask, taken ? "" : "!", p, at->mask);
    return inner;
}

void manual_branch(struct manual_sheet *s, const struct manual_place *at)
{
    const bool uniform = at->is_uniform && manual_dice_percent(&s->dice, 25);
    const bool has_else = roll(s, 2);
    const int otherwise = manual_new_label(s), past = has_else ? manual_new_label(s) : otherwise;
    const int p = manual_condition(s, at, uniform ? IF_UNIFORM : roll(s, 3) ? IF_SOME : IF_FEW);
    struct manual_place low = manual_inner(at, true), high = low;
    if (!uniform) {
        low = side_place(s, at, p, false);
        high = has_else ? side_place(s, at, p, true) : low;
    }
    const struct manual_scope low_scope = {past, manual_scope_kind(&low), at->group, at->scopes};
    const struct manual_scope high_scope = {past, manual_scope_kind(&high), at->group, at->scopes};
    low.scopes = &low_scope;
    high.scopes = &high_scope;
    manual_line(s, at, "@%%p%d bra%s $L%d;", p, uniform ? manual_uni(s) : "", otherwise);
    manual_statements(s, &low, 1 + roll(s, 3));
    if (has_else) {
        manual_line(s, at, "bra%s $L%d;", manual_uni(s), past);
        manual_label(s, otherwise);
        manual_statements(s, &high, 1 + roll(s, 3));
    }
    manual_label(s, past);
}

/* In a loop whose threads leave one by one, those that go on find each other by a ballot in every round. */
void manual_loop(struct manual_sheet *s, const struct manual_place *at)
{
    const bool uniform = at->is_uniform && manual_dice_percent(&s->dice, 65);
    const bool masked = !uniform && at->mask != NO_MASK && roll(s, 2), tests_first = masked || roll(s, 2);
    const int most = 2 + roll(s, uniform ? 3 : 5);
    const int trips = manual_trips(s, at, uniform, most), round = manual_new_x(s), p = manual_new_p(s);
    const int head = manual_new_label(s), next = manual_new_label(s), past = manual_new_label(s);
    struct manual_place inner = manual_inner(at, uniform);
    if (masked)
        inner.mask = manual_new_x(s);
    inner.weight *= most;
    const struct manual_scope out = {past, manual_scope_kind(&inner), at->group, at->scopes};
    const struct manual_scope again = {next, manual_scope_kind(&inner), at->group, &out};
    inner.scopes = &again;
    if (masked)
        manual_line(s, at, "mov.u32 %%x%d, %%x%d;", inner.mask, at->mask);
    manual_line(s, at, "mov.u32 %%x%d, 0;", round);
    manual_label(s, head);
    if (tests_first) {
        manual_line(s, &inner, "setp.ge.u32 %%p%d, %%x%d, %%x%d;", p, round, trips);
        if (masked)
            manual_line(s, &inner, "vote.sync.ballot.b32 %%x%d, !%%p%d, %%x%d;", inner.mask, p, inner.mask);
        manual_line(s, &inner, "@%%p%d bra $L%d;", p, past);
    }
    manual_statements(s, &inner, 1 + roll(s, 4));
    manual_label(s, next);
    manual_line(s, &inner, "add.u32 %%x%d, %%x%d, 1;", round, round);
    if (tests_first) {
        manual_line(s, &inner, "bra%s $L%d;", manual_uni(s), head);
    } else {
        manual_line(s, &inner, "setp.lt.u32 %%p%d, %%x%d, %%x%d;", p, round, trips);
        manual_line(s, &inner, "@%%p%d bra $L%d;", p, head);
    }
    manual_label(s, past);
}

static int switch_index(struct manual_sheet *s, const struct manual_place *at, bool uniform, int cases)
{
    const int x = manual_new_x(s);
    if (uniform)
        manual_line(s, at, "rem.u32 %%x%d, %%u%d, %d;", x, roll(s, UNIFORM_COUNT), cases);
    else if (roll(s, 2))
        manual_line(s, at, "rem.u32 %%x%d, %%a%d, %d;", x, manual_data(s), cases);
    else
        manual_line(s, at, "rem.u32 %%x%d, %%%s, %d;", x, roll(s, 2) ? "t" : "lane", cases);
    return x;
}

void manual_switch(struct manual_sheet *s, const struct manual_place *at)
{
    enum { MAX_CASES = 6 };
    const bool uniform = at->is_uniform && roll(s, 2), by_table = roll(s, 3);
    const int cases = 2 + roll(s, MAX_CASES - 1), past = manual_new_label(s),
              index = switch_index(s, at, uniform, cases);
    int label[MAX_CASES];
    struct manual_place inner = manual_inner(at, uniform);
    const struct manual_scope out = {past, manual_scope_kind(&inner), at->group, at->scopes};
    inner.scopes = &out;
    for (int i = 0; i < cases; i++)
        label[i] = i && i < cases - 1 && roll(s, 5) == 0 ? label[i - 1] : manual_new_label(s);
    if (by_table) {
        const int table = manual_new_label(s);
        struct text list = {0};
        for (int i = 0; i < cases; i++)
            text_printf(&list, "%s$L%d", i ? ", " : "", label[i]);
        manual_line(s, at, "$T%d: .branchtargets %s;", table, list.data);
        manual_line(s, at, "brx.idx%s %%x%d, $T%d;", uniform ? manual_uni(s) : "", index, table);
        text_free(&list);
    } else {
        for (int i = 0; i < cases; i++) {
            const int p = manual_new_p(s);
            manual_line(s, at, "setp.eq.u32 %%p%d, %%x%d, %d;", p, index, i);
            manual_line(s, at, "@%%p%d bra $L%d;", p, label[i]);
        }
        manual_line(s, at, "bra $L%d;", past);
    }
    for (int i = 0; i < cases; i++) {
        if (i && label[i] == label[i - 1])
            continue;
        manual_label(s, label[i]);
        manual_statements(s, &inner, 1 + roll(s, 2));
        if (roll(s, 3)) /* else it falls through */
            manual_line(s, at, "bra%s $L%d;", manual_uni(s), past);
    }
    manual_label(s, past);
}

/* What only a place to which all its threads come can have. */
static void together(struct manual_sheet *s, const struct manual_place *at)
{
    const int kind = roll(s, 100);
    if (kind < 50) {
        manual_exchange(s, at);
    } else if (kind < 60 && !at->group) {
        manual_counter(s, at);
    } else if (kind < 72 && !at->group) {
        manual_split_exchange(s, at);
    } else if (kind < 82 && manual_may_group(s, at)) {
        manual_groups(s, at);
    } else if (kind < 90 && manual_may_group(s, at)) {
        manual_producers(s, at);
    } else if (kind < 95 && !at->group && at->mask == NO_MASK && !at->crosses) {
        const struct manual_place masked = manual_find_mask(s, at);
        manual_warp(s, &masked);
        manual_statements(s, &masked, 2);
    } else {
        manual_barrier(s, at);
        manual_uniform_arithmetic(s, at);
    }
}

static void statement(struct manual_sheet *s, const struct manual_place *at)
{
    const bool deep = at->depth >= MAX_DEPTH || !manual_has_room(s, at, 40);
    const int kind = roll(s, 100);
    if (at->is_uniform && !deep && manual_dice_percent(&s->dice, 32))
        together(s, at);
    else if (at->mask != NO_MASK && manual_dice_percent(&s->dice, 35))
        manual_warp(s, at);
    else if (kind < 20 || !manual_has_room(s, at, 10))
        manual_arithmetic(s, at);
    else if (kind < 32)
        manual_memory(s, at);
    else if (kind < 46)
        manual_end(s, at);
    else if (kind < 52)
        manual_goto(s, at);
    else if (deep)
        manual_arithmetic(s, at);
    else if (kind < 66)
        manual_branch(s, at);
    else if (kind < 77)
        manual_loop(s, at);
    else if (kind < 82)
        manual_switch(s, at);
    else if (kind < 86)
        manual_region(s, at);
    else if (kind < 89)
        manual_two_entries(s, at);
    else if (kind < 93)
        manual_tangle(s, at);
    else
        manual_call(s, at);
}

void manual_statements(struct manual_sheet *s, const struct manual_place *at, int count)
{
    for (int i = 0; i < count; i++) {
        if (!manual_has_room(s, at, 4))
            return;
        manual_arithmetic(s, at);
        if (at->is_uniform && !at->group && roll(s, 3) == 0)
            manual_uniform_arithmetic(s, at);
        statement(s, at);
    }
}
