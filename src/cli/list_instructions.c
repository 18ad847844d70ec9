/* heddle list instructions, sregs, classes: the tables of the instruction set of ptx/ in the words of the PTX
 * manual. */
#include "cli/list.h"

#include "base/text.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- an instruction row in the words of the PTX manual ---- */

static const char *const class_names[CLASS_COUNT] = {
#define CLASS(name, meaning) [CLASS_##name] = #name,
#include "ptx/class.def"
};

static int count_types(uint64_t types)
{
    return __builtin_popcountll(types);
}

static void list_types(uint64_t types, struct text *out)
{
    const char *blank = "";
    for (int t = 0; t < TYPE_COUNT; t++)
        if (types >> t & 1) {
            text_printf(out, "%s%s", blank, type_table[t].text);
            blank = " ";
        }
}

static const char *const type_names[OP_MAX_TYPES] = {"type", "type2", "type3", "type4"};

/* A group, `at` of length n in the pattern, by its name; if the row takes few of it, these: ".row" or ".(a|b)". */
static void write_group(const struct element *e, int n, const char *at, struct text *out)
{
    if (!e->only)
        text_printf(out, ".%.*s", n, at);
    else if (memchr(e->only, '|', (size_t)e->only_length))
        text_printf(out, ".(%.*s)", e->only_length, e->only);
    else
        text_printf(out, ".%.*s", e->only_length, e->only);
}

/* Appends the suffixes of the row's pattern: a group by its name, a flag or single type as it is, several types as
 * .type. */
static void write_suffixes(const struct op_info *op, struct text *out)
{
    struct element elements[OP_MAX_ELEMENTS];
    int count = op_split_suffixes(op->suffixes, elements);
    const char *at = op->suffixes;
    for (int i = 0; i < count; i++) {
        at += strspn(at, " ");
        int n = (int)strcspn(at, " ?");
        const struct element *e = &elements[i];
        text_printf(out, "%s", e->optional ? "{" : "");
        if (e->kind == ELEMENT_GROUP)
            write_group(e, n, at, out);
        else if (e->kind == ELEMENT_SHAPE)
            text_printf(out, memchr(at, '|', (size_t)n) ? ".shape" : ".%.*s", n - 1, at + 1);
        else if (e->kind == ELEMENT_FLAG)
            text_printf(out, "%.*s", n, at);
        else if (e->kind == ELEMENT_WORD)
            text_printf(out, ".%.*s", e->word_length, e->word);
        else if (count_types(e->types) == 1)
            text_printf(out, ".%s", type_table[__builtin_ctzll(e->types)].text);
        else
            text_printf(out, ".%s", type_names[e->which]);
        text_printf(out, "%s", e->optional ? "}" : "");
        at += strcspn(at, " ");
    }
}

static void write_operands(const struct op_info *op, struct text *out)
{
    struct op_slot slots[OP_MAX_SLOTS];
    int count = op_split_operands(op->operands, slots);
    char letter = 'a';
    for (int i = 0; i < count; i++) {
        const struct op_slot *s = &slots[i];
        const char *comma = !i ? " " : s->role == ROLE_DEST_SECOND ? "" : ", ";
        text_printf(out, "%s%s", s->optional ? "{" : "", comma);
        switch (s->role) {
        case ROLE_DEST:
        case ROLE_DEST_VECTOR:
            text_printf(out, "d");
            break;
        case ROLE_DEST_SECOND:
            text_printf(out, "|e");
            break;
        case ROLE_VALUE:
        case ROLE_VALUE_VECTOR:
        case ROLE_IMMEDIATE:
            text_printf(out, "%s%c", s->minus ? "{-}" : "", letter++);
            break;
        case ROLE_PREDICATE:
            text_printf(out, "{!}%c", letter++);
            break;
        case ROLE_ADDRESS:
        case ROLE_ADDRESS_MORE:
            text_printf(out, "[%c]", letter++);
            break;
        case ROLE_TEXTURE:
            text_printf(out, "[a, coordinates]");
            letter = 'b';
            break;
        case ROLE_OBJECT:
            text_printf(out, "[a]");
            letter = 'b';
            break;
        case ROLE_TENSOR:
            text_printf(out, "[%c, {coordinates}]", letter++);
            break;
        case ROLE_LIST:
            text_printf(out, "{offsets}");
            break;
        case ROLE_POLICY:
            text_printf(out, "policy");
            break;
        case ROLE_PACK:
            text_printf(out, "{a, ...}");
            break;
        case ROLE_UNPACK:
        case ROLE_MATRIX_D:
        case ROLE_ACCUMULATOR:
            text_printf(out, "{d, ...}");
            break;
        case ROLE_VALUE_FOUR:
        case ROLE_AXES:
        case ROLE_MATRIX_A:
        case ROLE_MATRIX_B:
        case ROLE_MATRIX_C:
        case ROLE_TILE_A:
            text_printf(out, "{%c, ...}", letter++);
            break;
        case ROLE_LABEL:
            text_printf(out, "label");
            break;
        case ROLE_TARGETS:
            text_printf(out, "targets");
            break;
        case ROLE_CALL:
            text_printf(out, "{(result),} function{, (arguments)}");
            break;
        case ROLE_END:
            break;
        }
        text_printf(out, "%s%s", s->selects ? "{.part}" : "", s->optional ? "}" : "");
    }
}

static char *row_syntax(const struct op_info *op)
{
    struct text t = {0};
    text_printf(&t, "%s", op->mnemonic);
    write_suffixes(op, &t);
    write_operands(op, &t);
    return text_take(&t);
}

/* "u16 u32; f32 f64": the types that stand for .type and .type2; "" where the syntax shows all. */
static char *row_types(const struct op_info *op)
{
    struct element elements[OP_MAX_ELEMENTS];
    int count = op_split_suffixes(op->suffixes, elements);
    struct text t = {0};
    for (int i = 0; i < count; i++)
        if (elements[i].kind == ELEMENT_TYPE && count_types(elements[i].types) > 1) {
            text_printf(&t, "%s%s: ", t.length ? "; " : "", type_names[elements[i].which]);
            list_types(elements[i].types, &t);
        } else if (elements[i].kind == ELEMENT_SHAPE &&
                   memchr(elements[i].only, '|', (size_t)elements[i].only_length)) {
            text_printf(&t, "%sshape: %.*s", t.length ? "; " : "", elements[i].only_length, elements[i].only);
        }
    return text_take(&t);
}

static void group_members(enum group group, struct text *out)
{
    for (int m = MOD_NONE + 1; m < MOD_COUNT; m++)
        if (mod_group((enum mod)m) == group)
            text_printf(out, "%s%s", out->length ? " " : "", mod_text[m]);
}

/* A syntax with many suffixes has no blanks to be wrapped at, so it is broken behind a suffix. */
static void print_syntax(const char *id, int width, const char *syntax)
{
    int most = 98 - width, length = (int)strlen(syntax);
    while (length > most) {
        int at = most;
        while (at > most / 2 && syntax[at - 1] != '}')
            at--;
        struct text part = {0};
        text_append(&part, syntax, (size_t)at);
        list_entry(id, width, part.data);
        text_free(&part);
        id = "";
        syntax += at;
        length -= at;
    }
    list_entry(id, width, syntax);
}

static void instructions_text(void)
{
    enum { ID = 18 };
    for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
        const struct op_info *op = &op_table[i];
        char *syntax = row_syntax(op), *types = row_types(op);
        print_syntax(op->id, ID, syntax);
        struct text line = {0};
        text_printf(&line, "%s  [%s]", op->meaning, class_names[op->class]);
        list_entry("", ID, line.data);
        if (*types)
            list_entry("", ID, types);
        text_free(&line);
        free(syntax);
        free(types);
    }
    printf("\nSuffixes that choose one of several:\n");
    for (int g = 0; g < GROUP_COUNT; g++) {
        struct text members = {0};
        group_members((enum group)g, &members);
        list_entry(group_name((enum group)g), ID, members.data ? members.data : "");
        text_free(&members);
    }
}

static void instructions_markdown(void)
{
    printf("# Instructions\n\n"
           "The PTX that heddle knows: one row per form of an instruction. This page is written by\n"
           "`heddle list instructions --markdown` from `src/ptx/ops.def`; edit that.\n\n"
           "Braces mark what may be left out. The name of a group (`.rnd`) stands for one of its suffixes, "
           "listed at\n"
           "the end, and `.type` for one of the types named beside it.\n\n"
           "| id | syntax | types | class | meaning |\n|---|---|---|---|---|\n");
    for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
        const struct op_info *op = &op_table[i];
        char *syntax = row_syntax(op), *types = row_types(op);
        printf("| %s | `", op->id);
        list_cell(syntax);
        printf("` | %s | %s | ", types, class_names[op->class]);
        list_cell(op->meaning);
        printf(" |\n");
        free(syntax);
        free(types);
    }
    printf("\n## Suffixes that choose one of several\n\n| group | suffixes |\n|---|---|\n");
    for (int g = 0; g < GROUP_COUNT; g++) {
        struct text members = {0};
        group_members((enum group)g, &members);
        printf("| %s | %s |\n", group_name((enum group)g), members.data ? members.data : "");
        text_free(&members);
    }
    printf("\n## Classes\n\n| class | what |\n|---|---|\n");
    for (int c = 0; c < CLASS_COUNT; c++)
        printf("| %s | %s |\n", class_names[c], class_text[c]);
}

static void instructions_json(void)
{
    for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
        const struct op_info *op = &op_table[i];
        char *syntax = row_syntax(op), *types = row_types(op);
        list_object((const char *const[]){"id", op->id, "mnemonic", op->mnemonic, "syntax", syntax, "types", types,
                                          "operands", op->operands, "class", class_names[op->class], "meaning",
                                          op->meaning, NULL});
        free(syntax);
        free(types);
    }
}

int list_instructions(const struct list_request *r)
{
    for (int i = OP_NONE + 1; r->format == LIST_NAMES && i < OP_COUNT; i++)
        puts(op_table[i].id);
    if (r->format == LIST_NAMES)
        return STATUS_OK;
    if (r->format == LIST_MARKDOWN)
        instructions_markdown();
    else if (r->format == LIST_JSON)
        instructions_json();
    else
        instructions_text();
    return STATUS_OK;
}

static void print_sreg(const struct sreg_info *s)
{
    struct text line = {0};
    text_printf(&line, "%-26s %-5s ", s->text, type_table[s->type].text);
    cli_wrap(&line, (int)line.length, (int)line.length, s->meaning);
    fputs(line.data, stdout);
    text_free(&line);
}

int list_sregs(const struct list_request *r)
{
    for (int i = 0; i < SREG_COUNT; i++) {
        const struct sreg_info *s = &sreg_table[i];
        if (r->format == LIST_NAMES)
            puts(s->text);
        else if (r->format == LIST_JSON)
            list_object(
                (const char *const[]){"name", s->text, "type", type_table[s->type].text, "meaning", s->meaning, NULL});
        else
            print_sreg(s);
    }
    return STATUS_OK;
}

int list_classes(const struct list_request *r)
{
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (r->format == LIST_NAMES)
            puts(class_names[i]);
        else if (r->format == LIST_JSON)
            list_object((const char *const[]){"name", class_names[i], "meaning", class_text[i], NULL});
        else
            list_entry(class_names[i], 10, class_text[i]);
    }
    return STATUS_OK;
}
