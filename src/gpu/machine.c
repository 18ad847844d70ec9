/* Machines: the sections of a machine and their knob tables. machine_file.c reads files. */
#include "gpu/machine.h"

#include "base/arena.h"
#include "base/diag.h"
#include "gpu/machine_file.h"
#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct knob knobs[] = {
    {"sm_count", "multiprocessors", "Number of multiprocessors (SMs).", KNOB_COUNT,
     offsetof(struct gpu_config, sm_count), 1, 1, 256, NULL},
    {"max_block_threads", "threads", "Threads that a block may have.", KNOB_COUNT,
     offsetof(struct gpu_config, max_block_threads), 1024, 32, 1024, NULL},
    {"kernel_latency", "cycles", "Time from the end of one kernel to the first block of the next, in core cycles.",
     KNOB_COUNT, offsetof(struct gpu_config, kernel_latency_cycles), 0, 0, 1000000, NULL},
    {"block_interval", "cycles",
     "Time from the start of one block to the start of the next, on any multiprocessor, in core cycles; 0: none.",
     KNOB_REAL, offsetof(struct gpu_config, block_interval), 0, 0, 10000, NULL},
    {"launch_ns", "ns", "Time of a launch before its first cycle, which only events of a program see, in ns.",
     KNOB_COUNT, offsetof(struct gpu_config, launch_ns), 3700, 0, 1000000000, NULL},
    {"copy_gbps", "GB/s",
     "Bandwidth between host and device, which only events of a program see, in GB/s; 0: copies take no time.",
     KNOB_REAL, offsetof(struct gpu_config, copy_gbps), 15.75, 0, 1000000, NULL},
};

const struct knob_table gpu_knobs = {"gpu", knobs, sizeof knobs / sizeof knobs[0]};

static const struct machine_section {
    const struct knob_table *table;
    size_t offset;
} sections[] = {
    {&gpu_knobs, offsetof(struct machine, gpu)},
    {&sm_knobs, offsetof(struct machine, sm)},
    {&mem_knobs, offsetof(struct machine, mem)},
};

enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

#define COST(class, name, words, home, latency, interval)                  name "_latency",
#define ACCESS(class, name, words, latency_words, home, latency, interval) name "_latency",
static const char *const class_latencies[] = {
#include "sm/class.def"
    NULL};

const struct machine_group machine_groups[] = {
    {"sm", "class_latency", "Sets the latency of every class of instructions: sm.int_latency to sm.tensor_latency.",
     class_latencies},
    {NULL, NULL, NULL, NULL},
};

static const struct machine_section *find_section(const char *name)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (!strcmp(sections[i].table->section, name))
            return &sections[i];
    return NULL;
}

struct machine *machine_create(const char *name)
{
    struct machine *m = xcalloc(1, sizeof *m);
    struct text t = {0};
    text_printf(&t, "%s", name);
    m->name = text_take(&t);
    m->description = text_take(&t);
    for (int i = 0; i < SECTION_COUNT; i++)
        knob_defaults(sections[i].table, (char *)m + sections[i].offset);
    return m;
}

void machine_free(struct machine *m)
{
    if (!m)
        return;
    free(m->name);
    free(m->description);
    free(m);
}

static bool set_group(struct machine *m, const struct machine_section *s, const struct machine_group *g,
                      const char *value, char **error)
{
    for (const char *const *knob = g->knobs; *knob; knob++)
        if (!knob_set(s->table, (char *)m + s->offset, *knob, value, error))
            return false;
    return true;
}

bool machine_set_knob(struct machine *m, const char *section, const char *knob, const char *value, char **error)
{
    const struct machine_section *s = find_section(section);
    if (!s)
        return diag_fail(error, "no section '%s'; there are gpu, sm and mem", section);
    for (const struct machine_group *g = machine_groups; g->name; g++)
        if (!strcmp(g->section, section) && !strcmp(g->name, knob))
            return set_group(m, s, g, value, error);
    return knob_set(s->table, (char *)m + s->offset, knob, value, error);
}

/* The section that has the knob, for a `knob=value` written without its section; NULL if none has. */
static const struct machine_section *section_with(const char *knob)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (knob_find(sections[i].table, knob))
            return &sections[i];
    return NULL;
}

static char *copy_trimmed(const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (begin < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    struct text t = {0};
    text_append(&t, begin, (size_t)(end - begin));
    return text_take(&t);
}

bool machine_set(struct machine *m, const char *assignment, char **error)
{
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return diag_fail(error, "'%s' is not of the form section.knob=value", assignment);
    char *path = copy_trimmed(assignment, equals);
    char *value = copy_trimmed(equals + 1, assignment + strlen(assignment));
    char *dot = strchr(path, '.');
    bool is_done;
    if (dot) {
        *dot = '\0';
        is_done = machine_set_knob(m, path, dot + 1, value, error);
    } else {
        const struct machine_section *s = section_with(path);
        is_done =
            s ? diag_fail(error, "'%s' has no section; write %s.%s=%s", assignment, s->table->section, path, value)
              : diag_fail(error, "'%s' is not of the form section.knob=value", assignment);
    }
    free(path);
    free(value);
    return is_done;
}

bool machine_check(const struct machine *m, char **error)
{
    if (m->gpu.max_block_threads > m->sm.max_threads)
        return diag_fail(error, "gpu.max_block_threads = %u is more than sm.max_threads = %u", m->gpu.max_block_threads,
                         m->sm.max_threads);
    if (m->sm.l0_bytes % m->mem.port[PORT_INSTRUCTION].line_bytes)
        return diag_fail(error, "sm.l0_bytes = %u is not a multiple of mem.instruction_line = %u", m->sm.l0_bytes,
                         m->mem.port[PORT_INSTRUCTION].line_bytes);
    return sm_config_check(&m->sm, error) && mem_config_check(&m->mem, error);
}

static void print_json_string(const char *s, struct text *out)
{
    text_printf(out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            text_printf(out, "\\u%04x", (unsigned char)*s);
        else
            text_append(out, s, 1);
    }
    text_printf(out, "\"");
}

void machine_print_json(const struct machine *m, struct text *out)
{
    text_printf(out, "{\"name\":");
    print_json_string(m->name, out);
    text_printf(out, ",\"description\":");
    print_json_string(m->description, out);
    for (int i = 0; i < SECTION_COUNT; i++) {
        text_printf(out, ",\"%s\":{", sections[i].table->section);
        knob_print_json(sections[i].table, (const char *)m + sections[i].offset, out);
        text_printf(out, "}");
    }
    text_printf(out, "}");
}
