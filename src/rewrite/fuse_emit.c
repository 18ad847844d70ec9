/*
 * Writes the fused code of a branch (fuse.h), or only counts what it would cost: one walk over the plan does either, so
 * that the count is that of the code.
 */
#include "rewrite/fuse.h"
#include "rewrite/live.h"

#include <inttypes.h>
#include <stdarg.h>

enum { LONGEST_GUARDED = 3 }; /* instructions of one side that stand under guards; more stand behind a branch */

struct fuse_selection {
    int32_t from[FUSE_SIDES], to;
};

struct fuse_writer {
    const struct fuse_branch *branch;
    const struct fuse_plan *plan;
    struct edit *edit; /* NULL: only the cost is wanted */
    struct edit_item *before;
    int known; /* registers of the function before the pass added any */
    int cost;
    int32_t *now[FUSE_SIDES];     /* by register of the function: the register that holds its value now */
    struct vec_of(uint8_t) types; /* of new registers, which follow those of the function */
    struct vec_of(struct fuse_selection) selections; /* that still hold */
    int32_t predicate, inverse; /* registers: true for threads of one side; the inverse, or -1: not made yet */
    int true_side;              /* enum fuse_side: for which side `predicate` is true */
    struct arena arena;
};

/* ---- vocabulary ---- */

static void write(struct fuse_writer *w, int weight, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void write(struct fuse_writer *w, int weight, const char *format, ...)
{
    struct text text = {0};
    va_list args;
    w->cost += weight;
    if (!w->edit)
        return;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    edit_insert(w->edit, w->before, "%s", text.data);
    text_free(&text);
}

static int32_t add_register(struct fuse_writer *w, enum type type)
{
    int32_t number = w->edit ? edit_add_register(w->edit, type, "fused") : w->known + w->types.count;
    vec_push(&w->types, (uint8_t)type);
    return number;
}

static const char *name_of(const struct fuse_writer *w, int32_t reg)
{
    return w->edit ? edit_name(w->edit, reg) : "";
}

static enum type type_of(const struct fuse_writer *w, int32_t reg)
{
    return reg < w->known ? (enum type)w->branch->function->registers[reg].type
                          : (enum type)w->types.data[reg - w->known];
}

static int bits_of(const struct fuse_writer *w, int32_t reg)
{
    return type_table[type_of(w, reg)].bits;
}

static enum type bits_type(int bits)
{
    return bits == 1 ? TYPE_PRED : bits == 16 ? TYPE_B16 : bits == 32 ? TYPE_B32 : TYPE_B64;
}

static const char *move_of(int bits)
{
    return bits == 1 ? "mov.pred" : bits == 16 ? "mov.b16" : bits == 32 ? "mov.b32" : "mov.b64";
}

/* "@%p " or "@!%p ": the guard of what one side alone does. */
static const char *guard_of(struct fuse_writer *w, int side)
{
    return w->edit ? arena_printf(&w->arena, "@%s%s ", side == w->true_side ? "" : "!", name_of(w, w->predicate)) : "";
}

static const struct ptx_instruction *at(const struct fuse_writer *w, int side, int position)
{
    return &w->branch->function->instructions[w->branch->instruction[side][position]];
}

/* ---- selections ---- */

/* A register of the function was written: selections of its old value hold no more. */
static void forget(struct fuse_writer *w, int32_t reg)
{
    int kept = 0;
    for (int i = 0; i < w->selections.count; i++)
        if (w->selections.data[i].from[0] != reg && w->selections.data[i].from[1] != reg)
            w->selections.data[kept++] = w->selections.data[i];
    w->selections.count = kept;
}

static int32_t inverse_of(struct fuse_writer *w)
{
    if (w->inverse < 0) {
        w->inverse = add_register(w, TYPE_PRED);
        write(w, 1, "not.pred %s, %s;", name_of(w, w->inverse), name_of(w, w->predicate));
    }
    return w->inverse;
}

/* A register that holds x for threads of the side for which the predicate is true, and y for the others. */
static int32_t select_predicates(struct fuse_writer *w, int32_t x, int32_t y)
{
    int32_t inverse = inverse_of(w), first = add_register(w, TYPE_PRED), second = add_register(w, TYPE_PRED);
    write(w, 1, "and.pred %s, %s, %s;", name_of(w, first), name_of(w, w->predicate), name_of(w, x));
    write(w, 1, "and.pred %s, %s, %s;", name_of(w, second), name_of(w, inverse), name_of(w, y));
    write(w, 1, "or.pred %s, %s, %s;", name_of(w, first), name_of(w, first), name_of(w, second));
    return first;
}

/* The register that holds, for threads of each side, what that side's register holds. */
static int32_t select_registers(struct fuse_writer *w, int32_t taken, int32_t next)
{
    if (taken == next)
        return taken;
    for (int i = 0; i < w->selections.count; i++)
        if (w->selections.data[i].from[FUSE_TAKEN] == taken && w->selections.data[i].from[FUSE_NEXT] == next)
            return w->selections.data[i].to;
    int bits = bits_of(w, taken);
    int32_t x = w->true_side == FUSE_TAKEN ? taken : next, y = w->true_side == FUSE_TAKEN ? next : taken, to;
    if (bits == 1) {
        to = select_predicates(w, x, y);
    } else {
        to = add_register(w, bits_type(bits));
        write(w, 1, "selp.b%d %s, %s, %s, %s;", bits, name_of(w, to), name_of(w, x), name_of(w, y),
              name_of(w, w->predicate));
    }
    vec_push(&w->selections, (struct fuse_selection){{taken, next}, to});
    return to;
}

/* Text of a register or number that a selection reads. */
static const char *value_text(struct fuse_writer *w, const struct ptx_operand *o, int side, int bits)
{
    if (o->kind == OPERAND_REGISTER)
        return name_of(w, w->now[side][o->reg]);
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return arena_printf(&w->arena, "0x%" PRIx64, o->bits & mask);
}

/* Selects between two values, of which one at least is a number. */
static int32_t select_values(struct fuse_writer *w, const struct ptx_operand *taken, const struct ptx_operand *next)
{
    int32_t reg = taken->kind == OPERAND_REGISTER  ? w->now[FUSE_TAKEN][taken->reg]
                  : next->kind == OPERAND_REGISTER ? w->now[FUSE_NEXT][next->reg]
                                                   : -1;
    int bits = reg >= 0 ? bits_of(w, reg) : type_table[taken->type].bits;
    const char *x = value_text(w, taken, FUSE_TAKEN, bits), *y = value_text(w, next, FUSE_NEXT, bits);
    int32_t to = add_register(w, bits_type(bits));
    bool is_true = w->true_side == FUSE_TAKEN;
    write(w, 1, "selp.b%d %s, %s, %s, %s;", bits, name_of(w, to), is_true ? x : y, is_true ? y : x,
          name_of(w, w->predicate));
    return to;
}

/* ---- operands of a pair ---- */

static void become_register(struct ptx_operand *o, int32_t reg)
{
    o->kind = OPERAND_REGISTER;
    o->bits = 0;
    o->reg = reg;
}

/* The address of a pair: the registers are selected, and the offsets added if they differ. */
static void fuse_address(struct fuse_writer *w, const struct ptx_operand *x, const struct ptx_operand *y,
                         struct ptx_operand *out)
{
    if (x->reg < 0)
        return;
    int32_t base = select_registers(w, w->now[FUSE_TAKEN][x->reg], w->now[FUSE_NEXT][y->reg]);
    int64_t offset = x->offset;
    if (x->offset != y->offset) {
        int bits = bits_of(w, base);
        bool is_true = w->true_side == FUSE_TAKEN;
        int32_t added = add_register(w, bits_type(bits)), sum = add_register(w, bits_type(bits));
        write(w, 1, "selp.b%d %s, %" PRId64 ", %" PRId64 ", %s;", bits, name_of(w, added),
              is_true ? x->offset : y->offset, is_true ? y->offset : x->offset, name_of(w, w->predicate));
        write(w, 1, "add.s%d %s, %s, %s;", bits, name_of(w, sum), name_of(w, base), name_of(w, added));
        base = sum;
        offset = 0;
    }
    if (out) {
        out->reg = base;
        out->offset = offset;
    }
}

/* What is read by a pair. `out` is the operand of the fused instruction, or NULL. */
static void fuse_read(struct fuse_writer *w, const struct ptx_operand *x, const struct ptx_operand *y,
                      struct ptx_operand *out)
{
    if (x->kind == OPERAND_VECTOR) {
        for (int i = 0; i < x->element_count; i++)
            fuse_read(w, &x->element[i], &y->element[i], out ? &out->element[i] : NULL);
    } else if (x->kind == OPERAND_ADDRESS) {
        fuse_address(w, x, y, out);
    } else if (x->kind == OPERAND_REGISTER && y->kind == OPERAND_REGISTER) {
        int32_t reg = select_registers(w, w->now[FUSE_TAKEN][x->reg], w->now[FUSE_NEXT][y->reg]);
        if (out)
            out->reg = reg;
    } else if (x->kind == OPERAND_REGISTER || y->kind == OPERAND_REGISTER ||
               (x->kind == OPERAND_IMMEDIATE && x->bits != y->bits)) {
        int32_t reg = select_values(w, x, y);
        if (out)
            become_register(out, reg);
    }
}

/* What is written by a pair: the register itself if both sides name one, else a new one that stands for both. */
static void fuse_write(struct fuse_writer *w, const struct ptx_operand *x, const struct ptx_operand *y,
                       struct ptx_operand *out)
{
    if (x->kind == OPERAND_VECTOR) {
        for (int i = 0; i < x->element_count; i++)
            fuse_write(w, &x->element[i], &y->element[i], out ? &out->element[i] : NULL);
        return;
    }
    if (x->kind != OPERAND_REGISTER)
        return;
    int32_t to = x->reg;
    if (x->reg != y->reg) {
        enum type one = type_of(w, x->reg), other = type_of(w, y->reg);
        to = add_register(w, one == other ? one : bits_type(type_table[one].bits));
    }
    forget(w, to);
    w->now[FUSE_TAKEN][x->reg] = w->now[FUSE_NEXT][y->reg] = to;
    if (out)
        out->reg = to;
}

static void fuse_call(struct fuse_writer *w, const struct ptx_call *x, const struct ptx_call *y, struct ptx_call *out)
{
    for (int i = 0; i < x->argument_count; i++)
        fuse_read(w, &x->arguments[i], &y->arguments[i], out ? &out->arguments[i] : NULL);
    for (int i = 0; i < x->return_count; i++)
        fuse_write(w, &x->returns[i], &y->returns[i], out ? &out->returns[i] : NULL);
}

/* Gives a register its value back, for threads of one side: a write that may not happen leaves the old value. */
static void settle(struct fuse_writer *w, int side, int32_t reg)
{
    if (w->now[side][reg] == reg)
        return;
    write(w, 1, "%s%s %s, %s;", guard_of(w, side), move_of(bits_of(w, reg)), name_of(w, reg),
          name_of(w, w->now[side][reg]));
    w->now[side][reg] = reg;
    forget(w, reg);
}

struct fuse_visit {
    struct fuse_writer *writer;
    int side;
};

static void settle_written(void *context, int32_t *reg, bool is_written)
{
    struct fuse_visit *v = context;
    if (is_written)
        settle(v->writer, v->side, *reg);
}

static void settle_all_written(struct fuse_writer *w, int side, const struct ptx_instruction *insn)
{
    if (insn->guard >= 0)
        edit_visit_registers((struct ptx_instruction *)insn, settle_written, &(struct fuse_visit){w, side});
}

static void write_pair(struct fuse_writer *w, const struct fuse_step *step)
{
    const struct ptx_instruction *x = at(w, FUSE_TAKEN, step->at[0]), *y = at(w, FUSE_NEXT, step->at[1]);
    struct op_slot slots[OP_MAX_SLOTS];
    int count = op_split_operands(op_table[x->op].operands, slots);
    settle_all_written(w, FUSE_TAKEN, x);
    settle_all_written(w, FUSE_NEXT, y);
    struct ptx_instruction copy = {0};
    if (w->edit)
        copy = edit_copy_instruction(w->edit, x);
    struct ptx_operand *out = w->edit ? copy.operand : NULL;
    for (int i = 0; i < count && i < x->operand_count; i++)
        if (!fuse_is_written(slots[i].role) && slots[i].role != ROLE_CALL)
            fuse_read(w, &x->operand[i], &y->operand[i], out ? &out[i] : NULL);
    if (x->guard >= 0)
        copy.guard = select_registers(w, w->now[FUSE_TAKEN][x->guard], w->now[FUSE_NEXT][y->guard]);
    for (int i = 0; i < count && i < x->operand_count; i++)
        if (fuse_is_written(slots[i].role))
            fuse_write(w, &x->operand[i], &y->operand[i], out ? &out[i] : NULL);
        else if (slots[i].role == ROLE_CALL)
            fuse_call(w, x->operand[i].call, y->operand[i].call, out ? (struct ptx_call *)out[i].call : NULL);
    w->cost += fuse_weight(x);
    if (!w->edit)
        return;
    struct edit_item *model = edit_at(w->edit, w->branch->instruction[FUSE_TAKEN][step->at[0]]);
    edit_copy(w->edit, model, model, w->before)->insn = copy;
}

/* ---- what stands alone ---- */

static void read_now(void *context, int32_t *reg, bool is_written)
{
    struct fuse_visit *v = context;
    if (!is_written)
        *reg = v->writer->now[v->side][*reg];
}

static void note_written(void *context, int32_t *reg, bool is_written)
{
    struct fuse_visit *v = context;
    if (!is_written)
        return;
    v->writer->now[v->side][*reg] = *reg;
    forget(v->writer, *reg);
}

/* Writes an instruction of one side, under the side's guard if it has none and `is_guarded` says so. */
static void write_alone(struct fuse_writer *w, int side, int position, bool is_guarded)
{
    const struct ptx_instruction *insn = at(w, side, position);
    struct fuse_visit visit = {w, side};
    settle_all_written(w, side, insn);
    w->cost += fuse_weight(insn);
    if (w->edit) {
        struct ptx_instruction copy = edit_copy_instruction(w->edit, insn);
        edit_visit_registers(&copy, read_now, &visit);
        if (is_guarded) {
            copy.guard = w->predicate;
            copy.guard_negate = side != w->true_side;
        }
        struct edit_item *model = edit_at(w->edit, w->branch->instruction[side][position]);
        edit_copy(w->edit, model, model, w->before)->insn = copy;
    }
    edit_visit_registers((struct ptx_instruction *)insn, note_written, &visit);
}

/* Writes the instructions of one side between two pairs: steps from `first` to before `end`. */
static void write_run(struct fuse_writer *w, int side, int first, int end)
{
    int count = 0;
    bool is_guarded = true;
    for (int i = first; i < end; i++) {
        const struct fuse_step *s = &w->plan->steps[i];
        const struct ptx_instruction *insn = s->at[side] < 0 ? NULL : at(w, side, s->at[side]);
        count += insn != NULL;
        is_guarded &= !insn || (insn->guard < 0 && insn->op != OP_CALL);
    }
    is_guarded &= count <= LONGEST_GUARDED;
    if (!count)
        return;
    struct edit_item *skip = NULL;
    if (!is_guarded) {
        skip = w->edit ? edit_add_label(w->edit, w->before, "SKIP") : NULL;
        struct edit_item *before = w->before;
        w->before = skip;
        write(w, 1, "%sbra %s;", guard_of(w, !side), skip ? skip->text : "");
        w->before = before;
    }
    struct edit_item *before = w->before;
    w->before = skip ? skip : before;
    for (int i = first; i < end; i++)
        if (w->plan->steps[i].at[side] >= 0)
            write_alone(w, side, w->plan->steps[i].at[side], is_guarded);
    w->before = before;
}

/* ---- the whole ---- */

struct fuse_search {
    int32_t reg;
    bool found;
};

static void find_write(void *context, int32_t *reg, bool is_written)
{
    struct fuse_search *s = context;
    s->found |= is_written && *reg == s->reg;
}

static bool writes_register(const struct fuse_branch *b, int32_t reg)
{
    struct fuse_search search = {.reg = reg};
    for (int side = 0; side < FUSE_SIDES; side++)
        for (int i = 0; i < b->count[side]; i++)
            edit_visit_registers(&b->function->instructions[b->instruction[side][i]], find_write, &search);
    return search.found;
}

static void begin(struct fuse_writer *w)
{
    const struct ptx_function *f = w->branch->function;
    const struct ptx_instruction *branch = &f->instructions[w->branch->index];
    for (int side = 0; side < FUSE_SIDES; side++) {
        w->now[side] = arena_array(&w->arena, int32_t, (size_t)w->known + 1);
        for (int r = 0; r < w->known; r++)
            w->now[side][r] = r;
    }
    w->inverse = -1;
    w->predicate = branch->guard;
    w->true_side = branch->guard_negate ? FUSE_NEXT : FUSE_TAKEN;
    if (writes_register(w->branch, branch->guard)) {
        w->predicate = add_register(w, TYPE_PRED);
        write(w, 1, "mov.pred %s, %s;", name_of(w, w->predicate), name_of(w, branch->guard));
    }
}

/* Registers that are live behind the fused code get their values back. */
static void write_back(struct fuse_writer *w, const uint64_t *live)
{
    for (int r = 0; r < w->known; r++) {
        int32_t taken = w->now[FUSE_TAKEN][r], next = w->now[FUSE_NEXT][r];
        if (!live_has(live, r) || (taken == r && next == r))
            continue;
        int bits = bits_of(w, r);
        bool is_true = w->true_side == FUSE_TAKEN;
        if (taken == next)
            write(w, 1, "%s %s, %s;", move_of(bits), name_of(w, r), name_of(w, taken));
        else if (taken != r && next != r && bits > 1)
            write(w, 1, "selp.b%d %s, %s, %s, %s;", bits, name_of(w, r), name_of(w, is_true ? taken : next),
                  name_of(w, is_true ? next : taken), name_of(w, w->predicate));
        else
            for (int side = 0; side < FUSE_SIDES; side++)
                if (w->now[side][r] != r)
                    write(w, 1, "%s%s %s, %s;", guard_of(w, side), move_of(bits), name_of(w, r),
                          name_of(w, w->now[side][r]));
    }
}

static int join_index(const struct fuse_branch *b)
{
    int32_t first = b->program->blocks[b->join].first;
    const struct ptx_instruction *origin = b->program->insns[first].origin;
    return origin ? (int)(origin - b->function->instructions) : b->function->instruction_count;
}

/* What is live at the join. To be asked before the function is opened, which changes the labels of its branches. */
static const uint64_t *find_live(const struct fuse_branch *b, struct arena *arena)
{
    struct live live = live_create(b->function, arena);
    uint64_t *set = arena_array(arena, uint64_t, (size_t)live.words);
    live_ahead(&live, join_index(b), set);
    return set;
}

static void walk(struct fuse_writer *w, const uint64_t *live)
{
    const struct fuse_plan *plan = w->plan;
    begin(w);
    for (int i = 0; i < plan->count;) {
        int end = i;
        while (end < plan->count && (plan->steps[end].at[0] < 0 || plan->steps[end].at[1] < 0))
            end++;
        write_run(w, FUSE_TAKEN, i, end);
        write_run(w, FUSE_NEXT, i, end);
        if (end < plan->count)
            write_pair(w, &plan->steps[end]);
        i = end + 1;
    }
    write_back(w, live);
}

static void free_writer(struct fuse_writer *w)
{
    vec_free(&w->types);
    vec_free(&w->selections);
    arena_free(&w->arena);
}

int fuse_cost(const struct fuse_branch *b, const struct fuse_plan *plan)
{
    struct fuse_writer w = {.branch = b, .plan = plan, .known = b->function->register_count};
    walk(&w, find_live(b, &w.arena));
    free_writer(&w);
    return w.cost;
}

void fuse_emit(const struct fuse_branch *b, const struct fuse_plan *plan, struct ptx_function *function)
{
    struct fuse_writer w = {.branch = b, .plan = plan, .known = b->function->register_count};
    const uint64_t *live = find_live(b, &w.arena);
    int behind = join_index(b);
    struct edit e;
    edit_open(&e, function);
    w.edit = &e;
    w.before = edit_at(&e, b->index);
    struct edit_item *join = edit_at(&e, behind);
    walk(&w, live);
    for (int side = 0; side < FUSE_SIDES; side++)
        for (int i = 0; i < b->count[side]; i++)
            edit_remove(&e, edit_at(&e, b->instruction[side][i]));
    for (int i = 0; i < b->jump_count; i++)
        edit_remove(&e, edit_at(&e, b->jumps[i]));
    if (edit_next_instruction(w.before->next) != join)
        edit_insert(&e, w.before, "bra %s;", edit_label_of(&e, join, "JOIN")->text);
    edit_remove(&e, w.before);
    edit_close(&e);
    free_writer(&w);
}
