/* Files of the repository that tests read, from whichever folder they are run: the Makefile says where it is. */
#ifndef HEDDLE_TESTS_SOURCE_FILE_H
#define HEDDLE_TESTS_SOURCE_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define SOURCE_PATH(path) HEDDLE_SOURCE "/" path

/* The path is one within the repository. The text is good until the next is read. */
static inline char *read_source(const char *path)
{
    enum { MOST = 1 << 22 };
    static char text[MOST];
    char full[1024];
    snprintf(full, sizeof full, SOURCE_PATH("%s"), path);
    FILE *file = fopen(full, "r");
    if (!file)
        fail_msg("cannot read %s", full);
    size_t length = fread(text, 1, MOST, file);
    fclose(file);
    assert_in_range(length, 1, MOST - 1);
    text[length] = '\0';
    return text;
}

#endif
