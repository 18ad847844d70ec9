/* Workers: processes that take numbered pieces of work until none is left. */
#define _DEFAULT_SOURCE
#include "pool.h"

#include "base/arena.h"
#include "base/diag.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_JOBS = 256, EXIT_DONE = 0, EXIT_REPLACE = 3 };

/* Seen by all processes. */
struct board {
    atomic_int next;                   /* the piece nobody has taken yet */
    atomic_int taken[MAX_JOBS];        /* by worker: the piece it is at, or -1 */
    atomic_llong good_bytes[MAX_JOBS]; /* by worker: how much of its file is whole records */
};

struct record {
    int32_t index;
    uint32_t status, message_length;
    uint64_t length;
};

struct pool {
    const struct pool_work *work;
    struct board *board;
    FILE *file[MAX_JOBS]; /* what each worker found: a record, its message, its bytes, and so on */
    pid_t pid[MAX_JOBS];
    int jobs;
};

static void write_all(int fd, const void *data, size_t length)
{
    const char *p = data;
    while (length) {
        const ssize_t n = write(fd, p, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            fatal("cannot write a worker's results: %s", strerror(errno));
        p += n;
        length -= (size_t)n;
    }
}

static void put_result(const struct pool *pool, int worker, int index, const struct pool_result *result)
{
    const char *message = result->message ? result->message : "";
    const struct record record = {index, result->status, (uint32_t)strlen(message), result->length};
    const int fd = fileno(pool->file[worker]);
    write_all(fd, &record, sizeof record);
    write_all(fd, message, record.message_length);
    write_all(fd, result->bytes, result->length);
    const size_t bytes = sizeof record + record.message_length + result->length;
    atomic_fetch_add(&pool->board->good_bytes[worker], (long long)bytes);
    atomic_store(&pool->board->taken[worker], -1);
}

static _Noreturn void worker_main(const struct pool *pool, int worker)
{
    const struct pool_work *work = pool->work;
    char message[256] = "";
    if (!work->start(work->context, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        _exit(1);
    }
    for (;;) {
        const int index = atomic_fetch_add(&pool->board->next, 1);
        if (index >= work->count)
            _exit(EXIT_DONE);
        atomic_store(&pool->board->taken[worker], index);
        struct pool_result result = {0};
        alarm(work->timeout_s);
        const bool goes_on = work->run(work->context, index, &result);
        alarm(0);
        put_result(pool, worker, index, &result);
        free(result.message);
        free(result.bytes);
        if (!goes_on)
            _exit(EXIT_REPLACE);
    }
}

static void worker_start(struct pool *pool, int worker)
{
    fflush(NULL);
    atomic_store(&pool->board->taken[worker], -1);
    const pid_t pid = fork();
    if (pid < 0)
        fatal("cannot start a worker: %s", strerror(errno));
    if (!pid)
        worker_main(pool, worker);
    pool->pid[worker] = pid;
}

/* The piece a worker died of gets a result that says so. */
static void bury(struct pool *pool, int worker, int status)
{
    const int fd = fileno(pool->file[worker]);
    const off_t good = (off_t)atomic_load(&pool->board->good_bytes[worker]);
    if (ftruncate(fd, good) || lseek(fd, good, SEEK_SET) != good)
        fatal("cannot repair a worker's results: %s", strerror(errno));
    const int index = atomic_load(&pool->board->taken[worker]);
    if (index < 0)
        fatal("a worker could not start");
    char message[64];
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(message, sizeof message, "not done after %u s", pool->work->timeout_s);
    else if (WIFSIGNALED(status))
        snprintf(message, sizeof message, "died of signal %d", WTERMSIG(status));
    else
        snprintf(message, sizeof message, "ended with status %d", WEXITSTATUS(status));
    put_result(pool, worker, index, &(struct pool_result){.status = POOL_FAILED, .message = message});
}

static void supervise(struct pool *pool)
{
    for (int alive = pool->jobs; alive;) {
        int status, worker = 0;
        const pid_t pid = wait(&status);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            fatal("lost the workers: %s", strerror(errno));
        while (worker < pool->jobs && pool->pid[worker] != pid)
            worker++;
        if (worker == pool->jobs || WIFSTOPPED(status))
            continue;
        const bool orderly =
            WIFEXITED(status) && (WEXITSTATUS(status) == EXIT_DONE || WEXITSTATUS(status) == EXIT_REPLACE);
        if (!orderly)
            bury(pool, worker, status);
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE)
            alive--;
        else
            worker_start(pool, worker);
    }
}

static void *read_block(FILE *file, size_t length)
{
    char *block = xcalloc(1, length + 1);
    if (length && fread(block, 1, length, file) != length)
        fatal("a worker's results are cut short");
    return block;
}

static void collect(struct pool *pool, struct pool_result *results)
{
    for (int w = 0; w < pool->jobs; w++) {
        struct record record;
        rewind(pool->file[w]);
        while (fread(&record, sizeof record, 1, pool->file[w]) == 1) {
            struct pool_result *result = &results[record.index];
            result->status = (enum pool_status)record.status;
            result->message = read_block(pool->file[w], record.message_length);
            result->bytes = read_block(pool->file[w], record.length);
            result->length = record.length;
        }
        fclose(pool->file[w]);
    }
}

struct pool_result *pool_run(const struct pool_work *work)
{
    struct pool pool = {.work = work, .jobs = work->jobs};
    if (pool.jobs > work->count)
        pool.jobs = work->count;
    if (pool.jobs > MAX_JOBS)
        pool.jobs = MAX_JOBS;
    struct pool_result *results = xcalloc((size_t)work->count + 1, sizeof *results);
    pool.board = mmap(NULL, sizeof *pool.board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pool.board == MAP_FAILED)
        fatal("cannot share memory with workers: %s", strerror(errno));
    for (int w = 0; w < pool.jobs; w++)
        if (!(pool.file[w] = tmpfile()))
            fatal("cannot make a worker's file: %s", strerror(errno));
    for (int w = 0; w < pool.jobs; w++)
        worker_start(&pool, w);
    supervise(&pool);
    collect(&pool, results);
    munmap(pool.board, sizeof *pool.board);
    return results;
}

void pool_free(struct pool_result *results, int count)
{
    for (int i = 0; i < count; i++) {
        free(results[i].message);
        free(results[i].bytes);
    }
    free(results);
}
