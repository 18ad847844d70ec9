/* Whether two modules are equal, for tests of parser and printer. See module.h. */
#include "base/text.h"
#include "ptx/module.h"

#include <stdarg.h>
#include <string.h>

/* The two modules, and what is compared now. */
struct equal_pair {
    const struct ptx_module *a, *b;
    struct text *difference;
    const char *function; /* name of the function that is compared now, or "" */
    int line;             /* line number in the first module's text */
};

static bool differ(const struct equal_pair *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool differ(const struct equal_pair *p, const char *format, ...)
{
    va_list args;
    if (!p->difference)
        return false;
    if (*p->function)
        text_printf(p->difference, "%s, ", p->function);
    text_printf(p->difference, "line %d: ", p->line);
    va_start(args, format);
    text_vprintf(p->difference, format, args);
    va_end(args);
    return false;
}

#define SAME(field, format)                                                          \
    do {                                                                             \
        if (a->field != b->field)                                                    \
            return differ(p, #field ": " format " and " format, a->field, b->field); \
    } while (0)

static bool same_text(const struct equal_pair *p, const char *what, const char *a, const char *b)
{
    if (!a || !b ? a == b : !strcmp(a, b))
        return true;
    return differ(p, "%s: '%s' and '%s'", what, a ? a : "", b ? b : "");
}

static const char *name_of(const struct ptx_variable *v, const struct ptx_function *f)
{
    return v ? v->name : f ? f->name : NULL;
}

static bool same_reloc(const struct equal_pair *p, const struct ptx_reloc *a, const struct ptx_reloc *b)
{
    if (a->offset != b->offset || a->bytes != b->bytes || a->shift != b->shift || a->generic != b->generic ||
        a->addend != b->addend)
        return differ(p, "address in an initialiser, at byte %llu", (unsigned long long)a->offset);
    return same_text(p, "address", name_of(a->variable, a->function), name_of(b->variable, b->function));
}

static bool same_variable(struct equal_pair *p, const struct ptx_variable *a, const struct ptx_variable *b)
{
    p->line = a->line;
    if (!same_text(p, "name", a->name, b->name))
        return false;
    SAME(space, "%d");
    SAME(type, "%d");
    SAME(vector, "%d");
    SAME(linkage, "%d");
    SAME(is_array, "%d");
    SAME(is_unsized, "%d");
    SAME(align_bytes, "%u");
    SAME(index, "%d");
    SAME(dimension_count, "%d");
    SAME(reloc_count, "%d");
    SAME(pointer_space, "%d");
    SAME(pointer_align, "%u");
    SAME(is_pointer, "%d");
    SAME(is_managed, "%d");
    SAME(is_register, "%d");
    SAME(reg, "%d");
    if (a->size_bytes != b->size_bytes || memcmp(a->dimension, b->dimension, sizeof a->dimension))
        return differ(p, "size of %s", a->name);
    if (!a->init != !b->init || (a->init && memcmp(a->init, b->init, a->size_bytes)))
        return differ(p, "initialiser of %s", a->name);
    for (int i = 0; i < a->reloc_count; i++)
        if (!same_reloc(p, &a->reloc[i], &b->reloc[i]))
            return false;
    return true;
}

static bool same_variables(struct equal_pair *p, struct ptx_variable *const *a, int a_count,
                           struct ptx_variable *const *b, int b_count)
{
    if (a_count != b_count)
        return differ(p, "number of variables or parameters: %d and %d", a_count, b_count);
    for (int i = 0; i < a_count; i++)
        if (!same_variable(p, a[i], b[i]))
            return false;
    return true;
}

static bool same_operand(struct equal_pair *p, const struct ptx_operand *a, const struct ptx_operand *b);

static bool same_operands(struct equal_pair *p, const struct ptx_operand *a, int a_count, const struct ptx_operand *b,
                          int b_count)
{
    if (a_count != b_count)
        return differ(p, "number of operands: %d and %d", a_count, b_count);
    for (int i = 0; i < a_count; i++)
        if (!same_operand(p, &a[i], &b[i]))
            return false;
    return true;
}

static bool same_call(struct equal_pair *p, const struct ptx_call *a, const struct ptx_call *b)
{
    if (!a || !b)
        return a == b || differ(p, "call");
    if (!a->pointer != !b->pointer || (a->pointer && !same_operand(p, a->pointer, b->pointer)))
        return differ(p, "pointer of a call");
    return same_text(p, "callee", name_of(NULL, a->callee), name_of(NULL, b->callee)) &&
           same_text(p, "prototype", a->prototype ? a->prototype->name : NULL,
                     b->prototype ? b->prototype->name : NULL) &&
           same_operands(p, a->returns, a->return_count, b->returns, b->return_count) &&
           same_operands(p, a->arguments, a->argument_count, b->arguments, b->argument_count);
}

static bool same_operand(struct equal_pair *p, const struct ptx_operand *a, const struct ptx_operand *b)
{
    SAME(kind, "%d");
    SAME(type, "%d");
    SAME(negate, "%d");
    SAME(select, "%x");
    SAME(sreg, "%d");
    SAME(reg, "%d");
    SAME(target, "%d");
    if (a->bits != b->bits)
        return differ(p, "bits: %llx and %llx", (unsigned long long)a->bits, (unsigned long long)b->bits);
    if (a->offset != b->offset)
        return differ(p, "offset: %lld and %lld", (long long)a->offset, (long long)b->offset);
    return same_text(p, "symbol", name_of(a->variable, a->function), name_of(b->variable, b->function)) &&
           same_text(p, "targets", a->targets ? a->targets->name : NULL, b->targets ? b->targets->name : NULL) &&
           same_call(p, a->call, b->call) &&
           same_operands(p, a->element, a->element_count, b->element, b->element_count);
}

static bool same_location(struct equal_pair *p, int a, int b)
{
    while (a >= 0 && b >= 0) {
        const struct ptx_location *x = &p->a->locations[a], *y = &p->b->locations[b];
        if (x->file != y->file || x->line != y->line || x->column != y->column)
            return differ(p, "source line %d and %d", x->line, y->line);
        a = x->inlined_at;
        b = y->inlined_at;
    }
    return (a < 0 && b < 0) || differ(p, "call site of inlined code");
}

static bool same_instruction(struct equal_pair *p, const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    p->line = a->line;
    SAME(op, "%d");
    SAME(guard, "%d");
    SAME(guard_negate, "%d");
    if (memcmp(a->suffixes.type, b->suffixes.type, sizeof a->suffixes.type) ||
        memcmp(a->suffixes.mod, b->suffixes.mod, sizeof a->suffixes.mod) || a->suffixes.flags != b->suffixes.flags ||
        a->suffixes.shape != b->suffixes.shape)
        return differ(p, "suffixes of %s", op_table[a->op].mnemonic);
    return same_text(p, "unsupported", a->unsupported, b->unsupported) && same_location(p, a->location, b->location) &&
           same_operands(p, a->operand, a->operand_count, b->operand, b->operand_count);
}

static bool same_prototype(struct equal_pair *p, const struct ptx_prototype *a, const struct ptx_prototype *b)
{
    SAME(is_targets, "%d");
    SAME(no_return, "%d");
    SAME(target_count, "%d");
    for (int i = 0; i < a->target_count; i++)
        if (!same_text(p, "call target", a->target[i]->name, b->target[i]->name))
            return false;
    return same_text(p, "prototype", a->name, b->name) &&
           same_variables(p, a->returns, a->return_count, b->returns, b->return_count) &&
           same_variables(p, a->parameters, a->parameter_count, b->parameters, b->parameter_count);
}

static bool same_lists(struct equal_pair *p, const struct ptx_function *a, const struct ptx_function *b)
{
    SAME(label_count, "%d");
    SAME(targets_count, "%d");
    SAME(prototype_count, "%d");
    SAME(pragma_count, "%d");
    for (int i = 0; i < a->label_count; i++)
        if (a->labels[i].target != b->labels[i].target || !same_text(p, "label", a->labels[i].name, b->labels[i].name))
            return differ(p, "label %s", a->labels[i].name);
    for (int i = 0; i < a->pragma_count; i++)
        if (a->pragmas[i].before != b->pragmas[i].before ||
            !same_text(p, "pragma", a->pragmas[i].text, b->pragmas[i].text))
            return differ(p, "pragma %s", a->pragmas[i].text);
    for (int i = 0; i < a->targets_count; i++) {
        const struct ptx_targets *x = a->targets[i], *y = b->targets[i];
        if (x->count != y->count || memcmp(x->target, y->target, sizeof *x->target * (size_t)x->count) ||
            !same_text(p, "targets", x->name, y->name))
            return differ(p, "branch targets %s", x->name);
    }
    for (int i = 0; i < a->prototype_count; i++)
        if (!same_prototype(p, a->prototypes[i], b->prototypes[i]))
            return false;
    return true;
}

static bool same_function(struct equal_pair *p, const struct ptx_function *a, const struct ptx_function *b)
{
    p->function = a->name;
    p->line = a->line;
    SAME(is_entry, "%d");
    SAME(is_defined, "%d");
    SAME(no_return, "%d");
    SAME(linkage, "%d");
    SAME(register_count, "%d");
    SAME(instruction_count, "%d");
    if (memcmp(&a->limits, &b->limits, sizeof a->limits))
        return differ(p, "performance directives");
    if (!same_text(p, "name", a->name, b->name) ||
        !same_text(p, "alias of", name_of(NULL, a->alias_of), name_of(NULL, b->alias_of)) ||
        !same_variables(p, a->returns, a->return_count, b->returns, b->return_count) ||
        !same_variables(p, a->parameters, a->parameter_count, b->parameters, b->parameter_count) ||
        !same_variables(p, a->variables, a->variable_count, b->variables, b->variable_count) || !same_lists(p, a, b))
        return false;
    for (int i = 0; i < a->register_count; i++)
        if (a->registers[i].type != b->registers[i].type || a->registers[i].vector != b->registers[i].vector ||
            strcmp(a->registers[i].name, b->registers[i].name))
            return differ(p, "register %s and %s", a->registers[i].name, b->registers[i].name);
    for (int i = 0; i < a->instruction_count; i++)
        if (!same_instruction(p, &a->instructions[i], &b->instructions[i]))
            return false;
    return true;
}

static bool same_header(struct equal_pair *p, const struct ptx_module *a, const struct ptx_module *b)
{
    SAME(version_major, "%d");
    SAME(version_minor, "%d");
    SAME(address_bits, "%d");
    SAME(file_count, "%d");
    SAME(function_count, "%d");
    SAME(item_count, "%d");
    for (int i = 0; i < a->file_count; i++)
        if (a->files[i].number != b->files[i].number || !same_text(p, "file", a->files[i].path, b->files[i].path))
            return differ(p, "file %d", a->files[i].number);
    for (int i = 0; i < a->item_count; i++) {
        const struct ptx_item *x = &a->items[i], *y = &b->items[i];
        if (x->kind != y->kind || !same_text(p, "item", x->text, y->text) ||
            !same_text(p, "item", name_of(x->variable, x->function), name_of(y->variable, y->function)))
            return differ(p, "item %d", i);
    }
    return same_text(p, "target", a->target, b->target) &&
           same_text(p, "options of the target", a->target_options, b->target_options);
}

bool ptx_equal(const struct ptx_module *a, const struct ptx_module *b, struct text *difference)
{
    struct equal_pair p = {.a = a, .b = b, .difference = difference, .function = "", .line = 1};
    if (!same_header(&p, a, b) || !same_variables(&p, a->variables, a->variable_count, b->variables, b->variable_count))
        return false;
    for (int i = 0; i < a->function_count; i++)
        if (!same_function(&p, a->functions[i], b->functions[i]))
            return false;
    return true;
}
