/*
 * Block barriers that all threads of a place come to.
 *
 * The whole block uses barriers 0 to 7, groups of warps four each of the others: warps of one group may already wait at
 * a barrier of the block while the other group uses its own.
 */
#include "sheet.h"

#include <stdio.h>

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

static void write_number(struct manual_sheet *s, const struct manual_place *at, char text[32], int number, bool counted)
{
    int length;
    if (manual_dice_percent(&s->dice, 15)) {
        const int x = manual_new_x(s);
        manual_line(s, at, "mov.u32 %%x%d, %d;", x, number);
        length = sprintf(text, "%%x%d", x);
    } else {
        length = sprintf(text, "%d", number);
    }
    if (counted && at->group)
        sprintf(text + length, ", %d", 32 * at->warp_count);
    else if (counted)
        sprintf(text + length, ", %%cnt");
}

/* Threads that compared unlike before have another number of true predicates now, if the barrier opened too soon. */
static void reduce(struct manual_sheet *s, const struct manual_place *at, const char *operands)
{
    const bool is_old = roll(s, 2), is_loose = roll(s, 2);
    const char *name = is_old ? "bar" : "barrier", *aligned = is_old || is_loose ? "" : ".aligned";
    const char *sign = roll(s, 2) ? "!" : "";
    const int q = roll(s, FLAG_COUNT), x = manual_new_x(s), a = manual_data(s);
    if (roll(s, 2)) {
        manual_line(s, at, "%s.red.popc%s.u32 %%x%d, %s, %s%%q%d;", name, aligned, x, operands, sign, q);
        manual_line(s, at, "mad.lo.u32 %%a%d, %%a%d, 3, %%x%d;", a, a, x);
        if (!at->group && roll(s, 2))
            manual_line(s, at, "add.u32 %%u%d, %%u%d, %%x%d;", a % UNIFORM_COUNT, roll(s, UNIFORM_COUNT), x);
    } else {
        {
            const int v2 = roll(s, FLAG_COUNT);
            const char *const v1 = roll(s, 2) ? "and" : "or";
            manual_line(s, at, "%s.red.%s%s.pred %%q%d, %s, %s%%q%d;", name, v1, aligned, v2, operands, sign, q);
        }
    }
}

void manual_barrier(struct manual_sheet *s, const struct manual_place *at)
{
    const bool counted = at->group || (at->may_count && s->body->is_kernel && manual_dice_percent(&s->dice, 35));
    const int number = at->group                           ? 8 + 4 * (at->group - 1) + roll(s, 4)
                       : manual_dice_percent(&s->dice, 40) ? 0
                                                           : roll(s, 8);
    char operands[32];
    write_number(s, at, operands, number, counted);
    const int form = roll(s, 100);
    if (form < 45)
        manual_line(s, at, "bar.sync %s;", operands);
    else if (form < 60)
        manual_line(s, at, "barrier.sync %s;", operands);
    else if (form < 68)
        manual_line(s, at, "barrier.sync.aligned %s;", operands);
    else if (form < 76)
        manual_line(s, at, "@!%%p%d bar.sync %s;", manual_condition(s, at, IF_NEVER), operands);
    else
        reduce(s, at, operands);
}
