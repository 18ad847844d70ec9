/*
 * Gotos: out of loops, past barriers, into the middle of loops, and among blocks in no order.
 *
 * A jump that threads really take stays among code that needs nobody to come together, or all take it. Jumps that no
 * thread takes go nearly anywhere: they move post-dominators behind barriers, and nothing else.
 */
#include "sheet.h"

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

/* Can the threads of this place really jump there, all of them or some? */
static bool is_reachable(const struct manual_place *at, const struct manual_scope *scope)
{
    if (scope->group != at->group)
        return false;
    return at->is_uniform ? scope->kind == SCOPE_UNIFORM : at->mask == NO_MASK && scope->kind == SCOPE_PLAIN;
}

void manual_goto(struct manual_sheet *s, const struct manual_place *at)
{
    const struct manual_scope *scope = at->scopes;
    if (scope == at->floor) {
        manual_memory(s, at);
        return;
    }
    while (scope->outer != at->floor && roll(s, 2))
        scope = scope->outer;
    const bool really = is_reachable(at, scope) && roll(s, 3);
    const int p = manual_condition(s, at, !really ? IF_NEVER : at->is_uniform ? IF_UNIFORM : IF_FEW);
    manual_line(s, at, "@%%p%d bra $L%d;", p, scope->label);
}

/* Code that can be left at any place of it. */
void manual_region(struct manual_sheet *s, const struct manual_place *at)
{
    const int past = manual_new_label(s);
    struct manual_place inner = manual_inner(at, at->is_uniform && roll(s, 4));
    const struct manual_scope out = {past, manual_scope_kind(&inner), at->group, at->scopes};
    inner.scopes = &out;
    for (int i = 0; i < 3; i++) {
        manual_statements(s, &inner, 1);
        manual_goto(s, &inner);
    }
    if (inner.is_uniform && manual_has_room(s, &inner, 40))
        manual_exchange(s, &inner);
    manual_label(s, past);
}

/* A loop that some threads enter in the middle. */
void manual_two_entries(struct manual_sheet *s, const struct manual_place *at)
{
    const int head = manual_new_label(s), middle = manual_new_label(s), past = manual_new_label(s),
              most = 2 + roll(s, 2);
    struct manual_place inner = manual_inner(at, at->is_uniform && roll(s, 3));
    const struct manual_scope out = {past, manual_scope_kind(&inner), at->group, at->scopes};
    inner.weight *= most;
    inner.scopes = &out;
    const int trips = manual_trips(s, at, inner.is_uniform, most), round = manual_new_x(s), again = manual_new_p(s);
    const int p = manual_condition(s, at, inner.is_uniform ? IF_UNIFORM : IF_SOME);
    manual_line(s, at, "mov.u32 %%x%d, 0;", round);
    manual_line(s, at, "@%%p%d bra $L%d;", p, middle);
    manual_label(s, head);
    manual_statements(s, &inner, 1 + roll(s, 2));
    manual_label(s, middle);
    if (inner.is_uniform && manual_has_room(s, &inner, 40))
        manual_exchange(s, &inner);
    manual_statements(s, &inner, 1 + roll(s, 2));
    manual_line(s, &inner, "add.u32 %%x%d, %%x%d, 1;", round, round);
    manual_line(s, &inner, "setp.lt.u32 %%p%d, %%x%d, %%x%d;", again, round, trips);
    manual_line(s, &inner, "@%%p%d bra $L%d;", again, head);
    manual_label(s, past);
}

/* Blocks that jump to each other; a thread's fuel, one unit a block, ends that. */
void manual_tangle(struct manual_sheet *s, const struct manual_place *at)
{
    enum { MAX_BLOCKS = 5 };
    const int blocks = 3 + roll(s, MAX_BLOCKS - 2), tank = 3 + roll(s, 4), fuel = manual_new_x(s),
              past = manual_new_label(s);
    int label[MAX_BLOCKS];
    struct manual_place inner = manual_inner(at, at->is_uniform && roll(s, 2));
    const struct manual_scope out = {past, manual_scope_kind(&inner), at->group, at->scopes};
    inner.weight *= tank;
    inner.scopes = &out;
    for (int i = 0; i < blocks; i++)
        label[i] = manual_new_label(s);
    manual_line(s, at, "mov.u32 %%x%d, %d;", fuel, tank);
    for (int i = 0; i < blocks; i++) {
        const int empty = manual_new_p(s);
        manual_label(s, label[i]);
        manual_line(s, &inner, "sub.u32 %%x%d, %%x%d, 1;", fuel, fuel);
        manual_line(s, &inner, "setp.eq.u32 %%p%d, %%x%d, 0;", empty, fuel);
        manual_line(s, &inner, "@%%p%d bra $L%d;", empty, past);
        if (inner.is_uniform && roll(s, 2) && manual_has_room(s, &inner, 40))
            manual_exchange(s, &inner);
        else
            manual_statements(s, &inner, 1);
        const int p = manual_condition(s, &inner, inner.is_uniform ? IF_UNIFORM : IF_SOME);
        manual_line(s, &inner, "@%%p%d bra $L%d;", p, label[roll(s, blocks)]);
        if (roll(s, 3) == 0) {
            const int v2 = roll(s, 4) ? label[roll(s, blocks)] : past;
            const char *const v1 = manual_uni(s);
            manual_line(s, &inner, "bra%s $L%d;", v1, v2);
        }
    }
    manual_label(s, past);
}
