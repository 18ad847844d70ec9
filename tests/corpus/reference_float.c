/* References: floating point, and kernels whose point is its exact order. */
#include "reference_kernels.h"

#include <math.h>

enum rounding { NEAREST, DOWN, UP, TO_ZERO };

/* An exact value to float; what exact sums and products of floats of like size need. */
static float round_float(double x, enum rounding mode)
{
    float f = (float)x;
    if (mode == TO_ZERO)
        mode = x < 0 ? UP : DOWN;
    if (mode == DOWN && (double)f > x)
        return nextafterf(f, -INFINITY);
    if (mode == UP && (double)f < x)
        return nextafterf(f, INFINITY);
    return f;
}

static double round_integer(double x, enum rounding mode)
{
    return mode == NEAREST ? rint(x) : mode == DOWN ? floor(x) : mode == UP ? ceil(x) : trunc(x);
}

static int64_t to_integer(double x, enum rounding mode, int64_t least, uint64_t most)
{
    double r = round_integer(x, mode);
    return r <= (double)least  ? least
           : r >= (double)most ? (int64_t)most
           : r < 0             ? (int64_t)r
                               : (int64_t)(uint64_t)r;
}

static void float_to_int(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 4); i++) {
        double x = ((float *)buffer[0])[i], y = ((double *)buffer[1])[i];
        int32_t *o = (int32_t *)buffer[2] + 8 * i;
        o[0] = (int32_t)to_integer(x, NEAREST, INT32_MIN, INT32_MAX);
        o[1] = (int32_t)to_integer(x, TO_ZERO, INT32_MIN, INT32_MAX);
        o[2] = (int32_t)to_integer(x, UP, INT32_MIN, INT32_MAX);
        o[3] = (int32_t)to_integer(x, DOWN, INT32_MIN, INT32_MAX);
        o[4] = (int32_t)(uint32_t)to_integer(x, NEAREST, 0, UINT32_MAX);
        o[5] = (int32_t)(uint32_t)to_integer(x, TO_ZERO, 0, UINT32_MAX);
        o[6] = (int32_t)to_integer(y, NEAREST, INT32_MIN, INT32_MAX);
        o[7] = (int32_t)to_integer(y, UP, INT32_MIN, INT32_MAX);
        int64_t *wide = (int64_t *)buffer[3] + 2 * i;
        wide[0] = to_integer(x, NEAREST, INT64_MIN, INT64_MAX);
        wide[1] = to_integer(y, DOWN, INT64_MIN, INT64_MAX);
    }
}

static void int_to_float(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        int64_t w = ((int64_t *)buffer[0])[i];
        int32_t x = (int32_t)w;
        uint32_t u = (uint32_t)w;
        double d = (double)w;
        float *o = (float *)buffer[1] + 10 * i;
        o[0] = (float)x;
        o[1] = round_float(x, TO_ZERO);
        o[2] = round_float(x, UP);
        o[3] = round_float(u, DOWN);
        o[4] = (float)u;
        o[5] = (float)w;
        o[6] = (float)(uint64_t)w;
        o[7] = (float)d;
        o[8] = round_float(d, DOWN);
        o[9] = round_float(d, TO_ZERO) + (float)(int8_t)w;
        o[9] += (float)(uint16_t)w;
        double *wide = (double *)buffer[2] + 4 * i;
        wide[0] = (double)x + (double)u;
        wide[1] = d;
        wide[2] = (double)(uint64_t)w;
        wide[3] = (double)(float)x;
    }
}

static void reinterpret(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 4); i++) {
        uint32_t a = ((uint32_t *)buffer[0])[i] & 0xbfffffff, raw = ((uint32_t *)buffer[1])[i];
        uint32_t b = raw & 0xbfffffff, *o = (uint32_t *)buffer[2] + 4 * i;
        o[0] = bits_float(a) < bits_float(b) ? a : b;
        o[1] = a ^ UINT32_C(1) << 31 ^ raw;
        o[2] = a;
        o[3] = (uint32_t)(((uint64_t)(a & 0x7fffffff) << 32 | raw) >> 31);
        ((double *)buffer[3])[i] = 1 + (double)raw * 0x1p-32;
    }
}

static float half_widened(uint32_t h)
{
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
    float x = exponent ? ldexpf((float)(1024 + fraction), (int)exponent - 25) : ldexpf((float)fraction, -24);
    return h & 0x8000 ? -x : x;
}

static uint16_t half_narrowed(float f, enum rounding mode)
{
    uint16_t sign = signbit(f) ? 0x8000 : 0;
    double a = fabs((double)f);
    int exponent;
    if (a == 0)
        return sign;
    frexp(a, &exponent);
    exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    double units = round_integer(ldexp(a, 10 - exponent), mode);
    if (ldexp(units, exponent - 10) >= 65536)
        return sign | (mode == NEAREST ? 0x7c00 : 0x7bff);
    return sign | (uint16_t)(((exponent + 14) << 10) + (int)units);
}

static void half_convert(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 5); i++) {
        float x = ((float *)buffer[1])[i];
        ((float *)buffer[2])[i] = half_widened(((uint16_t *)buffer[0])[i] & 0xfbff);
        ((uint16_t *)buffer[3])[i] = half_narrowed(x, NEAREST);
        ((uint16_t *)buffer[4])[i] = half_narrowed(x * 0.125f, TO_ZERO);
    }
}

static void half_dot(const struct test_case *c, void *const *buffer)
{
    int length = arg_s32(c, 3);
    const uint16_t *a = buffer[0], *b = buffer[1];
    for (int row = 0; row < block_threads(c); row++) {
        float sum = 0;
        for (int k = 0; k < length; k++)
            sum = fmaf(half_widened(a[row * length + k] & 0x3fff), half_widened(b[k] & 0x3fff), sum);
        ((uint16_t *)buffer[2])[row] = half_narrowed(sum, NEAREST);
    }
}

static void float_basic(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        float x = ((float *)buffer[0])[i], y = ((float *)buffer[1])[i], *o = (float *)buffer[2] + 24 * i;
        double sum = (double)x + (double)y, product = (double)x * (double)y;
        o[0] = x + y;
        o[1] = x - y;
        o[2] = x * y;
        o[3] = x / y;
        o[4] = sqrtf(fabsf(x));
        o[5] = fmaf(x, y, -x);
        o[6] = x < y ? x : y;
        o[7] = x > y ? x : y;
        o[8] = floorf(x);
        o[9] = ceilf(x);
        o[10] = truncf(y);
        o[11] = rintf(y);
        o[12] = copysignf(x, y);
        o[13] = round_float(sum, TO_ZERO);
        o[14] = round_float(sum, UP);
        o[15] = round_float(sum, DOWN);
        o[16] = round_float(product, TO_ZERO);
        o[17] = round_float(product, UP);
        o[18] = round_float(product, DOWN);
        o[19] = 1 / y;
        o[20] = -x + 0.1f * y;
        o[21] = x < y ? x : x == y ? 0 : -y;
        o[22] = (x >= 0) != (y > 1) ? x * 0.5f : y + 1;
        o[23] = ((x * 0.25f + 1.5f) * y - 2) * x + 3;
    }
}

static uint32_t canonical(float x)
{
    return isnan(x) ? 0x7fffffff : float_bits(x);
}

/* PTX's min and max: a NaN loses to a number, and -0 is below +0. */
static uint32_t lesser(float x, float y)
{
    if (isnan(x) || isnan(y))
        return canonical(isnan(x) ? y : x);
    return x < y || (x == y && signbit(x)) ? float_bits(x) : float_bits(y);
}

static uint32_t greater(float x, float y)
{
    if (isnan(x) || isnan(y))
        return canonical(isnan(x) ? y : x);
    return x > y || (x == y && !signbit(x)) ? float_bits(x) : float_bits(y);
}

static void float_extremes(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        uint32_t a = ((uint32_t *)buffer[0])[i], b = ((uint32_t *)buffer[1])[i];
        uint32_t *o = (uint32_t *)buffer[2] + 6 * i;
        float x = bits_float(a), y = bits_float(b);
        bool unordered = isnan(x) || isnan(y), less = !unordered && x < y, equal = !unordered && x == y;
        bool more = !unordered && !less && !equal;
        o[0] = canonical(x * y);
        o[1] = canonical(x + y);
        o[2] = lesser(x, y);
        o[3] = greater(x, y);
        o[4] = less + 2u * (less || equal) + 4u * more + 8u * (more || equal) + 16u * equal + 32u * !equal +
               64u * !less + 128u * !(more || equal) + 256u * (bool)isnan(x);
        o[5] = unordered ? 0 : (a & 0x7fffffff) ^ b ^ UINT32_C(1) << 31;
    }
}

static void double_basic(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 3); i++) {
        double x = ((double *)buffer[0])[i], y = ((double *)buffer[1])[i], *o = (double *)buffer[2] + 14 * i;
        o[0] = x + y;
        o[1] = x - y;
        o[2] = x * y;
        o[3] = x / y;
        o[4] = sqrt(fabs(x));
        o[5] = fma(x, y, -x);
        o[6] = x < y ? x : y;
        o[7] = x > y ? x : y;
        o[8] = floor(x);
        o[9] = ceil(x);
        o[10] = trunc(y);
        o[11] = x < y ? x : -y;
        o[12] = ((x * 0.25 + 1.5) * y - 2) * x + 3;
        o[13] = 1 / (1 + x * x);
    }
}

/* What would be denormal before rounding is flushed: the largest value below 2^-126 does not round up to it.
 */
static uint32_t flushed(double exact)
{
    return fabs(exact) < 0x1p-126 ? float_bits(copysignf(0, (float)exact)) : float_bits((float)exact);
}

static void fast_flush(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++) {
        float x = bits_float(flushed(bits_float(((uint32_t *)buffer[0])[i])));
        uint32_t *o = (uint32_t *)buffer[1] + 4 * i;
        o[0] = flushed((double)x + x);
        o[1] = flushed((double)x * 0.5);
        o[2] = float_bits(x < 1 ? x : 1);
        o[3] = x > 0;
    }
}

static void matmul_tiled(const struct test_case *c, void *const *buffer)
{
    int m = arg_s32(c, 3), n = arg_s32(c, 4), k = arg_s32(c, 5);
    const float *a = buffer[0], *b = buffer[1];
    for (int row = 0; row < m; row++) {
        for (int col = 0; col < n; col++) {
            float sum = 0;
            for (int j = 0; j < k; j++)
                sum = fmaf(a[row * k + j], b[j * n + col], sum);
            ((float *)buffer[2])[row * n + col] = sum;
        }
    }
}

/* The product of 32 by 64 and 64 by 32 elements of 8 bits, the second matrix by columns: element i of the result. */
static int tensor_element(void *const *buffer, int i)
{
    const int8_t *a = (const int8_t *)buffer[0] + i / 32 * 64, *b = (const int8_t *)buffer[1] + i % 32 * 64;
    int sum = 0;
    for (int k = 0; k < 64; k++)
        sum += a[k] * b[k];
    return sum;
}

static void tensor_wmma_half(const struct test_case *c, void *const *buffer)
{
    (void)c;
    for (int i = 0; i < 1024; i++)
        ((float *)buffer[2])[i] += (float)(tensor_element(buffer, i) + 1);
}

static void tensor_wmma_int8(const struct test_case *c, void *const *buffer)
{
    (void)c;
    for (int i = 0; i < 1024; i++)
        ((int32_t *)buffer[2])[i] = tensor_element(buffer, i);
}

static void tensor_mma(const struct test_case *c, void *const *buffer)
{
    (void)c;
    for (int i = 0; i < 1024; i++)
        ((float *)buffer[2])[i] = (float)tensor_element(buffer, i);
}

static void matmul_double(const struct test_case *c, void *const *buffer)
{
    int n = arg_s32(c, 3);
    const double *a = buffer[0], *b = buffer[1];
    for (int row = 0; row < n; row++) {
        for (int col = 0; col < n; col++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += a[row * n + j] * b[j * n + col];
            ((double *)buffer[2])[row * n + col] = sum;
        }
    }
}

static void nbody(const struct test_case *c, void *const *buffer)
{
    int n = arg_s32(c, 2), tile = block_threads(c);
    float step = arg_f32(c, 3);
    const float(*body)[4] = buffer[0];
    float(*moved)[4] = buffer[1];
    for (int i = 0; i < n; i++) {
        float a[3] = {0};
        /* The last tile is filled up with bodies at the origin that weigh nothing. */
        for (int j = 0; j < (n + tile - 1) / tile * tile; j++) {
            float d[3], mass = j < n ? body[j][3] : 0;
            for (int k = 0; k < 3; k++)
                d[k] = (j < n ? body[j][k] : 0) - body[i][k];
            float square = fmaf(d[0], d[0], fmaf(d[1], d[1], fmaf(d[2], d[2], 0.01f)));
            float force = mass / (square * sqrtf(square));
            for (int k = 0; k < 3; k++)
                a[k] = fmaf(d[k], force, a[k]);
        }
        for (int k = 0; k < 3; k++)
            moved[i][k] = fmaf(a[k], step, body[i][k]);
        moved[i][3] = body[i][3];
    }
}

static void spmv_scalar(const struct test_case *c, void *const *buffer)
{
    const int32_t *rows = buffer[0], *columns = buffer[1];
    const float *values = buffer[2], *x = buffer[3];
    for (int row = 0; row < arg_s32(c, 5); row++) {
        float sum = 0;
        for (int k = rows[row]; k < rows[row + 1]; k++)
            sum = fmaf(values[k], x[columns[k]], sum);
        ((float *)buffer[4])[row] = sum;
    }
}

static void spmv_warp(const struct test_case *c, void *const *buffer)
{
    const int32_t *rows = buffer[0], *columns = buffer[1];
    const double *values = buffer[2], *x = buffer[3];
    for (int row = 0; row < arg_s32(c, 5); row++) {
        double sum[32] = {0};
        for (int k = rows[row], lane = 0; k < rows[row + 1]; k++, lane = (lane + 1) % 32)
            sum[lane] = fma(values[k], x[columns[k]], sum[lane]);
        /* A butterfly's lane 0 is a tree over halves. */
        for (int half = 16; half > 0; half /= 2)
            for (int lane = 0; lane < half; lane++)
                sum[lane] += sum[lane + half];
        ((double *)buffer[4])[row] = sum[0];
    }
}

static void mandelbrot(const struct test_case *c, void *const *buffer)
{
    int width = arg_s32(c, 1), height = arg_s32(c, 2), limit = arg_s32(c, 6);
    for (int i = 0; i < width * height; i++) {
        float cx = fmaf((float)(i % width), arg_f32(c, 5), arg_f32(c, 3));
        float cy = fmaf((float)(i / width), arg_f32(c, 5), arg_f32(c, 4));
        float x = 0, y = 0;
        int k = 0;
        for (; k < limit && fmaf(x, x, y * y) <= 4; k++) {
            float t = fmaf(x, x, -(y * y)) + cx;
            y = fmaf(2 * x, y, cy);
            x = t;
        }
        ((uint16_t *)buffer[0])[i] = (uint16_t)k;
    }
}

static float dot3(const float a[3], const float b[3])
{
    return fmaf(a[0], b[0], fmaf(a[1], b[1], a[2] * b[2]));
}

/* The distance to the sphere, or a negative number. */
static float sphere_distance(const float from[3], const float way[3], const float sphere[4])
{
    float to[3] = {sphere[0] - from[0], sphere[1] - from[1], sphere[2] - from[2]};
    float b = dot3(to, way), rest = fmaf(b, b, -(dot3(to, to) - sphere[3] * sphere[3]));
    if (rest < 0)
        return -1;
    float near = b - sqrtf(rest), far = b + sqrtf(rest);
    return near >= 0.001f ? near : far > 0.001f ? far : -1;
}

static void raycast(const struct test_case *c, void *const *buffer)
{
    int count = arg_s32(c, 1), width = arg_s32(c, 4), height = arg_s32(c, 5);
    const float(*spheres)[4] = buffer[0];
    for (int i = 0; i < width * height; i++) {
        float from[3] = {0, 0, -4}, travelled = 0;
        float way[3] = {((float)(i % width) + 0.5f) / (float)width - 0.5f,
                        ((float)(i / width) + 0.5f) / (float)height - 0.5f, 1};
        float length = sqrtf(dot3(way, way));
        for (int k = 0; k < 3; k++)
            way[k] /= length;
        int turn = 0;
        for (; turn < 4; turn++) {
            int which = -1;
            float nearest = 1e9f, normal[3];
            for (int k = 0; k < count; k++) {
                float t = sphere_distance(from, way, spheres[k]);
                if (t > 0 && t < nearest) {
                    nearest = t;
                    which = k;
                }
            }
            if (which < 0)
                break;
            travelled += nearest;
            for (int k = 0; k < 3; k++) {
                from[k] = fmaf(way[k], nearest, from[k]);
                normal[k] = (from[k] - spheres[which][k]) / spheres[which][3];
            }
            float turned = -2 * dot3(way, normal);
            for (int k = 0; k < 3; k++)
                way[k] = fmaf(normal[k], turned, way[k]);
        }
        ((float *)buffer[2])[i] = travelled;
        ((uint8_t *)buffer[3])[i] = (uint8_t)turn;
    }
}

static void template_complex(const struct test_case *c, void *const *buffer)
{
    for (int i = 0; i < arg_s32(c, 2); i++) {
        float x = ((float *)buffer[0])[2 * i], y = ((float *)buffer[0])[2 * i + 1];
        float re = 1, im = 0, sum_re = 0, sum_im = 0;
        for (int k = 1; k <= 4; k++) {
            float t = re * x - im * y;
            im = re * y + im * x;
            re = t;
            sum_re += (float)k * re - 0 * im;
            sum_im += (float)k * im + 0 * re;
        }
        ((float *)buffer[1])[i] = sum_re * sum_re + sum_im * sum_im;
    }
}

static void stencil_2d(const struct test_case *c, void *const *buffer)
{
    int width = arg_s32(c, 2), height = arg_s32(c, 3);
    const float *in = buffer[0];
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int at = y * width + x;
            float above = y ? in[at - width] : 0, below = y < height - 1 ? in[at + width] : 0;
            float left = x ? in[at - 1] : 0, right = x < width - 1 ? in[at + 1] : 0;
            ((float *)buffer[1])[at] = fmaf(above + below + (left + right), 0.125f, 0.5f * in[at]);
        }
    }
}

const struct reference reference_float[] = {
    {"float_to_int", float_to_int},
    {"int_to_float", int_to_float},
    {"reinterpret", reinterpret},
    {"half_convert", half_convert},
    {"half_dot", half_dot},
    {"float_basic", float_basic},
    {"float_extremes", float_extremes},
    {"double_basic", double_basic},
    {"fast_flush", fast_flush},
    {"matmul_tiled", matmul_tiled},
    {"matmul_double", matmul_double},
    {"tensor_wmma_half", tensor_wmma_half},
    {"tensor_wmma_int8", tensor_wmma_int8},
    {"tensor_mma", tensor_mma},
    {"nbody", nbody},
    {"spmv_scalar", spmv_scalar},
    {"spmv_warp", spmv_warp},
    {"mandelbrot", mandelbrot},
    {"raycast", raycast},
    {"template_complex", template_complex},
    {"stencil_2d", stencil_2d},
    {NULL, NULL},
};
