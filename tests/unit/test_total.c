/* Records of launches (run/total.h): what is appended is read back, and a damaged file is an error, never a crash. Also
 * the names of kernels as people write them (base/demangle.h). */
#include "base/demangle.h"
#include "base/temporary.h"
#include "base/text.h"
#include "run/notes.h"
#include "run/total.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void note(void *context, const struct total_record *r, const char *kernel, const struct note *n)
{
    text_printf(context, "%s %u %u;", kernel, (unsigned)r->launch, (unsigned)r->cycles);
    if (n->tolerated_reads || n->block_conflicts)
        text_printf(context, "%u at %s, %u at %s;", (unsigned)n->tolerated_reads, n->tolerated_at,
                    (unsigned)n->block_conflicts, n->conflict_at);
}

/* What the file of these bytes holds, in words; owned by the caller. *ok: whether it was read without an error. */
static char *read_back(const void *bytes, size_t length, bool *ok)
{
    struct text seen = {0};
    char *error = NULL, *path = temporary_file(bytes, length, &error);
    assert_non_null(path);
    *ok = total_visit(path, note, &seen, &error);
    assert_int_equal(*ok, error == NULL);
    free(error);
    temporary_remove(path);
    return text_take(&seen);
}

static char *all_of(const char *path)
{
    struct text seen = {0};
    char *error = NULL;
    assert_true(total_visit(path, note, &seen, &error));
    return text_take(&seen);
}

static void test_append(void **state)
{
    (void)state;
    char *error = NULL, *path = temporary_file("", 0, &error), *longest = malloc(100001), *seen;
    struct total_record r = {.launch = 1, .cycles = 7};
    static const struct note nothing, something = {3, 4, "here", "there"};
    struct total_file file;
    memset(longest, 'k', 100000);
    longest[100000] = '\0';
    total_open(&file, path);
    assert_true(total_append(&file, &r, "first", &nothing));
    r.launch = 2;
    assert_true(total_append(&file, &r, longest, &nothing));
    assert_true(total_append(&file, &r, "third", &something));
    seen = all_of(path);
    assert_memory_equal(seen, "first 1 7;kkk", 13);
    assert_int_equal(strlen(seen), 10 + 100000 + 5 + 10 + strlen("3 at here, 4 at there;"));
    assert_non_null(strstr(seen, ";third 2 7;3 at here, 4 at there;"));
    free(seen);
    total_close(&file);
    unlink(path);
    total_open(&file, path);
    assert_true(total_append(&file, &r, "late", &nothing)); /* nobody waits for the sum any more */
    assert_int_equal(access(path, F_OK), -1);
    total_close(&file);
    total_open(&file, "/");
    assert_false(total_append(&file, &r, "unwritable", &nothing));
    total_close(&file);
    free(longest);
    free(path);
}

/* A program that closes descriptors it did not open gets no record into a file of its own. */
static void test_closed_by_program(void **state)
{
    (void)state;
    char *error = NULL, *path = temporary_file("", 0, &error), *own = temporary_file("", 0, &error);
    static const struct note nothing;
    struct total_record r = {.launch = 1};
    struct total_file file;
    total_open(&file, path);
    assert_true(total_append(&file, &r, "a", &nothing));
    assert_true(file.descriptor > 2);
    close(file.descriptor);
    assert_true(total_append(&file, &r, "b", &nothing));
    int mine = open(own, O_RDWR);
    assert_int_equal(dup2(mine, file.descriptor), file.descriptor);
    int taken = file.descriptor;
    assert_true(total_append(&file, &r, "c", &nothing));
    assert_int_equal(lseek(mine, 0, SEEK_END), 0);
    close(mine);
    close(taken);
    char *seen = all_of(path);
    assert_string_equal(seen, "a 1 0;b 1 0;c 1 0;");
    free(seen);
    total_close(&file);
    temporary_remove(path);
    temporary_remove(own);
}

static void test_damage(void **state)
{
    (void)state;
    struct {
        struct total_record r;
        char name[8];
    } file[2] = {0};
    bool ok;
    for (int i = 0; i < 2; i++)
        file[i].r = (struct total_record){.bytes = sizeof file[0], .name_bytes = 8, .launch = (uint64_t)i + 1};
    size_t whole = sizeof file[0];
    char *seen = read_back(file, sizeof file, &ok);
    assert_true(ok);
    assert_string_equal(seen, " 1 0; 2 0;");
    free(seen);
    for (size_t length = 1; length < sizeof file; length++) { /* a file that ends too early */
        seen = read_back(file, length, &ok);
        assert_int_equal(ok, length == whole);
        free(seen);
    }
    static const uint32_t wrong[] = {0, 1, sizeof(struct total_record) - 1, UINT32_MAX, UINT32_MAX / 2, 1u << 21};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        file[1].r.bytes = wrong[i];
        seen = read_back(file, sizeof file, &ok);
        assert_false(ok);
        assert_string_equal(seen, " 1 0;");
        free(seen);
    }
    file[1].r.bytes = (uint32_t)whole;
    file[1].r.name_bytes = UINT32_MAX; /* lengths whose sum is right by overflow */
    file[1].r.conflict_bytes = 9;
    free(read_back(file, sizeof file, &ok));
    assert_false(ok);
    file[1].r.name_bytes = 8;
    file[1].r.conflict_bytes = 0;
    free(read_back(file, sizeof file, &ok));
    assert_true(ok);
    file[1].r.fault = 1000;
    free(read_back(file, sizeof file, &ok));
    assert_false(ok);
}

static void test_notes(void **state)
{
    (void)state;
    struct notes *notes = NULL;
    struct text out = {0};
    notes_add(&notes, "quiet", &(struct note){0, 0, NULL, NULL});
    notes_print(notes, &out);
    assert_int_equal(out.length, 0);
    notes_add(&notes, "k", &(struct note){1, 0, "a.cu:3", ""});
    notes_add(&notes, "k", &(struct note){4, 0, "a.cu:9", ""});
    notes_add(&notes, "j", &(struct note){0, 1, "", "a.cu:7"});
    notes_print(notes, &out);
    assert_string_equal(
        out.data, "heddle: 5 reads out of bounds returned 0 in kernel k (first at a.cu:3), as --tolerate reads asks\n"
                  "heddle: in kernel j, 1 store changed a word that another block had written (first at a.cu:7); "
                  "the result depends on the order of blocks. --check races names both sides\n");
    text_free(&out);
    notes_free(&notes);
}

static void expect_cut(const char *declaration, const char *expected)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", declaration);
    assert_string_equal(demangle_cut(copy), expected);
}

static void test_names(void **state)
{
    (void)state;
    expect_cut("gamma(unsigned int*)", "gamma");
    expect_cut("void ns::delta<int, 2>(int*, char (*)(int, long))", "ns::delta<int, 2>");
    expect_cut("(anonymous namespace)::k()", "(anonymous namespace)::k");
    expect_cut("unsigned long ns::(anonymous namespace)::k<a::b<(c)1> >(x<y>)",
               "ns::(anonymous namespace)::k<a::b<(c)1> >");
    expect_cut("plain", "plain");
    expect_cut("", "");
    expect_cut("(", "(");
    expect_cut(")", ")");
    assert_int_equal(demangle_qualifier("scale<a::b>"), 0);
    assert_int_equal(demangle_qualifier("ns::m::scale<a::b>"), 7);
    assert_int_equal(demangle_qualifier("(anonymous namespace)::k"), 23);
    assert_int_equal(demangle_qualifier("ns::"), 4);
    char *shown = demangle_short("not_mangled");
    assert_string_equal(shown, "not_mangled");
    free(shown);
    shown = demangle_short("_Zwrong");
    assert_string_equal(shown, "_Zwrong");
    free(shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_append), cmocka_unit_test(test_closed_by_program),
                                       cmocka_unit_test(test_damage), cmocka_unit_test(test_notes),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
