/* Texture look-up by handle: many textures, different ones in the lanes of a row, and handles that name none. */
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
        textures[i] = (struct texture){
            .handle = 1000 + 3 * i, .address = b->out + 8 * i, .width = 2, .channels = 1, .texel_type = TYPE_U32};
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_may_read_different_textures),
        cmocka_unit_test(a_handle_without_a_texture_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
