/*
 * Instructions whose result depends on the order in which threads run, on their grouping or on time: finds each kind
 * that a launch executed, so that a report can say why two correct runs may leave different memories. unordered.h lists
 * the kinds. Nothing is traced from such an instruction to the words that differ.
 */
#include "flow/unordered.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum unordered_kind { ON_NO, ON_ATOMIC, ON_STRONG, ON_SREG, ON_TOGETHER, ON_MALLOC, ON_LAST };

static const char *const kind_words[] = {[ON_ATOMIC] = "the order of atomics",
                                         [ON_STRONG] = "the order of strong loads and stores",
                                         [ON_SREG] = "where and when threads run",
                                         [ON_TOGETHER] = "which threads of a warp execute together",
                                         [ON_MALLOC] = "the order of malloc"};

/* The planes of one register. */
struct plane_range {
    int32_t plane;
    int planes;
};

static bool overlaps(const struct ref *r, struct plane_range s)
{
    int planes = r->bits > 32 ? r->bits / 32 : 1;
    return r->kind == REF_PLANE && r->plane < s.plane + s.planes && s.plane < r->plane + planes;
}

static bool reads(const struct insn *in, struct plane_range s)
{
    if (in->guard >= s.plane && in->guard < s.plane + s.planes)
        return true;
    for (int i = 0; i < in->source_count; i++)
        if (overlaps(&in->source[i], s))
            return true;
    return false;
}

/* Whether the instruction overwrites the register for every thread that executes it. */
static bool kills(const struct insn *in, struct plane_range s)
{
    for (int i = 0; i < in->dest_count && in->guard < 0; i++)
        if (in->dest[i].kind == REF_PLANE && in->dest[i].plane == s.plane)
            return true;
    return false;
}

struct pcs vec_of(int32_t);

static void push_next(const struct program *p, int32_t pc, struct pcs *open)
{
    const struct flow_block *block = &p->blocks[p->insns[pc].block];
    if (pc < block->last) {
        vec_push(open, pc + 1);
        return;
    }
    for (int i = 0; i < block->successor_count; i++)
        vec_push(open, p->blocks[block->successors[i]].first);
}

/* Whether the instruction returns from a function whose result is a register: then the register may be read. */
static bool returns_register(const struct program *p, const struct insn *in)
{
    const struct ptx_function *f = p->functions[in->function].source;
    return in->op == OP_RET && f->return_count && f->returns[0]->is_register;
}

/* Whether the instruction's first result may be read before it is overwritten. Callees are not searched: functions that
 * can be active together have planes of their own, and registers that are passed directly are sources of the call. */
static bool result_is_used(const struct program *p, int32_t pc)
{
    const struct insn *in = &p->insns[pc];
    if (!in->dest_count || in->dest[0].kind != REF_PLANE)
        return false;
    struct plane_range s = {in->dest[0].plane, in->dest[0].bits > 32 ? in->dest[0].bits / 32 : 1};
    bool *seen = xcalloc((size_t)p->insn_count, sizeof *seen), is_used = false;
    struct pcs open = {0};
    push_next(p, pc, &open);
    while (open.count && !is_used) {
        int32_t at = open.data[--open.count];
        if (seen[at])
            continue;
        seen[at] = true;
        is_used = reads(&p->insns[at], s) || returns_register(p, &p->insns[at]);
        if (!kills(&p->insns[at], s))
            push_next(p, at, &open);
    }
    vec_free(&open);
    free(seen);
    return is_used;
}

static bool is_ordered_atomic(const struct program *p, int32_t pc)
{
    const struct insn *in = &p->insns[pc];
    enum type type = (enum type)in->suffixes.type[0];
    bool is_float = type_table[type].kind == KIND_FLOAT || type_table[type].kind == KIND_PACKED;
    return in->op != OP_ATOM_CAS && in->op != OP_ATOM_EXCH_B128 && in->suffixes.mod[GROUP_ATOM] != ATOM_EXCH &&
           !is_float && !result_is_used(p, pc);
}

/* Whether the order of the additions may show. What a tensor holds is not known. */
static bool is_float_reduction(const struct insn *in)
{
    return in->op == OP_TENSOR_REDUCE || type_table[in->suffixes.type[0]].kind == KIND_FLOAT;
}

static bool is_strong(const struct insn *in)
{
    unsigned sem = in->suffixes.mod[GROUP_SEM];
    return (in->op == OP_LD || in->op == OP_ST) && (sem == SEM_RELAXED || sem == SEM_ACQUIRE || sem == SEM_RELEASE);
}

/* The special register of time or place that the instruction reads; -1: none. */
static int telling_sreg(const struct program *p, const struct insn *in)
{
    static const enum sreg places[] = {SREG_SMID, SREG_NSMID, SREG_NWARPID};
    for (int i = 0; i < in->source_count; i++) {
        const struct ref *r = &in->source[i];
        if (r->kind == REF_SREG)
            return r->sreg;
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            if (r->kind == REF_PLANE && r->plane == p->sreg_plane[places[k]])
                return (int)places[k];
    }
    return -1;
}

static enum unordered_kind kind_of(const struct program *p, int32_t pc)
{
    const struct insn *in = &p->insns[pc];
    const struct call *call = in->call >= 0 ? &p->calls[in->call] : NULL;
    bool is_atomic = in->op >= OP_ATOM && in->op <= OP_RED_VEC_HALF;
    bool is_counted = in->class == CLASS_ATOMIC && in->dest_count > 0; /* mbarriers too: who arrived first */
    if (in->class == CLASS_ASYNC && in->suffixes.mod[GROUP_ATOM])
        return is_float_reduction(in) ? ON_ATOMIC : ON_NO;
    if (is_atomic || is_counted)
        return is_ordered_atomic(p, pc) ? ON_NO : ON_ATOMIC;
    if (in->op == OP_SHFL || in->op == OP_VOTE || in->op == OP_BALLOT || in->op == OP_ACTIVEMASK)
        return ON_TOGETHER;
    if (call && call->builtin)
        return strcmp(call->builtin->name, "malloc") ? ON_NO : ON_MALLOC;
    return is_strong(in) ? ON_STRONG : telling_sreg(p, in) >= 0 ? ON_SREG : ON_NO;
}

/* Prints the instruction's mnemonic ("atom.global.add.u32"), or the special register that it reads ("%clock"). */
static void print_name(const struct program *p, const struct insn *in, struct text *out)
{
    int sreg = telling_sreg(p, in);
    struct text whole = {0};
    if (sreg >= 0) {
        text_printf(out, "%s", sreg_table[sreg].text);
    } else if (in->origin) {
        ptx_print_instruction(p->functions[in->function].source, in->origin, &whole);
        const char *name = whole.data;
        if (*name == '@')
            name += strcspn(name, " "), name += *name == ' ';
        text_append(out, name, strcspn(name, " ;"));
        text_free(&whole);
    } else {
        text_printf(out, "%s", op_table[in->op].mnemonic);
    }
}

bool unordered_describe(const struct program *p, const bool *executed, struct text *out)
{
    bool named[ON_LAST] = {[ON_NO] = true}, is_first = true;
    char where[160];
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        enum unordered_kind kind = executed[pc] ? kind_of(p, pc) : ON_NO;
        if (named[kind])
            continue;
        named[kind] = true;
        text_printf(out, "%s%s (", is_first ? "" : "; ", kind_words[kind]);
        print_name(p, &p->insns[pc], out);
        text_printf(out, ", %s)", program_where(p, pc, where, sizeof where));
        is_first = false;
    }
    return !is_first;
}
