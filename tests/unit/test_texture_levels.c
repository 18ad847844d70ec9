/* Fetches from textures that filter between mipmap levels, with the values that an NVIDIA H200 gave. */
#include "kernel_bench.h"

static void fetch(struct bench *b, struct texture *t, bool on_oracle)
{
    b->launch.block[0] = 1;
    b->launch.textures = t;
    b->launch.texture_count = 1;
    if (on_oracle)
        oracle_launch(&b->launch, &b->result);
    else
        run_on_engine(b);
    assert_int_equal(b->result.fault.kind, 0);
}

/* One texel of one level passes the filter between levels, which stretches signed bytes in its own way. */
static void signed_bytes_pass_the_filter_between_levels(void **state)
{
    static const char kernel[] =
        HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .f32 %x; .reg .b64 %o, %h;\n"
               "ld.param.u64 %o, [out]; mov.u64 %h, 9; mov.f32 %x, 0f3E000000;\n"
               "tex.base.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%h, {%x}]; st.global.v2.u32 [%o+4096], {%r0, %r1};\n"
               "tex.level.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%h, {%x}], 1.0; st.global.v2.u32 [%o+4104], {%r0, %r1}; "
               "ret;\n}\n";
    static const int8_t texels[8] = {63,   -88, 0, 0,
                                     -106, 82,  0, 0}; /* two texels of the first level, one of the second */
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        struct texture t = {
            .handle = 9, .level_count = 2, .channels = 2, .texel_type = TYPE_S8, .read_normalized = true};
        open_bench(&b, kernel);
        memcpy(out(&b), texels, sizeof texels);
        t.level[0] = (struct texture_level){.address = b.out, .width = 2};
        t.level[1] = (struct texture_level){.address = b.out + 4, .width = 1};
        t.normalized_coordinates = t.filters_levels = true;
        t.most_level = 10;
        fetch(&b, &t, on_oracle);
        const uint32_t *result = (uint32_t *)out(&b) + 1024;
        assert_int_equal(result[0], 0x3efdf9fc);
        assert_int_equal(result[1], 0xbf316363);
        assert_int_equal(result[2], 0xbf55abab);
        assert_int_equal(result[3], 0x3f254b4b);
        close_bench(&b);
    }
}

/* A face of a cube map clamps before weights are taken: the second level's weights are those of one column. */
static void faces_of_a_cube_map_clamp_first(void **state)
{
    static const char kernel[] =
        HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %o, %h; .reg .f32 %x, %y, %z;\n"
               "ld.param.u64 %o, [out]; mov.u64 %h, 9; mov.f32 %x, 0fC3FDE000; mov.f32 %y, 0fC1BC0000;\n"
               "mov.f32 %z, 0fC38BF000; tex.level.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%h, {%x, %y, %z, %z}], "
               "0f3F4C0000;\nst.global.u32 [%o+4096], %r0; ret;\n}\n";
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        struct texture t = {
            .handle = 9, .level_count = 2, .channels = 1, .texel_type = TYPE_S16, .read_normalized = true};
        open_bench(&b, kernel);
        int16_t *first = out(&b), *second = first + 6 * 16;
        t.level[0] = (struct texture_level){b.out, 8, 32, 4, 4, 6};
        t.level[1] = (struct texture_level){b.out + 6 * 32, 4, 8, 2, 2, 6};
        t.is_cube = t.normalized_coordinates = t.filters = t.filters_levels = true;
        t.most_level = 10;
        memset(t.address_mode, TEXTURE_CLAMP, sizeof t.address_mode);
        first += 16; /* the face of -x */
        second += 4;
        first[4] = 22463;
        first[5] = 14015;
        first[8] = -4391;
        first[9] = -16657;
        second[0] = 1402;
        second[2] = 20754;
        fetch(&b, &t, on_oracle);
        assert_int_equal(((uint32_t *)out(&b))[1024], 0x3e9e413d);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signed_bytes_pass_the_filter_between_levels),
                                       cmocka_unit_test(faces_of_a_cube_map_clamp_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
