/* Arithmetic of all widths, and the conditions of branches. */
#include "sheet.h"

#include <stdio.h>

/* What is written for one operation: `d`, `a`, `b`, `c` are registers of the width, `n` a small number. */
struct operation {
    const char *name;
    enum { TWO, THREE, ONE, BY_NUMBER, DIVIDE, FIELD } shape;
};

static const struct operation operations32[] = {
    {"add.u32", TWO},        {"add.s32", TWO},        {"add.sat.s32", TWO},      {"sub.s32", TWO},
    {"sub.sat.s32", TWO},    {"mul.lo.u32", TWO},     {"mul.hi.u32", TWO},       {"mul.hi.s32", TWO},
    {"mul.lo.s32", TWO},     {"mul24.lo.u32", TWO},   {"mad.lo.u32", THREE},     {"mad.hi.s32", THREE},
    {"mad.lo.s32", THREE},   {"mad24.lo.s32", THREE}, {"sad.u32", THREE},        {"sad.s32", THREE},
    {"min.u32", TWO},        {"min.s32", TWO},        {"max.u32", TWO},          {"max.s32", TWO},
    {"and.b32", TWO},        {"or.b32", TWO},         {"xor.b32", TWO},          {"xor.b32", TWO},
    {"not.b32", ONE},        {"cnot.b32", ONE},       {"neg.s32", ONE},          {"brev.b32", ONE},
    {"popc.b32", ONE},       {"clz.b32", ONE},        {"bfind.u32", ONE},        {"bfind.s32", ONE},
    {"shl.b32", BY_NUMBER},  {"shr.u32", BY_NUMBER},  {"shr.s32", BY_NUMBER},    {"div.u32", DIVIDE},
    {"rem.u32", DIVIDE},     {"div.s32", DIVIDE},     {"rem.s32", DIVIDE},       {"bfe.u32", FIELD},
    {"bfe.s32", FIELD},      {"prmt.b32", THREE},     {"shf.l.wrap.b32", THREE}, {"shf.r.clamp.b32", THREE},
    {"dp4a.u32.u32", THREE}, {"dp4a.s32.u32", THREE},
};

static const struct operation operations64[] = {
    {"add.u64", TWO},       {"sub.s64", TWO},    {"mul.lo.u64", TWO}, {"mul.hi.s64", TWO},    {"mad.lo.s64", THREE},
    {"min.s64", TWO},       {"max.u64", TWO},    {"and.b64", TWO},    {"or.b64", TWO},        {"xor.b64", TWO},
    {"not.b64", ONE},       {"neg.s64", ONE},    {"brev.b64", ONE},   {"shl.b64", BY_NUMBER}, {"shr.u64", BY_NUMBER},
    {"shr.s64", BY_NUMBER}, {"div.u64", DIVIDE}, {"rem.u64", DIVIDE}, {"bfe.u64", FIELD},     {"bfe.s64", FIELD},
};

static const struct operation operations16[] = {
    {"add.u16", TWO},    {"sub.s16", TWO},    {"mul.lo.u16", TWO},    {"mul.hi.s16", TWO},    {"mad.lo.u16", THREE},
    {"min.s16", TWO},    {"max.u16", TWO},    {"and.b16", TWO},       {"or.b16", TWO},        {"xor.b16", TWO},
    {"not.b16", ONE},    {"neg.s16", ONE},    {"shl.b16", BY_NUMBER}, {"shr.s16", BY_NUMBER}, {"shr.u16", BY_NUMBER},
    {"div.u16", DIVIDE}, {"rem.s16", DIVIDE},
};

#define ENTRIES(array) ((int)(sizeof(array) / sizeof *(array)))

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

int manual_data(struct manual_sheet *s)
{
    return roll(s, DATA_COUNT);
}

/* A divisor that is neither 0 nor negative; the manual leaves division by zero open. */
static int small_divisor(struct manual_sheet *s, const struct manual_place *at, char letter, int count)
{
    const int bits = letter == 'w' ? 64 : letter == 'h' ? 16 : 32;
    const char temporary = letter == 'w' ? 'y' : letter == 'h' ? 'z' : 'x';
    const int n = letter == 'w' ? manual_new_y(s) : letter == 'h' ? manual_new_z(s) : manual_new_x(s);
    manual_line(s, at, "and.b%d %%%c%d, %%%c%d, 127;", bits, temporary, n, letter, roll(s, count));
    manual_line(s, at, "or.b%d %%%c%d, %%%c%d, 1;", bits, temporary, n, temporary, n);
    return n;
}

/* `guard` is empty or "@%qN ". */
static void write_operation(struct manual_sheet *s, const struct manual_place *at, const struct operation *o,
                            char letter, int count, const char *guard)
{
    const int d = roll(s, count), a = roll(s, count), b = roll(s, count), c = roll(s, count);
    const char temporary = letter == 'w' ? 'y' : letter == 'h' ? 'z' : 'x';
    switch (o->shape) {
    case ONE:
        manual_line(s, at, "%s%s %%%c%d, %%%c%d;", guard, o->name, letter, d, letter, a);
        break;
    case TWO:
        if (letter != 'h' && manual_dice_percent(&s->dice, 30))
            manual_line(s, at, "%s%s %%%c%d, %%%c%d, %d;", guard, o->name, letter, d, letter, a, roll(s, 4000) - 1000);
        else
            manual_line(s, at, "%s%s %%%c%d, %%%c%d, %%%c%d;", guard, o->name, letter, d, letter, a, letter, b);
        break;
    case THREE:
        manual_line(s, at, "%s%s %%%c%d, %%%c%d, %%%c%d, %%%c%d;", guard, o->name, letter, d, letter, a, letter, b,
                    letter, c);
        break;
    case BY_NUMBER:
        if (manual_dice_percent(&s->dice, 50)) {
            manual_line(s, at, "%s%s %%%c%d, %%%c%d, %d;", guard, o->name, letter, d, letter, a, roll(s, 20));
        } else {
            const int n = manual_new_x(s);
            manual_line(s, at, "and.b32 %%x%d, %%a%d, 31;", n, manual_data(s));
            manual_line(s, at, "%s%s %%%c%d, %%%c%d, %%x%d;", guard, o->name, letter, d, letter, a, n);
        }
        break;
    case DIVIDE: {
        const int n = small_divisor(s, at, letter, count);
        manual_line(s, at, "%s%s %%%c%d, %%%c%d, %%%c%d;", guard, o->name, letter, d, letter, a, temporary, n);
        break;
    }
    case FIELD: {
        const int v2 = roll(s, 40);
        const int v1 = roll(s, 32);
        manual_line(s, at, "%s%s %%%c%d, %%%c%d, %d, %d;", guard, o->name, letter, d, letter, a, v1, v2);
    } break;
    }
}

static void convert(struct manual_sheet *s, const struct manual_place *at)
{
    const int a = manual_data(s), w = roll(s, WIDE_COUNT), h = roll(s, HALF_COUNT), n = manual_new_x(s);
    switch (roll(s, 9)) {
    case 0:
        manual_line(s, at, "cvt.u64.u32 %%w%d, %%a%d;", w, a);
        break;
    case 1:
        manual_line(s, at, "cvt.s64.s32 %%w%d, %%a%d;", w, a);
        break;
    case 2:
        manual_line(s, at, "cvt.u32.u64 %%a%d, %%w%d;", a, w);
        break;
    case 3:
        manual_line(s, at, "cvt.u16.u32 %%h%d, %%a%d;", h, a);
        break;
    case 4:
        manual_line(s, at, "cvt.s32.s16 %%a%d, %%h%d;", a, h);
        break;
    case 5:
        manual_line(s, at, "mul.wide.u32 %%w%d, %%a%d, %%a%d;", w, a, manual_data(s));
        break;
    case 6: {
        const int v2 = manual_data(s);
        const int v1 = roll(s, HALF_COUNT);
        manual_line(s, at, "mad.wide.s16 %%a%d, %%h%d, %%h%d, %%a%d;", a, h, v1, v2);
    } break;
    case 7:
        manual_line(s, at, "mov.b64 {%%x%d, %%a%d}, %%w%d;", n, a, w);
        manual_line(s, at, "mov.b64 %%w%d, {%%a%d, %%x%d};", w, a, n);
        break;
    default: /* whole numbers below 2^24 are exact */
        manual_line(s, at, "and.b32 %%x%d, %%a%d, 1023;", n, a);
        manual_line(s, at, "cvt.rn.f32.u32 %%f0, %%x%d;", n);
        manual_line(s, at, "fma.rn.f32 %%f1, %%f0, 0f40400000, %%f0;");
        manual_line(s, at, "cvt.rzi.u32.f32 %%x%d, %%f1;", n);
        manual_line(s, at, "add.u32 %%a%d, %%a%d, %%x%d;", a, manual_data(s), n);
    }
}

static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};

/* Predicates of the thread's data, in all forms of setp. */
static void compare(struct manual_sheet *s, const struct manual_place *at)
{
    static const char *const joins[] = {"and", "or", "xor"};
    const char *cmp = compares[roll(s, 6)];
    const int q = roll(s, FLAG_COUNT), r = (q + 1 + roll(s, FLAG_COUNT - 1)) % FLAG_COUNT;
    switch (roll(s, 6)) {
    case 0: {
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "setp.%s.s32 %%q%d, %%a%d, %%a%d;", cmp, q, v1, v2);
    } break;
    case 1: {
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "setp.%s.u32 %%q%d|%%q%d, %%a%d, %%a%d;", cmp, q, r, v1, v2);
    } break;
    case 2: {
        const int v5 = roll(s, FLAG_COUNT);
        const char *const v4 = roll(s, 2) ? "!" : "";
        const int v3 = roll(s, 100);
        const int v2 = manual_data(s);
        const char *const v1 = joins[roll(s, 3)];
        manual_line(s, at, "setp.%s.%s.s32 %%q%d, %%a%d, %d, %s%%q%d;", cmp, v1, q, v2, v3, v4, v5);
    } break;
    case 3: {
        const int v4 = roll(s, FLAG_COUNT);
        const int v3 = roll(s, WIDE_COUNT);
        const int v2 = roll(s, WIDE_COUNT);
        const char *const v1 = joins[roll(s, 3)];
        manual_line(s, at, "setp.%s.%s.u64 %%q%d|%%q%d, %%w%d, %%w%d, %%q%d;", cmp, v1, q, r, v2, v3, v4);
    } break;
    case 4: {
        const int v2 = roll(s, HALF_COUNT);
        const int v1 = roll(s, HALF_COUNT);
        manual_line(s, at, "setp.%s.s16 %%q%d, %%h%d, %%h%d;", cmp, q, v1, v2);
    } break;
    default: {
        const int v2 = roll(s, FLAG_COUNT);
        const char *const v1 = joins[roll(s, 3)];
        manual_line(s, at, "%s.pred %%q%d, %%q%d, %%q%d;", v1, q, r, v2);
    }
    }
}

static void choose(struct manual_sheet *s, const struct manual_place *at)
{
    const int q = roll(s, FLAG_COUNT);
    switch (roll(s, 4)) {
    case 0: {
        const int v3 = manual_data(s);
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "selp.b32 %%a%d, %%a%d, %%a%d, %%q%d;", v1, v2, v3, q);
    } break;
    case 1: {
        const int v3 = roll(s, WIDE_COUNT);
        const int v2 = roll(s, WIDE_COUNT);
        const int v1 = roll(s, WIDE_COUNT);
        manual_line(s, at, "selp.b64 %%w%d, %%w%d, %%w%d, %%q%d;", v1, v2, v3, q);
    } break;
    case 2: {
        const int v4 = manual_data(s);
        const int v3 = manual_data(s);
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "slct.s32.s32 %%a%d, %%a%d, %%a%d, %%a%d;", v1, v2, v3, v4);
    } break;
    default: {
        const int v3 = manual_data(s);
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "set.lt.u32.s32 %%a%d, %%a%d, %%a%d;", v1, v2, v3);
    }
    }
}

static void add_with_carry(struct manual_sheet *s, const struct manual_place *at)
{
    const int low = manual_data(s), high = (low + 1) % DATA_COUNT;
    manual_line(s, at, "add.cc.u32 %%a%d, %%a%d, %%a%d;", low, low, manual_data(s));
    manual_line(s, at, "addc.u32 %%a%d, %%a%d, 0;", high, high);
}

void manual_arithmetic(struct manual_sheet *s, const struct manual_place *at)
{
    char guard[16] = "";
    if (manual_dice_percent(&s->dice, 20)) {
        const int v2 = roll(s, FLAG_COUNT);
        const char *const v1 = roll(s, 2) ? "!" : "";
        sprintf(guard, "@%s%%q%d ", v1, v2);
    }
    const int kind = roll(s, 100);
    if (kind < 50)
        write_operation(s, at, &operations32[roll(s, ENTRIES(operations32))], 'a', DATA_COUNT, guard);
    else if (kind < 60)
        write_operation(s, at, &operations64[roll(s, ENTRIES(operations64))], 'w', WIDE_COUNT, guard);
    else if (kind < 70)
        write_operation(s, at, &operations16[roll(s, ENTRIES(operations16))], 'h', HALF_COUNT, guard);
    else if (kind < 80)
        convert(s, at);
    else if (kind < 90)
        compare(s, at);
    else if (kind < 97)
        choose(s, at);
    else
        add_with_carry(s, at);
}

/* Where not all threads of the block are, what they have alike must stay. */
void manual_uniform_arithmetic(struct manual_sheet *s, const struct manual_place *at)
{
    const int d = roll(s, UNIFORM_COUNT), a = roll(s, UNIFORM_COUNT);
    if (!at->is_uniform || at->group)
        return;
    switch (roll(s, 3)) {
    case 0:
        manual_line(s, at, "mad.lo.u32 %%u%d, %%u%d, 1664525, 1013904223;", d, a);
        break;
    case 1:
        manual_line(s, at, "xor.b32 %%u%d, %%u%d, %%u%d;", d, d, a);
        break;
    default:
        manual_line(s, at, "shf.r.wrap.b32 %%u%d, %%u%d, %%u%d, %d;", d, d, d, 1 + roll(s, 30));
    }
}

static int load_input(struct manual_sheet *s, const struct manual_place *at, int first)
{
    const int x = manual_new_x(s), y = manual_new_y(s), word = roll(s, 56);
    if (manual_dice_percent(&s->dice, 50)) {
        manual_line(s, at, "ld.global.u32 %%x%d, [%%in+%d];", x, 4 * (first + word));
        return x;
    }
    manual_line(s, at, "mov.u32 %%x%d, %%ctaid.x;", x);
    manual_line(s, at, "mad.wide.u32 %%y%d, %%x%d, 4, %%in;", y, x);
    manual_line(s, at, "ld.global.u32 %%x%d, [%%y%d+%d];", x, y, 4 * (first + word));
    return x;
}

/* True of some threads: by number, lane, warp or data. */
static int some_threads(struct manual_sheet *s, const struct manual_place *at, int percent)
{
    const int x = manual_new_x(s), p = manual_new_p(s), width = 3 + roll(s, 3), most = 1 << width;
    const int limit = 1 + (most - 1) * percent / 100, odd = roll(s, most);
    switch (roll(s, 7)) {
    case 0:
        manual_line(s, at, "and.b32 %%x%d, %%t, %d;", x, most - 1);
        manual_line(s, at, "setp.lt.u32 %%p%d, %%x%d, %d;", p, x, limit);
        break;
    case 1: {
        const int v2 = roll(s, 24);
        const int v1 = manual_data(s);
        manual_line(s, at, "bfe.u32 %%x%d, %%a%d, %d, %d;", x, v1, v2, width);
    }
        manual_line(s, at, "setp.lt.u32 %%p%d, %%x%d, %d;", p, x, limit);
        break;
    case 2:
        manual_line(s, at, "xor.b32 %%x%d, %%lane, %d;", x, odd);
        manual_line(s, at, "setp.lt.u32 %%p%d, %%x%d, %d;", p, x, limit);
        break;
    case 3: {
        const int v2 = s->threads * (100 - percent) / 100 + roll(s, 3);
        const char *const v1 = roll(s, 2) ? "ge" : "eq";
        manual_line(s, at, "setp.%s.u32 %%p%d, %%t, %d;", v1, p, v2);
    } break;
    case 4:
        if (s->warps > 1) {
            const int v2 = 1 + roll(s, s->warps);
            const char *const v1 = roll(s, 2) ? "eq" : "gt";
            manual_line(s, at, "setp.%s.u32 %%p%d, %%warp, %d;", v1, p, v2);
        } else
            manual_line(s, at, "setp.gt.u32 %%p%d, %%lane, %d;", p, 31 - 32 * percent / 100);
        break;
    case 5: {
        const int v2 = roll(s, 24);
        const int v1 = manual_data(s);
        manual_line(s, at, "bfe.u32 %%x%d, %%a%d, %d, %d;", x, v1, v2, width);
    }
        manual_line(s, at, "setp.lt.%s.u32 %%p%d, %%x%d, %d, %%q%d;", percent > 30 ? "or" : "and", p, x, limit,
                    roll(s, FLAG_COUNT));
        break;
    default: {
        const int v2 = manual_data(s);
        const int v1 = 1 + 2 * roll(s, 50);
        manual_line(s, at, "mad.lo.u32 %%x%d, %%t, %d, %%a%d;", x, v1, v2);
    }
        manual_line(s, at, "bfe.u32 %%x%d, %%x%d, %d, %d;", x, x, roll(s, 8), width);
        manual_line(s, at, "setp.lt.u32 %%p%d, %%x%d, %d;", p, x, limit);
    }
    return p;
}

static int no_thread(struct manual_sheet *s, const struct manual_place *at)
{
    const int p = manual_new_p(s);
    if (manual_dice_percent(&s->dice, 15)) {
        manual_line(s, at, "setp.gt.u32 %%p%d, %%t, %d;", p, 256 + roll(s, 64));
    } else {
        const int x = load_input(s, at, IN_ZEROS);
        if (manual_dice_percent(&s->dice, 40))
            manual_line(s, at, "setp.ne.and.u32 %%p%d, %%x%d, 0, %%q%d;", p, x, roll(s, FLAG_COUNT));
        else
            manual_line(s, at, "setp.ne.u32 %%p%d, %%x%d, 0;", p, x);
    }
    return p;
}

int manual_condition(struct manual_sheet *s, const struct manual_place *at, enum manual_condition kind)
{
    if (kind == IF_SOME)
        return some_threads(s, at, 50);
    if (kind == IF_FEW)
        return some_threads(s, at, 12);
    if (kind == IF_NEVER)
        return no_thread(s, at);
    const int p = manual_new_p(s);
    if (kind == IF_RARE_UNIFORM) {
        const int x = load_input(s, at, IN_RARE);
        manual_line(s, at, "setp.ne.u32 %%p%d, %%x%d, 0;", p, x);
        return p;
    }
    int x = manual_new_x(s);
    if (manual_dice_percent(&s->dice, 50)) {
        const int v2 = roll(s, 28);
        const int v1 = roll(s, UNIFORM_COUNT);
        manual_line(s, at, "shr.u32 %%x%d, %%u%d, %d;", x, v1, v2);
    } else
        x = load_input(s, at, IN_UNIFORM);
    const int bit = manual_new_x(s);
    manual_line(s, at, "and.b32 %%x%d, %%x%d, 3;", bit, x);
    manual_line(s, at, "setp.lt.u32 %%p%d, %%x%d, %d;", p, bit, 1 + roll(s, 3));
    return p;
}

int manual_trips(struct manual_sheet *s, const struct manual_place *at, bool uniform, int most)
{
    const int x = manual_new_x(s);
    if (uniform && manual_dice_percent(&s->dice, 50)) {
        const int loaded = load_input(s, at, IN_UNIFORM);
        manual_line(s, at, "rem.u32 %%x%d, %%x%d, %d;", x, loaded, most);
    } else {
        if (uniform)
            manual_line(s, at, "rem.u32 %%x%d, %%u%d, %d;", x, roll(s, UNIFORM_COUNT), most);
        else
            manual_line(s, at, "rem.u32 %%x%d, %%a%d, %d;", x, manual_data(s), most);
    }
    manual_line(s, at, "add.u32 %%x%d, %%x%d, 1;", x, x);
    return x;
}
