/*
 * Constant expressions: integers of 64 bits, signed or unsigned, with C's operators and precedences; floating-point
 * numbers with signs and + - * / only.
 */
#include "ptx/parse.h"

static bool is_float(const struct constant *c)
{
    return c->kind == NUMBER_F32 || c->kind == NUMBER_F64;
}

static double float_value(const struct constant *c)
{
    double d;
    if (c->kind == NUMBER_F32) {
        float f;
        uint32_t low = (uint32_t)c->bits;
        memcpy(&f, &low, sizeof f);
        return (double)f;
    }
    memcpy(&d, &c->bits, sizeof d);
    return d;
}

static struct constant float_constant(double d)
{
    struct constant c = {.kind = NUMBER_F64};
    memcpy(&c.bits, &d, sizeof d);
    return c;
}

static uint32_t float_bits(double d)
{
    float f = (float)d;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Precedence of a binary operator; 0 if the token is no binary operator. */
static int precedence(int kind)
{
    switch (kind) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case TOKEN_SHIFT_LEFT:
    case TOKEN_SHIFT_RIGHT:
        return 8;
    case '<':
    case '>':
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER_EQUAL:
        return 7;
    case TOKEN_EQUAL:
    case TOKEN_NOT_EQUAL:
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case TOKEN_AND:
        return 2;
    case TOKEN_OR:
        return 1;
    default:
        return 0;
    }
}

static bool float_binary(struct parser *p, size_t offset, int operator, struct constant * a, const struct constant *b)
{
    if (!is_float(a) || !is_float(b))
        return parse_fail(p, offset, "an integer and a floating-point number do not mix");
    double x = float_value(a), y = float_value(b);
    switch (operator) {
    case '+':
        *a = float_constant(x + y);
        return true;
    case '-':
        *a = float_constant(x - y);
        return true;
    case '*':
        *a = float_constant(x * y);
        return true;
    case '/':
        *a = float_constant(x / y);
        return true;
    default:
        return parse_fail(p, offset, "this operator takes integers");
    }
}

static bool integer_divide(struct parser *p, size_t offset, int operator, bool is_signed, uint64_t x, uint64_t y,
                           uint64_t *result)
{
    if (!y)
        return parse_fail(p, offset, "division by zero");
    if (is_signed && y == UINT64_MAX) /* INT64_MIN / -1 has no value in C; here it wraps */
        *result = operator== '/' ? 0 - x : 0;
    else if (is_signed)
        *result = operator== '/' ? (uint64_t)((int64_t)x / (int64_t)y) : (uint64_t)((int64_t)x % (int64_t)y);
    else
        *result = operator== '/' ? x / y : x % y;
    return true;
}

static uint64_t integer_shift(int operator, bool is_signed, uint64_t x, uint64_t y)
{
    bool fill = operator== TOKEN_SHIFT_RIGHT && is_signed && x>> 63;
    if (y > 63)
        return fill ? UINT64_MAX : 0;
    if (operator== TOKEN_SHIFT_LEFT)
        return x << y;
    return x >> y | (fill && y ? ~(UINT64_MAX >> y) : 0);
}

static bool integer_binary(struct parser *p, size_t offset, int operator, struct constant * a, const struct constant *b)
{
    bool is_signed = a->kind == NUMBER_SIGNED && b->kind == NUMBER_SIGNED, is_truth = false;
    uint64_t x = a->bits, y = b->bits, less = is_signed ? (int64_t)x < (int64_t)y : x < y;
    switch (operator) {
    case '*':
        x *= y;
        break;
    case '/':
    case '%':
        if (!integer_divide(p, offset, operator, is_signed, x, y, &x))
            return false;
        break;
    case '+':
        x += y;
        break;
    case '-':
        x -= y;
        break;
    case TOKEN_SHIFT_LEFT:
    case TOKEN_SHIFT_RIGHT:
        is_signed = a->kind == NUMBER_SIGNED;
        x = integer_shift(operator, is_signed, x, y);
        break;
    case '&':
        x &= y;
        break;
    case '^':
        x ^= y;
        break;
    case '|':
        x |= y;
        break;
    default:
        is_truth = true;
        x = operator== '<' ? less :
            operator== '>' ? !less && x != y
            :
            operator== TOKEN_LESS_EQUAL ? less || x == y
            :
            operator== TOKEN_GREATER_EQUAL ? !less
            :
            operator== TOKEN_EQUAL ? x == y
            :
            operator== TOKEN_NOT_EQUAL ? x != y
            :
            operator== TOKEN_AND ? x && y
                                 : x || y;
    }
    a->bits = x;
    a->kind = is_signed || is_truth ? NUMBER_SIGNED : NUMBER_UNSIGNED;
    return true;
}

static bool conditional(struct parser *p, struct constant *c, int depth);

/* (.s64) and (.u64) before an operand; the `(` has been read. */
static bool cast(struct parser *p, uint8_t *kind)
{
    if (!parse_at_directive(p, ".s64") && !parse_at_directive(p, ".u64"))
        return parse_expected(p, "'.s64' or '.u64'");
    *kind = TOKEN_IS(&p->token, ".s64") ? NUMBER_SIGNED : NUMBER_UNSIGNED;
    parse_advance(p);
    return parse_expect(p, ')', "')'");
}

static bool primary(struct parser *p, struct constant *c, int depth)
{
    if (parse_at(p, TOKEN_NUMBER)) {
        *c = (struct constant){.kind = p->token.number, .bits = p->token.bits};
        parse_advance(p);
        return true;
    }
    if (parse_at(p, TOKEN_WORD) && TOKEN_IS(&p->token, "WARP_SZ")) {
        *c = (struct constant){.kind = NUMBER_SIGNED, .bits = 32};
        parse_advance(p);
        return true;
    }
    if (parse_accept(p, '('))
        return conditional(p, c, depth + 1) && parse_expect(p, ')', "')'");
    return parse_expected(p, "a constant");
}

static bool unary(struct parser *p, struct constant *c, int depth)
{
    int operator= p->token.kind;
    size_t offset = p->token.offset;
    if (depth > PARSE_MAX_NESTING)
        return parse_fail(p, offset, "expression is nested too deeply");
    struct lexer before = p->lexer;
    struct token token = p->token;
    if (parse_accept(p, '(')) {
        if (parse_at(p, TOKEN_DIRECTIVE)) {
            uint8_t kind = NUMBER_SIGNED;
            if (!cast(p, &kind) || !unary(p, c, depth + 1))
                return false;
            if (is_float(c))
                return parse_fail(p, offset, "only integers can be cast");
            c->kind = kind;
            return true;
        }
        p->lexer = before;
        p->token = token;
    }
    if (operator!= '-' && operator!= '+' && operator!= '~' && operator!= '!')
        return primary(p, c, depth);
    parse_advance(p);
    if (!unary(p, c, depth + 1))
        return false;
    if (is_float(c)) {
        if (operator== '-')
            c->bits ^= c->kind == NUMBER_F32 ? 1ull << 31 : 1ull << 63;
        else if (operator!= '+')
            return parse_fail(p, offset, "this operator takes an integer");
        return true;
    }
    c->bits = operator== '-' ? 0 - c->bits : operator== '~' ? ~c->bits : operator== '!' ? !c->bits : c->bits;
    return true;
}

/* The lexer reads `7%4` as 7 and the name %4: splits the name into % and a number. */
static void split_modulus(struct parser *p)
{
    if (!parse_at(p, TOKEN_WORD) || p->token.text[0] != '%' || p->token.length < 2)
        return;
    if (p->token.text[1] < '0' || p->token.text[1] > '9')
        return;
    p->lexer.position = p->token.offset + 1;
    p->token.kind = '%';
    p->token.length = 1;
}

static bool binary(struct parser *p, struct constant *c, int least, int depth)
{
    if (!unary(p, c, depth))
        return false;
    for (;;) {
        split_modulus(p);
        int operator= p->token.kind, binds = precedence(operator);
        size_t offset = p->token.offset;
        struct constant right;
        if (!binds || binds < least)
            return true;
        parse_advance(p);
        if (!binary(p, &right, binds + 1, depth + 1))
            return false;
        bool floats = is_float(c) || is_float(&right);
        if (!(floats ? float_binary : integer_binary)(p, offset, operator, c, &right))
            return false;
    }
}

static bool conditional(struct parser *p, struct constant *c, int depth)
{
    struct constant yes, no;
    if (!binary(p, c, 1, depth))
        return false;
    if (!parse_at(p, '?'))
        return true;
    parse_advance(p);
    if (!conditional(p, &yes, depth + 1) || !parse_expect(p, ':', "':'") || !conditional(p, &no, depth + 1))
        return false;
    *c = c->bits ? yes : no;
    return true;
}

/* Reads a single number without the expression parser: tables hold hundreds of thousands of them. */
static bool lone_number(struct parser *p, struct constant *c)
{
    struct lexer lexer = p->lexer;
    struct token token = p->token;
    if (token.kind != TOKEN_NUMBER)
        return false;
    parse_advance(p);
    if (parse_at(p, ',') || parse_at(p, ';') || parse_at(p, '}') || parse_at(p, ']')) {
        *c = (struct constant){.kind = token.number, .bits = token.bits};
        return true;
    }
    p->lexer = lexer;
    p->token = token;
    return false;
}

bool parse_constant(struct parser *p, struct constant *c)
{
    if (lone_number(p, c))
        return true;
    return conditional(p, c, 0);
}

bool parse_integer(struct parser *p, int64_t *value)
{
    size_t offset = p->token.offset;
    struct constant c;
    if (!parse_constant(p, &c))
        return false;
    if (is_float(&c))
        return parse_fail(p, offset, "expected an integer");
    *value = (int64_t)c.bits;
    return true;
}

bool parse_count(struct parser *p, uint64_t limit, const char *what, uint64_t *value)
{
    size_t offset = p->token.offset;
    struct constant c;
    if (!parse_constant(p, &c))
        return false;
    if (is_float(&c) || (c.kind == NUMBER_SIGNED && (int64_t)c.bits < 0) || c.bits > limit)
        return parse_fail(p, offset, "expected %s, an integer from 0 to %llu", what, (unsigned long long)limit);
    *value = c.bits;
    return true;
}

static uint64_t sign_extend(uint64_t bits, unsigned width)
{
    if (width >= 64)
        return bits;
    return (uint64_t)((int64_t)(bits << (64 - width)) >> (64 - width));
}

bool parse_convert(struct parser *p, size_t offset, const struct constant *c, enum type type, uint64_t *bits)
{
    const struct type_info *info = &type_table[type];
    if (info->bits > 64)
        return parse_fail(p, offset, "a constant cannot be of type .%s", info->text);
    if (info->kind == KIND_PRED) {
        *bits = c->bits != 0;
        return !is_float(c) || parse_fail(p, offset, "expected a predicate or an integer");
    }
    if (is_float(c)) {
        if (info->bits == 32 && (info->kind == KIND_FLOAT || info->kind == KIND_BITS))
            *bits = c->kind == NUMBER_F32 ? c->bits : float_bits(float_value(c));
        else if (info->bits == 64 && (info->kind == KIND_FLOAT || info->kind == KIND_BITS))
            *bits = c->kind == NUMBER_F64 ? c->bits : float_constant(float_value(c)).bits;
        else
            return parse_fail(p, offset, "a floating-point number cannot be of type .%s", info->text);
        if (info->kind == KIND_BITS)
            *bits = sign_extend(*bits, info->bits);
        return true;
    }
    if (info->kind == KIND_FLOAT && info->bits >= 32)
        return parse_fail(p, offset,
                          "an integer cannot be of type .%s: write a floating-point number, e.g. 1.0 or 0f3F800000",
                          info->text);
    *bits = sign_extend(c->bits, info->bits);
    return true;
}
