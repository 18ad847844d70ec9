/* Writing the kernel of a case: threads numbered by %i, one buffer a column, one entry a thread. */
#include "emit.h"

#include "base/arena.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

static char *duplicate(const char *s)
{
    return strcpy(xmalloc(strlen(s) + 1), s);
}

void emit_line(struct emitter *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_printf(&e->body, "    ");
    text_vprintf(&e->body, format, args);
    text_printf(&e->body, "\n");
    va_end(args);
}

void emit_begin(struct emitter *e, enum op op, const char *name, unsigned threads, unsigned block)
{
    *e = (struct emitter){.c = xcalloc(1, sizeof *e->c), .version = 80, .target = "sm_90"};
    struct test_case *base = &e->c->base;
    base->name = duplicate(name);
    base->kernel = duplicate("k");
    for (int d = 0; d < 3; d++)
        base->grid[d] = base->block[d] = 1;
    base->block[0] = block;
    base->grid[0] = (threads + block - 1) / block;
    e->c->op = op;
    e->c->threads = base->grid[0] * block;
    emit_line(e, ".reg .b32 %%i, %%t, %%flat;");
    emit_line(e, ".reg .b64 %%address;");
    emit_line(e, "mov.u32 %%t, %%tid.x;");
    emit_line(e, "mov.u32 %%i, %%ctaid.x;");
    emit_line(e, "mov.u32 %%flat, %%ntid.x;");
    emit_line(e, "mad.lo.u32 %%i, %%i, %%flat, %%t;");
}

struct op_case *emit_end(struct emitter *e)
{
    struct text all = {0};
    text_printf(&all, ".version %d.%d\n.target %s\n.address_size 64\n", e->version / 10, e->version % 10, e->target);
    if (e->module.length)
        text_append(&all, e->module.data, e->module.length);
    text_printf(&all, ".visible .entry k(%s)\n%s{\n", e->params.length ? e->params.data : "",
                e->directives ? e->directives : "");
    text_append(&all, e->body.data, e->body.length);
    text_printf(&all, "    ret;\n}\n");
    text_free(&e->module);
    text_free(&e->params);
    text_free(&e->body);
    e->c->base.ptx = text_take(&all);
    return e->c;
}

void emit_register(struct emitter *e, unsigned bits, const char *name)
{
    if (bits == 1)
        emit_line(e, ".reg .pred %s;", name);
    else
        emit_line(e, ".reg .b%u %s;", bits, name);
}

static int add_arg(struct emitter *e, struct case_arg arg, const char *param)
{
    struct test_case *base = &e->c->base;
    if (base->arg_count == CASE_MAX_ARGS)
        panic("%s: too many arguments", base->name);
    const int n = base->arg_count++;
    arg.data = xcalloc(1, arg.bytes);
    base->arg[n] = arg;
    text_printf(&e->params, "%s%s p%d", n ? ", " : "", param, n);
    if (arg.bytes > 8 && !arg.is_buffer)
        text_printf(&e->params, "[%zu]", arg.bytes);
    return n;
}

int emit_table(struct emitter *e, size_t bytes)
{
    const int n = add_arg(e, (struct case_arg){.is_buffer = true, .bytes = bytes}, ".param .u64");
    emit_line(e, ".reg .b64 %%b%d;", n);
    emit_line(e, "ld.param.u64 %%b%d, [p%d];", n, n);
    return n;
}

int emit_buffer(struct emitter *e, unsigned bytes_per_thread, enum type type, bool is_output)
{
    const int n = emit_table(e, (size_t)bytes_per_thread * e->c->threads);
    e->c->base.arg[n].is_output = is_output;
    e->c->column[n] = (struct op_column){(uint8_t)bytes_per_thread, (uint8_t)type};
    return n;
}

int emit_value(struct emitter *e, size_t bytes, unsigned align)
{
    char param[40];
    if (bytes > 8)
        snprintf(param, sizeof param, ".param .align %u .b8", align);
    else
        snprintf(param, sizeof param, ".param .b%zu", bytes * 8);
    return add_arg(e, (struct case_arg){.bytes = bytes}, param);
}

void emit_address(struct emitter *e, const char *rd, int arg)
{
    emit_line(e, "mul.wide.u32 %s, %%i, %u;", rd, e->c->column[arg].bytes);
    emit_line(e, "add.u64 %s, %s, %%b%d;", rd, rd, arg);
}

void *emit_input(struct emitter *e, const char *reg, unsigned bits, enum type type)
{
    const unsigned memory_bits = bits == 1 ? 32 : bits;
    const int arg = emit_buffer(e, memory_bits / 8, type, false);
    emit_register(e, bits, reg);
    emit_address(e, "%address", arg);
    if (bits == 1) {
        emit_line(e, "ld.global.u32 %%flat, [%%address];");
        emit_line(e, "setp.ne.u32 %s, %%flat, 0;", reg);
    } else {
        emit_line(e, "ld.global.b%u %s, [%%address];", bits, reg);
    }
    return e->c->base.arg[arg].data;
}

void emit_output(struct emitter *e, const char *reg, unsigned bits, enum type type)
{
    const unsigned memory_bits = bits == 1 ? 32 : bits;
    const int arg = emit_buffer(e, memory_bits / 8, type, true);
    emit_address(e, "%address", arg);
    if (bits == 1) {
        emit_line(e, "selp.u32 %%flat, 1, 0, %s;", reg);
        emit_line(e, "st.global.u32 [%%address], %%flat;");
    } else {
        emit_line(e, "st.global.b%u [%%address], %s;", bits, reg);
    }
    memset(e->c->base.arg[arg].data, 0xcd, e->c->base.arg[arg].bytes);
}

void emit_put(void *column, unsigned bytes, unsigned thread, uint64_t value)
{
    unsigned char *p = (unsigned char *)column + (size_t)bytes * thread;
    const uint64_t upper = value * 0x9e3779b97f4a7c15u + 1; /* of 16 bytes */
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (unsigned char)((i < 8 ? value : upper) >> (8 * (i % 8)));
}

unsigned emit_register_bits(enum type type)
{
    const unsigned bits = type_table[type].bits;
    return bits == 8 ? 16 : bits;
}

void form_print(const struct form *form, struct text *out)
{
    struct element element[OP_MAX_ELEMENTS];
    char shape[SHAPE_TEXT_BYTES];
    const int n = op_split_suffixes(op_table[form->op].suffixes, element);
    text_printf(out, "%s", op_table[form->op].mnemonic);
    for (int i = 0; i < n; i++) {
        const char *text = "";
        switch (element[i].kind) {
        case ELEMENT_GROUP:
            text = mod_text[form->suffixes.mod[element[i].which]];
            break;
        case ELEMENT_FLAG:
            text = suffixes_has(&form->suffixes, (enum flag)element[i].which) ? flag_text[element[i].which] : "";
            break;
        case ELEMENT_TYPE:
            text = type_table[form->suffixes.type[element[i].which]].text;
            break;
        case ELEMENT_SHAPE:
            text = shape_text(form->suffixes.shape, shape);
            break;
        case ELEMENT_WORD:
        case ELEMENT_END:
            break;
        }
        if (element[i].kind == ELEMENT_WORD)
            text_printf(out, ".%.*s", element[i].word_length, element[i].word);
        if (*text)
            text_printf(out, ".%s", text);
    }
}
