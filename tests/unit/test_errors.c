/*
 * What the parser says about wrong PTX: each file of a folder names its errors, `// expect-error: part of the
 * message`, on the line where they are; on the first line, for an error anywhere. All of them must be
 * reported, and no others.
 */
#include "ptx/module.h"
#include "source_file.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_FILES = 256, MOST_EXPECTED = 64 };

struct expectation {
    int line;
    char text[256];
    bool met;
};

static int read_expectations(const char *path, struct expectation list[MOST_EXPECTED])
{
    static const char mark[] = "// expect-error: ";
    char line[4096];
    int count = 0, number = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        const char *found = strstr(line, mark);
        number++;
        if (!found || count == MOST_EXPECTED)
            continue;
        struct expectation *e = &list[count++];
        e->line = number;
        e->met = false;
        snprintf(e->text, sizeof e->text, "%s", found + strlen(mark));
        e->text[strcspn(e->text, "\n")] = '\0';
    }
    fclose(file);
    return count;
}

static bool meets(const struct expectation *e, const struct diag_entry *entry)
{
    return !e->met && (e->line == entry->line || e->line == 1) && strstr(entry->message, e->text);
}

static void test_file(void **state)
{
    const char *path = *state;
    struct expectation expected[MOST_EXPECTED];
    struct diag diag = {0};
    int count = read_expectations(path, expected), wrong = count == 0;
    struct ptx_module *module = ptx_parse_file(path, &diag);
    wrong += module != NULL;
    ptx_destroy(module);
    for (int i = 0; i < diag.count && i < DIAG_MAX; i++) {
        struct expectation *met = NULL;
        for (int k = 0; k < count && !met; k++)
            if (meets(&expected[k], &diag.entry[i]))
                met = &expected[k];
        if (met) {
            met->met = true;
            continue;
        }
        print_error("%s:%d: unexpected: %s\n", path, diag.entry[i].line, diag.entry[i].message);
        wrong++;
    }
    for (int k = 0; k < count; k++)
        if (!expected[k].met) {
            print_error("%s:%d: not reported: %s\n", path, expected[k].line, expected[k].text);
            wrong++;
        }
    diag_free(&diag);
    assert_int_equal(wrong, 0);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : SOURCE_PATH("tests/ptx/errors");
    struct CMUnitTest tests[MOST_FILES] = {0};
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && count < MOST_FILES; entry = readdir(dir)) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".ptx"))
            continue;
        char *path = malloc(strlen(folder) + length + 2);
        sprintf(path, "%s/%s", folder, entry->d_name);
        tests[count++] = (struct CMUnitTest){.name = path, .test_func = test_file, .initial_state = path};
    }
    if (dir)
        closedir(dir);
    if (!count) {
        fprintf(stderr, "no .ptx files in %s\n", folder);
        return 1;
    }
    qsort(tests, (size_t)count, sizeof *tests, by_name);
    int failed = _cmocka_run_group_tests("errors", tests, (size_t)count, NULL, NULL);
    for (int i = 0; i < count; i++)
        free((char *)tests[i].name);
    return failed;
}
