/* Details of a page: counters by PC of each kernel in each run, summed over launches, and the programs. */
#include "page/internal.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(member) ? member->valuestring : "";
}

static void add_arrays(cJSON *sum, const cJSON *more)
{
    cJSON *to = sum ? sum->child : NULL;
    for (const cJSON *from = more ? more->child : NULL; to && from; to = to->next, from = from->next)
        cJSON_SetNumberValue(to, to->valuedouble + from->valuedouble);
}

/* Adds a later launch of the program to the first one. */
static void add_launch(struct page_detail *d, const cJSON *line)
{
    const cJSON *more = cJSON_GetObjectItemCaseSensitive(line, "counters");
    cJSON *sum = cJSON_GetObjectItemCaseSensitive(d->json, "counters"), *cycles;
    for (cJSON *column = sum ? sum->child : NULL; column; column = column->next)
        add_arrays(column, cJSON_GetObjectItemCaseSensitive(more, column->string));
    add_arrays(cJSON_GetObjectItemCaseSensitive(d->json, "branch_lost"),
               cJSON_GetObjectItemCaseSensitive(line, "branch_lost"));
    cycles = cJSON_GetObjectItemCaseSensitive(d->json, "cycles");
    more = cJSON_GetObjectItemCaseSensitive(line, "cycles");
    if (cycles && more)
        cJSON_SetNumberValue(cycles, cycles->valuedouble + more->valuedouble);
    d->launches++;
}

/* Moves what is the same for all runs of a program to the page's programs. */
static void take_program(struct page *p, cJSON *line)
{
    static const char *const members[] = {"program", "places", "ptx"};
    const char *hash = text_of(line, "hash");
    bool is_known = cJSON_HasObjectItem(p->programs, hash);
    cJSON *program = is_known ? NULL : cJSON_CreateObject();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        cJSON *member = cJSON_DetachItemFromObjectCaseSensitive(line, members[i]);
        if (is_known || !member)
            cJSON_Delete(member);
        else
            cJSON_AddItemToObject(program, members[i], member);
    }
    if (program)
        cJSON_AddItemToObject(p->programs, hash, program);
}

void details_add(struct page *p, int run, cJSON *line)
{
    for (int i = 0; i < p->details.count; i++) {
        struct page_detail *d = &p->details.data[i];
        if (d->run != run || strcmp(text_of(d->json, "hash"), text_of(line, "hash")) ||
            strcmp(text_of(d->json, "kernel"), text_of(line, "kernel")))
            continue;
        add_launch(d, line);
        cJSON_Delete(line);
        return;
    }
    if (cJSON_HasObjectItem(line, "program"))
        take_program(p, line);
    vec_push(&p->details, (struct page_detail){run, line, 1});
}

static void print_value(const cJSON *value, struct text *out)
{
    char *text = cJSON_PrintUnformatted(value);
    text_printf(out, "%s", text);
    cJSON_free(text);
}

void details_print(const struct page *p, struct text *out)
{
    text_printf(out, "\"details\":[");
    for (int i = 0; i < p->details.count; i++) {
        const struct page_detail *d = &p->details.data[i];
        text_printf(out, "%s{\"run\":%d,\"launches\":%d,\"of\":", i ? "," : "", d->run, d->launches);
        print_value(d->json, out);
        text_printf(out, "}");
    }
    text_printf(out, "],\"programs\":");
    print_value(p->programs, out);
    text_printf(out, ",\"sources\":");
    page_sources_print(p->programs, out);
}

void details_free(struct page *p)
{
    for (int i = 0; i < p->details.count; i++)
        cJSON_Delete(p->details.data[i].json);
    vec_free(&p->details);
    cJSON_Delete(p->programs);
}
