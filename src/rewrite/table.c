/* The table of passes, and lists of passes (table.h). */
#include "rewrite/table.h"

#include "base/demangle.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

const struct rewrite_pass rewrite_table[] = {
#define PASS(name, value_kind, value, meaning, function) {name, value_kind, value, meaning, function},
#include "rewrite/passes.def"
#undef PASS
    {NULL, REWRITE_PLAIN, NULL, NULL, NULL},
};

const struct rewrite_pass *rewrite_find(const char *name, size_t length)
{
    for (const struct rewrite_pass *p = rewrite_table; p->name; p++)
        if (strlen(p->name) == length && !memcmp(p->name, name, length))
            return p;
    return NULL;
}

static bool add_number(struct rewrite_step *step, const char *value, char **error)
{
    char *end = NULL;
    long number = value ? strtol(value, &end, 10) : 0;
    if (!value || end == value || *end || number < 2 || number > REWRITE_MAX_NUMBER)
        return diag_fail(error, "%s takes a number from 2 to %d%s%s%s", step->pass->name, REWRITE_MAX_NUMBER,
                         value ? ", not '" : "", value ? value : "", value ? "'" : "");
    step->options.number = (int)number;
    return true;
}

/* Whether the word is one of those in `words`, which are separated by |. */
static bool is_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *w = words; w; w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
        if (length && !strncmp(w, word, length) && (!w[length] || w[length] == '|'))
            return true;
    return false;
}

bool rewrite_add(struct rewrite_list *list, const struct rewrite_pass *pass, const char *value, char **error)
{
    if (list->count == REWRITE_MAX_PASSES)
        return diag_fail(error, "more than %d passes", REWRITE_MAX_PASSES);
    struct rewrite_step *step = &list->step[list->count];
    *step = (struct rewrite_step){.pass = pass};
    if (pass->value_kind == REWRITE_NUMBER && !add_number(step, value, error))
        return false;
    if (pass->value_kind == REWRITE_PLAIN && value)
        return diag_fail(error, "%s takes no value, but got '%s'", pass->name, value);
    if (pass->value_kind == REWRITE_WORD) {
        if (value && !is_word(pass->value, value))
            return diag_fail(error, "%s takes %s, not '%s'", pass->name, pass->value, value);
        step->options.word = value ? value : pass->value;
    }
    list->count++;
    return true;
}

static bool unknown_pass(const char *name, size_t length, char **error)
{
    struct text names = {0};
    for (const struct rewrite_pass *p = rewrite_table; p->name; p++)
        text_printf(&names, "%s%s", p == rewrite_table ? "" : ", ", p->name);
    diag_fail(error, "there is no pass '%.*s'; there is %s", length < 60 ? (int)length : 60, name, names.data);
    text_free(&names);
    return false;
}

bool rewrite_parse(struct rewrite_list *list, const char *text, struct arena *arena, char **error)
{
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ","), name_length = strcspn(at, ",=");
        const struct rewrite_pass *pass = rewrite_find(at, name_length);
        if (!pass)
            return unknown_pass(at, name_length, error);
        const char *value =
            name_length < length ? arena_copy_string(arena, at + name_length + 1, length - name_length - 1) : NULL;
        if (!rewrite_add(list, pass, value, error))
            return false;
        at += length;
        if (!*at)
            return true;
    }
}

/* Appends what passes say of a kernel, with the name that people write in the place of a mangled one. */
static void append_readable(const struct text *words, const char *kernel, struct text *said)
{
    char *name = demangle_short(kernel);
    for (const char *at = words->data; at && *at;) {
        const char *next = strstr(at, kernel);
        text_printf(said, "%.*s%s", next ? (int)(next - at) : (int)strlen(at), at, next ? name : "");
        at = next ? next + strlen(kernel) : NULL;
    }
    free(name);
}

bool rewrite_apply(const struct rewrite_list *list, struct ptx_module *module, struct ptx_function *kernel,
                   struct text *said)
{
    bool is_changed = false;
    struct text words = {0};
    for (int i = 0; i < list->count; i++)
        is_changed |= list->step[i].pass->apply(module, kernel, &list->step[i].options, &words);
    append_readable(&words, kernel->name, said);
    text_free(&words);
    return is_changed;
}

bool rewrite_apply_all(const struct rewrite_list *list, struct ptx_module *module, struct text *said)
{
    bool is_changed = false;
    for (int i = 0; i < module->function_count; i++) {
        struct ptx_function *f = module->functions[i];
        if (f->is_entry && f->is_defined && !f->alias_of)
            is_changed |= rewrite_apply(list, module, f, said);
    }
    return is_changed;
}
