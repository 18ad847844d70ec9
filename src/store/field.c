/* Fields: see field.h. */
#include "store/field.h"

#include "base/arena.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

static char **text_of(const struct field *f, const void *structure)
{
    return (char **)((char *)structure + f->offset);
}

static int *whole_of(const struct field *f, const void *structure)
{
    return (int *)((char *)structure + f->offset);
}

static double *real_of(const struct field *f, const void *structure)
{
    return (double *)((char *)structure + f->offset);
}

void fields_print(const struct field *fields, int count, const void *structure, struct text *out)
{
    for (const struct field *f = fields; f < fields + count; f++) {
        text_printf(out, "%s\"%s\":", f == fields ? "" : ",", f->name);
        if (f->kind == FIELD_TEXT)
            json_print_string(out, *text_of(f, structure));
        else if (f->kind == FIELD_WHOLE)
            text_printf(out, "%d", *whole_of(f, structure));
        else
            text_printf(out, "%.17g", *real_of(f, structure));
    }
}

/* json_print_string() writes every byte above ASCII as a character from U+0080 to U+00ff, which cJSON returns as two
 * bytes of UTF-8. */
char *field_string(const cJSON *value)
{
    if (!cJSON_IsString(value))
        return NULL;
    char *bytes = xmalloc(strlen(value->valuestring) + 1), *to = bytes;
    for (const unsigned char *at = (const unsigned char *)value->valuestring; *at; at++) {
        bool is_pair = (*at & 0xfc) == 0xc0 && (at[1] & 0xc0) == 0x80;
        *to++ = (char)(is_pair ? (at[0] & 3) << 6 | (at[1] & 0x3f) : *at);
        at += is_pair;
    }
    *to = '\0';
    return bytes;
}

bool fields_read(const struct field *fields, int count, void *structure, const cJSON *object, char **error)
{
    for (const struct field *f = fields; f < fields + count; f++) {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, f->name);
        bool is_text = f->kind == FIELD_TEXT;
        if (!(is_text ? cJSON_IsString(member) || cJSON_IsNull(member) : cJSON_IsNumber(member)))
            return diag_fail(error, "there is no %s \"%s\"", is_text ? "text" : "number", f->name);
        if (is_text)
            *text_of(f, structure) = field_string(member);
        else if (f->kind == FIELD_WHOLE)
            *whole_of(f, structure) = member->valueint;
        else
            *real_of(f, structure) = member->valuedouble;
    }
    return true;
}

void fields_free(const struct field *fields, int count, void *structure)
{
    for (const struct field *f = fields; f < fields + count; f++)
        if (f->kind == FIELD_TEXT) {
            free(*text_of(f, structure));
            *text_of(f, structure) = NULL;
        }
}
