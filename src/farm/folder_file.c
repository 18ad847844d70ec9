/* Files of a shared folder: see folder_file.h. */
#define _GNU_SOURCE
#include "farm/folder_file.h"

#include "base/diag.h"
#include "base/json.h"
#include "base/text.h"
#include "store/result.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

const char folder_open[] = "open", folder_taken[] = "taken", folder_results[] = "results";

char *folder_path(const char *folder, const char *kind, const char *name)
{
    struct text path = {0};
    text_printf(&path, "%s/%s%s%s", folder, kind, name ? "/" : "", name ? name : "");
    return text_take(&path);
}

void folder_list(const char *folder, const char *kind, struct folder_names *n)
{
    char *path = folder_path(folder, kind, NULL);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (!strchr(e->d_name, '.') || strchr(e->d_name, FOLDER_WORKER_MARK))
            vec_push(&n->names, strdup(e->d_name));
    if (d)
        closedir(d);
    free(path);
}

void folder_free_names(struct folder_names *n)
{
    for (int i = 0; i < n->names.count; i++)
        free(n->names.data[i]);
    vec_free(&n->names);
}

bool folder_write_owner(const char *folder, const struct folder_owner *o, char **error)
{
    char *path = folder_path(folder, "owner", NULL);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "build", o->build);
    cJSON_AddStringToObject(object, "directory", o->directory);
    cJSON_AddBoolToObject(object, "is_over", o->is_over);
    char *text = cJSON_PrintUnformatted(object);
    bool ok = result_write_file(path, text, error);
    cJSON_free(text);
    cJSON_Delete(object);
    free(path);
    return ok;
}

bool folder_read_owner(const char *folder, struct folder_owner *o, char **error)
{
    char *path = folder_path(folder, "owner", NULL), *why = NULL;
    *o = (struct folder_owner){0};
    if (access(path, F_OK)) {
        free(path);
        return false;
    }
    char *text = text_read_file(path);
    cJSON *object = json_read(text, &why);
    const cJSON *build = cJSON_GetObjectItem(object, "build");
    const cJSON *directory = cJSON_GetObjectItem(object, "directory");
    bool ok = cJSON_IsString(build) && cJSON_IsString(directory);
    if (ok)
        *o = (struct folder_owner){.build = strdup(build->valuestring),
                                   .directory = strdup(directory->valuestring),
                                   .is_over = cJSON_IsTrue(cJSON_GetObjectItem(object, "is_over"))};
    else
        diag_fail(error, "%s does not say who owns the sweep; is this the folder of one?", path);
    cJSON_Delete(object);
    free(why);
    free(text);
    free(path);
    return ok;
}

void folder_free_owner(struct folder_owner *o)
{
    free(o->build);
    free(o->directory);
    *o = (struct folder_owner){0};
}

void folder_wait(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}
