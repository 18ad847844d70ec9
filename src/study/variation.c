/* Variations: see variation.h. */
#define _GNU_SOURCE
#include "study/variation.h"

#include "base/arena.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

/* Cuts a list at its commas. */
static bool take_values(struct variation_knob *k, const char *list, char **error)
{
    for (;; list++) {
        size_t length = strcspn(list, ",");
        if (!length)
            return diag_fail(error, "--vary %s has an empty value", k->name);
        for (int i = 0; i < k->values.count; i++)
            if (strlen(k->values.data[i]) == length && !memcmp(k->values.data[i], list, length))
                return diag_fail(error, "--vary %s has the value %s twice", k->name, k->values.data[i]);
        vec_push(&k->values, strndup(list, length));
        list += length;
        if (!*list)
            return true;
    }
}

bool variation_add(struct variation *v, const char *text, char **error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return diag_fail(error, "'%s' is not of the form KNOB=VALUE,VALUE,...", text);
    if (v->count == VARIATION_MAX_KNOBS)
        return diag_fail(error, "--vary can be given %d times at most", VARIATION_MAX_KNOBS);
    struct variation_knob *k = &v->knobs[v->count++];
    k->name = strndup(text, (size_t)(equals - text));
    if (v->count > 1 && !strcmp(k->name, v->knobs[0].name))
        return diag_fail(error, "--vary %s is given twice", k->name);
    if (!take_values(k, equals + 1, error))
        return false;
    if (variation_points(v) > VARIATION_MAX_POINTS)
        return diag_fail(error, "--vary has more than %d points", VARIATION_MAX_POINTS);
    return true;
}

void variation_free(struct variation *v)
{
    for (int k = 0; k < v->count; k++) {
        free(v->knobs[k].name);
        for (int i = 0; i < v->knobs[k].values.count; i++)
            free(v->knobs[k].values.data[i]);
        vec_free(&v->knobs[k].values);
    }
    *v = (struct variation){0};
}

int variation_points(const struct variation *v)
{
    int points = 1;
    for (int k = 0; k < v->count; k++)
        points *= v->knobs[k].values.count;
    return points;
}

const char *variation_value(const struct variation *v, int point, int knob)
{
    for (int k = v->count - 1; k > knob; k--)
        point /= v->knobs[k].values.count;
    const struct variation_knob *of = &v->knobs[knob];
    return of->values.data[point % of->values.count];
}
