/*
 * Where results go: files that JSON lines and CSV tables are appended to.
 *
 * A result is written whole after its launch and the writing is checked: a result that could not be written is an
 * error, not a surprise for whoever reads the file later.
 */
#ifndef HEDDLE_RUN_OUTPUT_H
#define HEDDLE_RUN_OUTPUT_H

#include <stdbool.h>

struct report;
struct run_request;
struct result;
struct text;

/* Tries to open every file that the options name for results, so that a long run does not fail at its end. False and an
 * error text (freed by the caller). */
bool output_check(const struct run_request *request, char **error);

/* Appends the JSON line and the CSV tables that the request asks for. `result->report` may be NULL: then there are no
 * tables. False, having said why on stderr, if something could not be written. */
bool output_write(const struct run_request *request, const struct result *result);

/* Appends the text to a file; "-" is stdout. False, having said why on stderr, if it could not be written. */
bool output_append(const char *path, const struct text *text);

/* Whether stderr is a terminal whose locale is UTF-8: block characters are for people at such a terminal. */
bool output_is_utf8_terminal(void);

#endif
