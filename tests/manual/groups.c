/* Warps that do different things: groups with a barrier each, and producers that only arrive. */
#include "sheet.h"

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

bool manual_may_group(const struct manual_sheet *s, const struct manual_place *at)
{
    return s->body->is_kernel && !s->block_limit && at->is_uniform && at->may_count && !at->group &&
           at->warp_count >= 2;
}

/* The place of warps first .. first+count-1 alone. */
static struct manual_place group_place(const struct manual_sheet *s, const struct manual_place *at, int number,
                                       int first, int count)
{
    struct manual_place inner = manual_inner(at, true);
    inner.group = number;
    inner.warp_first = first;
    inner.warp_count = count;
    inner.may_end = at->may_end && s->leaders_stay;
    return inner;
}

void manual_groups(struct manual_sheet *s, const struct manual_place *at)
{
    const int border = 1 + roll(s, at->warp_count - 1), otherwise = manual_new_label(s), past = manual_new_label(s);
    const int p = manual_new_p(s);
    const struct manual_place low = group_place(s, at, 1, 0, border);
    const struct manual_place high = group_place(s, at, 2, border, at->warp_count - border);
    manual_line(s, at, "setp.ge.u32 %%p%d, %%warp, %d;", p, border);
    manual_line(s, at, "@%%p%d bra $L%d;", p, otherwise);
    manual_exchange(s, &low);
    manual_statements(s, &low, 1 + roll(s, 3));
    manual_line(s, at, "bra%s $L%d;", manual_uni(s), past);
    manual_label(s, otherwise);
    if (roll(s, 4))
        manual_exchange(s, &high);
    manual_statements(s, &high, 1 + roll(s, 2));
    manual_label(s, past);
    manual_barrier(s, at); /* the next groups may be other warps, and their barriers are these */
}

/* A turn of the producers (is_first_side) or of the consumers; `empty` and `full` are barriers. */
static void turn(struct manual_sheet *s, const struct manual_place *at, bool produces, int border)
{
    const int empty = 8, full = 9, x = manual_new_x(s), threads = 32 * at->warp_count;
    const int buffer = 2 * manual_buffer_bytes(s), p = manual_new_p(s);
    struct manual_place inner = manual_inner(at, false);
    const char *name = roll(s, 3) ? "bar" : "barrier";
    inner.may_end = false;
    if (produces) {
        manual_statements(s, &inner, 1);
        manual_line(s, at, "mad.lo.u32 %%x%d, %%t, %d, %%sh;", x, SLOT_BYTES);
        manual_line(s, at, "st.shared.u32 [%%x%d+%d], %%a%d;", x, buffer, manual_data(s));
        manual_line(s, at, "%s.arrive %d, %d;", name, full, threads);
        manual_statements(s, &inner, 1);
        manual_line(s, at, "%s.sync %d, %d;", name, empty, threads);
    } else {
        manual_line(s, at, "%s.sync %d, %d;", name, full, threads);
        manual_line(s, at, "rem.u32 %%x%d, %%a%d, %d;", x, manual_data(s), 32 * border);
        manual_line(s, at, "mad.lo.u32 %%x%d, %%x%d, %d, %%sh;", x, x, SLOT_BYTES);
        manual_line(s, at, "ld.shared.u32 %%x%d, [%%x%d+%d];", x, x, buffer);
        manual_line(s, at, "setp.lt.s32 %%p%d, %%x%d, 0;", p, x);
        manual_line(s, at, "%s.arrive %d, %d;", name, empty, threads);
        manual_line(s, at, "@%%p%d add.u32 %%a%d, %%a%d, %%x%d;", p, 0, 3, x);
        manual_statements(s, &inner, 1);
    }
}

void manual_producers(struct manual_sheet *s, const struct manual_place *at)
{
    const int border = 1 + roll(s, at->warp_count - 1), otherwise = manual_new_label(s), past = manual_new_label(s);
    const int p = manual_new_p(s), rounds = manual_trips(s, at, true, 3);
    struct manual_place inner = manual_inner(at, false);
    inner.weight *= 3;
    manual_line(s, at, "setp.ge.u32 %%p%d, %%warp, %d;", p, border);
    manual_line(s, at, "@%%p%d bra $L%d;", p, otherwise);
    for (int side = 0; side < 2; side++) {
        const int head = manual_new_label(s), round = manual_new_x(s), again = manual_new_p(s);
        if (side)
            manual_label(s, otherwise);
        manual_line(s, at, "mov.u32 %%x%d, 0;", round);
        manual_label(s, head);
        struct manual_place here = inner;
        here.is_uniform = false;
        turn(s, &here, side == 0, border);
        manual_line(s, &inner, "add.u32 %%x%d, %%x%d, 1;", round, round);
        manual_line(s, &inner, "setp.lt.u32 %%p%d, %%x%d, %%x%d;", again, round, rounds);
        manual_line(s, &inner, "@%%p%d bra $L%d;", again, head);
        if (!side)
            manual_line(s, at, "bra $L%d;", past);
    }
    manual_label(s, past);
    manual_barrier(s, at);
}
