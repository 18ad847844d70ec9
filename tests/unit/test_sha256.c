/* SHA-256 against the examples of FIPS 180-4 and its supplements. */
#include "base/sha256.h"
#include "base/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *text, const char *expected)
{
    char hex[SHA256_HEX];
    struct sha256 s;
    sha256_open(&s);
    sha256_add(&s, text, strlen(text));
    sha256_hex(&s, hex);
    assert_string_equal(hex, expected);
}

static void test_examples(void **state)
{
    (void)state;
    check("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopq"
          "rstu",
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

/* A million letters, in pieces of every length, give the sum of the whole, and so does the file that holds them. */
static void test_pieces_and_files(void **state)
{
    (void)state;
    static const char expected[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    enum { LETTERS = 1000000 };
    char *letters = malloc(LETTERS), hex[SHA256_HEX], *error = NULL;
    memset(letters, 'a', LETTERS);
    struct sha256 s;
    sha256_open(&s);
    for (int at = 0, piece = 1; at < LETTERS; at += piece, piece = piece % 200 + 1)
        sha256_add(&s, letters, (size_t)(LETTERS - at < piece ? LETTERS - at : piece));
    sha256_hex(&s, hex);
    assert_string_equal(hex, expected);

    char *path = temporary_file(letters, LETTERS, &error);
    assert_non_null(path);
    sha256_open(&s);
    assert_true(sha256_add_file(&s, path));
    sha256_hex(&s, hex);
    assert_string_equal(hex, expected);
    temporary_remove(path);
    assert_false(sha256_add_file(&s, "/no/such/file"));
    free(letters);
}

static void sum_of(const char *first, const char *second, char hex[SHA256_HEX])
{
    struct sha256 s;
    sha256_open(&s);
    sha256_add_text(&s, first);
    sha256_add_text(&s, second);
    sha256_hex(&s, hex);
}

static void test_texts_are_told_apart(void **state)
{
    (void)state;
    char one[SHA256_HEX], other[SHA256_HEX];
    sum_of("ab", "c", one);
    sum_of("a", "bc", other);
    assert_string_not_equal(one, other);
    sum_of("a", "", one);
    sum_of("a", NULL, other);
    assert_string_not_equal(one, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_pieces_and_files),
                                       cmocka_unit_test(test_texts_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
