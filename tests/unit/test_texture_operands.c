/* Operands of texture fetches and surface accesses: every way to write them means the same, in both executors, and what
 * CUDA cannot bind is refused by name. */
#include "kernel_bench.h"

#define INDEPENDENT ".version 8.0\n.target sm_90, texmode_independent\n.address_size 64\n"

/* A 4x4 texture of floats, texel (x, y) = 10 * y + x, the handle of which is 5; as a surface, 6. */
enum { SIDE = 4, TEXTURE = 5, SURFACE = 6 };

/* A kernel around one access, whose results are in %f0 to %f3. Thread t is at x = t % 4, y = t / 4. */
#define KERNEL(header, access)                                                                                         \
    header ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %t, %x, %y, %r<4>; .reg .f32 %f<4>, %u, %v; .reg .pred "  \
           "%p;\n"                                                                                                     \
           ".reg .b64 %o, %a, %h, %s; .reg .s32 %i<4>; .reg .v2 .f32 %uv; .reg .v4 .f32 %four; .reg .v2 .s32 %xy, "    \
           "%off;\n"                                                                                                   \
           ".reg .v4 .b32 %lxy; .reg .v4 .b32 %word;\n"                                                                \
           "ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; and.b32 %x, %t, 3; shr.u32 %y, %t, 2; mov.u64 %h, 5;\n"        \
           "mov.u64 %s, 77; cvt.rn.f32.u32 %u, %x; cvt.rn.f32.u32 %v, %y; add.f32 %u, %u, 0.5; add.f32 %v, %v, 0.5;\n" \
           "mov.f32 %uv.x, %u; mov.f32 %uv.y, %v; mov.u32 %xy.x, %x; mov.u32 %xy.y, %y; mov.s32 %off.x, 0;\n"          \
           "mov.s32 %off.y, 0; " access                                                                                \
           "\nmul.wide.u32 %a, %t, 4; add.u64 %o, %o, %a; st.global.f32 [%o+4096], %f0; ret;\n}\n"

static const char *const spellings[] = {
    KERNEL(HEADER, "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%u, %v}];"),
    KERNEL(HEADER, "tex.2d.v4.f32.f32 %four, [%h, %uv]; mov.f32 %f0, %four.x;"),
    KERNEL(HEADER, "tex.2d.v4.f32.f32 %four|%p, [%h, %uv], %off; mov.f32 %f0, %four.x;"),
    KERNEL(HEADER, "tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%h, %xy];"),
    KERNEL(HEADER, "tex.2d.v4.f32.s32 {%i0, %i1, %i2, %i3}, [%h, {%x, %y}]; mov.b32 %f0, %i0;"),
    KERNEL(HEADER, "mov.b32 %i0, %u; mov.b32 %i1, %v; tex.2d.v4.f32.f32 %word, [%h, {%i0, %i1}], %i2;\n"
                   "mov.b32 %f0, %word.x;"),
    KERNEL(INDEPENDENT, "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, %s, {%u, %v}];"),
    KERNEL(INDEPENDENT, "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%p, [%h, %h, %uv], {0, 0}, 0f3F800000;"),
    KERNEL(INDEPENDENT, "tex.level.2d.v4.f32.s32 %four, [%h, %s, {%x, %y}], 0; mov.f32 %f0, %four.x;"),
    KERNEL(INDEPENDENT,
           "tex.grad.2d.v4.f32.f32 %four, [%h, %s, {%u, %v}], {%u, 0.0}, {0.0, %v}; mov.f32 %f0, %four.x;"),
    /* With derivatives, the bits of integers are taken as floating-point numbers. */
    KERNEL(HEADER, "mov.b32 %i0, %u; mov.b32 %i1, %v; tex.grad.2d.v4.f32.s32 %four, [%h, {%i0, %i1}], {%u, 0.0},\n"
                   "{0.0, %v}; mov.f32 %f0, %four.x;"),
    KERNEL(HEADER, "add.u64 %h, %h, 1; shl.b32 %xy.x, %x, 2; suld.b.2d.b32.trap %f0, [%h, %xy];"),
    KERNEL(INDEPENDENT, "add.u64 %h, %h, 1; shl.b32 %x, %x, 2; suld.b.2d.b32.trap %f0, [%h, {%x, %y}];"),
};

static void bind(struct bench *b, struct texture *t, struct surface *s)
{
    const struct texture_level level = {.address = b->out, .row_bytes = 16, .width = SIDE, .height = SIDE};
    *t = (struct texture){.handle = TEXTURE, .level = {level}, .level_count = 1, .channels = 1, .texel_type = TYPE_F32};
    *s = (struct surface){.handle = SURFACE, .level = level, .channels = 1, .texel_type = TYPE_F32};
    for (int i = 0; i < SIDE * SIDE; i++)
        ((float *)out(b))[i] = (float)(i / SIDE * 10 + i % SIDE);
    memset(t->address_mode, TEXTURE_CLAMP, sizeof t->address_mode);
    b->launch.block[0] = SIDE * SIDE;
    b->launch.textures = t;
    b->launch.surfaces = s;
    b->launch.texture_count = b->launch.surface_count = 1;
}

static void every_spelling_reads_the_same_texels(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNTOF(spellings); i++) {
        struct bench b;
        struct texture texture;
        struct surface surface;
        open_bench(&b, spellings[i / 2]);
        bind(&b, &texture, &surface);
        if (i % 2)
            run(&b);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        for (int t = 0; t < SIDE * SIDE; t++)
            assert_true(((float *)out(&b))[1024 + t] == (float)(t / SIDE * 10 + t % SIDE));
        close_bench(&b);
    }
}

static void a_printed_fetch_is_the_same_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(spellings); i++) {
        struct text first = {0}, second = {0};
        struct ptx_module *m = parse(spellings[i]);
        ptx_print(m, &first);
        ptx_destroy(m);
        m = parse(first.data);
        ptx_print(m, &second);
        ptx_destroy(m);
        assert_string_equal(first.data, second.data);
        text_free(&first);
        text_free(&second);
    }
}

/* The error of a text that does not parse, or of a kernel that cannot be made; to be freed. */
static char *refusal(const char *text)
{
    struct diag diag = {0};
    char *error = NULL;
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!m) {
        error = diag_text(&diag);
    } else {
        struct memory *memory = memory_create(UINT64_C(1) << 30);
        struct image *image = image_load(m, memory, &error);
        struct code *code = code_create(ptx_find_function(m, "k"), image, &error);
        assert_null(code);
        image_unload(image);
        memory_destroy(memory);
        ptx_destroy(m);
    }
    diag_free(&diag);
    return error;
}

static void what_cuda_cannot_bind_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {KERNEL(HEADER, "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, %s, {%u, %v}];"), "[object, {2 coordinates}]"},
        {KERNEL(INDEPENDENT, "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%u, %v}];"),
         "[object, sampler, {2 coordinates}]"},
        {KERNEL(HEADER, "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%u, %v}], %i0, %u;"), "2 numbers in braces"},
        {KERNEL(HEADER, "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, %u], %i0, %u;"), "1 numbers in braces"},
        {KERNEL(HEADER, "tex.2d.v4.u32.f32 {%f0, %f1, %f2, %f3}, [%h, {%u, %v}];"),
         "expects a 32-bit integer register"},
        {KERNEL(HEADER, "tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%h, {%r0, %x, %y, %y}];"),
         "CUDA makes no multi-sample textures"},
        {KERNEL(HEADER, "txq.filter_mode.b32 %r0, [%h];"), "CUDA's driver does not load"},
        {INDEPENDENT
         ".global .samplerref sr = {filter_mode = linear};\n.visible .entry k()\n{ .reg .f32 %f<5>; .reg .b64 "
         "%h; tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, sr, {%f4}]; ret; }\n",
         "'sr' (line 4) is a .samplerref, which CUDA has no way to bind"},
        {HEADER ".visible .entry k(.param .texref t)\n{ .reg .f32 %f<5>;\n"
                "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f4}]; ret; }\n",
         "'t' (line 4) is a .texref parameter, which CUDA has no way to bind"},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char *error = refusal(cases[i][0]);
        assert_non_null(error);
        if (!strstr(error, cases[i][1]))
            fail_msg("expected '%s' in: %s", cases[i][1], error);
        free(error);
    }
}

/* A reduction of texels takes 8 bytes as one number, whose sign depends on the format; results of an H200. */
static void reductions_of_texels_take_64_bits(void **state)
{
    static const char kernel[] =
        KERNEL(HEADER, "mov.u64 %h, 6; ld.global.u64 %a, [%o+512]; sured.p.min.1d.b64.trap [%h, {0}], %a;\n"
                       "ld.global.u64 %a, [%o+520]; sured.p.max.1d.b64.trap [%h, {1}], %a;");
    static const struct {
        enum type type;
        uint8_t channels;
        uint64_t least, most;
    } formats[] = {{TYPE_U32, 2, 0x363ba438cb76528f, 0xf0a6e23c61adb4c4},
                   {TYPE_S32, 2, 0xf0a6e23c61adb4c4, 0x363ba438cb76528f},
                   {TYPE_F32, 2, 0x363ba438cb76528f, 0xf0a6e23c61adb4c4},
                   {TYPE_S16, 4, 0xf0a6e23c61adb4c4, 0x363ba438cb76528f},
                   {TYPE_U16, 4, 0x363ba438cb76528f, 0xf0a6e23c61adb4c4}};
    (void)state;
    for (size_t i = 0; i < 2 * COUNTOF(formats); i++) {
        struct bench b;
        struct surface s = {.handle = SURFACE, .channels = formats[i / 2].channels};
        open_bench(&b, kernel);
        s.level = (struct texture_level){.address = b.out, .width = 2};
        s.texel_type = (uint8_t)formats[i / 2].type;
        b.launch.block[0] = 1;
        b.launch.surfaces = &s;
        b.launch.surface_count = 1;
        uint64_t *words = out(&b);
        words[0] = words[1] = 0xf0a6e23c61adb4c4;
        words[64] = words[65] = 0x363ba438cb76528f;
        if (i % 2)
            run(&b);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        assert_int_equal(words[0], formats[i / 2].least);
        assert_int_equal(words[1], formats[i / 2].most);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_reads_the_same_texels), cmocka_unit_test(a_printed_fetch_is_the_same_again),
        cmocka_unit_test(reductions_of_texels_take_64_bits), cmocka_unit_test(what_cuda_cannot_bind_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
