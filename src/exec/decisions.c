/* Which operands decide: see decisions.h. */
#include "exec/decisions.h"

#include "base/diag.h"
#include "base/vec.h"

struct decision_list {
    struct vec_of(struct decision) all;
    bool failed; /* an operand is computed anew at each execution */
    bool copies; /* an instruction copies asynchronously, or waits for blocks of a cluster or at an mbarrier */
};

static void add_register(struct decision_list *list, int32_t offset, unsigned bits)
{
    if (offset >= 0)
        vec_push(&list->all, (struct decision){.offset = offset, .bits = (uint8_t)bits});
}

static void add_source(struct decision_list *list, const struct bound *in, int i)
{
    if (i >= in->source_count || in->source[i] == OFFSET_NONE)
        return;
    list->failed |= in->prepare[i] != PREPARE_NONE;
    add_register(list, in->source[i], in->source_bits[i]);
}

static void add_operands(struct decision_list *list, const struct code *code, const struct bound *in)
{
    switch ((enum bound_kind)in->kind) {
    case BOUND_ASYNC:
    case BOUND_MBARRIER:
    case BOUND_CLUSTER:
        list->copies = true;
        break;
    case BOUND_LOAD:
    case BOUND_STORE:
    case BOUND_ATOMIC:
        if (in->address != OFFSET_NONE)
            add_register(list, in->address, in->address_bits);
        break;
    case BOUND_TEXTURE:
        for (int i = 0; i < in->source_count; i++) /* handle, coordinates, and what decides the level of detail */
            add_source(list, in, i);
        for (int i = BOUND_MAX_OPERANDS; i < in->insn->source_count; i++)
            add_register(list, code->more[in->address + i - BOUND_MAX_OPERANDS], 32);
        break;
    case BOUND_SURFACE:
        for (int i = 0; i <= suffixes_shape(&in->insn->suffixes).axes + 1; i++)
            add_source(list, in, i);
        break;
    case BOUND_BARRIER: /* number and count; a predicate behind them decides nothing */
        add_source(list, in, 0);
        add_source(list, in, 1);
        break;
    case BOUND_RENDEZVOUS:
        if (op_is_matrix((enum op)in->insn->op))
            list->failed |= in->insn->address >= 0 || in->insn->suffixes.mod[GROUP_WGMMA];
        else
            add_source(list, in, in->source_count - 1);
        break;
    case BOUND_INDEXED:
        add_source(list, in, 0);
        break;
    case BOUND_CALL:
        if (code->program->calls[in->insn->call].callee < 0)
            add_source(list, in, 0);
        break;
    default:
        break;
    }
}

struct decisions *decisions_create(const struct code *code, char **error)
{
    const struct program *p = code->program;
    struct decision_list list = {0};
    struct decisions *d = xcalloc(1, sizeof *d);
    d->first = xcalloc((size_t)p->insn_count + 1, sizeof *d->first);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        add_operands(&list, code, &code->bound[pc]);
        d->first[pc + 1] = (uint32_t)list.all.count;
        if (list.failed || list.copies) {
            char where[160];
            program_where_both(p, pc, where, sizeof where);
            diag_fail(error,
                      list.copies ? "%s: asynchronous copies, mbarriers and barriers of clusters cannot be recorded"
                                  : "%s: an operand that changes by itself decides where threads go",
                      where);
            vec_free(&list.all);
            decisions_destroy(d);
            return NULL;
        }
    }
    d->at = list.all.data;
    d->count = (uint32_t)list.all.count;
    return d;
}

void decisions_destroy(struct decisions *d)
{
    if (!d)
        return;
    free(d->at);
    free(d->first);
    free(d);
}
