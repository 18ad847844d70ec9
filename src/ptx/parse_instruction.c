/*
 * Instructions: finds the rows of ops.def that an opcode can mean, and takes the first whose operands fit.
 *
 * An instruction that the table does not have is kept as text, so that a module can be loaded as long as nobody
 * launches it. Operands that do not fit any row of a known instruction are errors.
 */
#include "ptx/parse.h"

static struct ptx_instruction *push_instruction(struct parser *p, int32_t guard, bool guard_negate)
{
    vec_push(&p->body.instructions, (struct ptx_instruction){.op = OP_NONE,
                                                             .guard = guard,
                                                             .guard_negate = guard_negate,
                                                             .line = p->opcode.line,
                                                             .location = p->body.location});
    return &p->body.instructions.data[p->body.instructions.count - 1];
}

/* Keeps an unsupported instruction as text, with single blanks between its tokens. */
static bool keep_unsupported(struct parser *p, int32_t guard, bool guard_negate)
{
    struct vec_of(char) text = {0};
    size_t end = p->opcode.offset + (size_t)p->opcode.length;
    int depth = 0;
    for (int i = 0; i < p->opcode.length; i++)
        vec_push(&text, p->opcode.text[i]);
    while (!parse_at(p, ';') || depth) {
        depth += parse_at(p, '{') - parse_at(p, '}');
        if (parse_at(p, TOKEN_END) || parse_at(p, TOKEN_BAD) || depth < 0) {
            vec_free(&text);
            return parse_expected(p, "';'");
        }
        if (p->token.offset > end)
            vec_push(&text, ' ');
        end = p->lexer.position;
        for (size_t i = p->token.offset; i < end; i++)
            vec_push(&text, p->lexer.text[i]);
        parse_advance(p);
    }
    push_instruction(p, guard, guard_negate)->unsupported =
        arena_copy_string(p->arena, text.data ? text.data : "", (size_t)text.count);
    vec_free(&text);
    parse_advance(p);
    return true;
}

/* `add .u32`: blanks before suffixes are allowed, if rare. */
static bool join_suffixes(struct parser *p)
{
    for (int count = 0; parse_at(p, TOKEN_DIRECTIVE); count++) {
        if (count == OP_MAX_ELEMENTS)
            return parse_fail(p, p->token.offset, "too many suffixes");
        int length = p->opcode.length + p->token.length;
        char *joined = arena_alloc(p->arena, (size_t)length + 1);
        memcpy(joined, p->opcode.text, (size_t)p->opcode.length);
        memcpy(joined + p->opcode.length, p->token.text, (size_t)p->token.length);
        p->opcode.text = joined;
        p->opcode.length = length;
        parse_advance(p);
    }
    return true;
}

/* Whether the operand is the name of a predicate register, perhaps behind a `!`. */
static bool is_predicate(struct parser *p, const struct raw *raw)
{
    int index;
    const struct symbol *symbol =
        raw->kind == RAW_NAME ? symbols_find(&p->symbols, raw->token.text, raw->token.length, &index) : NULL;
    return symbol && symbol->kind == SYMBOL_REGISTER && p->body.registers.data[index].type == TYPE_PRED;
}

/* Whether an operand is written in the form that the role demands. Of names, only predicates are looked up. */
static bool has_shape(struct parser *p, enum role role, const struct raw *raw)
{
    switch (role) {
    case ROLE_PREDICATE:
        return raw->kind == RAW_CONSTANT || is_predicate(p, raw);
    case ROLE_PACK:
    case ROLE_UNPACK:
    case ROLE_VALUE_FOUR:
        return raw->kind == RAW_VECTOR;
    case ROLE_DEST:
        return raw->kind == RAW_NAME || raw->kind == RAW_SINK;
    case ROLE_VALUE:
        return raw->kind == RAW_NAME || raw->kind == RAW_CONSTANT;
    default:
        return true;
    }
}

/* Number of operands, not counting those behind a `|`. */
static int count_operands(const struct raw_operands *raw)
{
    int count = raw->count;
    for (int i = 0; i < raw->count; i++)
        count -= raw->operand[i].paired;
    return count;
}

/* Most operands that the form takes, not counting a second result behind a `|`. */
static int most_operands(const struct match_form *form)
{
    int most = form->required_count;
    for (int i = 0; i < form->slot_count; i++)
        most += form->slot[i].optional && form->slot[i].role != ROLE_DEST_SECOND && form->slot[i].role != ROLE_POLICY;
    return most;
}

static bool form_takes(struct parser *p, const struct match_form *form, const struct raw_operands *raw)
{
    int given = count_operands(raw);
    if (given < form->required_count || given > most_operands(form))
        return false;
    for (int i = 0; i < form->slot_count && i < raw->count; i++)
        if (!has_shape(p, form->slot[i].role, &raw->operand[i]) ||
            (form->slot[i].role == ROLE_VALUE && form->type[i] != TYPE_PRED && is_predicate(p, &raw->operand[i])))
            return false;
    return true;
}

static const struct match_form *choose_form(struct parser *p, const struct match *match, const struct raw_operands *raw)
{
    for (int i = 0; i < match->form_count - 1; i++)
        if (form_takes(p, &match->form[i], raw))
            return &match->form[i];
    return &match->form[match->form_count - 1];
}

static bool check_count(struct parser *p, const struct match_form *form, const struct raw_operands *raw)
{
    int least = form->required_count, most = most_operands(form), given = count_operands(raw);
    if (given >= least && given <= most)
        return true;
    size_t offset = given > most ? raw->operand[most].token.offset : p->token.offset;
    if (least == most)
        return parse_fail(p, offset, "'%.*s' takes %d operand%s, found %d", shown(p->opcode.length), p->opcode.text,
                          least, least == 1 ? "" : "s", given);
    return parse_fail(p, offset, "'%.*s' takes %d to %d operands, found %d", shown(p->opcode.length), p->opcode.text,
                      least, most, given);
}

/* Whether the operand is one of offsets, and not the depth that may follow: numbers in braces, or a vector register. */
static bool are_offsets(struct parser *p, const struct raw *raw)
{
    int index;
    const struct symbol *symbol =
        raw->kind == RAW_NAME ? symbols_find(&p->symbols, raw->token.text, raw->token.length, &index) : NULL;
    bool is_register = symbol && symbol->kind == SYMBOL_REGISTER;
    return raw->kind == RAW_VECTOR || (is_register && p->body.registers.data[index].vector > 1);
}

/* Assigns an operand to each slot. Optional slots are filled from the left while there are operands to spare. */
static bool check_operands(struct parser *p, const struct match_form *form, const struct raw_operands *raw,
                           struct ptx_operand *out)
{
    int next = 0, spare = count_operands(raw) - form->required_count;
    for (int i = 0; i < form->slot_count; i++) {
        const struct op_slot *slot = &form->slot[i];
        bool is_paired = next > 0 && raw->operand[next - 1].paired;
        /* Of two optional operands the first may be absent alone, if it is in braces and the second is not. */
        bool is_absent =
            slot->optional && slot->role == ROLE_AXES && spare == 1 && !are_offsets(p, &raw->operand[next]);
        bool is_given = slot->role == ROLE_DEST_SECOND ? is_paired
                        : slot->role == ROLE_POLICY    ? suffixes_has(&form->suffixes, FLAG_HINT)
                                                       : !is_absent && (!slot->optional || spare-- > 0);
        out[i].reg = out[i].target = -1;
        if (is_paired && slot->role != ROLE_DEST_SECOND)
            break;
        if (is_given && !check_operand(p, form, i, &raw->operand[next++], &out[i]))
            return false;
    }
    return next == raw->count ||
           parse_fail(p, raw->operand[next].token.offset, "'%.*s' has no result behind a '|' here",
                      shown(p->opcode.length), p->opcode.text);
}

/* Reads the operands of an instruction that is no call, up to the `;`, and finds the form that they fit. */
static bool parse_operands(struct parser *p, const struct match *match, const struct match_form **form,
                           struct ptx_operand **operands)
{
    struct raw_operands raw;
    if (!parse_raw_operands(p, &raw))
        return false;
    *form = choose_form(p, match, &raw);
    p->is_foreign = raw.is_foreign; /* operands of a form that PTX has and the table does not */
    if (p->is_foreign)
        return false;
    if (!parse_at(p, ';'))
        return parse_expected(p, "',' or ';'");
    *operands = arena_array(p->arena, struct ptx_operand, (size_t)(*form)->slot_count);
    return check_count(p, *form, &raw) && check_operands(p, *form, &raw, *operands);
}

/* Reads the operands of an instruction that the table has, and adds the instruction. If the operands have a form that
 * only the table lacks, the instruction is kept as text. */
static bool parse_row(struct parser *p, const struct match *match, int32_t guard, bool guard_negate)
{
    const struct match_form *form = &match->form[0];
    struct ptx_operand *operands;
    struct lexer lexer = p->lexer;
    struct token token = p->token;
    p->is_foreign = false;
    if (form->slot[0].role == ROLE_CALL) {
        operands = arena_array(p->arena, struct ptx_operand, 1);
        if (!parse_call(p, operands))
            return false;
    } else if (!parse_operands(p, match, &form, &operands)) {
        if (!p->is_foreign)
            return false;
        p->lexer = lexer;
        p->token = token;
        return keep_unsupported(p, guard, guard_negate);
    }
    if (!parse_expect(p, ';', "';'"))
        return false;
    struct ptx_instruction *insn = push_instruction(p, guard, guard_negate);
    insn->op = (uint16_t)form->op;
    insn->suffixes = form->suffixes;
    insn->operand = operands;
    insn->operand_count = (uint8_t)form->slot_count;
    return true;
}

static bool bad_suffix(struct parser *p, const struct match *match)
{
    const char *suffix = p->opcode.text + match->bad_offset;
    const char *similar = match_similar_suffix(suffix, match->bad_length);
    size_t offset = p->opcode.offset + (size_t)match->bad_offset;
    if (similar)
        return parse_fail(p, offset, "unknown suffix '.%.*s' of '%.*s'; did you mean '.%s'?", shown(match->bad_length),
                          suffix, shown(p->opcode.length), p->opcode.text, similar);
    return parse_fail(p, offset, "unknown suffix '.%.*s' of '%.*s'", shown(match->bad_length), suffix,
                      shown(p->opcode.length), p->opcode.text);
}

bool parse_instruction(struct parser *p, const struct token *opcode, int32_t guard, bool guard_negate)
{
    p->opcode = *opcode;
    if (!join_suffixes(p))
        return false;
    const struct match *match = match_opcode(&p->matcher, p->opcode.text, p->opcode.length);
    switch (match->result) {
    case MATCH_FORMS:
        return parse_row(p, match, guard, guard_negate);
    case MATCH_UNSUPPORTED:
        return keep_unsupported(p, guard, guard_negate);
    case MATCH_BAD_SUFFIX:
        return bad_suffix(p, match);
    case MATCH_NO_SUFFIX:
        return parse_fail(p, opcode->offset, "'%.*s' needs a suffix, such as a type", shown(p->opcode.length),
                          p->opcode.text);
    default:
        return parse_fail(p, opcode->offset, "expected an instruction, found '%.*s'", shown(p->opcode.length),
                          p->opcode.text);
    }
}
