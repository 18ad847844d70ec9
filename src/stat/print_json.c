/* Statistics as JSON: one object per owner, and one per set of formulas. A formula without a value is null. */
#include "stat/format.h"

#include <inttypes.h>

void stat_print_json(const struct stat_result *result, struct text *out)
{
    for (int i = 0; i < result->count; i++) {
        const struct stat_value *part = &result->parts[i];
        text_printf(out, "%s\"%s\":{", i ? "," : "", part->owner->name);
        for (int j = 0; j < part->owner->count; j++) {
            const struct stat_counter *c = &part->owner->counters[j];
            text_printf(out, "%s\"%s\":%" PRIu64, j ? "," : "", c->name, stat_load(c, part->values));
        }
        text_printf(out, "}");
    }
}

void stat_json_formulas(const char *name, const struct stat_result *result, const struct stat_formula *formulas,
                        int count, struct text *out)
{
    char number[STAT_NUMBER_LENGTH];
    text_printf(out, "\"%s\":{", name);
    for (int i = 0; i < count; i++) {
        stat_format_exact(formulas[i].value(result), number);
        text_printf(out, "%s\"%s\":%s", i ? "," : "", formulas[i].name, *number ? number : "null");
    }
    text_printf(out, "}");
}
