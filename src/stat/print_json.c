/* Statistics as JSON: one object per owner, and one per set of formulas. A formula without a value is null. */
#include "stat/format.h"

/* The name of a member, after a comma unless it is the first of its object. A launch has hundreds of members, so
 * nothing here goes through printf(). */
static void print_name(struct text *out, int index, const char *name)
{
    text_append(out, index ? ",\"" : "\"", index ? 2 : 1);
    text_append_word(out, name);
    text_append(out, "\":", 2);
}

void stat_print_json(const struct stat_result *result, struct text *out)
{
    for (int i = 0; i < result->count; i++) {
        const struct stat_value *part = &result->parts[i];
        print_name(out, i, part->owner->name);
        text_append(out, "{", 1);
        for (int j = 0; j < part->owner->count; j++) {
            const struct stat_counter *c = &part->owner->counters[j];
            print_name(out, j, c->name);
            text_append_number(out, stat_load(c, part->values));
        }
        text_append(out, "}", 1);
    }
}

void stat_json_formulas(const char *name, const struct stat_result *result, const struct stat_formula *formulas,
                        int count, struct text *out)
{
    char number[STAT_NUMBER_LENGTH];
    text_printf(out, "\"%s\":{", name);
    for (int i = 0; i < count; i++) {
        stat_format_exact(formulas[i].value(result), number);
        print_name(out, i, formulas[i].name);
        text_append_word(out, *number ? number : "null");
    }
    text_printf(out, "}");
}
