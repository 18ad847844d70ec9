/* Writes predictions as `.pragma "heddle...."` lines into a module's functions, in the form that predict.c reads. */
#include "recon/predict.h"

#include <limits.h>
#include <stdio.h>

/* Index of the text's instruction that the PC, or the next PC that has one, comes from. */
static int32_t instruction_of(const struct program *p, int32_t pc)
{
    const struct program_function *f = &p->functions[p->insns[pc].function];
    while (pc < f->last && !p->insns[pc].origin)
        pc++;
    return p->insns[pc].origin ? (int32_t)(p->insns[pc].origin - f->source->instructions) : 0;
}

/* Inserts a pragma before the instruction `before`: ahead of the labels there, or behind labels and other pragmas. */
static void insert(struct ptx_function *f, struct arena *arena, const char *text, int32_t before,
                   bool is_ahead_of_label)
{
    struct ptx_pragma *list = arena_array(arena, struct ptx_pragma, (size_t)f->pragma_count + 1);
    int at = 0;
    while (at < f->pragma_count &&
           (f->pragmas[at].before < before || (f->pragmas[at].before == before && !is_ahead_of_label)))
        at++;
    memcpy(list, f->pragmas, sizeof *list * (size_t)at);
    list[at] = (struct ptx_pragma){.text = text, .before = before, .line = is_ahead_of_label ? 0 : INT_MAX - 1};
    memcpy(list + at + 1, f->pragmas + at, sizeof *list * (size_t)(f->pragma_count - at));
    f->pragmas = list;
    f->pragma_count++;
}

static void remove_ours(struct ptx_function *f, struct arena *arena)
{
    struct ptx_pragma *list = arena_array(arena, struct ptx_pragma, (size_t)f->pragma_count);
    int kept = 0;
    for (int i = 0; i < f->pragma_count; i++)
        if (strncmp(f->pragmas[i].text, "heddle.", 7))
            list[kept++] = f->pragmas[i];
    f->pragmas = list;
    f->pragma_count = kept;
}

/* The prediction's name; with a number, if an earlier prediction has that name, as copies of a point do. */
static const char *name_of(const struct predictions *predictions, int index, struct arena *arena)
{
    const struct prediction *p = &predictions->list.data[index];
    for (int i = 0; i < index && p->callee < 0; i++)
        if (!strcmp(predictions->list.data[i].name, p->name))
            return arena_printf(arena, "%s.%d", p->name, index);
    return p->name;
}

static void write_one(const struct predictions *predictions, int index, const struct program *program,
                      struct ptx_module *module)
{
    const struct prediction *p = &predictions->list.data[index];
    const char *name =
        p->callee < 0 ? name_of(predictions, index, &module->arena) : program->functions[p->callee].source->name;
    struct text text = {0};
    text_printf(&text, "heddle.predict %s", name);
    if (p->threshold == BARRIER_ADAPTIVE)
        text_printf(&text, " threshold=adaptive");
    else if (p->threshold)
        text_printf(&text, " threshold=%d", p->threshold);
    if (p->as_listed)
        text_printf(&text, " scope=listing");
    if (p->deconflict == DECONFLICT_STATIC)
        text_printf(&text, " deconflict=static");
    const char *kept = arena_copy_string(&module->arena, text.data, text.length);
    for (int i = 0; i < p->start_count; i++) {
        int32_t pc = p->starts[i].pc;
        insert(module->functions[program->functions[program->insns[pc].function].source->index], &module->arena, kept,
               instruction_of(program, pc), p->starts[i].from != PC_NONE);
    }
    if (p->callee < 0)
        insert(module->functions[program->functions[program->insns[p->label].function].source->index], &module->arena,
               arena_printf(&module->arena, "heddle.label %s", name), instruction_of(program, p->label), false);
    text_free(&text);
}

void predict_write(const struct predictions *predictions, const struct program *program, struct ptx_module *module)
{
    for (int i = 0; i < program->function_count; i++)
        remove_ours(module->functions[program->functions[i].source->index], &module->arena);
    for (int i = 0; i < predictions->list.count; i++)
        write_one(predictions, i, program, module);
}
