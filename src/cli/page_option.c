/* The page of a command: see page_option.h. */
#include "cli/page_option.h"

#include "base/vec.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct page *page_option_create(const char *title, int argc, char **argv)
{
    struct vec_of(char *) words = {0};
    struct text command = {0};
    vec_push(&words, "heddle");
    for (int i = 0; i < argc; i++)
        vec_push(&words, argv[i]);
    page_print_words(words.data, words.count, &command);
    struct page *p = page_create(title, command.data);
    vec_free(&words);
    text_free(&command);
    return p;
}

int page_option_write(struct page *p, const char *path)
{
    struct text out = {0};
    page_print(p, &out);
    FILE *file = fopen(path, "w");
    bool ok = file && fwrite(out.data, 1, out.length, file) == out.length;
    int reason = errno;
    if (file && fclose(file) && ok) {
        ok = false;
        reason = errno;
    }
    text_free(&out);
    page_destroy(p);
    return ok ? STATUS_OK : cli_fail("cannot write the page to %s: %s", path, strerror(reason));
}

/* The command of a run is the command line without what writes the page. */
static char *command_of(int argc, char **argv)
{
    struct vec_of(char *) words = {0};
    struct text command = {0};
    vec_push(&words, "heddle");
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], "--report"))
            i++;
        else if (strncmp(argv[i], "--report=", 9))
            vec_push(&words, argv[i]);
    page_print_words(words.data, words.count, &command);
    vec_free(&words);
    return text_take(&command);
}

int page_option_write_run(const struct page_run *texts, const char *data, const char *path, int argc, char **argv)
{
    char *error = NULL, *command = command_of(argc, argv);
    struct text title = {0};
    struct page_run run = *texts;
    run.command = command;
    text_printf(&title, "%s", texts->name);
    struct page *p = page_option_create(title.data, argc, argv);
    bool ok = page_add_data(p, &run, data, &error);
    int status = ok ? page_option_write(p, path) : cli_fail("%s", error);
    if (!ok)
        page_destroy(p);
    text_free(&title);
    free(command);
    free(error);
    return status;
}

bool page_option_is_page(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return length > 5 && !strcmp(path + length - 5, ".html");
}

/* The value of the option at words[*i], in one word or two; NULL: it is another option. */
static const char *value_of(const char *name, char *const *words, int count, int *i)
{
    size_t length = strlen(name);
    if (strncmp(words[*i], name, length))
        return NULL;
    if (words[*i][length] == '=')
        return words[*i] + length + 1;
    return !words[*i][length] && *i + 1 < count ? words[++*i] : NULL;
}

char *page_option_settings(char *const *words, int count)
{
    struct text all = {0};
    for (int i = 0; i < count; i++) {
        const char *value = value_of("--set", words, count, &i);
        if (value)
            text_printf(&all, "%s%s", all.length ? " " : "", value);
    }
    return text_take(&all);
}

const char *page_option_size(char *const *words, int count)
{
    const char *size = NULL;
    for (int i = 0; i < count; i++) {
        const char *value = value_of("--size", words, count, &i);
        size = value ? value : size;
    }
    return size;
}
