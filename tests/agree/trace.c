/* A case run by some executor: loading, placing arguments, keeping outputs; and the comparison of two runs. */
#include "tests/agree/trace.h"

#include "base/arena.h"
#include "base/diag.h"
#include "exec/ahead/ahead.h"
#include "exec/functional.h"
#include "oracle/oracle.h"
#include "tests/agree/textures.h"
#include "tests/silicon/op_texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_LIMIT = 200000000 };

static void keep_text(void *context, const char *text, size_t length)
{
    text_append(context, text, length);
}

void trace_free(struct trace *t)
{
    for (int i = 0; i < CASE_MAX_ARGS; i++)
        free(t->output[i]);
    text_free(&t->printed);
}

/* Places the arguments; returns the parameter block. */
static void place_arguments(const struct test_case *c, const struct layout *layout, struct memory *memory,
                            uint64_t address[CASE_MAX_ARGS], uint8_t *block)
{
    for (int i = 0; i < c->arg_count && i < layout->kernel->parameter_count; i++) {
        const struct case_arg *a = &c->arg[i];
        uint8_t *to = block + layout->frame[layout->kernel->index].formal_offset[i];
        if (a->is_buffer) {
            address[i] = memory_alloc(memory, a->bytes, "argument");
            memcpy(memory_host(memory, address[i], a->bytes), a->data, a->bytes);
            memcpy(to, &address[i], 8);
        } else {
            memcpy(to, a->data, a->bytes);
        }
    }
    for (int i = 0; i < c->texture_count; i++) {
        uint64_t handle = textures_handle(i);
        memcpy(block + layout->frame[layout->kernel->index].formal_offset[c->texture[i].handle_arg], &handle, 8);
    }
}

bool trace_run(const struct test_case *c, trace_executor *execute, void *context, struct trace *t, char **error)
{
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse(c->name, c->ptx, strlen(c->ptx), &diag);
    if (!module) {
        *error = diag_text(&diag);
        diag_free(&diag);
        return false;
    }
    struct memory *memory = memory_create(UINT64_C(4) << 30);
    struct image *image = image_load(module, memory, error);
    const struct ptx_function *kernel = ptx_find_function(module, c->kernel);
    struct code *code = image && kernel ? code_create(kernel, image, error) : NULL;
    if (code) {
        const struct layout *layout = code_program(code)->layout;
        uint64_t address[CASE_MAX_ARGS] = {0};
        uint8_t *parameters = xcalloc(1, layout->parameter_bytes + 16);
        struct launch_result result;
        struct textures textures;
        place_arguments(c, layout, memory, address, parameters);
        textures_describe(c, address, &textures);
        struct launch launch = {
            .kernel = kernel,
            .image = image,
            .grid = {c->grid[0], c->grid[1], c->grid[2]},
            .block = {c->block[0], c->block[1], c->block[2]},
            .dynamic_shared_bytes = c->shared_bytes,
            .parameters = parameters,
            .parameter_bytes = layout->parameter_bytes,
            .instruction_limit = INSTRUCTION_LIMIT,
            .texture_count = textures.texture_count,
            .textures = textures.texture,
            .surface_count = textures.surface_count,
            .surfaces = textures.surface,
            .print = {keep_text, &t->printed},
        };
        execute(context, &launch, code, &result);
        t->fault = result.fault;
        t->fault.kernel = c->kernel; /* its own name goes with the module */
        for (int i = 0; i < c->arg_count; i++)
            if (c->arg[i].is_output) {
                t->output[i] = xmalloc(c->arg[i].bytes);
                memcpy(t->output[i], memory_host(memory, address[i], c->arg[i].bytes), c->arg[i].bytes);
            }
        free(parameters);
    } else if (!kernel && !*error) {
        *error = strdup("no such kernel\n");
    }
    bool ok = code != NULL;
    code_destroy(code);
    image_unload(image);
    memory_destroy(memory);
    ptx_destroy(module);
    return ok;
}

bool trace_differ(const struct test_case *c, const char *first_name, const struct trace *first, const char *second_name,
                  const struct trace *second)
{
    char first_text[1024], second_text[1024];
    if (first->fault.kind != second->fault.kind) {
        printf("%s: %s ended with: %s  %s with: %s", c->name, first_name,
               fault_describe(&first->fault, first_text, sizeof first_text), second_name,
               fault_describe(&second->fault, second_text, sizeof second_text));
        return true;
    }
    for (int i = 0; i < c->arg_count; i++)
        for (size_t k = 0; c->arg[i].is_output && k < c->arg[i].bytes; k++)
            if (first->output[i][k] != second->output[i][k]) {
                size_t word = k & ~(size_t)3;
                uint32_t a = 0, b = 0;
                memcpy(&a, first->output[i] + word, 4);
                memcpy(&b, second->output[i] + word, 4);
                printf("%s: argument %d, word %zu: %s 0x%08x, %s 0x%08x\n", c->name, i, word / 4, first_name, a,
                       second_name, b);
                return true;
            }
    if (first->printed.length != second->printed.length) {
        printf("%s: %s printed %zu bytes, %s %zu\n", c->name, first_name, first->printed.length, second_name,
               second->printed.length);
        return true;
    }
    return false;
}

void trace_on_engine(void *context, const struct launch *launch, const struct code *code, struct launch_result *result)
{
    functional_launch(launch, code, result);
    if (context)
        *(struct launch_result *)context = *result;
}

void trace_on_threads(void *context, const struct launch *launch, const struct code *code, struct launch_result *result)
{
    struct launch copy = *launch;
    copy.team = ahead_team_create(3);
    copy.team->is_eager = true;
    functional_launch(&copy, code, result);
    ahead_team_destroy(copy.team);
    if (context)
        *(struct launch_result *)context = *result;
}

void trace_on_oracle(void *context, const struct launch *launch, const struct code *code, struct launch_result *result)
{
    (void)context;
    (void)code;
    oracle_launch(launch, result);
}
