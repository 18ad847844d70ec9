/* Parsing: what the text says is what the module holds, and no text does harm. */
#include "base/random.h"
#include "base/text.h"
#include "ptx/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGISTERS                                                                                       \
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<4>; .reg .f64 " \
    "%fd<4>;\n"

static struct ptx_module *parse(const char *text)
{
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse("test", text, strlen(text), &diag);
    if (!module)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(module);
    return module;
}

static struct ptx_module *parse_kernel(const char *before, const char *body)
{
    struct text text = {0};
    text_printf(&text, HEADER "%s\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n%s%s\n}\n", before, REGISTERS,
                body);
    struct ptx_module *module = parse(text.data);
    text_free(&text);
    return module;
}

/* Errors that a kernel with this body has; the first of them goes to `message`. */
static int count_errors(const char *before, const char *body, char message[256])
{
    struct text text = {0};
    struct diag diag = {0};
    text_printf(&text, HEADER "%s\n.entry k(.param .u64 p)\n{\n%s%s\n}\n", before, REGISTERS, body);
    struct ptx_module *module = ptx_parse("test", text.data, text.length, &diag);
    int count = diag.count;
    if (count)
        snprintf(message, 256, "%s", diag.entry[0].message);
    assert_int_equal(module == NULL, count > 0);
    ptx_destroy(module);
    diag_free(&diag);
    text_free(&text);
    return count;
}

static const struct ptx_function *kernel(const struct ptx_module *module)
{
    return ptx_find_function(module, "k");
}

static const struct ptx_instruction *instruction(const struct ptx_module *module, int index)
{
    const struct ptx_function *k = kernel(module);
    assert_in_range(index, 0, k->instruction_count - 1);
    return &k->instructions[index];
}

static int find_register(const struct ptx_function *f, const char *name)
{
    for (int i = 0; i < f->register_count; i++)
        if (!strcmp(f->registers[i].name, name))
            return i;
    fail_msg("there is no register %s", name);
    return -1;
}

static void test_header(void **state)
{
    (void)state;
    struct ptx_module *m = parse(".version 8.5\n.target sm_90a, texmode_independent, debug\n");
    assert_int_equal(m->version_major, 8);
    assert_int_equal(m->version_minor, 5);
    assert_string_equal(m->target, "sm_90a");
    assert_string_equal(m->target_options, ", texmode_independent, debug");
    assert_int_equal(m->address_bits, 64);
    ptx_destroy(m);
    m = parse(".version 3.0 .target sm_20 .address_size 32");
    assert_int_equal(m->address_bits, 32);
    ptx_destroy(m);
}

static void test_registers(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEADER ".entry k() { .reg .b32 %r<12>, x; .reg .v4 .f32 %v, %w<2>; .reg .b32 %r1<3>; }");
    const struct ptx_function *k = kernel(m);
    assert_int_equal(k->register_count, 12 + 1 + 5 + 2 * 5 + 3);
    assert_string_equal(k->registers[0].name, "%r0");
    assert_string_equal(k->registers[11].name, "%r11");
    assert_string_equal(k->registers[12].name, "x");
    int v = find_register(k, "%v");
    assert_int_equal(k->registers[v].vector, 4);
    assert_int_equal(find_register(k, "%v.x"), v + 1);
    assert_int_equal(find_register(k, "%v.w"), v + 4);
    assert_int_equal(find_register(k, "%w1.z"), find_register(k, "%w1") + 3);
    assert_int_equal(k->registers[find_register(k, "%w1.z")].type, TYPE_F32);
    assert_string_equal(k->registers[k->register_count - 1].name, "%r12");
    ptx_destroy(m);
}

static void test_vector_components(void **state)
{
    (void)state;
    struct ptx_module *m = parse_kernel("", ".reg .v4 .f32 %v; mov.f32 %f1, %v.b; mov.f32 %v.r, %f1; "
                                            "ld.global.v4.f32 %v, [%rd1];");
    int v = find_register(kernel(m), "%v");
    assert_int_equal(instruction(m, 0)->operand[1].reg, v + 3);
    assert_int_equal(instruction(m, 1)->operand[0].reg, v + 1);
    const struct ptx_operand *o = &instruction(m, 2)->operand[0];
    assert_int_equal(o->kind, OPERAND_VECTOR);
    assert_int_equal(o->element_count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(o->element[i].reg, v + 1 + i);
    ptx_destroy(m);
}

static void test_scopes(void **state)
{
    (void)state;
    struct ptx_module *m = parse_kernel(".global .u32 g;", "mov.u32 %r1, 1; { .reg .b32 %r1, g; mov.u32 %r1, g;\n"
                                                           "{ .reg .b64 %r1; mov.u64 %r1, 2; } mov.u32 %r1, 3; }\n"
                                                           "mov.u32 %r1, 4; ld.global.u32 %r1, [g];");
    const struct ptx_function *k = kernel(m);
    int outer = find_register(k, "%r1"), inner = find_register(k, "%r1$1"), innermost = find_register(k, "%r1$2");
    assert_int_equal(instruction(m, 0)->operand[0].reg, outer);
    assert_int_equal(instruction(m, 1)->operand[0].reg, inner);
    assert_int_equal(instruction(m, 1)->operand[1].reg, find_register(k, "g$1"));
    assert_int_equal(instruction(m, 2)->operand[0].reg, innermost);
    assert_int_equal(instruction(m, 3)->operand[0].reg, inner);
    assert_int_equal(instruction(m, 4)->operand[0].reg, outer);
    assert_ptr_equal(instruction(m, 5)->operand[1].variable, ptx_find_variable(m, "g"));
    assert_int_equal(k->registers[innermost].type, TYPE_B64);
    ptx_destroy(m);
}

static void test_labels(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_kernel("", "L: bra END; { bra L; bra M; L: exit; M: } bra L; @!%p1 bra.uni END; M: END:");
    static const int targets[] = {6, 3, 4, -1, 0, 6};
    for (int i = 0; i < 6; i++)
        if (targets[i] >= 0) {
            assert_int_equal(instruction(m, i)->operand[0].kind, OPERAND_LABEL);
            assert_int_equal(instruction(m, i)->operand[0].target, targets[i]);
        }
    assert_true(instruction(m, 5)->guard_negate);
    assert_int_equal(instruction(m, 5)->guard, find_register(kernel(m), "%p1"));
    assert_true(suffixes_has(&instruction(m, 5)->suffixes, FLAG_UNI));
    assert_int_equal(instruction(m, 0)->guard, -1);
    assert_string_equal(ptx_label_at(kernel(m), 6)->name, "M$1");
    assert_null(ptx_label_at(kernel(m), 1));
    ptx_destroy(m);
}

static void test_branch_targets(void **state)
{
    (void)state;
    struct ptx_module *m = parse_kernel("", "ts: .branchtargets A, B, A; brx.idx %r1, ts; exit; A: exit; B:");
    const struct ptx_operand *o = &instruction(m, 0)->operand[1];
    assert_int_equal(o->kind, OPERAND_TARGETS);
    assert_int_equal(o->targets->count, 3);
    assert_int_equal(o->targets->target[0], 2);
    assert_int_equal(o->targets->target[1], 3);
    assert_int_equal(o->targets->target[2], 2);
    assert_string_equal(o->targets->label[1], "B");
    ptx_destroy(m);
}

static const struct {
    const char *instruction;
    uint64_t bits; /* of the second operand */
} immediates[] = {
    {"mov.u32 %r1, 7;", 7},
    {"mov.u32 %r1, -1;", UINT64_MAX},
    {"mov.u32 %r1, 4294967295;", UINT64_MAX},
    {"mov.s32 %r1, 0x80000000;", 0xffffffff80000000},
    {"mov.u16 %h1, 65535U;", UINT64_MAX},
    {"mov.u16 %h1, 65537;", 1},
    {"mov.u64 %rd1, 18446744073709551615;", UINT64_MAX},
    {"mov.u32 %r1, 0x1F;", 31},
    {"mov.u32 %r1, 017;", 15},
    {"mov.u32 %r1, 0b101;", 5},
    {"mov.u32 %r1, 0;", 0},
    {"mov.f32 %f1, 0f3F800000;", 0x3f800000},
    {"mov.f32 %f1, 0fBF800000;", 0xbf800000},
    {"mov.f32 %f1, 1.0;", 0x3f800000},
    {"mov.f32 %f1, -1.5e0;", 0xbfc00000},
    {"mov.f32 %f1, .5;", 0x3f000000},
    {"mov.f32 %f1, 5e-1;", 0x3f000000},
    {"mov.f32 %f1, 0d3FF0000000000000;", 0x3f800000},
    {"mov.f32 %f1, 0f7FC00123;", 0x7fc00123},
    {"mov.f32 %f1, 1.5+1.5;", 0x40400000},
    {"mov.f64 %fd1, 0d3FF0000000000000;", 0x3ff0000000000000},
    {"mov.f64 %fd1, 1.0;", 0x3ff0000000000000},
    {"mov.f64 %fd1, 0f3F800000;", 0x3ff0000000000000},
    {"mov.b32 %r1, 0f3F800000;", 0x3f800000},
    {"mov.b32 %r1, 0fBF800000;", 0xffffffffbf800000},
    {"mov.b64 %rd1, 1.0;", 0x3ff0000000000000},
    {"mov.pred %p1, 1;", 1},
    {"mov.pred %p1, -1;", 1},
    {"mov.pred %p1, 0;", 0},
    {"mov.u32 %r1, WARP_SZ;", 32},
    {"mov.u32 %r1, 2+3*4;", 14},
    {"mov.u32 %r1, (2+3)*4;", 20},
    {"mov.u32 %r1, 1<<4|1;", 17},
    {"mov.u32 %r1, ~0&0xF0^0xFF;", 0x0f},
    {"mov.u32 %r1, -7/2;", (uint64_t)-3},
    {"mov.u32 %r1, 7%4;", 3},
    {"mov.u32 %r1, 7 % 4;", 3},
    {"mov.u32 %r1, -8>>1;", (uint64_t)-4},
    {"mov.u64 %rd1, 0x8000000000000000>>63;", 1},
    {"mov.u64 %rd1, 0x8000000000000000/-1;", 0},
    {"mov.s64 %rd1, (.s64)0x8000000000000000/-1;", 0x8000000000000000},
    {"mov.u64 %rd1, 1<<64;", 0},
    {"mov.u32 %r1, !5;", 0},
    {"mov.u32 %r1, !0;", 1},
    {"mov.u32 %r1, 3>2&&2>=2;", 1},
    {"mov.u32 %r1, 1==2||3!=3;", 0},
    {"mov.u32 %r1, -1<1;", 1},
    {"mov.u32 %r1, -1<1U;", 0},
    {"mov.u32 %r1, 1?2:3;", 2},
    {"mov.u32 %r1, 0?2:0?3:4;", 4},
};

static void test_immediates(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof immediates / sizeof *immediates; i++) {
        struct ptx_module *m = parse_kernel("", immediates[i].instruction);
        const struct ptx_operand *o = &instruction(m, 0)->operand[1];
        if (o->bits != immediates[i].bits)
            print_error("%s gives %llx\n", immediates[i].instruction, (unsigned long long)o->bits);
        assert_int_equal(o->kind, OPERAND_IMMEDIATE);
        assert_true(o->bits == immediates[i].bits);
        ptx_destroy(m);
    }
}

static const struct {
    const char *text;
    const char *reg, *variable;
    int64_t offset;
} addresses[] = {
    {"[%rd1]", "%rd1", NULL, 0},
    {"[%rd1+8]", "%rd1", NULL, 8},
    {"[%rd1+-8]", "%rd1", NULL, -8},
    {"[%rd1-8]", "%rd1", NULL, -8},
    {"[%r1 + 4*4]", "%r1", NULL, 16},
    {"[g]", NULL, "g", 0},
    {"[g+4]", NULL, "g", 4},
    {"[g-4+1]", NULL, "g", -3},
    {"g[2]", NULL, "g", 8},
    {"[g[3]]", NULL, "g", 12},
    {"[16]", NULL, NULL, 16},
    {"[-1]", NULL, NULL, -1},
    {"[0xFFFFFFFFFFFFFFFF]", NULL, NULL, -1},
};

static void test_addresses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        char body[128];
        snprintf(body, sizeof body, "ld.global.u32 %%r1, %s;", addresses[i].text);
        struct ptx_module *m = parse_kernel(".global .u32 g[4];", body);
        const struct ptx_operand *o = &instruction(m, 0)->operand[1];
        assert_int_equal(o->kind, OPERAND_ADDRESS);
        assert_int_equal(o->reg, addresses[i].reg ? find_register(kernel(m), addresses[i].reg) : -1);
        assert_int_equal(o->variable != NULL, addresses[i].variable != NULL);
        assert_true(o->offset == addresses[i].offset);
        ptx_destroy(m);
    }
}

static void test_operands(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_kernel(".global .u32 g[4];",
                     "setp.lt.s32 %p1|%p2, %r1, 2; setp.lt.s32 %p1, %r1, 2; bar.red.popc.u32 %r1, 0, !%p1;\n"
                     "bar.red.popc.u32 %r1, 0, 64, %p1; mov.b64 {%r1, _}, %rd1; mov.b64 %rd1, {%r1, 5};\n"
                     "mov.u64 %rd1, g+4; mov.u64 %rd1, k; mov.u32 %r1, %tid.x; st.global.v2.u32 [%rd1], {%r1, 1};");
    assert_int_equal(instruction(m, 0)->operand[1].kind, OPERAND_REGISTER);
    assert_int_equal(instruction(m, 1)->operand[1].kind, OPERAND_NONE);
    assert_int_equal(instruction(m, 1)->operand_count, 4);
    assert_int_equal(instruction(m, 2)->operand[2].kind, OPERAND_NONE);
    assert_true(instruction(m, 2)->operand[3].negate);
    assert_int_equal(instruction(m, 3)->operand[2].bits, 64);
    assert_int_equal(instruction(m, 4)->op, OP_UNPACK);
    assert_int_equal(instruction(m, 4)->operand[0].element[1].kind, OPERAND_SINK);
    assert_int_equal(instruction(m, 4)->operand[0].element[0].type, TYPE_B32);
    assert_int_equal(instruction(m, 5)->op, OP_PACK);
    assert_int_equal(instruction(m, 5)->operand[1].element[1].bits, 5);
    assert_int_equal(instruction(m, 6)->operand[1].kind, OPERAND_SYMBOL);
    assert_int_equal(instruction(m, 6)->operand[1].offset, 4);
    assert_ptr_equal(instruction(m, 7)->operand[1].function, kernel(m));
    assert_int_equal(instruction(m, 8)->operand[1].kind, OPERAND_SREG);
    assert_int_equal(instruction(m, 8)->operand[1].sreg, SREG_TID_X);
    assert_int_equal(instruction(m, 9)->operand[1].element_count, 2);
    ptx_destroy(m);
}

/* Which registers an instruction takes: PTX's rules on sizes and types. */
static const struct {
    const char *instruction;
    bool is_right;
} type_rules[] = {
    {"add.s32 %r1, %r2, %r3;", true},
    {".reg .u32 %u; add.s32 %u, %r2, %u;", true},
    {".reg .s64 %s; add.u64 %s, %rd1, %s;", true},
    {"add.s32 %f1, %r2, %r3;", false},
    {"add.u32 %r1, %h1, %r3;", false},
    {"add.f32 %r1, %r2, %r3;", true},
    {".reg .u32 %u; add.f32 %u, %r2, %r3;", false},
    {"add.f32 %f1, %f2, %fd1;", false},
    {"and.b32 %f1, %f2, %r1;", true},
    {"and.b32 %p1, %r1, %r1;", false},
    {"and.pred %p1, %p2, %p3;", true},
    {"and.pred %p1, %p2, %r1;", false},
    {"ld.global.u8 %r1, [%rd1];", true},
    {"ld.global.u8 %rd1, [%rd1];", true},
    {"ld.global.u32 %h1, [%rd1];", false},
    {"ld.global.b16 %f1, [%rd1];", false},
    {"ld.global.b32 %f1, [%rd1];", true},
    {"ld.global.f32 %rd1, [%rd1];", true},
    {"ld.global.f32 %fd1, [%rd1];", false},
    {"st.global.u8 [%rd1], %rd2;", true},
    {"st.global.u32 [%rd1], %f1;", false},
    {"cvt.u32.u16 %rd1, %r1;", true},
    {"cvt.u64.u32 %r1, %r1;", false},
    {"cvt.rn.f16.f32 %h1, %f1;", true},
    {"cvt.rn.f16.f32 %f1, %f1;", false},
    {"mul.wide.s16 %r1, %h1, %h2;", true},
    {"mul.wide.s32 %rd1, %r1, %r2;", true},
    {"mul.wide.s32 %r1, %r1, %r2;", false},
    {"shl.b64 %rd1, %rd2, %r1;", true},
    {"shl.b64 %rd1, %rd2, %rd3;", false},
    {"popc.b64 %r1, %rd1;", true},
    {"popc.b64 %rd1, %rd1;", false},
    {"shfl.sync.idx.b32 %f1|%p1, %f2, %r1, 31, -1;", true},
    {"mov.b64 %fd1, {%f1, %f2};", true},
    {"mov.b64 %fd1, {%f1, %fd2};", false},
    {"mov.u16 %h1, %tid.x;", true},
    {"cvt.u32.u16 %r1, %tid.x;", true},
    {"add.u16 %h1, %tid.x, 1;", false},
    {"setp.eq.u16 %p1, %tid.x, 1;", false},
    {"add.u32 %r1, %gridid, 1;", false},
    {"mov.u64 %rd1, %clock64;", true},
    {"mov.u32 %r1, %gridid;", true},
    {"mov.u32 %r1, p;", true},
    {"mov.u16 %h1, p;", false},
    {"mov.f32 %f1, p;", false},
    {"ld.param.u64 %rd1, [p];", true},
    {"ld.global.u64 %rd1, [p];", false},
    {"ld.u64 %rd1, [p];", true},
};

static void test_type_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof type_rules / sizeof *type_rules; i++) {
        char message[256] = "";
        bool is_right = !count_errors("", type_rules[i].instruction, message);
        if (is_right != type_rules[i].is_right)
            print_error("%s: %s\n", type_rules[i].instruction, is_right ? "taken" : message);
        assert_int_equal(is_right, type_rules[i].is_right);
    }
}

static void test_variables(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEADER ".extern .shared .align 16 .b8 dyn[];\n.visible .global .align 8 .v2 .f32 a[3][2], b;\n"
                     ".global .attribute(.managed) .u64 c;\n.weak .const .u32 d;\n.extern .global .u32 "
                     "e;\n.global .u32 e = 1;\n");
    assert_int_equal(m->variable_count, 6);
    const struct ptx_variable *v = ptx_find_variable(m, "dyn");
    assert_true(v->is_unsized && v->is_array && v->space == SPACE_SHARED && v->align_bytes == 16 && !v->size_bytes);
    assert_int_equal(v->linkage, LINKAGE_EXTERN);
    v = ptx_find_variable(m, "a");
    assert_int_equal(v->size_bytes, 48);
    assert_int_equal(v->dimension_count, 2);
    assert_int_equal(v->dimension[0], 3);
    assert_int_equal(v->vector, 2);
    assert_int_equal(v->linkage, LINKAGE_VISIBLE);
    assert_null(v->init);
    v = ptx_find_variable(m, "b");
    assert_true(!v->is_array && v->size_bytes == 8 && v->index == 2);
    assert_true(ptx_find_variable(m, "c")->is_managed);
    assert_int_equal(ptx_find_variable(m, "c")->align_bytes, 8);
    assert_int_equal(ptx_find_variable(m, "d")->linkage, LINKAGE_WEAK);
    assert_int_equal(ptx_find_variable(m, "e")->linkage, LINKAGE_NONE);
    assert_int_equal(ptx_find_variable(m, "e")->init[0], 1);
    assert_null(ptx_find_variable(m, "f"));
    ptx_destroy(m);
}

static void test_initialisers(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEADER ".global .u16 a[2][3] = {{1}, {2, 3}};\n.global .u16 b[2][3] = {1, 2, 3, 4};\n"
                     ".global .s32 c[] = {-1, 5};\n.const .f32 d = -2.0;\n.global .u32 e[100] = {0, 0};\n"
                     ".global .v2 .u8 f[] = {{1}, {2, 3}, {4}};\n.global .u8 g[][2] = {1, 2, 3};\n");
    static const uint16_t a[] = {1, 0, 0, 2, 3, 0}, b[] = {1, 2, 3, 4, 0, 0};
    static const int32_t c[] = {-1, 5};
    static const uint8_t f[] = {1, 0, 2, 3, 4, 0}, g[] = {1, 2, 3, 0};
    assert_memory_equal(ptx_find_variable(m, "a")->init, a, sizeof a);
    assert_memory_equal(ptx_find_variable(m, "b")->init, b, sizeof b);
    const struct ptx_variable *v = ptx_find_variable(m, "c");
    assert_true(!v->is_unsized && v->size_bytes == 8 && v->dimension[0] == 2);
    assert_memory_equal(v->init, c, sizeof c);
    assert_memory_equal(ptx_find_variable(m, "d")->init, (&(float){-2.0f}), sizeof(float));
    assert_null(ptx_find_variable(m, "e")->init);
    assert_int_equal(ptx_find_variable(m, "f")->size_bytes, sizeof f);
    assert_memory_equal(ptx_find_variable(m, "f")->init, f, sizeof f);
    assert_int_equal(ptx_find_variable(m, "g")->dimension[0], 2);
    assert_memory_equal(ptx_find_variable(m, "g")->init, g, sizeof g);
    ptx_destroy(m);
}

static void test_addresses_in_initialisers(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEADER ".global .u32 t[4];\n.func f();\n.global .u64 a[4] = {5, generic(t)+4, t-8, f};\n"
                     ".global .u8 b[3] = {9, 0xFF00(generic(t)+4), 0xFF000000(t)};\n.global .u32 c = t;\n");
    const struct ptx_variable *t = ptx_find_variable(m, "t"), *v = ptx_find_variable(m, "a");
    assert_int_equal(v->reloc_count, 3);
    const struct ptx_reloc *r = v->reloc;
    assert_true(r[0].offset == 8 && r[0].bytes == 8 && !r[0].shift && r[0].generic && r[0].addend == 4);
    assert_ptr_equal(r[0].variable, t);
    assert_true(r[1].offset == 16 && !r[1].generic && r[1].addend == -8);
    assert_ptr_equal(r[2].function, ptx_find_function(m, "f"));
    assert_int_equal(v->init[0], 5);
    r = ptx_find_variable(m, "b")->reloc;
    assert_true(r[0].offset == 1 && r[0].bytes == 1 && r[0].shift == 8 && r[0].generic && r[0].addend == 4);
    assert_true(r[1].offset == 2 && r[1].bytes == 1 && r[1].shift == 24 && !r[1].generic);
    assert_int_equal(ptx_find_variable(m, "c")->reloc[0].bytes, 4);
    ptx_destroy(m);
}

static void test_functions(void **state)
{
    (void)state;
    struct ptx_module *m = parse(
        HEADER ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[16]) ;\n.weak .func stop() .noreturn;\n"
               ".visible .func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 y[16]) { ret; }\n"
               ".func (.reg .u32 %o) old(.reg .u32 %i) { add.u32 %o, %i, 1; ret; }\n.entry none { exit; }\n"
               ".visible .entry k(.param .u64 .ptr .global .align 8 p)\n.maxntid 64, 2\n.minnctapersm 3\n.maxnreg "
               "24\n{ .shared .u32 s; ret; }\n"
               ".func (.param .b32 r) al(.param .b32 x, .param .align 8 .b8 y[16]);\n.alias al, f;\n");
    const struct ptx_function *f = ptx_find_function(m, "f");
    assert_int_equal(m->function_count, 6);
    assert_true(f->is_defined && !f->is_entry && f->linkage == LINKAGE_VISIBLE && f->index == 0);
    assert_int_equal(f->parameter_count, 2);
    assert_string_equal(f->parameters[1]->name, "y");
    assert_true(f->parameters[1]->size_bytes == 16 && f->parameters[1]->index == 1 && f->parameters[1]->owner == f);
    assert_int_equal(f->return_count, 1);
    assert_true(ptx_find_function(m, "stop")->no_return && !ptx_find_function(m, "stop")->is_defined);
    const struct ptx_function *old = ptx_find_function(m, "old");
    assert_true(old->parameters[0]->is_register && old->returns[0]->is_register);
    assert_int_equal(old->instructions[0].operand[0].reg, old->returns[0]->reg);
    assert_int_equal(old->instructions[0].operand[1].reg, old->parameters[0]->reg);
    assert_true(ptx_find_function(m, "none")->is_entry);
    const struct ptx_function *k = kernel(m);
    assert_true(k->limits.max_threads[0] == 64 && k->limits.max_threads[1] == 2 && k->limits.max_threads[2] == 1);
    assert_true(k->limits.min_blocks == 3 && k->limits.max_registers == 24 && !k->limits.required_threads[0]);
    assert_true(k->parameters[0]->is_pointer && k->parameters[0]->pointer_align == 8);
    assert_int_equal(k->parameters[0]->pointer_space, SPACE_GLOBAL);
    assert_true(k->variable_count == 1 && k->variables[0]->owner == k);
    assert_ptr_equal(ptx_find_function(m, "al"), f);
    ptx_destroy(m);
}

static void test_calls(void **state)
{
    (void)state;
    struct ptx_module *m = parse_kernel(
        ".func (.param .b32 r) f(.param .b32 a);\n.func (.reg .u32 %o) old(.reg .u32 %i, .reg .f32 "
        "%j);\n.func none();",
        "{ .param .b32 q; .param .b32 r; call.uni (r), f, (q); }\ncall (%r1), old, (%r2, 1.0); call none;\n"
        "{ .param .b32 r; proto: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %rd1, (r), "
        "proto; }");
    const struct ptx_call *call = instruction(m, 0)->operand[0].call;
    assert_ptr_equal(call->callee, ptx_find_function(m, "f"));
    assert_true(call->return_count == 1 && call->argument_count == 1 && !call->pointer);
    assert_string_equal(call->arguments[0].variable->name, "q");
    assert_int_equal(call->returns[0].variable->space, SPACE_PARAM);
    call = instruction(m, 1)->operand[0].call;
    assert_int_equal(call->returns[0].reg, find_register(kernel(m), "%r1"));
    assert_int_equal(call->arguments[0].kind, OPERAND_REGISTER);
    assert_true(call->arguments[1].kind == OPERAND_IMMEDIATE && call->arguments[1].bits == 0x3f800000);
    call = instruction(m, 2)->operand[0].call;
    assert_true(!call->return_count && !call->argument_count);
    call = instruction(m, 3)->operand[0].call;
    assert_null(call->callee);
    assert_int_equal(call->pointer->reg, find_register(kernel(m), "%rd1"));
    assert_string_equal(call->prototype->name, "proto");
    assert_int_equal(call->prototype->parameter_count, 1);
    assert_string_equal(call->returns[0].variable->name, "r$1");
    ptx_destroy(m);
}

static void test_unsupported(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_kernel("", "tcgen05.alloc.b32 [%r1], 64; @%p1 multimem.red.global.add.u32 [%rd1],\n 16 // why\n;\n"
                         "multimem.st.global.u32 [%rd1], %r1;\n"
                         "tcgen05.x {a, {b;}}, \"}\"; exit;");
    static const char *const texts[] = {"tcgen05.alloc.b32 [%r1], 64", "multimem.red.global.add.u32 [%rd1], 16",
                                        "multimem.st.global.u32 [%rd1], %r1", "tcgen05.x {a, {b;}}, \"}\""};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(instruction(m, i)->op, OP_NONE);
        assert_string_equal(instruction(m, i)->unsupported, texts[i]);
    }
    assert_int_equal(instruction(m, 1)->guard, find_register(kernel(m), "%p1"));
    assert_int_equal(instruction(m, 4)->op, OP_EXIT);
    ptx_destroy(m);
}

/* Rows of one opcode that differ in the number of operands, and vectors of atomics, whose type may come first. */
static void test_rows_by_count(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_kernel("", "min.f32 %f1, %f2, %f3; min.f32 %f1, %f2, %f3, %f4;\n"
                         "atom.global.v2.f32.add {%f1, _}, [%rd1], {%f2, %f3}; mov.b64 {%r1, %r2}, %rd1;");
    static const enum op ops[] = {OP_MIN_F, OP_MIN3_F32, OP_ATOM_VEC, OP_UNPACK};
    for (int i = 0; i < 4; i++)
        assert_int_equal(instruction(m, i)->op, ops[i]);
    assert_int_equal(instruction(m, 2)->suffixes.mod[GROUP_VEC], VEC_V2);
    assert_int_equal(instruction(m, 2)->operand[0].element_count, 2);
    ptx_destroy(m);
}

/* Registers of 128 bits hold values of 128 bits alone, and no constant is that wide. */
static void test_wide_registers(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_kernel("", ".reg .b128 %q<2>; ld.global.b128 %q0, [%rd1]; mov.b128 %q1, {%rd1, %rd2};\n"
                         "mov.b128 {%r1, _, %r2, _}, %q1; st.global.b128 [%rd1], %q0;");
    static const enum op ops[] = {OP_LD, OP_PACK, OP_UNPACK, OP_ST};
    for (int i = 0; i < 4; i++)
        assert_int_equal(instruction(m, i)->op, ops[i]);
    ptx_destroy(m);
    char message[256];
    assert_int_equal(count_errors("", ".reg .b128 %q; ld.global.b64 %q, [%rd1];", message), 1);
    assert_int_equal(count_errors("", ".reg .b128 %q; mov.b128 %q, 5;", message), 1);
    assert_non_null(strstr(message, "a constant cannot be of type .b128"));
}

/* What says how caches are used, where an address is the same, or how registers are shared has no effect on values. */
static void test_hints(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_kernel("", "ld.global.L2::cache_hint.L2::128B.v2.u32 {%r1, %r2}, [%rd1].unified, %rd2;\n"
                         "st.global.L1::no_allocate.L2::cache_hint.u32 [%rd1], %r1, 7;\n"
                         "red.global.add.L2::cache_hint.u32 [%rd1], %r1, %rd2;\n"
                         "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];\nmov.v4.u32 {%r1, %r2, %r3, _}, %ctaid;\n");
    assert_int_equal(instruction(m, 0)->op, OP_LD);
    assert_true(suffixes_has(&instruction(m, 0)->suffixes, FLAG_HINT));
    assert_int_equal(instruction(m, 0)->operand[2].reg, find_register(kernel(m), "%rd2"));
    assert_int_equal(instruction(m, 1)->operand[2].bits, 7);
    assert_int_equal(instruction(m, 2)->op, OP_RED);
    assert_int_equal(instruction(m, 3)->operand[2].kind, OPERAND_NONE);
    assert_int_equal(instruction(m, 4)->op, OP_MOV_VECTOR);
    assert_int_equal(instruction(m, 4)->operand[1].element[2].sreg, SREG_CTAID_Z);
    assert_int_equal(instruction(m, 4)->operand[1].element[3].kind, OPERAND_IMMEDIATE);
    ptx_destroy(m);
}

/* Compilers do not always write suffixes in the manual's order. */
static void test_suffix_order(void **state)
{
    (void)state;
    static const char *const orders[] = {"atom.relaxed.gpu.global.add.u32", "atom.global.gpu.relaxed.add.u32",
                                         "atom.add.relaxed.gpu.global.u32", "atom.u32.add.gpu.relaxed.global"};
    for (int i = 0; i < 4; i++) {
        char body[128];
        snprintf(body, sizeof body, "%s %%r1, [%%rd1], 1; cvt.f32.rn.s32 %%f1, %%r1;", orders[i]);
        struct ptx_module *m = parse_kernel("", body);
        const struct suffixes *s = &instruction(m, 0)->suffixes;
        assert_int_equal(instruction(m, 0)->op, OP_ATOM);
        assert_int_equal(s->mod[GROUP_SEM], SEM_RELAXED);
        assert_int_equal(s->mod[GROUP_SCOPE], SCOPE_GPU);
        assert_int_equal(s->mod[GROUP_SPACE], SPACE_GLOBAL);
        assert_int_equal(s->mod[GROUP_ATOM], ATOM_ADD);
        assert_int_equal(s->type[0], TYPE_U32);
        s = &instruction(m, 1)->suffixes;
        assert_true(s->type[0] == TYPE_F32 && s->type[1] == TYPE_S32 && s->mod[GROUP_RND] == RND_RN);
        ptx_destroy(m);
    }
}

static void test_lines(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEADER ".file 1 \"a.cu\", 123, 456\n.file 2 \"b.h\"\n.entry k() { exit; .loc 1 28 3\nexit;\n"
                     ".loc 2 16 29, function_name $L__info_string0, inlined_at 1 28 3\n.loc 2 5 1, "
                     "function_name L+4, inlined_at 2 16 29\n"
                     "exit; exit; .loc 1 28 3\nexit; }\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90 "
                     "// }\n.b8 \"}\"\n}\n"
                     "@@DWARF .section .debug_pubnames, \"\", @progbits\n@@DWARF .byte 0x2b, '{'\n.section "
                     ".debug_loc { { } }\n");
    const struct ptx_function *k = kernel(m);
    assert_int_equal(m->file_count, 2);
    assert_string_equal(m->files[1].path, "b.h");
    assert_int_equal(k->instructions[0].location, -1);
    const struct ptx_location *l = &m->locations[k->instructions[2].location];
    assert_true(l->file == 2 && l->line == 5 && l->column == 1);
    l = &m->locations[l->inlined_at];
    assert_true(l->file == 2 && l->line == 16 && l->column == 29);
    assert_int_equal(l->inlined_at, k->instructions[1].location);
    assert_int_equal(m->locations[l->inlined_at].inlined_at, -1);
    assert_int_equal(k->instructions[3].location, k->instructions[2].location);
    assert_int_equal(k->instructions[4].location, k->instructions[1].location);
    assert_int_equal(k->instructions[0].line, 6);
    ptx_destroy(m);
}

/* The name of an inlined function stands in .debug_str, behind the functions. A label that is missing there, or has an
 * offset, gives no name. */
static void test_inlined_names(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEADER ".file 1 \"a.cu\"\n.entry k() { .loc 1 5 1\nexit;\n"
                     ".loc 1 2 1, function_name $L__info_string1, inlined_at 1 5 1\nexit;\n"
                     ".loc 1 3 1, function_name L, inlined_at 1 5 1\nexit;\n"
                     ".loc 1 4 1, function_name $L__info_string0+4, inlined_at 1 5 1\nexit; }\n"
                     ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,0\n$L__info_string1:\n.b8 102,\n111\n"
                     ".b8 111,0\n}\n");
    const struct ptx_function *k = kernel(m);
    assert_null(m->locations[k->instructions[0].location].function);
    assert_string_equal(m->locations[k->instructions[1].location].function, "foo");
    assert_null(m->locations[k->instructions[2].location].function);
    assert_null(m->locations[k->instructions[3].location].function);
    ptx_destroy(m);
}

static void test_pragmas(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse(HEADER ".pragma \"module\";\n.entry k() .pragma \"whole\"; { exit; .pragma \"a b\", \"c\"; exit; }");
    const struct ptx_function *k = kernel(m);
    assert_int_equal(k->pragma_count, 3);
    assert_int_equal(k->pragmas[0].before, -1);
    assert_string_equal(k->pragmas[1].text, "a b");
    assert_int_equal(k->pragmas[1].before, 1);
    assert_string_equal(k->pragmas[2].text, "c");
    assert_int_equal(m->items[0].kind, ITEM_PRAGMA);
    assert_string_equal(m->items[0].text, "module");
    ptx_destroy(m);
}

static void test_error_positions(void **state)
{
    (void)state;
    static const char text[] = HEADER ".entry k() {\n  add.u32 %x, 1, 2;\n\tbra L;\n}\n";
    struct diag diag = {0};
    assert_null(ptx_parse("some.ptx", text, strlen(text), &diag));
    assert_int_equal(diag.count, 2);
    assert_int_equal(diag.entry[0].line, 5);
    assert_int_equal(diag.entry[0].column, 11);
    char *all = diag_text(&diag);
    assert_non_null(strstr(all, "some.ptx:5:11: error: register '%x' is not declared\n"
                                "      add.u32 %x, 1, 2;\n              ^\n"));
    assert_non_null(strstr(all, "some.ptx:6:6: error: there is no label 'L' here"));
    free(all);
    diag_free(&diag);
    assert_null(ptx_parse_file("tests/there/is/no/such.ptx", &diag));
    assert_int_equal(diag.count, 1);
    diag_free(&diag);
}

static void test_large_arrays_take_no_memory(void **state)
{
    (void)state;
    struct text text = {0};
    text_printf(&text, HEADER);
    for (int i = 0; i < 1000; i++)
        text_printf(&text, ".global .align 4 .b8 big%d[1073741824];\n.global .u64 zero%d[134217728] = {0};\n", i, i);
    struct ptx_module *m = parse(text.data);
    assert_true(m->variables[0]->size_bytes == 1073741824 && !m->variables[0]->init && !m->variables[1]->init);
    ptx_destroy(m);
    text_free(&text);
}

/* Any text: an error or a module, and never harm. */
static void survive(const char *text, size_t length)
{
    struct diag diag = {0};
    struct ptx_module *m = ptx_parse("hostile", text, length, &diag);
    assert_int_equal(m == NULL, diag.count > 0);
    ptx_destroy(m);
    diag_free(&diag);
}

static void test_hostile_texts(void **state)
{
    (void)state;
    static const char *const openings[] = {"",
                                           ".",
                                           ".version",
                                           ".version 7.0",
                                           ".version 7.0\n.target",
                                           HEADER ".entry",
                                           HEADER ".entry k(",
                                           HEADER ".entry k() {",
                                           HEADER ".entry k() { add",
                                           HEADER ".entry k() { L:",
                                           HEADER ".global .u32 x[",
                                           HEADER ".global .u32 x = {",
                                           HEADER "/*",
                                           HEADER "\"",
                                           HEADER ".section .x {",
                                           HEADER "@",
                                           HEADER ".entry k() { @",
                                           HEADER ".entry k() { call ("};
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        survive(openings[i], strlen(openings[i]));
    static const char nul[] = HEADER ".entry k() { exit;\0 }\0";
    survive(nul, sizeof nul - 1);
    static const char repeated[] = "({[<\"@.%!-~+|\\\n$_0x9f,;:)}]>";
    for (size_t i = 0; i < sizeof repeated - 1; i++) {
        struct text text = {0};
        text_printf(&text, HEADER ".entry k() { .reg .b32 %%r<3>; add.u32 %%r1, %%r2, ");
        for (int k = 0; k < 20000; k++)
            text_append(&text, &repeated[i], 1);
        survive(text.data, text.length);
        text.data[0] = repeated[i];
        survive(text.data, text.length);
        text_free(&text);
    }
}

static const char sample[] =
    HEADER ".global .u32 a[2][3] = {{1, 2}, {3}};\n.global .u8 b[4] = {0xFF(a), 7};\n.func (.param .b32 r) f(.param "
           ".b32 x) { ret; }\n"
           ".visible .entry k(.param .u64 .ptr .global .align 8 p) .maxntid 64, 1, 1 {\n" REGISTERS
           ".reg .v4 .f32 %v; .loc 1 2 3\n"
           "ld.param.u64 %rd1, [p]; setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3; @!%p1 bra DONE;\nld.global.v4.f32 %v, "
           "[%rd1+-16];\n"
           "{ .reg .b32 %r1; .param .b32 q; call.uni (q), f, (q); mov.b64 {%r1, _}, %rd1; }\nts: .branchtargets A, "
           "DONE;\n"
           "brx.idx %r1, ts; A: tcgen05.x {%r1}, [%rd1]; tex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [%rd1, {%f1, %f2}];\n"
           "add.f32 %f1, %v.x, 0f3F800000; bar.red.popc.u32 %r1, 0, 64, %p1;\nDONE: ret; }\n";

/* A good text with a few bytes changed, cut out, or copied elsewhere. */
static void test_mutated_texts(void **state)
{
    (void)state;
    struct random random = {.state = 1};
    char text[2 * sizeof sample];
    for (int round = 0; round < 20000; round++) {
        size_t length = sizeof sample - 1;
        memcpy(text, sample, length);
        for (int n = (int)(random_u64(&random) % 4); n >= 0; n--) {
            size_t at = random_u64(&random) % length, from = random_u64(&random) % length,
                   some = random_u64(&random) % 20;
            if (at + some > length || from + some > length)
                continue;
            if (random_u64(&random) % 2) {
                memmove(text + at, text + from, some);
            } else if (random_u64(&random) % 2) {
                memmove(text + at, text + at + some, length - at - some);
                length -= some;
            } else {
                text[at] = (char)random_u64(&random);
            }
        }
        survive(text, length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_vector_components),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_branch_targets),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_type_rules),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_initialisers),
        cmocka_unit_test(test_addresses_in_initialisers),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_rows_by_count),
        cmocka_unit_test(test_wide_registers),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_suffix_order),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_inlined_names),
        cmocka_unit_test(test_pragmas),
        cmocka_unit_test(test_error_positions),
        cmocka_unit_test(test_large_arrays_take_no_memory),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_mutated_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
