/* Generated kernels, one per number: made, run, and verified against app_evaluate(). See README.md. */
#include "app.h"
#include "work.h"

#include <stdio.h>
#include <stdlib.h>

static const unsigned blocks_of[] = {[WORK_TEST] = 2, [WORK_SMALL] = 32, [WORK_PAPER] = 480};

static struct app app;

static char *make_ptx(unsigned number)
{
    app_draw(&app, number);
    return app_emit(&app);
}

/* Turns of a loop: as often as the mean, or from half of it to one and a half, or of geometric distribution, cut off at
 * eight times the mean. */
static uint32_t draw_turns(struct work *w)
{
    uint32_t turns = app.trips;
    if (app.spread == APP_HALF)
        return turns / 2 + work_random_below(w, turns + 1);
    if (app.spread == APP_LONG_TAIL)
        for (turns = 1; turns < 8 * app.trips && work_random_below(w, app.trips);)
            turns++;
    return turns;
}

/* Threads of a granule choose alike, and turn alike. */
static void draw_choices(struct work *w, uint32_t *choice, uint32_t *turns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_first = i % app.granule == 0;
        choice[i] = is_first ? work_random_below(w, app.paths) : choice[i - 1];
        turns[i] = is_first ? draw_turns(w) : turns[i - 1];
    }
}

static void run(struct work *w, enum work_size size)
{
    unsigned blocks = blocks_of[size];
    size_t threads = (size_t)blocks * app.threads, count = threads * app.rounds;
    uint32_t *array = work_buffer(w, APP_ARRAY_WORDS, sizeof *array), constants[APP_CONSTANTS];
    uint32_t *choice = work_buffer(w, count, sizeof *choice), *turns = work_buffer(w, count, sizeof *turns);
    uint32_t *got = work_buffer(w, threads, sizeof *got), *want = work_buffer(w, threads, sizeof *want);
    for (int i = 0; i < APP_ARRAY_WORDS; i++)
        array[i] = work_random(w);
    for (int i = 0; i < APP_CONSTANTS; i++)
        constants[i] = work_random(w);
    draw_choices(w, choice, turns, count);

    CUdeviceptr d_array = work_upload(w, array, APP_ARRAY_WORDS * sizeof *array),
                d_choice = work_upload(w, choice, count * sizeof *choice),
                d_turns = work_upload(w, turns, count * sizeof *turns), d_out = work_alloc(w, threads * sizeof *got);
    work_write(w, work_symbol(w, "constants", sizeof constants), constants, sizeof constants);
    work_launch(w, "app", (struct work_shape){.x = blocks}, (struct work_shape){.x = app.threads}, 0,
                (void *[]){&d_array, &d_choice, &d_turns, &d_out});
    work_read(w, got, d_out, threads * sizeof *got);

    app_evaluate(&app, &(struct app_input){array, constants, choice, turns, blocks}, want);
    work_compare_u32(w, "words", got, want, threads);
    static const char *const spreads[] = {"even", "half", "long tail"}, *const orders[] = {"coalesced", "strided",
                                                                                           "gathered"};
    work_say(w,
             "%u blocks of %u threads, rounds: %u,\n"
             "  paths: %u by %u, turns: %u %s, %s in %u words, operations per load: %u,\n"
             "  shared: %u/8, constant: %u/8, rounds per barrier: %u",
             blocks, app.threads, app.rounds, app.paths, app.granule, app.trips, spreads[app.spread], orders[app.order],
             app.window ? app.window : APP_ARRAY_WORDS, app.operations, app.shared_eighths, app.constant_eighths,
             app.barrier_every);
}

const struct workload workload = {.name = "app", .run = run, .make_ptx = make_ptx, .numbers = APP_COUNT};
