/*
 * The modules of a recording: PTX text, and where the module's variables stood in device memory.
 *
 * The text is printed from the module, since a module need not have one text of its own (ptx/link.h) and may have been
 * changed (lower/lower.h). Line numbers of the original text go along, so that reports name the same lines.
 */
#include "run/recorded.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static void put_lines(struct bytes *out, const struct ptx_module *m)
{
    for (int f = 0; f < m->function_count; f++) {
        const struct ptx_function *function = m->functions[f];
        int32_t before = 0;
        for (int i = 0; i < function->instruction_count; i++) {
            bytes_put_difference(out, (uint64_t)(int64_t)(function->instructions[i].line - before));
            before = function->instructions[i].line;
        }
    }
}

static void get_lines(struct bytes_reader *r, struct ptx_module *m)
{
    for (int f = 0; f < m->function_count; f++) {
        struct ptx_function *function = m->functions[f];
        uint64_t line = 0;
        for (int i = 0; i < function->instruction_count && !r->failed; i++) {
            line += bytes_difference(r);
            r->failed |= line > INT32_MAX;
            function->instructions[i].line = (int32_t)line;
        }
    }
}

static void put_addresses(struct bytes *out, const struct image *image)
{
    const struct ptx_module *m = image->module;
    bytes_put_number(out, image->constant_base);
    bytes_put_number(out, image->constant_bytes);
    for (int i = 0; i < m->variable_count; i++)
        bytes_put_number(out, image->module_address[i]);
    for (int f = 0; f < m->function_count; f++)
        for (int i = 0; i < m->functions[f]->variable_count; i++)
            bytes_put_number(out, image->function_address[f][i]);
}

static void get_addresses(struct bytes_reader *r, struct image *image)
{
    const struct ptx_module *m = image->module;
    image->constant_base = bytes_number(r);
    image->constant_bytes = bytes_number(r);
    image->module_address = xcalloc((size_t)m->variable_count + 1, sizeof *image->module_address);
    image->function_address = xcalloc((size_t)m->function_count + 1, sizeof *image->function_address);
    for (int i = 0; i < m->variable_count; i++)
        image->module_address[i] = bytes_number(r);
    for (int f = 0; f < m->function_count; f++) {
        image->function_address[f] = xcalloc((size_t)m->functions[f]->variable_count + 1, sizeof(uint64_t));
        for (int i = 0; i < m->functions[f]->variable_count; i++)
            image->function_address[f][i] = bytes_number(r);
    }
}

static bool parses_again(const struct ptx_module *m, const struct text *printed, char **error)
{
    struct diag diag = {0};
    struct text difference = {0};
    struct ptx_module *again = ptx_parse(m->source.path, printed->data, printed->length, &diag);
    bool ok = again && ptx_equal(m, again, &difference);
    if (!ok)
        diag_fail(error, "%s: its PTX cannot be written: %s", m->source.path,
                  difference.data ? difference.data : "it does not parse again");
    if (again)
        ptx_destroy(again);
    text_free(&difference);
    diag_free(&diag);
    return ok;
}

bool recorded_put_module(struct bytes *out, const struct image *image, char **error)
{
    const struct ptx_module *m = image->module;
    struct text printed = {0};
    ptx_print(m, &printed);
    bool ok = parses_again(m, &printed, error);
    bytes_put_string(out, m->source.path);
    bytes_put_string(out, printed.data);
    bytes_put_number(out, m->is_lowered);
    put_lines(out, m);
    put_addresses(out, image);
    text_free(&printed);
    return ok;
}

bool recorded_get_module(struct bytes_reader *r, struct recorded_module *recorded)
{
    struct diag diag = {0};
    char *path = bytes_string(r), *text = bytes_string(r);
    if (path && text)
        recorded->module = ptx_parse(path, text, strlen(text), &diag);
    free(path);
    free(text);
    diag_free(&diag);
    struct ptx_module *m = recorded->module;
    if (!m)
        return false;
    recorded->image.module = m;
    m->is_lowered = bytes_number_up_to(r, 1);
    get_lines(r, m);
    get_addresses(r, &recorded->image);
    return !r->failed && r->at == r->end;
}

void recorded_free_module(struct recorded_module *recorded)
{
    struct image *image = &recorded->image;
    for (int f = 0; image->function_address && f < recorded->module->function_count; f++)
        free(image->function_address[f]);
    free(image->function_address);
    free(image->module_address);
    if (recorded->module)
        ptx_destroy(recorded->module);
    *recorded = (struct recorded_module){0};
}
