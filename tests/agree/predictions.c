/* Predictions drawn at random; see predictions.h. */
#include "tests/agree/predictions.h"

#include "base/random.h"
#include "recon/detect.h"
#include "recon/speculate.h"

static int32_t draw(struct random *random, int32_t count)
{
    return (int32_t)(random_u64(random) % (uint64_t)count);
}

/* Any place of a function: before an instruction, or on a way. */
static struct barrier_place draw_place(struct random *random, const struct program *p, const struct program_function *f)
{
    struct barrier_place place = barrier_before(f->first + draw(random, f->last - f->first + 1));
    const struct flow_block *b = &p->blocks[p->insns[place.pc].block];
    if (b->successor_count && !draw(random, 3))
        return barrier_between(p, p->insns[place.pc].block, b->successors[draw(random, b->successor_count)]);
    return place;
}

/* Half of the points are first instructions of blocks, as those of programmers and of detect() are. */
static int32_t draw_label(struct random *random, const struct program *p, const struct program_function *f)
{
    int32_t pc = f->first + draw(random, f->last - f->first + 1);
    return draw(random, 2) ? p->blocks[p->insns[pc].block].first : pc;
}

static void draw_one(struct random *random, const struct program *p, struct predictions *into)
{
    int32_t function = draw(random, 4) ? 0 : draw(random, p->function_count), other = draw(random, p->function_count);
    struct barrier_place starts[2] = {draw_place(random, p, &p->functions[function]),
                                      draw_place(random, p, &p->functions[function])};
    struct prediction d = {.name = "drawn",
                           .origin = "at random",
                           .start_count = 1 + !draw(random, 6),
                           .starts = starts,
                           .label = draw_label(random, p, &p->functions[function]),
                           .callee = -1,
                           .threshold = draw(random, 2)   ? 0
                                        : draw(random, 4) ? 1 + draw(random, 32)
                                                          : BARRIER_ADAPTIVE,
                           .as_listed = draw(random, 2),
                           .deconflict = draw(random, 2) ? DECONFLICT_STATIC : DECONFLICT_DYNAMIC};
    if (!draw(random, 4)) {
        d.label = p->functions[other].first;
        d.callee = other != function ? other : -1;
    } else if (!draw(random, 16)) {
        d.label = draw_label(random, p, &p->functions[other]);
    }
    predict_add(into, &d);
}

struct barrier_plan *predictions_draw(const struct program *program, uint64_t number, struct drawn_predictions *count)
{
    struct random random = {number};
    struct predictions predictions = {0};
    struct detection *detection = NULL;
    if (!draw(&random, 4))
        detection = detect(&predictions, program, &(struct detect_rules){.least_gain = 0.01});
    for (int i = draw(&random, 4); i >= 0; i--)
        draw_one(&random, program, &predictions);
    struct speculation *s = speculate(program, &predictions, &(struct speculate_rules){0});
    for (int i = 0; i < s->list.count; i++)
        *(s->list.data[i].refusal ? &count->refused : &count->honoured) += 1;
    struct barrier_plan *plan = speculation_take_plan(s);
    speculation_destroy(s);
    detection_destroy(detection);
    predictions_free(&predictions);
    return plan;
}
