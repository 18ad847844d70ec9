/* The textures and surfaces of a case as both executors see them: see textures.h. */
#include "tests/agree/textures.h"
#include "tests/silicon/op_texture.h"

#include <string.h>

uint64_t textures_handle(int index)
{
    return UINT64_C(0x100000) * (unsigned)(index + 1);
}

static uint32_t halved(unsigned extent, unsigned level)
{
    const unsigned e = extent >> level;
    return extent && !e ? 1 : e;
}

/* A level whose texels begin `offset` bytes behind the first one's; the offset becomes that of the next level. */
static struct texture_level describe_level(const struct op_texture *x, uint64_t address, unsigned level,
                                           uint64_t *offset)
{
    const bool is_solid = !x->is_layered && !x->is_cube;
    struct texture_level l = {.address = address + *offset,
                              .width = halved(x->width, level),
                              .height = halved(x->height, level),
                              .depth = is_solid ? halved(x->depth, level) : x->depth};
    l.row_bytes = (uint64_t)l.width * x->channels * type_bytes(x->format);
    l.slice_bytes = l.row_bytes * (l.height ? l.height : 1);
    *offset += l.slice_bytes * (l.depth ? l.depth : 1);
    return l;
}

static void describe_texture(const struct op_texture *x, uint64_t address, uint64_t handle, struct texture *t)
{
    const struct type_info *type = &type_table[x->format];
    uint64_t offset = 0;
    memset(t, 0, sizeof *t);
    t->handle = handle;
    t->level_count = (uint8_t)(x->levels ? x->levels : 1);
    for (unsigned i = 0; i < t->level_count; i++)
        t->level[i] = describe_level(x, address, i, &offset);
    t->is_linear = x->kind == OP_LINEAR_TEXTURE;
    t->is_cube = x->is_cube;
    t->layers = !x->is_layered ? 0 : x->is_cube ? x->depth / TEXTURE_FACES : x->depth;
    t->channels = (uint8_t)x->channels;
    t->texel_type = (uint8_t)x->format;
    t->read_normalized = !x->reads_integers && type->kind != KIND_FLOAT && type->bits < 32;
    t->normalized_coordinates = x->is_normalized;
    t->filters = x->filters && (type->kind == KIND_FLOAT || t->read_normalized);
    t->filters_levels = x->filters_levels;
    memset(t->address_mode, x->address_mode, sizeof t->address_mode);
    memcpy(t->border, x->border, sizeof t->border);
    t->most_level = 100;
}

void textures_describe(const struct test_case *c, const uint64_t address[CASE_MAX_ARGS], struct textures *out)
{
    out->texture_count = out->surface_count = 0;
    for (int i = 0; i < c->texture_count; i++) {
        const struct op_texture *x = &c->texture[i];
        uint64_t offset = 0;
        if (x->kind == OP_SURFACE)
            out->surface[out->surface_count++] =
                (struct surface){.handle = textures_handle(i),
                                 .level = describe_level(x, address[x->texel_arg], 0, &offset),
                                 .is_layered = x->is_layered || x->is_cube,
                                 .channels = (uint8_t)x->channels,
                                 .texel_type = (uint8_t)x->format};
        else
            describe_texture(x, address[x->texel_arg], textures_handle(i), &out->texture[out->texture_count++]);
    }
}
