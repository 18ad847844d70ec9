/*
 * Launches whose multiprocessors are apart (device/apart.h): each reason why a launch is not, and what does not matter.
 */
#include "device/apart.h"

#include "kernel_bench.h"

#define BODY(body)                                                                                                     \
    HEADER ".global .align 8 .b32 v[64];\n.global .align 8 .b32 u[64];\n.global .texref image;\n.const .align 8 .b64 " \
           "kept[4];\n"                                                                                                \
           ".global .surfref canvas;\n.extern .func (.param .b32 status) vprintf(.param .b64 f, .param .b64 x);\n"     \
           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n, .param .u32 m) {\n"                         \
           ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<4>;\n"                              \
           ".shared .align 8 .b64 tile[64];\n"                                                                         \
           "ld.param.u64 %rd0, [a];\nld.param.u64 %rd1, [b];\nld.param.u64 %rd2, [n];\nld.param.u32 %r1, [m];\n"       \
           "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 7;\nmul.wide.u32 %rd3, %r0, 4;\n" body "ret;\n}\n"

/* A launch of the kernel with two allocations of 4096 bytes as a and b, and 3 as n. */
struct
try {
    struct bench bench;
    struct texture texture;
    struct surface surface;
    struct origins *origins;
    struct program *program;
};

static struct try *try_open(const char *body)
{
    struct try *t = calloc(1, sizeof *t);
    char *error = NULL;
    open_bench(&t->bench, body);
    t->bench.parameters[1] = memory_alloc(t->bench.memory, 4096, "b");
    t->bench.parameters[2] = 3;
    t->bench.launch.parameter_bytes = 28;
    t->program = program_create(t->bench.launch.kernel, &error);
    if (!t->program)
        fail_msg("%s", error);
    t->origins = origins_find(t->program);
    return t;
}

/* Checks the answer. */
static void is(struct try *t, const char *name, enum apart wanted)
{
    enum apart found = launch_find_apart(&t->bench.launch, t->origins);
    if (found != wanted)
        fail_msg("%s: '%s', not '%s'", name, apart_text[found], apart_text[wanted]);
}

static void try_close(struct try *t)
{
    origins_destroy(t->origins);
    program_destroy(t->program);
    close_bench(&t->bench);
    free(t);
}

static void expect(const char *name, const char *text, enum apart wanted)
{
    struct try *t = try_open(text);
    is(t, name, wanted);
    try_close(t);
}

#define COPY \
    "add.s64 %rd4, %rd0, %rd3;\nld.global.u32 %r2, [%rd4];\nadd.s64 %rd5, %rd1, %rd3;\nst.global.u32 [%rd5], %r2;\n"

static void test_programs(void **state)
{
    (void)state;
    expect("nothing", BODY(""), APART_YES);
    expect("from one allocation to another", BODY(COPY), APART_YES);
    expect("in place", BODY("ld.global.u32 %r2, [%rd0];\nst.global.u32 [%rd0+4], %r2;\n"), APART_READ_BACK);
    expect("reductions", BODY("ld.global.u32 %r2, [%rd0];\nred.global.add.u32 [%rd1], %r2;\n"), APART_YES);
    expect("reductions that are read", BODY("ld.global.u32 %r2, [%rd0];\nred.global.add.u32 [%rd0], %r2;\n"),
           APART_READ_BACK);
    expect("one of two",
           BODY("selp.b64 %rd4, %rd0, %rd1, %p0;\nst.global.u32 [%rd4], 1;\nld.global.u32 %r2, [%rd1];\n"),
           APART_READ_BACK);
    expect("variables", BODY("ld.global.u32 %r2, [v];\nst.global.u32 [u], %r2;\n"), APART_YES);
    expect("a variable", BODY("ld.global.u32 %r2, [v];\nst.global.u32 [v+4], %r2;\n"), APART_READ_BACK);
    expect("shared memory", BODY("cvta.shared.u64 %rd4, %rd3;\nld.u32 %r2, [%rd4];\nst.u32 [%rd4], %r2;\n"), APART_YES);
    expect("parameters", BODY("mov.u64 %rd4, m;\ncvta.param.u64 %rd4, %rd4;\nld.u32 %r2, [%rd4];\nld.u32 %r2, [m];\n"),
           APART_YES);
    expect("copies", BODY("cp.async.ca.shared.global [tile], [%rd0], 4;\n"), APART_ASYNC);
    expect("printf",
           BODY("{ .param .b64 x; .param .b64 y; .param .b32 z;\nst.param.b64 [x], %rd3;\n"
                "st.param.b64 [y], %rd3;\ncall (z), vprintf, (x, y); }\n"),
           APART_BUILTINS);
    expect("results", BODY("atom.global.add.u32 %r2, [%rd0], 1;\n"), APART_RESULTS);
    expect("volatile", BODY("ld.volatile.global.u32 %r2, [%rd0];\n"), APART_STRONG);
    expect("fences", BODY("membar.gl;\n"), APART_STRONG);
    expect("clusters", BODY("mapa.u64 %rd4, %rd3, 1;\n"), APART_CLUSTER);
    expect("pointers from memory", BODY("ld.global.u64 %rd4, [%rd0];\nld.global.u32 %r2, [%rd4];\n"),
           APART_UNKNOWN_READ);
    expect("writes to such pointers", BODY("ld.global.u64 %rd4, [%rd0];\nst.global.u32 [%rd4], 1;\n"),
           APART_UNKNOWN_WRITE);
}

static void test_parameters(void **state)
{
    (void)state;
    struct try *t = try_open(BODY(COPY));
    uint64_t *given = t->bench.parameters, a = given[0], b = given[1];
    is(t, "two allocations", APART_YES);
    given[1] = a + 64;
    is(t, "two parts of one allocation", APART_READ_BACK);
    given[1] = b + 4095;
    is(t, "the last byte", APART_YES);
    given[1] = b + 4096;
    is(t, "behind an allocation", APART_NOWHERE);
    given[1] = 0;
    is(t, "NULL", APART_NOWHERE);
    given[1] = b;
    memory_free(t->bench.memory, b);
    is(t, "a freed allocation", APART_NOWHERE);
    try_close(t);

    t = try_open(BODY("add.s64 %rd4, %rd0, %rd2;\nld.global.u32 %r2, [%rd4];\nst.global.u32 [%rd1], %r2;\n"));
    is(t, "a number is added", APART_YES);
    t->bench.parameters[2] = t->bench.parameters[1];
    is(t, "a pointer is added", APART_READ_BACK);
    t->bench.launch.parameter_bytes = 16;
    is(t, "parameters that are not given count as numbers", APART_YES);
    try_close(t);

    t = try_open(BODY("mul.lo.s64 %rd4, %rd2, %rd3;\nadd.s64 %rd4, %rd0, %rd4;\nld.global.u32 %r2, [%rd4];\n"
                      "st.global.u32 [%rd1], %r2;\n"));
    is(t, "a number is multiplied", APART_YES);
    t->bench.parameters[2] = t->bench.parameters[1];
    is(t, "a pointer is multiplied", APART_MIXED);
    try_close(t);

    expect("bits of a variable's address",
           BODY("mov.u64 %rd4, v;\nand.b64 %rd4, %rd4, 15;\nadd.s64 %rd4, %rd0, %rd4;\nld.global.u32 %r2, [%rd4];\n"),
           APART_MIXED);
    t = try_open(BODY("cvta.shared.u64 %rd4, %rd3;\nadd.s64 %rd4, %rd4, %rd2;\nst.u32 [%rd4], 1;\n"));
    is(t, "shared memory and a number", APART_YES);
    try_close(t);
}

static void test_constants(void **state)
{
    (void)state;
    struct try *t =
        try_open(BODY("ld.const.u64 %rd4, [kept+8];\nld.global.u32 %r2, [%rd4];\nst.global.u32 [%rd1], %r2;\n"));
    const struct ptx_variable *kept = ptx_find_variable(t->bench.module, "kept");
    uint64_t *values = memory_host(t->bench.memory, image_address(t->bench.image, kept), 32);
    is(t, "NULL in constant memory", APART_NOWHERE);
    values[1] = t->bench.parameters[0];
    is(t, "a pointer in constant memory", APART_YES);
    values[1] = t->bench.parameters[1];
    is(t, "another one", APART_READ_BACK);
    try_close(t);
    expect("behind constant memory", BODY("ld.const.u64 %rd4, [kept+32];\nld.global.u32 %r2, [%rd4];\n"),
           APART_NOWHERE);
}

/* The structure takes bytes 12 to 47 of the parameters, so that the values at 16, 24, 32 and 40 lie in it. */
#define STRUCTURE(body)                                                                                             \
    HEADER ".visible .entry k(.param .u64 a, .param .u32 m, .param .align 4 .b8 s[36], .param .u64 b) {\n"          \
           ".reg .b32 %r<4>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\nld.param.u64 %rd0, [a];\nmov.u32 %r0, %tid.x;\n" \
           "mov.b64 %rd1, s;\nmad.wide.u32 %rd2, %r0, 8, %rd1;\nld.param.u64 %rd3, [%rd2];\n"                       \
           "st.global.u32 [%rd0], 1;\n" body "ret;\n}\n"

static struct try *try_structure(const char *text)
{
    struct try *t = try_open(text);
    memset(t->bench.parameters + 1, 0, 6 * sizeof *t->bench.parameters);
    t->bench.launch.parameter_bytes = 56;
    return t;
}

/* A pointer from some place of a structure may be any of those that the structure holds. */
static void test_structures(void **state)
{
    (void)state;
    struct try *t = try_structure(STRUCTURE("ld.global.u32 %r1, [%rd3];\n"));
    uint64_t *given = t->bench.parameters, b = memory_alloc(t->bench.memory, 64, "more");
    is(t, "no pointers", APART_NOWHERE);
    for (int i = 2; i <= 5; i++) {
        given[i] = b + 8;
        is(t, "a pointer among numbers", APART_YES);
        given[i] = given[0];
        is(t, "a pointer to what is written", APART_READ_BACK);
        given[i] = 12;
    }
    given[6] = given[0];
    is(t, "a pointer behind the structure", APART_NOWHERE);
    try_close(t);

    t = try_structure(STRUCTURE("and.b64 %rd4, %rd3, 15;\nadd.s64 %rd4, %rd4, %rd0;\nred.global.add.u32 [%rd4], 1;\n"));
    is(t, "numbers of a structure that are mixed", APART_YES);
    t->bench.parameters[5] = t->bench.parameters[0];
    is(t, "pointers of a structure that are mixed", APART_MIXED);
    try_close(t);

    t = try_structure(STRUCTURE("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd3, {%r0}];\n"));
    t->texture = (struct texture){.level_count = 1, .level = {{.address = memory_alloc(t->bench.memory, 64, "more")}}};
    t->bench.launch.textures = &t->texture, t->bench.launch.texture_count = 1;
    is(t, "textures of a structure", APART_TEXTURE);
    try_close(t);

    t = try_structure(STRUCTURE("mov.b64 %rd4, a;\ncvta.param.u64 %rd4, %rd4;\nld.u64 %rd5, [%rd4];\n"));
    is(t, "a pointer itself is read as a parameter", APART_YES);
    try_close(t);
}

static void test_launches(void **state)
{
    (void)state;
    struct try *t = try_open(BODY(COPY));
    t->bench.launch.is_cooperative = true;
    is(t, "cooperative", APART_COOPERATIVE);
    t->bench.launch.is_cooperative = false;
    t->bench.launch.cluster[0] = t->bench.launch.cluster[1] = t->bench.launch.cluster[2] = 1;
    is(t, "clusters", APART_CLUSTER);
    try_close(t);
}

/* Memory that is not the device's own: what is mapped at an address of its own may be mapped elsewhere, too. */
static void test_mappings(void **state)
{
    (void)state;
    static uint8_t host[3][512];
    struct try *t = try_open(BODY(COPY));
    struct memory *m = t->bench.memory;
    uint64_t *given = t->bench.parameters, a = given[0];
    uint64_t at = memory_reserve(m, 8192, 512), in_place = (uint64_t)(uintptr_t)host[2];
    assert_true(memory_map_at(m, at, host[0], 512, false, "first"));
    assert_true(memory_map_at(m, at + 4096, host[1], 512, false, "second"));
    assert_true(memory_map(m, host[2], 512, "third"));
    given[0] = at, given[1] = at + 4096;
    is(t, "two mappings", APART_READ_BACK);
    given[1] = in_place;
    is(t, "a mapping is read, memory of the host is written", APART_YES);
    given[0] = in_place, given[1] = at;
    is(t, "memory of the host is read, a mapping is written", APART_YES);
    given[0] = a;
    is(t, "memory of the device is read, a mapping is written", APART_YES);
    given[0] = at, given[1] = a;
    is(t, "a mapping is read, memory of the device is written", APART_YES);
    try_close(t);
}

static void test_textures(void **state)
{
    (void)state;
    struct try *t =
        try_open(BODY("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd0, {%r0}];\nst.global.u32 [%rd1], 1;\n"));
    struct launch *l = &t->bench.launch;
    uint64_t *given = t->bench.parameters, a = given[0], b = given[1];
    given[0] = 77;
    is(t, "no texture", APART_TEXTURE);
    t->texture = (struct texture){.handle = 77, .level_count = 2, .level = {{.address = a}, {.address = a + 64}}};
    l->textures = &t->texture, l->texture_count = 1;
    is(t, "a texture", APART_YES);
    t->texture.level[1].address = b;
    is(t, "a level that is written", APART_READ_BACK);
    t->texture.level_count = 1;
    is(t, "beyond the levels", APART_YES);
    t->texture.level[0].address = 12;
    is(t, "a level that is nowhere", APART_TEXTURE);
    t->texture.level[0].address = a;
    is(t, "a level that is there", APART_YES);
    given[0] = 78;
    is(t, "another texture", APART_TEXTURE);
    t->surface = (struct surface){.handle = 78, .level = {.address = a}};
    l->surfaces = &t->surface, l->surface_count = 1;
    is(t, "a surface is no texture", APART_TEXTURE);
    try_close(t);

    t = try_open(BODY("suld.b.1d.b32.trap %r2, [%rd0, {%r0}];\nsust.b.1d.b32.trap [%rd2, {%r0}], %r2;\n"));
    struct surface surfaces[2] = {{.handle = 5, .level = {.address = t->bench.parameters[0]}},
                                  {.handle = 6, .level = {.address = t->bench.parameters[1]}}};
    t->texture = (struct texture){.handle = 7, .level_count = 1, .level = {{.address = t->bench.parameters[0]}}};
    t->bench.launch.surfaces = surfaces, t->bench.launch.surface_count = 2;
    t->bench.launch.textures = &t->texture, t->bench.launch.texture_count = 1;
    t->bench.parameters[0] = 5, t->bench.parameters[2] = 6;
    is(t, "surfaces", APART_YES);
    t->bench.parameters[2] = 5;
    is(t, "one surface", APART_READ_BACK);
    t->bench.parameters[2] = 7;
    is(t, "a texture is no surface", APART_TEXTURE);
    try_close(t);

    t = try_open(BODY("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [image, {%r0}];\nst.global.u32 [%rd1], 1;\n"));
    const struct ptx_variable *image = ptx_find_variable(t->bench.module, "image");
    t->texture = (struct texture){.handle = image_address(t->bench.image, image), .level_count = 1};
    t->texture.level[0].address = t->bench.parameters[0];
    t->bench.launch.textures = &t->texture, t->bench.launch.texture_count = 1;
    is(t, "a texture by name", APART_YES);
    t->texture.level[0].address = t->bench.parameters[1];
    is(t, "a texture by name, that is written", APART_READ_BACK);
    try_close(t);
}

/* Which reads of the program, in order, may see what other multiprocessors write: one digit for each. */
static void expect_shared(const char *name, const char *text, const char *wanted)
{
    struct try *t = try_open(text);
    char found[16] = "";
    bool is_shared[16], any = launch_find_shared(&t->bench.launch, t->origins, is_shared);
    int count = 0;
    for (int32_t pc = 0; pc < t->program->insn_count; pc++) {
        int32_t access = t->origins->access_at[pc];
        if (access >= 0 && t->origins->accesses[access].reads)
            found[count++] = is_shared[access] ? '1' : '0';
    }
    if (strcmp(found, wanted) || any != (strchr(wanted, '1') != NULL))
        fail_msg("%s: reads %s, not %s", name, found, wanted);
    try_close(t);
}

static void test_shared_reads(void **state)
{
    (void)state;
    expect_shared("a copy", BODY(COPY), "0");
    expect_shared("one of two", BODY(COPY "ld.global.u32 %r3, [%rd1];\n"), "01");
    expect_shared("in place", BODY("ld.global.u32 %r2, [%rd0];\nst.global.u32 [%rd0+4], %r2;\n"), "1");
    expect_shared("reductions", BODY("ld.global.u32 %r2, [%rd0];\nred.global.add.u32 [%rd0+4], %r2;\n"), "1");
    expect_shared("an unknown read", BODY(COPY "ld.global.u64 %rd6, [%rd0];\nld.global.u32 %r3, [%rd6];\n"), "001");
    expect_shared("an unknown read and no write", BODY("ld.global.u64 %rd6, [%rd0];\nld.global.u32 %r3, [%rd6];\n"),
                  "00");
    expect_shared("an unknown write", BODY(COPY "ld.global.u64 %rd6, [%rd0];\nst.global.u32 [%rd6], %r2;\n"), "11");
    expect_shared("a number", BODY(COPY "ld.global.u32 %r3, [%rd2];\n"), "01");
    expect_shared("shared memory", BODY("cvta.shared.u64 %rd4, %rd3;\nld.u32 %r2, [%rd4];\nst.u32 [%rd4], %r2;\n"),
                  "0");
    assert_true(apart_but_for_accesses(APART_YES));
    assert_true(apart_but_for_accesses(APART_READ_BACK));
    assert_true(apart_but_for_accesses(APART_RESULTS));
    assert_false(apart_but_for_accesses(APART_STRONG));
    assert_false(apart_but_for_accesses(APART_BUILTINS));
    /* fences count, also beside results */
    expect("fences and results", BODY("atom.global.add.u32 %r2, [%rd0], 1;\nmembar.gl;\n"), APART_STRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),  cmocka_unit_test(test_parameters),   cmocka_unit_test(test_launches),
        cmocka_unit_test(test_constants), cmocka_unit_test(test_structures),   cmocka_unit_test(test_mappings),
        cmocka_unit_test(test_textures),  cmocka_unit_test(test_shared_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
