/*
 * What a generated kernel must leave, block after block and round after round. A thread has an integer `a`, a float
 * `f`, the word `x` that it loaded last, and `g`, the low half of x as a float.
 */
#include "app.h"

#include <math.h>
#include <string.h>

struct thread {
    uint32_t a, x, loads;
    float f, g;
};

enum { MOST_THREADS = 256 };

struct block {
    const struct app *app;
    const struct app_input *input;
    unsigned number;
    uint32_t shared[MOST_THREADS];
    struct thread threads[MOST_THREADS];
};

/* The word of the array that a load reads. The kernel's arithmetic has 32 bits, too. */
static uint32_t place(const struct block *b, const struct thread *t, uint32_t thread)
{
    const struct app *app = b->app;
    uint32_t words = app->window ? app->window : APP_ARRAY_WORDS;
    uint32_t lane = app->window ? thread : b->number * app->threads + thread;
    uint32_t all = app->window ? app->threads : b->input->blocks * app->threads;
    uint32_t first = app->window ? b->number * app->window & (APP_ARRAY_WORDS - 1) : 0;
    uint32_t at = t->loads * all + lane;
    if (app->order == APP_STRIDED)
        at *= APP_STRIDE;
    if (app->order == APP_GATHERED)
        at = (t->a ^ at) * APP_GATHER_FACTOR >> APP_GATHER_SHIFT;
    return first + (at & (words - 1));
}

static uint32_t load(const struct block *b, const struct thread *t, uint32_t thread, struct app_step step)
{
    if (step.kind == APP_LOAD_SHARED)
        return b->shared[(thread + step.constant) & (b->app->threads - 1)];
    if (step.kind == APP_LOAD_CONSTANT)
        return b->input->constants[step.constant];
    return b->input->array[place(b, t, thread)];
}

static void do_step(const struct block *b, struct thread *t, uint32_t thread, struct app_step step)
{
    switch (step.kind) {
    case APP_LOAD_GLOBAL:
    case APP_LOAD_SHARED:
    case APP_LOAD_CONSTANT:
        t->x = load(b, t, thread, step);
        t->loads += step.kind == APP_LOAD_GLOBAL;
        t->g = (float)(t->x & 0xffff);
        break;
    case APP_ADD:
        t->a += step.constant;
        break;
    case APP_MULTIPLY:
        t->a = t->a * step.constant + t->x;
        break;
    case APP_ROTATE:
        t->a = t->a << step.constant | t->a >> (32 - step.constant);
        break;
    case APP_MIX:
        t->a ^= t->a >> step.constant;
        break;
    case APP_FUSE:
        t->f = fmaf(t->f, 0.5f, t->g);
        break;
    default:
        t->f = fmaf(t->f, 0.25f, 1);
        break;
    }
}

static void do_round(struct block *b, unsigned round)
{
    const struct app *app = b->app;
    if (!round || (app->barrier_every && round % app->barrier_every == 0))
        for (unsigned i = 0; i < app->threads; i++)
            b->shared[i] = b->threads[i].a;
    for (unsigned i = 0; i < app->threads; i++) {
        size_t at = ((size_t)round * b->input->blocks + b->number) * app->threads + i;
        const struct app_step *steps = app->steps[b->input->choice[at]];
        for (uint32_t turn = b->input->turns[at]; turn; turn--)
            for (unsigned k = 0; k < app->step_count; k++)
                do_step(b, &b->threads[i], i, steps[k]);
    }
}

void app_evaluate(const struct app *app, const struct app_input *input, uint32_t *out)
{
    for (unsigned number = 0; number < input->blocks; number++) {
        struct block b = {.app = app, .input = input, .number = number};
        for (unsigned i = 0; i < app->threads; i++)
            b.threads[i] = (struct thread){.a = number * app->threads + i};
        for (unsigned round = 0; round < app->rounds; round++)
            do_round(&b, round);
        for (unsigned i = 0; i < app->threads; i++) {
            uint32_t bits;
            memcpy(&bits, &b.threads[i].f, sizeof bits);
            out[number * app->threads + i] = b.threads[i].a ^ bits;
        }
    }
}
