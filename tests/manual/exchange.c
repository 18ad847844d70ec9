/*
 * Values handed over in shared memory: a thread writes its slot, all come to a barrier, a thread reads another's slot.
 * A barrier that opens too early, or lets a thread pass, gives a wrong value.
 *
 * A thread ends only where its slot was not written since its last barrier, so that what it leaves behind is ordered
 * before the reads of all others. Two exchanges in a row use different buffers, or end in a second barrier.
 */
#include "sheet.h"

#include <stdio.h>

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

/* What part of a slot goes from thread to thread. */
struct parcel {
    enum { WORD, PAIR, QUAD, LONG, HALF, BYTE } kind;
    int offset;
};

static struct parcel draw_parcel(struct manual_sheet *s)
{
    static const int steps[] = {4, 8, 16, 8, 2, 1};
    struct parcel p = {.kind = roll(s, 12)};
    if (p.kind > BYTE)
        p.kind = WORD;
    p.offset = steps[p.kind] * roll(s, SLOT_BYTES / steps[p.kind]);
    return p;
}

static void write_slot(struct manual_sheet *s, const struct manual_place *at, const char *guard, int address,
                       const struct parcel *p)
{
    switch (p->kind) {
    case WORD:
        manual_line(s, at, "%sst.shared.u32 [%%x%d+%d], %%a%d;", guard, address, p->offset, manual_data(s));
        break;
    case PAIR: {
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "%sst.shared.v2.u32 [%%x%d+%d], {%%a%d, %%a%d};", guard, address, p->offset, v1, v2);
    } break;
    case QUAD: {
        const int v4 = manual_data(s);
        const int v3 = manual_data(s);
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "%sst.shared.v4.u32 [%%x%d+%d], {%%a%d, %%a%d, %%a%d, %%a%d};", guard, address, p->offset,
                    v1, v2, v3, v4);
    } break;
    case LONG:
        manual_line(s, at, "%sst.shared.u64 [%%x%d+%d], %%w%d;", guard, address, p->offset, roll(s, WIDE_COUNT));
        break;
    case HALF:
        manual_line(s, at, "%sst.shared.u16 [%%x%d+%d], %%h%d;", guard, address, p->offset, roll(s, HALF_COUNT));
        break;
    case BYTE:
        manual_line(s, at, "%sst.shared.u8 [%%x%d+%d], %%a%d;", guard, address, p->offset, manual_data(s));
        break;
    }
}

/* Through a generic address, as code does that was given a pointer. */
static void write_generic(struct manual_sheet *s, const struct manual_place *at, int address, const struct parcel *p)
{
    const int y = manual_new_y(s);
    manual_line(s, at, "cvt.u64.u32 %%y%d, %%x%d;", y, address);
    manual_line(s, at, "cvta.shared.u64 %%y%d, %%y%d;", y, y);
    manual_line(s, at, "st.u8 [%%y%d+%d], %%a%d;", y, p->offset, manual_data(s));
}

static void write_somehow(struct manual_sheet *s, const struct manual_place *at, int address, const struct parcel *p)
{
    char guard[16] = "";
    const int form = roll(s, 100);
    if (form < 15) {
        sprintf(guard, "@%%q%d ", roll(s, FLAG_COUNT));
        write_slot(s, at, guard, address, p);
    } else if (form < 25) {
        const int condition = manual_condition(s, at, IF_SOME), label = manual_new_label(s);
        struct manual_place inner = manual_inner(at, false);
        inner.may_end = false;
        write_slot(s, at, "", address, p);
        manual_line(s, at, "@%%p%d bra $L%d;", condition, label);
        manual_statements(s, &inner, 1);
        write_slot(s, &inner, "", address, p);
        manual_label(s, label);
    } else if (form < 32) {
        write_generic(s, at, address, p);
    } else {
        write_slot(s, at, "", address, p);
    }
}

/* The address of another thread's slot; the whole warp's same one if `alike`. */
static int partner_address(struct manual_sheet *s, const struct manual_place *at, const char *buffer, bool *alike)
{
    const int first = 32 * at->warp_first;
    int count = s->threads - first;
    if (count > 32 * at->warp_count)
        count = 32 * at->warp_count;
    const int x = manual_new_x(s), kind = roll(s, 5);
    *alike = kind == 0;
    if (kind == 0) {
        manual_line(s, at, "mov.u32 %%x%d, %d;", x, roll(s, count));
    } else if (kind == 1) {
        manual_line(s, at, "sub.u32 %%x%d, %d, %%t;", x, 2 * first + count - 1);
    } else if (kind == 2) {
        manual_line(s, at, "rem.u32 %%x%d, %%a%d, %d;", x, manual_data(s), count);
    } else {
        manual_line(s, at, "add.u32 %%x%d, %%t, %d;", x, 1 + roll(s, count + 32));
        manual_line(s, at, "rem.u32 %%x%d, %%x%d, %d;", x, x, count);
    }
    if (kind != 1 && first)
        manual_line(s, at, "add.u32 %%x%d, %%x%d, %d;", x, x, first);
    manual_line(s, at, "mad.lo.u32 %%x%d, %%x%d, %d, %%sh;", x, x, SLOT_BYTES);
    manual_line(s, at, "add.u32 %%x%d, %%x%d, %s;", x, x, buffer);
    return x;
}

static void read_slot(struct manual_sheet *s, const struct manual_place *at, const char *buffer, const struct parcel *p)
{
    bool alike;
    const int address = partner_address(s, at, buffer, &alike), a = manual_data(s), x = manual_new_x(s);
    switch (p->kind) {
    case PAIR:
        manual_line(s, at, "ld.shared.v2.u32 {%%x%d, %%a%d}, [%%x%d+%d];", x, a, address, p->offset);
        break;
    case QUAD:
        manual_line(s, at, "ld.shared.v4.u32 {%%a%d, %%x%d, %%a%d, %%a%d}, [%%x%d+%d];", a, x, (a + 1) % 8, (a + 2) % 8,
                    address, p->offset);
        break;
    case LONG:
        manual_line(s, at, "ld.shared.u64 %%w%d, [%%x%d+%d];", roll(s, WIDE_COUNT), address, p->offset);
        return;
    case HALF:
        manual_line(s, at, "ld.shared.u16 %%x%d, [%%x%d+%d];", x, address, p->offset);
        break;
    case BYTE:
        manual_line(s, at, "ld.shared.s8 %%x%d, [%%x%d+%d];", x, address, p->offset);
        break;
    default:
        manual_line(s, at, "ld.shared.u32 %%x%d, [%%x%d+%d];", x, address, p->offset);
    }
    manual_line(s, at, "%s.b32 %%a%d, %%a%d, %%x%d;", roll(s, 3) ? "xor" : "or", a, a, x);
    if (alike && at->is_uniform && !at->group && roll(s, 2))
        manual_line(s, at, "xor.b32 %%u%d, %%u%d, %%x%d;", a % UNIFORM_COUNT, a % UNIFORM_COUNT, x);
}

/* Divergent code in which no thread ends and which nobody leaves. */
static void divert(struct manual_sheet *s, const struct manual_place *at, bool may_end, int label)
{
    const struct manual_scope skip = {label, SCOPE_CLOSED, at->group, at->scopes};
    struct manual_place inner = manual_inner(at, false);
    inner.may_end = may_end;
    inner.scopes = &skip;
    manual_statements(s, &inner, 1 + roll(s, 2));
}

/* Called functions, and groups, hand over in the third buffer. */
static bool takes_turns(struct manual_sheet *s, const struct manual_place *at)
{
    return s->body->is_kernel && !at->group && roll(s, 2);
}

void manual_exchange(struct manual_sheet *s, const struct manual_place *at)
{
    const bool turns = takes_turns(s, at);
    const int address = manual_new_x(s), past = manual_new_label(s);
    const struct parcel parcel = draw_parcel(s);
    char buffer[16] = "%buf";
    if (!turns)
        sprintf(buffer, "%d", 2 * manual_buffer_bytes(s));
    manual_line(s, at, "mad.lo.u32 %%x%d, %%t, %d, %%sh;", address, SLOT_BYTES);
    manual_line(s, at, "add.u32 %%x%d, %%x%d, %s;", address, address, buffer);
    write_somehow(s, at, address, &parcel);
    if (manual_dice_percent(&s->dice, 50))
        divert(s, at, false, past);
    if (manual_dice_percent(&s->dice, 10) && !at->group) {
        struct manual_place inner = manual_inner(at, true);
        inner.may_end = false;
        manual_call(s, &inner);
    }
    manual_barrier(s, at);
    if (manual_dice_percent(&s->dice, 30))
        divert(s, at, at->may_end, past);
    for (int reads = 1 + roll(s, 2); reads > 0; reads--)
        read_slot(s, at, buffer, &parcel);
    if (turns)
        manual_line(s, at, "xor.b32 %%buf, %%buf, %d;", manual_buffer_bytes(s));
    else
        manual_barrier(s, at);
    manual_label(s, past);
}

/* Counters only grow: nobody has to set them back. */
void manual_counter(struct manual_sheet *s, const struct manual_place *at)
{
    static const char *const kinds[] = {"add.u32", "or.b32", "xor.b32", "max.u32", "min.s32"};
    const int kind = roll(s, 5), byte = 3 * manual_buffer_bytes(s) + 4 * kind, x = manual_new_x(s),
              past = manual_new_label(s);
    const int guard = manual_condition(s, at, roll(s, 2) ? IF_SOME : IF_FEW);
    manual_line(s, at, "@%%p%d red.shared.%s [%%sh+%d], %%a%d;", guard, kinds[kind], byte, manual_data(s));
    if (manual_dice_percent(&s->dice, 30))
        divert(s, at, false, past);
    manual_barrier(s, at);
    manual_line(s, at, "ld.shared.u32 %%x%d, [%%sh+%d];", x, byte);
    {
        const int v2 = 2 + roll(s, 2);
        const int v1 = roll(s, 2);
        manual_line(s, at, "xor.b32 %%u%d, %%u%d, %%x%d;", v1, v2, x);
    }
    {
        const int v2 = manual_data(s);
        const int v1 = manual_data(s);
        manual_line(s, at, "add.u32 %%a%d, %%a%d, %%x%d;", v1, v2, x);
    }
    if (manual_dice_percent(&s->dice, 30))
        divert(s, at, at->may_end, past);
    manual_barrier(s, at);
    manual_label(s, past);
}

/* One side of a split exchange. Both sides' barriers reduce, or neither does: PTX does not let one barrier do both. */
static void split_side(struct manual_sheet *s, const struct manual_place *at, int address, const struct parcel *parcel,
                       const char *barrier, int past)
{
    struct manual_place inner = manual_inner(at, false);
    char buffer[16];
    const int x = manual_new_x(s);
    sprintf(buffer, "%d", 2 * manual_buffer_bytes(s));
    inner.may_end = false;
    if (roll(s, 2))
        divert(s, &inner, false, past);
    write_slot(s, &inner, "", address, parcel);
    if (barrier[0] == '#') {
        manual_line(s, &inner, "barrier.red.popc.u32 %%x%d, %s, %%q%d;", x, barrier + 1, roll(s, FLAG_COUNT));
        {
            const int v2 = manual_data(s);
            const int v1 = manual_data(s);
            manual_line(s, &inner, "add.u32 %%a%d, %%a%d, %%x%d;", v1, v2, x);
        }
    } else {
        manual_line(s, &inner, "%s;", barrier);
    }
    inner.may_end = at->may_end;
    if (roll(s, 3) == 0)
        divert(s, &inner, at->may_end, past);
    read_slot(s, &inner, buffer, parcel);
}

void manual_split_exchange(struct manual_sheet *s, const struct manual_place *at)
{
    const int otherwise = manual_new_label(s), past = manual_new_label(s), address = manual_new_x(s),
              number = 1 + roll(s, 7);
    const bool whole_warps = s->warps > 1 && manual_dice_percent(&s->dice, 40);
    const bool counted = at->may_count && s->body->is_kernel && roll(s, 2), reduces = !whole_warps && roll(s, 4) == 0;
    const struct parcel parcel = draw_parcel(s);
    char barrier[40];
    int p = manual_new_p(s);
    if (whole_warps)
        manual_line(s, at, "setp.lt.u32 %%p%d, %%warp, %d;", p, 1 + roll(s, s->warps - 1));
    else
        p = manual_condition(s, at, IF_SOME);
    sprintf(barrier, "%s%d%s",
            reduces       ? "#"
            : whole_warps ? "bar.sync "
                          : "barrier.sync ",
            number, counted ? ", %cnt" : "");
    manual_line(s, at, "mad.lo.u32 %%x%d, %%t, %d, %%sh;", address, SLOT_BYTES);
    manual_line(s, at, "add.u32 %%x%d, %%x%d, %d;", address, address, 2 * manual_buffer_bytes(s));
    manual_line(s, at, "@%%p%d bra $L%d;", p, otherwise);
    split_side(s, at, address, &parcel, barrier, past);
    manual_line(s, at, "bra%s $L%d;", manual_uni(s), past);
    manual_label(s, otherwise);
    split_side(s, at, address, &parcel, barrier, past);
    manual_label(s, past);
    manual_barrier(s, at);
}
