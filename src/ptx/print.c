/*
 * Prints a module as PTX text that parses to the same module.
 *
 * Nested scopes come out flat: declarations first, then the instructions. Debug sections, comments and the names of
 * inlined functions are not part of a module, and are not printed. print_instruction.c prints instructions.
 */
#include "base/text.h"
#include "ptx/module.h"

#include <limits.h>
#include <string.h>

static void print_linkage(uint8_t linkage, struct text *out)
{
    static const char *const texts[] = {"", ".extern ", ".visible ", ".weak ", ".common "};
    text_printf(out, "%s", texts[linkage]);
}

static uint64_t read_bits(const uint8_t *bytes, unsigned count)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < count && i < 8; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

static void print_reloc(const struct ptx_reloc *r, unsigned scalar_bytes, struct text *out)
{
    unsigned whole = scalar_bytes < 8 ? scalar_bytes : 8;
    bool is_masked = r->bytes != whole || r->shift || whole < 4;
    if (is_masked)
        text_printf(out, "0x%llX(", (unsigned long long)((~0ull >> (64 - 8 * r->bytes)) << r->shift));
    text_printf(out, r->generic ? "generic(%s)" : "%s", r->variable ? r->variable->name : r->function->name);
    if (r->addend)
        text_printf(out, "%+lld", (long long)r->addend);
    if (is_masked)
        text_printf(out, ")");
}

static void print_scalar(enum type type, uint64_t bits, struct text *out)
{
    if (type_table[type].kind == KIND_FLOAT && type_table[type].bits == 32)
        text_printf(out, "0f%08llX", (unsigned long long)bits);
    else if (type_table[type].kind == KIND_FLOAT && type_table[type].bits == 64)
        text_printf(out, "0d%016llX", (unsigned long long)bits);
    else
        text_printf(out, "%llu", (unsigned long long)bits);
}

/* Prints all values in one pair of braces, up to the last that is not zero. */
static void print_initialiser(const struct ptx_variable *v, struct text *out)
{
    unsigned scalar = type_bytes((enum type)v->type);
    uint64_t last = 0;
    for (uint64_t i = 0; v->init && i < v->size_bytes; i++)
        if (v->init[i])
            last = i / scalar;
    if (v->reloc_count && v->reloc[v->reloc_count - 1].offset / scalar > last)
        last = v->reloc[v->reloc_count - 1].offset / scalar;
    bool has_braces = v->is_array || v->vector > 1;
    text_printf(out, has_braces ? " = {" : " = ");
    int reloc = 0;
    for (uint64_t i = 0; i <= last; i++) {
        if (i)
            text_printf(out, ", ");
        if (reloc < v->reloc_count && v->reloc[reloc].offset == i * scalar)
            print_reloc(&v->reloc[reloc++], scalar, out);
        else
            print_scalar((enum type)v->type, v->init ? read_bits(v->init + i * scalar, scalar) : 0, out);
    }
    text_printf(out, has_braces ? "}" : "");
}

/* Prints space, type, name and dimensions of a variable or parameter. */
static void print_declarator(const struct ptx_variable *v, struct text *out)
{
    text_printf(out, ".%s", v->is_register ? "reg" : mod_text[v->space]);
    if (v->is_managed)
        text_printf(out, " .attribute(.managed)");
    if (v->align_bytes != type_bytes((enum type)v->type) * v->vector)
        text_printf(out, " .align %u", v->align_bytes);
    if (v->vector > 1)
        text_printf(out, " .v%d", v->vector);
    text_printf(out, " .%s", type_table[v->type].text);
    if (v->is_pointer) {
        text_printf(out, " .ptr");
        if (v->pointer_space)
            text_printf(out, " .%s", mod_text[v->pointer_space]);
        if (v->pointer_align)
            text_printf(out, " .align %u", v->pointer_align);
    }
    text_printf(out, " %s", v->name);
    for (int d = 0; d < v->dimension_count; d++)
        if (d == 0 && v->is_unsized)
            text_printf(out, "[]");
        else
            text_printf(out, "[%llu]", (unsigned long long)v->dimension[d]);
}

static void print_variable(const struct ptx_variable *v, bool is_declaration, struct text *out)
{
    print_linkage(is_declaration ? LINKAGE_EXTERN : v->linkage, out);
    print_declarator(v, out);
    if (!is_declaration && (v->init || v->reloc_count))
        print_initialiser(v, out);
    text_printf(out, ";\n");
}

static void print_formals(struct ptx_variable *const *formals, int count, struct text *out)
{
    text_printf(out, "(");
    for (int i = 0; i < count; i++) {
        text_printf(out, i ? ", " : "");
        print_declarator(formals[i], out);
    }
    text_printf(out, ")");
}

static void print_extent(const char *name, const uint32_t extent[3], struct text *out)
{
    if (extent[0] || extent[1] || extent[2])
        text_printf(out, "\n%s %u, %u, %u", name, extent[0], extent[1], extent[2]);
}

static void print_number(const char *name, uint32_t number, struct text *out)
{
    if (number)
        text_printf(out, "\n%s %u", name, number);
}

static void print_header(const struct ptx_function *f, struct text *out)
{
    const struct ptx_limits *l = &f->limits;
    print_linkage(f->linkage, out);
    text_printf(out, f->is_entry ? ".entry " : ".func ");
    if (f->return_count) {
        print_formals(f->returns, f->return_count, out);
        text_printf(out, " ");
    }
    text_printf(out, "%s", f->name);
    print_formals(f->parameters, f->parameter_count, out);
    print_extent(".maxntid", l->max_threads, out);
    print_extent(".reqntid", l->required_threads, out);
    print_number(".minnctapersm", l->min_blocks, out);
    print_number(".maxnreg", l->max_registers, out);
    print_number(".maxclusterrank", l->max_blocks_per_cluster, out);
    print_extent(".reqnctapercluster", l->required_cluster, out);
    text_printf(out, "%s%s%s", l->explicit_cluster ? "\n.explicitcluster" : "",
                l->blocks_are_clusters ? "\n.blocksareclusters" : "", f->no_return ? "\n.noreturn" : "");
    for (int i = 0; i < f->pragma_count; i++)
        if (f->pragmas[i].before < 0)
            text_printf(out, "\n.pragma \"%s\";", f->pragmas[i].text);
}

/* Whether the name is `prefix` followed by the number, as names of a range `.reg .b32 %r<10>` are: %r0, %r1, ... */
static bool is_numbered(const char *name, const char *prefix, size_t prefix_length, int number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    return !strncmp(name, prefix, prefix_length) && !strcmp(name + prefix_length, digits);
}

/* How many registers from `first` on, each `stride` further, can be declared as one range: they are named x0, x1, x2,
 * ... and have one type. 0: the first name cannot begin a range. */
static int range_length(const struct ptx_function *f, int first, int stride)
{
    const struct ptx_register *r = &f->registers[first];
    size_t prefix = strlen(r->name) - 1;
    int count = 0;
    while (first + count * stride < f->register_count) {
        const struct ptx_register *next = &f->registers[first + count * stride];
        if (next->type != r->type || next->vector != r->vector || !is_numbered(next->name, r->name, prefix, count))
            break;
        count++;
    }
    char last = prefix ? r->name[prefix - 1] : '%';
    bool is_prefix = (prefix > 1 || last != '%') && !(last >= '0' && last <= '9');
    return is_prefix ? count : 0;
}

static int first_local_register(const struct ptx_function *f)
{
    int first = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? f->parameter_count : f->return_count); i++) {
            const struct ptx_variable *v = side ? f->parameters[i] : f->returns[i];
            if (v->is_register)
                first = v->reg + (v->vector > 1 ? v->vector + 1 : 1);
        }
    return first;
}

static void print_registers(const struct ptx_function *f, struct text *out)
{
    for (int i = first_local_register(f); i < f->register_count;) {
        const struct ptx_register *r = &f->registers[i];
        int stride = r->vector > 1 ? r->vector + 1 : 1, count = range_length(f, i, stride);
        text_printf(out, "    .reg ");
        if (r->vector > 1)
            text_printf(out, ".v%d ", r->vector);
        if (count > 1)
            text_printf(out, ".%s %.*s<%d>;\n", type_table[r->type].text, (int)strlen(r->name) - 1, r->name, count);
        else
            text_printf(out, ".%s %s;\n", type_table[r->type].text, r->name);
        i += stride * (count > 1 ? count : 1);
    }
}

static void print_prototype(const struct ptx_prototype *p, struct text *out)
{
    if (p->is_targets) {
        text_printf(out, "    %s: .calltargets ", p->name);
        for (int i = 0; i < p->target_count; i++)
            text_printf(out, "%s%s", i ? ", " : "", p->target[i]->name);
    } else {
        text_printf(out, "    %s: .callprototype ", p->name);
        if (p->return_count) {
            print_formals(p->returns, p->return_count, out);
            text_printf(out, " ");
        }
        text_printf(out, "_ ");
        print_formals(p->parameters, p->parameter_count, out);
        text_printf(out, p->no_return ? " .noreturn" : "");
    }
    text_printf(out, ";\n");
}

static void print_declarations(const struct ptx_function *f, struct text *out)
{
    print_registers(f, out);
    for (int i = 0; i < f->variable_count; i++) {
        text_printf(out, "    ");
        print_variable(f->variables[i], false, out);
    }
    for (int i = 0; i < f->prototype_count; i++)
        print_prototype(f->prototypes[i], out);
    for (int i = 0; i < f->targets_count; i++) {
        text_printf(out, "    %s: .branchtargets ", f->targets[i]->name);
        for (int k = 0; k < f->targets[i]->count; k++)
            text_printf(out, "%s%s", k ? ", " : "", f->targets[i]->label[k]);
        text_printf(out, ";\n");
    }
}

/* Prints a location after the location of the call it was inlined at, so that `inlined_at` finds that one. */
static void print_location(const struct ptx_module *m, int location, struct text *out)
{
    int chain[128], depth = 0;
    for (int l = location; l >= 0 && depth < 128; l = m->locations[l].inlined_at)
        chain[depth++] = l;
    while (depth-- > 0) {
        const struct ptx_location *l = &m->locations[chain[depth]];
        text_printf(out, "    .loc %d %d %d", l->file, l->line, l->column);
        if (l->inlined_at >= 0) {
            const struct ptx_location *site = &m->locations[l->inlined_at];
            text_printf(out, ", inlined_at %d %d %d", site->file, site->line, site->column);
        }
        text_printf(out, "\n");
    }
}

/* Prints the pragmas before an instruction that stand on lines before `line`, since it matters whether a pragma stands
 * before or behind a label. Returns the next pragma. */
static int print_pragmas(const struct ptx_function *f, int pragma, int instruction, int line, struct text *out)
{
    for (; pragma < f->pragma_count && f->pragmas[pragma].before <= instruction; pragma++) {
        if (f->pragmas[pragma].before < 0)
            continue;
        if (f->pragmas[pragma].line >= line)
            break;
        text_printf(out, "    .pragma \"%s\";\n", f->pragmas[pragma].text);
    }
    return pragma;
}

static void print_body(const struct ptx_function *f, struct text *out)
{
    int label = 0, pragma = 0, location = -1;
    text_printf(out, "\n{\n");
    print_declarations(f, out);
    for (int i = 0; i <= f->instruction_count; i++) {
        for (; label < f->label_count && f->labels[label].target == i; label++) {
            pragma = print_pragmas(f, pragma, i, f->labels[label].line, out);
            text_printf(out, "%s:\n", f->labels[label].name);
        }
        pragma = print_pragmas(f, pragma, i, INT_MAX, out);
        if (i == f->instruction_count)
            break;
        const struct ptx_instruction *insn = &f->instructions[i];
        if (insn->location != location)
            print_location(f->module, insn->location, out);
        location = insn->location;
        text_printf(out, "    ");
        ptx_print_instruction(f, insn, out);
        text_printf(out, ";\n");
    }
    text_printf(out, "}\n");
}

static void print_item(const struct ptx_item *item, struct text *out)
{
    if (item->kind == ITEM_PRAGMA) {
        text_printf(out, ".pragma \"%s\";\n", item->text);
    } else if (item->kind == ITEM_ALIAS) {
        text_printf(out, ".alias %s, %s;\n", item->function->name, item->function->alias_of->name);
    } else if (item->variable) {
        print_variable(item->variable, item->kind == ITEM_DECLARATION, out);
    } else {
        print_header(item->function, out);
        if (item->kind == ITEM_DEFINITION)
            print_body(item->function, out);
        else
            text_printf(out, ";\n");
    }
}

void ptx_print(const struct ptx_module *module, struct text *out)
{
    text_printf(out, ".version %d.%d\n.target %s%s\n.address_size %d\n", module->version_major, module->version_minor,
                module->target, module->target_options, module->address_bits);
    for (int i = 0; i < module->file_count; i++)
        text_printf(out, ".file %d \"%s\"\n", module->files[i].number, module->files[i].path);
    for (int i = 0; i < module->item_count; i++)
        print_item(&module->items[i], out);
}
