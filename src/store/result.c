/* Results: see result.h. */
#define _GNU_SOURCE
#include "store/result.h"

#include "base/diag.h"
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char result_time[] = "time", result_memory[] = "memory", result_killed[] = "killed", result_wrong[] = "wrong",
           result_error[] = "error";

#define FIELD(member, kind)                                    \
    {                                                          \
#member, FIELD_##kind, offsetof(struct result, member) \
    }

const struct field result_fields[RESULT_FIELDS] = {
    FIELD(key, TEXT),       FIELD(status, WHOLE), FIELD(own_status, WHOLE), FIELD(failure, TEXT),
    FIELD(why, TEXT),       FIELD(seconds, REAL), FIELD(date, TEXT),        FIELD(host, TEXT),
    FIELD(launches, WHOLE), FIELD(faults, WHOLE), FIELD(compared, WHOLE),   FIELD(unordered, WHOLE),
    FIELD(racing, WHOLE),   FIELD(wrong, WHOLE),  FIELD(scheduler, TEXT),   FIELD(memory, TEXT),
    FIELD(output, TEXT),
};

/* A line is HEAD, a JSON object, MIDDLE, the hash of the object's text, TAIL. */
static const char head[] = "{\"result\":", middle[] = ",\"sha256\":\"", tail[] = "\"}\n";

static void print_branch(const struct result_branch *b, struct text *out)
{
    text_printf(out, "[");
    json_print_string(out, b->kernel);
    text_printf(out, ",%" PRIu64 ",", b->pc);
    json_print_string(out, b->where);
    text_printf(out, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g]", b->executed, b->diverged, b->threads, b->taken,
                b->lost_lanes, b->lost_issues);
}

static void hash_text(const char *text, size_t length, char hex[SHA256_HEX])
{
    struct sha256 s;
    sha256_open(&s);
    sha256_add(&s, text, length);
    sha256_hex(&s, hex);
}

void result_print(const struct result *r, struct text *out)
{
    char hex[SHA256_HEX];
    text_printf(out, "%s", head);
    size_t begin = out->length;
    text_printf(out, "{");
    fields_print(result_fields, RESULT_FIELDS, r, out);
    text_printf(out, ",\"values\":[");
    for (int i = 0; i < r->values.count; i++) {
        text_printf(out, "%s[", i ? "," : "");
        json_print_string(out, r->values.data[i].path);
        text_printf(out, ",%.17g,%.17g]", r->values.data[i].sum, r->values.data[i].max);
    }
    text_printf(out, "],\"branches\":[");
    for (int i = 0; i < r->branches.count; i++) {
        text_printf(out, "%s", i ? "," : "");
        print_branch(&r->branches.data[i], out);
    }
    text_printf(out, "]}");
    hash_text(out->data + begin, out->length - begin, hex);
    text_printf(out, "%s%s%s", middle, hex, tail);
}

/* The numbers of a JSON array from an element on; false if it has fewer, or others. */
static bool read_numbers(const cJSON *array, int first, int count, double *numbers)
{
    if (cJSON_GetArraySize(array) != first + count)
        return false;
    for (int i = 0; i < count; i++) {
        const cJSON *number = cJSON_GetArrayItem(array, first + i);
        if (!cJSON_IsNumber(number))
            return false;
        numbers[i] = number->valuedouble;
    }
    return true;
}

static bool read_values(struct result *r, const cJSON *values)
{
    const cJSON *value;
    double numbers[2];
    cJSON_ArrayForEach(value, values)
    {
        char *path = field_string(cJSON_GetArrayItem(value, 0));
        if (!path || !read_numbers(value, 1, 2, numbers)) {
            free(path);
            return false;
        }
        vec_push(&r->values, (struct result_value){path, numbers[0], numbers[1]});
    }
    return cJSON_IsArray(values);
}

static bool read_branches(struct result *r, const cJSON *branches)
{
    const cJSON *branch;
    double n[6];
    cJSON_ArrayForEach(branch, branches)
    {
        const cJSON *pc = cJSON_GetArrayItem(branch, 1);
        char *kernel = field_string(cJSON_GetArrayItem(branch, 0));
        if (!kernel || !cJSON_IsNumber(pc) || !read_numbers(branch, 3, 6, n)) {
            free(kernel);
            return false;
        }
        char *where = field_string(cJSON_GetArrayItem(branch, 2));
        vec_push(&r->branches,
                 (struct result_branch){kernel, where, (uint64_t)pc->valuedouble, n[0], n[1], n[2], n[3], n[4], n[5]});
    }
    return cJSON_IsArray(branches);
}

/* Whether the text is a complete line with the right hash. */
static bool is_whole(const char *text, size_t *begin, size_t *length)
{
    size_t all = strlen(text), around = sizeof head - 1 + sizeof middle - 1 + SHA256_HEX - 1 + sizeof tail - 1;
    char hex[SHA256_HEX];
    if (all < around || strncmp(text, head, sizeof head - 1))
        return false;
    *begin = sizeof head - 1;
    *length = all - around;
    const char *end = text + *begin + *length;
    hash_text(text + *begin, *length, hex);
    return !strncmp(end, middle, sizeof middle - 1) && !strncmp(end + sizeof middle - 1, hex, SHA256_HEX - 1) &&
           !strcmp(end + sizeof middle - 1 + SHA256_HEX - 1, tail);
}

bool result_read(struct result *r, const char *text, char **error)
{
    size_t begin, length;
    char *why = NULL;
    if (!is_whole(text, &begin, &length))
        return diag_fail(error, "the result is not complete, or was changed: its hash is not that of its text");
    cJSON *all = json_read(text, &why), *object = cJSON_GetObjectItemCaseSensitive(all, "result");
    bool ok = object && fields_read(result_fields, RESULT_FIELDS, r, object, &why);
    if (ok && (!r->key || !read_values(r, cJSON_GetObjectItemCaseSensitive(object, "values")) ||
               !read_branches(r, cJSON_GetObjectItemCaseSensitive(object, "branches"))))
        ok = diag_fail(&why, "key, values or branches are missing");
    cJSON_Delete(all);
    if (!ok) {
        diag_fail(error, "this is no result of heddle: %s", why ? why : "there is no object \"result\"");
        result_free(r);
    }
    free(why);
    return ok;
}

void result_free(struct result *r)
{
    fields_free(result_fields, RESULT_FIELDS, r);
    for (int i = 0; i < r->values.count; i++)
        free(r->values.data[i].path);
    for (int i = 0; i < r->branches.count; i++) {
        free(r->branches.data[i].kernel);
        free(r->branches.data[i].where);
    }
    vec_free(&r->values);
    vec_free(&r->branches);
    *r = (struct result){0};
}

/* Writes all of the text to the disk and closes the file. */
static bool write_all(int file, const char *text)
{
    size_t length = strlen(text);
    while (length) {
        ssize_t n = write(file, text, length);
        if (n < 0 && errno != EINTR)
            break;
        text += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    bool ok = !length && !fsync(file);
    int reason = errno;
    ok = !close(file) && ok;
    errno = ok ? errno : reason;
    return ok;
}

/* Makes the names of a folder's files outlast a loss of power. Some file systems cannot; they do it by themselves. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(folder);
}

bool result_write_file(const char *path, const char *text, char **error)
{
    struct text hidden = {0};
    text_printf(&hidden, "%s.XXXXXX", path);
    int file = mkostemp(hidden.data, O_CLOEXEC);
    bool ok = file >= 0 && write_all(file, text) && !rename(hidden.data, path);
    if (!ok) {
        diag_fail(error, "cannot write %s: %s", path, strerror(errno));
        if (file >= 0)
            unlink(hidden.data);
    } else {
        sync_folder(path);
    }
    text_free(&hidden);
    return ok;
}
