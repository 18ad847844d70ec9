/* The editor of a function's body (edit.h): opening, closing, and changes of the list. */
#include "rewrite/edit.h"

#include "base/text.h"
#include "ptx/snippet.h"

#include <limits.h>
#include <stdarg.h>

/* ---- the list ---- */

static struct edit_item *new_item(struct edit *e, enum edit_kind kind)
{
    struct edit_item *item = arena_new(&e->scratch, struct edit_item);
    item->kind = kind;
    item->index = -1;
    return item;
}

static void link_ahead(struct edit_item *before, struct edit_item *item)
{
    item->previous = before->previous;
    item->next = before;
    before->previous->next = item;
    before->previous = item;
}

static void unlink_item(struct edit_item *item)
{
    item->previous->next = item->next;
    item->next->previous = item->previous;
}

struct edit_item *edit_at(struct edit *e, int index)
{
    return index < e->count ? e->original[index] : &e->end;
}

struct edit_item *edit_next_instruction(struct edit_item *item)
{
    while (item->kind == EDIT_LABEL || item->kind == EDIT_PRAGMA)
        item = item->next;
    return item;
}

/* Line number that a label or pragma gets ahead of `before`. */
static int line_at(const struct edit_item *before)
{
    while (before->kind == EDIT_LABEL || before->kind == EDIT_PRAGMA)
        before = before->next;
    return before->kind == EDIT_INSTRUCTION ? before->insn.line : 0;
}

/* ---- opening ---- */

static struct edit_item *append_label(struct edit *e, const char *name, int line)
{
    struct edit_item *item = new_item(e, EDIT_LABEL);
    item->text = name;
    item->line = line;
    item->number = e->labels.count;
    vec_push(&e->labels, item);
    link_ahead(&e->end, item);
    return item;
}

/* Appends the pragmas ahead of an instruction that stand on lines before `line`. Returns the next pragma. */
static int append_pragmas(struct edit *e, int pragma, int instruction, int line)
{
    const struct ptx_function *f = e->function;
    for (; pragma < f->pragma_count && f->pragmas[pragma].before <= instruction; pragma++) {
        if (f->pragmas[pragma].before < 0)
            continue;
        if (f->pragmas[pragma].line >= line)
            break;
        struct edit_item *item = new_item(e, EDIT_PRAGMA);
        item->text = f->pragmas[pragma].text;
        item->line = f->pragmas[pragma].line;
        link_ahead(&e->end, item);
    }
    return pragma;
}

/* By instruction and for the end: whether a branch leads there although the text has no label. */
static bool *find_unlabelled(struct edit *e)
{
    const struct ptx_function *f = e->function;
    bool *wanted = arena_array(&e->scratch, bool, (size_t)e->count + 1);
    for (int i = 0; i < e->count; i++)
        for (int o = 0; o < f->instructions[i].operand_count; o++)
            if (f->instructions[i].operand[o].kind == OPERAND_LABEL)
                wanted[f->instructions[i].operand[o].target] = true;
    for (int i = 0; i < f->targets_count; i++)
        for (int k = 0; k < f->targets[i]->count; k++)
            wanted[f->targets[i]->target[k]] = true;
    for (int i = 0; i < f->label_count; i++)
        wanted[f->labels[i].target] = false;
    return wanted;
}

/* Replaces indices of instructions by numbers of labels; `number` is by index. */
static void number_targets(struct edit *e, const int *number)
{
    const struct ptx_function *f = e->function;
    for (int i = 0; i < e->count; i++) {
        struct ptx_instruction *insn = &e->original[i]->insn;
        for (int o = 0; o < insn->operand_count; o++)
            if (insn->operand[o].kind == OPERAND_LABEL)
                insn->operand[o].target = number[insn->operand[o].target];
    }
    for (int i = 0; i < f->targets_count; i++)
        for (int k = 0; k < f->targets[i]->count; k++)
            f->targets[i]->target[k] = number[f->targets[i]->target[k]];
}

void edit_open(struct edit *e, struct ptx_function *f)
{
    memset(e, 0, sizeof *e);
    e->function = f;
    e->count = f->instruction_count;
    e->end = (struct edit_item){.kind = EDIT_END, .previous = &e->end, .next = &e->end, .index = -1};
    e->original = arena_array(&e->scratch, struct edit_item *, (size_t)e->count + 1);
    int *number = arena_array(&e->scratch, int, (size_t)e->count + 1);
    bool *is_unlabelled = find_unlabelled(e);
    int label = 0, pragma = 0;
    for (int i = 0; i <= e->count; i++) {
        for (; label < f->label_count && f->labels[label].target == i; label++) {
            pragma = append_pragmas(e, pragma, i, f->labels[label].line);
            number[i] = append_label(e, f->labels[label].name, f->labels[label].line)->number;
        }
        pragma = append_pragmas(e, pragma, i, INT_MAX);
        if (is_unlabelled[i])
            number[i] = append_label(e, edit_fresh_name(e, "L"), 0)->number;
        if (i == e->count)
            break;
        e->original[i] = new_item(e, EDIT_INSTRUCTION);
        e->original[i]->insn = f->instructions[i];
        e->original[i]->index = i;
        link_ahead(&e->end, e->original[i]);
    }
    number_targets(e, number);
}

/* ---- closing ---- */

/* What edit_close() gathers. */
struct edit_result {
    struct vec_of(struct ptx_instruction) instructions;
    struct vec_of(struct ptx_label) labels;
    struct vec_of(struct ptx_pragma) pragmas;
};

/* Adds the items in their order. Whether a pragma stands ahead of a label is read from lines, so a line is raised where
 * items that were added or moved would come out in another order. */
static void gather(struct edit *e, struct edit_result *r)
{
    int label_line = 0, pragma_line = -1;
    for (struct edit_item *item = edit_first(e); item != edit_end(e); item = item->next) {
        int here = r->instructions.count;
        if (item->kind == EDIT_INSTRUCTION) {
            vec_push(&r->instructions, item->insn);
            label_line = 0;
            pragma_line = -1;
        } else if (item->kind == EDIT_LABEL) {
            label_line = item->line > label_line ? item->line : label_line;
            label_line = label_line > pragma_line ? label_line : pragma_line + 1;
            vec_push(&r->labels, (struct ptx_label){.name = item->text, .target = here, .line = label_line});
        } else {
            pragma_line = item->line > pragma_line ? item->line : pragma_line;
            pragma_line = pragma_line > label_line ? pragma_line : label_line;
            vec_push(&r->pragmas, (struct ptx_pragma){.text = item->text, .before = here, .line = pragma_line});
        }
    }
}

/* The index of the instruction behind a label. */
static int32_t index_of(const struct edit *e, const struct edit_result *r, int *index, int number)
{
    if (number < 0 || number >= e->labels.count || !e->labels.data[number])
        panic("function %s: a branch names label %d, which was removed", e->function->name, number);
    if (index[number] < 0)
        for (int i = 0; i < r->labels.count; i++)
            if (r->labels.data[i].name == e->labels.data[number]->text)
                index[number] = r->labels.data[i].target;
    return index[number];
}

static void resolve_targets(struct edit *e, struct edit_result *r)
{
    const struct ptx_function *f = e->function;
    int *index = arena_array(&e->scratch, int, (size_t)e->labels.count + 1);
    for (int i = 0; i < e->labels.count; i++)
        index[i] = -1;
    for (int i = 0; i < r->instructions.count; i++) {
        struct ptx_instruction *insn = &r->instructions.data[i];
        for (int o = 0; o < insn->operand_count; o++)
            if (insn->operand[o].kind == OPERAND_LABEL)
                insn->operand[o].target = index_of(e, r, index, insn->operand[o].target);
    }
    for (int i = 0; i < f->targets_count; i++)
        for (int k = 0; k < f->targets[i]->count; k++) {
            int number = f->targets[i]->target[k];
            f->targets[i]->target[k] = index_of(e, r, index, number);
            f->targets[i]->label[k] = e->labels.data[number]->text;
        }
}

void edit_close(struct edit *e)
{
    struct ptx_function *f = e->function;
    struct arena *arena = &f->module->arena;
    struct edit_result r = {0};
    for (int i = 0; i < f->pragma_count; i++)
        if (f->pragmas[i].before < 0)
            vec_push(&r.pragmas, f->pragmas[i]);
    gather(e, &r);
    resolve_targets(e, &r);
    vec_into_arena(&r.instructions, arena, f->instructions, f->instruction_count);
    vec_into_arena(&r.labels, arena, f->labels, f->label_count);
    vec_into_arena(&r.pragmas, arena, f->pragmas, f->pragma_count);
    vec_free(&e->labels);
    arena_free(&e->scratch);
}

/* ---- labels and branches ---- */

struct edit_item *edit_add_label(struct edit *e, struct edit_item *before, const char *hint)
{
    struct edit_item *item = append_label(e, edit_fresh_name(e, hint), line_at(before));
    if (before != &e->end) {
        unlink_item(item);
        link_ahead(before, item);
    }
    return item;
}

struct edit_item *edit_label_of(struct edit *e, struct edit_item *item, const char *hint)
{
    for (struct edit_item *i = item->kind == EDIT_LABEL ? item : item->previous;
         i->kind == EDIT_LABEL || i->kind == EDIT_PRAGMA; i = i->previous)
        if (i->kind == EDIT_LABEL)
            return i;
    return edit_add_label(e, item, hint);
}

static struct ptx_operand *label_operand(const struct edit_item *item)
{
    for (int o = 0; item->kind == EDIT_INSTRUCTION && o < item->insn.operand_count; o++)
        if (item->insn.operand[o].kind == OPERAND_LABEL)
            return &item->insn.operand[o];
    return NULL;
}

struct edit_item *edit_target(const struct edit *e, const struct edit_item *branch)
{
    const struct ptx_operand *operand = label_operand(branch);
    return operand ? e->labels.data[operand->target] : NULL;
}

void edit_retarget(struct edit_item *branch, const struct edit_item *label)
{
    label_operand(branch)->target = label->number;
}

void edit_retarget_all(struct edit *e, const struct edit_item *from, const struct edit_item *to)
{
    const struct ptx_function *f = e->function;
    for (struct edit_item *item = edit_first(e); item != edit_end(e); item = item->next)
        if (edit_target(e, item) == from)
            edit_retarget(item, to);
    for (int i = 0; i < f->targets_count; i++)
        for (int k = 0; k < f->targets[i]->count; k++)
            if (f->targets[i]->target[k] == from->number)
                f->targets[i]->target[k] = to->number;
}

/* ---- changes ---- */

/* Links the statements of a snippet ahead of `before`. */
static void link_snippet(struct edit *e, struct edit_item *before, const struct ptx_snippet *s)
{
    const struct edit_item *model = edit_next_instruction(before);
    if (model->kind == EDIT_END)
        for (model = before->previous; model->kind == EDIT_LABEL || model->kind == EDIT_PRAGMA;)
            model = model->previous;
    int line = model->kind == EDIT_INSTRUCTION ? model->insn.line : e->function->line;
    int location = model->kind == EDIT_INSTRUCTION ? model->insn.location : -1;
    int label = 0, pragma = 0, first_number = e->labels.count;
    for (int i = 0; i <= s->instruction_count; i++) {
        for (; label < s->label_count && s->labels[label].target == i; label++) {
            struct edit_item *item = append_label(e, s->labels[label].name, line);
            unlink_item(item);
            link_ahead(before, item);
        }
        for (; pragma < s->pragma_count && s->pragmas[pragma].before == i; pragma++)
            edit_insert_pragma(e, before, s->pragmas[pragma].text);
        if (i == s->instruction_count)
            break;
        struct edit_item *item = new_item(e, EDIT_INSTRUCTION);
        item->insn = s->instructions[i];
        item->insn.line = line;
        item->insn.location = location;
        struct ptx_operand *operand = label_operand(item);
        if (operand && operand->target < 0) {
            operand->target = -1 - operand->target;
        } else if (operand) {
            int number = 0;
            while (s->labels[number].target != operand->target)
                number++;
            operand->target = first_number + number;
        }
        link_ahead(before, item);
    }
}

struct edit_item *edit_insert(struct edit *e, struct edit_item *before, const char *format, ...)
{
    struct edit_item *ahead = before->previous;
    struct text text = {0};
    struct diag diag = {0};
    struct ptx_snippet snippet;
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    const char **labels = arena_array(&e->scratch, const char *, (size_t)e->labels.count + 1);
    for (int i = 0; i < e->labels.count; i++)
        labels[i] = e->labels.data[i] ? e->labels.data[i]->text : "$removed";
    if (!ptx_parse_snippet(e->function, labels, e->labels.count, text.data ? text.data : "", text.length, &snippet,
                           &diag)) {
        char *why = diag_text(&diag);
        panic("function %s: a pass wrote PTX that does not parse:\n%s", e->function->name, why);
    }
    link_snippet(e, before, &snippet);
    diag_free(&diag);
    text_free(&text);
    return ahead->next;
}

struct edit_item *edit_insert_pragma(struct edit *e, struct edit_item *before, const char *text)
{
    struct edit_item *item = new_item(e, EDIT_PRAGMA);
    item->text = arena_copy_string(&e->function->module->arena, text, strlen(text));
    item->line = line_at(before);
    link_ahead(before, item);
    return item;
}

void edit_remove(struct edit *e, struct edit_item *item)
{
    if (item->kind == EDIT_LABEL)
        e->labels.data[item->number] = NULL;
    unlink_item(item);
}

void edit_remove_instructions(struct edit *e, struct edit_item *first, struct edit_item *last)
{
    for (struct edit_item *item = first, *behind = last->next, *next; item != behind; item = next) {
        next = item->next;
        if (item->kind != EDIT_LABEL)
            edit_remove(e, item);
    }
}

void edit_move(struct edit *e, struct edit_item *first, struct edit_item *last, struct edit_item *before)
{
    (void)e;
    first->previous->next = last->next;
    last->next->previous = first->previous;
    first->previous = before->previous;
    last->next = before;
    before->previous->next = first;
    before->previous = last;
}

struct edit_item *edit_copy(struct edit *e, struct edit_item *first, struct edit_item *last, struct edit_item *before)
{
    struct edit_item *ahead = before->previous, *behind = last->next;
    int known = e->labels.count;
    int *copy_of = arena_array(&e->scratch, int, (size_t)known + 1);
    for (int i = 0; i < known; i++)
        copy_of[i] = -1;
    for (struct edit_item *item = first; item != behind; item = item->next) {
        struct edit_item *copy;
        if (item->kind == EDIT_LABEL) {
            copy = edit_add_label(e, before, item->text);
            copy_of[item->number] = copy->number;
        } else {
            copy = new_item(e, item->kind);
            *copy = *item;
            copy->index = -1;
            if (item->kind == EDIT_INSTRUCTION)
                copy->insn = edit_copy_instruction(e, &item->insn);
            link_ahead(before, copy);
        }
        copy->line = item->line;
    }
    for (struct edit_item *item = ahead->next; item != before; item = item->next) {
        struct ptx_operand *operand = label_operand(item);
        if (operand && operand->target < known && copy_of[operand->target] >= 0)
            operand->target = copy_of[operand->target];
    }
    return ahead->next;
}
