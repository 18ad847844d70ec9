/* Lane handlers of floating point: the IEEE operations bit for bit, the approximate ones within PTX's error.
 */
#include "lanes_check.h"

/* The exact result of an f32 operation if it fits a double, so that only one rounding is left to do. */
static bool exact_f32(enum op op, double a, double b, double c, double *exact)
{
    volatile double first = op == OP_ADD_F32 || op == OP_SUB_F32 ? a : a * b;
    volatile double second = op == OP_ADD_F32 ? b : op == OP_SUB_F32 ? -b : op == OP_MUL_F32 ? 0 : c;
    if (op == OP_MUL_F32) {
        *exact = first;
        return true;
    }
    volatile double sum = first + second, back = sum - first, rest = sum - back;
    volatile double error = (first - rest) + (second - back);
    *exact = sum;
    return isfinite(sum) && error == 0 && sum != 0;
}

static float operate_f32(enum op op, float a, float b, float c)
{
    volatile float x = a, y = b, z = c;
    switch (op) {
    case OP_ADD_F32:
        return x + y;
    case OP_SUB_F32:
        return x - y;
    case OP_MUL_F32:
        return x * y;
    case OP_FMA_F32:
    case OP_MAD_F32:
        return fmaf(x, y, z);
    case OP_DIV_F32:
        return x / y;
    case OP_RCP_F32:
        return 1.0f / x;
    default:
        return sqrtf(x);
    }
}

static void model_f32(const struct form *f, const uint64_t *s, uint64_t *d)
{
    bool ftz = suffixes_has(&f->suffixes, FLAG_FTZ);
    enum mod rounding = (enum mod)f->suffixes.mod[GROUP_RND];
    float a = flushed(f32_of(s[0]), ftz), b = flushed(f32_of(s[1]), ftz), c = flushed(f32_of(s[2]), ftz);
    fesetround(host_rounding(rounding));
    volatile float r = operate_f32(f->op, a, b, c);
    fesetround(FE_TONEAREST);
    double exact;
    if (f->op <= OP_MAD_F32 && exact_f32(f->op, a, b, c, &exact))
        r = (float)to_format(exact, 24, -126, 0x1.fffffep127, rounding);
    r = flushed(r, ftz);
    if (suffixes_has(&f->suffixes, FLAG_SAT))
        r = isnan(r) || r <= 0 ? 0 : r >= 1 ? 1 : r;
    d[0] = bits_of_f32(r);
}

static void test_f32(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        int sources;
        bool sat;
    } rows[] = {{OP_ADD_F32, 2, true},  {OP_SUB_F32, 2, true},  {OP_MUL_F32, 2, true},
                {OP_FMA_F32, 3, true},  {OP_MAD_F32, 3, true},  {OP_DIV_F32, 2, false},
                {OP_RCP_F32, 1, false}, {OP_SQRT_F32, 1, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (enum mod rounding = RND_RN; rounding <= RND_RP; rounding++)
            for (unsigned flags = 0; flags < (rows[r].sat ? 4 : 2); flags++) {
                struct form f = form_of(rows[r].op, TYPE_F32, rows[r].sources);
                set_mod(&f, rounding);
                set_flag(&f, FLAG_FTZ, flags & 1);
                set_flag(&f, FLAG_SAT, flags & 2);
                check_form(&f, model_f32);
            }
    assert_int_equal(fegetround(), FE_TONEAREST);
}

static void model_f64(const struct form *f, const uint64_t *s, uint64_t *d)
{
    volatile double a = f64_of(s[0]), b = f64_of(s[1]), c = f64_of(s[2]), r = 0;
    fesetround(host_rounding((enum mod)f->suffixes.mod[GROUP_RND]));
    switch (f->op) {
    case OP_ADD_F64:
        r = a + b;
        break;
    case OP_SUB_F64:
        r = a - b;
        break;
    case OP_MUL_F64:
        r = a * b;
        break;
    case OP_FMA_F64:
    case OP_MAD_F64:
        r = fma(a, b, c);
        break;
    case OP_DIV_F64:
        r = a / b;
        break;
    case OP_RCP_F64:
        r = 1 / a;
        break;
    default:
        r = sqrt(a);
    }
    fesetround(FE_TONEAREST);
    d[0] = bits_of_f64(r);
    if (isnan(r)) { /* the first input that is none, quieted */
        d[0] = 0xfff8000000000000u;
        for (int k = f->source_count - 1; k >= 0; k--)
            if (isnan(f64_of(s[k])))
                d[0] = s[k] | 0x0008000000000000u;
    }
}

static void test_f64(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        int sources;
    } rows[] = {{OP_ADD_F64, 2}, {OP_SUB_F64, 2}, {OP_MUL_F64, 2}, {OP_FMA_F64, 3},
                {OP_MAD_F64, 3}, {OP_DIV_F64, 2}, {OP_RCP_F64, 1}, {OP_SQRT_F64, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (enum mod rounding = RND_RN; rounding <= RND_RP; rounding++) {
            struct form f = form_of(rows[r].op, TYPE_F64, rows[r].sources);
            set_mod(&f, rounding);
            check_form(&f, model_f64);
        }
}

static void model_sign(const struct form *f, const uint64_t *s, uint64_t *d)
{
    bool wide = f->suffixes.type[0] == TYPE_F64, ftz = suffixes_has(&f->suffixes, FLAG_FTZ);
    double a = wide ? f64_of(s[0]) : flushed(f32_of(s[0]), ftz),
           b = wide ? f64_of(s[1]) : flushed(f32_of(s[1]), ftz);
    double r = 0;
    bool negative = !signbit(a) != !signbit(b), max = f->op == OP_MAX_F;
    if (suffixes_has(&f->suffixes, FLAG_XORSIGN))
        a = fabs(a), b = fabs(b);
    switch (f->op) {
    case OP_ABS_F:
        r = fabs(a);
        break;
    case OP_NEG_F:
        r = -a;
        break;
    case OP_COPYSIGN:
        d[0] = wide ? (s[0] & 1ull << 63) | (s[1] & ~(1ull << 63)) : (s[0] & 1u << 31) | (s[1] & ~(1u << 31));
        return;
    default:
        if (isnan(a) || isnan(b))
            r = suffixes_has(&f->suffixes, FLAG_NANQ) ? NAN : isnan(a) ? b : a;
        else if (a == b)
            r = (signbit(a) != 0) != max ? a : b;
        else
            r = (a < b) != max ? a : b;
        if (suffixes_has(&f->suffixes, FLAG_XORSIGN))
            r = copysign(r, negative ? -1 : 1);
    }
    d[0] = wide ? bits_of_f64(r) : bits_of_f32((float)r);
    if (wide && isnan(r)) /* abs and neg leave it alone, the others quiet the first */
        d[0] = f->source_count == 1 ? s[0] : s[0] | 0x0008000000000000u;
}

static void model_testp(const struct form *f, const uint64_t *s, uint64_t *d)
{
    int kind = f->suffixes.type[0] == TYPE_F64 ? fpclassify(f64_of(s[0])) : fpclassify(f32_of(s[0]));
    switch (f->suffixes.mod[GROUP_TESTP]) {
    case TESTP_FINITE:
        d[0] = kind != FP_NAN && kind != FP_INFINITE;
        break;
    case TESTP_INFINITE:
        d[0] = kind == FP_INFINITE;
        break;
    case TESTP_NUMBER:
        d[0] = kind != FP_NAN;
        break;
    case TESTP_NOTANUMBER:
        d[0] = kind == FP_NAN;
        break;
    case TESTP_NORMAL:
        d[0] = kind == FP_NORMAL;
        break;
    default:
        d[0] = kind == FP_SUBNORMAL;
    }
}

static void test_signs(void **state)
{
    (void)state;
    static const enum type types[] = {TYPE_F32, TYPE_F64};
    for (int t = 0; t < 2; t++) {
        for (int ftz = 0; ftz < (types[t] == TYPE_F32 ? 2 : 1); ftz++) {
            struct form abs = form_of(OP_ABS_F, types[t], 1), neg = form_of(OP_NEG_F, types[t], 1);
            set_flag(&abs, FLAG_FTZ, ftz);
            set_flag(&neg, FLAG_FTZ, ftz);
            check_form(&abs, model_sign);
            check_form(&neg, model_sign);
            for (int flags = 0; flags < (types[t] == TYPE_F32 ? 8 : 2); flags++) {
                struct form f = form_of(flags & 1 ? OP_MAX_F : OP_MIN_F, types[t], 2);
                set_flag(&f, FLAG_FTZ, ftz);
                set_flag(&f, FLAG_NANQ, flags & 2);
                set_flag(&f, FLAG_XORSIGN, flags & 4);
                set_flag(&f, FLAG_ABS, flags & 4);
                check_form(&f, model_sign);
            }
        }
        struct form copysign = form_of(OP_COPYSIGN, types[t], 2);
        check_form(&copysign, model_sign);
        for (enum mod kind = TESTP_FINITE; kind <= TESTP_SUBNORMAL; kind++) {
            struct form f = form_of(OP_TESTP, types[t], 1);
            f.dest_bits[0] = 1;
            set_mod(&f, kind);
            check_form(&f, model_testp);
        }
    }
}

/* Approximate functions: within the error PTX states, and exactly so in its tables of special cases. */
struct approx_row {
    enum op op;
    double (*reference)(double a, double b);
    double relative, absolute; /* either is enough */
    int sources;
};

static double ref_rcp(double a, double b)
{
    (void)b;
    return 1 / a;
}

static double ref_div(double a, double b)
{
    return a / b;
}

static double ref_sqrt(double a, double b)
{
    (void)b;
    return sqrt(a);
}

static double ref_rsqrt(double a, double b)
{
    (void)b;
    return 1 / sqrt(a);
}

static double ref_sin(double a, double b)
{
    (void)b;
    return sin(a);
}

static double ref_cos(double a, double b)
{
    (void)b;
    return cos(a);
}

static double ref_lg2(double a, double b)
{
    (void)b;
    return log2(a);
}

static double ref_ex2(double a, double b)
{
    (void)b;
    return exp2(a);
}

static double ref_tanh(double a, double b)
{
    (void)b;
    return tanh(a);
}

static const struct approx_row approx_rows[] = {
    {OP_RCP_APPROX, ref_rcp, 0x1p-23, 0x1p-149, 1}, {OP_DIV_APPROX, ref_div, 0x1p-22, 0x1p-149, 2},
    {OP_DIV_FULL, ref_div, 0x1p-22, 0x1p-149, 2},   {OP_SQRT_APPROX, ref_sqrt, 0x1p-23, 0, 1},
    {OP_RSQRT_APPROX, ref_rsqrt, 0x1p-22, 0, 1},    {OP_SIN, ref_sin, 0x1p-24, 0x1p-20, 1},
    {OP_COS, ref_cos, 0x1p-24, 0x1p-20, 1},         {OP_LG2, ref_lg2, 0x1p-22, 0x1p-22, 1},
    {OP_EX2, ref_ex2, 0x1p-22, 0x1p-149, 1},        {OP_TANH, ref_tanh, 0x1p-11, 0x1p-149, 1},
};

static void check_approx(const struct approx_row *row, bool ftz, struct random *seed)
{
    struct form f = form_of(row->op, TYPE_F32, row->sources);
    set_flag(&f, FLAG_FTZ, ftz);
    lane_fn *handler = find(&f);
    assert_non_null(handler);
    struct planes source[2], dest;
    for (int i = 0; i < ROW_LANES; i++)
        for (int k = 0; k < 2; k++)
            write_lane(&source[k], 32, i, pick_value(seed));
    handler(&(struct lanes){{&dest}, {&source[0], &source[1]}});
    for (int i = 0; i < ROW_LANES; i++) {
        float a = flushed(f32_of(read_lane(&source[0], 32, i)), ftz),
              b = flushed(f32_of(read_lane(&source[1], 32, i)), ftz);
        double want = row->reference(a, b);
        if (row->op == OP_DIV_APPROX && fabsf(b) > 0x1p126f && !isinf(b) && !isnan(b))
            want = isinf(a) || isnan(a) ? NAN : copysign(0, want);
        float got = f32_of(read_lane(&dest, 32, i));
        float nearest = flushed((float)want, ftz);
        if (isnan(want))
            assert_int_equal(read_lane(&dest, 32, i), 0x7fffffff);
        else if (isinf(nearest) || nearest == 0)
            assert_int_equal(read_lane(&dest, 32, i), bits_of_f32(nearest));
        else if (!(fabs(got - want) <= row->relative * fabs(want) || fabs(got - want) <= row->absolute))
            fail_msg("%s of %a, %a gives %a, not %a", op_table[row->op].id, a, b, got, want);
    }
}

static void test_approximations(void **state)
{
    (void)state;
    struct random seed = {7};
    for (size_t r = 0; r < sizeof approx_rows / sizeof *approx_rows; r++)
        for (int ftz = 0; ftz < 2; ftz++)
            for (int row = 0; row < 40; row++)
                check_approx(&approx_rows[r], ftz, &seed);
}

/* Only the upper words exist: a changed lower word of the input changes nothing, and the result has none. */
static void test_upper_words(void **state)
{
    (void)state;
    struct random seed = {8};
    for (int op = 0; op < 2; op++)
        for (int row = 0; row < 40; row++) {
            struct form f = form_of(op ? OP_RSQRT_APPROX_F64 : OP_RCP_APPROX_F64, TYPE_F64, 1);
            set_flag(&f, FLAG_FTZ, true);
            struct planes source, dest, again;
            for (int i = 0; i < ROW_LANES; i++)
                source.lanes[i] = pick_value(&seed);
            find (&f)(&(struct lanes){{&dest}, {&source}});
            for (int i = 0; i < ROW_LANES; i++) {
                double a = f64_of(source.lanes[i] & 0xffffffff00000000u), got = f64_of(dest.lanes[i]);
                a = fpclassify(a) == FP_SUBNORMAL ? copysign(0, a) : a;
                double want = op ? 1 / sqrt(a) : 1 / a;
                want = fpclassify(want) == FP_SUBNORMAL ? copysign(0, want) : want;
                assert_int_equal(dest.lanes[i] & UINT32_MAX, 0);
                assert_int_equal(isnan(got), isnan(want));
                assert_true(isnan(want) || got == want || fabs(got - want) <= 0x1p-20 * fabs(want));
                source.lanes[i] ^= 0x12345678;
            }
            find (&f)(&(struct lanes){{&again}, {&source}});
            assert_memory_equal(&dest, &again, sizeof dest);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),         cmocka_unit_test(test_f64),
        cmocka_unit_test(test_signs),       cmocka_unit_test(test_approximations),
        cmocka_unit_test(test_upper_words),
    };
    return cmocka_run_group_tests_name("lanes: floating point", tests, NULL, NULL);
}
