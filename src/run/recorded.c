/* The run and the launches of a recording as bytes: see recorded.h. Modules are in recorded_module.c. */
#include "run/recorded.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "gpu/machine.h"
#include "run/request.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TEXTURES = 1 << 20, TEXTURE_BYTES = 4 /* at least, in a file */ };

/* ---- the run ---- */

/* The options that a replay takes over beside machine, mechanism and knobs: those that change time. */
static char *lasting_options(const struct run_options *o)
{
    struct run_options kept;
    struct text words = {0};
    options_default(&kept);
    kept.paper_schedulers = o->paper_schedulers;
    kept.recon = o->recon;
    kept.rare_percent = o->rare_percent;
    kept.profile = o->profile;
    kept.profile_running = o->profile_running;
    options_print(&kept, &words);
    kept.profile = NULL; /* still the caller's */
    options_free(&kept);
    return text_take(&words);
}

bool recorded_take_options(const struct recorded_head *head, struct run_options *into, char **error)
{
    struct text words = {0};
    if (!options_take_text(into, head->options, error))
        return false;
    options_print(into, &words);
    char *all = text_take(&words), *lasting = lasting_options(into);
    bool ok = !strcmp(all, lasting) ||
              diag_fail(error, "the recording is damaged: it asks for options that no recording holds: %s", all);
    free(all);
    free(lasting);
    return ok;
}

static bool is_builtin(const char *gpu)
{
    for (const char *const *m = machine_names(); *m; m++)
        if (!strcmp(*m, gpu))
            return true;
    return false;
}

void recorded_put_head(struct bytes *out, const struct run_request *request)
{
    const struct run_options *o = &request->options;
    bool has_machine = o->gpu && strcmp(o->gpu, "none");
    char *text = has_machine && !is_builtin(o->gpu) ? text_read_file(o->gpu) : NULL, *options = lasting_options(o);
    bytes_put_string(out, HEDDLE_VERSION);
    bytes_put_string(out, has_machine ? o->gpu : NULL);
    bytes_put_string(out, text);
    bytes_put_string(out, o->mechanism);
    bytes_put_string(out, o->settings);
    bytes_put_string(out, options);
    bytes_put_number(out, request->lists_lines);
    free(text);
    free(options);
}

bool recorded_get_head(struct bytes_reader *r, struct recorded_head *head)
{
    char **const words[] = {&head->version,   &head->gpu,      &head->machine_text,
                            &head->mechanism, &head->settings, &head->options};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *words[i] = bytes_string(r);
    head->lists_lines = bytes_number_up_to(r, 1);
    return !r->failed && r->at == r->end && head->version && head->options;
}

void recorded_free_head(struct recorded_head *head)
{
    free(head->version);
    free(head->gpu);
    free(head->machine_text);
    free(head->mechanism);
    free(head->settings);
    free(head->options);
    *head = (struct recorded_head){0};
}

/* ---- launches ---- */

static void put_triple(struct bytes *out, const uint32_t x[3])
{
    for (int i = 0; i < 3; i++)
        bytes_put_number(out, x[i]);
}

static void get_triple(struct bytes_reader *r, uint32_t x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = (uint32_t)bytes_number_up_to(r, UINT32_MAX);
}

static void put_level(struct bytes *out, const struct texture_level *l)
{
    const uint64_t words[] = {l->address, l->row_bytes, l->slice_bytes, l->width, l->height, l->depth};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        bytes_put_number(out, words[i]);
}

static void get_level(struct bytes_reader *r, struct texture_level *l)
{
    l->address = bytes_number(r);
    l->row_bytes = bytes_number(r);
    l->slice_bytes = bytes_number(r);
    l->width = (uint32_t)bytes_number_up_to(r, UINT32_MAX);
    l->height = (uint32_t)bytes_number_up_to(r, UINT32_MAX);
    l->depth = (uint32_t)bytes_number_up_to(r, UINT32_MAX);
    r->failed |= !l->width;
}

static void put_float(struct bytes *out, float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bytes_put_number(out, bits);
}

static float get_float(struct bytes_reader *r)
{
    uint32_t bits = (uint32_t)bytes_number_up_to(r, UINT32_MAX);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The bits of a texture that are true or false. */
static void put_traits(struct bytes *out, const struct texture *t)
{
    const bool traits[] = {t->is_linear, t->is_cube,       t->is_seamless, t->normalized_coordinates,
                           t->filters,   t->filters_levels};
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
        bytes_put_number(out, traits[i]);
}

static void get_traits(struct bytes_reader *r, struct texture *t)
{
    bool *const traits[] = {&t->is_linear, &t->is_cube,       &t->is_seamless, &t->normalized_coordinates,
                            &t->filters,   &t->filters_levels};
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
        *traits[i] = bytes_number_up_to(r, 1);
}

/* What decides which texels are read; colours are not kept. */
static void put_texture(struct bytes *out, const struct texture *t)
{
    bytes_put_number(out, t->handle);
    bytes_put_number(out, t->level_count);
    for (int i = 0; i < t->level_count; i++)
        put_level(out, &t->level[i]);
    put_traits(out, t);
    bytes_put_number(out, t->layers);
    bytes_put_number(out, t->channels);
    bytes_put_number(out, t->texel_type);
    for (int d = 0; d < 3; d++)
        bytes_put_number(out, t->address_mode[d]);
    put_float(out, t->level_bias);
    put_float(out, t->least_level);
    put_float(out, t->most_level);
}

/* A texture as texture_addresses() can take it. */
static void get_texture(struct bytes_reader *r, struct texture *t)
{
    t->handle = bytes_number(r);
    t->level_count = (uint8_t)bytes_number_up_to(r, TEXTURE_MAX_LEVELS);
    for (int i = 0; i < t->level_count; i++)
        get_level(r, &t->level[i]);
    get_traits(r, t);
    t->layers = (uint32_t)bytes_number_up_to(r, UINT32_MAX);
    t->channels = (uint8_t)bytes_number_up_to(r, 4);
    t->texel_type = (uint8_t)bytes_number_up_to(r, TYPE_COUNT - 1);
    for (int d = 0; d < 3; d++)
        t->address_mode[d] = (uint8_t)bytes_number_up_to(r, TEXTURE_BORDER);
    t->level_bias = get_float(r);
    t->least_level = get_float(r);
    t->most_level = get_float(r);
    r->failed |= !t->level_count || !t->channels || !type_bytes((enum type)t->texel_type);
}

static void put_surface(struct bytes *out, const struct surface *s)
{
    bytes_put_number(out, s->handle);
    put_level(out, &s->level);
    bytes_put_number(out, s->channels);
    bytes_put_number(out, s->texel_type);
}

static void get_surface(struct bytes_reader *r, struct surface *s)
{
    s->handle = bytes_number(r);
    get_level(r, &s->level);
    s->channels = (uint8_t)bytes_number_up_to(r, 4);
    s->texel_type = (uint8_t)bytes_number_up_to(r, TYPE_COUNT - 1);
    r->failed |= !s->channels || !type_bytes((enum type)s->texel_type);
}

void recorded_put_launch(struct bytes *out, const struct recorded_launch *recorded)
{
    const struct launch *l = &recorded->launch;
    bytes_put_number(out, recorded->module);
    bytes_put_string(out, recorded->kernel);
    put_triple(out, l->grid);
    put_triple(out, l->block);
    put_triple(out, l->cluster);
    bytes_put_number(out, l->is_cooperative);
    bytes_put_number(out, l->keeps_warps);
    bytes_put_number(out, l->dynamic_shared_bytes);
    bytes_put_number(out, l->stack_bytes);
    bytes_put_number(out, l->grid_id);
    bytes_put_number(out, l->parameter_bytes);
    bytes_put(out, l->parameters, l->parameter_bytes);
    bytes_put_number(out, (uint64_t)l->texture_count);
    for (int i = 0; i < l->texture_count; i++)
        put_texture(out, &l->textures[i]);
    bytes_put_number(out, (uint64_t)l->surface_count);
    for (int i = 0; i < l->surface_count; i++)
        put_surface(out, &l->surfaces[i]);
    bytes_put_number(out, recorded->next_address);
    bytes_put_number(out, recorded->cycles);
    bytes_put_number(out, recorded->thread_instructions);
}

static void get_parameters(struct bytes_reader *r, struct launch *l)
{
    l->parameter_bytes = bytes_number(r);
    const uint8_t *from = bytes_take(r, l->parameter_bytes);
    if (!from)
        return;
    uint8_t *copy = xmalloc(l->parameter_bytes + 1);
    memcpy(copy, from, l->parameter_bytes);
    l->parameters = copy;
}

static void get_textures(struct bytes_reader *r, struct launch *l)
{
    uint64_t count = bytes_number_up_to(r, MOST_TEXTURES);
    if (count > (uint64_t)(r->end - r->at) / TEXTURE_BYTES) {
        r->failed = true;
        return;
    }
    struct texture *textures = xcalloc(count + 1, sizeof *textures);
    for (uint64_t i = 0; i < count && !r->failed; i++)
        get_texture(r, &textures[i]);
    l->textures = textures;
    l->texture_count = (int)count;
}

static void get_surfaces(struct bytes_reader *r, struct launch *l)
{
    uint64_t count = bytes_number_up_to(r, MOST_TEXTURES);
    if (count > (uint64_t)(r->end - r->at) / TEXTURE_BYTES) {
        r->failed = true;
        return;
    }
    struct surface *surfaces = xcalloc(count + 1, sizeof *surfaces);
    for (uint64_t i = 0; i < count && !r->failed; i++)
        get_surface(r, &surfaces[i]);
    l->surfaces = surfaces;
    l->surface_count = (int)count;
}

bool recorded_get_launch(struct bytes_reader *r, struct recorded_launch *recorded)
{
    struct launch *l = &recorded->launch;
    recorded->module = bytes_number(r);
    recorded->kernel = bytes_string(r);
    get_triple(r, l->grid);
    get_triple(r, l->block);
    get_triple(r, l->cluster);
    l->is_cooperative = bytes_number_up_to(r, 1);
    l->keeps_warps = bytes_number_up_to(r, 1);
    l->dynamic_shared_bytes = (uint32_t)bytes_number_up_to(r, UINT32_MAX);
    l->stack_bytes = (uint32_t)bytes_number_up_to(r, LAUNCH_MAX_STACK_BYTES);
    l->grid_id = bytes_number(r);
    get_parameters(r, l);
    get_textures(r, l);
    get_surfaces(r, l);
    recorded->next_address = bytes_number(r);
    recorded->cycles = bytes_number(r);
    recorded->thread_instructions = bytes_number(r);
    bool is_in_heap = recorded->next_address >= MEMORY_HEAP_BASE && recorded->next_address < MEMORY_HEAP_END;
    return !r->failed && r->at == r->end && recorded->kernel && is_in_heap;
}

void recorded_free_launch(struct recorded_launch *recorded)
{
    free(recorded->kernel);
    free((void *)recorded->launch.parameters);
    free((void *)recorded->launch.textures);
    free((void *)recorded->launch.surfaces);
    *recorded = (struct recorded_launch){0};
}
