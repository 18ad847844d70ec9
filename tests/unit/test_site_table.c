/*
 * Tables by branch and by source line of launches without a machine: what the functional engine counts, copies of a
 * branch in one row, and texts of source lines.
 */
#include "exec/functional.h"
#include "report/site_table.h"
#include "report/source.h"
#include "tests/unit/kernel_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct stage {
    struct bench bench;
    struct code *code;
    struct site *sites;
    struct site_table table;
};

static void open_stage(struct stage *s, const char *text, uint32_t threads, struct sources *sources)
{
    char *error = NULL;
    memset(s, 0, sizeof *s);
    open_bench(&s->bench, text);
    s->code = code_create(s->bench.launch.kernel, s->bench.image, &error);
    assert_non_null(s->code);
    const struct program *p = code_program(s->code);
    s->sites = calloc((size_t)p->insn_count + 1, sizeof *s->sites);
    s->bench.launch.block[0] = threads;
    s->bench.launch.sites = s->sites;
    functional_launch(&s->bench.launch, s->code, &s->bench.result);
    assert_int_equal(s->bench.result.fault.kind, FAULT_NONE);
    site_table_open(&s->table, &(struct site_input){.program = p, .sites = s->sites, .width = 32, .sources = sources});
    uint64_t threads_of_sites = 0;
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        threads_of_sites += s->sites[pc].threads;
    assert_int_equal(s->table.issues, s->bench.result.warp_instructions);
    assert_int_equal(threads_of_sites, s->bench.result.thread_instructions);
}

static void close_stage(struct stage *s)
{
    site_table_close(&s->table);
    free(s->sites);
    code_destroy(s->code);
    close_bench(&s->bench);
}

#define BEGIN ".visible .entry k(.param .u64 a) {\n.reg .pred %p<4>; .reg .b32 %r<6>;\n"

/* Of two rows, eight threads each jump over two instructions, which 48 lanes of 64 execute: 2 x 8 lanes are lost at
 * each, one issue in all. Then all threads take a branch together, which loses nothing. */
static void test_branches(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s,
               HEADER BEGIN "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\nsetp.lt.u32 %p1, %r2, 1;\n"
                            "@%p1 bra L;\nadd.u32 %r3, %r1, 1;\nadd.u32 %r3, %r3, 1;\n"
                            "L: setp.lt.u32 %p2, %r1, 1000;\n@%p2 bra M;\nadd.u32 %r3, %r3, 1;\nM: ret;\n}\n",
               64, NULL);
    site_table_branches_csv(&s.table, true, &t);
    assert_string_equal(t.data, "branch,pc,meets,executed,diverged,threads,taken,lost_lanes,lost_issues\n"
                                "PTX line 9,3,PTX line 12,2,2,64,16,32,1\n"
                                "PTX line 13,7,PTX line 15,2,0,64,64,0,0\n");
    text_free(&t);
    site_table_lines_csv(&s.table, false, &t);
    assert_non_null(strstr(t.data, "\nPTX line 10,2,48,0,16,0.5\n"));
    text_free(&t);
    close_stage(&s);
}

/* Threads leave a loop after as many iterations as their number in the group of four: the branch back diverges until
 * one thread in four is left. */
static void test_loop(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s,
               HEADER BEGIN "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\n"
                            "L: sub.u32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 0;\n@!%p1 bra L;\nret;\n}\n",
               32, NULL);
    site_table_branches_csv(&s.table, false, &t);
    /* 32, 24, 16 and 8 threads; 24, 16 and 8 go back; 3 x (8 + 16 + 24) lanes are lost. */
    assert_string_equal(t.data, "PTX line 10,4,PTX line 11,4,3,80,48,144,4.5\n");
    text_free(&t);
    close_stage(&s);
}

/* An indirect branch sends threads to as many places as their indices say. */
static void test_indirect_branch(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s,
               HEADER BEGIN "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\nT: .branchtargets A, B;\nbrx.idx %r2, T;\n"
                            "A: add.u32 %r3, %r1, 1;\nB: ret;\n}\n",
               32, NULL);
    site_table_branches_csv(&s.table, false, &t);
    assert_string_equal(t.data, "PTX line 9,2,PTX line 11,1,1,32,16,16,0.5\n");
    text_free(&t);
    close_stage(&s);
}

#define LINES HEADER ".file 1 \"unrolled.cu\"\n"

/* Two copies of one source branch are one row; a branch of another column is another row. */
static void test_copies(void **state)
{
    (void)state;
    struct stage s;
    struct text t = {0};
    open_stage(&s,
               LINES BEGIN ".loc 1 3 1\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 4;\nsetp.lt.u32 %p2, %r1, 8;\n"
                           ".loc 1 5 9\n@%p1 bra A;\nadd.u32 %r2, %r1, 1;\nA:\n"
                           ".loc 1 5 9\n@%p2 bra B;\nadd.u32 %r2, %r1, 1;\nB:\n"
                           ".loc 1 5 30\n@%p2 bra C;\nadd.u32 %r2, %r1, 1;\nC: .loc 1 7 1\nret;\n}\n",
               32, NULL);
    assert_int_equal(s.table.branch_count, 3);
    site_table_branches_csv(&s.table, false, &t);
    assert_string_equal(t.data, "unrolled.cu:5,5,unrolled.cu:5,2,2,64,12,12,0.375\n"
                                "unrolled.cu:5,7,unrolled.cu:7,1,1,32,8,8,0.25\n");
    text_free(&t);
    site_table_branches_json(&s.table, &t);
    assert_non_null(strstr(t.data, "{\"pc\":3,")); /* each copy by itself */
    text_free(&t);
    close_stage(&s);
}

/* The text of a source line stands below its branch and behind its line. */
static void test_source_text(void **state)
{
    (void)state;
    char folder[] = "/tmp/heddle-sources-XXXXXX", path[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/unrolled.cu", folder);
    FILE *file = fopen(path, "w");
    fputs("// a kernel\n\n\tint i = threadIdx.x;  \n\n    if (i < 4)\n        j = i + 1;\n}", file);
    fclose(file);
    setenv("HEDDLE_SOURCE", "/nowhere", 1);
    sources_add_folder(folder);
    struct sources *sources = sources_create();
    assert_string_equal(sources_line(sources, "unrolled.cu", 3), "int i = threadIdx.x;");
    assert_string_equal(sources_line(sources, "/gone/with/unrolled.cu", 7), "}"); /* found by its name */
    assert_string_equal(sources_line(sources, "unrolled.cu", 2), "");
    assert_null(sources_line(sources, "unrolled.cu", 8));
    assert_null(sources_line(sources, "unrolled.cu", 0));
    assert_null(sources_line(sources, "other.cu", 1));
    assert_null(sources_line(sources, folder, 1)); /* a folder is no source */
    struct stage s;
    struct text t = {0};
    open_stage(&s,
               LINES BEGIN ".loc 1 3 1\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 4;\n.loc 1 5 9\n@%p1 bra A;\n"
                           ".loc 1 6 9\nadd.u32 %r2, %r1, 1;\nA: .loc 1 7 1\nret;\n}\n",
               32, sources);
    site_table_branches_text(&s.table, 5, &t);
    assert_non_null(strstr(t.data, "unrolled.cu:7\n      if (i < 4)\n"));
    text_free(&t);
    site_table_lines_text(&s.table, 5, &t);
    assert_non_null(strstr(t.data, "         0.0  int i = threadIdx.x;\n"));
    text_free(&t);
    close_stage(&s);
    sources_destroy(sources);
    unsetenv("HEDDLE_SOURCE");
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches), cmocka_unit_test(test_loop),        cmocka_unit_test(test_indirect_branch),
        cmocka_unit_test(test_copies),   cmocka_unit_test(test_source_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
