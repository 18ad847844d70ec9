/* Loads, stores and atomics that need no barrier: words that only this thread writes, tables, commutative sums. */
#include "sheet.h"

#include <stdio.h>

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

void manual_store_row(struct manual_sheet *s, const struct manual_place *at)
{
    const int word = ROW_FREE_WORD + roll(s, ROW_WORDS - ROW_FREE_WORD), byte = 4 * word;
    switch (roll(s, 6)) {
    case 0: {
        const int v2 = roll(s, HALF_COUNT);
        const int v1 = byte + 2 * roll(s, 2);
        manual_line(s, at, "st.global.u16 [%%row+%d], %%h%d;", v1, v2);
    } break;
    case 1: {
        const int v2 = manual_data(s);
        const int v1 = byte + roll(s, 4);
        manual_line(s, at, "st.global.u8 [%%row+%d], %%a%d;", v1, v2);
    } break;
    case 2:
        manual_line(s, at, "st.global.u64 [%%row+%d], %%w%d;", byte & ~7, roll(s, WIDE_COUNT));
        break;
    case 3: {
        const int v4 = manual_data(s);
        const int v3 = manual_data(s);
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "st.global.v4.u32 [%%row+%d], {%%a%d, %%a%d, %%a%d, %%a%d};", byte & ~15, v1, v2, v3, v4);
    } break;
    default:
        manual_line(s, at, "st.global.u32 [%%row+%d], %%a%d;", byte, manual_data(s));
    }
}

static void load_row(struct manual_sheet *s, const struct manual_place *at)
{
    const int byte = 4 * (ROW_FREE_WORD + roll(s, ROW_WORDS - ROW_FREE_WORD));
    switch (roll(s, 4)) {
    case 0:
        manual_line(s, at, "ld.global.v2.u32 {%%a%d, %%a%d}, [%%row+%d];", 0, 1 + roll(s, 7), byte & ~7);
        break;
    case 1: {
        const int v2 = byte + roll(s, 4);
        const int v1 = manual_data(s);
        manual_line(s, at, "ld.global.s8 %%a%d, [%%row+%d];", v1, v2);
    } break;
    case 2:
        manual_line(s, at, "ld.s64 %%w%d, [%%row+%d];", roll(s, WIDE_COUNT), byte & ~7);
        break;
    default:
        manual_line(s, at, "ld.global.u32 %%a%d, [%%row+%d];", manual_data(s), byte);
    }
}

/* An index into a small array whose length is a power of two. */
static int index_address(struct manual_sheet *s, const struct manual_place *at, const char *base, int length)
{
    const int x = manual_new_x(s), y = manual_new_y(s);
    manual_line(s, at, "and.b32 %%x%d, %%a%d, %d;", x, manual_data(s), length - 1);
    manual_line(s, at, "mad.wide.u32 %%y%d, %%x%d, 4, %s;", y, x, base);
    return y;
}

static void use_local(struct manual_sheet *s, const struct manual_place *at)
{
    const int quarter = 16 * roll(s, LOCAL_WORDS / 4);
    switch (roll(s, 5)) {
    case 0: {
        const int v3 = manual_data(s);
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "st.local.v4.u32 [words+%d], {%%a0, %%a%d, %%a%d, %%a%d};", quarter, v1, v2, v3);
    } break;
    case 1:
        manual_line(s, at, "ld.local.v2.u32 {%%a2, %%a5}, [words+%d];", quarter + 8 * roll(s, 2));
        break;
    case 2: {
        const int v2 = roll(s, HALF_COUNT);
        const int v1 = quarter + 2 * roll(s, 8);
        manual_line(s, at, "st.local.u16 [words+%d], %%h%d;", v1, v2);
    } break;
    case 3: {
        const int y = index_address(s, at, "%loc", LOCAL_WORDS);
        manual_line(s, at, "st.local.u32 [%%y%d], %%a%d;", y, manual_data(s));
        break;
    }
    default: {
        const int y = index_address(s, at, "%loc", LOCAL_WORDS);
        manual_line(s, at, "ld.local.u32 %%a%d, [%%y%d];", manual_data(s), y);
    }
    }
}

static void read_table(struct manual_sheet *s, const struct manual_place *at)
{
    if (manual_dice_percent(&s->dice, 50)) {
        const int base = manual_new_y(s);
        char name[16];
        manual_line(s, at, "mov.u64 %%y%d, table;", base);
        sprintf(name, "%%y%d", base);
        const int y = index_address(s, at, name, CONST_WORDS);
        manual_line(s, at, "ld.const.u32 %%a%d, [%%y%d];", manual_data(s), y);
    } else {
        const int y = index_address(s, at, "%in", 64);
        {
            const int v2 = manual_data(s);
            const char *const v1 = roll(s, 2) ? ".nc" : "";
            manual_line(s, at, "ld.global%s.u32 %%a%d, [%%y%d+%d];", v1, v2, y, 4 * IN_UNIFORM);
        }
    }
}

/* Each operation has a word of its own: together they would not commute. */
static void add_up(struct manual_sheet *s, const struct manual_place *at)
{
    static const char *const kinds[] = {"add.u32", "min.u32", "max.u32", "min.s32",
                                        "max.s32", "and.b32", "or.b32",  "xor.b32"};
    const int kind = roll(s, 9);
    if (kind == 8)
        manual_line(s, at, "red.global.add.u64 [%%acc+32], %%w%d;", roll(s, WIDE_COUNT));
    else if (manual_dice_percent(&s->dice, 20)) {
        const int v2 = manual_data(s);
        const int v1 = manual_new_x(s);
        manual_line(s, at, "atom.global.%s %%x%d, [%%acc+%d], %%a%d;", kinds[kind], v1, 4 * kind, v2);
    } else
        manual_line(s, at, "red.global.%s [%%acc+%d], %%a%d;", kinds[kind], 4 * kind, manual_data(s));
}

void manual_memory(struct manual_sheet *s, const struct manual_place *at)
{
    switch (roll(s, 8)) {
    case 0:
    case 1:
        manual_store_row(s, at);
        break;
    case 2:
        load_row(s, at);
        break;
    case 3:
    case 4:
        use_local(s, at);
        break;
    case 5:
        read_table(s, at);
        break;
    default:
        add_up(s, at);
    }
}
