/* Host threads that work together: see crew.h. */
#define _GNU_SOURCE
#include "base/crew.h"

#include "base/arena.h"
#include "base/pause.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* How often a member looks for work before it sleeps: some tens of microseconds. */
enum { MOST_LOOKS = 4000 };

/* What one member writes, in a cache line of its own. If all counted in one line, it would go from core to core, one
 * after the other; the caller reads these lines at once. */
struct member {
    _Alignas(64) atomic_uint finished; /* number of the piece of work that the member finished last */
};

/* What different members write stands in different cache lines of the host: moving lines between cores is most of what
 * a short piece costs. */
struct crew {
    int members;
    pid_t process;      /* whose threads they are */
    pthread_t *threads; /* [members - 1] */
    pthread_mutex_t lock;
    pthread_cond_t more_work, all_done;
    /* The caller writes: */
    _Alignas(64) atomic_uint piece; /* number of the piece of work at hand */
    bool is_ending;                 /* there is no work any more */
    crew_fn *fn;
    void *context;
    struct member *at; /* [members] */
    /* Members write: */
    _Alignas(64) atomic_int sleeping;    /* members that sleep, or are about to */
    _Alignas(64) atomic_bool is_awaited; /* the caller sleeps, or is about to, until all members are done */
};

/* What a new thread is told. */
struct recruit {
    struct crew *crew;
    int member;
};

/* Waits until there is a piece of work after `last`. */
static unsigned await_piece(struct crew *crew, unsigned last)
{
    unsigned piece;
    for (int i = 0; i < MOST_LOOKS; i++) {
        if ((piece = atomic_load_explicit(&crew->piece, memory_order_acquire)) != last)
            return piece;
        pause_a_moment();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->sleeping, 1);
    while ((piece = atomic_load(&crew->piece)) == last)
        pthread_cond_wait(&crew->more_work, &crew->lock);
    atomic_fetch_sub(&crew->sleeping, 1);
    pthread_mutex_unlock(&crew->lock);
    return piece;
}

/* Whether all members but the caller have finished the piece. */
static bool has_finished(const struct crew *crew, unsigned piece)
{
    for (int i = 1; i < crew->members; i++)
        if (atomic_load(&crew->at[i].finished) != piece)
            return false;
    return true;
}

static void *work(void *argument)
{
    struct recruit recruit = *(struct recruit *)argument;
    struct crew *crew = recruit.crew;
    free(argument);
    for (unsigned piece = 0;;) {
        piece = await_piece(crew, piece);
        if (crew->is_ending)
            return NULL;
        crew->fn(crew->context, recruit.member);
        atomic_store(&crew->at[recruit.member].finished, piece);
        if (atomic_load(&crew->is_awaited)) {
            pthread_mutex_lock(&crew->lock);
            pthread_cond_signal(&crew->all_done);
            pthread_mutex_unlock(&crew->lock);
        }
    }
}

struct crew *crew_create(int members)
{
    if (members < 2)
        return NULL;
    struct crew *crew = xmalloc_lines(sizeof *crew);
    *crew = (struct crew){.members = 1,
                          .process = getpid(),
                          .threads = xcalloc((size_t)members, sizeof *crew->threads),
                          .at = xmalloc_lines((size_t)members * sizeof *crew->at)};
    memset(crew->at, 0, (size_t)members * sizeof *crew->at);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->more_work, NULL);
    pthread_cond_init(&crew->all_done, NULL);
    for (; crew->members < members; crew->members++) {
        struct recruit *recruit = xmalloc(sizeof *recruit);
        *recruit = (struct recruit){crew, crew->members};
        if (pthread_create(&crew->threads[crew->members - 1], NULL, work, recruit)) {
            free(recruit);
            break;
        }
    }
    if (crew->members > 1)
        return crew;
    crew_destroy(crew);
    return NULL;
}

/* Hands out the next piece of work. */
static void start_piece(struct crew *crew)
{
    atomic_fetch_add(&crew->piece, 1);
    if (atomic_load(&crew->sleeping)) {
        pthread_mutex_lock(&crew->lock);
        pthread_cond_broadcast(&crew->more_work);
        pthread_mutex_unlock(&crew->lock);
    }
}

void crew_destroy(struct crew *crew)
{
    if (!crew)
        return;
    if (crew->process == getpid()) {
        crew->is_ending = true;
        start_piece(crew);
        for (int i = 0; i < crew->members - 1; i++)
            pthread_join(crew->threads[i], NULL);
        pthread_mutex_destroy(&crew->lock);
        pthread_cond_destroy(&crew->more_work);
        pthread_cond_destroy(&crew->all_done);
    }
    free(crew->threads);
    free(crew->at);
    free(crew);
}

int crew_size(const struct crew *crew)
{
    return crew && crew->process == getpid() ? crew->members : 1;
}

void crew_run(struct crew *crew, crew_fn *fn, void *context)
{
    if (!crew) {
        fn(context, 0);
        return;
    }
    crew->fn = fn;
    crew->context = context;
    start_piece(crew);
    fn(context, 0);
    const unsigned piece = atomic_load_explicit(&crew->piece, memory_order_relaxed);
    for (int i = 0; i < MOST_LOOKS; i++) {
        if (has_finished(crew, piece))
            return;
        pause_a_moment();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_store(&crew->is_awaited, true);
    while (!has_finished(crew, piece))
        pthread_cond_wait(&crew->all_done, &crew->lock);
    atomic_store(&crew->is_awaited, false);
    pthread_mutex_unlock(&crew->lock);
}

/* Processes and threads that run at this moment on the host, this one included; 1 if the host does not say. */
static int running_tasks(void)
{
    int running = 1;
    FILE *f = fopen("/proc/loadavg", "r");
    if (!f)
        return 1;
    if (fscanf(f, "%*s %*s %*s %d/", &running) != 1)
        running = 1;
    fclose(f);
    return running > 1 ? running : 1;
}

int crew_idle_cores(void)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    int idle = cores - (running_tasks() - 1);
    return idle > 1 ? idle : 1;
}
