/* Likely-convergence points by a profile: which ways count as rare, where threads meet then, and reading a profile. */
#include "kernel_bench.h"

#include "base/text.h"
#include "flow/profile_points.h"
#include "run/profile.h"

#include <unistd.h>

/* A loop whose way out at `rare` keeps the branch at LOOP from meeting in it. */
static const char kernel[] = HEADER ".visible .entry k(.param .u64 p)\n{\n"
                                    ".reg .pred %p<4>;\n.reg .b32 %r<4>;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\n"
                                    "LOOP: setp.eq.u32 %p0, %r0, %r1;\n@%p0 bra ODD;\n"
                                    "EVEN: setp.gt.u32 %p1, %r1, 1000;\n@%p1 bra OUT;\nbra JOIN;\n"
                                    "ODD: add.u32 %r2, %r2, 5;\n"
                                    "JOIN: setp.gt.u32 %p2, %r2, %r1;\n@%p2 bra LAST;\n"
                                    "MORE: add.u32 %r2, %r2, 1;\n"
                                    "LAST: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r1, 10;\n@%p3 bra LOOP;\n"
                                    "OUT: add.u32 %r1, %r1, %r2;\nret;\n}\n";

enum { AT_LOOP, AT_EVEN, AT_JOIN, AT_LAST, BRANCHES }; /* in the order of the text */

struct scene {
    struct ptx_module *module;
    struct program *program;
};

static void open_scene(struct scene *s)
{
    char *error = NULL;
    s->module = parse(kernel);
    s->program = program_create(ptx_find_function(s->module, "k"), &error);
    assert_non_null(s->program);
    assert_int_equal(s->program->branch_count, BRANCHES);
}

static void close_scene(struct scene *s)
{
    program_destroy(s->program);
    ptx_destroy(s->module);
}

static int32_t at(const struct scene *s, const char *label)
{
    for (int i = 0; i < s->program->block_count; i++)
        if (s->program->blocks[i].label && !strcmp(s->program->blocks[i].label, label))
            return s->program->blocks[i].first;
    fail_msg("no block is called %s", label);
    return PC_NONE;
}

static void expect_points(const struct scene *s, const struct branch_use use[BRANCHES], double percent,
                          const char *const labels[BRANCHES])
{
    int32_t *points = profile_points(s->program, use, percent);
    for (int i = 0; i < BRANCHES; i++)
        assert_int_equal(points[i], labels[i] ? at(s, labels[i]) : PC_NONE);
    free(points);
}

static void test_nothing_known(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    expect_points(&s, (const struct branch_use[BRANCHES]){{0, 0, 0}}, 5, (const char *const[BRANCHES]){NULL});
    close_scene(&s);
}

/* Without the way out threads meet at JOIN; who leaves at EVEN meets nobody. Those of JOIN meet at LAST anyway, those of LAST behind the loop. */
static void test_a_way_nobody_takes(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    static const struct branch_use use[BRANCHES] = {{100, 50, 0}, {50, 0, 0}, {100, 40, 0}, {100, 90, 0}};
    assert_int_equal(s.program->branches[AT_LOOP].ipdom, at(&s, "OUT"));
    assert_int_equal(s.program->branches[AT_JOIN].ipdom, at(&s, "LAST"));
    expect_points(&s, use, 0, (const char *const[BRANCHES]){"JOIN", NULL, NULL, NULL});
    expect_points(&s, use, 5, (const char *const[BRANCHES]){"JOIN", NULL, NULL, NULL});
    close_scene(&s);
}

/* Without work at OUT, threads that leave only end: those that stay meet at JOIN without a profile, and one that says
 * nothing must not send them on to the end. */
static void test_a_way_to_the_end_needs_no_profile(void **state)
{
    (void)state;
    char *text = strdup(kernel), *error = NULL, *work = strstr(text, "add.u32 %r1, %r1, %r2;");
    memset(work, ' ', strlen("add.u32 %r1, %r1, %r2;"));
    struct scene s = {.module = parse(text)};
    s.program = program_create(ptx_find_function(s.module, "k"), &error);
    assert_non_null(s.program);
    assert_int_equal(s.program->branches[AT_LOOP].ipdom, at(&s, "JOIN"));
    expect_points(&s, (const struct branch_use[BRANCHES]){{0, 0, 0}}, 5, (const char *const[BRANCHES]){NULL});
    close_scene(&s);
    free(text);
}

static void test_rare_is_a_share(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    static const struct branch_use use[BRANCHES] = {
        {1000, 500, 0}, {500, 20, 0}, {1000, 400, 0}, {1000, 900, 0}}; /* 4 % */
    expect_points(&s, use, 3.9, (const char *const[BRANCHES]){NULL});
    expect_points(&s, use, 4, (const char *const[BRANCHES]){"JOIN", NULL, NULL, NULL});
    close_scene(&s);
}

/* The taken way may be the usual one: then it is the next PC that is left out. */
static void test_the_next_pc_may_be_rare(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    static const struct branch_use use[BRANCHES] = {{1000, 500, 0}, {500, 499, 0}, {1000, 400, 0}, {1000, 900, 0}};
    expect_points(&s, use, 1, (const char *const[BRANCHES]){NULL}); /* all who come to EVEN leave */
    close_scene(&s);
}

/* A loop of many rounds is one that is hardly left; those that part in it meet in it all the same. */
static void test_long_loops(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    static const struct branch_use use[BRANCHES] = {{1000, 500, 0}, {500, 0, 0}, {1000, 400, 0}, {1000, 999, 0}};
    expect_points(&s, use, 5, (const char *const[BRANCHES]){"JOIN", NULL, NULL, NULL});
    close_scene(&s);
}

/* ---- reading ---- */

static char *write_profile(const char *text)
{
    static const char pattern[] = "/tmp/heddle-profile-XXXXXX";
    char *path = malloc(sizeof pattern);
    memcpy(path, pattern, sizeof pattern);
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    return path;
}

static void line(struct text *t, uint64_t hash, int32_t pc, unsigned threads, unsigned taken)
{
    text_printf(t,
                "{\"kernel\":\"k\",\"control\":{\"branches\":9},\"program\":{\"hash\":\"%016llx\",\"instructions\":9},"
                "\"options\":{\"set\":\"a \\\"branches\\\":[{\"},\"branches\":[{\"pc\":%d,\"where\":\"k.cu:1\","
                "\"threads\":%u,\"taken\":%u,\"lost_issues\":1.5},{\"pc\":9999,\"threads\":7,\"taken\":7}],"
                "\"lines\":[{\"pc\":%d,\"threads\":5,\"taken\":5}]}\n",
                (unsigned long long)hash, (int)pc, threads, taken, (int)pc);
}

static void test_lines_of_the_program_are_added(void **state)
{
    (void)state;
    struct scene s;
    struct text t = {0};
    char *error = NULL;
    open_scene(&s);
    int32_t pc = s.program->branches[AT_EVEN].pc;
    line(&t, s.program->hash, pc, 100, 3);
    line(&t, s.program->hash + 1, pc, 1000, 1000); /* another program */
    line(&t, s.program->hash, pc, 50, 4);
    char *path = write_profile(t.data);
    struct branch_use *use = profile_read(path, s.program, &error);
    assert_non_null(use);
    assert_int_equal(use[AT_EVEN].threads, 150);
    assert_int_equal(use[AT_EVEN].taken, 7);
    assert_int_equal(use[AT_LOOP].threads, 0);
    unlink(path);
    free(path);
    free(use);
    text_free(&t);
    close_scene(&s);
}

static void refuse(const struct scene *s, const char *path, const char *expected)
{
    char *error = NULL;
    assert_null(profile_read(path, s->program, &error));
    assert_non_null(error);
    if (!strstr(error, expected))
        fail_msg("'%s' is not in '%s'", expected, error);
    free(error);
}

static void test_no_profile(void **state)
{
    (void)state;
    struct scene s;
    struct text t = {0};
    open_scene(&s);
    line(&t, s.program->hash + 1, 3, 100, 3);
    text_printf(&t, "not JSON\n{\"program\":{\"hash\":\"%016llx\"}}\n", (unsigned long long)s.program->hash);
    char *path = write_profile(t.data);
    refuse(&s, path, "has no run of this program");
    unlink(path);
    refuse(&s, path, "cannot read the profile");
    free(path);
    text_free(&t);
    close_scene(&s);
}

/* A line of the program that ends early, and a count that a double cannot hold: both are named with their line. */
static void test_broken_lines_of_the_program(void **state)
{
    (void)state;
    static const char *const endings[] = {"\"branches\":[{\"pc\":",
                                          "\"branches\":[{\"pc\":3,\"threads\":9007199254740994}]}"};
    static const char *const wanted[] = {"line 2: at byte", "line 2: \"threads\" is 9007199254740994"};
    for (int i = 0; i < 2; i++) {
        struct scene s;
        struct text t = {0};
        open_scene(&s);
        line(&t, s.program->hash, 3, 100, 3);
        text_printf(&t, "{\"program\":{\"hash\":\"%016llx\"},%s\n", (unsigned long long)s.program->hash, endings[i]);
        char *path = write_profile(t.data);
        refuse(&s, path, wanted[i]);
        unlink(path);
        free(path);
        text_free(&t);
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_a_way_nobody_takes),
        cmocka_unit_test(test_a_way_to_the_end_needs_no_profile),
        cmocka_unit_test(test_rare_is_a_share),
        cmocka_unit_test(test_the_next_pc_may_be_rare),
        cmocka_unit_test(test_long_loops),
        cmocka_unit_test(test_lines_of_the_program_are_added),
        cmocka_unit_test(test_no_profile),
        cmocka_unit_test(test_broken_lines_of_the_program),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
