/*
 * Texts of the source files that line tables name.
 *
 * A path that begins with a slash is taken as it stands. Any other is looked for in the current folder and then in the
 * folders of the environment variable HEDDLE_SOURCE, which are separated by colons: first by the whole path, then by
 * the name of the file alone. A file that is found nowhere is left out; the page then shows PTX.
 */
#include "page/internal.h"

#include "base/pack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MOST_BYTES = 1 << 20 }; /* a longer file is generated, and nobody reads it */

static char *read_if_file(const char *path)
{
    struct stat about;
    if (stat(path, &about) || !S_ISREG(about.st_mode) || about.st_size > SOURCE_MOST_BYTES)
        return NULL;
    return text_read_file(path);
}

static char *read_below(const char *folder, size_t length, const char *path)
{
    struct text whole = {0};
    const char *slash = strrchr(path, '/');
    text_printf(&whole, "%.*s/%s", (int)length, folder, path);
    char *found = read_if_file(whole.data);
    text_free(&whole);
    if (!found && slash) {
        text_printf(&whole, "%.*s/%s", (int)length, folder, slash + 1);
        found = read_if_file(whole.data);
        text_free(&whole);
    }
    return found;
}

static char *read_source(const char *path)
{
    char *found = read_if_file(path);
    const char *folders = getenv("HEDDLE_SOURCE");
    for (const char *at = folders; !found && at && *at; at += strcspn(at, ":"), at += *at == ':')
        if (*path != '/')
            found = read_below(at, strcspn(at, ":"), path);
    return found;
}

/* Whether any PC of the program has the file with this number. */
static bool is_used(const cJSON *places, int number)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(places, "file"), *file;
    cJSON_ArrayForEach(file, files) if (file->valueint == number) return true;
    return false;
}

static void print_files_of(const cJSON *places, cJSON *known, struct text *out)
{
    const cJSON *file;
    cJSON_ArrayForEach(file, cJSON_GetObjectItemCaseSensitive(places, "files"))
    {
        if (!cJSON_IsString(file) || cJSON_HasObjectItem(known, file->valuestring) ||
            !is_used(places, atoi(file->string)))
            continue;
        char *text = read_source(file->valuestring);
        cJSON_AddNullToObject(known, file->valuestring);
        if (text) {
            text_printf(out, "%s", out->data[out->length - 1] == '{' ? "" : ",");
            json_print_string(out, file->valuestring);
            text_printf(out, ":");
            pack_text(text, strlen(text), out);
        }
        free(text);
    }
}

void sources_print(const cJSON *programs, struct text *out)
{
    const cJSON *program;
    cJSON *known = cJSON_CreateObject();
    text_printf(out, "{");
    cJSON_ArrayForEach(program, programs)
        print_files_of(cJSON_GetObjectItemCaseSensitive(program, "places"), known, out);
    text_printf(out, "}");
    cJSON_Delete(known);
}
