/*
 * Loads that the lock-step check does not hold against atomics (race.h).
 *
 * Programs often look at a word before they pay for an atomic on it: `if (*best > x) atomicMin(best, x)`, or the load
 * with which a compare-and-swap loop begins. Any older value of the word is good enough for such a load, so the program
 * does not rely on when other threads of the warp change the word.
 *
 * Such a load is known by its text: an atomic on the same address stands behind it in the same function. Addresses are
 * equal if they have the same base (a register or a variable) and offset, seen through constants that are added and
 * through moves and cvta of registers that one instruction alone writes. Whether control goes from the load to the
 * atomic, and what the program does with the value besides, is not asked.
 */
#include "exec/race/internal.h"

#include "base/arena.h"

enum { WRITTEN_NEVER = -1, WRITTEN_OFTEN = -2, MOST_STEPS = 16 };

/* An address as far as the text says it. */
struct lockstep_place {
    int32_t reg; /* base register, or -1 */
    const struct ptx_variable *variable;
    int64_t offset;
};

static void note_writer(int32_t *writer, const struct ptx_operand *o, int32_t pc)
{
    if (o->kind == OPERAND_REGISTER)
        writer[o->reg] = writer[o->reg] == WRITTEN_NEVER ? pc : WRITTEN_OFTEN;
    for (int i = 0; o->kind == OPERAND_VECTOR && i < o->element_count; i++)
        note_writer(writer, &o->element[i], pc);
}

/* By register of the function: PC of the one instruction that writes the register as its first operand. Owned by the
 * caller. */
static int32_t *find_writers(const struct program *p, const struct program_function *f)
{
    int32_t *writer = xmalloc(((size_t)f->source->register_count + 1) * sizeof *writer);
    for (int i = 0; i < f->source->register_count; i++)
        writer[i] = WRITTEN_NEVER;
    for (int32_t pc = f->first; pc <= f->last; pc++) {
        const struct insn *in = &p->insns[pc];
        if (in->origin && in->origin->operand_count && in->dest_count)
            note_writer(writer, &in->origin->operand[0], pc);
    }
    return writer;
}

/* Goes from the place's register to what the register is made of. False: that is more than a base and a constant. */
static bool step_back(struct lockstep_place *place, const struct insn *in)
{
    const struct ptx_operand *o = in->origin->operand;
    bool is_sum = in->op == OP_ADD && o[2].kind == OPERAND_IMMEDIATE;
    bool is_move = in->op == OP_MOV || in->op == OP_CVTA || in->op == OP_CVTA_TO;
    if (in->guard >= 0 || (!is_sum && !is_move) || (o[1].kind != OPERAND_REGISTER && o[1].kind != OPERAND_SYMBOL))
        return false;
    place->reg = o[1].kind == OPERAND_REGISTER ? o[1].reg : -1;
    place->variable = o[1].kind == OPERAND_SYMBOL ? o[1].variable : NULL;
    place->offset += is_sum ? (int64_t)o[2].bits : 0;
    place->offset += o[1].kind == OPERAND_SYMBOL ? o[1].offset : 0;
    return true;
}

/* The place that a memory instruction accesses. False: the instruction accesses none. */
static bool find_place(const struct program *p, const int32_t *writer, int32_t pc, struct lockstep_place *place)
{
    const struct ptx_instruction *origin = p->insns[pc].origin;
    const struct ptx_operand *address = NULL;
    for (int i = 0; origin && i < origin->operand_count && !address; i++)
        address = origin->operand[i].kind == OPERAND_ADDRESS ? &origin->operand[i] : NULL;
    if (!address)
        return false;
    *place = (struct lockstep_place){address->reg, address->variable, address->offset};
    for (int i = 0; i < MOST_STEPS && place->reg >= 0 && writer[place->reg] >= 0; i++)
        if (!step_back(place, &p->insns[writer[place->reg]]))
            break;
    return true;
}

/* Marks the instructions before the atomic at `pc` that access its place. */
static void mark_tests(const struct program *p, const struct program_function *f, const int32_t *writer, int32_t pc,
                       bool *is_test)
{
    struct lockstep_place atomic, other;
    if (!find_place(p, writer, pc, &atomic))
        return;
    for (int32_t before = f->first; before < pc; before++)
        is_test[before] |= find_place(p, writer, before, &other) && atomic.reg == other.reg &&
                           atomic.variable == other.variable && atomic.offset == other.offset;
}

bool *lockstep_tests(const struct program *p)
{
    bool *is_test = xcalloc((size_t)p->insn_count + 1, sizeof *is_test);
    for (int i = 0; i < p->function_count; i++) {
        const struct program_function *f = &p->functions[i];
        int32_t *writer = find_writers(p, f);
        for (int32_t pc = f->first; pc <= f->last; pc++) {
            if (p->insns[pc].class == CLASS_ATOMIC)
                mark_tests(p, f, writer, pc, is_test);
        }
        free(writer);
    }
    return is_test;
}
