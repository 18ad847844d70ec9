/* Liveness on parsed PTX (live.h): blocks, then a backward analysis until nothing changes. */
#include "rewrite/live.h"

#include "rewrite/edit.h"

bool live_reads_carry(const struct ptx_instruction *insn)
{
    return insn->op == OP_ADDC || insn->op == OP_SUBC || insn->op == OP_MADC;
}

bool live_writes_carry(const struct ptx_instruction *insn)
{
    return insn->op == OP_ADD_CC || insn->op == OP_SUB_CC || insn->op == OP_MAD_CC ||
           suffixes_has(&insn->suffixes, FLAG_CC);
}

static const struct ptx_operand *operand_of(const struct ptx_instruction *insn, enum operand_kind kind)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operand[i].kind == kind)
            return &insn->operand[i];
    return NULL;
}

static bool ends_thread(const struct ptx_instruction *insn)
{
    return insn->op == OP_RET || insn->op == OP_EXIT || insn->op == OP_TRAP;
}

int live_successors(const struct ptx_function *f, int index, int *to)
{
    const struct ptx_instruction *insn = &f->instructions[index];
    const struct ptx_operand *label = insn->op == OP_BRA ? operand_of(insn, OPERAND_LABEL) : NULL;
    const struct ptx_operand *list = insn->op == OP_BRX ? operand_of(insn, OPERAND_TARGETS) : NULL;
    int count = 0;
    if (insn->guard >= 0 || !(label || list || ends_thread(insn))) {
        if (to)
            to[count] = index + 1;
        count++;
    }
    if (label) {
        if (to)
            to[count] = label->target;
        count++;
    }
    for (int i = 0; list && i < list->targets->count; i++) {
        if (to)
            to[count] = list->targets->target[i];
        count++;
    }
    return count;
}

static bool ends_block(const struct ptx_instruction *insn)
{
    return insn->op == OP_BRA || insn->op == OP_BRX || ends_thread(insn);
}

static void find_blocks(struct live *l, struct arena *arena)
{
    const struct ptx_function *f = l->function;
    int count = f->instruction_count;
    bool *is_leader = arena_array(arena, bool, (size_t)count + 1);
    is_leader[0] = true;
    for (int i = 0; i < count; i++) {
        if (!ends_block(&f->instructions[i]))
            continue;
        int successors = live_successors(f, i, NULL);
        int *to = arena_array(arena, int, (size_t)successors + 1);
        live_successors(f, i, to);
        for (int k = 0; k < successors; k++)
            is_leader[to[k]] = true;
        is_leader[i + 1] = true;
    }
    l->first = arena_array(arena, int, (size_t)count + 1);
    l->block_of = arena_array(arena, int, (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        if (is_leader[i])
            l->first[l->block_count++] = i;
        l->block_of[i] = l->block_count - 1;
    }
    l->first[l->block_count] = count;
}

/* Registers of one instruction that are added to a set, or taken out of it. */
struct step {
    uint64_t *set;
    bool wants_written;
};

static void take_register(void *context, int32_t *reg, bool is_written)
{
    struct step *s = context;
    uint64_t bit = UINT64_C(1) << *reg % 64;
    if (is_written != s->wants_written)
        return;
    if (is_written)
        s->set[*reg / 64] &= ~bit;
    else
        s->set[*reg / 64] |= bit;
}

void live_step_back(const struct live *l, int index, uint64_t *set)
{
    struct ptx_instruction *insn = &l->function->instructions[index];
    uint64_t carry = UINT64_C(1) << l->carry % 64;
    if (insn->guard < 0) {
        edit_visit_registers(insn, take_register, &(struct step){set, true});
        if (live_writes_carry(insn))
            set[l->carry / 64] &= ~carry;
    }
    edit_visit_registers(insn, take_register, &(struct step){set, false});
    if (live_reads_carry(insn))
        set[l->carry / 64] |= carry;
}

/* Makes `out` and `in` of a block from its successors. True: `in` has changed. */
static bool update_block(struct live *l, int block, uint64_t *set, struct arena *arena)
{
    int last = l->first[block + 1] - 1, successors = live_successors(l->function, last, NULL);
    int few[8], *to = successors <= 8 ? few : arena_array(arena, int, (size_t)successors);
    uint64_t *out = l->out + (size_t)block * (size_t)l->words, *in = l->in + (size_t)block * (size_t)l->words;
    live_successors(l->function, last, to);
    for (int k = 0; k < successors; k++)
        for (int w = 0; w < l->words && to[k] < l->function->instruction_count; w++)
            out[w] |= l->in[(size_t)l->block_of[to[k]] * (size_t)l->words + (size_t)w];
    memcpy(set, out, sizeof *set * (size_t)l->words);
    for (int i = last; i >= l->first[block]; i--)
        live_step_back(l, i, set);
    bool has_changed = memcmp(in, set, sizeof *set * (size_t)l->words) != 0;
    memcpy(in, set, sizeof *set * (size_t)l->words);
    return has_changed;
}

struct live live_create(const struct ptx_function *f, struct arena *arena)
{
    struct live l = {.function = f, .carry = f->register_count, .words = (f->register_count + 64) / 64};
    find_blocks(&l, arena);
    size_t size = (size_t)l.words * (size_t)(l.block_count + 1);
    l.in = arena_array(arena, uint64_t, size);
    l.out = arena_array(arena, uint64_t, size);
    uint64_t *set = arena_array(arena, uint64_t, (size_t)l.words);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int b = l.block_count - 1; b >= 0; b--)
            has_changed |= update_block(&l, b, set, arena);
    }
    return l;
}

void live_ahead(const struct live *l, int index, uint64_t *set)
{
    memset(set, 0, sizeof *set * (size_t)l->words);
    if (index >= l->function->instruction_count)
        return;
    int block = l->block_of[index];
    memcpy(set, l->out + (size_t)block * (size_t)l->words, sizeof *set * (size_t)l->words);
    for (int i = l->first[block + 1] - 1; i >= index; i--)
        live_step_back(l, i, set);
}
