/* Lane handlers of floating point: the IEEE operations bit for bit, the approximate ones within PTX's error.
 */
#include "lanes_check.h"

/* A double cut off from an exact value, its last bit set if anything was lost: it rounds to 24 bits as the
 * exact value would, whatever the rounding. */
static double mark_lost(double cut, bool lost)
{
    return f64_of(bits_of_f64(cut) | lost);
}

static double sum_marked(double a, double b)
{
    volatile double sum = a + b, back = sum - a, rest = sum - back;
    volatile double error = (a - rest) + (b - back), x = a, y = b;
    fesetround(FE_TOWARDZERO);
    volatile double cut = x + y;
    fesetround(FE_TONEAREST);
    return mark_lost(cut, error != 0);
}

static double quotient_marked(double a, double b)
{
    volatile double x = a, y = b;
    fesetround(FE_TOWARDZERO);
    volatile double cut = x / y;
    fesetround(FE_TONEAREST);
    return mark_lost(cut, fma(cut, b, -a) != 0);
}

/* The result of an f32 operation before rounding; 0 or no finite number where there is nothing to round. */
static double exact_f32(enum op op, double a, double b, double c)
{
    switch (op) {
    case OP_ADD_F32:
        return sum_marked(a, b);
    case OP_SUB_F32:
        return sum_marked(a, -b);
    case OP_MUL_F32:
        return a * b;
    case OP_FMA_F32:
    case OP_MAD_F32:
        return sum_marked(a * b, c);
    case OP_DIV_F32:
        return isfinite(a) && isfinite(b) && b != 0 ? quotient_marked(a, b) : NAN;
    case OP_RCP_F32:
        return isfinite(a) && a != 0 ? quotient_marked(1, a) : NAN;
    default:
        return NAN;
    }
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
    double exact = exact_f32(f->op, a, b, c);
    if (isfinite(exact) && exact != 0) { /* .ftz: rounded as if there were smaller exponents */
        double rounded = to_format(exact, 24, ftz ? -1000 : -126, 0x1.fffffep127, rounding);
        r = ftz && fabs(rounded) < 0x1p-126 ? (float)copysign(0, rounded) : (float)rounded;
    }
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
    } rows[] = {{OP_ADD_F32, 2, true}, {OP_SUB_F32, 2, true},  {OP_MUL_F32, 2, true},  {OP_FMA_F32, 3, true},
                {OP_MAD_F32, 3, true}, {OP_DIV_F32, 2, false}, {OP_RCP_F32, 1, false}, {OP_SQRT_F32, 1, false}};
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

/* What an H200 gives around the least normal number under .ftz. */
static void test_flush(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        enum mod rounding;
        uint32_t source[3], want;
    } rows[] = {
        {OP_MUL_F32, RND_RN, {0x00800000, 0x3f7fffff}, 0},
        {OP_MUL_F32, RND_RP, {0x00800000, 0x3f7fffff}, 0},
        {OP_MUL_F32, RND_RN, {0x00ffffff, 0x3f000000}, 0},
        {OP_MUL_F32, RND_RN, {0x00800001, 0x3f7ffffe}, 0x00800000},
        {OP_MUL_F32, RND_RP, {0x00800001, 0x3f7ffffe}, 0x00800000},
        {OP_MUL_F32, RND_RZ, {0x00800001, 0x3f7ffffe}, 0},
        {OP_MUL_F32, RND_RM, {0x80800001, 0x3f7ffffe}, 0x80800000},
        {OP_MUL_F32, RND_RP, {0x80800001, 0x3f7ffffe}, 0x80000000},
        {OP_FMA_F32, RND_RN, {0x1a000000, 0x9a000000, 0x00800000}, 0},
        {OP_FMA_F32, RND_RP, {0x1a000000, 0x9a000000, 0x00800000}, 0},
        {OP_FMA_F32, RND_RN, {0x19800000, 0x9a000000, 0x00800000}, 0x00800000},
        {OP_FMA_F32, RND_RN, {0x0d800000, 0x8d800000, 0x00800000}, 0x00800000},
        {OP_FMA_F32, RND_RZ, {0x0d800000, 0x8d800000, 0x00800000}, 0},
        {OP_FMA_F32, RND_RM, {0x19800000, 0x19800000, 0x80800000}, 0x80800000},
        {OP_DIV_F32, RND_RP, {0x00800000, 0x3f800001}, 0},
        {OP_DIV_F32, RND_RN, {0x00fffffe, 0x3fffffff}, 0},
        {OP_RCP_F32, RND_RP, {0x7e800001}, 0},
        {OP_RCP_F32, RND_RP, {0x7e800000}, 0x00800000},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct form f = form_of(rows[r].op, TYPE_F32, 3);
        struct planes source[3], dest;
        set_mod(&f, rows[r].rounding);
        set_flag(&f, FLAG_FTZ, true);
        for (int i = 0; i < ROW_LANES; i++) /* in a row of others */
            for (int k = 0; k < 3; k++)
                write_lane(&source[k], 32, i, i == 13 ? rows[r].source[k] : 0x3f800000);
        find(&f, false)(&(struct lanes){{&dest}, {&source[0], &source[1], &source[2]}});
        assert_int_equal(read_lane(&dest, 32, 13), rows[r].want);
    }
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
    if (isnan(r)) { /* one of the inputs, quieted: of several b, then c, then a; in a quotient a, then b */
        static const int by_unit[] = {1, 2, 0}, by_routine[] = {0, 1, 2};
        d[0] = 0xfff8000000000000u;
        for (int k = 2; k >= 0; k--) {
            int input = f->op == OP_DIV_F64 ? by_routine[k] : by_unit[k];
            if (input < f->source_count && isnan(f64_of(s[input])))
                d[0] = s[input] | 0x0008000000000000u;
        }
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
    double a = wide ? f64_of(s[0]) : flushed(f32_of(s[0]), ftz), b = wide ? f64_of(s[1]) : flushed(f32_of(s[1]), ftz);
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
    if (wide && isnan(r)) /* the last one, its sign unchanged, quieted */
        d[0] = s[f->source_count - 1] | 0x0008000000000000u;
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
        d[0] = kind == FP_NORMAL || kind == FP_ZERO;
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
    lane_fn *handler = find(&f, false);
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
        bool is_angle = row->op == OP_SIN || row->op == OP_COS;
        if (is_angle && fabsf(a) > 3.14159274f && !isinf(a)) /* PTX promises nothing about such angles */
            continue;
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
        for (int ftz = 0; ftz < (approx_rows[r].op == OP_TANH ? 1 : 2); ftz++) /* tanh has no .ftz */
            for (int row = 0; row < 40; row++)
                check_approx(&approx_rows[r], ftz, &seed);
}

/*
 * Results for inputs all over the range, as a checksum. The checksums were taken when tests/approx/compare.sh had found
 * all results equal to those of an H200.
 */
static void test_checksums(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        bool ftz;
        uint32_t checksum;
    } forms[] = {
        {OP_RCP_APPROX, false, 0xb559c0e1}, {OP_RCP_APPROX, true, 0x4db92efd},    {OP_SQRT_APPROX, false, 0xa09b04db},
        {OP_SQRT_APPROX, true, 0x988b5ffe}, {OP_RSQRT_APPROX, false, 0xd8ec1e81}, {OP_RSQRT_APPROX, true, 0x0c50e93d},
        {OP_SIN, false, 0x2701bec3},        {OP_COS, false, 0x14a4bd12},          {OP_LG2, false, 0x8a258dbb},
        {OP_LG2, true, 0xb6bc8520},         {OP_EX2, false, 0x7d0cd981},          {OP_EX2, true, 0xbfe235b2},
        {OP_TANH, false, 0x03d6b7f2},       {OP_DIV_APPROX, false, 0x3757951b},   {OP_DIV_APPROX, true, 0x06dee6f7},
        {OP_DIV_FULL, false, 0xae7e7f82},   {OP_DIV_FULL, true, 0x3219ced0},
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        struct form f =
            form_of(forms[k].op, TYPE_F32, forms[k].op == OP_DIV_APPROX || forms[k].op == OP_DIV_FULL ? 2 : 1);
        set_flag(&f, FLAG_FTZ, forms[k].ftz);
        lane_fn *handler = find(&f, false);
        uint32_t checksum = 0, input = 0;
        struct planes source[2], dest;
        for (int row = 0; row < 1 << 15; row++) {
            for (int i = 0; i < ROW_LANES; i++, input += 4099) {
                write_lane(&source[0], 32, i, input);
                write_lane(&source[1], 32, i, input * 2654435761u);
            }
            handler(&(struct lanes){{&dest}, {&source[0], &source[1]}});
            for (int i = 0; i < ROW_LANES; i++)
                checksum = (checksum ^ (uint32_t)read_lane(&dest, 32, i)) * 16777619u;
        }
        if (checksum != forms[k].checksum)
            fail_msg("%s%s gives the checksum 0x%08x, not 0x%08x", op_table[forms[k].op].id,
                     forms[k].ftz ? " .ftz" : "", checksum, forms[k].checksum);
    }
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
            find(&f, false)(&(struct lanes){{&dest}, {&source}});
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
            find(&f, false)(&(struct lanes){{&again}, {&source}});
            assert_memory_equal(&dest, &again, sizeof dest);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),       cmocka_unit_test(test_flush),          cmocka_unit_test(test_f64),
        cmocka_unit_test(test_signs),     cmocka_unit_test(test_approximations), cmocka_unit_test(test_upper_words),
        cmocka_unit_test(test_checksums),
    };
    return cmocka_run_group_tests_name("lanes: floating point", tests, NULL, NULL);
}
