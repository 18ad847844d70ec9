/* References: memory spaces, layouts, atomics, and algorithms that are mostly memory. */
#include "reference_kernels.h"

#include <stdlib.h>

static void globals(const struct test_case *c, void *const *buffer)
{
    static const int weights[8] = {3, -1, 4, 1, -5, 9, 2, -6}, table[4] = {10, 40, 11, 20};
    static const char *const names[3] = {"warp", "weft", "heddle"};
    for (int i = 0; i < block_threads(c); i++) {
        int root = 0, sum = weights[i % 8] + table[i % 4];
        while ((root + 1) * (root + 1) <= i % 16)
            root++;
        for (int k = 0; names[i % 3][k]; k++)
            sum += names[i % 3][k] * (k + 1);
        sum += root + (i % 2 ? 50 + 300 : 1 + 200 + 300);
        ((int32_t *)buffer[0])[i ^ 1] = sum + 8 + 7;
        ((double *)buffer[1])[i] = 0.0625 * sum + (i % 2 ? -2.25 : 1.5);
    }
}

/* The same numbers as in struct_param.case. */
static void struct_fields(const struct test_case *c, void *const *buffer)
{
    static const int bias[3] = {100, -200, 300}, low[2] = {10, 0}, high[2] = {200, 90};
    static const float weight[2] = {1.25f, -2.5f};
    for (int i = 0; i < arg_s32(c, 3); i++) {
        int x = ((int32_t *)buffer[0])[i] * -3 + bias[i % 3] + 5, side = x & 1;
        int clamped = x < low[side] ? low[side] : x > high[side] ? high[side] : x;
        double byte = (double)(UINT64_C(0x0123456789abcdef) >> (i % 32) & 0xff);
        ((double *)buffer[1])[i] = 0.5 + (double)((float)clamped * weight[side]) + byte;
    }
}

static void struct_index(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        int k = ((uint8_t *)buffer[1])[i] % 16;
        ((int32_t *)buffer[2])[i] = (37 * k * k - 500) * 2 + 37 * (15 - k) * (15 - k) - 500;
    }
}

static void scalar_mix(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < block_threads(c); i++)
        ((double *)buffer[7])[i] =
            200.0 + -1234 * 0.375 + 3 * -1.5 + (double)(uint32_t)(UINT64_C(81985529216486895) >> i) - 65535;
}

static void vector_float(const struct test_case *c, void *const *buffer)
{
    int n = arg_s32(c, 3);
    const float(*in)[4] = buffer[0], (*scale)[2] = buffer[1];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            ((float *)buffer[2])[4 * i + k] =
                in[i][k] * scale[i % 4][k % 2] + (63 - i < n ? in[63 - i][3 - k] : 0);
}

static void vector_int(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < block_threads(c); i++) {
        const int32_t *p = (int32_t *)buffer[0] + 4 * i, *q = (int32_t *)buffer[1] + 2 * i;
        const uint8_t *r = (uint8_t *)buffer[2] + 4 * i;
        const int16_t *s = (int16_t *)buffer[3] + 2 * i;
        int32_t out[4] = {p[0] + q[0], p[1] - q[1], p[2] * r[0] + s[0], p[3] ^ (r[1] * 256 + r[2]) ^ s[1]};
        uint8_t bytes[4] = {(uint8_t)(r[0] + 1), (uint8_t)(r[1] ^ p[0]), r[3], (uint8_t)(r[2] * 3)};
        memcpy((int32_t *)buffer[4] + 4 * i, out, sizeof out);
        memcpy((uint8_t *)buffer[5] + 4 * i, bytes, sizeof bytes);
    }
}

static void vector_wide(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < block_threads(c); i++) {
        const int64_t *y = (int64_t *)buffer[1] + 2 * i;
        /* Each turn's second element; its first is the turn before's second. */
        double step = (double)(y[0] >> 40),
               v[6] = {((double *)buffer[0])[2 * i], ((double *)buffer[0])[2 * i + 1]};
        for (int k = 2; k < 6; k++)
            v[k] = v[k - 2] + step;
        int pick = (int)(y[1] & 3);
        ((double *)buffer[2])[2 * i] = v[pick + 1] - v[4];
        ((double *)buffer[2])[2 * i + 1] = v[pick + 2];
        uint16_t *small = (uint16_t *)buffer[3] + 4 * i;
        small[0] = (uint16_t)y[0];
        small[1] = (uint16_t)(y[0] >> 16);
        small[2] = (uint16_t)y[1];
        small[3] = (uint16_t)(y[1] >> 48);
    }
}

static void qualified_loads(const struct test_case *c, void *const *buffer)
{
    int n = arg_s32(c, 6);
    const int32_t *a = buffer[0];
    const float *b = buffer[1], (*v)[4] = buffer[2];
    int32_t *e = buffer[4];
    for (int i = 0; i < n; i++) {
        int x = a[i] + a[(i + 1) % n];
        ((int32_t *)buffer[3])[i] = x + 1;
        e[i] += e[n + i] + x + 1;
        ((float *)buffer[5])[i] = b[i] * v[i][0] + v[i][1] * v[i][2] - v[i][3] + (float)x;
    }
}

static void volatile_shared(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < block_threads(c); i++)
        ((uint32_t *)buffer[1])[63 - i] = (((uint32_t *)buffer[0])[i ^ 1] + 1) * 3;
}

static int compare_ints(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void insertion_sort(const struct test_case *c, void *const *buffer)
{
    int n = arg_s32(c, 2);
    memcpy(buffer[1], buffer[0], (size_t)n * 4);
    for (int from = 0; from < n; from += 12)
        qsort((int32_t *)buffer[1] + from, n - from < 12 ? (size_t)(n - from) : 12, 4, compare_ints);
}

static void sort_rows(const struct test_case *c, void *const *buffer)
{
    size_t length = arg_u32(c, 1);
    for (size_t t = 0; t < (size_t)block_threads(c); t++)
        qsort((int32_t *)buffer[0] + t * length, length, 4, compare_ints);
}

static void byte_stack(const struct test_case *c, void *const *buffer)
{
    int length = arg_s32(c, 2);
    for (int i = 0; i < block_threads(c); i++) {
        uint8_t stack[32];
        uint32_t sum = 0, depth = 0;
        for (int k = 0; k < length; k++) {
            uint8_t x = ((uint8_t *)buffer[0])[i * length + k];
            if (x % 2 && depth < 32) {
                stack[depth++] = x;
            } else if (depth) {
                sum = sum * 31 + stack[--depth];
                if (x & 2 && depth)
                    stack[depth / 2] ^= x;
            }
        }
        ((uint16_t *)buffer[1])[i] = (uint16_t)(sum ^ depth);
    }
}

static void mixed_local(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < block_threads(c); i++) {
        unsigned seen = 0, at = (unsigned)i % 8;
        double sum = 0;
        for (; !(seen >> at & 1); at = ((uint32_t *)buffer[0])[8 * i + (int)at] % 8) {
            seen |= 1u << at;
            sum += at * 0.5 + 1;
        }
        ((double *)buffer[1])[i] = sum * 8 + at;
    }
}

static void histogram_shared(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++)
        ((uint32_t *)buffer[1])[((uint8_t *)buffer[0])[i] / 4]++;
}

static void histogram_weighted(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        uint32_t x = ((uint32_t *)buffer[0])[i], *largest = (uint32_t *)buffer[2] + x % 10;
        ((uint64_t *)buffer[1])[x % 10] += x;
        *largest = x > *largest ? x : *largest;
    }
}

struct pair {
    uint32_t key, value;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->value > y->value) - (x->value < y->value);
}

static void bitonic(const struct test_case *c, void *const *buffer)
{
    for (int block = 0; block < grid_blocks(c); block++) {
        struct pair pairs[256];
        uint32_t *keys = (uint32_t *)buffer[0] + 256 * block;
        uint16_t *values = (uint16_t *)buffer[1] + 256 * block;
        for (int k = 0; k < 256; k++)
            pairs[k] = (struct pair){keys[k], values[k]};
        qsort(pairs, 256, sizeof *pairs, compare_pairs);
        for (int k = 0; k < 256; k++) {
            keys[k] = pairs[k].key;
            values[k] = (uint16_t)pairs[k].value;
        }
    }
}

static void stencil_3d(const struct test_case *c, void *const *buffer)
{
    int nx = arg_s32(c, 2), ny = arg_s32(c, 3), nz = arg_s32(c, 4);
    const int32_t *in = buffer[0];
    for (int at = 0; at < nx * ny * nz; at++) {
        int x = at % nx, y = at / nx % ny, z = at / nx / ny;
        int32_t *sum = (int32_t *)buffer[1] + at;
        *sum = in[x ? at - 1 : at] + in[x + 1 < nx ? at + 1 : at] - 6 * in[at];
        *sum += in[y ? at - nx : at] + in[y + 1 < ny ? at + nx : at];
        *sum += in[z ? at - nx * ny : at] + in[z + 1 < nz ? at + nx * ny : at];
    }
}

static void transpose(const struct test_case *c, void *const *buffer)
{
    int width = arg_s32(c, 2), height = arg_s32(c, 3);
    for (int i = 0; i < width * height; i++)
        ((uint32_t *)buffer[1])[i % width * height + i / width] = ((uint32_t *)buffer[0])[i];
}

static void bfs_step(const struct test_case *c, void *const *buffer)
{
    const int32_t *rows = buffer[0], *edges = buffer[1], *level = buffer[2];
    int depth = arg_s32(c, 5);
    for (int v = 0; v < arg_s32(c, 6); v++) {
        int next = level[v];
        for (int e = rows[v]; level[v] < 0 && e < rows[v + 1]; e++)
            next = level[edges[e]] == depth ? depth + 1 : next;
        ((int32_t *)buffer[3])[v] = next;
        *(uint32_t *)buffer[4] += level[v] < 0 && next >= 0;
    }
}

static void string_search(const struct test_case *c, void *const *buffer)
{
    int length = arg_s32(c, 1), word_length = arg_s32(c, 3);
    const uint8_t *text = buffer[0], *word = buffer[2];
    int32_t *first = buffer[5];
    for (int i = length - 1; i >= 0; i--) {
        int k = 0;
        while (k < word_length && i + k < length && text[i + k] == word[k])
            k++;
        ((uint8_t *)buffer[6])[i] = (uint8_t)(k == word_length ? 'X' : '0' + k);
        if (k == word_length) {
            ++*(uint32_t *)buffer[4];
            *first = i;
        }
    }
}

static void hash_table(const struct test_case *c, void *const *buffer)
{
    const uint32_t *keys = buffer[0];
    for (int i = 0; i < arg_s32(c, 3); i++) {
        uint32_t count = 0, earlier = 0;
        for (int k = 0; k < arg_s32(c, 3); k++) {
            count += keys[k] == keys[i];
            earlier += k < i && keys[k] == keys[i];
        }
        ((uint32_t *)buffer[1])[i] = count;
        *(uint32_t *)buffer[2] += earlier == 0;
    }
}

static void cas_loop(const struct test_case *c, void *const *buffer)
{
    uint64_t *largest = buffer[1];
    for (int i = 0; i < arg_s32(c, 2); i++) {
        uint64_t x = ((uint64_t *)buffer[0])[i];
        *largest = x > *largest ? x : *largest;
    }
}

static void atomics_global(const struct test_case *c, void *const *buffer)
{
    int32_t *s = buffer[1];
    uint32_t *u = buffer[2];
    uint64_t *w = buffer[3];
    int64_t *least = buffer[4];
    for (int i = 0; i < arg_s32(c, 5); i++) {
        uint32_t x = ((uint32_t *)buffer[0])[i];
        int32_t y = (int32_t)x;
        s[0] = (int32_t)((uint32_t)s[0] + (uint32_t)(y >> 4));
        s[1] = y < s[1] ? y : s[1];
        s[2] = y > s[2] ? y : s[2];
        u[0] += x;
        u[1] -= x / 8;
        u[2] = x < u[2] ? x : u[2];
        u[3] = x > u[3] ? x : u[3];
        u[4] &= x | 0xfffff;
        u[5] |= 1u << x % 32;
        u[6] ^= x;
        u[7] = u[7] >= 36 ? 0 : u[7] + 1;
        u[8] = u[8] == 0 || u[8] > 17 ? 17 : u[8] - 1;
        w[0] += (uint64_t)x << 20;
        w[1] = (uint64_t)x * x > w[1] ? (uint64_t)x * x : w[1];
        w[2] &= (uint64_t)x << 13 | UINT64_C(0xff0000000000ffff);
        w[3] ^= (uint64_t)x << 32 | x;
        *least = (int64_t)y * 12345 < *least ? (int64_t)y * 12345 : *least;
    }
}

static void atomics_shared(const struct test_case *c, void *const *buffer)
{
    uint32_t cell[6] = {0, 0xffffffff};
    uint64_t sum = 0;
    for (int i = 0; i < arg_s32(c, 3); i++) {
        uint32_t x = ((uint32_t *)buffer[0])[i];
        cell[0] += x % 256;
        cell[1] = x < cell[1] ? x : cell[1];
        cell[2] = x > cell[2] ? x : cell[2];
        cell[3] |= x & 0x10101;
        cell[4] ^= x;
        cell[5] = (cell[5] + 1) % 11;
        sum += x;
    }
    memcpy(buffer[1], cell, sizeof cell);
    *(uint64_t *)buffer[2] = sum + cell[0];
}

static void generic_pointer(const struct test_case *c, void *const *buffer)
{
    int32_t *scratch = buffer[0];
    for (int t = 0; t < block_threads(c); t++) {
        int kind = t % 5, sum = 0;
        for (int k = 0; k < 4; k++) {
            int filled = t * k - 5, fixed = t % 16 + k, power = t % 8 + k;
            int x = kind == 3   ? (fixed < 9 ? 9 - fixed : 0)
                    : kind == 4 ? (power < 7 ? 1 << power : 0)
                                : filled;
            sum = sum * 3 + x;
            if (kind == 2)
                scratch[4 * t + k] = filled;
        }
        ((int32_t *)buffer[1])[t] = sum + (kind > 2 ? t * (t % 4) - 5 : 0);
    }
}

static void generic_atomic(const struct test_case *c, void *const *buffer)
{
    for (int t = 0; t < block_threads(c); t++) {
        int32_t x = ((int32_t *)buffer[0])[t];
        ((int32_t *)buffer[1])[x % 3 == 0 ? 4 + t % 2 : t % 4] += x;
    }
}

static void life(const struct test_case *c, void *const *buffer)
{
    uint8_t world[512], next[512];
    for (int i = 0; i < 512; i++)
        world[i] = ((uint8_t *)buffer[0])[i] % 2;
    for (int g = 0; g < arg_s32(c, 2); g++) {
        for (int i = 0; i < 512; i++) {
            int around = -world[i];
            for (int k = 0; k < 9; k++)
                around += world[(i / 32 + k / 3 + 15) % 16 * 32 + (i + k % 3 + 31) % 32];
            next[i] = around == 3 || (around == 2 && world[i]);
        }
        memcpy(world, next, sizeof world);
    }
    for (int i = 0; i < 512; i++)
        ((uint8_t *)buffer[1])[i] = world[i] ? '#' : '.';
}

static void grid3d(const struct test_case *c, void *const *buffer)
{
    const unsigned *b = c->block, *g = c->grid;
    unsigned size = (unsigned)block_threads(c);
    for (unsigned i = 0; i < (unsigned)grid_threads(c); i++) {
        unsigned t = i % size, block = i / size;
        unsigned index[6] = {t % b[0],     t / b[0] % b[1],     t / b[0] / b[1],
                             block % g[0], block / g[0] % g[1], block / g[0] / g[1]};
        uint32_t word = g[0] << 24 | g[2] << 28;
        for (int k = 0; k < 6; k++)
            word |= index[k] << 4 * k;
        ((uint32_t *)buffer[0])[i] = word;
        ((uint64_t *)buffer[1])[i] = (uint64_t)(g[1] * 100 + b[0]) << 32 | t % 32 << 16 | b[1] << 8 | b[2];
    }
}

static void floyd(const struct test_case *c, void *const *buffer)
{
    int n = arg_s32(c, 1);
    uint16_t *d = buffer[0];
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n * n; i++) {
            unsigned through = (unsigned)d[i / n * n + k] + d[k * n + i % n];
            if (through < d[i])
                d[i] = (uint16_t)through;
        }
    }
}

static void common_subsequence(const struct test_case *c, void *const *buffer)
{
    const uint8_t *a = buffer[0], *b = buffer[1];
    int n = arg_s32(c, 3), row[65] = {0};
    for (int i = 0; i < n; i++) {
        int corner = 0;
        for (int j = 1; j <= n; j++) {
            int above = row[j];
            row[j] = a[i] == b[j - 1] ? corner + 1 : above > row[j - 1] ? above : row[j - 1];
            corner = above;
        }
    }
    *(int32_t *)buffer[2] = row[n];
}

static void binary_search(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 4); i++) {
        int k = 0;
        while (k < arg_s32(c, 1) && ((uint32_t *)buffer[0])[k] * 3 < ((uint32_t *)buffer[2])[i])
            k++;
        ((int32_t *)buffer[3])[i] = k;
    }
}

static void decision_tree(const struct test_case *c, void *const *buffer)
{
    const float *threshold = buffer[0], *samples = buffer[2];
    const uint8_t *feature = buffer[1];
    int features = arg_s32(c, 5);
    for (int i = 0; i < arg_s32(c, 6); i++) {
        int at = 0;
        for (int level = 0; level < arg_s32(c, 4); level++) {
            at = 2 * at + (samples[i * features + feature[at] % features] < threshold[at] ? 1 : 2);
            if (feature[at] > 240)
                break;
        }
        ((uint8_t *)buffer[3])[i] = (uint8_t)at;
    }
}

const struct reference reference_memory[] = {
    {"globals", globals},
    {"struct_fields", struct_fields},
    {"struct_index", struct_index},
    {"scalar_mix", scalar_mix},
    {"vector_float", vector_float},
    {"vector_int", vector_int},
    {"vector_wide", vector_wide},
    {"qualified_loads", qualified_loads},
    {"volatile_shared", volatile_shared},
    {"insertion_sort", insertion_sort},
    {"sort_rows", sort_rows},
    {"byte_stack", byte_stack},
    {"mixed_local", mixed_local},
    {"histogram_shared", histogram_shared},
    {"histogram_weighted", histogram_weighted},
    {"bitonic", bitonic},
    {"stencil_3d", stencil_3d},
    {"transpose", transpose},
    {"bfs_step", bfs_step},
    {"string_search", string_search},
    {"hash_table", hash_table},
    {"cas_loop", cas_loop},
    {"atomics_global", atomics_global},
    {"atomics_shared", atomics_shared},
    {"generic_pointer", generic_pointer},
    {"generic_atomic", generic_atomic},
    {"life", life},
    {"grid3d", grid3d},
    {"floyd", floyd},
    {"common_subsequence", common_subsequence},
    {"binary_search", binary_search},
    {"decision_tree", decision_tree},
    {NULL, NULL},
};
