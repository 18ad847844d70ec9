/* Machines: the built-in ones, files and their mistakes, --set, values that read back; and occupancy. */
#include "gpu/machine.h"
#include "gpu/occupancy.h"
#include "mem/mem.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct machine *load(const char *name)
{
    char *error = NULL;
    struct machine *m = machine_load(name, &error);
    if (!m)
        fail_msg("%s", error);
    return m;
}

/* What the papers' tables say, once more and by hand. */
static void test_tables(void **state)
{
    (void)state;
    struct machine *m = load("fx5800");
    assert_string_equal(m->name, "fx5800");
    assert_int_equal(m->gpu.sm_count, 30);
    assert_int_equal(m->sm.warp_width, 32);
    assert_int_equal(m->sm.simd_width, 8);
    assert_int_equal(sm_passes(&m->sm), 4);
    assert_int_equal(m->sm.registers, 16384);
    assert_int_equal(m->sm.shared_bytes, 16384);
    assert_string_equal(sm_scheduler_names[m->sm.scheduler], "lrr");
    assert_int_equal(m->sm.scoreboard, SM_SCOREBOARD_SINGLE);
    assert_int_equal(m->mem.l2_bytes, 1 << 20);
    assert_int_equal(m->mem.t_rc, 35);
    machine_free(m);
    m = load("fermi");
    assert_int_equal(m->gpu.sm_count, 15);
    assert_int_equal(m->sm.simd_width, 16);
    assert_int_equal(m->sm.max_threads, 1536);
    assert_int_equal(m->mem.port[PORT_DATA].bytes, 16384);
    assert_int_equal(mem_slices(&m->mem), 12); /* GPGPU-Sim 3, config_fermi_islip.icnt: 27 nodes, 15 of them cores */
    assert_int_equal(mem_slices(&m->mem) * m->mem.l2_bytes, 768 * 1024);
    assert_int_equal(m->mem.t_rrd, 6);
    assert_string_equal(sm_scheduler_names[m->sm.scheduler], "gto");
    machine_free(m);
    m = load("vws");
    assert_int_equal(m->gpu.sm_count, 1);
    assert_int_equal(m->sm.simd_width, 32);
    assert_int_equal(m->sm.cost[CLASS_FP32].latency_cycles, 10);
    assert_int_equal(m->mem.dram_model, DRAM_FIXED);
    machine_free(m);
    m = load("tiny");
    assert_int_equal(m->sm.warp_width, 4);
    machine_free(m);
}

static void test_knob_names_are_unique(void **state)
{
    (void)state;
    const struct knob_table *tables[] = {&gpu_knobs, &sm_knobs, &mem_knobs};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < tables[t]->count; i++)
            if (knob_find(tables[t], tables[t]->knobs[i].name) != &tables[t]->knobs[i])
                fail_msg("%s.%s is there twice", tables[t]->section, tables[t]->knobs[i].name);
}

/* Every cost class of ptx/class.def has its row in sm/class.def. */
static void test_every_class_has_a_cost(void **state)
{
    (void)state;
    struct sm_config sm;
    memset(&sm, 0, sizeof sm);
    knob_defaults(&sm_knobs, &sm);
    for (int c = 0; c < CLASS_COUNT; c++) {
        assert_true(sm.cost[c].latency_cycles > 0);
        assert_true(sm.cost[c].interval_cycles > 0);
    }
}

/* A built-in file leaves no knob to its default: every value has a line, and so a source. */
static void test_files_are_whole(void **state)
{
    (void)state;
    const struct knob_table *tables[] = {&gpu_knobs, &sm_knobs, &mem_knobs};
    for (const struct machine_builtin *b = machine_builtins; b->name; b++) {
        machine_free(load(b->name));
        assert_int_equal(*b->end, '\0');
        for (int t = 0; t < 3; t++)
            for (int i = 0; i < tables[t]->count; i++) {
                char line[80];
                snprintf(line, sizeof line, "\n%s = ", tables[t]->knobs[i].name);
                if (!strstr(b->text, line))
                    fail_msg("gpus/%s.ini does not set %s.%s", b->name, tables[t]->section, tables[t]->knobs[i].name);
            }
    }
}

/* Every file of gpus/ is built in, under its name and in order, and gives the machine that its path gives. */
static void test_files_are_built_in(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(HEDDLE_SOURCE "/gpus/*.ini", 0, NULL, &files), 0);
    const char *const *name = machine_names();
    for (size_t i = 0; i < files.gl_pathc; i++, name++) {
        struct text built_in = {0}, by_path = {0};
        assert_non_null(*name);
        struct machine *first = load(*name), *second = load(files.gl_pathv[i]);
        machine_print_json(first, &built_in);
        machine_print_json(second, &by_path);
        assert_string_equal(machine_builtins[i].name, *name);
        assert_string_equal(built_in.data, by_path.data);
        text_free(&built_in);
        text_free(&by_path);
        machine_free(first);
        machine_free(second);
    }
    assert_null(*name);
    assert_null(machine_builtins[files.gl_pathc].name);
    globfree(&files);
}

/* Every line with a value says where it is from, itself or in the comment above its group. */
static void test_values_have_sources(void **state)
{
    (void)state;
    for (const struct machine_builtin *b = machine_builtins; b->name; b++) {
        bool is_group_sourced = false;
        for (const char *line = b->text; line < b->end; line += strcspn(line, "\n") + 1) {
            int length = (int)strcspn(line, "\n");
            bool has_comment = memchr(line, ';', (size_t)length) != NULL;
            if (*line == ';')
                is_group_sourced = true;
            else if (length == 0 || *line == '[')
                is_group_sourced = false;
            else if (!has_comment && !is_group_sourced)
                fail_msg("gpus/%s.ini: no source for '%.*s'", b->name, length, line);
        }
    }
}

static void test_set(void **state)
{
    (void)state;
    struct machine *m = load("fermi");
    char *error = NULL;
    assert_true(machine_set(m, "sm.simd_width=32", &error));
    assert_int_equal(m->sm.simd_width, 32);
    assert_true(machine_set(m, " mem.l2_bytes = 1M ", &error));
    assert_int_equal(m->mem.l2_bytes, 1 << 20);
    assert_true(machine_set(m, "gpu.sm_count=2", &error));
    assert_true(machine_set(m, "sm.scheduler=two-level", &error));
    assert_string_equal(sm_scheduler_names[m->sm.scheduler], "two-level");
    assert_true(machine_check(m, &error));
    static const char *const wrong[][2] = {
        {"sm.simd_widht=8", "did you mean simd_width?"},
        {"sm.simd_width=65", "1 to 64"},
        {"cpu.cores=4", "no section 'cpu'"},
        {"warp_width=8", "sm.warp_width=8"},
        {"warp=8", "section.knob=value"},
        {"sm.warp_width", "section.knob=value"},
        {"sm.scheduler=random", "one of lrr, gto, two-level, oldest"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        error = NULL;
        assert_false(machine_set(m, wrong[i][0], &error));
        if (!strstr(error, wrong[i][1]))
            fail_msg("'%s' gives '%s', which does not say '%s'", wrong[i][0], error, wrong[i][1]);
        free(error);
    }
    machine_free(m);
}

static void test_check(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"sm.warp_width=12", "power of two"},          {"sm.simd_width=64", "more than sm.warp_width"},
        {"sm.simd_width=3", "power of two"},           {"sm.max_threads=1500", "multiple"},
        {"gpu.max_block_threads=1024", "max_threads"}, {"sm.l0_bytes=100", "instruction_line"},
        {"sm.l0_slice=5", "does not divide"},          {"mem.interleave=96", "interleave"},
        {"sm.register_banks=5", "register_banks"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct machine *m = load("volta");
        char *error = NULL;
        if (!strncmp(wrong[i][0], "gpu.max_block", 13))
            assert_true(machine_set(m, "sm.max_threads=512", &error));
        assert_true(machine_set(m, wrong[i][0], &error));
        assert_false(machine_check(m, &error));
        if (!strstr(error, wrong[i][1]))
            fail_msg("'%s' gives '%s', which does not say '%s'", wrong[i][0], error, wrong[i][1]);
        free(error);
        machine_free(m);
    }
}

static char path[] = P_tmpdir "/heddle-machine-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    return close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static void refuse(const char *text, int line, const char *expected)
{
    write_file(text, strlen(text));
    char *error = NULL, place[64];
    struct machine *m = machine_load(path, &error);
    assert_null(m);
    snprintf(place, sizeof place, line ? "%s:%d: " : "%s: ", path, line);
    if (strncmp(error, place, strlen(place)) || !strstr(error, expected))
        fail_msg("gives '%s', which does not say '%s' at '%s'", error, expected, place);
    free(error);
}

static void test_file(void **state)
{
    (void)state;
    static const char text[] = "; mine\n[gpu]\ndescription = a \"test\"\n\n[sm]\n  warp_width = 8 ; narrow\n"
                               "simd_width=4\n[mem]\n\tl2_bytes = 64K\n";
    write_file(text, sizeof text - 1);
    struct machine *m = load(path);
    assert_string_equal(m->name, strrchr(path, '/') + 1);
    assert_string_equal(m->description, "a \"test\"");
    assert_int_equal(m->sm.warp_width, 8);
    assert_int_equal(m->sm.simd_width, 4);
    assert_int_equal(m->mem.l2_bytes, 65536);
    assert_int_equal(m->sm.max_threads, 1536);
    struct text json = {0};
    machine_print_json(m, &json);
    assert_non_null(strstr(json.data, "\"description\":\"a \\\"test\\\"\",\"gpu\":{\"sm_count\":1,"));
    assert_non_null(strstr(json.data, "},\"sm\":{\"warp_width\":8,"));
    text_free(&json);
    machine_free(m);
}

static void test_file_mistakes(void **state)
{
    (void)state;
    refuse("[sm]\nwarp_width = 8\nwarp_widht = 8\n", 3, "did you mean warp_width?");
    refuse("[sm]\n\nwarp_width = 1000\nnonsense\n", 3, "4 to 64");
    refuse("[sm]\nnonsense\nwarp_width = 1000\n", 2, "knob = value");
    refuse("[cpu]\ncores = 1\n", 2, "no section 'cpu'");
    refuse("sm_count = 1\n", 1, "before the first section");
    refuse("[sm]\nwarp_width = 8\n[gpu]\nsm_count = 1\n[sm]\nwarp_width = 8\n", 6, "second time");
    refuse("[sm]\nwarp_width = 8\n  simd_width = 9\nwhat\n", 4, "knob = value");
    refuse("[sm]\nwarp_width = 8\nsimd_width = 16\n", 0, "more than sm.warp_width");
    char long_line[400];
    memset(long_line, ';', sizeof long_line - 1);
    long_line[sizeof long_line - 1] = '\0';
    refuse(long_line, 1, "longer");
    write_file("[sm]\n\0", 6);
    char *error = NULL;
    assert_null(machine_load(path, &error));
    assert_non_null(strstr(error, "zero byte"));
    free(error);
    assert_null(machine_load("fermy", &error));
    assert_non_null(strstr(error, "no machine and no file 'fermy'; there is "));
    free(error);
    assert_null(machine_load("./absent.ini", &error));
    assert_non_null(strstr(error, "./absent.ini: No such file"));
    free(error);
    assert_null(machine_load("/", &error));
    free(error);
}

static void set_as(struct machine *m, const struct knob_table *table, const void *values)
{
    for (int i = 0; i < table->count; i++) {
        struct text assignment = {0};
        char *error = NULL;
        text_printf(&assignment, "%s.%s=", table->section, table->knobs[i].name);
        knob_print_value(&table->knobs[i], values, &assignment);
        assert_true(machine_set(m, assignment.data, &error));
        text_free(&assignment);
    }
}

/* Values as they are printed, set on another machine, give the same machine. */
static void test_values_read_back(void **state)
{
    (void)state;
    for (const struct machine_builtin *b = machine_builtins; b->name; b++) {
        struct machine *m = load(b->name);
        char *error = NULL;
        assert_true(machine_set(m, "sm.lane_swizzle=yes", &error));
        struct text first = {0}, second = {0};
        machine_print_json(m, &first);
        assert_non_null(strstr(first.data, "\"lane_swizzle\":true"));
        struct machine *again = load("tiny");
        set_as(again, &gpu_knobs, &m->gpu);
        set_as(again, &sm_knobs, &m->sm);
        set_as(again, &mem_knobs, &m->mem);
        machine_print_json(again, &second);
        const char *begin = "\"gpu\":"; /* behind name and description */
        assert_string_equal(strstr(first.data, begin), strstr(second.data, begin));
        text_free(&first);
        text_free(&second);
        machine_free(m);
        machine_free(again);
    }
}

static void expect_occupancy(const struct machine *m, struct occupancy_need need, uint32_t blocks,
                             enum occupancy_limit limit)
{
    struct occupancy o = occupancy_of(m, &need);
    assert_int_equal(o.blocks, blocks);
    assert_int_equal(o.limit, limit);
    assert_int_equal(o.threads, blocks * need.threads);
}

static void test_occupancy(void **state)
{
    (void)state;
    struct machine *m = load("fermi"); /* 1536 threads, 8 blocks, 32768 registers by 64 to a warp, 48K by 128 */
    expect_occupancy(m, (struct occupancy_need){64, 16, 0}, 8, OCCUPANCY_BLOCKS);
    expect_occupancy(m, (struct occupancy_need){256, 16, 0}, 6, OCCUPANCY_THREADS);
    expect_occupancy(m, (struct occupancy_need){225, 16, 0}, 6, OCCUPANCY_THREADS); /* 8 warps */
    expect_occupancy(m, (struct occupancy_need){224, 16, 0}, 6, OCCUPANCY_THREADS);
    expect_occupancy(m, (struct occupancy_need){192, 16, 0}, 8, OCCUPANCY_BLOCKS);
    expect_occupancy(m, (struct occupancy_need){256, 21, 0}, 5, OCCUPANCY_REGISTERS); /* 704 a warp, not 672 */
    expect_occupancy(m, (struct occupancy_need){256, 20, 0}, 6, OCCUPANCY_THREADS);
    expect_occupancy(m, (struct occupancy_need){32, 8, 12288}, 4, OCCUPANCY_SHARED);
    expect_occupancy(m, (struct occupancy_need){32, 8, 12289}, 3, OCCUPANCY_SHARED); /* 12416 */
    expect_occupancy(m, (struct occupancy_need){32, 8, 7000}, 6, OCCUPANCY_SHARED);  /* 7040; seven of 7000 would fit */
    expect_occupancy(m, (struct occupancy_need){32, 8, 49152}, 1, OCCUPANCY_SHARED);
    expect_occupancy(m, (struct occupancy_need){32, 8, 49153}, 0, OCCUPANCY_SHARED);
    expect_occupancy(m, (struct occupancy_need){1024, 33, 0}, 0, OCCUPANCY_REGISTERS);
    expect_occupancy(m, (struct occupancy_need){1025, 1, 0}, 0, OCCUPANCY_BLOCK_SIZE);
    struct occupancy_need need = {1024, 33, 0};
    struct occupancy o = occupancy_of(m, &need);
    struct text why = {0};
    occupancy_explain(m, &need, &o, &why);
    assert_string_equal(why.data, "a block does not fit on a multiprocessor of 'fermi': it needs 34816 registers "
                                  "(33 per thread), and there are 32768");
    text_free(&why);
    machine_free(m);
    m = load("fx5800"); /* 16384 registers by 512 to a block */
    expect_occupancy(m, (struct occupancy_need){96, 21, 0}, 8, OCCUPANCY_BLOCKS);    /* 2048 */
    expect_occupancy(m, (struct occupancy_need){96, 22, 0}, 6, OCCUPANCY_REGISTERS); /* 2112 -> 2560 */
    machine_free(m);
    m = load("tiny"); /* warps of 4 */
    need = (struct occupancy_need){5, 10, 0};
    o = occupancy_of(m, &need);
    assert_int_equal(o.blocks, 8);
    assert_int_equal(o.warps, 16);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_knob_names_are_unique),
        cmocka_unit_test(test_every_class_has_a_cost),
        cmocka_unit_test(test_files_are_whole),
        cmocka_unit_test(test_files_are_built_in),
        cmocka_unit_test(test_values_have_sources),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_file_mistakes),
        cmocka_unit_test(test_values_read_back),
        cmocka_unit_test(test_occupancy),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
