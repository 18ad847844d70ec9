/* Finds the handler of an instruction by asking each file of handlers in turn. */
#include "lanes/lane_loop.h"
#include "lanes/narrow.h"

#include <fenv.h>

typedef lane_fn *finder(const struct insn *insn);

/* One file of handlers: what finds the handlers of rows, and of single lanes (NULL: the file has none). */
#define BOTH(name)                                    \
    {                                                 \
        lanes_find_##name, lanes_find_##name##_single \
    }
#define ROWS(name)              \
    {                           \
        lanes_find_##name, NULL \
    }
static const struct {
    finder *row, *single;
} finders[] = {
    BOTH(int),   BOTH(mul),     BOTH(carry),        BOTH(bits),
    BOTH(field), BOTH(compare), BOTH(compare_half), BOTH(select),
    BOTH(f32),   BOTH(f64),     BOTH(half),         BOTH(sign),
    BOTH(math),  BOTH(convert), ROWS(narrow),       ROWS(any_conversion),
    BOTH(move),  BOTH(packed),  ROWS(video),
};
enum { FINDERS = sizeof finders / sizeof *finders };

lane_fn *lanes_find(const struct insn *insn)
{
    lane_fn *found = NULL;
    for (int i = 0; i < FINDERS && !found; i++)
        found = finders[i].row(insn);
    return found;
}

lane_fn *lanes_find_single(const struct insn *insn)
{
    for (int i = 0; i < FINDERS; i++)
        if (finders[i].row(insn))
            return finders[i].single ? finders[i].single(insn) : NULL;
    return NULL;
}

bool lanes_control(const struct insn *insn, uint64_t *control)
{
    return narrow_control(insn, control) || video_control(insn, control);
}

/* A form of a row while its suffixes are chosen. */
struct lanes_trial {
    const struct element *element;
    struct op_slot slot[OP_MAX_SLOTS];
    struct insn insn;
    struct ref dest[LANES_MAX_DEST], source[LANES_MAX_SOURCE];
    int tries; /* left */
};

static void add_trial(struct lanes_trial *t, bool written, enum type type)
{
    struct ref r = {.kind = REF_PLANE, .type = (uint8_t)type, .bits = type_table[type].bits};
    r.bits = r.bits == 8 ? 16 : r.bits ? r.bits : 32;
    if (written && t->insn.dest_count < LANES_MAX_DEST)
        t->dest[t->insn.dest_count++] = r;
    else if (!written && t->insn.source_count < LANES_MAX_SOURCE)
        t->source[t->insn.source_count++] = r;
}

/* Whether the form whose suffixes are chosen has a handler. Vectors and packed registers are tried with two
 * elements. */
static bool try_form(struct lanes_trial *t)
{
    t->insn.dest_count = t->insn.source_count = 0;
    for (const struct op_slot *s = t->slot; s->role != ROLE_END; s++) {
        enum type type = slot_type(s, &t->insn.suffixes);
        bool is_parts = s->role == ROLE_PACK || s->role == ROLE_UNPACK;
        bool is_written = s->role == ROLE_DEST || s->role == ROLE_DEST_SECOND || s->role == ROLE_DEST_VECTOR ||
                          s->role == ROLE_UNPACK;
        for (int i = 0; i < (is_parts || s->role == ROLE_DEST_VECTOR || s->role == ROLE_VALUE_VECTOR ? 2 : 1); i++)
            add_trial(t, is_written, type);
    }
    return lanes_find(&t->insn) != NULL;
}

static bool try_suffixes(struct lanes_trial *t, int at)
{
    const struct element *e = &t->element[at];
    struct suffixes *s = &t->insn.suffixes, before = *s;
    if (e->kind == ELEMENT_END)
        return t->tries-- > 0 && try_form(t);
    if (e->kind != ELEMENT_TYPE && e->kind != ELEMENT_GROUP && e->kind != ELEMENT_FLAG)
        return try_suffixes(t, at + 1);
    bool found = e->optional && try_suffixes(t, at + 1);
    for (int choice = 0; !found && choice < 256 && t->tries > 0; choice++) {
        *s = before;
        if (e->kind == ELEMENT_TYPE && choice && choice < TYPE_COUNT && e->types >> choice & 1)
            s->type[e->which] = (uint8_t)choice;
        else if (e->kind == ELEMENT_GROUP && choice && choice < MOD_COUNT && mod_group((enum mod)choice) == e->which)
            s->mod[e->which] = (uint8_t)choice;
        else if (e->kind == ELEMENT_FLAG && !choice)
            s->flags |= 1ull << e->which;
        else
            continue;
        found = try_suffixes(t, at + 1);
    }
    *s = before;
    return found;
}

bool lanes_has(enum op op)
{
    struct element elements[OP_MAX_ELEMENTS];
    struct lanes_trial t = {.element = elements, .insn = {.op = (uint16_t)op, .address = -1}, .tries = 100000};
    t.insn.dest = t.dest;
    t.insn.source = t.source;
    op_split_suffixes(op_table[op].suffixes, elements);
    op_split_operands(op_table[op].operands, t.slot);
    return try_suffixes(&t, 0);
}

void lanes_run_rounded(enum mod rounding, lane_fn *core, const struct lanes *x)
{
    fesetround(rounding == RND_RZ   ? FE_TOWARDZERO
               : rounding == RND_RM ? FE_DOWNWARD
               : rounding == RND_RP ? FE_UPWARD
                                    : FE_TONEAREST);
    core(x);
    fesetround(FE_TONEAREST);
}
