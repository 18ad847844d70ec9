/* Loading a module: variables are placed first; then initial values are copied, and the addresses in them are filled
 * in. */
#include "device/image.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Values of function pointers are in this range, where no memory is allocated. */
#define FUNCTION_BASE   UINT64_C(0x600000000000)
#define FUNCTION_STRIDE UINT64_C(16)

struct image_loader {
    struct image *image;
    struct text error;
    uint64_t bytes; /* of all variables (image_bytes()) */
};

static bool is_placed(const struct ptx_variable *v)
{
    return v->space == SPACE_GLOBAL || v->space == SPACE_CONST;
}

static bool is_undefined(const struct ptx_variable *v)
{
    return v->linkage == LINKAGE_EXTERN;
}

static uint64_t *address_slot(const struct image *image, const struct ptx_variable *v)
{
    const struct ptx_module *m = image->module;
    if (!v->owner)
        return v->index >= 0 && v->index < m->variable_count && m->variables[v->index] == v
                   ? &image->module_address[v->index]
                   : NULL;
    const struct ptx_function *f = v->owner;
    return v->index >= 0 && v->index < f->variable_count && f->variables[v->index] == v
               ? &image->function_address[f->index][v->index]
               : NULL;
}

/* Calls `visit` for every variable of the module and of function bodies that an image places. */
static void for_each(struct image_loader *l, void (*visit)(struct image_loader *, const struct ptx_variable *))
{
    const struct ptx_module *m = l->image->module;
    for (int i = 0; i < m->variable_count; i++)
        if (is_placed(m->variables[i]))
            visit(l, m->variables[i]);
    for (int f = 0; f < m->function_count; f++)
        for (int i = 0; i < m->functions[f]->variable_count; i++)
            if (is_placed(m->functions[f]->variables[i]))
                visit(l, m->functions[f]->variables[i]);
}

/* Records the constant's offset in the bank; the offset becomes a generic address once the bank exists. */
static void measure_constant(struct image_loader *l, const struct ptx_variable *v)
{
    if (v->space != SPACE_CONST || is_undefined(v))
        return;
    uint64_t align = bits_is_power_of_two(v->align_bytes) ? v->align_bytes : 1;
    uint64_t offset = bits_align_up(l->image->constant_bytes, align);
    if (v->size_bytes > l->image->memory->limit_bytes || offset > l->image->memory->limit_bytes) {
        text_printf(&l->error, "constant '%s' of %llu bytes does not fit into memory\n", v->name,
                    (unsigned long long)v->size_bytes);
        return;
    }
    *address_slot(l->image, v) = offset;
    l->image->constant_bytes = offset + v->size_bytes;
}

static void place_bank(struct image_loader *l)
{
    struct image *image = l->image;
    if (!image->constant_bytes || l->error.length)
        return;
    image->constant_base = memory_alloc(image->memory, image->constant_bytes, "the constant bank");
    if (!image->constant_base) {
        text_printf(&l->error, "%llu bytes of constants do not fit into memory\n",
                    (unsigned long long)image->constant_bytes);
        return;
    }
    for (int i = 0; i < image->memory->count; i++)
        if (image->memory->allocation[i].address == image->constant_base)
            image->memory->allocation[i].is_constant = true;
}

static void place_variable(struct image_loader *l, const struct ptx_variable *v)
{
    uint64_t *slot = address_slot(l->image, v);
    if (l->error.length || is_undefined(v))
        return;
    if (v->space == SPACE_CONST) {
        *slot += l->image->constant_base;
        return;
    }
    struct text label = {0};
    text_printf(&label, "variable %s", v->name);
    *slot = v->is_managed ? memory_alloc_managed(l->image->memory, v->size_bytes, label.data)
                          : memory_alloc(l->image->memory, v->size_bytes, label.data);
    text_free(&label);
    if (!*slot)
        text_printf(&l->error, "variable '%s' of %llu bytes does not fit into memory\n", v->name,
                    (unsigned long long)v->size_bytes);
}

static const struct ptx_variable *find_definition(const struct ptx_module *m, const struct ptx_variable *v)
{
    for (int i = 0; i < m->variable_count; i++)
        if (is_placed(m->variables[i]) && !is_undefined(m->variables[i]) && !strcmp(m->variables[i]->name, v->name))
            return m->variables[i];
    return NULL;
}

static void bind_extern(struct image_loader *l, const struct ptx_variable *v)
{
    if (!is_undefined(v))
        return;
    const struct ptx_variable *definition = find_definition(l->image->module, v);
    if (definition)
        *address_slot(l->image, v) = *address_slot(l->image, definition);
    else
        text_printf(&l->error, "variable '%s' (line %d) is not defined in this module\n", v->name, v->line);
}

static void apply_reloc(struct image_loader *l, const struct ptx_variable *v, uint8_t *host, const struct ptx_reloc *r)
{
    uint64_t value = 0;
    if (r->function)
        value = image_function_address(l->image, r->function);
    else if (r->variable && is_placed(r->variable))
        value = r->generic ? image_address(l->image, r->variable) : image_own_address(l->image, r->variable);
    else {
        text_printf(&l->error, "the initial value of '%s' names '%s', which has no fixed address\n", v->name,
                    r->variable ? r->variable->name : "nothing");
        return;
    }
    if (r->bytes > 8 || r->shift > 63 || r->offset > v->size_bytes || r->bytes > v->size_bytes - r->offset) {
        text_printf(&l->error, "an address in the initial value of '%s' does not fit into it\n", v->name);
        return;
    }
    value = (value + (uint64_t)r->addend) >> r->shift;
    for (int i = 0; i < r->bytes; i++)
        host[r->offset + (uint64_t)i] = (uint8_t)(value >> 8 * i);
}

static void initialise(struct image_loader *l, const struct ptx_variable *v)
{
    if (is_undefined(v) || (!v->init && !v->reloc_count))
        return;
    uint8_t *host = memory_host(l->image->memory, image_address(l->image, v), v->size_bytes);
    if (v->init)
        memcpy(host, v->init, v->size_bytes);
    for (int i = 0; i < v->reloc_count; i++)
        apply_reloc(l, v, host, &v->reloc[i]);
}

static void clear(struct image_loader *l, const struct ptx_variable *v)
{
    void *host = is_undefined(v) ? NULL : memory_host(l->image->memory, image_address(l->image, v), v->size_bytes);
    if (host)
        memset(host, 0, v->size_bytes);
}

static struct image *new_image(const struct ptx_module *module, struct memory *memory)
{
    struct image *image = xcalloc(1, sizeof *image);
    image->module = module;
    image->memory = memory;
    image->module_address = xcalloc((size_t)module->variable_count + 1, sizeof(uint64_t));
    image->function_address = xcalloc((size_t)module->function_count + 1, sizeof(uint64_t *));
    for (int f = 0; f < module->function_count; f++)
        image->function_address[f] = xcalloc((size_t)module->functions[f]->variable_count + 1, sizeof(uint64_t));
    return image;
}

struct image *image_load(const struct ptx_module *module, struct memory *memory, char **error)
{
    struct image_loader l = {.image = new_image(module, memory)};
    for_each(&l, measure_constant);
    place_bank(&l);
    if (!l.error.length)
        for_each(&l, place_variable);
    if (!l.error.length)
        for_each(&l, bind_extern);
    if (!l.error.length)
        for_each(&l, initialise);
    if (!l.error.length)
        return l.image;
    image_unload(l.image);
    l.error.data[l.error.length - 1] = '\0'; /* drops the last newline */
    *error = text_take(&l.error);
    return NULL;
}

static void add_bytes(struct image_loader *l, const struct ptx_variable *v)
{
    if (!is_undefined(v) && __builtin_add_overflow(l->bytes, v->size_bytes, &l->bytes))
        l->bytes = UINT64_MAX;
}

uint64_t image_bytes(const struct ptx_module *module)
{
    struct image only = {.module = module};
    struct image_loader l = {.image = &only};
    for_each(&l, add_bytes);
    return l.bytes;
}

/* Nothing can fail here that did not fail when the image was loaded. */
void image_reset(struct image *image)
{
    struct image_loader l = {.image = image};
    for_each(&l, clear);
    for_each(&l, initialise);
    text_free(&l.error);
}

void image_unload(struct image *image)
{
    if (!image)
        return;
    const struct ptx_module *m = image->module;
    for (int i = 0; i < m->variable_count; i++)
        if (m->variables[i]->space == SPACE_GLOBAL && !is_undefined(m->variables[i]))
            memory_free(image->memory, image->module_address[i]);
    for (int f = 0; f < m->function_count; f++) {
        for (int i = 0; i < m->functions[f]->variable_count; i++)
            if (m->functions[f]->variables[i]->space == SPACE_GLOBAL && !is_undefined(m->functions[f]->variables[i]))
                memory_free(image->memory, image->function_address[f][i]);
        free(image->function_address[f]);
    }
    if (image->constant_base)
        memory_free(image->memory, image->constant_base);
    free(image->function_address);
    free(image->module_address);
    free(image);
}

uint64_t image_address(const struct image *image, const struct ptx_variable *variable)
{
    const uint64_t *slot = is_placed(variable) ? address_slot(image, variable) : NULL;
    return slot ? *slot : 0;
}

uint64_t image_own_address(const struct image *image, const struct ptx_variable *variable)
{
    uint64_t address = image_address(image, variable);
    return variable->space == SPACE_CONST && address ? address - image->constant_base : address;
}

uint64_t image_function_address(const struct image *image, const struct ptx_function *function)
{
    (void)image;
    return FUNCTION_BASE + FUNCTION_STRIDE * (uint64_t)function->index;
}

enum type image_reference_type(const struct image *image, uint64_t address)
{
    for (int i = 0; i < image->module->variable_count; i++) {
        enum type type = (enum type)image->module->variables[i]->type;
        if (type_is_reference(type) && address && image->module_address[i] == address)
            return type;
    }
    return TYPE_NONE;
}
