/*
 * Predictions from the program's pragmas and from words of the command line, whose forms predict.h describes. A pragma
 * that is no valid prediction is recorded with the reason, and is no error. What copies of a point mean is decided in
 * predict_copies.c, whether a prediction is legal in predict_region.c.
 */
#include "recon/predict.h"

#include "base/demangle.h"
#include "base/diag.h"
#include "recon/predict_copies.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char start_word[] = "heddle.predict", label_word[] = "heddle.label";

void predictions_free(struct predictions *p)
{
    vec_free(&p->list);
    vec_free(&p->unusable);
    arena_free(&p->arena);
}

static const char *keep(struct predictions *into, const char *text)
{
    return arena_copy_string(&into->arena, text, strlen(text));
}

void predict_add(struct predictions *into, const struct prediction *prediction)
{
    struct prediction p = *prediction;
    p.name = keep(into, p.name);
    p.origin = keep(into, p.origin);
    p.note = p.note ? keep(into, p.note) : NULL;
    p.starts = arena_array(&into->arena, struct barrier_place, (size_t)p.start_count);
    memcpy(p.starts, prediction->starts, sizeof *p.starts * (size_t)p.start_count);
    vec_push(&into->list, p);
}

static void refuse(struct predictions *into, const char *name, const char *origin, const char *why, ...)
    __attribute__((format(printf, 4, 5)));
static void refuse(struct predictions *into, const char *name, const char *origin, const char *why, ...)
{
    struct text text = {0};
    va_list args;
    va_start(args, why);
    text_vprintf(&text, why, args);
    va_end(args);
    vec_push(&into->unusable, (struct unpredicted){keep(into, name), keep(into, origin), keep(into, text.data)});
    text_free(&text);
}

/* ---- options: what stands behind the names ---- */

/* Options of a prediction; the fields are those of struct prediction. */
struct predict_options {
    int threshold;
    bool as_listed;
    enum deconflict deconflict;
};

bool predict_read_threshold(const char *word, int *threshold)
{
    char *end;
    long n = strtol(word, &end, 10);
    bool is_word = !strcmp(word, "all") || !strcmp(word, "adaptive");
    if (!is_word && (*word < '0' || *word > '9' || *end || n < 1 || n > BARRIER_THRESHOLD_MAX))
        return false;
    *threshold = !is_word ? (int)n : strcmp(word, "all") ? BARRIER_ADAPTIVE : 0;
    return true;
}

/* Reads one option of `length` characters. False: the word is no option. */
static bool read_option(struct predict_options *m, const char *word, size_t length)
{
    char copy[32];
    if (length >= sizeof copy || !length)
        return false;
    memcpy(copy, word, length);
    copy[length] = '\0';
    if (!strcmp(copy, "scope=listing") || !strcmp(copy, "scope=loop")) {
        m->as_listed = copy[6] == 'l' && copy[7] == 'i';
        return true;
    }
    if (!strcmp(copy, "deconflict=static") || !strcmp(copy, "deconflict=dynamic")) {
        m->deconflict = copy[11] == 's' ? DECONFLICT_STATIC : DECONFLICT_DYNAMIC;
        return true;
    }
    bool is_named = !strncmp(copy, "threshold=", 10);
    const char *value = is_named ? copy + 10 : copy;
    return strcmp(value, "all") && (is_named || strcmp(value, "adaptive")) &&
           predict_read_threshold(value, &m->threshold);
}

/* ---- pragmas ---- */

/* A pragma: the beginning of a region, or a point. */
struct predict_mark {
    bool is_start; /* heddle.predict; else heddle.label */
    char name[64];
    struct predict_options options;
    int32_t pc, function;   /* of the instruction behind the pragma */
    bool is_ahead_of_label; /* a label stands between the pragma and that instruction */
    int line;
};

struct predict_marks {
    struct vec_of(struct predict_mark) list;
};

/* The first PC that comes from the text's instruction `index` or a later one, or PC_NONE. */
static int32_t pc_of(const struct program *p, const struct program_function *f, int32_t index)
{
    for (int32_t pc = f->first; pc <= f->last; pc++)
        if (p->insns[pc].origin && p->insns[pc].origin - f->source->instructions >= index)
            return pc;
    return PC_NONE;
}

static bool is_ours(const char *text)
{
    return !strncmp(text, "heddle.", 7);
}

/* Reads "heddle.label NAME [option ...]". False, and why. */
static bool read_mark(struct predict_mark *m, const char *text, const char **why)
{
    m->is_start = !strncmp(text, start_word, sizeof start_word - 1);
    if (!m->is_start && strncmp(text, label_word, sizeof label_word - 1)) {
        *why = "is no pragma of heddle; the pragmas are heddle.predict NAME and heddle.label NAME";
        return false;
    }
    text += m->is_start ? sizeof start_word - 1 : sizeof label_word - 1;
    for (int i = 0;; i++) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t");
        if (!length) {
            *why = "has no name";
            return i > 0;
        }
        if (i == 0) {
            if (length >= sizeof m->name) {
                *why = "has too long a name";
                return false;
            }
            snprintf(m->name, sizeof m->name, "%.*s", (int)length, text);
        } else if (!read_option(&m->options, text, length)) {
            *why = "takes threshold=N, from 1 to 64, threshold=adaptive, scope=listing and deconflict=static "
                   "behind the name";
            return false;
        }
        text += length;
    }
}

static void read_marks(struct predictions *into, const struct program *p, int32_t function, struct predict_marks *marks)
{
    const struct program_function *f = &p->functions[function];
    for (int i = 0; i < f->source->pragma_count; i++) {
        const struct ptx_pragma *pragma = &f->source->pragmas[i];
        struct predict_mark m = {.function = function, .line = pragma->line};
        char origin[64];
        const char *why;
        if (!is_ours(pragma->text))
            continue;
        snprintf(origin, sizeof origin, "PTX line %d", pragma->line);
        m.pc = pc_of(p, f, pragma->before < 0 ? 0 : pragma->before);
        for (int k = 0; k < f->source->label_count; k++)
            m.is_ahead_of_label |=
                f->source->labels[k].target == pragma->before && f->source->labels[k].line > pragma->line;
        if (!read_mark(&m, pragma->text, &why))
            refuse(into, pragma->text, origin, "\"%s\" %s", pragma->text, why);
        else if (m.pc == PC_NONE)
            refuse(into, m.name, origin, "no instruction follows the pragma");
        else
            vec_push(&marks->list, m);
    }
}

/* The places of all points with the name of `label` in its function. */
static struct predict_copies copies_of(const struct predict_marks *marks, const struct predict_mark *label,
                                       struct arena *arena)
{
    int32_t *pcs = arena_array(arena, int32_t, (size_t)marks->list.count);
    int count = 0;
    for (int i = 0; i < marks->list.count; i++) {
        const struct predict_mark *m = &marks->list.data[i];
        if (m->is_start || m->function != label->function || strcmp(m->name, label->name))
            continue;
        if (!count || pcs[count - 1] != m->pc) /* pragmas stand in the order of the text */
            pcs[count++] = m->pc;
    }
    return (struct predict_copies){.count = count, .pcs = pcs};
}

/* Whether an earlier mark of the same kind names the same point. */
static bool is_repeated(const struct predict_marks *marks, const struct predict_mark *label)
{
    for (const struct predict_mark *m = marks->list.data; m < label; m++)
        if (!m->is_start && m->pc == label->pc && !strcmp(m->name, label->name))
            return true;
    return false;
}

static bool is_first_start(const struct predict_marks *marks, const struct predict_mark *start)
{
    for (const struct predict_mark *m = marks->list.data; m < start; m++)
        if (m->is_start && m->function == start->function && !strcmp(m->name, start->name))
            return false;
    return true;
}

/* Where a region begins: before the instruction; or, if the pragma stands ahead of its label, on the edge that falls
 * through to the label, if there is one. */
static struct barrier_place place_of(const struct program *p, const struct predict_mark *m)
{
    if (!m->is_ahead_of_label || m->pc == p->functions[m->function].first)
        return barrier_before(m->pc);
    const struct flow_block *above = &p->blocks[p->insns[m->pc - 1].block];
    for (int i = 0; i < above->successor_count; i++)
        if (above->last == m->pc - 1 && p->blocks[above->successors[i]].first == m->pc)
            return (struct barrier_place){m->pc - 1, m->pc};
    return barrier_before(m->pc);
}

/* Adds one prediction for all beginnings with the name of `start` in its function, unless the copies of its point show
 * that it gains nothing. */
static void add_predicted(struct predictions *into, const struct program *p, const struct predict_marks *marks,
                          const struct predict_mark *start, const struct predict_copies *copies, int32_t label,
                          int32_t callee, struct predict_options options)
{
    struct vec_of(struct barrier_place) starts = {0};
    char origin[64];
    for (int i = 0; i < marks->list.count; i++) {
        const struct predict_mark *m = &marks->list.data[i];
        if (m->is_start && m->function == start->function && !strcmp(m->name, start->name)) {
            vec_push(&starts, place_of(p, m));
            options.threshold = m->options.threshold ? m->options.threshold : options.threshold;
            options.as_listed |= m->options.as_listed;
            options.deconflict |= m->options.deconflict;
        }
    }
    snprintf(origin, sizeof origin, "PTX line %d", start->line);
    struct prediction d = {.name = start->name,
                           .origin = origin,
                           .note = copies ? copies_note(p, copies, label, &into->arena) : NULL,
                           .start_count = starts.count,
                           .starts = starts.data,
                           .label = label,
                           .callee = callee,
                           .threshold = options.threshold,
                           .as_listed = options.as_listed,
                           .deconflict = options.deconflict};
    const char *useless = copies ? copies_uselessness(p, copies, &d, &into->arena) : NULL;
    if (useless)
        refuse(into, d.name, d.origin, "%s", useless);
    else
        predict_add(into, &d);
    vec_free(&starts);
}

static int32_t find_function(const struct program *p, const char *name)
{
    for (int32_t i = 1; i < p->function_count; i++)
        if (!strcmp(p->functions[i].source->name, name))
            return i;
    return -1;
}

/* The function whose entry the point is, if that is not the function of the region; else -1. */
static int32_t callee_of(const struct program *p, int32_t label, int32_t function)
{
    int32_t other = p->insns[label].function;
    return other != function && p->functions[other].first == label ? other : -1;
}

/* Adds the predictions whose points are labels with the name of `start`. Returns how many labels there are. */
static int match_labels(struct predictions *into, const struct program *p, const struct predict_marks *marks,
                        const struct predict_mark *start, const char *origin)
{
    int labels = 0;
    const char *refused = NULL;
    for (int i = 0; i < marks->list.count; i++) {
        const struct predict_mark *m = &marks->list.data[i];
        if (m->is_start || strcmp(m->name, start->name))
            continue;
        struct predict_copies copies = copies_of(marks, m, &into->arena);
        const char *refusal = copies_refusal(p, &copies, &into->arena);
        labels++;
        if (refusal && !refused)
            refuse(into, start->name, origin, "%s", refused = refusal);
        else if (!refusal && !copies_are_covered(p, &copies, m->pc) && !is_repeated(marks, m))
            add_predicted(into, p, marks, start, &copies, m->pc, callee_of(p, m->pc, start->function), m->options);
    }
    return labels;
}

static void match_start(struct predictions *into, const struct program *p, const struct predict_marks *marks,
                        const struct predict_mark *start)
{
    char origin[64];
    snprintf(origin, sizeof origin, "PTX line %d", start->line);
    if (match_labels(into, p, marks, start, origin))
        return;
    int32_t function = find_function(p, start->name);
    if (function >= 0)
        add_predicted(into, p, marks, start, NULL, p->functions[function].first, function, (struct predict_options){0});
    else
        refuse(into, start->name, origin, "the kernel reaches no heddle.label and no function of that name: %s",
               copies_absence(p, start->name, &into->arena));
}

/* A label that nothing predicts is none of the kernel's business if another kernel does. */
static void match_label(struct predictions *into, const struct program *p, const struct predict_marks *marks,
                        const struct predict_mark *label)
{
    char origin[64];
    for (const struct predict_mark *m = marks->list.data; m < label; m++)
        if (!m->is_start && !strcmp(m->name, label->name))
            return;
    snprintf(origin, sizeof origin, "PTX line %d", label->line);
    if (!copies_are_predicted(p->kernel->module, label->name))
        refuse(into, label->name, origin,
               "no heddle.predict has the name of this heddle.label; the compiler may have dropped it as dead code");
}

bool predict_has_pragmas(const struct program *program)
{
    for (int32_t f = 0; f < program->function_count; f++)
        for (int i = 0; i < program->functions[f].source->pragma_count; i++)
            if (is_ours(program->functions[f].source->pragmas[i].text))
                return true;
    return false;
}

void predict_from_pragmas(struct predictions *into, const struct program *program)
{
    struct predict_marks marks = {0};
    for (int32_t f = 0; f < program->function_count; f++)
        read_marks(into, program, f, &marks);
    for (int i = 0; i < marks.list.count; i++)
        if (!marks.list.data[i].is_start)
            match_label(into, program, &marks, &marks.list.data[i]);
        else if (is_first_start(&marks, &marks.list.data[i]))
            match_start(into, program, &marks, &marks.list.data[i]);
    vec_free(&marks.list);
}

/* ---- words ---- */

/* The PC of the label, or PC_NONE. */
static int32_t find_label(const struct program *p, const char *word)
{
    for (int32_t i = 0; i < p->function_count; i++) {
        const struct program_function *f = &p->functions[i];
        for (int k = 0; k < f->source->label_count; k++)
            if (!strcmp(f->source->labels[k].name, word))
                return pc_of(p, f, f->source->labels[k].target);
    }
    return PC_NONE;
}

/* The PC of a place as program_print_pc() names it, "C" or "C+5", or PC_NONE. */
static int32_t find_in_block(const struct program *p, const char *word)
{
    size_t length = strcspn(word, "+");
    char *end = NULL;
    long steps = word[length] ? strtol(word + length + 1, &end, 10) : 0;
    if (end && (*end || word[length + 1] < '0' || word[length + 1] > '9'))
        return PC_NONE;
    for (int32_t b = 0; b < p->block_count; b++)
        if (strlen(p->blocks[b].name) == length && !strncmp(p->blocks[b].name, word, length))
            return steps <= p->blocks[b].last - p->blocks[b].first ? p->blocks[b].first + (int32_t)steps : PC_NONE;
    return PC_NONE;
}

static int32_t find_place(const struct program *p, const char *word)
{
    int32_t pc = find_label(p, word);
    return pc == PC_NONE ? find_in_block(p, word) : pc;
}

/* A number is refused even if it is a PC: it could as well be meant as the number of a block. */
static bool refuse_place(const struct program *p, const char *word, char **error)
{
    struct text name = {0};
    char *end;
    long pc = strtol(word, &end, 10);
    bool is_number = *word >= '0' && *word <= '9' && !*end;
    if (is_number && pc < p->insn_count)
        program_print_pc(p, (int32_t)pc, &name);
    char *kernel = demangle_short(p->kernel->name);
    if (name.length)
        diag_fail(error, "the kernel %s has no label or block '%s'; PC %ld is %.*s", kernel, word, pc, (int)name.length,
                  name.data);
    else
        diag_fail(error, "the kernel %s has no label or block '%s'; heddle flow prints their names", kernel, word);
    free(kernel);
    text_free(&name);
    return false;
}

bool predict_from_words(struct predictions *into, const struct program *program, const char *words, char **error)
{
    char part[2][128];
    struct predict_options options = {0};
    for (int i = 0;; i++) {
        size_t length = strcspn(words, ":");
        if (i < 2 && (!length || length >= sizeof part[0]))
            return diag_fail(error, "a prediction is REGION:POINT, perhaps with :threshold=N behind it");
        if (i < 2)
            snprintf(part[i], sizeof part[i], "%.*s", (int)length, words);
        else if (!read_option(&options, words, length))
            return diag_fail(error,
                             "'%.*s' is none of threshold=N, from 1 to 64, threshold=adaptive, scope=listing and "
                             "deconflict=static",
                             (int)length, words);
        words += length;
        if (!*words && i >= 1)
            break;
        words += *words == ':';
    }
    int32_t first = find_place(program, part[0]), callee = find_function(program, part[1]);
    int32_t label = callee >= 0 ? program->functions[callee].first : find_place(program, part[1]);
    if (first == PC_NONE || label == PC_NONE)
        return refuse_place(program, part[first != PC_NONE], error);
    if (callee < 0)
        callee = callee_of(program, label, program->insns[first].function);
    struct barrier_place start = barrier_before(first);
    predict_add(into, &(struct prediction){.name = part[1],
                                           .origin = "asked for",
                                           .start_count = 1,
                                           .starts = &start,
                                           .label = label,
                                           .callee = callee,
                                           .threshold = options.threshold,
                                           .as_listed = options.as_listed,
                                           .deconflict = options.deconflict});
    return true;
}
