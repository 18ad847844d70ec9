/* Reading and adding up evidence: see evidence.h. */
#include "explain/evidence.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- members of a line ---- */

static uint64_t number_of(const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(value) && value->valuedouble > 0 ? (uint64_t)value->valuedouble : 0;
}

static double fraction_of(const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(value) ? value->valuedouble : 0;
}

static bool truth_of(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static const char *word_of(const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(value) ? value->valuestring : NULL;
}

static char *copy_of(const char *word)
{
    return word ? strdup(word) : NULL;
}

static void triple_of(const cJSON *object, const char *name, uint32_t into[3])
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, name);
    for (int i = 0; i < 3; i++) {
        const cJSON *value = cJSON_GetArrayItem(array, i);
        into[i] = cJSON_IsNumber(value) ? (uint32_t)value->valuedouble : 1;
    }
}

/* ---- adding ---- */

static void add_shape(struct shape *into, const cJSON *line)
{
    into->loop_depth = (int)number_of(line, "loop_depth");
    into->leaves_loop = truth_of(line, "leaves_loop");
    into->leaves_to_loop = truth_of(line, "leaves_to_loop");
    into->has_other_exit = truth_of(line, "has_other_exit");
    into->is_repeating = truth_of(line, "is_repeating");
    into->target_count = (int)number_of(line, "targets");
    into->alike = (int)number_of(line, "alike");
    into->alike_issues += number_of(line, "alike_issues");
    into->header_issues += number_of(line, "header_issues");
    into->header_threads += number_of(line, "header_threads");
    const cJSON *sides = cJSON_GetObjectItemCaseSensitive(line, "sides");
    for (int k = 0; k < SHAPE_SIDES; k++) {
        const cJSON *side = cJSON_GetArrayItem(sides, k);
        struct shape_side *s = &into->side[k];
        s->target = PC_NONE;
        s->instructions = (int)number_of(side, "instructions");
        s->leaves_loop = truth_of(side, "leaves_loop");
        s->ends = truth_of(side, "ends");
        s->decides_trips |= truth_of(side, "decides_trips");
        s->issues += number_of(side, "issues");
        s->work += number_of(side, "work");
        s->work_in_loop += number_of(side, "work_in_loop");
    }
}

static void free_estimate(struct evidence_estimate *e)
{
    free(e->pattern);
    free(e->refusal);
}

static void add_branch(struct evidence_kernel *k, const cJSON *line)
{
    int32_t pc = (int32_t)number_of(line, "pc");
    struct evidence_branch *b = NULL;
    for (int i = 0; i < k->branches.count && !b; i++)
        b = k->branches.data[i].pc == pc ? &k->branches.data[i] : NULL;
    if (!b) {
        vec_push(&k->branches, ((struct evidence_branch){.pc = pc, .copies = 1}));
        b = &k->branches.data[k->branches.count - 1];
        b->block = copy_of(word_of(line, "block"));
        b->where = copy_of(word_of(line, "where"));
        b->text = copy_of(word_of(line, "text"));
        b->column = (int)number_of(line, "column");
    }
    b->executed += number_of(line, "executed");
    b->diverged += number_of(line, "diverged");
    b->threads += number_of(line, "threads");
    b->taken += number_of(line, "taken");
    b->lost += number_of(line, "lost");
    add_shape(&b->shape, line);
    const cJSON *estimate = cJSON_GetObjectItemCaseSensitive(line, "estimate");
    if (estimate) { /* the last launch speaks for all */
        free_estimate(&b->estimate);
        b->estimate = (struct evidence_estimate){copy_of(word_of(estimate, "pattern")), fraction_of(estimate, "gain"),
                                                 copy_of(word_of(estimate, "refusal"))};
    }
}

static void add_access(struct evidence_kernel *k, const cJSON *line)
{
    int32_t pc = (int32_t)number_of(line, "pc");
    struct evidence_access *a = NULL;
    for (int i = 0; i < k->accesses.count && !a; i++)
        a = k->accesses.data[i].pc == pc ? &k->accesses.data[i] : NULL;
    if (!a) {
        vec_push(&k->accesses, ((struct evidence_access){.pc = pc}));
        a = &k->accesses.data[k->accesses.count - 1];
        a->where = copy_of(word_of(line, "where"));
        a->text = copy_of(word_of(line, "text"));
        a->is_load = truth_of(line, "is_load");
    }
    uint64_t sectors = number_of(line, "sectors"), bytes = number_of(line, "bytes");
    a->issues += number_of(line, "issues");
    a->threads += number_of(line, "threads");
    a->sectors += sectors;
    a->bytes += bytes;
    k->sectors += sectors;
    k->bytes += bytes;
}

static uint64_t volume(const uint32_t grid[3], const uint32_t block[3])
{
    return (uint64_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
}

/* Two kernels of one name with different code, as templates of two modules may be, are two kernels. */
static struct evidence_kernel *kernel_of(struct evidence *e, const char *name, const char *program)
{
    for (int i = 0; i < e->kernels.count; i++)
        if (!strcmp(e->kernels.data[i].name, name) && !strcmp(e->kernels.data[i].program, program))
            return &e->kernels.data[i];
    vec_push(&e->kernels, ((struct evidence_kernel){.name = strdup(name), .program = strdup(program)}));
    return &e->kernels.data[e->kernels.count - 1];
}

static bool add_line(struct evidence *e, const char *text, char **error)
{
    cJSON *line = json_read(text, error);
    if (!line)
        return false;
    const char *name = word_of(line, "kernel"), *program = word_of(line, "program");
    if (!name || !program) {
        cJSON_Delete(line);
        return diag_fail(error, "a line of evidence names no kernel");
    }
    struct evidence_kernel *k = kernel_of(e, name, program);
    uint32_t grid[3], block[3];
    triple_of(line, "grid", grid);
    triple_of(line, "block", block);
    if (!k->launches++ || volume(grid, block) > volume(k->grid, k->block)) {
        memcpy(k->grid, grid, sizeof grid);
        memcpy(k->block, block, sizeof block);
    }
    k->warps += number_of(line, "warps");
    k->issues += number_of(line, "issues");
    k->threads += number_of(line, "threads");
    k->lanes += number_of(line, "lanes");
    k->longest += number_of(line, "longest");
    k->distinct += number_of(line, "distinct");
    k->words += number_of(line, "words");
    k->cycles += number_of(line, "cycles");
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(line, "branches")) add_branch(k, item);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(line, "accesses")) add_access(k, item);
    cJSON_Delete(line);
    return true;
}

bool evidence_read(struct evidence *e, const char *path, char **error)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    bool ok = file || diag_fail(error, "cannot read %s: %s", path, strerror(errno));
    while (file && ok && getline(&line, &room, file) > 0)
        ok = add_line(e, line, error);
    free(line);
    if (file)
        fclose(file);
    return ok;
}

/* ---- joining ---- */

static void free_branch(struct evidence_branch *b)
{
    free(b->block);
    free(b->where);
    free(b->text);
    free_estimate(&b->estimate);
}

static int by_loss(const void *a, const void *b)
{
    const struct evidence_branch *x = a, *y = b;
    if (x->lost != y->lost)
        return x->lost < y->lost ? 1 : -1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool are_copies(const struct evidence_branch *a, const struct evidence_branch *b)
{
    return a->column && a->column == b->column && !strcmp(a->where, b->where);
}

static void join_kernel(struct evidence_kernel *k)
{
    struct evidence_branch *all = k->branches.data;
    int kept = 0;
    if (k->branches.count)
        qsort(all, (size_t)k->branches.count, sizeof *all, by_loss);
    for (int i = 0; i < k->branches.count; i++) {
        int j = 0;
        while (j < kept && !are_copies(&all[j], &all[i]))
            j++;
        if (j == kept) {
            all[kept++] = all[i];
            continue;
        }
        all[j].copies++;
        all[j].executed += all[i].executed;
        all[j].diverged += all[i].diverged;
        all[j].threads += all[i].threads;
        all[j].taken += all[i].taken;
        all[j].lost += all[i].lost;
        free_branch(&all[i]);
    }
    k->branches.count = kept;
    if (kept)
        qsort(all, (size_t)kept, sizeof *all, by_loss);
}

void evidence_join(struct evidence *e)
{
    for (int i = 0; i < e->kernels.count; i++)
        join_kernel(&e->kernels.data[i]);
}

const struct evidence_kernel *evidence_find(const struct evidence *e, const char *name)
{
    for (int i = 0; i < e->kernels.count; i++)
        if (!strcmp(e->kernels.data[i].name, name))
            return &e->kernels.data[i];
    return NULL;
}

void evidence_free(struct evidence *e)
{
    for (int i = 0; i < e->kernels.count; i++) {
        struct evidence_kernel *k = &e->kernels.data[i];
        for (int j = 0; j < k->branches.count; j++)
            free_branch(&k->branches.data[j]);
        for (int j = 0; j < k->accesses.count; j++) {
            free(k->accesses.data[j].where);
            free(k->accesses.data[j].text);
        }
        vec_free(&k->branches);
        vec_free(&k->accesses);
        free(k->name);
        free(k->program);
    }
    vec_free(&e->kernels);
}
