/*
 * JSON: reading, through cJSON, and the one place that writes strings in quotes.
 *
 * cJSON keeps every number as a double, so integers are exact up to 2^53 only. A counter would need 100 days at a
 * thousand million events per second to get there; json_get_count() refuses a larger number instead of rounding it.
 */
#ifndef HEDDLE_BASE_JSON_H
#define HEDDLE_BASE_JSON_H

#include "base/text.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- reading ---- */

/* The JSON value that the text consists of; cJSON_Delete() frees the value. NULL and an error text (freed by the
 * caller), which names the byte, if the text is not exactly one JSON value or nests deeper than cJSON allows (1000
 * levels). */
cJSON *json_read(const char *text, char **error);

/* A member of an object as a count. False if the object has no such number. False and an error text (freed by the
 * caller) if the number is negative, has a fraction, or exceeds 2^53. */
bool json_get_count(const cJSON *object, const char *name, uint64_t *count, char **error);

enum json_kind { JSON_NUMBER, JSON_STRING, JSON_BOOL, JSON_NULL };

/* A number, string or constant within a JSON value. */
struct json_scalar {
    const char *path; /* member names joined by dots; "[]" stands for any element of an array: "branches[].pc" */
    enum json_kind kind;
    double number;      /* JSON_BOOL: 0 or 1 */
    const char *string; /* unescaped, UTF-8; NULL unless JSON_STRING */
};

typedef void json_visitor(void *context, const struct json_scalar *scalar);

/* Visits every scalar of the JSON value that the text consists of, in the order of the text. False and json_read()'s
 * error text, without any visit, if the text cannot be read. */
bool json_walk(const char *text, json_visitor *visit, void *context, char **error);

/* ---- writing ---- */

/* Appends the string in quotes, escaped; `null` for NULL. */
void json_print_string(struct text *out, const char *string);

#endif
