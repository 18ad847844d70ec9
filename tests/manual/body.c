/* What kernel and functions begin with: the registers that all code may read. */
#include "sheet.h"

static void find_thread(struct manual_sheet *s, const struct manual_place *at)
{
    const int x = manual_new_x(s), y = manual_new_x(s);
    manual_line(s, at, "mov.u32 %%t, %%tid.x;");
    manual_line(s, at, "mov.u32 %%x%d, %%ntid.x;", x);
    if (s->block[1] > 1 || s->block[2] > 1 || manual_dice_percent(&s->dice, 30)) {
        manual_line(s, at, "mov.u32 %%x%d, %%tid.y;", y);
        manual_line(s, at, "mad.lo.u32 %%t, %%x%d, %%x%d, %%t;", x, y);
        manual_line(s, at, "mov.u32 %%x%d, %%ntid.y;", y);
        manual_line(s, at, "mul.lo.u32 %%x%d, %%x%d, %%x%d;", x, x, y);
        manual_line(s, at, "mov.u32 %%x%d, %%tid.z;", y);
        manual_line(s, at, "mad.lo.u32 %%t, %%x%d, %%x%d, %%t;", x, y);
    }
    manual_line(s, at, "and.b32 %%lane, %%t, 31;");
    manual_line(s, at, "shr.u32 %%warp, %%t, 5;");
    manual_line(s, at, "mov.u32 %%x%d, %%ctaid.x;", x);
    manual_line(s, at, "mad.lo.u32 %%gid, %%x%d, %d, %%t;", x, s->threads);
}

/* Pointers, and in functions the two values that were passed. */
static void load_parameters(struct manual_sheet *s, const struct manual_place *at)
{
    const int y = manual_new_y(s);
    if (s->body->is_kernel) {
        manual_line(s, at, "ld.param.u64 %%y%d, [out];", y);
        manual_line(s, at, "cvta.to.global.u64 %%y%d, %%y%d;", y, y);
        manual_line(s, at, "mad.wide.u32 %%row, %%gid, %d, %%y%d;", 4 * ROW_WORDS, y);
        manual_line(s, at, "ld.param.u64 %%in, [input];");
        manual_line(s, at, "ld.param.u64 %%acc, [sums];");
    } else {
        manual_line(s, at, "ld.param.u64 %%row, [prow];");
        manual_line(s, at, "ld.param.u64 %%in, [pin];");
        manual_line(s, at, "ld.param.u64 %%acc, [pacc];");
    }
}

static void fill_data(struct manual_sheet *s, const struct manual_place *at)
{
    const int y = manual_new_y(s);
    manual_line(s, at, "mad.wide.u32 %%y%d, %%gid, 16, %%in;", y);
    manual_line(s, at, "ld.global.v4.u32 {%%a0, %%a1, %%a2, %%a3}, [%%y%d+%d];", y, 4 * IN_THREADS);
    if (!s->body->is_kernel)
        manual_line(s, at, "ld.param.b32 %%a0, [value];");
    manual_line(s, at, "mad.lo.u32 %%a4, %%t, 747796405, %%a0;");
    manual_line(s, at, "xor.b32 %%a5, %%a1, %%gid;");
    manual_line(s, at, "sub.u32 %%a6, %%a2, %%t;");
    manual_line(s, at, "mov.u32 %%a7, %%lane;");
    for (int i = 0; i < WIDE_COUNT; i++)
        manual_line(s, at, "mul.wide.u32 %%w%d, %%a%d, %%a%d;", i, i, i + 3);
    for (int i = 0; i < HALF_COUNT; i++)
        manual_line(s, at, "cvt.u16.u32 %%h%d, %%a%d;", i, 7 - i);
    for (int i = 0; i < FLAG_COUNT; i++)
        manual_line(s, at, "setp.lt.u32 %%q%d, %%a%d, %%a%d;", i, i, i + 1);
    for (int i = 0; i < UNIFORM_COUNT; i++)
        manual_line(s, at, "ld.global.u32 %%u%d, [%%in+%d];", i, 4 * (IN_UNIFORM + manual_dice_below(&s->dice, 64)));
}

void manual_prologue(struct manual_sheet *s, const struct manual_place *at)
{
    find_thread(s, at);
    load_parameters(s, at);
    fill_data(s, at);
    manual_line(s, at, "mov.u32 %%sh, slots;");
    manual_line(s, at, "mov.u32 %%buf, 0;");
    manual_line(s, at, "mov.u64 %%loc, words;");
    for (int i = 0; i < LOCAL_WORDS / 4; i++)
        manual_line(s, at, "st.local.v4.u32 [words+%d], {%%a%d, %%a%d, %%a%d, %%a%d};", 16 * i, i, i + 1, i + 2, i + 3);
}
