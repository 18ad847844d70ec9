/*
 * Reading JSON: every number, string and constant of a value, with the path to it.
 *
 * A path joins the names of members with dots; an element of an array is "[]", whichever it is: "sm.cycles",
 * "branches[].pc". Elements come in order, so whoever cares which one it is counts. Strings are unescaped, to UTF-8.
 */
#ifndef HEDDLE_BASE_JSON_H
#define HEDDLE_BASE_JSON_H

#include <stdbool.h>

enum json_kind { JSON_NUMBER, JSON_STRING, JSON_BOOL, JSON_NULL };

struct json_scalar {
    const char *path;
    enum json_kind kind;
    double number;      /* of a bool: 0 or 1 */
    const char *string; /* NULL if it is none */
};

typedef void json_visitor(void *context, const struct json_scalar *scalar);

/* Visits the one value that the text is. False and an error text (freed by the caller) if it is none; what came before
 * was visited. */
bool json_walk(const char *text, json_visitor *visit, void *context, char **error);

#endif
