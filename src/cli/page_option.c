/* The page of a command: see page_option.h. */
#include "cli/page_option.h"

#include "base/temporary.h"
#include "base/vec.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

void page_option_add_published(struct page *p)
{
    char *error = NULL;
    if (!page_add_all_published(p, &error))
        cli_fail("%s", error);
    free(error);
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

int page_option_begin(const char *command, const char *path, struct run_options *options)
{
    char *error = NULL;
    if (!path)
        return STATUS_OK;
    if (!options->gpu || !strcmp(options->gpu, "none"))
        return cli_misuse(command, "--report shows a run on a machine: it needs --gpu NAME");
    if (options->report_data)
        return cli_misuse(command, "--report and --report-data exclude each other; heddle report makes a page of data");
    int status = cli_check_writable(path);
    if (!status && !(options->report_data = temporary_file("", 0, &error)))
        status = cli_fail("%s", error);
    free(error);
    return status;
}

/* Settings stand in one line each. */
static char *settings_of(const struct run_options *options)
{
    char *settings = strdup(options->settings ? options->settings : "");
    for (char *c = settings; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return settings;
}

int page_option_end(const char *path, struct run_options *options, const char *name, const char *size, int argc,
                    char **argv)
{
    struct stat about;
    int status = STATUS_OK;
    if (!path || !options->report_data)
        return status;
    if (!stat(options->report_data, &about) && about.st_size) { /* a run that could not start leaves nothing to show */
        char *error = NULL, *command = command_of(argc, argv), *settings = settings_of(options);
        struct page *p = page_option_create(name, argc, argv);
        bool ok =
            page_add_data(p, &(struct page_run){.name = name, .size = size, .settings = settings, .command = command},
                          options->report_data, &error);
        status = ok ? page_option_write(p, path) : cli_fail("%s", error);
        if (!ok)
            page_destroy(p);
        free(settings);
        free(command);
        free(error);
    }
    temporary_remove(options->report_data);
    options->report_data = NULL;
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
