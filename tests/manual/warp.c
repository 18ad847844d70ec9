/* Operations of a warp with a mask of exactly those threads that come to them. */
#include "sheet.h"

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

/* A lane of the mask: the thread's choice if it is in the mask, else its own. */
static void shuffle_by_choice(struct manual_sheet *s, const struct manual_place *at)
{
    const int lane = manual_new_x(s), bit = manual_new_x(s), p = manual_new_p(s), a = manual_data(s);
    manual_line(s, at, "and.b32 %%x%d, %%a%d, 31;", lane, manual_data(s));
    manual_line(s, at, "bfe.u32 %%x%d, %%x%d, %%x%d, 1;", bit, at->mask, lane);
    manual_line(s, at, "setp.ne.u32 %%p%d, %%x%d, 0;", p, bit);
    manual_line(s, at, "selp.b32 %%x%d, %%x%d, %%lane, %%p%d;", lane, lane, p);
    manual_line(s, at, "shfl.sync.idx.b32 %%a%d, %%a%d, %%x%d, 31, %%x%d;", a, manual_data(s), lane, at->mask);
}

/* From the lowest or highest lane of the mask. */
static void shuffle_from_leader(struct manual_sheet *s, const struct manual_place *at)
{
    const int lane = manual_new_x(s);
    if (roll(s, 2)) {
        manual_line(s, at, "brev.b32 %%x%d, %%x%d;", lane, at->mask);
        manual_line(s, at, "clz.b32 %%x%d, %%x%d;", lane, lane);
    } else {
        manual_line(s, at, "bfind.u32 %%x%d, %%x%d;", lane, at->mask);
    }
    {
        const int v3 = manual_data(s);
        const int v2 = roll(s, FLAG_COUNT);
        const int v1 = manual_data(s);
        manual_line(s, at, "shfl.sync.idx.b32 %%a%d|%%q%d, %%a%d, %%x%d, 0x1f, %%x%d;", v1, v2, v3, lane, at->mask);
    }
}

/* What comes from a lane out of the mask is not used. */
static void shuffle_butterfly(struct manual_sheet *s, const struct manual_place *at)
{
    const int lane = manual_new_x(s), got = manual_new_x(s), p = manual_new_p(s), a = manual_data(s),
              turn = 1 << roll(s, 5);
    manual_line(s, at, "shfl.sync.bfly.b32 %%x%d, %%a%d, %d, 31, %%x%d;", got, a, turn, at->mask);
    manual_line(s, at, "xor.b32 %%x%d, %%lane, %d;", lane, turn);
    manual_line(s, at, "bfe.u32 %%x%d, %%x%d, %%x%d, 1;", lane, at->mask, lane);
    manual_line(s, at, "setp.ne.u32 %%p%d, %%x%d, 0;", p, lane);
    manual_line(s, at, "@%%p%d add.u32 %%a%d, %%a%d, %%x%d;", p, a, a, got);
}

void manual_warp(struct manual_sheet *s, const struct manual_place *at)
{
    static const char *const votes[] = {"any", "all", "uni"};
    const int x = manual_new_x(s), q = roll(s, FLAG_COUNT), m = at->mask;
    switch (roll(s, 8)) {
    case 0: {
        const int v2 = roll(s, FLAG_COUNT);
        const char *const v1 = votes[roll(s, 3)];
        manual_line(s, at, "vote.sync.%s.pred %%q%d, %%q%d, %%x%d;", v1, v2, q, m);
    } break;
    case 1:
        manual_line(s, at, "vote.sync.ballot.b32 %%x%d, %s%%q%d, %%x%d;", x, roll(s, 2) ? "!" : "", q, m);
        {
            const int v2 = manual_data(s);
            const int v1 = manual_data(s);
            manual_line(s, at, "xor.b32 %%a%d, %%a%d, %%x%d;", v1, v2, x);
        }
        break;
    case 2:
        manual_line(s, at, "and.b32 %%x%d, %%a%d, 3;", x, manual_data(s));
        manual_line(s, at, "match.any.sync.b32 %%a%d, %%x%d, %%x%d;", manual_data(s), x, m);
        break;
    case 3: {
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "match.all.sync.b32 %%a%d|%%q%d, %%a%d, %%x%d;", v1, q, v2, m);
    } break;
    case 4:
        manual_line(s, at, "bar.warp.sync %%x%d;", m);
        break;
    case 5:
        shuffle_by_choice(s, at);
        break;
    case 6:
        shuffle_from_leader(s, at);
        break;
    default:
        shuffle_butterfly(s, at);
    }
}

struct manual_place manual_find_mask(struct manual_sheet *s, const struct manual_place *at)
{
    struct manual_place inner = manual_inner(at, true);
    const int address = manual_new_x(s), bit = manual_new_x(s), mask = manual_new_x(s);
    const int words = 3 * manual_buffer_bytes(s) + COUNTER_BYTES / 2;
    inner.may_end = false;
    manual_line(s, at, "mad.lo.u32 %%x%d, %%warp, 4, %%sh;", address);
    manual_line(s, at, "red.shared.and.b32 [%%x%d+%d], 0;", address, words);
    manual_barrier(s, at);
    manual_line(s, at, "shl.b32 %%x%d, 1, %%lane;", bit);
    manual_line(s, at, "red.shared.or.b32 [%%x%d+%d], %%x%d;", address, words, bit);
    manual_barrier(s, at);
    manual_line(s, at, "ld.shared.u32 %%x%d, [%%x%d+%d];", mask, address, words);
    manual_barrier(s, at);
    inner.mask = mask;
    return inner;
}
