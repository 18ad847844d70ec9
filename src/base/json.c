/* JSON: reads values through cJSON, walks over their scalars, and writes strings in quotes. */
#include "base/json.h"

#include "base/diag.h"

#include <math.h>

static const double most_exact = 9007199254740992.0; /* 2^53 */

/* ---- reading ---- */

cJSON *json_read(const char *text, char **error)
{
    const char *stop = text;
    cJSON *value = cJSON_ParseWithOpts(text, &stop, true);
    if (!value)
        diag_fail(error, "at byte %zu: not JSON, or nested more than %d levels deep", (size_t)(stop - text),
                  CJSON_NESTING_LIMIT);
    return value;
}

bool json_get_count(const cJSON *object, const char *name, uint64_t *count, char **error)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(member))
        return false;
    double number = member->valuedouble;
    if (!(number >= 0 && number <= most_exact && number == floor(number)))
        return diag_fail(error, "\"%s\" is %.17g, which is not a count from 0 to 2^53", name, number);
    *count = (uint64_t)number;
    return true;
}

struct json_walker {
    struct text path; /* of the value that is visited now */
    json_visitor *visit;
    void *context;
};

static void visit_value(struct json_walker *w, const cJSON *value);

/* Visits the members of an object or the elements of an array. Recursion ends at cJSON's limit of nesting. */
static void visit_children(struct json_walker *w, const cJSON *parent)
{
    size_t length = w->path.length;
    const cJSON *child;
    cJSON_ArrayForEach(child, parent)
    {
        if (cJSON_IsArray(parent))
            text_append(&w->path, "[]", 2);
        else {
            text_append(&w->path, ".", length != 0);
            text_append_word(&w->path, child->string);
        }
        visit_value(w, child);
        w->path.length = length;
        w->path.data[length] = '\0';
    }
}

static void visit_value(struct json_walker *w, const cJSON *value)
{
    struct json_scalar scalar = {.path = w->path.data ? w->path.data : "", .kind = JSON_NULL};
    if (cJSON_IsObject(value) || cJSON_IsArray(value)) {
        visit_children(w, value);
        return;
    }
    if (cJSON_IsNumber(value)) {
        scalar.kind = JSON_NUMBER;
        scalar.number = value->valuedouble;
    } else if (cJSON_IsString(value)) {
        scalar.kind = JSON_STRING;
        scalar.string = value->valuestring;
    } else if (cJSON_IsBool(value)) {
        scalar.kind = JSON_BOOL;
        scalar.number = cJSON_IsTrue(value);
    }
    w->visit(w->context, &scalar);
}

bool json_walk(const char *text, json_visitor *visit, void *context, char **error)
{
    cJSON *value = json_read(text, error);
    if (!value)
        return false;
    struct json_walker w = {.visit = visit, .context = context};
    visit_value(&w, value);
    cJSON_Delete(value);
    text_free(&w.path);
    return true;
}

/* ---- writing ---- */

void json_print_string(struct text *out, const char *string)
{
    if (!string) {
        text_printf(out, "null");
        return;
    }
    text_append(out, "\"", 1);
    for (const char *c = string; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\')
            text_printf(out, "\\%c", byte);
        else if (byte < 0x20 || byte >= 0x7f) /* bytes above ASCII need not be valid UTF-8 */
            text_printf(out, "\\u%04x", byte);
        else
            text_append(out, c, 1);
    }
    text_append(out, "\"", 1);
}
