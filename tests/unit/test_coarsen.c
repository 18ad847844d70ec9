/*
 * Thread coarsening: a coarsened kernel leaves the memory of the original, whether the grid can be divided or not; each
 * item starts afresh; what cannot be coarsened is refused with the reason and stays as it was.
 */
#include "kernel_bench.h"

#include "flow/layout.h"
#include "rewrite/table.h"

/* %t is the thread's index in the grid, %out the address of its word, %b the block, %n the number of blocks. */
#define KERNEL                                                                                         \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %t, %b, %n, %w, %r<16>;\n.reg .b64 %out, %a<8>;\n" \
    ".reg .pred %p<8>;\n.reg .b16 %h;\n"
#define HEAD HEADER KERNEL
#define LOOKS                                                                                                \
    ".func (.param .b32 r) looks(.param .b64 at)\n{\n.reg .b64 %a;\n.reg .b32 %v;\nld.param.u64 %a, [at];\n" \
    "ld.volatile.global.u32 %v, [%a];\nst.param.b32 [r], %v;\nret;\n}\n"
#define WHO                                                                                      \
    "mov.u32 %b, %ctaid.x;\nmov.u32 %n, %nctaid.x;\nmov.u32 %w, %ntid.x;\nmov.u32 %t, %tid.x;\n" \
    "mad.lo.u32 %t, %b, %w, %t;\nld.param.u64 %out, [p];\nmad.wide.u32 %out, %t, 4, %out;\n"

static bool coarsen(struct ptx_module *m, const char *passes, struct text *said)
{
    struct rewrite_list list = {0};
    struct arena arena = {0};
    char *error = NULL;
    assert_true(rewrite_parse(&list, passes, &arena, &error));
    bool is_changed = rewrite_apply_all(&list, m, said);
    arena_free(&arena);
    return is_changed;
}

/* Runs the kernel, coarsened or not, on the engine with this grid, and copies what it leaves. */
static void leave(const char *text, const char *passes, uint32_t grid_x, uint32_t grid_y, uint8_t *left)
{
    struct bench b;
    struct text said = {0};
    memset(&b, 0, sizeof b);
    b.module = parse(text);
    if (passes && !coarsen(b.module, passes, &said))
        fail_msg("not changed: %s", said.data);
    text_free(&said);
    char *error = NULL;
    b.memory = memory_create(UINT64_C(1) << 30);
    b.image = image_load(b.module, b.memory, &error);
    b.out = memory_alloc(b.memory, OUT_BYTES, "out");
    b.parameters[0] = b.out;
    b.launch = (struct launch){.kernel = ptx_find_function(b.module, "k"),
                               .image = b.image,
                               .grid = {grid_x, grid_y, 1},
                               .block = {40, 1, 1},
                               .parameters = b.parameters,
                               .instruction_limit = 1000000};
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    if (!code)
        fail_msg("%s", error);
    const struct layout *layout = code_program(code)->layout;
    b.launch.parameter_bytes = layout->parameter_bytes;
    launch_coarsen(&b.launch, layout, (uint8_t *)b.parameters);
    if (passes) {
        assert_int_equal(b.launch.grid[0], (grid_x + 3) / 4);
        assert_int_equal(ptx_given_parameters(b.launch.kernel), 1);
        assert_int_equal(b.launch.parameter_bytes, 12);
    }
    functional_launch(&b.launch, code, &b.result);
    assert_int_equal(b.result.fault.kind, FAULT_NONE);
    memcpy(left, out(&b), OUT_BYTES);
    code_destroy(code);
    close_bench(&b);
}

static void leaves_the_same(const char *text)
{
    uint8_t before[OUT_BYTES], after[OUT_BYTES];
    for (uint32_t x = 1; x <= 9; x++) {
        leave(text, NULL, x, 1, before);
        leave(text, "coarsen=4", x, 1, after);
        assert_memory_equal(before, after, OUT_BYTES);
    }
    leave(text, NULL, 3, 2, before);
    leave(text, "coarsen=4", 3, 2, after);
    assert_memory_equal(before, after, OUT_BYTES);
}

static void blocks_have_the_numbers_of_the_original_grid(void **state)
{
    (void)state;
    leaves_the_same(HEAD WHO
                    "shl.b32 %r0, %n, 16;\nadd.u32 %r0, %r0, %b;\nadd.u32 %r0, %r0, %t;\n"
                    "mov.u32 %r1, %ctaid.y;\nmad.lo.u32 %r0, %r1, 1000, %r0;\nred.global.add.u32 [%out], %r0;\n"
                    "ret;\n}\n");
    /* special registers as operands of 16 bits */
    leaves_the_same(HEAD WHO
                    "mov.u16 %h, %nctaid.x;\ncvt.u32.u16 %r0, %h;\nmov.u16 %h, %ctaid.x;\n"
                    "cvt.u32.u16 %r1, %h;\nmad.lo.u32 %r0, %r0, 77, %r1;\nst.global.u32 [%out], %r0;\nret;\n}\n");
}

static void threads_that_return_early_take_the_next_item(void **state)
{
    (void)state;
    leaves_the_same(HEAD WHO "and.b32 %r0, %t, 3;\nsetp.eq.u32 %p0, %r0, 1;\n@%p0 ret;\nsetp.eq.u32 %p1, %r0, 2;\n"
                             "@%p1 bra SET;\nsetp.eq.u32 %p2, %r0, 3;\n@!%p2 exit;\nadd.u32 %t, %t, 9;\n"
                             "SET: st.global.u32 [%out], %t;\nexit;\n}\n");
    /* A body without `ret` at its end. */
    leaves_the_same(HEAD WHO "st.global.u32 [%out], %t;\n}\n");
}

static void every_item_starts_afresh(void **state)
{
    (void)state;
    /* Read before they are written: a word, a wide register, a half, a predicate. */
    leaves_the_same(HEAD WHO
                    "cvt.u32.u64 %r2, %a0;\nadd.u32 %r1, %r1, %r2;\ncvt.u32.u16 %r3, %h;\nadd.u32 %r1, %r1, %r3;\n"
                    "@%p7 add.u32 %r1, %r1, 500;\nst.global.u32 [%out], %r1;\n"
                    "mov.u32 %r1, 7;\nmov.u64 %a0, 9;\nmov.u16 %h, 5;\nsetp.eq.u32 %p7, %r1, 7;\nret;\n}\n");
}

static void shared_memory_and_barriers_are_kept_apart_by_item(void **state)
{
    (void)state;
    /* Each thread reads what the last thread of its block wrote; the loop around the barrier is uniform. */
    leaves_the_same(HEAD ".shared .align 4 .b8 sh[160];\n" WHO
                         "mov.u32 %r0, %tid.x;\nmov.u32 %r1, sh;\nmad.lo.u32 %r2, %r0, 4, %r1;\nmov.u32 %r5, 0;\n"
                         "mov.u32 %r6, 0;\nAGAIN: add.u32 %r7, %t, %r5;\nst.shared.u32 [%r2], %r7;\nbar.sync 0;\n"
                         "sub.u32 %r3, 39, %r0;\nmad.lo.u32 %r3, %r3, 4, %r1;\nld.shared.u32 %r4, [%r3];\n"
                         "add.u32 %r6, %r6, %r4;\nbar.sync 0;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, %n;\n"
                         "@%p0 bra AGAIN;\nst.global.u32 [%out], %r6;\nret;\n}\n");
}

static void is_refused(const char *text, const char *reason)
{
    struct ptx_module *m = parse(text), *same = parse(text);
    struct text said = {0};
    assert_false(coarsen(m, "coarsen=2", &said));
    if (!strstr(said.data, reason))
        fail_msg("%s", said.data);
    assert_true(ptx_equal(m, same, NULL));
    text_free(&said);
    ptx_destroy(m);
    ptx_destroy(same);
}

static void what_would_go_wrong_is_refused(void **state)
{
    (void)state;
    is_refused(HEAD WHO "setp.gt.u32 %p0, %t, 50;\n@%p0 ret;\nbar.sync 0;\nret;\n}\n", "unequally often");
    is_refused(HEAD WHO "setp.gt.u32 %p0, %t, 50;\n@%p0 bra END;\nbar.warp.sync -1;\nEND: ret;\n}\n",
               "unequally often");
    is_refused(HEAD WHO "setp.gt.u32 %p0, %n, 50;\n@%p0 bar.sync 0;\nret;\n}\n", "with a guard");
    is_refused(HEAD WHO "bar.sync 1, 32;\nret;\n}\n", "some threads");
    is_refused(HEAD WHO "bar.arrive 1, 64;\nret;\n}\n", "without waiting");
    is_refused(HEAD WHO "{ .reg .b64 %at; alloca.u64 %at, 16; st.local.u32 [%at], 5; }\nret;\n}\n", "on the stack");
    is_refused(HEAD "mov.u32 %r0, %clusterid.x;\nret;\n}\n", "cluster");
    is_refused(HEADER ".visible .entry k(.param .u64 p) .reqnctapercluster 2 { ret; }\n", "clusters");
    is_refused(HEAD WHO "LOOP: ld.volatile.global.u32 %r0, [%out];\nadd.u32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 1;\n"
                        "@%p0 bra LOOP;\nret;\n}\n",
               "may wait");
    is_refused(HEAD WHO
               "LOOP: atom.global.cas.b32 %r0, [%out], 0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra LOOP;\nret;\n}\n",
               "may wait");
    /* What was read goes through a call's parameters, through local memory, or decides which side writes a register. */
    is_refused(
        HEADER LOOKS KERNEL WHO
        ".param .b64 given;\n.param .b32 back;\nLOOP: st.param.b64 [given], %out;\ncall (back), looks, (given);\n"
        "ld.param.b32 %r0, [back];\nsetp.eq.u32 %p0, %r0, 0;\n"
        "@%p0 bra LOOP;\nret;\n}\n",
        "may wait");
    is_refused(HEAD WHO ".local .b32 kept;\nLOOP: ld.volatile.global.u32 %r0, [%out];\nst.local.u32 [kept], %r0;\n"
                        "ld.local.u32 %r1, [kept];\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra LOOP;\nret;\n}\n",
               "may wait");
    is_refused(HEAD WHO "mov.u32 %r1, 0;\nLOOP: ld.volatile.global.u32 %r0, [%out];\nsetp.eq.u32 %p0, %r0, 0;\n"
                        "@%p0 bra NOT;\nmov.u32 %r1, 1;\nNOT: setp.eq.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\nret;\n}\n",
               "may wait");
    is_refused(HEADER ".func f() { .reg .b32 %r; mov.u32 %r, %ctaid.x; ret; }\n"
                      ".visible .entry k(.param .u64 p) { call.uni f, (); ret; }\n",
               "reads %ctaid.x");
    is_refused(HEADER ".func f() { exit; }\n.visible .entry k(.param .u64 p) { call.uni f, (); ret; }\n",
               "ends the thread");
    is_refused(HEADER ".func f() { bar.sync 0; ret; }\n.visible .entry k(.param .u64 p) { call.uni f, (); ret; }\n",
               "a function that it calls has a barrier");
    is_refused(HEAD WHO "addc.u32 %r0, %r1, %r2;\nret;\n}\n", "carry");
    /* An atomic's result in a loop that counts by itself is no waiting. */
    leaves_the_same(HEAD WHO "mov.u32 %r1, 0;\nLOOP: atom.global.add.u32 %r0, [%out], %t;\nadd.u32 %r1, %r1, 1;\n"
                             "setp.lt.u32 %p0, %r1, 3;\n@%p0 bra LOOP;\nret;\n}\n");
}

static void a_kernel_is_coarsened_once(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEAD WHO "ret;\n}\n");
    struct text said = {0};
    assert_true(coarsen(m, "coarsen=2", &said));
    assert_false(coarsen(m, "coarsen=2", &said));
    assert_non_null(strstr(said.data, "coarsened already"));
    text_free(&said);
    ptx_destroy(m);
}

static void numbers_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {"coarsen",    "coarsen=",   "coarsen=1",
                                      "coarsen=-4", "coarsen=4x", "coarsen=99999999"};
    struct arena arena = {0};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        struct rewrite_list list = {0};
        char *error = NULL;
        assert_false(rewrite_parse(&list, bad[i], &arena, &error));
        assert_non_null(strstr(error, "takes a number from 2"));
        free(error);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_numbers_of_the_original_grid),
        cmocka_unit_test(threads_that_return_early_take_the_next_item),
        cmocka_unit_test(every_item_starts_afresh),
        cmocka_unit_test(shared_memory_and_barriers_are_kept_apart_by_item),
        cmocka_unit_test(what_would_go_wrong_is_refused),
        cmocka_unit_test(a_kernel_is_coarsened_once),
        cmocka_unit_test(numbers_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
