/*
 * Operands as they are written: names, constants, `[address]`, `{vector}`, `_`, `!p`, `-a`, `p|q`.
 *
 * What names mean, and whether operands fit the instruction, is decided in check_operand.c.
 */
#include "ptx/parse.h"

/* An offset behind a name: `+4`, `+-4`, `-4`. */
static bool parse_offset(struct parser *p, int64_t *offset)
{
    *offset = 0;
    if (!parse_at(p, '+') && !parse_at(p, '-'))
        return true;
    if (parse_at(p, '+'))
        parse_advance(p);
    return parse_integer(p, offset);
}

/* name["[" index "]"] ["+" offset] */
static bool parse_raw_name(struct parser *p, struct raw *out)
{
    out->kind = RAW_NAME;
    parse_advance(p);
    if (parse_accept(p, '[')) {
        out->indexed = true;
        return parse_integer(p, &out->offset) && parse_expect(p, ']', "']'");
    }
    return parse_offset(p, &out->offset);
}

/* A new element of the instruction's pool; NULL, and an error is reported, if the pool is full. */
static struct raw *new_element(struct parser *p, struct raw_operands *raw)
{
    if (raw->element_count == PARSE_MAX_ELEMENTS) {
        parse_report(p, p->token.offset, "too many operands");
        return NULL;
    }
    return &raw->element[raw->element_count++];
}

static bool parse_scalar(struct parser *p, struct raw *out)
{
    *out = (struct raw){.kind = RAW_CONSTANT, .token = p->token};
    if (parse_at(p, TOKEN_WORD) && !TOKEN_IS(&p->token, "WARP_SZ")) {
        if (TOKEN_IS(&p->token, "_")) {
            out->kind = RAW_SINK;
            parse_advance(p);
            return true;
        }
        return parse_raw_name(p, out);
    }
    return parse_constant(p, &out->constant);
}

/* vector = "{" scalar {"," scalar} "}"; elements follow each other in the pool raw->element */
static bool parse_raw_vector(struct parser *p, struct raw_operands *raw, struct raw *out)
{
    out->kind = RAW_VECTOR;
    out->element = &raw->element[raw->element_count];
    parse_advance(p);
    do {
        struct raw *element = new_element(p, raw);
        if (!element || !parse_scalar(p, element))
            return false;
        out->element_count++;
    } while (parse_accept(p, ','));
    return parse_expect(p, '}', "',' or '}'");
}

/* address = "[" scalar "]" | "[" scalar {"," scalar} ["," vector] "]" */
static bool parse_raw_address(struct parser *p, struct raw_operands *raw, struct raw *out)
{
    out->kind = RAW_ADDRESS;
    out->element = &raw->element[raw->element_count];
    parse_advance(p);
    do {
        if (parse_at(p, '{')) {
            struct raw vector = {0};
            if (!parse_raw_vector(p, raw, &vector))
                return false;
            out->element_count += vector.element_count;
            continue;
        }
        struct raw *element = new_element(p, raw);
        if (!element || !parse_scalar(p, element))
            return false;
        out->element_count++;
        out->scalar_count++;
    } while (parse_accept(p, ','));
    if (!parse_expect(p, ']', "']'"))
        return false;
    /* `ld ... [a].unified`: the address is the same on all devices. There is one device, so nothing is kept of it. */
    if (parse_accept_directive(p, ".unified"))
        raw->is_foreign |= p->opcode.length < 3 || memcmp(p->opcode.text, "ld.", 3) != 0;
    return true;
}

bool parse_raw_operand(struct parser *p, struct raw_operands *raw, struct raw *out)
{
    *out = (struct raw){.token = p->token};
    if (parse_at(p, '['))
        return parse_raw_address(p, raw, out);
    if (parse_at(p, '{'))
        return parse_raw_vector(p, raw, out);
    if (parse_at(p, '!') || parse_at(p, '-')) {
        bool is_minus = parse_at(p, '-');
        struct lexer lexer = p->lexer;
        struct token token;
        lex_next(&lexer, &token);
        if (token.kind == TOKEN_WORD && !TOKEN_IS(&token, "WARP_SZ")) {
            parse_advance(p);
            bool ok = parse_scalar(p, out);
            out->negate = !is_minus;
            out->minus = is_minus;
            return ok;
        }
    }
    return parse_scalar(p, out);
}

/* operands = [operand {("," | "|") operand}], up to the `;` */
bool parse_raw_operands(struct parser *p, struct raw_operands *raw)
{
    raw->count = raw->element_count = 0;
    raw->is_foreign = false;
    if (parse_at(p, ';'))
        return true;
    for (;;) {
        if (raw->count == PTX_MAX_OPERANDS)
            return parse_fail(p, p->token.offset, "too many operands");
        struct raw *operand = &raw->operand[raw->count++];
        if (!parse_raw_operand(p, raw, operand))
            return false;
        if (parse_accept(p, '|'))
            operand->paired = true;
        else if (!parse_accept(p, ','))
            return true;
    }
}
