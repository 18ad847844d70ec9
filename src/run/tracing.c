/* Tracing of a launch: what to trace, the names of PCs, and the files written. See tracing.h. */
#include "run/tracing.h"

#include "base/arena.h"
#include "base/demangle.h"
#include "base/diag.h"
#include "base/terminal.h"
#include "flow/print.h"
#include "trace/svg.h"
#include "trace/tikz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct view_row {
    const char *name;
    size_t offset; /* of the flag in struct tracing */
};

static const struct view_row views[] = {
    {"lanes", offsetof(struct tracing, lanes)},
    {"stack", offsetof(struct tracing, stack)},
    {"list", offsetof(struct tracing, list)},
};

enum { VIEW_COUNT = sizeof views / sizeof *views };

static bool take_view(struct tracing *t, const char *word, char **error)
{
    const struct view_row *nearest = &views[0];
    for (int i = 0; i < VIEW_COUNT; i++) {
        if (!strcmp(views[i].name, word)) {
            *(bool *)((char *)t + views[i].offset) = true;
            return true;
        }
        if (text_distance(word, views[i].name) < text_distance(word, nearest->name))
            nearest = &views[i];
    }
    struct text message = {0};
    char hint[TEXT_HINT];
    text_printf(&message, "--trace shows lanes, stack or list, not '%s'%s", word, text_hint(word, nearest->name, hint));
    *error = text_take(&message);
    return false;
}

bool tracing_read_views(struct tracing *t, const char *words, char **error)
{
    for (;;) {
        char word[32];
        size_t n = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), words);
        if (!take_view(t, word, error))
            return false;
        if (!words[n])
            return true;
        words += n + 1;
    }
}

static bool read_number(const char *word, const char **end, uint64_t *number)
{
    char *stop;
    if (*word < '0' || *word > '9')
        return false;
    errno = 0;
    *number = strtoull(word, &stop, 10);
    *end = stop;
    return !errno;
}

bool tracing_read_window(struct tracing *t, const char *word, char **error)
{
    const char *end;
    bool ok = read_number(word, &end, &t->first_cycle);
    t->last_cycle = t->first_cycle;
    if (ok && *end == ':')
        ok = read_number(end + 1, &end, &t->last_cycle);
    t->has_window = true;
    if (ok && !*end && t->first_cycle <= t->last_cycle)
        return true;
    struct text message = {0};
    text_printf(&message, "--trace-window takes the first and the last cycle, 100:200, not '%s'", word);
    *error = text_take(&message);
    return false;
}

bool tracing_read_sm(struct tracing *t, const char *word, uint32_t sm_count, char **error)
{
    const char *end;
    uint64_t sm;
    if (!read_number(word, &end, &sm) || *end || sm >= sm_count)
        return diag_fail(error, "--trace-sm must be a multiprocessor of the machine, 0 to %" PRIu32 ", not '%s'",
                         sm_count - 1, word);
    t->sm = (int)sm;
    return true;
}

static bool has_text(const struct tracing *t)
{
    return t->lanes || t->stack || t->list;
}

static uint64_t last_text_cycle(const struct tracing *t)
{
    return t->has_window ? t->last_cycle : TRACING_CYCLES - 1;
}

struct trace *tracing_begin(const struct tracing *t, bool is_first)
{
    struct trace_options options = {.sm = t->sm, .first_cycle = t->has_window ? t->first_cycle : 0};
    bool for_page = t->for_page && is_first;
    if (!for_page && !has_text(t) && !t->perfetto_path && !t->svg_path && !t->tikz_path)
        return NULL;
    if (options.sm < 0 && !t->perfetto_path && !for_page)
        options.sm = 0;
    options.last_cycle = t->has_window      ? t->last_cycle
                         : t->perfetto_path ? UINT64_MAX
                         : for_page         ? TRACING_PAGE_CYCLES - 1
                                            : last_text_cycle(t);
    options.capacity = for_page ? TRACING_PAGE_EVENTS : 0;
    options.state_bytes = for_page ? TRACING_PAGE_STATES : 0;
    return trace_create(&options);
}

/* ---- names of PCs ---- */

static const char *block_name(void *context, int32_t pc)
{
    const struct program *p = context;
    return p->blocks[p->insns[pc].block].name;
}

/* "$L__BB0_3  kernel.cu:12  setp.ne.s32 ...": label, source line and first instruction of the basic block. */
static void describe_block(void *context, int32_t pc, struct text *out)
{
    const struct program *p = context;
    const struct flow_block *block = &p->blocks[p->insns[pc].block];
    char where[200];
    if (block->label && strcmp(block->label, block->name))
        text_printf(out, "%s  ", block->label);
    text_printf(out, "%s  ", program_where(p, pc, where, sizeof where));
    program_print_instruction(p, pc, out);
}

static void print_instruction(void *context, int32_t pc, struct text *out)
{
    program_print_instruction(context, pc, out);
}

static void print_where(void *context, int32_t pc, struct text *out)
{
    char where[200];
    text_printf(out, "%s", program_where(context, pc, where, sizeof where));
}

static struct trace_names names_of(const struct code *code)
{
    return (struct trace_names){(void *)code_program(code), block_name, describe_block, print_instruction, print_where};
}

/* ---- output ---- */

static struct trace_view view_of(const struct tracing *t, const struct gpu_run *run, const struct code *code)
{
    return (struct trace_view){.sm = t->sm < 0 ? 0 : t->sm,
                               .first_cycle = t->first_cycle,
                               .last_cycle = last_text_cycle(t),
                               .width = (int)run->machine->sm.warp_width,
                               .is_compressed = true,
                               .names = names_of(code)};
}

static void print_views(const struct tracing *t, const struct trace *trace, const struct gpu_run *run,
                        const struct launch *launch, const struct code *code, uint64_t cycles, struct text *out)
{
    struct trace_view view = view_of(t, run, code);
    view.columns = t->text_path ? TERMINAL_COLUMNS : terminal_columns();
    view.is_coloured = !t->text_path && terminal_has_colour(STDOUT_FILENO);
    uint64_t last = view.last_cycle < cycles ? view.last_cycle : cycles;
    char *kernel = demangle_short(launch->kernel->name);
    struct text where = {0};
    size_t start = out->length;
    text_printf(out, "trace of %s on %s under %s:", kernel, run->machine->name, run->mechanism->name);
    text_printf(&where, "multiprocessor %d, cycles %" PRIu64 " to %" PRIu64 " of %" PRIu64, view.sm, view.first_cycle,
                last, cycles);
    bool fits = out->length - start + 1 + where.length <= (size_t)view.columns;
    text_printf(out, "%s%s\n", fits ? " " : "\n  ", where.data);
    text_free(&where);
    free(kernel);
    if (!t->has_window && last < cycles)
        text_printf(out, "(others with --trace-window FIRST:LAST)\n");
    text_printf(out, "\n");
    if (t->lanes)
        trace_print_lanes(trace, &view, out);
    if (t->lanes && (t->stack || t->list))
        text_printf(out, "\n");
    view.is_merged = !t->list;
    if (t->stack || t->list)
        trace_print_list(trace, &view, out);
}

static bool write_file(const char *path, const char *mode, const struct text *text)
{
    FILE *file = path ? fopen(path, mode) : stdout;
    bool ok = file && fwrite(text->data, 1, text->length, file) == text->length && !fflush(file);
    int reason = errno;
    if (file && path && fclose(file) && ok) {
        ok = false;
        reason = errno;
    }
    if (!ok)
        fprintf(diag_stream(), "heddle: error: cannot write the trace to %s: %s\n", path ? path : "stdout",
                strerror(reason));
    return ok;
}

/* Writes a file of the launch's own: FILE for the first launch, FILE.2 for the second, ... */
static bool write_own_file(const char *name, const struct launch *launch, const struct text *text)
{
    struct text path = {0};
    text_printf(&path, "%s", name);
    if (launch->grid_id > 1)
        text_printf(&path, ".%" PRIu64, launch->grid_id);
    bool ok = write_file(path.data, "w", text);
    text_free(&path);
    return ok;
}

static bool write_perfetto(const struct tracing *t, const struct trace *trace, const struct gpu_run *run,
                           const struct launch *launch, const struct code *code)
{
    struct text out = {0};
    struct trace_names names = names_of(code);
    trace_print_json(trace, &names, (int)run->machine->sm.warp_width, &out);
    bool ok = write_own_file(t->perfetto_path, launch, &out);
    text_free(&out);
    return ok;
}

/* Writes a picture of lanes by time, as SVG or for LaTeX. */
static bool write_picture(const struct tracing *t, const struct trace *trace, const struct gpu_run *run,
                          const struct launch *launch, const struct code *code, uint64_t cycles, bool is_tikz)
{
    struct text title = {0}, out = {0};
    struct trace_view view = view_of(t, run, code);
    char *kernel = demangle_short(launch->kernel->name);
    text_printf(&title, "%s on %s under %s: %" PRIu64 " cycles", kernel, run->machine->name, run->mechanism->name,
                cycles);
    free(kernel);
    if (is_tikz)
        trace_print_tikz(trace, &view, title.data, &out);
    else
        trace_print_svg(trace, &view, title.data, &out);
    bool ok = write_own_file(is_tikz ? t->tikz_path : t->svg_path, launch, &out);
    text_free(&title);
    text_free(&out);
    return ok;
}

bool tracing_end(const struct tracing *t, struct trace *trace, const struct gpu_run *run, const struct launch *launch,
                 const struct code *code, uint64_t cycles)
{
    bool ok = true;
    if (has_text(t)) {
        struct text out = {0};
        print_views(t, trace, run, launch, code, cycles, &out);
        ok = write_file(t->text_path, launch->grid_id > 1 ? "a" : "w", &out);
        text_free(&out);
    }
    if (t->perfetto_path)
        ok &= write_perfetto(t, trace, run, launch, code);
    if (t->svg_path)
        ok &= write_picture(t, trace, run, launch, code, cycles, false);
    if (t->tikz_path)
        ok &= write_picture(t, trace, run, launch, code, cycles, true);
    trace_destroy(trace);
    return ok;
}
