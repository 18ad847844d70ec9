/* The book of a shared sweep, its folder's files, and the two sides of a sweep over MPI, with processes that a test
 * plays. tests/cli/farm/run.sh has real ones. */
#define _GNU_SOURCE
#include "base/temporary.h"
#include "farm/book.h"
#include "farm/folder_file.h"
#include "farm/ranks.h"
#include "study/identity.h"
#include "study/keeper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { RUNS = 4, DISTINCT = 3 };

/* A sweep of four runs, of which the first and the last are the same. */
struct farm {
    char *folder, *program, *store;
    struct trial trials[RUNS];
    struct keeper keeper;
    volatile sig_atomic_t stop;
    struct trial_watch watch;
    int progress; /* what the watch was told last */
};

static void note_progress(void *context, int done, int count)
{
    assert_int_equal(count, RUNS);
    *(int *)context = done;
}

/* Trials as they are before a sweep. */
static void renew_trials(struct farm *f)
{
    static const char *const words[RUNS] = {"--gpu fermi", "--gpu fermi --mech tbc", "--gpu tiny",
                                            "--gpu fermi --mech pdom"};
    for (int i = 0; i < RUNS; i++) {
        trial_free(&f->trials[i]);
        f->trials[i] = (struct trial){0};
        trial_add_word(&f->trials[i], f->program);
        trial_add_words(&f->trials[i], words[i]);
    }
}

static void set_up(struct farm *f)
{
    char *error = NULL;
    *f = (struct farm){.folder = temporary_folder(&error), .program = temporary_file("one", 3, &error)};
    f->store = folder_path(f->folder, "store", NULL);
    assert_true(keeper_open(&f->keeper, f->store, &error));
    f->keeper.takes_failures = true;
    renew_trials(f);
    f->watch = (struct trial_watch){
        .progress = note_progress, .context = &f->progress, .stop = &f->stop, .keeper = &f->keeper};
}

static void tear_down(struct farm *f)
{
    keeper_close(&f->keeper);
    unlink(f->store);
    for (int i = 0; i < RUNS; i++)
        trial_free(&f->trials[i]);
    free(f->store);
    temporary_remove(f->program);
    temporary_remove(f->folder);
}

static void open_book(struct book *b, struct farm *f)
{
    char *error = NULL;
    if (!book_open(b, f->trials, RUNS, &f->watch, &error))
        fail_msg("%s", error);
}

/* The text of a result with one launch. */
static char *result_of(const char *key)
{
    char *error = NULL;
    struct trial t = {0};
    struct result r;
    struct text text = {0};
    assert_true(measurement_add_line(&t.measurement, "{\"kernel\":\"k\",\"cycles\":7}", &error));
    keeper_make_result(&t, key, &r);
    result_print(&r, &text);
    result_free(&r);
    trial_free(&t);
    return text_take(&text);
}

static int count_to_do(const struct book *b)
{
    int count = 0;
    for (int i = 0; i < b->count; i++)
        count += book_is_to_do(b, i);
    return count;
}

/* The entry of a trial's run: the first of its key. */
static int entry_of(const struct book *b, int trial)
{
    for (int i = 0; i < b->count; i++)
        if (b->entries[i].trial == trial)
            return book_find(b, b->entries[i].key);
    fail();
    return -1;
}

/* ---- the book ---- */

static void test_a_result_counts_once_for_all_trials_that_are_its_run(void **state)
{
    (void)state;
    struct farm f;
    struct book b;
    char *error = NULL;
    bool is_whole = false;
    set_up(&f);
    open_book(&b, &f);
    assert_int_equal(count_to_do(&b), DISTINCT);
    assert_int_equal(book_find(&b, "no key"), -1);
    int entry = entry_of(&b, 0);
    assert_int_equal(entry_of(&b, 3), entry);
    char *result = result_of(b.entries[entry].key);
    for (int i = 0; i < 2; i++) {
        assert_true(book_take(&b, entry, result, &is_whole, &error));
        assert_true(is_whole);
        assert_true(b.done == 2 && f.progress == 2);
        assert_int_equal(count_to_do(&b), DISTINCT - 1);
    }
    assert_int_equal(f.trials[0].status, 0);
    assert_int_equal(f.trials[3].status, 0);
    assert_int_equal(f.trials[1].status, TRIAL_NOT_RUN);
    book_close(&b);
    renew_trials(&f);
    open_book(&b, &f); /* the store has it */
    assert_int_equal(b.done, 2);
    assert_int_equal(count_to_do(&b), DISTINCT - 1);
    assert_true(f.trials[0].was_stored && f.trials[3].was_stored && !f.trials[1].was_stored);
    book_close(&b);
    free(result);
    tear_down(&f);
}

static void test_a_result_that_is_torn_or_of_another_run_is_not_stored(void **state)
{
    (void)state;
    struct farm f;
    struct book b;
    char *error = NULL;
    bool is_whole = true;
    set_up(&f);
    open_book(&b, &f);
    int entry = entry_of(&b, 1), other = entry_of(&b, 2);
    char *result = result_of(b.entries[entry].key);
    assert_true(book_take(&b, other, result, &is_whole, &error));
    assert_false(is_whole);
    result[strlen(result) / 2] = 0;
    is_whole = true;
    assert_true(book_take(&b, entry, result, &is_whole, &error));
    assert_false(is_whole);
    assert_int_equal(b.done, 0);
    assert_int_equal(count_to_do(&b), DISTINCT);
    book_close(&b);
    free(result);
    tear_down(&f);
}

static void test_a_run_that_is_lost_three_times_has_failed(void **state)
{
    (void)state;
    struct farm f;
    struct book b;
    char *error = NULL;
    set_up(&f);
    open_book(&b, &f);
    int entry = entry_of(&b, 1);
    for (int i = 1; i <= 3; i++) {
        assert_true(book_is_to_do(&b, entry));
        assert_true(book_lose(&b, entry, &error));
        assert_int_equal(b.done, i == 3);
    }
    assert_false(book_is_to_do(&b, entry));
    assert_true(f.trials[1].has_failed);
    assert_int_equal(f.trials[1].status, 128 + SIGKILL);
    book_close(&b);
    tear_down(&f);
}

static void test_a_task_has_the_limits_of_the_sweep(void **state)
{
    (void)state;
    struct farm f;
    struct book b;
    struct task task = {0};
    char *error = NULL;
    set_up(&f);
    f.watch.time_limit_seconds = 90;
    f.watch.memory_limit_bytes = 1 << 20;
    open_book(&b, &f);
    int entry = entry_of(&b, 2);
    char *text = book_task(&b, entry, &error);
    assert_true(task_read(&task, text, &error));
    assert_string_equal(task.key, b.entries[entry].key);
    assert_string_equal(task.gpu, "tiny");
    assert_true(task.time_limit == 90 && task.memory_limit == 1 << 20);
    task_free(&task);
    free(text);
    book_close(&b);
    tear_down(&f);
}

/* ---- files of the folder ---- */

static void test_files_that_are_being_written_are_not_listed(void **state)
{
    (void)state;
    char *error = NULL, *folder = temporary_folder(&error), *open = folder_path(folder, folder_open, NULL);
    static const char *const names[] = {"key", "key.part", "key@host.domain-7"};
    struct folder_names n = {0};
    folder_list(folder, folder_open, &n); /* there is no such folder */
    assert_int_equal(n.names.count, 0);
    assert_int_equal(mkdir(open, 0700), 0);
    for (int i = 0; i < 3; i++) {
        char *path = folder_path(folder, folder_open, names[i]);
        fclose(fopen(path, "w"));
        free(path);
    }
    folder_list(folder, folder_open, &n);
    assert_int_equal(n.names.count, 2);
    for (int i = 0; i < 2; i++)
        assert_string_not_equal(n.names.data[i], "key.part");
    folder_free_names(&n);
    for (int i = 0; i < 3; i++) {
        char *path = folder_path(folder, folder_open, names[i]);
        unlink(path);
        free(path);
    }
    temporary_remove(open);
    temporary_remove(folder);
}

static void test_what_the_owner_writes_is_what_workers_read(void **state)
{
    (void)state;
    char *error = NULL, *folder = temporary_folder(&error), *path = folder_path(folder, "owner", NULL);
    struct folder_owner read, written = {.build = "b", .directory = "/a \"b\"\n", .is_over = true};
    assert_false(folder_read_owner(folder, &read, &error));
    assert_null(error);
    assert_true(folder_write_owner(folder, &written, &error));
    assert_true(folder_read_owner(folder, &read, &error));
    assert_string_equal(read.build, written.build);
    assert_string_equal(read.directory, written.directory);
    assert_true(read.is_over);
    folder_free_owner(&read);
    unlink(path);
    free(path);
    temporary_remove(folder);
}

/* ---- processes of MPI, which the test plays: what is sent to them is answered at once ---- */

enum { PROCESSES = 3 };
enum habit { WORKS, FAILS, TEARS };

static struct {
    enum habit habits[PROCESSES]; /* of each process; the first is the owner */
    int tasks[PROCESSES], ends[PROCESSES];
    struct vec_of(char *) texts; /* on their way to this process; owned */
    struct vec_of(int) senders;
    int taken;
    struct vec_of(char *) sent; /* by a worker to the owner; owned */
} world;

static void post(int sender, char *text)
{
    vec_push(&world.texts, text);
    vec_push(&world.senders, sender);
}

static char *next_text(int *sender)
{
    assert_true(world.taken < world.texts.count); /* else the caller would wait for ever */
    *sender = world.senders.data[world.taken];
    return world.texts.data[world.taken++];
}

/* What process `to` does with a text of the owner. */
static void play_worker(int to, const char *text)
{
    struct task task = {0};
    struct text answer = {0};
    char *error = NULL, *result;
    switch (*text) {
    case 'P':
        post(to, strdup("r"));
        break;
    case 'O':
        world.ends[to]++;
        break;
    default:
        assert_int_equal(*text, 'T');
        assert_int_equal(world.ends[to], 0);
        world.tasks[to]++;
        assert_true(task_read(&task, text + 1, &error));
        result = result_of(task.key);
        if (world.habits[to] == FAILS)
            text_printf(&answer, "Fcannot work");
        else
            text_printf(&answer, "R%.*s", (int)strlen(result) / (world.habits[to] == TEARS ? 2 : 1), result);
        post(to, text_take(&answer));
        free(result);
        task_free(&task);
    }
}

static void leave_world(void)
{
    while (world.taken < world.texts.count)
        free(world.texts.data[world.taken++]);
    for (int i = 0; i < world.sent.count; i++)
        free(world.sent.data[i]);
    vec_free(&world.texts);
    vec_free(&world.senders);
    vec_free(&world.sent);
    memset(&world, 0, sizeof world);
}

/* Owns a sweep whose two workers have these habits; each is told once to end. Returns the error text; NULL: none. */
static char *own(struct farm *f, enum habit first, enum habit second)
{
    static const struct transport t = {.rank = 0, .size = PROCESSES, .send = play_worker, .receive = next_text};
    char *error = NULL;
    bool is_deserted = true;
    world.habits[1] = first;
    world.habits[2] = second;
    bool ok = ranks_own(&t, f->trials, RUNS, &f->watch, &is_deserted, &error);
    assert_int_equal(ok, !error);
    assert_false(is_deserted);
    assert_true(world.ends[1] == 1 && world.ends[2] == 1);
    return error;
}

static void test_workers_share_the_runs(void **state)
{
    (void)state;
    struct farm f;
    set_up(&f);
    assert_null(own(&f, WORKS, WORKS));
    assert_int_equal(world.tasks[1] + world.tasks[2], DISTINCT);
    assert_true(world.tasks[1] > 0 && world.tasks[2] > 0);
    assert_int_equal(f.progress, RUNS);
    leave_world();
    renew_trials(&f);
    assert_null(own(&f, WORKS, WORKS)); /* all is stored */
    assert_int_equal(world.tasks[1] + world.tasks[2], 0);
    leave_world();
    tear_down(&f);
}

static void test_the_runs_of_a_worker_that_cannot_work_go_to_another(void **state)
{
    (void)state;
    struct farm f;
    set_up(&f);
    assert_null(own(&f, FAILS, WORKS));
    assert_true(world.tasks[1] == 1 && world.tasks[2] == DISTINCT);
    assert_int_equal(f.progress, RUNS);
    leave_world();
    tear_down(&f);
}

static void test_a_sweep_without_workers_says_why(void **state)
{
    (void)state;
    struct farm f;
    set_up(&f);
    char *error = own(&f, FAILS, FAILS);
    assert_string_equal(error, "no process is left to do the rest: cannot work");
    assert_int_equal(f.progress, 0);
    free(error);
    leave_world();
    tear_down(&f);
}

static void test_a_torn_result_ends_the_sweep(void **state)
{
    (void)state;
    struct farm f;
    set_up(&f);
    char *error = own(&f, TEARS, TEARS);
    assert_string_equal(error, "a worker sent a result that is not whole");
    assert_int_equal(f.progress, 0);
    free(error);
    leave_world();
    tear_down(&f);
}

static void test_a_sweep_that_is_stopped_begins_no_run(void **state)
{
    (void)state;
    struct farm f;
    set_up(&f);
    f.stop = SIGTERM;
    assert_null(own(&f, WORKS, WORKS));
    assert_int_equal(world.tasks[1] + world.tasks[2], 0);
    leave_world();
    tear_down(&f);
}

static void send_to_owner(int to, const char *text)
{
    assert_int_equal(to, 0);
    vec_push(&world.sent, strdup(text));
}

/* A worker answers each text of the owner with one, and none after a failure is another answer than the failure. */
static void test_a_worker_says_what_it_cannot_do(void **state)
{
    (void)state;
    static const struct transport t = {.rank = 1, .size = PROCESSES, .send = send_to_owner, .receive = next_text};
    volatile sig_atomic_t stop = 0;
    char *error = NULL;
    post(0, strdup("P/"));
    post(0, strdup("Tno task"));
    post(0, strdup("P/"));
    post(0, strdup("O"));
    assert_false(ranks_work(&t, &stop, &error));
    assert_int_equal(world.sent.count, 3);
    assert_string_equal(world.sent.data[0], "r");
    assert_true(world.sent.data[1][0] == 'F' && !strcmp(world.sent.data[1] + 1, error));
    assert_string_equal(world.sent.data[2], world.sent.data[1]);
    free(error);
    error = NULL;
    leave_world();
    post(0, strdup("P/no/such/folder"));
    post(0, strdup("O"));
    assert_false(ranks_work(&t, &stop, &error));
    assert_non_null(strstr(world.sent.data[0], "Fcannot go to the folder of the sweep's runs, /no/such/folder: "));
    free(error);
    leave_world();
}

int main(void)
{
    unsetenv("HEDDLE_OPTS");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_result_counts_once_for_all_trials_that_are_its_run),
                                       cmocka_unit_test(test_a_result_that_is_torn_or_of_another_run_is_not_stored),
                                       cmocka_unit_test(test_a_run_that_is_lost_three_times_has_failed),
                                       cmocka_unit_test(test_a_task_has_the_limits_of_the_sweep),
                                       cmocka_unit_test(test_files_that_are_being_written_are_not_listed),
                                       cmocka_unit_test(test_what_the_owner_writes_is_what_workers_read),
                                       cmocka_unit_test(test_workers_share_the_runs),
                                       cmocka_unit_test(test_the_runs_of_a_worker_that_cannot_work_go_to_another),
                                       cmocka_unit_test(test_a_sweep_without_workers_says_why),
                                       cmocka_unit_test(test_a_torn_result_ends_the_sweep),
                                       cmocka_unit_test(test_a_sweep_that_is_stopped_begins_no_run),
                                       cmocka_unit_test(test_a_worker_says_what_it_cannot_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
