/* Packed arrays: see pack.h. */
#include "base/pack.h"

#include "base/arena.h"
#include "base/diag.h"

#include <lz4hc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void print_base64(const unsigned char *bytes, size_t length, struct text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t bits = (uint32_t)bytes[i] << 16;
        if (left > 1)
            bits |= (uint32_t)bytes[i + 1] << 8;
        if (left > 2)
            bits |= bytes[i + 2];
        char group[4] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
                         left > 2 ? digits[bits & 63] : '='};
        text_append(out, group, sizeof group);
    }
}

static void print_packed(size_t count, const char *kind, const char *bytes, size_t length, struct text *out)
{
    if (length > LZ4_MAX_INPUT_SIZE)
        panic("%zu bytes are too many for one packed value", length);
    int most = LZ4_compressBound((int)length);
    char *compressed = xcalloc(1, (size_t)most + 1);
    int size = length ? LZ4_compress_HC(bytes, compressed, (int)length, most, LZ4HC_CLEVEL_DEFAULT) : 0;
    text_printf(out, "{\"n\":%zu,\"kind\":\"%s\",\"bytes\":%zu,\"lz4\":\"", count, kind, length);
    print_base64((unsigned char *)compressed, (size_t)size, out);
    text_printf(out, "\"}");
    free(compressed);
}

static bool is_whole(double number)
{
    return isnan(number) || (fabs(number) <= 9007199254740992.0 && floor(number) == number);
}

static void put_whole(uint64_t number, struct text *out)
{
    char bytes[10];
    size_t count = 0;
    for (; number > 127; number >>= 7)
        bytes[count++] = (char)(number | 128);
    bytes[count++] = (char)number;
    text_append(out, bytes, count);
}

static void put_wholes(const double *numbers, size_t count, struct text *out)
{
    int64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(numbers[i])) {
            put_whole(0, out);
            continue;
        }
        int64_t number = (int64_t)numbers[i], difference = number - last;
        put_whole((((uint64_t)difference << 1) ^ (uint64_t)(difference >> 63)) + 1, out);
        last = number;
    }
}

static void put_reals(const double *numbers, size_t count, struct text *out)
{
    for (int byte = 0; byte < 8; byte++)
        for (size_t i = 0; i < count; i++) {
            uint64_t bits;
            memcpy(&bits, &numbers[i], sizeof bits);
            char one = (char)(bits >> 8 * byte);
            text_append(out, &one, 1);
        }
}

void pack_numbers(const double *numbers, size_t count, struct text *out)
{
    struct text bytes = {0};
    bool all_whole = true;
    for (size_t i = 0; i < count; i++)
        all_whole &= is_whole(numbers[i]);
    if (all_whole)
        put_wholes(numbers, count, &bytes);
    else
        put_reals(numbers, count, &bytes);
    print_packed(count, all_whole ? "whole" : "real", bytes.data, bytes.length, out);
    text_free(&bytes);
}

void pack_text(const char *bytes, size_t length, struct text *out)
{
    print_packed(length, "text", bytes, length, out);
}
