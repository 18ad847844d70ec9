/* Results as JSON: the groups of one launch, by owner. */
#include "report/result.h"

#include "base/json.h"
#include "exec/race/race.h"
#include "report/report.h"
#include "report/verification.h"

#include <inttypes.h>

static const char *const executor_names[] = {[RESULT_ENGINE] = "functional", [RESULT_ORACLE] = "oracle"};

static void json_triple(struct text *t, const char *name, const uint32_t x[3])
{
    text_printf(t, "\"%s\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", name, x[0], x[1], x[2]);
}

static void json_program(struct text *t, const struct program *p)
{
    text_printf(t, ",\"program\":");
    if (!p) {
        text_printf(t, "null");
        return;
    }
    text_printf(t,
                "{\"hash\":\"%016" PRIx64 "\",\"instructions\":%d,\"blocks\":%d,\"branches\":%d,\"registers\":%d,"
                "\"static_shared_bytes\":%" PRIu32 ",\"stack_bytes\":%" PRIu32 "}",
                p->hash, p->insn_count, p->block_count, p->branch_count, p->register_count,
                p->layout->static_shared_bytes, p->stack_bytes);
}

static void json_fault(struct text *t, const struct fault *f)
{
    text_printf(t, ",\"fault\":");
    if (f->kind == FAULT_NONE) {
        text_printf(t, "null");
        return;
    }
    text_printf(t, "{\"kind\":");
    json_print_string(t, fault_text[f->kind]);
    text_printf(t, ",\"detail\":");
    json_print_string(t, f->detail);
    text_printf(t, ",\"where\":");
    json_print_string(t, f->where);
    text_printf(t, ",\"instruction\":");
    json_print_string(t, f->instruction);
    if (f->has_thread) {
        text_printf(t, ",");
        json_triple(t, "block", f->block);
        text_printf(t, ",");
        json_triple(t, "thread", f->thread);
    }
    if (f->has_address) {
        text_printf(t, ",\"access\":\"%s\",\"address\":\"0x%" PRIx64 "\",\"bytes\":%" PRIu32 ",\"space\":",
                    f->is_write ? "write" : "read", f->address, f->bytes);
        json_print_string(t, f->space);
        text_printf(t, ",\"near\":");
        json_print_string(t, f->near);
    }
    text_printf(t, "}");
}

/* What --sample timed of the launch, and how far its cycles may be off. */
static void json_sampling(struct text *t, const struct sample_estimate *e, uint64_t instructions)
{
    text_printf(t,
                ",\"sampling\":{\"estimate\":%.1f,\"interval\":[%.1f,%.1f],\"interval_percent\":%.4f,"
                "\"timed_share\":%.6f,\"timed_instructions\":%.0f,\"samples\":%d,\"timed_blocks\":%" PRIu64
                ",\"blocks\":%" PRIu64 ",\"program\":{\"cycles\":%.3f,\"half_cycles\":%.3f},\"why\":",
                e->cycles, e->cycles - e->half_cycles, e->cycles + e->half_cycles, 100 * sample_relative_half(e),
                sample_timed_share(e), sample_timed_share(e) * (double)instructions, e->samples, e->timed_blocks,
                e->blocks, e->program.cycles, e->program.half_cycles);
    json_print_string(t, e->why);
    text_printf(t, "}");
}

void result_json_line(struct text *t, const struct result *r)
{
    const struct launch *launch = r->launch;
    const struct gpu_result *timed = r->gpu;
    const struct launch_result *result = &timed->launch;
    const struct gpu_run *run = r->run;
    bool has_warps = r->executor == RESULT_ENGINE;
    text_printf(t, "{\"kernel\":");
    json_print_string(t, launch->kernel->name);
    text_printf(t, ",\"mechanism\":\"%s\",\"gpu\":", run ? run->mechanism->name : executor_names[r->executor]);
    json_print_string(t, run ? run->machine->name : NULL);
    if (run && run->profiled_launches)
        text_printf(t, ",\"profiled_launches\":%d", run->profiled_launches);
    if (run && run->is_uncompacted)
        text_printf(t, ",\"compaction\":false");
    if (run)
        text_printf(t, ",\"cycles\":%" PRIu64 ",\"drain_cycles\":%" PRIu64, timed->cycles, timed->drain_cycles);
    else
        text_printf(t, ",\"cycles\":null");
    if (has_warps)
        text_printf(t, ",\"warp_instructions\":%" PRIu64, result->warp_instructions);
    else
        text_printf(t, ",\"warp_instructions\":null");
    text_printf(t, ",\"thread_instructions\":%" PRIu64, result->thread_instructions);
    /* A machine may issue several strands on the lanes of one warp: what counts is the lanes it offered. */
    double lanes = run ? (double)timed->sm.issue_slots : 32 * (double)result->warp_instructions;
    if (has_warps && lanes > 0)
        text_printf(t, ",\"simd_efficiency\":%.6f", (double)result->thread_instructions / lanes);
    else
        text_printf(t, ",\"simd_efficiency\":null");
    text_printf(t, ",\"host_seconds\":%.6f,\"launch\":{", result->host_seconds);
    json_triple(t, "grid", launch->grid);
    text_printf(t, ",");
    json_triple(t, "block", launch->block);
    text_printf(t, ",\"shared\":%" PRIu32 ",\"grid_id\":%" PRIu64 "}", launch->dynamic_shared_bytes, launch->grid_id);
    if (has_warps)
        text_printf(t, ",\"control\":{\"branches\":%" PRIu64 ",\"divergent_branches\":%" PRIu64 "}", result->branches,
                    result->divergent_branches);
    if (r->report && r->report->estimate)
        json_sampling(t, r->report->estimate, result->thread_instructions);
    if (r->replay)
        text_printf(t, ",\"replay\":%s", r->replay);
    if (launch->tolerates_reads)
        text_printf(t, ",\"tolerated_reads\":%" PRIu64, result->tolerated_reads);
    if (result->block_conflicts)
        text_printf(t, ",\"block_conflicts\":%" PRIu64, result->block_conflicts);
    if (r->lockstep)
        text_printf(t, ",\"lockstep\":%d", *r->lockstep);
    else if (launch->race)
        text_printf(t, ",\"races\":%d", race_count(launch->race));
    if (r->memory) {
        text_printf(t, ",\"memory\":");
        verification_json(r->memory, t);
    }
    json_program(t, r->code ? code_program(r->code) : NULL);
    text_printf(t, ",\"options\":%s", r->options);
    if (r->report) {
        text_printf(t, ",\"occupancy\":{\"blocks_per_sm\":%d,\"limit\":", timed->blocks_per_sm);
        json_print_string(t, timed->occupancy_limit);
        text_printf(t, "},");
        report_json(r->report, t);
        text_printf(t, ",\"machine\":%s", r->machine);
    } else if (r->sites) {
        text_printf(t, ",\"branches\":");
        site_table_branches_json(r->sites, t);
        text_printf(t, ",\"lost_lanes\":%" PRIu64 ",\"lost_lanes_by_branches\":%" PRIu64 ",\"lines\":",
                    r->sites->lost_lanes, r->sites->lost_by_branch);
        site_table_lines_json(r->sites, t);
    }
    json_fault(t, &result->fault);
    text_printf(t, ",\"version\":\"%s\"}\n", HEDDLE_VERSION);
}
