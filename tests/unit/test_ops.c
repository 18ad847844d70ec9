/*
 * The instruction table: rows are unique, their patterns can be split, and every suffix of every row is read
 * as that row and printed as it was written.
 */
#include "base/text.h"
#include "ptx/fragment.h"
#include "ptx/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_rows_are_unique(void **state)
{
    (void)state;
    for (int a = 1; a < OP_COUNT; a++)
        for (int b = a + 1; b < OP_COUNT; b++) {
            const struct op_info *x = &op_table[a], *y = &op_table[b];
            bool same = !strcmp(x->mnemonic, y->mnemonic) && !strcmp(x->suffixes, y->suffixes) &&
                        !strcmp(x->operands, y->operands);
            if (same)
                print_error("%s and %s are the same row\n", x->id, y->id);
            assert_false(same);
        }
}

static void test_patterns_split(void **state)
{
    (void)state;
    for (int op = 1; op < OP_COUNT; op++) {
        struct element elements[OP_MAX_ELEMENTS];
        struct op_slot slots[OP_MAX_SLOTS];
        int suffixes = op_split_suffixes(op_table[op].suffixes, elements);
        int operands = op_split_operands(op_table[op].operands, slots);
        int types = 0;
        assert_int_equal(elements[suffixes].kind, ELEMENT_END);
        assert_int_equal(slots[operands].role, ROLE_END);
        assert_true(operands <= PTX_MAX_OPERANDS);
        for (int i = 0; i < suffixes; i++) {
            types += elements[i].kind == ELEMENT_TYPE;
            assert_true(elements[i].kind != ELEMENT_TYPE || elements[i].types);
        }
        for (int i = 0; i < operands; i++) /* an operand of type t or u needs a suffix that says which */
            assert_true(slots[i].type_of == 0 || types >= (slots[i].type_of == 2 ? 2 : 1));
        assert_true(op_table[op].class < CLASS_COUNT && *op_table[op].meaning);
    }
}

static void test_texts_are_unique(void **state)
{
    (void)state;
    for (int a = 1; a < MOD_COUNT; a++)
        for (int b = a + 1; b < MOD_COUNT; b++)
            assert_false(mod_group((enum mod)a) == mod_group((enum mod)b) && !strcmp(mod_text[a], mod_text[b]));
    for (int a = 0; a < FLAG_COUNT; a++)
        for (int b = a + 1; b < FLAG_COUNT; b++)
            assert_string_not_equal(flag_text[a], flag_text[b]);
    for (int t = 1; t < TYPE_COUNT; t++)
        assert_int_equal(type_find(type_table[t].text, (int)strlen(type_table[t].text)), t);
    for (int r = 0; r < SREG_COUNT; r++)
        assert_int_equal(sreg_find(sreg_table[r].text, (int)strlen(sreg_table[r].text)), r);
}

/* One way to write a row: which choice each element of its suffix pattern makes; -1 for none. */
struct form {
    enum op op;
    int count;
    struct element element[OP_MAX_ELEMENTS];
    int choice[OP_MAX_ELEMENTS];
};

/* The n-th choice of an element as an enum mod, enum type or shape; -1 past the last. */
static int nth_choice(const struct element *e, int n)
{
    if (e->kind == ELEMENT_SHAPE) {
        uint32_t shapes[64];
        int count = element_shapes(e, shapes, 64);
        assert_true(count > 0 && count <= 64);
        return n < count ? (int)shapes[n] : -1;
    }
    int last = e->kind == ELEMENT_TYPE ? TYPE_COUNT : e->kind == ELEMENT_GROUP ? MOD_COUNT : 1;
    for (int c = e->kind == ELEMENT_FLAG || e->kind == ELEMENT_WORD ? 0 : 1; c < last; c++) {
        bool fits = e->kind == ELEMENT_TYPE    ? e->types >> c & 1
                    : e->kind == ELEMENT_GROUP ? element_takes_mod(e, (enum mod)c)
                                               : true;
        if (fits && n-- == 0)
            return c;
    }
    return -1;
}

static void set_suffixes(const struct form *f, struct suffixes *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < f->count; i++) {
        const struct element *e = &f->element[i];
        if (f->choice[i] < 0)
            continue;
        if (e->kind == ELEMENT_TYPE)
            s->type[e->which] = (uint8_t)f->choice[i];
        else if (e->kind == ELEMENT_GROUP)
            s->mod[e->which] = (uint8_t)f->choice[i];
        else if (e->kind == ELEMENT_SHAPE)
            s->shape = (uint32_t)f->choice[i];
        else if (e->kind == ELEMENT_FLAG)
            s->flags |= 1ull << e->which;
    }
}

static void write_opcode(const struct form *f, struct text *out)
{
    char shape[SHAPE_TEXT_BYTES];
    text_printf(out, "%s", op_table[f->op].mnemonic);
    for (int i = 0; i < f->count; i++) {
        const struct element *e = &f->element[i];
        if (e->kind == ELEMENT_WORD)
            text_printf(out, ".%.*s", e->word_length, e->word);
        else if (f->choice[i] >= 0)
            text_printf(out, ".%s",
                        e->kind == ELEMENT_TYPE    ? type_table[f->choice[i]].text
                        : e->kind == ELEMENT_GROUP ? mod_text[f->choice[i]]
                        : e->kind == ELEMENT_SHAPE ? shape_text((uint32_t)f->choice[i], shape)
                                                   : flag_text[e->which]);
    }
}

static void write_vector(enum type type, unsigned count, struct text *out)
{
    for (unsigned i = 0; i < count; i++)
        text_printf(out, "%s%%%s", i ? ", " : "{", type_table[type].text);
    text_printf(out, "}");
}

/* Coordinates, derivatives or offsets: three are written as four. */
static void write_axes(enum type type, int count, bool is_layered, struct text *out)
{
    text_printf(out, "{");
    for (int i = 0; i < (count == 3 ? 4 : count); i++)
        text_printf(out, "%s%%%s", i ? ", " : "", type_table[is_layered && !i ? TYPE_U32 : type].text);
    text_printf(out, "}");
}

static const char *selector_of(const struct op_slot *slot)
{
    bool is_dest = slot->role == ROLE_DEST;
    switch (slot->selects) {
    case 1:
        return is_dest ? ".b3" : ".h1";
    case 2:
        return is_dest ? ".h1" : ".h30";
    case 4:
        return is_dest ? ".b310" : ".b7240";
    default:
        return "";
    }
}

static void write_operand(enum op op, const struct op_slot *slot, const struct suffixes *s, struct text *out)
{
    enum type type = slot_type(slot, s);
    unsigned vector = suffixes_vector(s);
    struct op_shape shape = suffixes_shape(s);
    switch (slot->role) {
    case ROLE_IMMEDIATE:
        text_printf(out, "5");
        return;
    case ROLE_PREDICATE:
        text_printf(out, "!%%pred");
        return;
    case ROLE_ADDRESS:
    case ROLE_ADDRESS_MORE:
        text_printf(out, "[%%u64+8]");
        return;
    case ROLE_TENSOR: {
        bool is_four_rows = s->mod[GROUP_BOX] == BOX_GATHER || s->mod[GROUP_BOX] == BOX_SCATTER;
        text_printf(out, "[%%u64+8, ");
        write_vector(TYPE_S32, is_four_rows ? 5 : (unsigned)(s->mod[GROUP_DIM] - DIM_D1) + 1, out);
        text_printf(out, "]");
        return;
    }
    case ROLE_LIST:
        write_vector(type, 2, out);
        return;
    case ROLE_TEXTURE:
        text_printf(out, "[%%u64, ");
        write_axes(type, shape.axes + shape.is_layered, shape.is_layered, out);
        text_printf(out, "]");
        return;
    case ROLE_OBJECT:
        text_printf(out, "[%%u64]");
        return;
    case ROLE_AXES:
        write_axes(type, shape.axes, false, out);
        return;
    case ROLE_PACK:
    case ROLE_UNPACK:
        write_vector(type == TYPE_B128  ? TYPE_B64
                     : type == TYPE_B64 ? TYPE_B32
                     : type == TYPE_B32 ? TYPE_B16
                                        : TYPE_B8,
                     2, out);
        return;
    case ROLE_VALUE_FOUR:
        write_vector(type, 4, out);
        return;
    case ROLE_MATRIX_D:
    case ROLE_MATRIX_A:
    case ROLE_MATRIX_B:
    case ROLE_MATRIX_C:
    case ROLE_ACCUMULATOR:
    case ROLE_TILE_A: {
        struct fragment f = fragment_of(op, s, slot->role);
        write_vector(f.type, (unsigned)f.count, out);
        return;
    }
    case ROLE_LABEL:
        text_printf(out, "label");
        return;
    case ROLE_TARGETS:
        text_printf(out, "targets");
        return;
    case ROLE_CALL:
        text_printf(out, "function");
        return;
    case ROLE_DEST_VECTOR:
    case ROLE_VALUE_VECTOR:
        if (vector > 1) {
            write_vector(type, vector, out);
            return;
        }
        break;
    default:
        break;
    }
    text_printf(out, "%s%%%s%s", slot->minus ? "-" : "", type_table[type].text, selector_of(slot));
}

static void write_instruction(const struct form *f, bool with_optional, struct text *out)
{
    struct op_slot slots[OP_MAX_SLOTS];
    struct suffixes s;
    const char *separator = " ";
    set_suffixes(f, &s);
    write_opcode(f, out);
    op_split_operands(op_table[f->op].operands, slots);
    for (const struct op_slot *slot = slots; slot->role != ROLE_END; slot++) {
        bool is_given = slot->role == ROLE_POLICY ? suffixes_has(&s, FLAG_HINT) : !slot->optional || with_optional;
        if (!is_given)
            continue;
        text_printf(out, "%s", slot->role == ROLE_DEST_SECOND ? "|" : separator);
        write_operand(f->op, slot, &s, out);
        separator = ", ";
    }
}

static void write_module(const char *instruction, struct text *out)
{
    text_printf(out, ".version 7.0\n.target sm_75\n.address_size 64\n.func function() { ret; }\n.entry k() {\n");
    for (int t = 1; t < TYPE_COUNT; t++)
        text_printf(out, ".reg .%s %%%s;\n", type_table[t].text, type_table[t].text);
    text_printf(out, "targets: .branchtargets label;\nlabel: %s;\n}\n", instruction);
}

static void check_form(const struct form *f, bool with_optional)
{
    struct text instruction = {0}, module_text = {0}, printed = {0};
    struct suffixes s;
    struct diag diag = {0};
    set_suffixes(f, &s);
    write_instruction(f, with_optional, &instruction);
    write_module(instruction.data, &module_text);
    struct ptx_module *module = ptx_parse(op_table[f->op].id, module_text.data, module_text.length, &diag);
    if (!module)
        diag_print(&diag, stderr);
    assert_non_null(module);
    const struct ptx_function *k = ptx_find_function(module, "k");
    assert_int_equal(k->instruction_count, 1);
    if (k->instructions[0].op != f->op)
        print_error("'%s' is read as %s, not as %s\n", instruction.data, op_table[k->instructions[0].op].id,
                    op_table[f->op].id);
    assert_int_equal(k->instructions[0].op, f->op);
    assert_memory_equal(&k->instructions[0].suffixes.mod, &s.mod, sizeof s.mod);
    assert_memory_equal(&k->instructions[0].suffixes.type, &s.type, sizeof s.type);
    assert_true(k->instructions[0].suffixes.flags == s.flags);
    assert_int_equal(k->instructions[0].suffixes.shape, s.shape);
    ptx_print_instruction(k, &k->instructions[0], &printed);
    assert_string_equal(printed.data, instruction.data);
    ptx_destroy(module);
    diag_free(&diag);
    text_free(&instruction);
    text_free(&module_text);
    text_free(&printed);
}

/* All choices of each suffix in turn, the others being the first or none. */
static void test_rows_are_read_and_printed(void **state)
{
    (void)state;
    int forms = 0;
    for (int op = 1; op < OP_COUNT; op++) {
        struct form f = {.op = (enum op)op};
        f.count = op_split_suffixes(op_table[op].suffixes, f.element);
        for (int i = 0; i < f.count; i++)
            f.choice[i] = f.element[i].optional ? -1 : nth_choice(&f.element[i], 0);
        check_form(&f, false);
        check_form(&f, true);
        for (int i = 0; i < f.count; i++) {
            int usual = f.choice[i];
            for (int n = 0; (f.choice[i] = nth_choice(&f.element[i], n)) >= 0; n++, forms++)
                check_form(&f, n % 2 == 0);
            f.choice[i] = usual;
        }
    }
    assert_true(forms > OP_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_unique),
        cmocka_unit_test(test_patterns_split),
        cmocka_unit_test(test_texts_are_unique),
        cmocka_unit_test(test_rows_are_read_and_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
