/*
 * The report of a launch: groups, lanes lost by branch and line, intervals, names, and what must hold of counters.
 *
 * The launch is on the tiny machine, whose warps have four threads, so that everything can be counted by hand.
 */
#include "div/parts/frame.h"
#include "div/parts/pool.h"
#include "div/table.h"
#include "mem/stats.h"
#include "report/report.h"
#include "report/stalls.h"
#include "tests/unit/kernel_bench.h"

#include <math.h>

/* Threads 0 and 4 jump over two instructions. PTX lines 6 to 12 are PCs 0 to 6. */
static const char kernel[] = HEADER ".visible .entry k(.param .u64 a) {\n.reg .pred %p<2>; .reg .b32 %r<4>;\n"
                                    "mov.u32 %r1, %tid.x;\n"
                                    "and.b32 %r2, %r1, 3;\n"
                                    "setp.lt.u32 %p1, %r2, 1;\n"
                                    "@%p1 bra L;\n"
                                    "add.u32 %r3, %r1, 1;\n"
                                    "add.u32 %r3, %r3, 1;\n"
                                    "L: ret;\n}\n";

struct stage {
    struct bench bench;
    struct code *code;
    struct machine *machine;
    uint64_t knobs[64];
    struct gpu_run run;
    struct gpu_result result;
    struct report report;
};

static void open_stage(struct stage *s, const char *text, uint32_t threads, const char *mechanism)
{
    char *error = NULL;
    memset(s, 0, sizeof *s);
    open_bench(&s->bench, text);
    s->code = code_create(s->bench.launch.kernel, s->bench.image, &error);
    assert_non_null(s->code);
    s->machine = machine_load("tiny", &error);
    assert_non_null(s->machine);
    s->run = (struct gpu_run){.machine = s->machine, .mechanism = div_find(mechanism), .mechanism_knobs = s->knobs};
    if (s->run.mechanism->knobs)
        knob_defaults(s->run.mechanism->knobs, s->knobs);
    s->bench.launch.block[0] = threads;
    gpu_launch(&s->run, &s->bench.launch, s->code, &s->result);
    assert_int_equal(s->result.launch.fault.kind, FAULT_NONE);
    report_open(&s->report, &s->run, &s->bench.launch, code_program(s->code), &s->result, NULL, NULL);
}

static void close_stage(struct stage *s)
{
    report_close(&s->report);
    gpu_result_free(&s->result);
    machine_free(s->machine);
    code_destroy(s->code);
    close_bench(&s->bench);
}

static void expect(const struct text *t, const char *part)
{
    if (!t->data || !strstr(t->data, part))
        fail_msg("no '%s' in:\n%s", part, t->data ? t->data : "");
}

static void test_groups(void **state)
{
    (void)state;
    unsigned groups;
    char *error = NULL;
    assert_true(report_parse_groups("cycles,memory", &groups, &error));
    assert_int_equal(groups, REPORT_CYCLES | REPORT_MEMORY);
    assert_true(report_parse_groups("none", &groups, &error));
    assert_int_equal(groups, 0);
    assert_true(report_parse_groups("all", &groups, &error));
    assert_int_equal(groups, 511);
    static const char *const wrong[] = {"", "cycle", "cycles,", ",cycles", "cycles memory"};
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        assert_false(report_parse_groups(wrong[i], &groups, &error));
        assert_non_null(strstr(error, "there are summary cycles"));
        free(error);
    }
}

static void test_branch(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s, kernel, 8, "pdom");
    /* Two warps; PCs 4 and 5 issue three of four threads each. */
    assert_int_equal(s.result.sm.warp_instructions, 14);
    assert_int_equal(s.result.sm.thread_instructions, 52);
    assert_int_equal(s.report.sites.lost_lanes, 4);
    assert_int_equal(s.report.sites.lost_by_branch, 4);
    site_table_branches_csv(&s.report.sites, true, &t);
    assert_string_equal(t.data, "branch,pc,meets,executed,diverged,threads,taken,lost_lanes,lost_issues\n"
                                "PTX line 9,3,PTX line 12,2,2,8,2,4,1\n");
    text_free(&t);
    site_table_branches_json(&s.report.sites, &t);
    assert_string_equal(t.data, "[{\"pc\":3,\"where\":\"PTX line 9\",\"ptx_line\":9,\"ipdom\":6,\"uniform\":false,"
                                "\"loop_depth\":0,\"executed\":2,\"diverged\":2,\"threads\":8,\"taken\":2,"
                                "\"lost_lanes\":4,\"lost_issues\":1}]");
    text_free(&t);
    report_text(&s.report, REPORT_BRANCHES, false, &t);
    expect(&t, "\n  PTX line 9                    2          2 100.0%  25.0%          1.0   7.1%  PTX line 12\n");
    expect(&t, "\n  not by a branch                                                   0.0   0.0%\n");
    text_free(&t);
    close_stage(&s);
}

static void test_partial_warp(void **state)
{
    (void)state;
    struct stage s;
    open_stage(&s, kernel, 6, "pdom");
    /* The second warp has two threads: it loses two lanes at PCs 0 to 3 and 6, and three at PCs 4 and 5. */
    assert_int_equal(s.report.sites.lost_by_branch, 2 * (1 + 3));
    assert_int_equal(s.report.sites.lost_lanes, 2 * (1 + 3) + 5 * 2);
    close_stage(&s);
}

/* A branch that all threads of a warp take alike loses nothing, though nothing proves it uniform: what is missing in
 * its region is the outer branch's. */
static void test_branch_that_stays_together(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s,
               HEADER ".visible .entry k(.param .u64 a) {\n.reg .pred %p<3>; .reg .b32 %r<4>;\n"
                      "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\nsetp.lt.u32 %p1, %r2, 1;\n"
                      "setp.gt.u32 %p2, %r1, 100;\n"
                      "@%p1 bra L;\n"
                      "@%p2 bra L;\n"
                      "add.u32 %r3, %r1, 1;\n"
                      "L: ret;\n}\n",
               8, "pdom");
    site_table_branches_csv(&s.report.sites, false, &t);
    assert_string_equal(t.data, "PTX line 10,4,PTX line 13,2,2,8,2,4,1\n"
                                "PTX line 11,5,PTX line 13,2,0,6,0,0,0\n");
    text_free(&t);
    close_stage(&s);
}

static void test_lines(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s, kernel, 8, "pdom");
    site_table_lines_csv(&s.report.sites, true, &t);
    assert_string_equal(t.data, "line,issues,threads,transactions,lost_lanes,lost_issues\n"
                                "PTX line 6,2,8,0,0,0\nPTX line 7,2,8,0,0,0\nPTX line 8,2,8,0,0,0\n"
                                "PTX line 9,2,8,0,0,0\nPTX line 10,2,6,0,2,0.5\nPTX line 11,2,6,0,2,0.5\n"
                                "PTX line 12,2,8,0,0,0\n");
    text_free(&t);
    close_stage(&s);
    /* Instructions of one source line are one line, wherever they stand. */
    open_stage(&s,
               HEADER ".file 1 \"dir/a.cu\"\n.visible .entry k(.param .u64 a) {\n.reg .b32 %r<4>;\n"
                      ".loc 1 20 0\nmov.u32 %r1, %tid.x;\n.loc 1 21 0\nadd.u32 %r1, %r1, 1;\n"
                      ".loc 1 20 0\nadd.u32 %r1, %r1, 1;\n.loc 1 22 0\nret;}\n",
               8, "pdom");
    site_table_lines_csv(&s.report.sites, false, &t);
    assert_string_equal(t.data, "a.cu:20,4,16,0,0,0\na.cu:21,2,8,0,0,0\na.cu:22,2,8,0,0,0\n");
    text_free(&t);
    close_stage(&s);
}

static void test_bound_loses_nothing(void **state)
{
    (void)state;
    struct stage s;
    open_stage(&s, kernel, 8, "mimd");
    assert_int_equal(s.report.sites.lost_lanes, 0);
    close_stage(&s);
}

/* Everything, no line wider than 100 columns. */
static void print_all(struct stage *s, struct text *t)
{
    int column = 0;
    report_text(&s->report, 511, false, t);
    for (const char *p = t->data; *p; p++) {
        column = *p == '\n' ? 0 : column + 1;
        if (column > 100)
            fail_msg("wider than 100 columns: %.120s", p - 100);
    }
}

static void test_text(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    struct interval_series series = {0};
    open_stage(&s, kernel, 8, "pdom");
    interval_note(&series, 100, &s.report.statistics);
    s.report.intervals = &series;
    print_all(&s, &t);
    static const char *const parts[] = {
        "k: grid 1 x 1 x 1, block 8 x 1 x 1, on tiny under pdom\n",
        "\n  thread instructions            52   ",
        "\n  SIMD efficiency            92.9 %   3.71 of 4 threads per issue\n",
        "\n  branches                        2   divergent 2 (100.0 %)\n",
        "\n  W1-4                 14 ", /* every cycle that issued, issued up to four */
        "\n  W29-32                0    0.0 %\n",
        "\nlines, by issues\n",
        "\npdom.pushes ",
        "\nsm.thread_instructions ",
        "\ngpu_sim_insn = 52\n",
        "\nStall:",
        "\nsmsp__inst_executed.sum ",
        "\nintervals\n",
    };
    for (size_t i = 0; i < COUNTOF(parts); i++)
        expect(&t, parts[i]);
    assert_null(strstr(t.data, "texture.")); /* all zero */
    text_free(&t);
    report_text(&s.report, REPORT_SUMMARY, false, &t);
    assert_null(strstr(t.data, "W29-32")); /* without any */
    text_free(&t);
    report_text(&s.report, 0, false, &t);
    assert_null(t.data);
    interval_free(&series);
    close_stage(&s);
}

/* Figures of an hour's run, of a kernel with a name that a compiler made. */
static void test_text_of_long_runs(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s, kernel, 8, "pdom");
    struct ptx_function named = *s.bench.launch.kernel;
    named.name = "_ZN6detail55a_kernel_whose_name_is_long_even_without_its_parametersEPKf";
    s.bench.launch.kernel = &named;
    for (int i = 0; i < sm_stat_owner.count; i++)
        *(uint64_t *)((char *)&s.result.sm + sm_stat_owner.counters[i].offset) = 98765432109;
    s.result.cycles = 98765432109;
    s.result.launch.host_seconds = 3600;
    s.report.sites.issues = 98765432109;
    s.report.sites.joined[0].site.issues = s.report.sites.joined[0].site.diverged = 9876543210;
    s.report.sites.joined[0].lost_lanes = s.report.sites.lost_lanes = s.report.sites.lost_by_branch = 98765432109;
    print_all(&s, &t);
    expect(&t, "\n  grid 1 x 1 x 1, block 8 x 1 x 1, on tiny under pdom\n");
    text_free(&t);
    close_stage(&s);
}

/* Loads that miss, hit and merge, banks that collide: all rows of the memory's table. */
static void test_memory(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s,
               HEADER ".visible .entry k(.param .u64 a) {\n.reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
                      ".shared .b32 x[64];\n"
                      "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                      "add.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\nadd.u32 %r2, %r2, 1;\n"
                      "ld.global.u32 %r3, [%rd3];\nshl.b32 %r4, %r1, 4;\nst.shared.u32 [%r4], %r3;\n"
                      "st.global.u32 [%rd3], %r2;\nret;}\n",
               8, "pdom");
    print_all(&s, &t);
    /* Both warps load their 16 bytes twice, the second time when the line is there. */
    const struct sm_stats *sm = &s.result.sm;
    assert_int_equal(stat_get(&s.report.statistics, "l1d.accesses", NULL), 4);
    assert_int_equal(stat_get(&s.report.statistics, "l1d.hits", NULL), 2);
    assert_int_equal(sm->shared_instructions, 2);
    assert_int_equal(sm->shared_passes, 8); /* words 4 apart, in four banks */
    struct text row = {0};
    uint64_t merges = stat_get(&s.report.statistics, "l1d.merges", NULL);
    text_printf(&row, "\n  l1d %18d %10d %10d %10d   50.0 %% %9.2f %9.2f %9.2f\n", 4, 2, 2, (int)merges,
                2000.0 / (double)sm->thread_instructions, 2000.0 / (double)sm->thread_instructions,
                1000.0 * (double)merges / (double)sm->thread_instructions);
    expect(&t, row.data);
    text_free(&row);
    text_printf(&row, "\n  shared memory                   2   accesses, 4.00 passes each; %.2f passes per cycle\n",
                8.0 / (double)sm->cycles);
    expect(&t, "\n  pipe             bank        send    register      target       reads      writes           all\n"
               "  shared              6           -           -           -           -           -             6\n");
    expect(&t, "\ngpgpu_n_stall_shd_mem = 6\n");
    expect(&t, "\ngpgpu_stall_shd_mem[s_mem][bk_conf] = 6\n");
    text_free(&t);
    site_table_lines_csv(&s.report.sites, false, &t);
    expect(&t, "PTX line 11,2,8,2,0,0\n"); /* the first load: a line for each warp */
    text_free(&t);
    close_stage(&s);
}

/* Each cause of a pipe's stalls is its own counter, and the pipe's sum has all of them. */
static void test_stalls(void **state)
{
    (void)state;
    static const enum stall_pipe pipes[] = {STALL_DATA, STALL_CONSTANT, STALL_TEXTURE};
    static const char *const owners[] = {"l1d", "constant", "texture"};
    struct stage s;
    open_stage(&s, kernel, 8, "pdom");
    for (int i = 0; i < 3; i++) {
        struct port_stats *port = NULL;
        for (int k = 0; k < s.report.statistics.count; k++)
            if (!strcmp(s.report.statistics.parts[k].owner->name, owners[i]))
                port = (struct port_stats *)s.report.statistics.parts[k].values;
        assert_non_null(port);
        *port = (struct port_stats){.bank_stall_cycles = 1,
                                    .send_stall_cycles = 2,
                                    .mshr_stall_cycles = 4,
                                    .merge_stall_cycles = 8,
                                    .miss_queue_stall_cycles = 16,
                                    .write_queue_stall_cycles = 32};
        for (int cause = 0; cause < STALL_CAUSES; cause++)
            assert_int_equal(stalls_of(&s.report.statistics, pipes[i], (enum stall_cause)cause), 1 << cause);
        assert_int_equal(stalls_of_pipe(&s.report.statistics, pipes[i]), 63);
    }
    close_stage(&s);
}

static void test_csv(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s, kernel, 8, "pdom");
    report_csv(&s.bench.launch, &s.report, &s.report.sites, REPORT_LINES, 0, false, &t);
    assert_memory_equal(t.data, "0,k,PTX line 6,", 15); /* no heading unless asked */
    text_free(&t);
    unsigned groups = REPORT_CYCLES | REPORT_BRANCHES;
    assert_string_equal(report_csv_name(groups, 0), "counters");
    assert_string_equal(report_csv_name(groups, 1), "branches");
    assert_null(report_csv_name(groups, 2));
    report_csv(&s.bench.launch, &s.report, &s.report.sites, groups, 0, true, &t);
    assert_memory_equal(t.data, "launch,kernel,name,value,unit,meaning\n0,k,", 42);
    expect(&t, "\n0,k,gpu_sim_insn,52,thread instructions,Equals sm.thread_instructions.\n");
    expect(&t, "\n0,k,sm.warp_instructions,14,");
    expect(&t, "\n0,k,texture.hits,0,"); /* zeros too */
    text_free(&t);
    report_csv(&s.bench.launch, &s.report, &s.report.sites, groups, 1, true, &t);
    assert_memory_equal(t.data, "launch,kernel,branch,pc,", 24);
    text_free(&t);
    close_stage(&s);
}

static void test_json(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s, kernel, 8, "pdom");
    report_json(&s.report, &t);
    assert_null(strstr(t.data, "\"lines\"")); /* only on request */
    text_free(&t);
    s.report.lists_lines = true;
    report_json(&s.report, &t);
    static const char *const parts[] = {"\"sm\":{\"cycles\":",
                                        "\"texture\":{",
                                        "\"peak\":{\"sm_cycles\":",
                                        "\"derived\":{",
                                        "\"gpgpusim\":{\"gpu_sim_cycle\":",
                                        "\"nsight\":{",
                                        "\"branches\":[{",
                                        "\"lost_lanes\":4,\"lost_lanes_by_branches\":4,",
                                        "\"lines\":[{"};
    for (size_t i = 0; i < COUNTOF(parts); i++)
        expect(&t, parts[i]);
    assert_null(strstr(t.data, "\"intervals\""));
    assert_null(strstr(t.data, "nan"));
    text_free(&t);
    close_stage(&s);
}

/* ---- figures ---- */

static double named(const struct stat_formula *formulas, int count, const char *name, const struct stat_result *r)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(formulas[i].name, name))
            return formulas[i].value(r);
    fail_msg("no figure %s", name);
    return 0;
}

#define FIGURE(name) named(gpu_formulas, gpu_formula_count, name, &result)
#define SIM(name)    named(gpu_names_gpgpusim, gpu_names_gpgpusim_count, name, &result)
#define NSIGHT(name) named(gpu_names_nsight, gpu_names_nsight_count, name, &result)

static void test_figures(void **state)
{
    (void)state;
    struct sm_stats sm = {.cycles = 100,
                          .warp_instructions = 50,
                          .thread_instructions = 1000,
                          .issue_slots = 1600,
                          .issued_cycles = {10, 0, 0, 0, 0, 0, 0, 15},
                          .branches = 8,
                          .divergent_branches = 2,
                          .memory_instructions = 4,
                          .transactions = 10,
                          .resident_thread_cycles = 4800};
    struct port_stats l1 = {.accesses = 20,
                            .hits = 12,
                            .misses = 8,
                            .merges = 3,
                            .stores = 5,
                            .store_hits = 1,
                            .replies = 2,
                            .latency_cycles = 90};
    struct l2_stats l2 = {.accesses = 10, .hits = 4, .misses = 6, .merges = 1};
    struct dram_stats dram = {.row_hits = 3, .row_misses = 1, .bytes = 256, .bus_cycles = 8};
    struct gpu_peak peak = {
        .sm_cycles = 200, .thread_cycles = 19200, .bus_cycles = 80, .warp_width = 32, .core_mhz = 50};
    struct stat_value parts[] = {{&sm_stat_owner, &sm},
                                 {&mem_port_owner[PORT_DATA], &l1},
                                 {&mem_l2_owner, &l2},
                                 {&mem_dram_owner, &dram},
                                 {&gpu_peak_owner, &peak}};
    struct stat_result result = {parts, 5};
    assert_true(FIGURE("microseconds") == 2);
    assert_true(FIGURE("thread_ipc") == 10);
    assert_true(FIGURE("warp_ipc") == 0.5);
    assert_true(FIGURE("simd_efficiency") == 0.625);
    assert_true(FIGURE("threads_per_issue") == 20);
    assert_true(FIGURE("lost_issues") == 18.75);
    assert_true(FIGURE("divergence") == 0.25);
    assert_true(FIGURE("issue_utilisation") == 0.125);
    assert_true(FIGURE("occupancy") == 0.25);
    assert_true(FIGURE("transactions_per_access") == 2.5);
    assert_true(isnan(FIGURE("passes_per_shared_access")));
    assert_true(FIGURE("memory_latency") == 45);
    assert_true(FIGURE("l1d_hit_rate") == 0.6);
    assert_true(FIGURE("l1d_mpki") == 8);
    assert_true(FIGURE("l1d_merges_pki") == 3);
    assert_true(FIGURE("l2_hits_pki") == 4);
    assert_true(isnan(FIGURE("texture_hit_rate")));
    assert_true(FIGURE("dram_row_hit_rate") == 0.75);
    assert_true(FIGURE("dram_utilisation") == 0.1);
    assert_true(FIGURE("dram_bytes_per_cycle") == 2.56);
    assert_true(SIM("gpu_occupancy") == 25);
    assert_true(SIM("L1D_total_cache_accesses") == 25);
    assert_true(SIM("L1D_total_cache_misses") == 9);
    assert_true(SIM("L1D_total_cache_miss_rate") == 0.36);
    assert_true(SIM("L2_total_cache_misses") == 5);
    assert_true(SIM("L2_total_cache_pending_hits") == 1);
    assert_true(NSIGHT("smsp__thread_inst_executed_per_inst_executed.ratio") == 20);
    assert_true(NSIGHT("l1tex__t_sector_hit_rate.pct") == 60);
    assert_true(NSIGHT("dram__bytes.sum") == 256);
}

/* Twenty meetings: ten without a pending; of the others eight were judged rightly, three of which it was to bypass. */
static void test_figures_of_mechanisms(void **state)
{
    (void)state;
    struct sm_stats sm = {.transactions = 15, .home_transactions = 12, .resident_thread_cycles = 6400};
    struct gpu_peak peak = {.warp_width = 32};
    struct frame_counters capri = {.stall_stall = 5,
                                   .bypass_bypass = 3,
                                   .stall_bypass = 1,
                                   .bypass_stall = 1,
                                   .uniform_meetings = 10,
                                   .useful_compactions = 3,
                                   .useless_compactions = 1,
                                   .wait_cycles = 50};
    struct stat_value parts[] = {{&sm_stat_owner, &sm}, {&gpu_peak_owner, &peak}, {div_find("capri")->stats, &capri}};
    struct stat_result result = {parts, 3};
    assert_true(FIGURE("compaction_accuracy") == 0.8);
    assert_true(FIGURE("compaction_accuracy_all") == 0.9);
    assert_true(FIGURE("bypass_accuracy") == 0.7);
    assert_true(FIGURE("useful_compactions") == 0.75);
    assert_true(FIGURE("sync_wait") == 0.25);
    assert_true(FIGURE("extra_transactions") == 0.25);
    assert_true(isnan(FIGURE("pcs_in_use")));
    struct pool_counters dwf = {.commits = 4, .pcs = 10};
    parts[2] = (struct stat_value){div_find("dwf")->stats, &dwf};
    assert_true(FIGURE("pcs_in_use") == 2.5);
    assert_true(isnan(FIGURE("compaction_accuracy")) && isnan(FIGURE("sync_wait")));
}

/* They stand before the mechanism's counters, as far as it has them. */
static void test_text_of_mechanisms(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s, kernel, 8, "tbc");
    report_text(&s.report, REPORT_MECHANISM, false, &t);
    expect(&t, "mechanism tbc\nuseful_compactions ");
    expect(&t, "\nsync_wait ");
    assert_null(strstr(t.data, "accuracy"));
    assert_null(strstr(t.data, "pcs_in_use"));
    text_free(&t);
    close_stage(&s);
}

static void test_peak(void **state)
{
    (void)state;
    struct machine m = {.gpu = {.sm_count = 3},
                        .sm = {.max_threads = 64, .warp_width = 8},
                        .mem = {.core_mhz = 200, .memory_mhz = 100, .channels = 2}};
    struct gpu_peak peak = gpu_peak_of(&m, 10);
    assert_int_equal(peak.sm_cycles, 30);
    assert_int_equal(peak.thread_cycles, 1920);
    assert_int_equal(peak.bus_cycles, 10);
    assert_int_equal(peak.warp_width, 8);
    assert_int_equal(peak.core_mhz, 200);
}

/* Every counter that a formula names exists: with all of them 1 each has a value. And no two have one name. */
static void test_formulas_name_counters(void **state)
{
    (void)state;
    static const struct {
        const struct stat_formula *formulas;
        const int *count;
    } sets[] = {{gpu_formulas, &gpu_formula_count},
                {gpu_names_gpgpusim, &gpu_names_gpgpusim_count},
                {gpu_names_nsight, &gpu_names_nsight_count}};
    const struct stat_owner *owners[] = {&sm_stat_owner,
                                         &gpu_peak_owner,
                                         &energy_owner,
                                         &mem_crossbar_owner,
                                         &mem_l2_owner,
                                         &mem_dram_owner,
                                         &mem_port_owner[PORT_DATA],
                                         &mem_port_owner[PORT_CONSTANT],
                                         &mem_port_owner[PORT_TEXTURE],
                                         &mem_port_owner[PORT_INSTRUCTION],
                                         div_find("dpe")->stats,
                                         div_find("capri")->stats,
                                         div_find("dwf")->stats};
    struct stat_value parts[COUNTOF(owners)];
    uint64_t ones[256];
    for (size_t i = 0; i < COUNTOF(ones); i++)
        ones[i] = 1;
    for (size_t i = 0; i < COUNTOF(owners); i++) {
        assert_true(owners[i]->bytes <= sizeof ones);
        parts[i] = (struct stat_value){owners[i], ones};
    }
    struct stat_result result = {parts, COUNTOF(owners)};
    for (size_t a = 0; a < COUNTOF(sets); a++)
        for (int i = 0; i < *sets[a].count; i++) {
            const char *name = sets[a].formulas[i].name;
            if (!isfinite(sets[a].formulas[i].value(&result)))
                fail_msg("%s names a counter that is not there", name);
            for (size_t b = 0; b <= a; b++)
                for (int k = 0; k < (a == b ? i : *sets[b].count); k++)
                    if (!strcmp(name, sets[b].formulas[k].name))
                        fail_msg("two figures are called %s", name);
        }
}

/* ---- identities ---- */

static void test_check(void **state)
{
    (void)state;
    struct stage s;
    struct text why = {0};
    open_stage(&s, kernel, 8, "pdom");
    if (!report_check(&s.result, s.machine, &why))
        fail_msg("%s", why.data);
    /* Each of these counters is bound by something: one more, and somebody notices. */
    static const char *const bound[] = {"sm.cycles",
                                        "sm.warp_instructions",
                                        "sm.thread_instructions",
                                        "sm.W1_4",
                                        "sm.Stall",
                                        "sm.W0_Mem",
                                        "sm.W0_Idle",
                                        "sm.transactions",
                                        "sm.shared_passes",
                                        "l1d.accesses",
                                        "l1d.hits",
                                        "l1d.misses",
                                        "l1d.merges",
                                        "l1d.store_hits",
                                        "l1d.replies",
                                        "l1d.stores",
                                        "l2.accesses",
                                        "l2.hits",
                                        "l2.merges",
                                        "l2.reads",
                                        "sm.l0_hits",
                                        "sm.decodes",
                                        "instruction.misses"};
    for (size_t i = 0; i < COUNTOF(bound); i++) {
        struct gpu_result changed = s.result;
        uint64_t *copies[GPU_MAX_PARTS] = {0};
        bool found = false;
        for (int p = 0; p < changed.part_count; p++) {
            const struct stat_owner *o = changed.parts[p].owner;
            copies[p] = calloc(1, o->bytes); /* no stale zeros: a launch this small leaves most at zero */
            memcpy(copies[p], changed.parts[p].values, o->bytes);
            changed.parts[p].values = copies[p];
            size_t n = strlen(o->name);
            for (int c = 0; c < o->count && !strncmp(bound[i], o->name, n) && bound[i][n] == '.'; c++)
                if (!strcmp(bound[i] + n + 1, o->counters[c].name)) {
                    ++*(uint64_t *)((char *)copies[p] + o->counters[c].offset);
                    found = true;
                }
        }
        memcpy(&changed.sm, copies[0], sizeof changed.sm);
        assert_true(found);
        if (report_check(&changed, s.machine, &why))
            fail_msg("one more of %s goes unnoticed", bound[i]);
        assert_non_null(why.data);
        text_free(&why);
        for (int p = 0; p < changed.part_count; p++)
            free(copies[p]);
    }
    struct site *site = &s.result.sites[3];
    site->taken = site->threads + 1;
    assert_false(report_check(&s.result, s.machine, &why));
    expect(&why, "PC 3: ");
    text_free(&why);
    close_stage(&s);
}

/* ---- intervals ---- */

static void note(struct interval_series *series, uint64_t cycle, uint64_t threads, uint64_t resident)
{
    struct sm_stats sm = {.cycles = cycle,
                          .warp_instructions = threads / 4,
                          .thread_instructions = threads,
                          .issue_slots = threads * 2,
                          .resident_thread_cycles = resident};
    struct dram_stats dram = {.bytes = 32 * cycle};
    struct stat_value parts[] = {{&sm_stat_owner, &sm}, {&mem_dram_owner, &dram}};
    interval_note(series, cycle, &(struct stat_result){parts, 2});
}

/* Starvation over time: strands of dynamic warps, regrouped once a cycle, stood at ever more PCs. */
static void test_intervals_of_dynamic_warps(void **state)
{
    (void)state;
    static const struct stat_counter counters[] = {{"commits", "", "", 0, STAT_SUM}, {"pcs", "", "", 8, STAT_SUM}};
    static const struct stat_owner owner = {"dwf", counters, 2, 16};
    struct interval_series series = {0};
    struct text t = {0};
    for (uint64_t i = 1; i <= 3; i++) {
        struct sm_stats sm = {.cycles = 10 * i};
        uint64_t dwf[] = {10 * i, 20 * i * i};
        struct stat_value parts[] = {{&sm_stat_owner, &sm}, {&owner, dwf}};
        interval_note(&series, 10 * i, &(struct stat_result){parts, 2});
    }
    interval_csv(&series, false, &t);
    assert_string_equal(t.data, "10,10,0,0,0,,0,0,0,0,2\n20,10,0,0,0,,0,0,0,0,6\n30,10,0,0,0,,0,0,0,0,10\n");
    text_free(&t);
    interval_text(&series, true, &t);
    expect(&t, "pcs_in_use          |▂▅█| at most 10.00\n");
    text_free(&t);
    interval_free(&series);
}

static void test_intervals(void **state)
{
    (void)state;
    struct interval_series series = {0};
    struct text t = {0};
    note(&series, 10, 40, 80);
    note(&series, 20, 40, 160);
    note(&series, 20, 44, 160); /* no cycles have passed */
    note(&series, 25, 60, 190);
    assert_int_equal(series.count, 3);
    interval_csv(&series, true, &t);
    assert_string_equal(t.data,
                        "end,cycles,warp_instructions,thread_instructions,thread_ipc,simd_efficiency,l1d_misses,"
                        "l2_misses,dram_bytes,resident_threads,pcs_in_use\n"
                        "10,10,10,40,4,0.5,0,0,320,8,\n"
                        "20,10,0,0,0,,0,0,320,8,\n"
                        "25,5,5,20,4,0.5,0,0,160,6,\n");
    text_free(&t);
    interval_json(&series, &t);
    expect(&t, "[{\"end\":10,\"cycles\":10,\"warp_instructions\":10,\"thread_instructions\":40,\"thread_ipc\":4,");
    expect(&t, "{\"end\":20,\"cycles\":10,\"warp_instructions\":0,\"thread_instructions\":0,\"thread_ipc\":0,"
               "\"simd_efficiency\":null,");
    text_free(&t);
    interval_text(&series, false, &t);
    expect(&t,
           "\n        20          0          0       0.00          -          0          0        320        8.0\n");
    text_free(&t);
    interval_text(&series, true, &t);
    expect(&t, "thread_ipc          |█ █| at most 4.00\n");
    expect(&t, "resident_threads    |██▆| at most 8.0\n");
    assert_null(strstr(t.data, "pcs_in_use")); /* nobody counts them */
    text_free(&t);
    interval_free(&series);
    interval_text(&series, false, &t);
    assert_string_equal(t.data, "no interval has passed\n");
    text_free(&t);
}

/* A long series is a table of one screen all the same. */
static void test_many_intervals(void **state)
{
    (void)state;
    struct interval_series series = {0};
    struct text t = {0};
    for (uint64_t i = 1; i <= 100; i++)
        note(&series, 10 * i, 4 * i, 0);
    interval_text(&series, false, &t);
    int lines = 0;
    for (const char *p = t.data; *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 2 + 25 + 1);
    expect(&t, "\n        40          4         16       0.40 ");
    expect(&t, "(each row is 4 intervals)\n");
    text_free(&t);
    interval_free(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_branch),
        cmocka_unit_test(test_partial_warp),
        cmocka_unit_test(test_branch_that_stays_together),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_bound_loses_nothing),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_of_long_runs),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_stalls),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_figures_of_mechanisms),
        cmocka_unit_test(test_text_of_mechanisms),
        cmocka_unit_test(test_peak),
        cmocka_unit_test(test_formulas_name_counters),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_intervals_of_dynamic_warps),
        cmocka_unit_test(test_many_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
