/* What runs counted at the blocks and branches of a program: see heat.h. */
#include "run/heat.h"

#include "base/arena.h"
#include "base/json.h"
#include "run/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct heat_counts {
    const struct program *program;
    double *issues, *threads; /* by block: of the source line where the block begins */
    uint64_t launched;        /* threads of all launches */
};

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Adds one element of "lines" to the blocks that begin at its place. */
static void add_place(struct heat_counts *c, const cJSON *line)
{
    const char *where = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, "where"));
    char own[256];
    for (int b = 0; b < c->program->block_count && where; b++)
        if (!strcmp(where, program_where(c->program, c->program->blocks[b].first, own, sizeof own))) {
            c->issues[b] += number(line, "issues");
            c->threads[b] += number(line, "threads");
        }
}

static double product(const cJSON *list)
{
    double result = cJSON_IsArray(list) ? 1 : 0;
    for (const cJSON *e = cJSON_IsArray(list) ? list->child : NULL; e; e = e->next)
        result *= cJSON_IsNumber(e) ? e->valuedouble : 0;
    return result;
}

/* Adds a result; one that is another program's is passed over. profile_read() has said what cannot be read. */
static void add_result(struct heat_counts *c, const char *line)
{
    char hash[17], *error = NULL;
    snprintf(hash, sizeof hash, "%016" PRIx64, c->program->hash);
    cJSON *run = strstr(line, hash) ? json_read(line, &error) : NULL;
    free(error);
    if (!run)
        return;
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(run, "program"), *e;
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "hash"));
    const cJSON *launch = cJSON_GetObjectItemCaseSensitive(run, "launch");
    const cJSON *lines = cJSON_GetObjectItemCaseSensitive(run, "lines");
    if (found && !strcmp(found, hash)) {
        c->launched += (uint64_t)(product(cJSON_GetObjectItemCaseSensitive(launch, "grid")) *
                                  product(cJSON_GetObjectItemCaseSensitive(launch, "block")));
        for (e = cJSON_IsArray(lines) ? lines->child : NULL; e; e = e->next)
            add_place(c, e);
    }
    cJSON_Delete(run);
}

struct flow_heat *heat_read(const char *path, const struct program *program, char **error)
{
    struct branch_use *use = profile_read(path, program, error);
    if (!use)
        return NULL;
    size_t blocks = (size_t)program->block_count + 1;
    struct heat_counts c = {
        .program = program, .issues = xcalloc(blocks, sizeof(double)), .threads = xcalloc(blocks, sizeof(double))};
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    while (file && getline(&line, &capacity, file) > 0)
        add_result(&c, line);
    free(line);
    if (file)
        fclose(file);
    struct flow_heat *heat = xcalloc(1, sizeof *heat);
    *heat = (struct flow_heat){.use = use, .lanes = xcalloc(blocks, sizeof(double)), .threads = c.launched};
    for (int b = 0; b < program->block_count; b++) {
        int branch = program->insns[program->blocks[b].last].branch;
        if (c.issues[b] > 0)
            heat->lanes[b] = c.threads[b] / c.issues[b];
        else if (branch >= 0 && use[branch].issues)
            heat->lanes[b] = (double)use[branch].threads / (double)use[branch].issues;
        else
            heat->lanes[b] = -1;
    }
    free(c.issues);
    free(c.threads);
    return heat;
}

void heat_destroy(struct flow_heat *heat)
{
    if (!heat)
        return;
    free(heat->use);
    free(heat->lanes);
    free(heat);
}
