/* Evidence of a launch as a line of JSON: see evidence.h. */
#include "base/json.h"
#include "device/launch.h"
#include "exec/site.h"
#include "exec/waste.h"
#include "explain/evidence.h"
#include "flow/print.h"
#include "recon/detect.h"
#include "report/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const pattern_names[DETECT_PATTERNS] = {[DETECT_ITERATION_DELAY] = "iteration delay",
                                                           [DETECT_LOOP_MERGE] = "loop merge",
                                                           [DETECT_COMMON_CALL] = "common call"};

static void print_place(const struct evidence_launch *l, int32_t pc, struct text *out)
{
    char where[256];
    struct ptx_place place = program_place(l->program, pc);
    struct text instruction = {0};
    const char *line = place.path ? sources_line(l->sources, place.path, place.line) : NULL;
    if (!place.path) {
        program_print_instruction(l->program, pc, &instruction);
        line = instruction.data;
    }
    text_printf(out, "\"pc\":%" PRId32 ",\"where\":", pc);
    json_print_string(out, program_where(l->program, pc, where, sizeof where));
    text_printf(out, ",\"column\":%d,\"text\":", place.path ? place.column : 0);
    json_print_string(out, line && *line ? line : NULL);
    text_free(&instruction);
}

static const char *truth(bool is_true)
{
    return is_true ? "true" : "false";
}

static void print_shape(const struct shape *s, struct text *out)
{
    text_printf(out,
                ",\"loop_depth\":%d,\"leaves_loop\":%s,\"leaves_to_loop\":%s,\"has_other_exit\":%s,"
                "\"is_repeating\":%s,\"targets\":%d,\"alike\":%d,\"alike_issues\":%" PRIu64
                ",\"header_issues\":%" PRIu64 ",\"header_threads\":%" PRIu64 ",\"sides\":[",
                s->loop_depth, truth(s->leaves_loop), truth(s->leaves_to_loop), truth(s->has_other_exit),
                truth(s->is_repeating), s->target_count, s->alike, s->alike_issues, s->header_issues,
                s->header_threads);
    for (int k = 0; k < SHAPE_SIDES; k++)
        text_printf(out,
                    "%s{\"instructions\":%d,\"leaves_loop\":%s,\"ends\":%s,\"decides_trips\":%s,\"issues\":%" PRIu64
                    ",\"work\":%" PRIu64 ",\"work_in_loop\":%" PRIu64 "}",
                    k ? "," : "", s->side[k].instructions, truth(s->side[k].leaves_loop), truth(s->side[k].ends),
                    truth(s->side[k].decides_trips), s->side[k].issues, s->side[k].work, s->side[k].work_in_loop);
    text_printf(out, "]");
}

/* The best candidate of detection for the branch. */
static void print_estimate(const struct detection *d, int32_t branch, struct text *out)
{
    const struct detected *best = NULL;
    for (int i = 0; i < d->list.count; i++) {
        const struct detected *at = &d->list.data[i];
        if (at->branch == branch && (!best || (best->refusal && !at->refusal)))
            best = at;
    }
    if (!best)
        return;
    text_printf(out, ",\"estimate\":{\"pattern\":\"%s\",\"gain\":%.4g,\"refusal\":", pattern_names[best->pattern],
                best->gain);
    json_print_string(out, best->refusal);
    text_printf(out, "}");
}

static void print_branches(const struct evidence_launch *l, struct text *out)
{
    const struct program *p = l->program;
    struct predictions predictions = {0};
    struct branch_use *use = xcalloc((size_t)p->branch_count + 1, sizeof *use);
    for (int i = 0; i < p->branch_count; i++) {
        const struct site *site = &l->sites[p->branches[i].pc];
        use[i] = (struct branch_use){site->threads, site->taken, site->issues};
    }
    struct detection *detection = detect(&predictions, p, &(struct detect_rules){.profile = use});
    struct shapes *shapes = shapes_create(p, l->sites);
    const char *before = "";
    text_printf(out, ",\"branches\":[");
    for (int i = 0; i < p->branch_count; i++) {
        int32_t pc = p->branches[i].pc;
        const struct site *site = &l->sites[pc];
        if (!l->waste->lost[pc])
            continue;
        struct shape shape = shape_of(shapes, i);
        text_printf(out, "%s{", before);
        print_place(l, pc, out);
        text_printf(out, ",\"block\":");
        json_print_string(out, p->blocks[p->insns[pc].block].name);
        text_printf(out,
                    ",\"executed\":%" PRIu64 ",\"diverged\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"taken\":%" PRIu64
                    ",\"lost\":%" PRIu64,
                    site->issues, l->waste->parted[pc], site->threads, site->taken, l->waste->lost[pc]);
        print_shape(&shape, out);
        print_estimate(detection, i, out);
        text_printf(out, "}");
        before = ",";
    }
    text_printf(out, "]");
    shapes_destroy(shapes);
    detection_destroy(detection);
    predictions_free(&predictions);
    free(use);
}

static void print_accesses(const struct evidence_launch *l, struct text *out)
{
    const char *before = "";
    text_printf(out, ",\"accesses\":[");
    for (int32_t pc = 0; pc < l->program->insn_count; pc++) {
        if (!l->waste->sectors[pc])
            continue;
        text_printf(out, "%s{", before);
        print_place(l, pc, out);
        text_printf(out,
                    ",\"is_load\":%s,\"issues\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"sectors\":%" PRIu64
                    ",\"bytes\":%" PRIu64 "}",
                    truth(l->program->insns[pc].op == OP_LD), l->sites[pc].issues, l->sites[pc].threads,
                    l->waste->sectors[pc], l->waste->bytes[pc]);
        before = ",";
    }
    text_printf(out, "]");
}

void evidence_print(const struct evidence_launch *l, struct text *out)
{
    const uint32_t *g = l->launch->grid, *b = l->launch->block;
    uint64_t blocks = (uint64_t)g[0] * g[1] * g[2], threads = (uint64_t)b[0] * b[1] * b[2];
    text_printf(out, "{\"kernel\":");
    json_print_string(out, l->launch->kernel->name);
    text_printf(out,
                ",\"program\":\"%016" PRIx64 "\",\"grid\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "],\"block\":[%" PRIu32
                ",%" PRIu32 ",%" PRIu32 "],\"warps\":%" PRIu64 ",\"issues\":%" PRIu64 ",\"threads\":%" PRIu64
                ",\"lanes\":%" PRIu64 ",\"cycles\":%" PRIu64,
                l->program->hash, g[0], g[1], g[2], b[0], b[1], b[2], blocks * ((threads + 31) / 32), l->issues,
                l->threads, l->lanes, l->cycles);
    if (l->sites && l->waste) {
        text_printf(out, ",\"longest\":%" PRIu64 ",\"distinct\":%" PRIu64 ",\"words\":%" PRIu64, l->waste->longest,
                    l->waste->distinct, l->waste->words);
        print_branches(l, out);
        print_accesses(l, out);
    }
    text_printf(out, "}\n");
}
