/* Packed arrays: what pack.h promises, read back by a reader that follows its text and not its code. */
#include "base/json.h"
#include "base/pack.h"

#include <lz4.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct unpacked {
    char kind[8];
    int count, length;
    unsigned char bytes[4096];
};

static int digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

static struct unpacked unpack(struct text *packed)
{
    struct unpacked u = {0};
    char *error = NULL, compressed[8192];
    cJSON *json = json_read(packed->data, &error);
    assert_non_null(json);
    const char *text = cJSON_GetObjectItem(json, "lz4")->valuestring;
    int size = 0, bits = 0, have = 0;
    for (; *text && *text != '='; text++) {
        assert_true(digit(*text) >= 0);
        bits = bits << 6 | digit(*text);
        if ((have += 6) >= 8)
            compressed[size++] = (char)(bits >> (have -= 8));
    }
    strcpy(u.kind, cJSON_GetObjectItem(json, "kind")->valuestring);
    u.count = cJSON_GetObjectItem(json, "n")->valueint;
    u.length = cJSON_GetObjectItem(json, "bytes")->valueint;
    if (u.length)
        assert_int_equal(LZ4_decompress_safe(compressed, (char *)u.bytes, size, sizeof u.bytes), u.length);
    cJSON_Delete(json);
    text_free(packed);
    return u;
}

static void whole_numbers(void **state)
{
    (void)state;
    const double numbers[] = {5, 5, 4, NAN, 300, -7, 9007199254740992.0, 0};
    struct text out = {0};
    pack_numbers(numbers, 8, &out);
    struct unpacked u = unpack(&out);
    assert_string_equal(u.kind, "whole");
    assert_int_equal(u.count, 8);
    const unsigned char *at = u.bytes;
    double last = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t code = 0;
        int shift = 0;
        do
            code |= (uint64_t)(*at & 127) << shift, shift += 7;
        while (*at++ > 127);
        if (!code) {
            assert_true(isnan(numbers[i]));
            continue;
        }
        code--;
        last += code % 2 ? -(double)((code + 1) / 2) : (double)(code / 2);
        assert_true(last == numbers[i]);
    }
    assert_int_equal(at - u.bytes, u.length);
}

static void real_numbers(void **state)
{
    (void)state;
    const double numbers[] = {0.5, 1e300, -3.25};
    struct text out = {0};
    pack_numbers(numbers, 3, &out);
    struct unpacked u = unpack(&out);
    assert_string_equal(u.kind, "real");
    assert_int_equal(u.length, 24);
    for (int i = 0; i < 3; i++) {
        uint64_t bits = 0;
        double number;
        for (int byte = 0; byte < 8; byte++)
            bits |= (uint64_t)u.bytes[3 * byte + i] << 8 * byte;
        memcpy(&number, &bits, sizeof number);
        assert_true(number == numbers[i]);
    }
}

static void texts(void **state)
{
    (void)state;
    char long_text[3000];
    struct text out = {0};
    for (size_t i = 0; i < sizeof long_text; i++)
        long_text[i] = (char)('a' + i % 7);
    for (size_t length = 0; length <= sizeof long_text; length = 3 * length + 1) {
        pack_text(long_text, length, &out);
        struct unpacked u = unpack(&out);
        assert_int_equal(u.length, length);
        assert_memory_equal(u.bytes, long_text, length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(real_numbers),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
