/* Fat binaries, ELF files, and what a file is. The writer in tests/binary makes the inputs. */
#include "binary/elf.h"
#include "binary/fatbin.h"
#include "binary/kind.h"
#include "ptx/load.h"
#include "tests/binary/fatbin_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PTX(arch, body) ".version 8.0\n.target sm_" #arch "\n.address_size 64\n" body
#define KERNEL(name)    ".visible .entry " name "()\n{\n ret;\n}\n"

static struct text written(const struct fatbin_part *parts, int count)
{
    struct text out = {0};
    write_fatbin(&out, parts, count);
    return out;
}

static struct fatbin opened(const struct text *bytes)
{
    struct fatbin fatbin;
    char *error = NULL;
    size_t taken;
    if (!fatbin_read(bytes->data, bytes->length, &fatbin, &taken, &error))
        fail_msg("%s", error);
    assert_int_equal(taken, bytes->length);
    return fatbin;
}

static void entries_are_read(void **state)
{
    (void)state;
    struct fatbin_part parts[] = {{2, 80, 0, WRITE_PLAIN, "\177ELF", 4},
                                  {1, 80, 0, WRITE_PLAIN, PTX(80, "// plain"), 0},
                                  {1, 90, 'a', WRITE_LZ4, PTX(90a, "// lz4 lz4 lz4 lz4 lz4 lz4 lz4 lz4"), 0},
                                  {1, 120, 'f', WRITE_ZSTD, PTX(120f, "// zstd"), 0},
                                  {8, 75, 0, WRITE_PLAIN, "ir", 0}};
    struct text bytes = written(parts, 5);
    struct fatbin fatbin = opened(&bytes);
    assert_int_equal(fatbin.count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(fatbin.entries[i].kind, parts[i].kind);
        assert_int_equal(fatbin.entries[i].arch, parts[i].arch);
        assert_int_equal(fatbin.entries[i].suffix, parts[i].suffix);
        assert_int_equal(fatbin.entries[i].packing, parts[i].packing);
        size_t length;
        char *error = NULL, *text = parts[i].kind == 1 ? fatbin_unpack(&fatbin.entries[i], &length, &error) : NULL;
        if (parts[i].kind == 1) {
            assert_non_null(text);
            assert_string_equal(text, parts[i].data);
            assert_int_equal(length, strlen(parts[i].data));
        }
        free(text);
    }
    struct text what = {0};
    fatbin_describe(&fatbin, &what);
    assert_string_equal(
        what.data, "machine code for sm_80, LTO-IR for compute_75, PTX for compute_80, compute_90a and compute_120f");
    text_free(&what);
    fatbin_free(&fatbin);
    text_free(&bytes);
}

/* The architecture and suffix that is chosen among the given ones. */
static void expect_best(unsigned capability, const char *suffixes, const unsigned *archs, unsigned best, char suffix)
{
    struct fatbin_part parts[8];
    int count = (int)strlen(suffixes);
    for (int i = 0; i < count; i++)
        parts[i] = (struct fatbin_part){1, archs[i], suffixes[i] == '-' ? 0 : suffixes[i], WRITE_PLAIN, "x", 0};
    struct text bytes = written(parts, count);
    struct fatbin fatbin = opened(&bytes);
    const struct fatbin_entry *e = fatbin_best_ptx(&fatbin, capability);
    assert_non_null(e);
    assert_int_equal(e->arch, best);
    assert_int_equal(e->suffix, suffix);
    fatbin_free(&fatbin);
    text_free(&bytes);
}

static void the_best_ptx_is_that_of_the_device(void **state)
{
    (void)state;
    expect_best(90, "---", (unsigned[]){75, 90, 80}, 90, 0);
    expect_best(90, "---", (unsigned[]){75, 100, 80}, 80, 0);
    expect_best(90, "--", (unsigned[]){120, 100}, 100, 0);
    expect_best(90, "a-", (unsigned[]){90, 80}, 90, 'a');
    expect_best(90, "a-", (unsigned[]){90, 90}, 90, 0);
    expect_best(90, "-a", (unsigned[]){90, 90}, 90, 0);
    expect_best(90, "a-", (unsigned[]){100, 75}, 75, 0);
    expect_best(90, "a-", (unsigned[]){80, 75}, 75, 0); /* 80a is for no other chip */
    expect_best(103, "f-", (unsigned[]){100, 90}, 100, 'f');
    expect_best(90, "fa-", (unsigned[]){100, 100, 120}, 100, 'f');
}

static void damage_is_an_error(void **state)
{
    (void)state;
    char body[4096];
    memset(body, ' ', sizeof body);
    struct fatbin_part part = {1, 80, 0, WRITE_ZSTD, body, sizeof body};
    struct text bytes = written(&part, 1);
    struct fatbin fatbin;
    char *error = NULL;
    size_t taken, length;
    /* Every shorter length is too short. */
    for (size_t n = 0; n < bytes.length; n++) {
        assert_false(fatbin_read(bytes.data, n, &fatbin, &taken, &error));
        free(error);
    }
    /* A size that cannot be is refused before memory is taken for it; a wrong one is noticed. */
    static const uint64_t sizes[] = {0, 1, sizeof body - 1, sizeof body + 1, UINT32_MAX, UINT64_MAX, UINT64_C(1) << 62};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memcpy(bytes.data + 16 + 56, &sizes[i], 8);
        fatbin = opened(&bytes);
        assert_null(fatbin_unpack(&fatbin.entries[0], &length, &error));
        free(error);
        fatbin_free(&fatbin);
    }
    text_free(&bytes);
}

static void elf_files_are_read(void **state)
{
    (void)state;
    struct elf_part parts[] = {{".text", "code", 4}, {".nv_fatbin", "fatfat", 6}};
    const char *needed[] = {"libcudart.so.13", "libc.so.6", NULL};
    struct text bytes = {0};
    struct elf elf;
    struct elf_section section;
    char *error = NULL;
    write_elf(&bytes, ELF_TYPE_EXECUTABLE, ELF_MACHINE_X86_64, parts, 2, needed, "/opt/cuda/lib64");
    assert_true(elf_open(&elf, bytes.data, bytes.length, &error));
    assert_int_equal(elf.machine, ELF_MACHINE_X86_64);
    assert_true(elf_find_section(&elf, ".nv_fatbin", &section));
    assert_int_equal(section.bytes, 6);
    assert_memory_equal(section.data, "fatfat", 6);
    assert_false(elf_find_section(&elf, ".nv_fat", &section));
    assert_string_equal(elf_dynamic_text(&elf, ELF_TAG_NEEDED, 0), "libcudart.so.13");
    assert_string_equal(elf_dynamic_text(&elf, ELF_TAG_NEEDED, 1), "libc.so.6");
    assert_null(elf_dynamic_text(&elf, ELF_TAG_NEEDED, 2));
    assert_string_equal(elf_dynamic_text(&elf, ELF_TAG_RUNPATH, 0), "/opt/cuda/lib64");
    assert_null(elf_dynamic_text(&elf, ELF_TAG_RPATH, 0));
    assert_false(elf_has_interpreter(&elf));
    text_free(&bytes);
}

static void expect_kind(const char *path, const void *data, size_t length, enum binary_kind kind, const char *what)
{
    struct binary_file file = binary_file_kind(path, data, length);
    assert_int_equal(file.kind, kind);
    assert_string_equal(file.what, what);
}

static void files_are_known_by_content(void **state)
{
    (void)state;
    struct text cubin = {0}, program = {0}, plain = {0};
    struct elf_part part = {".nv_fatbin", "", 1};
    write_elf(&cubin, ELF_TYPE_EXECUTABLE, ELF_MACHINE_CUDA, NULL, 0, NULL, NULL);
    write_elf(&program, ELF_TYPE_EXECUTABLE, ELF_MACHINE_X86_64, &part, 1, NULL, NULL);
    write_elf(&plain, ELF_TYPE_OBJECT, ELF_MACHINE_X86_64, NULL, 0, NULL, NULL);
    expect_kind("x", cubin.data, cubin.length, BINARY_OTHER, "GPU machine code (a cubin)");
    expect_kind("x", program.data, program.length, BINARY_WITH_FATBIN, "an executable");
    expect_kind("x", plain.data, plain.length, BINARY_OTHER, "an object file");
    expect_kind("x", "\x50\xed\x55\xba", 4, BINARY_FATBIN, "a fat binary");
    expect_kind("x.cu", "int main() {}", 13, BINARY_OTHER, "CUDA source");
    expect_kind("x.cu", "// a\n/* b */ .version 7.0", 25, BINARY_PTX, "PTX");
    expect_kind("x.a", "!<arch>\n", 8, BINARY_OTHER, "an archive of object files");
    expect_kind("x.a", "!<thin>\n", 8, BINARY_OTHER, "a thin archive");
    expect_kind("x.bc", "BC\xc0\xde", 4, BINARY_OTHER, "LLVM bitcode");
    expect_kind("x.ptx", "hello", 5, BINARY_PTX, "text");
    expect_kind("x.ptx", "", 0, BINARY_PTX, "text");
    expect_kind("x.ptx", "/* never ends", 13, BINARY_PTX, "text");
    expect_kind("x.ptx", "\1\2\3", 3, BINARY_OTHER, "a binary file of a kind that heddle does not know");
    text_free(&cubin);
    text_free(&program);
    text_free(&plain);
}

static struct ptx_module *load(const char *data, size_t length)
{
    struct ptx_failure failure = {0};
    struct ptx_module *m = ptx_load_bytes("file", data, length, 90, &failure);
    if (!m)
        fail_msg("%s", failure.text.data);
    return m;
}

/* Fat binaries of a program that was compiled as a whole are modules of their own; those of relocatable code are linked.
 * Both kinds may be in one executable. */
static void executables_are_loaded(void **state)
{
    (void)state;
    struct fatbin_part whole[] = {{1, 80, 0, WRITE_LZ4, PTX(80, KERNEL("old")), 0},
                                  {1, 90, 0, WRITE_ZSTD, PTX(90, ".global .u32 x = 1;\n" KERNEL("first")), 0}};
    struct fatbin_part second = {1, 90, 0, WRITE_PLAIN, PTX(90, ".global .u32 x = 2;\n" KERNEL("first")), 0};
    struct fatbin_part user = {1, 90, 0, WRITE_ZSTD, PTX(90, ".extern .global .u32 y;\n" KERNEL("linked")), 0};
    struct fatbin_part owner = {1, 90, 0, WRITE_ZSTD, PTX(90, ".visible .global .u32 y = 3;\n"), 0};
    struct fatbin_part code = {2, 90, 0, WRITE_PLAIN, "\177ELF", 4};
    struct text fat = {0}, relocatable = {0}, program = {0};
    write_fatbin(&fat, whole, 2);
    write_fatbin(&fat, &second, 1);
    write_fatbin(&fat, &code, 1);
    write_fatbin(&relocatable, &user, 1);
    write_fatbin(&relocatable, &owner, 1);
    struct elf_part parts[] = {{".nv_fatbin", fat.data, fat.length},
                               {"__nv_relfatbin", relocatable.data, relocatable.length}};
    write_elf(&program, ELF_TYPE_EXECUTABLE, ELF_MACHINE_X86_64, parts, 2, NULL, NULL);
    struct ptx_module *m = load(program.data, program.length);
    assert_int_equal(m->function_count, 3);
    assert_non_null(ptx_find_function(m, "first"));
    assert_non_null(ptx_find_function(m, "first$2"));
    assert_non_null(ptx_find_function(m, "linked"));
    assert_int_equal(ptx_find_variable(m, "x")->init[0], 1);
    assert_int_equal(ptx_find_variable(m, "x$2")->init[0], 2);
    assert_int_equal(ptx_find_variable(m, "y")->init[0], 3);
    ptx_destroy(m);
    text_free(&program);
    text_free(&fat);
    text_free(&relocatable);
}

static void add_member(struct text *archive, const struct text *object)
{
    text_printf(archive, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "name.o/", 0, 0, 0, 0644, object->length);
    text_append(archive, object->data, object->length);
    if (object->length % 2)
        text_append(archive, "\n", 1);
}

/* Objects of an archive are parts of one program if they are relocatable. */
static void archives_are_loaded(void **state)
{
    (void)state;
    struct fatbin_part user = {
        1, 90, 0, WRITE_ZSTD, PTX(90, ".extern .global .u32 y;\n.visible .global .u64 at = y;\n"), 0};
    struct fatbin_part owner = {1, 90, 0, WRITE_ZSTD, PTX(90, ".visible .global .u32 y = 3;\n"), 0};
    struct text archive = {0}, index = {0};
    text_printf(&archive, "!<arch>\n");
    text_printf(&index, "odd");
    add_member(&archive, &index);
    for (int i = 0; i < 2; i++) {
        struct text fat = written(i ? &owner : &user, 1), object = {0};
        struct elf_part part = {"__nv_relfatbin", fat.data, fat.length};
        write_elf(&object, ELF_TYPE_OBJECT, ELF_MACHINE_X86_64, &part, 1, NULL, NULL);
        add_member(&archive, &object);
        text_free(&fat);
        text_free(&object);
    }
    struct ptx_module *m = load(archive.data, archive.length);
    assert_int_equal(m->variable_count, 2);
    assert_ptr_equal(ptx_find_variable(m, "at")->reloc[0].variable, ptx_find_variable(m, "y"));
    ptx_destroy(m);
    text_free(&archive);
    text_free(&index);
}

static void expect_refused(const char *data, size_t length, enum ptx_failure_kind kind, const char *part)
{
    struct ptx_failure failure = {0};
    assert_null(ptx_load_bytes("file", data, length, 90, &failure));
    assert_int_equal(failure.kind, kind);
    if (!strstr(failure.text.data, part))
        fail_msg("'%s' does not say '%s'", failure.text.data, part);
    text_free(&failure.text);
}

static void machine_code_alone_is_refused(void **state)
{
    (void)state;
    struct fatbin_part parts[] = {{2, 80, 0, WRITE_PLAIN, "\177ELF", 4}, {2, 90, 'a', WRITE_PLAIN, "\177ELF", 4}};
    struct text bytes = written(parts, 2), cubin = {0};
    expect_refused(bytes.data, bytes.length, FAILURE_CODE,
                   "machine code for sm_80 and sm_90a; heddle executes PTX; compile with 'nvcc -gencode");
    write_elf(&cubin, ELF_TYPE_EXECUTABLE, ELF_MACHINE_CUDA, NULL, 0, NULL, NULL);
    expect_refused(cubin.data, cubin.length, FAILURE_CODE, "cubin");
    expect_refused("\x50\xed\x55\xba\1", 5, FAILURE_DATA, "fat binary");
    bytes.data[4] = 7;
    expect_refused(bytes.data, bytes.length, FAILURE_DATA, "version 7");
    text_free(&bytes);
    text_free(&cubin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_read),           cmocka_unit_test(the_best_ptx_is_that_of_the_device),
        cmocka_unit_test(damage_is_an_error),         cmocka_unit_test(elf_files_are_read),
        cmocka_unit_test(files_are_known_by_content), cmocka_unit_test(executables_are_loaded),
        cmocka_unit_test(archives_are_loaded),        cmocka_unit_test(machine_code_alone_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
