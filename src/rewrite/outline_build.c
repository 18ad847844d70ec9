/*
 * The function of an outlined sequence, and its calls (outline.h).
 *
 * Values go in as registers. One result comes back as a register, several in an array of parameters, since ptxas
 * returns no more than one register. Predicates cannot be passed and travel as 0 or 1.
 */
#include "rewrite/outline.h"

#include "base/text.h"
#include "rewrite/alike.h"

/* ---- what goes in and what comes out ---- */

/* The state of one walk over the sequence. */
struct walk {
    struct outline *outline;
    bool *written;    /* by register: certainly written by now */
    bool *given;      /* by register: an input already */
    bool is_guarded;  /* the instruction at hand has a guard */
    bool wants_write; /* of this visit: the registers that the instruction writes */
};

static void see_register(void *context, int32_t *reg, bool is_written)
{
    struct walk *w = context;
    if (is_written != w->wants_write)
        return;
    if (w->wants_write && !w->is_guarded) {
        w->written[*reg] = true;
        return;
    }
    /* What a guarded instruction writes keeps its old value where the guard is false. */
    if (w->written[*reg] || w->given[*reg])
        return;
    w->given[*reg] = true;
    vec_push(&w->outline->inputs, (struct outline_input){.reg = *reg});
}

static void find_inputs(struct outline *o, const struct ptx_function *f, struct arena *arena)
{
    struct walk w = {.outline = o,
                     .written = arena_array(arena, bool, (size_t)f->register_count + 1),
                     .given = arena_array(arena, bool, (size_t)f->register_count + 1)};
    for (int i = 0; i < o->count; i++) {
        struct ptx_instruction copy = f->instructions[o->first[0] + i];
        w.is_guarded = copy.guard >= 0;
        for (int write = 0; write < 2; write++) {
            w.wants_write = write;
            edit_visit_registers(&copy, see_register, &w);
        }
    }
}

static void find_different(struct outline *o, const struct ptx_function *f)
{
    for (int i = 0; i < o->count; i++) {
        const struct ptx_instruction *a = &f->instructions[o->first[0] + i];
        for (int k = 0; k < a->operand_count; k++) {
            bool differs = false;
            for (int p = 1; p < o->place_count && alike_is_value(a, k); p++)
                differs |= f->instructions[o->first[p] + i].operand[k].bits != a->operand[k].bits;
            if (differs)
                vec_push(&o->inputs, (struct outline_input){.reg = -1, .step = i, .operand = k});
        }
    }
}

struct write_list {
    struct outline *outline;
    bool *known;
    const uint64_t *const *behind; /* by place: what is live behind it */
};

static int32_t register_of(const struct outline *o, int place, int32_t reg)
{
    return place ? o->to[place][reg] : reg;
}

static void see_written(void *context, int32_t *reg, bool is_written)
{
    struct write_list *w = context;
    bool is_needed = false;
    if (!is_written || w->known[*reg])
        return;
    w->known[*reg] = true;
    for (int p = 0; p < w->outline->place_count; p++)
        is_needed |= live_has(w->behind[p], register_of(w->outline, p, *reg));
    if (is_needed)
        vec_push(&w->outline->outputs, *reg);
}

/* Whether no place takes the carry flag from ahead or leaves one that is read behind. */
static bool keeps_carry(const struct outline *o, const struct live *live, const uint64_t *const *behind)
{
    bool is_set = false;
    for (int i = 0; i < o->count; i++) {
        const struct ptx_instruction *insn = &live->function->instructions[o->first[0] + i];
        if (live_reads_carry(insn) && !is_set)
            return false;
        is_set |= live_writes_carry(insn) && insn->guard < 0;
    }
    for (int p = 0; p < o->place_count; p++)
        if (live_has(behind[p], live->carry))
            return false;
    return true;
}

bool outline_find_values(struct outline *o, const struct live *live)
{
    const struct ptx_function *f = live->function;
    struct arena arena = {0};
    uint64_t *behind[OUTLINE_MAX_PLACES];
    for (int p = 0; p < o->place_count; p++) {
        behind[p] = arena_array(&arena, uint64_t, (size_t)live->words);
        live_ahead(live, o->first[p] + o->count, behind[p]);
    }
    o->inputs.count = o->outputs.count = 0;
    find_inputs(o, f, &arena);
    find_different(o, f);
    struct write_list w = {o, arena_array(&arena, bool, (size_t)f->register_count + 1),
                           (const uint64_t *const *)behind};
    for (int i = 0; i < o->count; i++) {
        struct ptx_instruction copy = f->instructions[o->first[0] + i];
        edit_visit_registers(&copy, see_written, &w);
    }
    bool ok = keeps_carry(o, live, (const uint64_t *const *)behind);
    arena_free(&arena);
    return ok;
}

void outline_free(struct outline *o)
{
    vec_free(&o->inputs);
    vec_free(&o->outputs);
}

/* ---- costs ---- */

static bool is_predicate(const struct ptx_function *f, int32_t reg)
{
    return reg >= 0 && f->registers[reg].type == TYPE_PRED;
}

double outline_caller_cost(const struct outline *o, const struct ptx_function *f)
{
    double cost = 1; /* the call */
    for (int i = 0; i < o->inputs.count; i++)
        cost += is_predicate(f, o->inputs.data[i].reg);
    for (int i = 0; i < o->outputs.count; i++)
        cost += 1 + is_predicate(f, o->outputs.data[i]);
    return cost;
}

double outline_callee_cost(const struct outline *o, const struct ptx_function *f)
{
    double cost = 1 + o->inputs.count + o->outputs.count; /* the return, and loads and stores of parameters */
    for (int i = 0; i < o->inputs.count; i++)
        cost += is_predicate(f, o->inputs.data[i].reg);
    for (int i = 0; i < o->outputs.count; i++)
        cost += is_predicate(f, o->outputs.data[i]);
    return cost;
}

/* ---- the function ---- */

/* A function's text while it is written. Registers of the first place have the names %v0, %v1, ... in it. */
struct writer {
    const struct outline *outline;
    const struct ptx_function *function; /* that the sequence is taken from */
    struct ptx_function renamed;         /* the same with the new names, for the printer */
    int *number;                         /* by register: number of its new name, or -1 */
    int count;
    int32_t result; /* the register that is the function's result from the beginning, or -1 */
    struct text text;
};

static unsigned bits_of(const struct ptx_function *f, int32_t reg)
{
    return type_table[f->registers[reg].type].bits;
}

static void name_register(void *context, int32_t *reg, bool is_written)
{
    struct writer *w = context;
    (void)is_written;
    if (w->number[*reg] < 0)
        w->number[*reg] = w->count++;
}

static void declare_input(struct writer *w, int index)
{
    const struct outline_input *in = &w->outline->inputs.data[index];
    const struct ptx_operand *o =
        in->reg < 0 ? &w->function->instructions[w->outline->first[0] + in->step].operand[in->operand] : NULL;
    text_printf(&w->text, "%s.reg ", index ? ", " : "");
    if (o && type_table[o->type].kind == KIND_FLOAT)
        text_printf(&w->text, ".%s %%k%d", type_table[o->type].text, index);
    else if (o)
        text_printf(&w->text, ".b%u %%k%d", (unsigned)type_table[o->type].bits, index);
    else if (is_predicate(w->function, in->reg))
        text_printf(&w->text, ".b32 %%k%d", index);
    else
        text_printf(&w->text, ".%s %%v%d", type_table[w->function->registers[in->reg].type].text, w->number[in->reg]);
}

static bool is_input(const struct outline *o, int32_t reg)
{
    for (int i = 0; i < o->inputs.count; i++)
        if (o->inputs.data[i].reg == reg)
            return true;
    return false;
}

static void write_header(struct writer *w, const char *name)
{
    const struct outline *o = w->outline;
    int outputs = o->outputs.count;
    int32_t only = outputs == 1 ? o->outputs.data[0] : -1;
    text_printf(&w->text, ".func ");
    if (outputs > 1)
        text_printf(&w->text, "(.param .align 8 .b8 results[%d]) ", 8 * outputs);
    else if (outputs)
        text_printf(&w->text, "(.reg .%s %%result) ",
                    is_predicate(w->function, only) ? "b32" : type_table[w->function->registers[only].type].text);
    text_printf(&w->text, "%s(", name);
    for (int i = 0; i < o->inputs.count; i++)
        declare_input(w, i);
    text_printf(&w->text, ")\n{\n");
    for (int r = 0; r < w->function->register_count; r++)
        if (w->number[r] >= 0 && r != w->result && (is_predicate(w->function, r) || !is_input(o, r)))
            text_printf(&w->text, ".reg .%s %%v%d;\n", type_table[w->function->registers[r].type].text, w->number[r]);
    for (int i = 0; i < o->inputs.count; i++)
        if (is_predicate(w->function, o->inputs.data[i].reg))
            text_printf(&w->text, "setp.ne.u32 %%v%d, %%k%d, 0;\n", w->number[o->inputs.data[i].reg], i);
}

/* Prints the sequence, with registers for the immediates that differ. */
static void write_sequence(struct writer *w, struct edit *e)
{
    const struct outline *o = w->outline;
    for (int i = 0; i < o->count; i++) {
        struct ptx_instruction copy = edit_copy_instruction(e, &w->function->instructions[o->first[0] + i]);
        for (int k = 0; k < o->inputs.count; k++) {
            const struct outline_input *in = &o->inputs.data[k];
            if (in->reg >= 0 || in->step != i)
                continue;
            copy.operand[in->operand].kind = OPERAND_REGISTER;
            copy.operand[in->operand].reg = w->function->register_count + k;
        }
        ptx_print_instruction(&w->renamed, &copy, &w->text);
        text_printf(&w->text, ";\n");
    }
}

static void write_results(struct writer *w)
{
    const struct outline *o = w->outline;
    for (int i = 0; i < o->outputs.count; i++) {
        int32_t reg = o->outputs.data[i];
        int number = w->number[reg];
        bool is_flag = is_predicate(w->function, reg);
        if (o->outputs.count == 1 && is_flag)
            text_printf(&w->text, "selp.b32 %%result, 1, 0, %%v%d;\n", number);
        else if (o->outputs.count == 1 && reg != w->result)
            text_printf(&w->text, "mov.b%u %%result, %%v%d;\n", bits_of(w->function, reg), number);
        else if (is_flag)
            text_printf(&w->text,
                        ".reg .b32 %%flag%d;\nselp.b32 %%flag%d, 1, 0, %%v%d;\nst.param.b32 [results+%d], %%flag%d;\n",
                        i, i, number, 8 * i, i);
        else if (o->outputs.count > 1)
            text_printf(&w->text, "st.param.b%u [results+%d], %%v%d;\n", bits_of(w->function, reg), 8 * i, number);
    }
    text_printf(&w->text, "ret;\n}\n");
}

static void rename_registers(struct writer *w, struct arena *arena)
{
    const struct ptx_function *f = w->function;
    const struct outline *o = w->outline;
    size_t count = (size_t)f->register_count + (size_t)o->inputs.count;
    w->number = arena_array(arena, int, (size_t)f->register_count + 1);
    for (int r = 0; r < f->register_count; r++)
        w->number[r] = -1;
    for (int i = 0; i < o->count; i++) {
        struct ptx_instruction copy = f->instructions[o->first[0] + i];
        edit_visit_registers(&copy, name_register, w);
    }
    w->renamed = *f;
    w->renamed.registers = arena_array(arena, struct ptx_register, count);
    memcpy(w->renamed.registers, f->registers, sizeof *f->registers * (size_t)f->register_count);
    for (int r = 0; r < f->register_count; r++)
        if (w->number[r] >= 0)
            w->renamed.registers[r].name = arena_printf(arena, r == w->result ? "%%result" : "%%v%d", w->number[r]);
    for (int i = 0; i < o->inputs.count; i++)
        w->renamed.registers[f->register_count + i] =
            (struct ptx_register){.name = arena_printf(arena, "%%k%d", i), .type = TYPE_B32, .vector = 1};
    w->renamed.register_count = (int)count;
}

/* ---- the calls ---- */

static void write_argument(const struct outline *o, struct edit *e, int place, int index, struct text *ahead,
                           struct text *arguments)
{
    const struct outline_input *in = &o->inputs.data[index];
    text_printf(arguments, index ? ", " : "");
    if (in->reg >= 0) {
        int32_t reg = register_of(o, place, in->reg);
        if (is_predicate(e->function, reg)) {
            int32_t flag = edit_add_register(e, TYPE_B32, "flag");
            text_printf(ahead, "selp.b32 %s, 1, 0, %s;\n", edit_name(e, flag), edit_name(e, reg));
            reg = flag;
        }
        text_printf(arguments, "%s", edit_name(e, reg));
        return;
    }
    const struct ptx_operand *v = &edit_at(e, o->first[place] + in->step)->insn.operand[in->operand];
    unsigned bits = type_table[v->type].bits;
    uint64_t value = bits < 64 ? v->bits & ((UINT64_C(1) << bits) - 1) : v->bits;
    if (type_table[v->type].kind == KIND_FLOAT && bits >= 32)
        text_printf(arguments, bits == 32 ? "0f%08llX" : "0d%016llX", (unsigned long long)value);
    else
        text_printf(arguments, "%llu", (unsigned long long)value);
}

static void write_result(const struct outline *o, struct edit *e, int place, int index, const char *from,
                         struct text *behind)
{
    int32_t reg = register_of(o, place, o->outputs.data[index]), to = reg;
    bool is_flag = is_predicate(e->function, reg);
    if (is_flag)
        to = edit_add_register(e, TYPE_B32, "flag");
    text_printf(behind, "ld.param.b%u %s, [%s+%d];\n", is_flag ? 32 : bits_of(e->function, reg), edit_name(e, to), from,
                8 * index);
    if (is_flag)
        text_printf(behind, "setp.ne.u32 %s, %s, 0;\n", edit_name(e, reg), edit_name(e, to));
}

static void replace_place(const struct outline *o, struct edit *e, int place, const char *name)
{
    struct text ahead = {0}, arguments = {0}, behind = {0};
    int outputs = o->outputs.count;
    const char *to = NULL;
    for (int i = 0; i < o->inputs.count; i++)
        write_argument(o, e, place, i, &ahead, &arguments);
    if (outputs > 1) {
        to = edit_fresh_name(e, "results");
        text_printf(&ahead, ".param .align 8 .b8 %s[%d];\n", to, 8 * outputs);
        for (int i = 0; i < outputs; i++)
            write_result(o, e, place, i, to, &behind);
    } else if (outputs) {
        int32_t reg = register_of(o, place, o->outputs.data[0]);
        to = edit_name(e, reg);
        if (is_predicate(e->function, reg)) {
            int32_t flag = edit_add_register(e, TYPE_B32, "flag");
            text_printf(&behind, "setp.ne.u32 %s, %s, 0;\n", to, edit_name(e, flag));
            to = edit_name(e, flag);
        }
    }
    edit_insert(e, edit_at(e, o->first[place]), "%scall.uni %s%s%s%s, (%s);\n%s", ahead.data ? ahead.data : "",
                to ? "(" : "", to ? to : "", to ? "), " : "", name, arguments.data ? arguments.data : "",
                behind.data ? behind.data : "");
    edit_remove_instructions(e, edit_at(e, o->first[place]), edit_at(e, o->first[place] + o->count - 1));
    text_free(&ahead);
    text_free(&arguments);
    text_free(&behind);
}

struct ptx_function *outline_build(const struct outline *o, struct edit *e)
{
    struct ptx_module *module = e->function->module;
    struct arena arena = {0};
    struct writer w = {.outline = o, .function = e->function, .result = -1};
    if (o->outputs.count == 1 && !is_predicate(e->function, o->outputs.data[0]) && !is_input(o, o->outputs.data[0]))
        w.result = o->outputs.data[0];
    const char *name = edit_fresh_function_name(module, arena_printf(&module->arena, "%s_common", e->function->name));
    rename_registers(&w, &arena);
    write_header(&w, name);
    int ahead = 0;
    for (int i = 0; i < o->inputs.count; i++)
        ahead += is_predicate(e->function, o->inputs.data[i].reg);
    write_sequence(&w, e);
    write_results(&w);
    struct ptx_function *made = edit_add_function(module, e->function, w.text.data);
    for (int i = 0; i < o->count; i++) {
        made->instructions[ahead + i].line = e->function->instructions[o->first[0] + i].line;
        made->instructions[ahead + i].location = e->function->instructions[o->first[0] + i].location;
    }
    for (int p = 0; p < o->place_count; p++)
        replace_place(o, e, p, name);
    text_free(&w.text);
    arena_free(&arena);
    return made;
}
