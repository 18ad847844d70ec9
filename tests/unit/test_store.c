/* Tasks, results and the store: texts that come back as they went, and tables that refuse what is not theirs. */
#define _GNU_SOURCE
#include "base/temporary.h"
#include "store/schema.h"
#include "store/store.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct task make_task(const char *key)
{
    return (struct task){.key = strdup(key),
                         .build = strdup("b1"),
                         .version = strdup("1.0"),
                         .name = strdup("caf\xc3\xa9 \xff\"x\".ptx"),
                         .gpu = strdup("fermi"),
                         .mechanism = strdup("tbc"),
                         .settings = strdup(""),
                         .program_hash = strdup("p"),
                         .input_hash = strdup("i"),
                         .configuration = strdup("{}"),
                         .words = strdup("[\"run\",\"x\\ny\"]"),
                         .hints = 1,
                         .time_limit = 0.1,
                         .memory_limit = 4294967296.0};
}

static struct result make_result(const char *key, const char *failure)
{
    struct result r = {.key = strdup(key),
                       .status = failure ? 3 : 0,
                       .failure = failure ? strdup(failure) : NULL,
                       .seconds = 1.0 / 3,
                       .date = strdup("2026-01-31T23:59:59Z"),
                       .host = strdup("h"),
                       .launches = 7,
                       .wrong = 2,
                       .scheduler = strdup("gto"),
                       .memory = strdup("{\"launch\":3}"),
                       .output = strdup("line one\nline \xe4 two\n")};
    vec_push(&r.values, (struct result_value){strdup("sm.cycles"), 1234567890123.0, 0.1});
    vec_push(&r.values, (struct result_value){strdup("gpgpusim.x[gl_mem][bk]"), 1e300, -1e-300});
    vec_push(&r.branches, (struct result_branch){strdup("k"), strdup("PTX line 5"), 17, 1, 2, 3, 4, 5, 6.5});
    vec_push(&r.branches, (struct result_branch){strdup("k"), NULL, 3, 0, 0, 0, 0, 0, 0});
    return r;
}

static void check_text(const char *a, const char *b)
{
    if (a && b)
        assert_string_equal(a, b);
    else
        assert_true(!a && !b);
}

static void check_result(const struct result *a, const struct result *b)
{
    check_text(a->key, b->key);
    check_text(a->failure, b->failure);
    check_text(a->why, b->why);
    check_text(a->date, b->date);
    check_text(a->memory, b->memory);
    check_text(a->output, b->output);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->launches, b->launches);
    assert_int_equal(a->wrong, b->wrong);
    assert_true(a->seconds == b->seconds);
    assert_int_equal(a->values.count, b->values.count);
    for (int i = 0; i < a->values.count; i++) {
        check_text(a->values.data[i].path, b->values.data[i].path);
        assert_true(a->values.data[i].sum == b->values.data[i].sum);
        assert_true(a->values.data[i].max == b->values.data[i].max);
    }
    assert_int_equal(a->branches.count, b->branches.count);
    for (int i = 0; i < a->branches.count; i++) {
        const struct result_branch *x = &a->branches.data[i], *y = &b->branches.data[i];
        check_text(x->kernel, y->kernel);
        check_text(x->where, y->where);
        assert_int_equal(x->pc, y->pc);
        assert_true(x->executed == y->executed && x->diverged == y->diverged && x->threads == y->threads);
        assert_true(x->taken == y->taken && x->lost_lanes == y->lost_lanes && x->lost_issues == y->lost_issues);
    }
}

static void test_tasks_as_text(void **state)
{
    (void)state;
    struct task t = make_task("k1"), back = {0};
    struct text text = {0};
    char *error = NULL;
    task_print(&t, &text);
    assert_true(task_read(&back, text.data, &error));
    check_text(back.name, t.name);
    check_text(back.words, t.words);
    check_text(back.size, NULL);
    assert_true(back.time_limit == t.time_limit && back.memory_limit == t.memory_limit && back.hints == 1);
    task_free(&back);
    assert_false(task_read(&back, "{\"heddle\":\"task\"}", &error));
    assert_non_null(strstr(error, "there is no text \"key\""));
    free(error);
    assert_false(task_read(&back, "nonsense", &error));
    free(error);
    text_free(&text);
    task_free(&t);
}

/* Any byte that is changed or cut off is noticed. */
static void test_results_as_text(void **state)
{
    (void)state;
    struct result r = make_result("k1", "time"), back = {0};
    struct text text = {0};
    char *error = NULL;
    result_print(&r, &text);
    assert_true(result_read(&back, text.data, &error));
    check_result(&r, &back);
    result_free(&back);
    for (size_t i = 0; i < text.length; i++) {
        char *damaged = strdup(text.data);
        damaged[i] ^= 1;
        assert_false(result_read(&back, damaged, &error));
        free(error);
        damaged[i] = '\0';
        assert_false(result_read(&back, damaged, &error));
        free(error);
        free(damaged);
    }
    text_free(&text);
    result_free(&r);
}

static void test_files_of_results(void **state)
{
    (void)state;
    char *error = NULL, *folder = temporary_folder(&error);
    struct text path = {0};
    assert_non_null(folder);
    text_printf(&path, "%s/result", folder);
    assert_true(result_write_file(path.data, "first", &error));
    assert_true(result_write_file(path.data, "second", &error));
    char *text = text_read_file(path.data);
    assert_string_equal(text, "second");
    free(text);
    unlink(path.data); /* the folder is empty now: no other file is left in it */
    assert_int_equal(rmdir(folder), 0);
    assert_false(result_write_file(path.data, "third", &error));
    assert_non_null(strstr(error, "No such file"));
    free(error);
    free(folder);
    text_free(&path);
}

/* A store in a folder of its own. */
struct place {
    char *folder, *path;
};

static struct place make_place(void)
{
    char *error = NULL;
    struct place p = {.folder = temporary_folder(&error)};
    assert_non_null(p.folder);
    assert_true(asprintf(&p.path, "%s/a?b%%.db", p.folder) > 0);
    return p;
}

static void leave(struct place *p)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path;
        assert_true(asprintf(&path, "%s%s", p->path, endings[i]) > 0);
        unlink(path);
        free(path);
    }
    assert_int_equal(rmdir(p->folder), 0);
    free(p->path);
    free(p->folder);
}

static void put(struct store *s, const char *key, const char *failure, double seconds)
{
    char *error = NULL;
    struct task t = make_task(key);
    struct result r = make_result(key, failure);
    r.seconds = seconds;
    assert_true(store_put(s, &t, &r, &error));
    task_free(&t);
    result_free(&r);
}

static void test_results_in_a_store(void **state)
{
    (void)state;
    struct place place = make_place();
    char *error = NULL;
    struct result r = make_result("k1", NULL), back = {0};
    enum store_found found;
    struct store *s = store_open(place.path, STORE_WRITE, &error);
    assert_non_null(s);
    assert_true(store_get(s, "k1", &found, &back, &error));
    assert_int_equal(found, STORE_NOTHING);
    put(s, "k1", NULL, r.seconds);
    store_close(s);

    s = store_open(place.path, STORE_READ, &error);
    assert_non_null(s);
    assert_true(store_get(s, "k1", &found, &back, &error));
    assert_int_equal(found, STORE_RIGHT);
    check_result(&r, &back);
    result_free(&back);
    struct task t = make_task("k2");
    assert_false(store_put(s, &t, &r, &error));
    assert_non_null(strstr(error, "readonly"));
    free(error);
    task_free(&t);
    store_close(s);
    result_free(&r);
    leave(&place);
}

static double seconds_of(struct store *s, const char *key, enum store_found wanted)
{
    struct result r = {0};
    enum store_found found;
    char *error = NULL;
    assert_true(store_get(s, key, &found, &r, &error));
    assert_int_equal(found, wanted);
    double seconds = r.seconds;
    result_free(&r);
    return seconds;
}

/* Whatever comes twice is there once: a right or wrong result stays, a failure gives way. */
static void test_results_that_come_twice(void **state)
{
    (void)state;
    struct place place = make_place();
    char *error = NULL;
    struct store *s = store_open(place.path, STORE_WRITE, &error);
    put(s, "a", NULL, 1);
    put(s, "a", NULL, 2);
    put(s, "b", "wrong", 1);
    put(s, "b", NULL, 2);
    put(s, "c", "time", 1);
    put(s, "c", "memory", 2);
    put(s, "d", "killed", 1);
    put(s, "d", NULL, 2);
    assert_true(seconds_of(s, "a", STORE_RIGHT) == 1);
    assert_true(seconds_of(s, "b", STORE_WRONG) == 1);
    assert_true(seconds_of(s, "c", STORE_FAILED) == 2);
    assert_true(seconds_of(s, "d", STORE_RIGHT) == 2);
    sqlite3_stmt *count;
    assert_int_equal(sqlite3_prepare_v2(store_database(s),
                                        "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM figure),"
                                        " (SELECT count(*) FROM branch)",
                                        -1, &count, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(count), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(count, 0), 4);
    assert_int_equal(sqlite3_column_int(count, 1), 4 * 2);
    assert_int_equal(sqlite3_column_int(count, 2), 4 * 2);
    sqlite3_finalize(count);
    store_close(s);
    leave(&place);
}

static void check_refused(const char *path, enum store_mode mode, const char *why)
{
    char *error = NULL;
    assert_null(store_open(path, mode, &error));
    if (!strstr(error, why))
        fail_msg("'%s' does not say '%s'", error, why);
    assert_non_null(strstr(error, path));
    free(error);
}

static void change(const char *path, const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

static void test_files_that_are_no_stores(void **state)
{
    (void)state;
    struct place place = make_place();
    char *error = NULL;
    check_refused(place.path, STORE_READ, "No such file");
    check_refused("/no/such/folder/x.db", STORE_WRITE, "unable to open");
    check_refused(place.folder, STORE_WRITE, "it is not a file");
    FILE *file = fopen(place.path, "w");
    fprintf(file, "%2000s", "this is a letter, not a database, and it is longer than the heading of one");
    fclose(file);
    check_refused(place.path, STORE_WRITE, "is no store of heddle");
    check_refused(place.path, STORE_READ, "is no store of heddle");
    unlink(place.path);
    change(place.path, "CREATE TABLE address (name TEXT)");
    check_refused(place.path, STORE_WRITE, "of another program");
    check_refused(place.path, STORE_READ, "of another program");
    unlink(place.path);
    store_close(store_open(place.path, STORE_WRITE, &error));
    change(place.path, "PRAGMA user_version = 99");
    check_refused(place.path, STORE_WRITE, "of a newer heddle: its tables are version 99, and this heddle knows 1");
    check_refused(place.path, STORE_READ, "of a newer heddle");
    leave(&place);
}

static int count(struct store *s, const char *table)
{
    char sql[64];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    assert_int_equal(sqlite3_prepare_v2(store_database(s), sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* A result whose last row cannot be written leaves nothing of itself, and nothing locked. */
static void test_a_result_that_does_not_fit(void **state)
{
    (void)state;
    struct place place = make_place();
    char *error = NULL;
    struct store *s = store_open(place.path, STORE_WRITE, &error);
    put(s, "a", NULL, 1);
    sqlite3_exec(store_database(s),
                 "CREATE TRIGGER full BEFORE INSERT ON branch WHEN new.number = 1"
                 " BEGIN SELECT RAISE(FAIL, 'no room'); END",
                 NULL, NULL, NULL);
    struct task t = make_task("b");
    struct result r = make_result("b", NULL);
    assert_false(store_put(s, &t, &r, &error));
    assert_non_null(strstr(error, "no room"));
    free(error);
    assert_int_equal(count(s, "run"), 1);
    assert_int_equal(count(s, "figure"), 2);
    assert_int_equal(count(s, "branch"), 2);
    sqlite3_exec(store_database(s), "DROP TRIGGER full", NULL, NULL, NULL);
    put(s, "b", NULL, 1);
    assert_int_equal(count(s, "branch"), 4);
    task_free(&t);
    result_free(&r);
    store_close(s);
    leave(&place);
}

/* One of several processes that open the same new store at the same moment, each with a result of its own; says why not
 * on standard error. */
static int share(const char *path, int start, int me)
{
    char *error = NULL, key[16], gate;
    snprintf(key, sizeof key, "k%d", me);
    if (read(start, &gate, 1) < 0)
        return 2;
    struct store *s = store_open(path, STORE_WRITE, &error);
    struct task t = make_task(key);
    struct result r = make_result(key, NULL);
    bool ok = s && store_put(s, &t, &r, &error);
    if (!ok)
        fprintf(stderr, "process %d: %s\n", me, error);
    task_free(&t);
    result_free(&r);
    store_close(s);
    free(error);
    return !ok;
}

/* Processes that make a store at the same time wait for each other; none is turned away, and nothing is lost. */
static void test_processes_that_open_at_once(void **state)
{
    (void)state;
    enum { ROUNDS = 60, PROCESSES = 6 };
    for (int round = 0; round < ROUNDS; round++) {
        struct place place = make_place();
        int start[2], failed = 0;
        assert_int_equal(pipe(start), 0);
        for (int i = 0; i < PROCESSES; i++) {
            pid_t child = fork();
            assert_true(child >= 0);
            if (!child) {
                close(start[1]);
                _exit(share(place.path, start[0], i));
            }
        }
        close(start[0]);
        close(start[1]); /* the gate opens */
        for (int i = 0; i < PROCESSES; i++) {
            int status;
            assert_true(wait(&status) > 0);
            failed += !WIFEXITED(status) || WEXITSTATUS(status);
        }
        assert_int_equal(failed, 0);
        char *error = NULL;
        struct store *s = store_open(place.path, STORE_READ, &error);
        assert_non_null(s);
        assert_int_equal(count(s, "run"), PROCESSES);
        store_close(s);
        leave(&place);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tasks_as_text),
                                       cmocka_unit_test(test_results_as_text),
                                       cmocka_unit_test(test_files_of_results),
                                       cmocka_unit_test(test_results_in_a_store),
                                       cmocka_unit_test(test_results_that_come_twice),
                                       cmocka_unit_test(test_a_result_that_does_not_fit),
                                       cmocka_unit_test(test_files_that_are_no_stores),
                                       cmocka_unit_test(test_processes_that_open_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
