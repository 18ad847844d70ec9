/* Identities of runs, and results that go into a store and come back. */
#define _GNU_SOURCE
#include "base/temporary.h"
#include "study/identity.h"
#include "study/keeper.h"
#include "study/worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- identities ---- */

/* The task of `heddle run FILE WORDS`. */
static struct task task_of(struct identity *i, const char *file, const char *words)
{
    struct trial t = {0};
    struct task task = {0};
    char *error = NULL;
    trial_add_word(&t, file);
    trial_add_words(&t, words);
    if (!identity_make_task(i, &t, &task, &error))
        fail_msg("%s: %s", words, error);
    trial_free(&t);
    return task;
}

/* Whether two command lines have one key. */
static bool is_same(struct identity *i, const char *file, const char *a, const char *b)
{
    struct task x = task_of(i, file, a), y = task_of(i, file, b);
    bool same = !strcmp(x.key, y.key);
    task_free(&x);
    task_free(&y);
    return same;
}

static struct identity *open_identity(void)
{
    char *error = NULL;
    struct identity *i = identity_open(&error);
    assert_non_null(i);
    return i;
}

static void test_what_a_key_depends_on(void **state)
{
    (void)state;
    char *error = NULL, *file = temporary_file("one", 3, &error), *input = temporary_file("x", 1, &error);
    struct identity *i = open_identity();
    assert_true(is_same(i, file, "--gpu fermi --mech tbc --grid 4", "--grid 4 --mech=tbc --gpu fermi"));
    assert_true(is_same(i, file, "--gpu fermi", "--gpu fermi --mech pdom --set sm.scheduler=gto"));
    assert_true(is_same(i, file, "--gpu fermi --stats all", "--gpu fermi --set mem.l2_bytes=64K --quiet"));
    assert_false(is_same(i, file, "--gpu fermi", "--gpu fx5800"));
    assert_false(is_same(i, file, "--gpu fermi", "--gpu fermi --mech tbc"));
    assert_false(is_same(i, file, "--gpu fermi", "--gpu fermi --set sm.scheduler=lrr"));
    assert_false(is_same(i, file, "--gpu fermi --mech tbc", "--gpu fermi --mech tbc --set tbc.compaction=no"));
    assert_false(is_same(i, file, "--gpu fermi", "--gpu fermi --verify functional"));
    assert_false(is_same(i, file, "--gpu fermi", "--gpu fermi --limit 5"));
    assert_false(is_same(i, file, "--gpu fermi", "--gpu fermi --rewrite merge-loops"));
    assert_false(is_same(i, file, "--gpu fermi", "--gpu fermi --profile-rare 7"));
    assert_false(is_same(i, file, "--grid 4", "--grid 5"));
    assert_false(is_same(i, file, "--arg 1 --arg 2", "--arg 2 --arg 1"));
    struct text word = {0};
    text_printf(&word, "--arg buf:u8=file(%s)", input);
    struct task before = task_of(i, file, word.data);
    FILE *changed = fopen(input, "w");
    fprintf(changed, "y");
    fclose(changed);
    struct identity *later = open_identity();
    struct task after = task_of(later, file, word.data);
    assert_string_not_equal(before.input_hash, after.input_hash);
    assert_string_equal(before.program_hash, after.program_hash);
    assert_string_not_equal(before.key, after.key);
    task_free(&before);
    task_free(&after);
    identity_close(later);
    identity_close(i);
    text_free(&word);
    temporary_remove(input);
    temporary_remove(file);
}

static void test_what_a_task_says(void **state)
{
    (void)state;
    char *error = NULL, *file = temporary_file("one", 3, &error);
    struct identity *i = open_identity();
    struct task t = task_of(i, file,
                            "--gpu fx5800 --mech tbc --set sm.scheduler=age --set tbc.drain=no "
                            "--rewrite coarsen=2,merge-loops");
    assert_string_equal(t.name, file);
    assert_string_equal(t.gpu, "fx5800");
    assert_string_equal(t.mechanism, "tbc+coarsen=2+merge-loops");
    assert_string_equal(t.settings, "sm.scheduler=age tbc.drain=no");
    assert_string_equal(t.build, identity_build(i));
    assert_string_equal(t.program_hash, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"); /* "one" */
    assert_non_null(strstr(t.configuration, "\"scheduler\":\"age\""));
    assert_non_null(strstr(t.configuration, "\"drain\":false"));
    assert_null(t.size);
    task_free(&t);
    t = task_of(i, file, "--grid 3");
    assert_null(t.gpu);
    assert_null(t.mechanism);
    assert_string_equal(t.settings, "");
    task_free(&t);
    identity_close(i);
    temporary_remove(file);
}

static void check_refused(struct identity *i, const char *file, const char *words, const char *why)
{
    struct trial t = {0};
    struct task task = {0};
    char *error = NULL;
    trial_add_word(&t, file);
    trial_add_words(&t, words);
    assert_false(identity_make_task(i, &t, &task, &error));
    if (!strstr(error, why))
        fail_msg("'%s' does not say '%s'", error, why);
    assert_null(task.key);
    assert_null(task.build);
    free(error);
    trial_free(&t);
}

static void test_runs_without_identity(void **state)
{
    (void)state;
    char *error = NULL, *file = temporary_file("one", 3, &error);
    struct identity *i = open_identity();
    check_refused(i, file, "--gpu nowhere", "nowhere");
    check_refused(i, file, "--gpu fermi --set sm.schedular=gto", "schedular");
    check_refused(i, file, "--gpu fermi --record x", "writes a file");
    check_refused(i, file, "--gpu fermi --trace-svg x", "writes a file");
    check_refused(i, file, "--write 0=x", "writes a file");
    check_refused(i, "/no/such/file.ptx", "", "No such file");
    check_refused(i, "/no/such/file.cu", "", "CUDA source");
    identity_close(i);
    temporary_remove(file);
}

static void test_programs(void **state)
{
    (void)state;
    char *error = NULL, *input = temporary_file("x", 1, &error);
    char *plain[] = {"sh", "-c", "true", NULL}, *with_file[] = {"/bin/sh", input, NULL};
    struct identity *i = open_identity();
    struct trial t = {.program = plain};
    struct task a = {0}, b = {0};
    trial_add_words(&t, "--gpu fermi");
    assert_true(identity_make_task(i, &t, &a, &error));
    assert_string_equal(a.name, "sh -c true");
    assert_string_equal(a.words, "[\"exec\",\"--gpu\",\"fermi\",\"--\",\"sh\",\"-c\",\"true\"]");
    t.program = with_file;
    assert_true(identity_make_task(i, &t, &b, &error));
    assert_string_equal(a.program_hash, b.program_hash); /* sh of PATH is /bin/sh */
    assert_string_not_equal(a.input_hash, b.input_hash);
    task_free(&a);
    task_free(&b);
    trial_free(&t);
    identity_close(i);
    temporary_remove(input);
}

/* ---- results ---- */

static void test_a_result_and_back(void **state)
{
    (void)state;
    char *error = NULL;
    struct trial t = {.status = TRIAL_WRONG, .own_status = 1, .seconds = 2.5, .output = strdup("k: wrong\n")},
                 back = {0};
    struct result r;
    assert_true(measurement_add_line(
        &t.measurement,
        "{\"kernel\":\"k\",\"cycles\":7,\"launch\":{\"grid_id\":4},\"machine\":{\"sm\":{\"scheduler\":\"gto\"}},"
        "\"branches\":[{\"pc\":9,\"where\":\"a.cu:1\",\"executed\":5,\"diverged\":2,\"threads\":40,\"taken\":30,"
        "\"lost_lanes\":64,\"lost_issues\":2},{\"pc\":3,\"executed\":1,\"lost_issues\":2}],"
        "\"memory\":{\"verdict\":\"wrong\",\"argument\":1,\"parameter\":\"p\",\"word\":5,\"value\":\"0x2\"}}",
        &error));
    assert_true(measurement_add_line(&t.measurement,
                                     "{\"kernel\":\"k\",\"cycles\":5,\"branches\":[{\"pc\":9,\"executed\":1,"
                                     "\"lost_issues\":0.5}]}",
                                     &error));
    keeper_make_result(&t, "key", &r);
    assert_string_equal(r.failure, "wrong");
    assert_string_equal(r.why, "k: wrong");
    assert_true(keeper_take_result(&back, &r, &error));
    assert_int_equal(back.status, TRIAL_WRONG);
    assert_int_equal(back.own_status, 1);
    assert_string_equal(back.output, "k: wrong\n");
    const struct measurement *m = &back.measurement;
    assert_int_equal(m->launches, 2);
    assert_int_equal(m->wrong, 1);
    assert_string_equal(m->scheduler, "gto");
    assert_true(measurement_sum(m, "cycles") == 12 && measurement_max(m, "cycles") == 7);
    assert_int_equal(m->branch_count, 2);
    const struct measurement_branch *b = &m->branches[0];
    assert_true(b->pc == 9 && b->executed == 6 && b->diverged == 2 && b->threads == 40 && b->taken == 30);
    assert_true(b->lost_lanes == 64 && b->lost_issues == 2.5);
    assert_true(m->branches[1].pc == 3 && m->branches[1].executed == 1 && m->branches[1].threads == 0);
    assert_int_equal(m->memory->verdict, VERIFY_WRONG);
    assert_int_equal(m->memory->launch, 4);
    assert_string_equal(m->memory->kernel, "k");
    assert_string_equal(m->memory->parameter, "p");
    assert_int_equal(m->memory->difference.got, 2);
    result_free(&r);
    trial_free(&t);
    trial_free(&back);
}

/* The kind of failure of a trial with one launch. */
static void check_failure(int status, const char *limit, int launches, const char *failure)
{
    struct trial t = {.status = status, .limit = limit, .measurement.launches = launches};
    struct result r;
    keeper_make_result(&t, "key", &r);
    if (failure)
        assert_string_equal(r.failure, failure);
    else
        assert_null(r.failure);
    assert_int_equal(!r.why, !failure);
    result_free(&r);
}

static void test_failures(void **state)
{
    (void)state;
    check_failure(0, NULL, 1, NULL);
    check_failure(0, NULL, 0, "error");
    check_failure(1, NULL, 1, "error");
    check_failure(139, NULL, 0, "error");
    check_failure(TRIAL_WRONG, NULL, 1, "wrong");
    check_failure(143, result_time, 0, "time");
    check_failure(137, result_memory, 0, "memory");
    check_failure(137, result_killed, 0, "killed");
}

static void test_tasks_that_no_worker_takes(void **state)
{
    (void)state;
    char *error = NULL, *file = temporary_file("one", 3, &error);
    struct identity *i = open_identity();
    struct task task = task_of(i, file, "--gpu fermi");
    struct text text = {0};
    assert_null(worker_carry_out(i, "{}", NULL, &error));
    assert_non_null(strstr(error, "no task"));
    free(error);
    task.build[0] = task.build[0] == 'a' ? 'b' : 'a';
    task_print(&task, &text);
    assert_null(worker_carry_out(i, text.data, NULL, &error));
    assert_non_null(strstr(error, "another build"));
    free(error);
    text_free(&text);
    free(task.build);
    task.build = strdup(identity_build(i));
    task.key[0] = task.key[0] == 'a' ? 'b' : 'a'; /* as if the file had other bytes on the owner's machine */
    task_print(&task, &text);
    assert_null(worker_carry_out(i, text.data, NULL, &error));
    assert_non_null(strstr(error, "are other ones here"));
    free(error);
    text_free(&text);
    free(task.words);
    task.words = strdup("[\"help\",\"run\"]");
    task_print(&task, &text);
    assert_null(worker_carry_out(i, text.data, NULL, &error));
    assert_non_null(strstr(error, "no command line"));
    free(error);
    text_free(&text);
    task_free(&task);
    identity_close(i);
    temporary_remove(file);
}

/* Trials run this program as if it were heddle: `run FILE ... --json PATH`. FILE has what is to be done. */
static int play_heddle(int argc, char **argv)
{
    char *deed = text_read_file(argv[2]);
    FILE *json = fopen(argv[argc - 1], "w");
    fprintf(json, "{\"kernel\":\"k\",\"cycles\":7}\n");
    fclose(json);
    printf("played: %s\n", deed);
    fflush(stdout);
    if (!strcmp(deed, "hang"))
        sleep(100);
    if (!strcmp(deed, "die"))
        raise(SIGKILL);
    int status = !strcmp(deed, "fail") ? 5 : 0;
    free(deed);
    return status;
}

/* What a worker makes of a task whose program does this. */
static struct result carry_out(const char *deed, double time_limit)
{
    char *error = NULL, *file = temporary_file(deed, strlen(deed), &error);
    struct identity *i = open_identity();
    struct task task = task_of(i, file, "--gpu fermi");
    struct text text = {0};
    struct result r = {0};
    task.time_limit = time_limit;
    task_print(&task, &text);
    char *result = worker_carry_out(i, text.data, NULL, &error);
    if (!result || !result_read(&r, result, &error))
        fail_msg("%s: %s", deed, error);
    assert_string_equal(r.key, task.key);
    free(result);
    text_free(&text);
    task_free(&task);
    identity_close(i);
    temporary_remove(file);
    return r;
}

static void test_tasks_that_a_worker_carries_out(void **state)
{
    (void)state;
    struct result r = carry_out("work", 0);
    assert_null(r.failure);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.values.count, 1);
    assert_string_equal(r.values.data[0].path, "cycles");
    assert_true(r.values.data[0].sum == 7);
    assert_string_equal(r.output, "played: work\n");
    result_free(&r);

    r = carry_out("fail", 0);
    assert_string_equal(r.failure, "error");
    assert_int_equal(r.own_status, 5);
    assert_string_equal(r.why, "played: fail");
    result_free(&r);

    r = carry_out("hang", 0.2);
    assert_string_equal(r.failure, "time");
    assert_int_equal(r.values.count, 0); /* a run that was ended has no figures */
    assert_true(r.seconds < 50);
    result_free(&r);

    r = carry_out("die", 0);
    assert_string_equal(r.failure, "killed");
    result_free(&r);
}

static void test_a_worker_that_is_stopped(void **state)
{
    (void)state;
    static const volatile sig_atomic_t stop = SIGINT;
    char *error = NULL, *file = temporary_file("hang", 4, &error);
    struct identity *i = open_identity();
    struct task task = task_of(i, file, "--gpu fermi");
    struct text text = {0};
    task_print(&task, &text);
    assert_null(worker_carry_out(i, text.data, &stop, &error));
    assert_non_null(strstr(error, "stopped"));
    free(error);
    text_free(&text);
    task_free(&task);
    identity_close(i);
    temporary_remove(file);
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "run"))
        return play_heddle(argc, argv);
    unsetenv("HEDDLE_OPTS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_key_depends_on),      cmocka_unit_test(test_what_a_task_says),
        cmocka_unit_test(test_runs_without_identity),      cmocka_unit_test(test_programs),
        cmocka_unit_test(test_a_result_and_back),          cmocka_unit_test(test_failures),
        cmocka_unit_test(test_tasks_that_no_worker_takes), cmocka_unit_test(test_tasks_that_a_worker_carries_out),
        cmocka_unit_test(test_a_worker_that_is_stopped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
