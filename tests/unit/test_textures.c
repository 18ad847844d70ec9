/* Textures: look-up by handle, many textures, different ones in the lanes of a row, handles that name none; and values of
 * filters, which an NVIDIA H200 gave for these texels and positions. */
#include "image/sampler.h"
#include "kernel_bench.h"

enum { TEXTURES = 100 };

/* Thread t reads texel t / 32 of the texture with the handle 1000 + 3 * ((7 * t + %i) mod 100), for %i in 0..9, and adds
 * up. */
static const char kernel[] = HEADER
    ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p; .reg .b32 %t, %i, %s, %x, %h, %r<4>; .reg .b64 %a<3>;\n"
    "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %i, 0; mov.u32 %s, 0; shr.u32 %x, %t, 5;\n"
    "L: mad.lo.u32 %h, %t, 7, %i; rem.u32 %h, %h, 100; mad.lo.u32 %h, %h, 3, 1000; cvt.u64.u32 %a1, %h;\n"
    "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%a1, {%x}]; add.u32 %s, %s, %r0;\n"
    "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 10; @%p bra L;\n"
    "mul.wide.u32 %a2, %t, 4; add.u64 %a0, %a0, %a2; st.global.u32 [%a0+4096], %s; ret;\n}\n";

static void open_textures(struct bench *b, struct texture *textures)
{
    open_bench(b, kernel);
    b->launch.block[0] = 64;
    b->launch.textures = textures;
    b->launch.texture_count = TEXTURES;
    for (uint32_t i = 0; i < TEXTURES; i++) {
        ((uint32_t *)out(b))[2 * i] = i * i;
        ((uint32_t *)out(b))[2 * i + 1] = i + 100000;
        textures[i] = (struct texture){.handle = 1000 + 3 * i,
                                       .level = {{.address = b->out + 8 * i, .width = 2}},
                                       .level_count = 1,
                                       .is_linear = true,
                                       .channels = 1,
                                       .texel_type = TYPE_U32};
    }
}

/* The short way to a texel of linear memory finds what the long way does. */
static void numbers_of_texels_are_found_the_same_way(void **state)
{
    static const uint32_t numbers[] = {0, 1, 4, 5, 6, INT32_MAX, (uint32_t)INT32_MAX + 1, UINT32_MAX};
    static const uint32_t widths[] = {0, 1, 5, (uint32_t)INT32_MAX + 1};
    static const enum type types[] = {TYPE_U8, TYPE_S16, TYPE_F32};
    struct sampler_request r = {.shape = {.axes = 1}, .is_integer = true};
    (void)state;
    assert_true(sampler_is_line(&r));
    for (unsigned i = 0; i < COUNTOF(widths) * COUNTOF(types) * 4 * 16; i++) {
        struct texture t = {.level = {{.address = 4096, .width = widths[i % 4], .depth = i >> 4 & 1 ? 2 : 0}},
                            .level_count = 1,
                            .texel_type = (uint8_t)types[i % 3],
                            .channels = 1 + (i >> 2) % 4,
                            .is_linear = !(i >> 5 & 1),
                            .is_cube = i >> 6 & 1,
                            .layers = i >> 7 & 1 ? 3 : 0};
        for (unsigned k = 0; k < COUNTOF(numbers); k++) {
            struct sampler_footprint found;
            r.coordinate[0] = numbers[k];
            uint64_t expected = sampler_find(&t, &r, &found) ? found.quad[0].address[0] : 0;
            assert_int_equal(sampler_line_texel(&t, numbers[k]), expected);
        }
    }
    struct sampler_request others[] = {r, r, r, r, r};
    others[0].is_integer = false;
    others[1].shape.axes = 2;
    others[2].shape.is_layered = true;
    others[3].detail = DETAIL_LEVEL;
    others[4].gathers = true;
    for (unsigned i = 0; i < COUNTOF(others); i++)
        assert_false(sampler_is_line(&others[i]));
}

static void lanes_may_read_different_textures(void **state)
{
    struct texture textures[TEXTURES];
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        open_textures(&b, textures);
        if (on_oracle)
            oracle_launch(&b.launch, &b.result);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        for (uint32_t t = 0; t < 64; t++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < 10; i++) {
                uint32_t n = (7 * t + i) % 100;
                sum += t < 32 ? n * n : n + 100000;
            }
            assert_int_equal(((uint32_t *)out(&b))[1024 + t], sum);
        }
        close_bench(&b);
    }
}

static void a_handle_without_a_texture_is_a_fault(void **state)
{
    struct texture textures[TEXTURES];
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        open_textures(&b, textures);
        textures[3].handle = 7; /* some lane of each row comes to it */
        if (on_oracle)
            oracle_launch(&b.launch, &b.result);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, FAULT_OUT_OF_BOUNDS);
        assert_non_null(strstr(b.result.fault.detail, "no texture object has the handle 0x3f1"));
        close_bench(&b);
    }
}

/* A fetch between two texels: their bits, the position in 256ths of a texel behind the first one's centre, and what the
 * H200 reads. */
static const struct {
    enum type type;
    enum texture_address mode;
    uint32_t first, second;
    float position;
    uint32_t result;
} fetches[] = {
    {TYPE_F32, TEXTURE_CLAMP, 0x3f27bc06, 0x3f615c1f, 128, 0x3f448c13},   /* half away from zero */
    {TYPE_F32, TEXTURE_CLAMP, 0xc0b87772, 0xc1ceb0ac, 128, 0xc17cce89},   /* the same, below zero */
    {TYPE_F32, TEXTURE_CLAMP, 0x4506762b, 0xbb29cb7e, 252, 0x42067392},   /* the smaller texel is cut */
    {TYPE_F32, TEXTURE_CLAMP, 0x3f800000, 0xff9a68d3, 95, 0x7fffffff},    /* NaN */
    {TYPE_F32, TEXTURE_BORDER, 0, 0x3f800000, 174.57f, 0x3eb00000},       /* half of a 1D texture is border */
    {TYPE_F32, TEXTURE_CLAMP, 0, 0x3f800000, 240.5f, 0x3f710000},         /* the weight is rounded half up */
    {TYPE_F32, TEXTURE_CLAMP, 0x3f000000, 0x3f800000, -1000, 0x3f000000}, /* clamped */
    {TYPE_F16, TEXTURE_CLAMP, 0x3afa, 0x3873, 128, 0x3f36e000},           /* rounded to half precision */
    {TYPE_U8, TEXTURE_CLAMP, 138, 49, 128, 0x3ebbbcbc},                   /* 16 bits */
    {TYPE_S8, TEXTURE_CLAMP, 32, (uint8_t)-67, 128, 0xbe0d191a},
    {TYPE_S16, TEXTURE_CLAMP, (uint16_t)-26781, 16044, 128, 0xbe27c150},
};

enum { FETCHES = sizeof fetches / sizeof *fetches };

/* Thread t fetches from the texture 1 + t, at the position that stands at out + 4 * t. */
static const char filter_kernel[] =
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %t, %h, %x, %r<4>; .reg .b64 %a<3>;\n"
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a2, %t, 4; add.u64 %a0, %a0, %a2;\n"
           "ld.global.b32 %x, [%a0]; add.u32 %h, %t, 1; cvt.u64.u32 %a1, %h;\n"
           "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%a1, {%x}]; st.global.u32 [%a0+4096], %r0; ret;\n}\n";

static void filters_give_the_bits_of_an_h200(void **state)
{
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        struct texture textures[FETCHES];
        open_bench(&b, filter_kernel);
        for (uint32_t i = 0; i < FETCHES; i++) {
            unsigned bytes = type_bytes(fetches[i].type);
            uint8_t *texels = (uint8_t *)out(&b) + 1024 + 8 * i;
            memcpy(texels, &fetches[i].first, bytes);
            memcpy(texels + bytes, &fetches[i].second, bytes);
            ((float *)out(&b))[i] = 0.5f + fetches[i].position / 256;
            textures[i] = (struct texture){.handle = 1 + i,
                                           .level = {{.address = b.out + 1024 + 8 * i, .width = 2}},
                                           .level_count = 1,
                                           .channels = 1,
                                           .texel_type = (uint8_t)fetches[i].type,
                                           .read_normalized = bytes < 4 && fetches[i].type != TYPE_F16,
                                           .filters = true};
            for (int axis = 0; axis < 3; axis++)
                textures[i].address_mode[axis] = (uint8_t)fetches[i].mode;
        }
        b.launch.block[0] = FETCHES;
        b.launch.textures = textures;
        b.launch.texture_count = FETCHES;
        if (on_oracle)
            oracle_launch(&b.launch, &b.result);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        for (uint32_t i = 0; i < FETCHES; i++)
            assert_int_equal(((uint32_t *)out(&b))[1024 + i], fetches[i].result);
        close_bench(&b);
    }
}

/* Derivatives: position and derivatives as words, and the level of detail that the H200 takes, in 256ths. The texels of
 * a level have its number, so that a fetch reads the level of detail. */
static const struct {
    const char *shape;
    uint32_t extent;
    uint32_t word[9];
    int level;
    int max_anisotropy;
} detailed[] = {
    /* 2D: components have ten bits, and products are rounded */
    {"2d", 64, {0xbdaebf1d, 0x3f871830, 0x3d41fa38, 0xbd8a3d72, 0, 0}, 619, 1},
    {"2d", 64, {0x3f433abb, 0xbd94cfc6, 0x3d1269c8, 0xbe8bb08d, 0xbdb670b2, 0x3ddd77d8}, 1079, 1}, /* difference */
    {"2d", 64, {0x3f665d3f, 0x3edd8acd, 0, 0x3e01f000, 0, 0x3e81f800}, 1040, 1},                   /* sum */
    {"2d", 64, {0x3f7652a0, 0x3e79380a, 0xbcebfeac, 0xbd096283, 0x3b5ce882, 0xbcd28a50}, 404, 1},  /* mixed signs */
    {"2d", 64, {0x3f2bd387, 0x3f785375, 0x3e443d21, 0x3d004f98, 0x3e93ced4, 0xbde0f380}, 1146, 1}, /* bits of a sum */
    /* 3D: the step to a neighbour at NaN, which counts as 0 */
    {"3d", 16, {0x3ece0af3, 0xbd99e10d, 0x3f253706, 0, 0, 0, 0, 0, 0x7fc00000}, 862, 1},
    {"3d", 16, {0x3dc3b7b5, 0x3f437e90, 0x3f7c5182, 0, 0, 0x3bc61d8f, 0x7fc00000, 0, 0x3f29914a}, 889, 1},
    /* cube maps: one face, two faces, opposite faces, a neighbour at infinity */
    {"cube", 16, {0x3f800000, 0xbf76972a, 0x3d4acc40, 0xbca1437c, 0, 0xbda3f0c6, 0x3ed2a0ce, 0, 0}, 305, 1},
    {"cube", 16, {0xbf71563a, 0xbf71563a, 0xbf5e3118, 0, 0, 0x3d1fcfc6, 0, 0x3ef9c04c, 0x3ee970d9}, 627, 1},
    {"cube", 16, {0x3edce404, 0x3eb502a4, 0xbf2594fe, 0, 0, 0x410e71dc, 0xbcfa8794, 0, 0x4075ba44}, 1024, 1},
    {"cube", 16, {0xbd7db340, 0xbf800000, 0x3f7c72f2, 0, 0, 0xbd8bf1e8, 0xbe98c28e, 0x7f800000, 0}, 780, 1},
    /* cube maps with an anisotropic filter */
    {"cube", 64, {0x3df9a970, 0x3f52cbb8, 0x3f800000, 0xbcec1fc4, 0x3d99d32b, 0, 0x3e0d0298, 0x3d8524d8, 0}, 276, 8},
    {"cube", 64, {0xbdb5ebc0, 0x3ec14928, 0x3e4cb3f8, 0xbc89064f, 0x3e76cc5e, 0, 0x3d201c3e, 0x3d1d5342, 0}, 402, 8},
};

static const char detail_kernel[] =
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>, %w<9>; .reg .b64 %a0;\n"
           "ld.param.u64 %a0, [out]; ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%a0];\n"
           "ld.global.v4.b32 {%w4, %w5, %w6, %w7}, [%a0+16]; ld.global.b32 %w8, [%a0+32];\n"
           "tex.grad.SHAPE; st.global.u32 [%a0+4096], %r0; ret;\n}\n";

static void levels_follow_derivatives_as_on_an_h200(void **state)
{
    static const char flat[] = "%s.v4.f32.f32 {%%r0, %%r1, %%r2, %%r3}, [7, {%%w0, %%w1}], {%%w2, %%w3}, {%%w4, %%w5}";
    static const char solid[] = "%s.v4.f32.f32 {%%r0, %%r1, %%r2, %%r3}, [7, {%%w0, %%w1, %%w2, %%w2}], "
                                "{%%w3, %%w4, %%w5, %%w5}, {%%w6, %%w7, %%w8, %%w8}";
    (void)state;
    for (size_t i = 0; i < 2 * COUNTOF(detailed); i++) {
        struct bench b;
        char fetch[256], text[2048];
        const uint32_t extent = detailed[i / 2].extent;
        const bool is_cube = !strcmp(detailed[i / 2].shape, "cube");
        snprintf(fetch, sizeof fetch, !strcmp(detailed[i / 2].shape, "2d") ? flat : solid, detailed[i / 2].shape);
        const char *at = strstr(detail_kernel, "SHAPE");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - detail_kernel), detail_kernel, fetch, at + 5);
        open_bench(&b, text);
        memcpy(out(&b), detailed[i / 2].word, sizeof detailed[i / 2].word);
        struct texture t = {.handle = 7,
                            .is_cube = is_cube,
                            .channels = 1,
                            .texel_type = TYPE_F32,
                            .normalized_coordinates = true,
                            .filters = true,
                            .filters_levels = true,
                            .max_anisotropy = (uint8_t)detailed[i / 2].max_anisotropy,
                            .most_level = 100};
        for (uint32_t size = extent; size; size /= 2, t.level_count++) { /* all rows of a level are one */
            float *row = (float *)out(&b) + 256 + 64 * t.level_count;
            for (uint32_t x = 0; x < size; x++)
                row[x] = t.level_count;
            t.level[t.level_count] = (struct texture_level){.address = b.out + 1024 + 256 * t.level_count,
                                                            .width = size,
                                                            .height = size,
                                                            .depth = is_cube        ? 6
                                                                     : extent == 64 ? 0
                                                                                    : size};
        }
        b.launch.textures = &t;
        b.launch.texture_count = 1;
        if (i % 2)
            oracle_launch(&b.launch, &b.result);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        assert_int_equal((int)(((float *)out(&b))[1024] * 256), detailed[i / 2].level);
        close_bench(&b);
    }
}

/* Anisotropic filters: position and derivatives as words, and what the H200 reads from a texture of 64 x 64 texels
 * whose first column is 1 in one level, and all else 0: the weight of that column. */
static const struct {
    int max_anisotropy, level;
    uint32_t word[6];
    uint32_t result;
} spread[] = {
    /* along x: ratios 3, 10, 1.5 and 13 */
    {16, 0, {0xbcc00000, 0x3f020000, 0x3d400000, 0, 0, 0x3c800000}, 0x3dac0000},
    {16, 0, {0x3c000000, 0x3f020000, 0x3d400000, 0, 0, 0x3c800000}, 0x3eab0000},
    {16, 0, {0x3d200000, 0x3f020000, 0x3d400000, 0, 0, 0x3c800000}, 0x3da80000},
    {16, 0, {0xbdb00000, 0x3f020000, 0x3e200000, 0, 0, 0x3c800000}, 0x3a800000},
    {16, 0, {0x3cc00000, 0x3f020000, 0x3cc00000, 0, 0, 0x3c800000}, 0x3e2c0000},
    {16, 0, {0xbdd00000, 0x3f020000, 0x3e500000, 0, 0, 0x3c800000}, 0x3cb00000},
    /* ratios beyond the greatest: between two levels */
    {2, 0, {0xbc000000, 0x3f020000, 0x3d400000, 0, 0, 0x3c800000}, 0x3e120000},
    {4, 0, {0x3c000000, 0x3f020000, 0x3dc00000, 0, 0, 0x3c800000}, 0x3d180000},
    {6, 0, {0xbd200000, 0x3f020000, 0x3de80000, 0, 0, 0x3c800000}, 0x3dda0000},
    {10, 0, {0x3c000000, 0x3f020000, 0x3e300000, 0, 0, 0x3c800000}, 0x3dce0000},
    /* beside the axes */
    {16, 0, {0xbd200000, 0xbd200000, 0x3df3cc43, 0x3d1c2fd5, 0xbb9c2fd5, 0x3c73cc43}, 0x3dfc0000},
    {16, 0, {0x3d200000, 0x3d200000, 0x3d5608f4, 0x3de88ede, 0xbc688ede, 0x3bd608f4}, 0x3d980000},
    {16, 0, {0xbcc00000, 0xbcc00000, 0x3da00000, 0x3da00000, 0xbc800000, 0x3c800000}, 0x3d600000},
    {16, 0, {0x3cc00000, 0x3cc00000, 0x3b00fff8, 0x3dfff7e0, 0xbc7ff7e0, 0x3980fff8}, 0x3d040000},
    /* the level above has samples of its own */
    {4, 1, {0xbcc00000, 0x3f020000, 0x3dc00000, 0, 0, 0x3c800000}, 0x3e120000},
    {8, 1, {0xbdb00000, 0x3f020000, 0x3e480000, 0, 0, 0x3c800000}, 0x3d8a0000},
    {16, 1, {0xbd200000, 0x3f020000, 0x3e0c0000, 0, 0, 0x3ca00000}, 0x3cd00000},
};

static void anisotropic_filters_take_the_samples_of_an_h200(void **state)
{
    static const char fetch[] = "2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [7, {%w0, %w1}], {%w2, %w3}, {%w4, %w5}";
    (void)state;
    for (size_t i = 0; i < 2 * COUNTOF(spread); i++) {
        struct bench b;
        char text[2048];
        const char *at = strstr(detail_kernel, "SHAPE");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - detail_kernel), detail_kernel, fetch, at + 5);
        open_bench(&b, text);
        memcpy(out(&b), spread[i / 2].word, sizeof spread[i / 2].word);
        struct texture t = {.handle = 7,
                            .channels = 1,
                            .texel_type = TYPE_F32,
                            .normalized_coordinates = true,
                            .filters = true,
                            .filters_levels = true,
                            .max_anisotropy = (uint8_t)spread[i / 2].max_anisotropy,
                            .most_level = 100};
        memset((float *)out(&b) + 256, 0, 512);
        ((float *)out(&b))[256] = 1;
        for (uint32_t size = 64; size; size /= 2, t.level_count++) /* all rows of a level are one */
            t.level[t.level_count] =
                (struct texture_level){.address = b.out + 1024 + (t.level_count != spread[i / 2].level ? 256 : 0),
                                       .width = size,
                                       .height = size};
        b.launch.textures = &t;
        b.launch.texture_count = 1;
        if (i % 2)
            oracle_launch(&b.launch, &b.result);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        assert_int_equal(((uint32_t *)out(&b))[1024], spread[i / 2].result);
        close_bench(&b);
    }
}

/* Outside a surface, .clamp takes the nearest place, .zero nothing, and .trap is a fault. */
static const char surface_kernel[] =
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %t, %x, %y, %r<4>; .reg .b64 %a<3>;\n"
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; sub.u32 %y, %t, 2; shl.b32 %x, %y, 2;\n"
           "suld.b.2d.b32.clamp %r0, [5, {%x, %y}]; suld.b.2d.b32.zero %r1, [5, {%x, 1}];\n"
           "mul.wide.u32 %a2, %t, 8; add.u64 %a0, %a0, %a2; st.global.v2.u32 [%a0+4096], {%r0, %r1};\n"
           "sust.b.2d.b32.%s [5, {%x, 0}], %t; ret;\n}\n";

static void surfaces_end_where_the_instruction_says(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct bench b;
        char text[2048];
        const bool traps = i / 2;
        const char *at = strstr(surface_kernel, "%s");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - surface_kernel), surface_kernel, traps ? "trap" : "zero",
                 at + 2);
        open_bench(&b, text);
        struct surface surface = {.handle = 5,
                                  .level = {.address = b.out, .row_bytes = 16, .width = 4, .height = 4},
                                  .channels = 1,
                                  .texel_type = TYPE_U32};
        for (uint32_t k = 0; k < 16; k++)
            ((uint32_t *)out(&b))[k] = 100 + k;
        b.launch.block[0] = 8;
        b.launch.surfaces = &surface;
        b.launch.surface_count = 1;
        if (i % 2)
            oracle_launch(&b.launch, &b.result);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, traps ? FAULT_OUT_OF_BOUNDS : FAULT_NONE);
        const uint32_t *words = (const uint32_t *)out(&b);
        for (int t = 0; t < 8 && !traps; t++) {
            int place = t - 2, inside = place < 0 ? 0 : place > 3 ? 3 : place;
            if (inside) /* the first place may be written before another thread reads it */
                assert_int_equal(words[1024 + 2 * t], 100 + 5 * inside);
            assert_int_equal(words[1024 + 2 * t + 1], place == inside ? 104 + place : 0);
            if (place == inside)
                assert_int_equal(words[place], t);
        }
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_texels_are_found_the_same_way),
        cmocka_unit_test(lanes_may_read_different_textures),
        cmocka_unit_test(a_handle_without_a_texture_is_a_fault),
        cmocka_unit_test(filters_give_the_bits_of_an_h200),
        cmocka_unit_test(levels_follow_derivatives_as_on_an_h200),
        cmocka_unit_test(anisotropic_filters_take_the_samples_of_an_h200),
        cmocka_unit_test(surfaces_end_where_the_instruction_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
