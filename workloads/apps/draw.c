/*
 * The distribution from which applications are drawn. It was fixed before the first kernel ran, and does not change:
 * weights say how common a property is believed to be, not what result is wished for. Half of the applications have one
 * path, since the survey calls a large set of existing applications highly regular.
 */
#include "app.h"

#include <string.h>

/* SplitMix64 (Steele, Lea, Flood, 2014). */
static uint32_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

struct choice {
    unsigned value, percent;
};

/* Percentages of a list add up to 100. */
static unsigned pick(uint64_t *state, const struct choice *list)
{
    unsigned at = (unsigned)((uint64_t)draw(state) * 100 >> 32);
    while (at >= list->percent)
        at -= list++->percent;
    return list->value;
}

static const struct choice paths[] = {{1, 50}, {2, 15}, {4, 12}, {8, 10}, {16, 7}, {32, 6}};
static const struct choice granules[] = {{1, 50}, {APP_SLICE, 50}};
static const struct choice trips[] = {{4, 25}, {8, 25}, {16, 25}, {32, 25}};
static const struct choice spreads[] = {{APP_EVEN, 60}, {APP_HALF, 20}, {APP_LONG_TAIL, 20}};
static const struct choice orders[] = {{APP_COALESCED, 60}, {APP_STRIDED, 15}, {APP_GATHERED, 25}};
static const struct choice windows[] = {{1024, 30}, {16384, 30}, {0, 40}};
static const struct choice operations[] = {{1, 16}, {2, 17}, {4, 17}, {8, 17}, {16, 17}, {32, 16}};
static const struct choice shared_shares[] = {{0, 50}, {2, 25}, {4, 25}};
static const struct choice constant_shares[] = {{0, 60}, {1, 25}, {2, 15}};
static const struct choice barriers[] = {{0, 50}, {1, 20}, {4, 30}};
static const struct choice block_sizes[] = {{64, 25}, {128, 25}, {256, 50}};

enum { INSTRUCTIONS_A_THREAD = 3000, MOST_ROUNDS = 32 };

/* About as many rounds as give every application the same work. */
static unsigned count_rounds(const struct app *app)
{
    unsigned a_round = app->trips * APP_LOADS * (app->operations + 5);
    unsigned rounds = (INSTRUCTIONS_A_THREAD + a_round / 2) / a_round;
    return rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
}

static struct app_step draw_load(const struct app *app, uint64_t *state)
{
    unsigned eighth = draw(state) >> 29;
    struct app_step step = {.kind = APP_LOAD_GLOBAL, .constant = draw(state) % APP_CONSTANTS};
    if (eighth < app->shared_eighths)
        step.kind = APP_LOAD_SHARED;
    else if (eighth < app->shared_eighths + app->constant_eighths)
        step.kind = APP_LOAD_CONSTANT;
    return step;
}

static struct app_step draw_operation(uint64_t *state)
{
    struct app_step step = {.kind = APP_FIRST_OPERATION + draw(state) % APP_OPERATIONS};
    uint32_t number = draw(state);
    step.constant = step.kind == APP_ROTATE || step.kind == APP_MIX ? 1 + number % 31 : number | 1;
    return step;
}

void app_draw(struct app *app, unsigned number)
{
    uint64_t state = 0x6865646c65u + number * 0x100000001b3u;
    memset(app, 0, sizeof *app);
    app->number = number;
    app->paths = pick(&state, paths);
    app->granule = pick(&state, granules);
    app->trips = pick(&state, trips);
    app->spread = (enum app_spread)pick(&state, spreads);
    app->order = (enum app_order)pick(&state, orders);
    app->window = pick(&state, windows);
    app->operations = pick(&state, operations);
    app->shared_eighths = pick(&state, shared_shares);
    app->constant_eighths = pick(&state, constant_shares);
    app->barrier_every = pick(&state, barriers);
    app->threads = pick(&state, block_sizes);
    app->rounds = count_rounds(app);
    app->step_count = APP_LOADS * (1 + app->operations);
    for (unsigned path = 0; path < app->paths; path++)
        for (unsigned i = 0; i < app->step_count; i++)
            app->steps[path][i] = i % (1 + app->operations) ? draw_operation(&state) : draw_load(app, &state);
}
