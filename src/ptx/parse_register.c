/* Declarations of registers, `.reg .b32 %r<10>, %a;`, and of vectors of registers. */
#include "ptx/parse.h"

static const char components[] = "xyzw";

/* Adds a register, and behind it the registers of its components if it is a vector. */
static void push_register(struct parser *p, char *name, size_t length, enum type type, int vector)
{
    vec_push(&p->body.registers, (struct ptx_register){.name = name, .type = (uint8_t)type, .vector = (uint8_t)vector});
    for (int i = 0; vector > 1 && i < vector; i++) {
        char *component = arena_alloc(p->arena, length + 3);
        memcpy(component, name, length);
        component[length] = '.';
        component[length + 1] = components[i];
        vec_push(&p->body.registers, (struct ptx_register){.name = component, .type = (uint8_t)type, .vector = 1});
    }
}

static bool has_room(struct parser *p, const struct token *name, uint64_t count, int stride)
{
    uint64_t more = count * (uint64_t)stride;
    if (more + (uint64_t)p->body.registers.count > PARSE_MAX_REGISTERS)
        return parse_fail(p, name->offset, "more than %d registers in a function", PARSE_MAX_REGISTERS);
    p->register_total += (int64_t)more;
    if (p->register_total > PARSE_MAX_MODULE_REGISTERS)
        return parse_fail(p, name->offset, "more than %d registers in a module", PARSE_MAX_MODULE_REGISTERS);
    return true;
}

bool parse_define_register(struct parser *p, const struct token *name, enum type type, int vector, int *index)
{
    if (!has_room(p, name, 1, vector > 1 ? vector + 1 : 1))
        return false;
    struct symbol *symbol = symbols_define(&p->symbols, SYMBOL_REGISTER, name->text, name->length);
    if (!symbol)
        return parse_fail(p, name->offset, "'%.*s' is already defined", shown(name->length), name->text);
    *index = symbol->first = p->body.registers.count;
    push_register(p, parse_copy(p, name), (size_t)name->length, type, vector);
    return true;
}

static int append_number(char *to, int number)
{
    char digits[12];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    for (int i = 0; i < count; i++)
        to[i] = digits[count - 1 - i];
    to[count] = '\0';
    return count;
}

/* Adds the registers of a range `%r<count>`. All names share one block of memory, since a kernel has thousands. */
static bool define_range(struct parser *p, const struct token *prefix, enum type type, int vector, int count)
{
    int stride = vector > 1 ? vector + 1 : 1;
    if (!has_room(p, prefix, (uint64_t)count, stride))
        return false;
    if (!symbols_define_range(&p->symbols, prefix->text, prefix->length, p->body.registers.count, count, stride))
        return parse_fail(p, prefix->offset, "'%.*s<%d>' is already defined, at least in part", shown(prefix->length),
                          prefix->text, count);
    int digits = count <= 10 ? 1 : count <= 100 ? 2 : count <= 1000 ? 3 : count <= 10000 ? 4 : 7;
    size_t room = (size_t)prefix->length + (size_t)digits + 1;
    char *name = arena_alloc(p->arena, room * (size_t)count);
    vec_reserve(&p->body.registers, p->body.registers.count + count * stride);
    for (int i = 0; i < count; i++, name += room) {
        memcpy(name, prefix->text, (size_t)prefix->length);
        int length = prefix->length + append_number(name + prefix->length, i);
        push_register(p, name, (size_t)length, type, vector);
    }
    return true;
}

static bool declarator(struct parser *p, enum type type, int vector)
{
    struct token name;
    int index;
    if (!parse_name(p, "the name of a register", &name))
        return false;
    if (!parse_accept(p, '<'))
        return parse_define_register(p, &name, type, vector, &index);
    /* A plain number, not an expression: an expression would take the closing `>` for an operator. */
    if (!parse_at(p, TOKEN_NUMBER) || p->token.number > NUMBER_UNSIGNED)
        return parse_expected(p, "the number of registers");
    uint64_t count = p->token.bits;
    if (count > PARSE_MAX_REGISTERS)
        return parse_fail(p, p->token.offset, "more than %d registers in a function", PARSE_MAX_REGISTERS);
    parse_advance(p);
    return parse_expect(p, '>', "'>'") && define_range(p, &name, type, vector, (int)count);
}

/* registers = ".reg" [".v2" | ".v4"] type name {"," name} ";" */
bool parse_registers(struct parser *p)
{
    int vector = 1;
    parse_advance(p);
    if (parse_accept_directive(p, ".v2"))
        vector = 2;
    else if (parse_accept_directive(p, ".v4"))
        vector = 4;
    enum type type = parse_at(p, TOKEN_DIRECTIVE) ? type_find(p->token.text + 1, p->token.length - 1) : TYPE_NONE;
    if (!type)
        return parse_expected(p, "the type of the registers");
    parse_advance(p);
    do
        if (!declarator(p, type, vector))
            return false;
    while (parse_accept(p, ','));
    return parse_expect(p, ';', "';'");
}
