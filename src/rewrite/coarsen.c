/*
 * Thread coarsening: one thread does the work of several (Damani et al., CGO 2020, section 3, as done to RSBench).
 *
 * A kernel in which each thread has one task of varying length has nothing that Loop Merge could use: threads that are
 * done have left. Coarsened, the kernel is launched with fewer blocks, and a thread does one task after the other in an
 * outer loop. Threads that end a task early can then begin the next while others are still busy.
 *
 * The outer loop goes over blocks of the original grid. The launched block b takes the original blocks b, b + G, b + 2G
 * and so on, where G is the number of launched blocks in x. Blocks that stood side by side in the original grid so run
 * at the same time, as before, and what they share of memory stays in the caches; with consecutive blocks per thread
 * they would not. No block does more than one item more than another. The loop ends with the original grid, whose size
 * in x comes as a further parameter. So any number of launched blocks is right, whether it divides the grid or not;
 * y and z stay as they are.
 *
 *   ITEM: work of the block, with its number for %ctaid.x and the parameter for %nctaid.x; ret becomes `bra NEXT`
 *   NEXT: number += %nctaid.x; if (number < blocks) goto ITEM; ret
 *
 * Each item starts afresh: registers that the kernel may read before it writes them are set to zero, as heddle gives
 * them to a new thread. Local memory has no initial value, in PTX as in heddle: a new thread may find there what
 * another left. coarsen_check.c says what is refused.
 */
#include "rewrite/coarsen.h"

#include "rewrite/edit.h"
#include "rewrite/live.h"
#include "rewrite/table.h"

struct coarsener {
    struct edit edit;
    struct ptx_variable *blocks; /* the new parameter */
    int32_t item, count;         /* registers: the number of the block, and how many there are */
};

static void add_parameter(struct coarsener *c)
{
    struct ptx_function *k = c->edit.function;
    struct arena *arena = &k->module->arena;
    struct ptx_variable **parameters = arena_array(arena, struct ptx_variable *, (size_t)k->parameter_count + 1);
    struct ptx_variable *v = arena_new(arena, struct ptx_variable);
    if (k->parameter_count)
        memcpy(parameters, k->parameters, sizeof(struct ptx_variable *) * (size_t)k->parameter_count);
    *v = (struct ptx_variable){.name = edit_fresh_name(&c->edit, "heddle_blocks"),
                               .space = SPACE_PARAM,
                               .type = TYPE_U32,
                               .vector = 1,
                               .align_bytes = 4,
                               .size_bytes = 4,
                               .owner = k,
                               .index = k->parameter_count,
                               .line = k->line};
    parameters[k->parameter_count++] = v;
    k->parameters = parameters;
    c->blocks = v;
}

/* ---- the beginning of an item ---- */

/* Sets a register to zero, ahead of `before`. False: there is no instruction that can. */
static bool clear_register(struct coarsener *c, struct edit_item *before, int32_t reg)
{
    const struct ptx_register *r = &c->edit.function->registers[reg];
    switch (r->type == TYPE_PRED ? 1 : type_table[r->type].bits) {
    case 1:
        edit_insert(&c->edit, before, "mov.pred %s, 0;", r->name);
        return true;
    case 8:
        edit_insert(&c->edit, before, "cvt.u8.u32 %s, 0;", r->name);
        return true;
    case 16:
    case 32:
    case 64:
        edit_insert(&c->edit, before, "mov.b%u %s, 0;", (unsigned)type_table[r->type].bits, r->name);
        return true;
    default:
        return false;
    }
}

/* Why an item cannot start afresh, or NULL. */
static const char *refuse_registers(const struct ptx_function *k, const struct live *l, const uint64_t *set)
{
    if (live_has(set, l->carry))
        return "the carry flag may be read before it is set";
    for (int r = 0; r < k->register_count; r++)
        if (live_has(set, r) && type_table[k->registers[r].type].bits > 64)
            return "a register of 128 bits may be read before it is written";
    return NULL;
}

static void start_afresh(struct coarsener *c, struct edit_item *before, const uint64_t *set, int register_count)
{
    const struct ptx_function *k = c->edit.function;
    for (int r = 0; r < register_count; r++)
        if (live_has(set, r) && k->registers[r].vector < 2)
            clear_register(c, before, r);
}

/* ---- the item's own number ---- */

/* Replaces %ctaid.x and %nctaid.x. An operand of 16 bits, the other width that can read them, gets a converted copy. */
static void replace_operand(struct coarsener *c, struct edit_item *item, struct ptx_operand *o)
{
    struct edit *e = &c->edit;
    for (int i = 0; i < o->element_count; i++)
        replace_operand(c, item, &o->element[i]);
    if (o->kind != OPERAND_SREG || (o->sreg != SREG_CTAID_X && o->sreg != SREG_NCTAID_X))
        return;
    int32_t reg = o->sreg == SREG_CTAID_X ? c->item : c->count;
    if (type_table[o->type].bits == 16) {
        int32_t half = edit_add_register(e, TYPE_U16, "block");
        edit_insert(e, item, "cvt.u16.u32 %s, %s;", edit_name(e, half), edit_name(e, reg));
        reg = half;
    }
    o->kind = OPERAND_REGISTER;
    o->reg = reg;
}

/* Makes the end of a thread a branch to the next item; at the end of the body threads fall into it. */
static void replace_end(struct coarsener *c, struct edit_item *item, const struct edit_item *next)
{
    const struct ptx_instruction *insn = &item->insn;
    bool falls = insn->guard < 0 && edit_next_instruction(item->next)->kind == EDIT_END;
    const char *guard = insn->guard >= 0 ? edit_name(&c->edit, insn->guard) : "";
    if (!falls)
        edit_insert(&c->edit, item, "%s%s%s bra%s %s;", insn->guard >= 0 ? "@" : "", insn->guard_negate ? "!" : "",
                    guard, suffixes_has(&insn->suffixes, FLAG_UNI) ? ".uni" : "", next->text);
    edit_remove(&c->edit, item);
}

static void rewrite_body(struct coarsener *c, const uint64_t *set, int register_count, bool needs_barrier)
{
    struct edit *e = &c->edit;
    struct edit_item *first = edit_first(e);
    const char *item = edit_name(e, c->item), *count = edit_name(e, c->count);
    const char *more = edit_name(e, edit_add_register(e, TYPE_PRED, "more"));
    const char *step = edit_name(e, edit_add_register(e, TYPE_U32, "step"));
    struct edit_item *next = edit_add_label(e, edit_end(e), "NEXT"), *done = edit_add_label(e, edit_end(e), "DONE");
    for (struct edit_item *at = first, *following; at != next; at = following) {
        following = at->next;
        if (at->kind != EDIT_INSTRUCTION)
            continue;
        for (int o = 0; o < at->insn.operand_count; o++)
            replace_operand(c, at, &at->insn.operand[o]);
        if (at->insn.op == OP_RET || at->insn.op == OP_EXIT)
            replace_end(c, at, next);
    }
    first = edit_first(e);
    edit_insert(e, first,
                "mov.u32 %s, %%ctaid.x; mov.u32 %s, %%nctaid.x; ld.param.u32 %s, [%s]; setp.ge.u32 %s, %s, %s; "
                "@%s bra %s;",
                item, step, count, c->blocks->name, more, item, count, more, done->text);
    struct edit_item *begin = edit_add_label(e, first, "ITEM");
    start_afresh(c, first, set, register_count);
    edit_insert(e, done, "%sadd.u32 %s, %s, %s; setp.lt.u32 %s, %s, %s; @%s bra %s;",
                needs_barrier ? "bar.sync 0; " : "", item, item, step, more, item, count, more, begin->text);
    edit_insert(e, edit_end(e), "ret;");
}

bool rewrite_coarsen(struct ptx_module *module, struct ptx_function *kernel, const struct rewrite_options *options,
                     struct text *said)
{
    struct arena arena = {0};
    struct coarsen_facts facts = coarsen_check(kernel, &arena);
    struct live live = {0};
    uint64_t *set = NULL;
    int register_count = kernel->register_count;
    if (!facts.refusal) {
        live = live_create(kernel, &arena);
        set = arena_array(&arena, uint64_t, (size_t)live.words);
        live_ahead(&live, 0, set);
        facts.refusal = refuse_registers(kernel, &live, set);
    }
    if (facts.refusal) {
        text_printf(said, "coarsen: %s: left alone: %s\n", kernel->name, facts.refusal);
        arena_free(&arena);
        return false;
    }
    struct coarsener c = {0};
    edit_open(&c.edit, kernel);
    add_parameter(&c);
    c.item = edit_add_register(&c.edit, TYPE_U32, "item");
    c.count = edit_add_register(&c.edit, TYPE_U32, "items");
    rewrite_body(&c, set, register_count, facts.needs_barrier);
    edit_close(&c.edit);
    kernel->coarsened = (uint32_t)options->number;
    text_printf(said,
                "coarsen: %s: a thread does the work of %d threads%s\n"
                "coarsen: %s: launched with 1/%d of the blocks in x, rounded up, and the blocks in x\n"
                "  before as one more argument of type u32; --rewrite and recon do so themselves\n",
                kernel->name, options->number, facts.needs_barrier ? ", with a block barrier between items" : "",
                kernel->name, options->number);
    arena_free(&arena);
    (void)module;
    return true;
}
