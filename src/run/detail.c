/* Details of a launch, for pages: see detail.h. */
#include "run/detail.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/pack.h"
#include "flow/print.h"
#include "recon/barrier.h"
#include "report/report.h"
#include "run/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool detail_is_first(struct run_request *request, const struct program *program)
{
    for (int i = 0; i < request->reported.count; i++)
        if (request->reported.data[i] == program->hash)
            return false;
    vec_push(&request->reported, program->hash);
    return true;
}

/* ---- counters ---- */

static const struct site_column {
    const char *name;
    size_t offset; /* in struct site */
} site_columns[] = {
    {"issues", offsetof(struct site, issues)},
    {"threads", offsetof(struct site, threads)},
    {"diverged", offsetof(struct site, diverged)},
    {"taken", offsetof(struct site, taken)},
    {"transactions", offsetof(struct site, transactions)},
};

/* Lanes that the issues of a PC left empty. Under a mechanism that packs any threads, no lane counts as lost. */
static uint64_t lost_at(const struct report *r, int32_t pc)
{
    const struct site *s = &r->result->sites[pc];
    uint64_t slots = s->issues * r->run->machine->sm.warp_width;
    return r->run->mechanism->flags & DIV_IDEAL_LANES || slots < s->threads ? 0 : slots - s->threads;
}

static void print_counters(const struct report *r, struct text *out)
{
    int count = r->result->sites ? r->result->site_count : 0;
    text_printf(out, ",\"counters\":{");
    for (size_t k = 0; k < sizeof site_columns / sizeof *site_columns; k++) {
        text_printf(out, "\"%s\":[", site_columns[k].name);
        for (int32_t pc = 0; pc < count; pc++)
            text_printf(out, "%s%" PRIu64, pc ? "," : "",
                        *(const uint64_t *)((const char *)&r->result->sites[pc] + site_columns[k].offset));
        text_printf(out, "],");
    }
    text_printf(out, "\"lost\":[");
    for (int32_t pc = 0; pc < count; pc++)
        text_printf(out, "%s%" PRIu64, pc ? "," : "", lost_at(r, pc));
    text_printf(out, "]}");
}

static void print_branch_losses(const struct report *r, struct text *out)
{
    uint64_t *lost = xcalloc((size_t)r->program->branch_count + 1, sizeof *lost);
    for (int i = 0; i < r->sites.branch_count; i++)
        lost[r->sites.branches[i].branch] = r->sites.branches[i].lost_lanes;
    text_printf(out, ",\"branch_lost\":[");
    for (int i = 0; i < r->program->branch_count; i++)
        text_printf(out, "%s%" PRIu64, i ? "," : "", lost[i]);
    text_printf(out, "]");
    free(lost);
}

/* ---- the program ---- */

/* Source file (-1: none) and line of each PC, by the module's line table. */
static void print_places(const struct program *p, struct text *out)
{
    const struct ptx_module *m = p->kernel->module;
    struct text files = {0}, lines = {0};
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        int32_t location = p->insns[pc].location;
        bool is_known = location >= 0 && location < m->location_count;
        text_printf(&files, "%s%d", pc ? "," : "", is_known ? m->locations[location].file : -1);
        text_printf(&lines, "%s%d", pc ? "," : "", is_known ? m->locations[location].line : 0);
    }
    text_printf(out, ",\"places\":{\"files\":{");
    for (int i = 0; i < m->file_count; i++) {
        text_printf(out, "%s\"%d\":", i ? "," : "", m->files[i].number);
        json_print_string(out, m->files[i].path);
    }
    text_printf(out, "},\"file\":[%s],\"line\":[%s]}", files.data ? files.data : "", lines.data ? lines.data : "");
    text_free(&files);
    text_free(&lines);
}

/* The lines of PTX from which the program comes. */
static void print_ptx(const struct program *p, struct text *out)
{
    const struct ptx_module *m = p->kernel->module;
    int first = INT32_MAX, last = 0, line = 1;
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        int at = p->insns[pc].line;
        first = at > 0 && at < first ? at : first;
        last = at > last ? at : last;
    }
    const char *text = m->source.text ? m->source.text : "", *from = NULL, *to = text + strlen(text);
    for (const char *at = text; *at && line <= last; line++) {
        from = line == first ? at : from;
        at += strcspn(at, "\n");
        to = at;
        at += *at == '\n';
    }
    text_printf(out, ",\"ptx\":{\"path\":");
    json_print_string(out, m->source.path);
    text_printf(out, ",\"first\":%d,\"text\":", from ? first : 1);
    pack_text(from ? from : "", from ? (size_t)(to - from) : 0, out);
    text_printf(out, "}");
}

static const char *const barrier_words[] = {
    [BARRIER_JOIN] = "join",           [BARRIER_REJOIN] = "rejoin", [BARRIER_WAIT] = "wait",
    [BARRIER_SOFT_WAIT] = "soft wait", [BARRIER_CANCEL] = "cancel", [BARRIER_YIELD] = "yield",
};

/* Convergence barriers: what threads do before which PC, or on which edge. */
static void print_barriers(const struct barrier_plan *plan, struct text *out)
{
    text_printf(out, ",\"barriers\":[");
    for (int i = 0; plan && i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        text_printf(out, "%s{\"op\":\"%s\",\"barrier\":%d,\"pc\":%d,\"from\":%d,\"threshold\":%d}", i ? "," : "",
                    barrier_words[e->op.kind], (int)e->op.barrier, (int)e->place.pc, (int)e->place.from,
                    e->op.threshold);
    }
    text_printf(out, "]");
}

static void print_program(const struct report *r, const struct gpu_run *run, struct text *out)
{
    struct text program = {0};
    program_print_json(r->program, &program);
    text_printf(out, ",\"program\":");
    for (size_t i = 0; i < program.length; i++) /* a detail is one line */
        if (program.data[i] != '\n')
            text_append(out, &program.data[i], 1);
    text_free(&program);
    print_places(r->program, out);
    print_ptx(r->program, out);
    print_barriers(run->barriers, out);
}

void detail_print(const struct report *r, const struct gpu_run *run, const struct text *trace, struct text *out)
{
    const struct launch *l = r->launch;
    text_printf(out, "{\"detail\":1,\"kernel\":");
    json_print_string(out, l->kernel->name);
    text_printf(out, ",\"mechanism\":\"%s\",\"gpu\":", run->mechanism->name);
    json_print_string(out, run->machine->name);
    text_printf(out, ",\"hash\":\"%016" PRIx64 "\",\"launch\":%" PRIu64, r->program->hash, l->grid_id);
    text_printf(out, ",\"grid\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "],\"block\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]",
                l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    text_printf(out, ",\"cycles\":%" PRIu64 ",\"width\":%" PRIu32, r->result->cycles,
                (uint32_t)run->machine->sm.warp_width);
    print_counters(r, out);
    print_branch_losses(r, out);
    if (trace) {
        print_program(r, run, out);
        text_printf(out, ",\"trace\":%s", trace->data ? trace->data : "null");
    }
    text_printf(out, "}\n");
}
