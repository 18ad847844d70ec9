/*
 * Fields: named members of a structure that is kept as JSON and as a row of a table. Each structure has one table of
 * its fields; the text, the columns and the freeing of memory are derived from it.
 */
#ifndef HEDDLE_STORE_FIELD_H
#define HEDDLE_STORE_FIELD_H

#include "base/json.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum field_kind {
    FIELD_TEXT,  /* a `char *` that the structure owns; NULL: there is no text */
    FIELD_WHOLE, /* an `int` */
    FIELD_REAL   /* a `double` */
};

struct field {
    const char *name; /* of the member of JSON, and of the column */
    enum field_kind kind;
    size_t offset; /* in the structure */
};

/* Prints the fields as members of a JSON object, without braces. */
void fields_print(const struct field *fields, int count, const void *structure, struct text *out);
/* Reads fields_print()'s members of a JSON object into a structure that is zero. False and an error text if a member is
 * missing or of another kind; the structure must be freed all the same. */
bool fields_read(const struct field *fields, int count, void *structure, const cJSON *object, char **error);
void fields_free(const struct field *fields, int count, void *structure);

/* The string of a JSON value that json_print_string() wrote, byte by byte, owned by the caller; NULL for null. */
char *field_string(const cJSON *value);

#endif
