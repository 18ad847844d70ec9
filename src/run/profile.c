/* Profiles: see profile.h. A line whose text does not contain the program's hash is passed over unread. */
#include "run/profile.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the counts of one element of "branches". An element without all of pc, threads and taken, or with a PC that is
 * no branch of the program, is ignored. */
static void add_branch(const cJSON *element, const struct program *p, struct branch_use *use, char **error)
{
    uint64_t pc, threads, taken, issues;
    if (!json_get_count(element, "pc", &pc, error) || !json_get_count(element, "threads", &threads, error) ||
        !json_get_count(element, "taken", &taken, error) || pc >= (uint64_t)p->insn_count || p->insns[pc].branch < 0)
        return;
    struct branch_use *u = &use[p->insns[pc].branch];
    u->threads += threads;
    u->taken += taken;
    if (json_get_count(element, "executed", &issues, error))
        u->issues += issues;
}

/* Adds the branches of a line. True if the line is a run of the program and lists branches; *error is set, whatever the
 * result, if the line cannot be read. */
static bool add_line(const char *line, const struct program *p, struct branch_use *use, char **error)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, p->hash);
    if (!strstr(line, hash))
        return false;
    cJSON *run = json_read(line, error);
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(run, "program"), *element;
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "hash"));
    const cJSON *branches = cJSON_GetObjectItemCaseSensitive(run, "branches");
    bool is_of_program = found && !strcmp(found, hash) && cJSON_IsArray(branches);
    for (element = is_of_program ? branches->child : NULL; element && !*error; element = element->next)
        add_branch(element, p, use, error);
    cJSON_Delete(run);
    return is_of_program;
}

struct branch_use *profile_read(const char *path, const struct program *program, char **error)
{
    struct text why = {0};
    struct branch_use *use = xcalloc((size_t)program->branch_count + 1, sizeof *use);
    FILE *file = fopen(path, "r");
    char *line = NULL, *wrong = NULL;
    size_t capacity = 0;
    int lines = 0, line_number = 0;
    if (!file)
        text_printf(&why, "cannot read the profile %s: %s", path, strerror(errno));
    while (file && !wrong && getline(&line, &capacity, file) > 0) {
        line_number++;
        lines += add_line(line, program, use, &wrong);
    }
    free(line);
    if (wrong)
        text_printf(&why, "the profile %s, line %d: %s", path, line_number, wrong);
    else if (file && ferror(file))
        text_printf(&why, "cannot read the profile %s: %s", path, strerror(errno));
    else if (file && !lines)
        text_printf(&why, "the profile %s has no run of this program on a machine", path);
    free(wrong);
    if (file)
        fclose(file);
    if (!why.data)
        return use;
    free(use);
    *error = text_take(&why);
    return NULL;
}
