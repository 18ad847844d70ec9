/* See check_image.h. */
#include "tests/binary/check_image.h"

#include "base/arena.h"
#include "binary/elf.h"
#include "binary/fatbin.h"
#include "device/image.h"
#include "exec/code.h"
#include "ptx/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPABILITY = 90, MEMORY_LIMIT = 1 << 24 };

static void analyse(const struct ptx_module *module)
{
    struct memory *memory = memory_create(MEMORY_LIMIT);
    char *error = NULL;
    struct image *image = image_load(module, memory, &error);
    free(error);
    for (int f = 0; image && f < module->function_count; f++) {
        const struct ptx_function *kernel = module->functions[f];
        if (!kernel->is_entry || !kernel->is_defined)
            continue;
        error = NULL;
        struct code *code = code_create(kernel, image, &error);
        free(error);
        if (code)
            code_destroy(code);
    }
    image_unload(image);
    memory_destroy(memory);
}

/* What heddle exec asks of an executable. */
static void read_dynamic(const uint8_t *data, size_t length)
{
    struct elf elf;
    char *error = NULL;
    if (!elf_open(&elf, data, length, &error)) {
        free(error);
        return;
    }
    static const uint64_t tags[] = {ELF_TAG_NEEDED, ELF_TAG_RPATH, ELF_TAG_RUNPATH, ELF_TAG_SONAME};
    size_t total = 0;
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++)
        for (int n = 0; n < 100; n++) {
            const char *text = elf_dynamic_text(&elf, tags[t], n);
            if (!text)
                break;
            total += strlen(text);
        }
    if (total > 400 * length) /* each text lies within the file */
        abort();
    elf_has_interpreter(&elf);
}

static bool finish(struct ptx_module *module, struct ptx_failure *failure)
{
    if (!module && (failure->kind == FAILURE_NONE || !failure->text.length)) {
        fprintf(stderr, "a failure says nothing\n");
        abort();
    }
    if (module) {
        struct text printed = {0};
        ptx_print(module, &printed);
        analyse(module);
        text_free(&printed);
        ptx_destroy(module);
    }
    text_free(&failure->text);
    return module != NULL;
}

/* As an image in memory, whose own header says how long it is: within the bytes only, because nothing else bounds it. */
static void load_image(const uint8_t *data, size_t length)
{
    struct ptx_failure failure = {0};
    if (length >= 16 && fatbin_is_container(data) && fatbin_length(data) <= length)
        finish(ptx_load_image("image", data, CAPABILITY, &failure), &failure);
}

/* Twice the same modules, linked together: every strong name is defined twice, every weak one merges. */
static void link_twice(const uint8_t *data, size_t length)
{
    struct ptx_units units = {0};
    struct ptx_failure failure = {0};
    struct ptx_module *module = NULL;
    if (ptx_gather_bytes(&units, "first", data, length, CAPABILITY, &failure) &&
        ptx_gather_bytes(&units, "second", data, length, CAPABILITY, &failure))
        module = ptx_link_units(&units, "both", LINK_TOGETHER, &failure);
    ptx_units_free(&units);
    finish(module, &failure);
}

bool check_image(const uint8_t *data, size_t length)
{
    struct ptx_failure failure = {0};
    uint8_t *exact = xmalloc(length); /* so that a sanitizer sees a read one byte beyond */
    if (length)
        memcpy(exact, data, length);
    read_dynamic(exact, length);
    load_image(exact, length);
    link_twice(exact, length);
    bool is_loaded = finish(ptx_load_bytes("file", exact, length, CAPABILITY, &failure), &failure);
    free(exact);
    return is_loaded;
}
