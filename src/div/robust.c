/*
 * robust: warps whose width follows the measured performance (Meng, Sheaffer and Skadron, "Robust SIMD: Dynamically
 * Adapted SIMD Width and Multi-Threading Depth", IPDPS 2012).
 *
 * A wide warp trades width for depth: it is split into several narrow warps, which are scheduled on their own. Threads
 * then wait for fewer others at memory and at branches, and more warps hide latency; but each issue fills fewer lanes.
 * Which width is best depends on the program and its phase, so the multiprocessor tries widths and keeps the best.
 *
 * A static warp of W threads consists of narrow warps of W, W/2, W/4 ... threads, at least `least`; each has a
 * reconvergence stack, as a warp under pdom has. What happens:
 *
 *   trial       For `interval` cycles each, the multiprocessor aims at its width, at half of it and at twice as much.
 *               The aim that had most thread instructions per cycle becomes the width for `hold` intervals, if it had
 *               5 % more than the present width. The first quarter of a trial is not counted, since warps take time
 *               to follow.
 *   narrower    A narrow warp that is wider than the aim is split when a branch has left it in one path, in the kernel
 *               itself.
 *   wider       A narrow warp merges with its neighbour of the same width if both are at one PC in one path each: at a
 *               branch's target, at a reconvergence point and behind a block barrier. Where a branch leads back to the
 *               start of a loop, a warp that is narrower than the aim waits for its neighbour, for `patience` cycles at
 *               most and in vain only once per aim.
 *   launch      A new block starts with warps of the aimed width.
 *
 * What the paper measures, how long it samples and in which order it tries widths is not at hand, so these knobs and
 * the search among neighbours are heddle's.
 *
 * Not modelled: fewer passes for a narrow warp where the datapath is narrower than W (an issue takes W/p passes
 * whatever its width), and resident threads that are taken away to reduce the depth.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "div/parts/control.h"
#include "div/parts/cost.h"
#include "div/parts/held.h"
#include "div/parts/marks.h"
#include "div/parts/stack_words.h"
#include "div/parts/static_warp.h"

#include <stdlib.h>

enum { WIDTH_ADAPTED, WIDTH_WIDE, WIDTH_NARROW };
static const char *const width_names[] = {"adapted", "wide", "narrow", NULL};
static const char *const least_names[] = {"1", "2", "4", "8", "16", NULL};

struct robust_knobs {
    uint32_t width, least, interval, hold, patience;
};

struct robust_counters {
    struct stack_counters stack;
    uint64_t trials, narrowings, widenings, splits, merges, waits, narrow_cycles;
};

/* A narrow warp. */
struct robust_warp {
    uint64_t own;          /* its threads, as a mask of the static warp; 0: there is none here */
    struct stack stack;    /* masks of the static warp, too */
    struct strand *strand; /* runs the top entry; NULL: all threads ended or are held */
    struct held held;      /* threads at barriers, which have left the stack */
    uint64_t waits_until;  /* while it waits for its neighbour: the last cycle; else 0 */
    uint64_t tired_of;     /* the aim, counted in `aims`, for which it has waited in vain */
};

/* The widths that are tried against each other. */
enum { TRY_SAME, TRY_HALF, TRY_TWICE, TRIALS };

/* Another width must be so many times as fast as the one at hand: trials differ by what the program does meanwhile. */
#define LEAST_GAIN 1.05

struct robust {
    struct div_host *host;
    struct robust_knobs knobs;
    struct stack_rules rules;
    int least;                               /* threads of the narrowest warp */
    int per_warp;                            /* narrowest warps of a static warp */
    struct vec_of(struct static_warp) at;    /* by place of the static warp */
    struct vec_of(struct robust_warp) warps; /* by place times `per_warp`, plus first thread / `least` */
    struct vec_of(int32_t) index;            /* by strand id: index in `warps` */
    int width, aim;                          /* threads of a warp: the best so far, and the one aimed at now */
    uint64_t aims;                           /* aims so far, the first is 1 */
    int trial;                               /* one of the trials; TRIALS: the best width is kept */
    uint64_t since, until;                   /* cycle up to which `narrow_cycles` is counted; the trial's end */
    uint64_t counted_from, issued_before;    /* the part of it that counts, and thread instructions before that part */
    double rate[TRIALS];                     /* thread instructions per cycle; negative: not tried */
    struct robust_counters counters;
};

static struct robust *robust_of(struct div *div)
{
    return (struct robust *)div;
}

#define KNOB(field) .name = #field, .offset = offsetof(struct robust_knobs, field)

static const struct knob knobs[] = {
    {KNOB(width), .unit = "",
     .meaning = "Whether the width of warps follows measured performance (adapted), or stays the machine's (wide) or "
                "the least (narrow).",
     .kind = KNOB_CHOICE, .high = WIDTH_NARROW, .choices = width_names},
    {KNOB(least), .unit = "", .meaning = "Threads of the narrowest warp.", .kind = KNOB_CHOICE, .fallback = 2,
     .high = 4, .choices = least_names},
    {KNOB(interval), .unit = "cycles", .meaning = "Length of the trial of a width.", .kind = KNOB_COUNT,
     .fallback = 4000, .low = 16, .high = 1000000},
    {KNOB(hold), .unit = "intervals", .meaning = "Intervals for which the best width is kept before the next trials.",
     .kind = KNOB_COUNT, .fallback = 10, .low = 1, .high = 10000},
    {KNOB(patience), .unit = "cycles",
     .meaning = "Cycles that a warp narrower than the width aimed at waits for its neighbour at the start of a loop.",
     .kind = KNOB_COUNT, .fallback = 200, .high = 100000},
};
static const struct knob_table knob_table = {"robust", knobs, sizeof knobs / sizeof *knobs};

#define FIELD(field) .name = #field, .offset = offsetof(struct robust_counters, field)

static const struct stat_counter counters[] = {
    STACK_COUNTERS(struct robust_counters, stack.),
    {FIELD(trials), .unit = "trials", .meaning = "Intervals in which a width was tried."},
    {FIELD(narrowings), .unit = "times", .meaning = "Times that trials halved the width."},
    {FIELD(widenings), .unit = "times", .meaning = "Times that trials doubled the width."},
    {FIELD(splits), .unit = "warps", .meaning = "Warps made by splitting wider ones."},
    {FIELD(merges), .unit = "warps", .meaning = "Warps that merged with their neighbour."},
    {FIELD(waits), .unit = "warps", .meaning = "Warps that waited for their neighbour at the start of a loop."},
    {FIELD(narrow_cycles), .unit = "cycles",
     .meaning = "Cycles in which the multiprocessor aimed at less than the machine's width."},
};
static const struct stat_owner stats = {"robust", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct robust_counters)};

static struct div *robust_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)wants;
    static_warp_check_width(host);
    struct robust *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct robust_knobs *)knob_values;
    d->rules.order = ORDER_TAKEN_FIRST;
    d->least = 1 << d->knobs.least < host->facts.width ? 1 << d->knobs.least : host->facts.width;
    d->per_warp = host->facts.width / d->least;
    d->width = d->aim = d->knobs.width == WIDTH_NARROW ? d->least : host->facts.width;
    d->aims = 1;
    d->trial = TRIALS;
    d->until = host->now + d->knobs.interval;
    d->since = host->now + 1; /* cycles are counted from the next one on */
    for (int i = 0; i < TRIALS; i++)
        d->rate[i] = -1;
    return (struct div *)d;
}

static void robust_destroy(struct div *div)
{
    struct robust *d = robust_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        vec_free(&d->warps.data[i].stack);
        held_free(&d->warps.data[i].held);
    }
    vec_free(&d->warps);
    vec_free(&d->at);
    vec_free(&d->index);
    free(d);
}

/* Brings `narrow_cycles` up to the current cycle. */
static void count_narrow_cycles(struct robust *d)
{
    if (d->host->now <= d->since)
        return;
    if (d->aim < d->host->facts.width)
        d->counters.narrow_cycles += d->host->now - d->since;
    d->since = d->host->now;
}

static void *robust_counters(struct div *div)
{
    struct robust *d = robust_of(div);
    count_narrow_cycles(d);
    d->counters.stack = d->rules.counters;
    return &d->counters;
}

static void robust_prepare(struct div *div, uint8_t *marks)
{
    struct robust *d = robust_of(div);
    marks_post_dominators(d->host->facts.program, marks);
    held_mark(d->host->facts.program, marks);
}

/* ---- trials ---- */

static bool can_try(const struct robust *d, int trial)
{
    return trial == TRY_SAME || (trial == TRY_HALF && d->width > d->least) ||
           (trial == TRY_TWICE && d->width < d->host->facts.width);
}

static int width_of(const struct robust *d, int trial)
{
    return trial == TRY_HALF ? d->width / 2 : trial == TRY_TWICE ? d->width * 2 : d->width;
}

/* Ends the time of a trial, and takes the best width after the last one. */
static void end_trial(struct robust *d)
{
    uint64_t now = d->host->now, counted = now > d->counted_from ? now - d->counted_from : 0;
    count_narrow_cycles(d);
    if (d->trial < TRIALS && counted)
        d->rate[d->trial] = (double)(d->host->calls.thread_instructions(d->host) - d->issued_before) / (double)counted;
    d->trial = d->trial == TRIALS ? TRY_SAME : d->trial + 1;
    while (d->trial < TRIALS && !can_try(d, d->trial))
        d->trial++;
    if (d->trial < TRIALS)
        return;
    int best = TRY_SAME;
    for (int i = TRY_SAME + 1; i < TRIALS && d->rate[TRY_SAME] >= 0; i++) /* rates below 0 are no rates */
        if (d->rate[i] > d->rate[best] * (best == TRY_SAME ? LEAST_GAIN : 1))
            best = i;
    d->counters.narrowings += best == TRY_HALF;
    d->counters.widenings += best == TRY_TWICE;
    d->width = width_of(d, best);
    for (int i = 0; i < TRIALS; i++)
        d->rate[i] = -1;
}

/* Goes on to the next trial when its time has come. Nothing happens between two calls of the mechanism, so a trial may
 * be longer than its interval; `rate` is per cycle. */
static void keep_time(struct robust *d)
{
    if (d->knobs.width != WIDTH_ADAPTED)
        return;
    if (d->trial < TRIALS && !d->issued_before && d->host->now >= d->counted_from) {
        d->counted_from = d->host->now;
        d->issued_before = d->host->calls.thread_instructions(d->host);
    }
    if (d->host->now < d->until)
        return;
    end_trial(d);
    int aim = d->trial < TRIALS ? width_of(d, d->trial) : d->width;
    d->aims += aim != d->aim;
    d->aim = aim;
    d->counters.trials += d->trial < TRIALS;
    d->until = d->host->now + (uint64_t)d->knobs.interval * (d->trial < TRIALS ? 1 : d->knobs.hold);
    d->counted_from = d->host->now + d->knobs.interval / 4;
    d->issued_before = 0;
}

/* ---- narrow warps ---- */

static struct robust_warp *warp_of(struct robust *d, const struct strand *s)
{
    return &d->warps.data[d->index.data[s->id]];
}

static const struct static_warp *static_of(const struct robust *d, const struct robust_warp *w)
{
    return &d->at.data[(w - d->warps.data) / d->per_warp];
}

static int threads_of(const struct robust *d, const struct robust_warp *w)
{
    int first = (int)(w - d->warps.data) % d->per_warp * d->least, width = d->least;
    /* A warp at the end of a block may lack threads, so its width is that of the place up to the next warp. */
    for (int i = first / d->least + 1; i < d->per_warp && !w[i - first / d->least].own; i++)
        width += d->least;
    return width;
}

static uint64_t mask_of_width(int first, int width)
{
    return (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1) << first;
}

static void start_strand(struct robust *d, struct robust_warp *w)
{
    const struct stack_entry *top = stack_top(&w->stack);
    struct threads t;
    static_warp_threads(static_of(d, w), top->mask, &t);
    w->strand = d->host->calls.create(d->host, top->at.pc, top->at.depth, &t, static_of(d, w)->lineage);
    vec_extend(&d->index, w->strand->id + 1);
    d->index.data[w->strand->id] = (int32_t)(w - d->warps.data);
}

/* Whether the warp is in one path, at `here` in the kernel itself, and its strand can be changed. */
static bool is_whole(const struct robust_warp *w, struct point here)
{
    return w->own && w->stack.count == 1 && !w->held.all && w->strand && !w->strand->busy && !w->strand->held &&
           !here.depth && point_is_same((struct point){w->strand->pc, w->strand->depth}, here);
}

/* The stack changed: the warp's strand, or a new one, gets the top entry's threads and PC. */
static void follow(struct robust *d, struct robust_warp *w)
{
    const struct stack_entry *top = stack_top(&w->stack);
    if (top && w->strand) {
        struct threads t;
        static_warp_threads(static_of(d, w), top->mask, &t);
        d->host->calls.assign(d->host, w->strand, top->at.pc, top->at.depth, &t);
    } else if (top) {
        start_strand(d, w);
    } else if (w->strand) {
        struct strand *ended = w->strand;
        w->strand = NULL;
        d->host->calls.retire(d->host, ended);
    }
}

/* The warp waits for its neighbour no more. */
static void go_on(struct robust *d, struct robust_warp *w)
{
    if (!w->waits_until)
        return;
    w->waits_until = 0;
    if (w->strand)
        d->host->calls.unpark(d->host, w->strand);
}

/* Splits the warp, whose strand is at `here`, in halves until it has the width aimed at. */
static void split(struct robust *d, struct robust_warp *w, struct point here)
{
    int width = threads_of(d, w);
    while (width > d->aim && is_whole(w, here)) {
        int first = (int)(w - d->warps.data) % d->per_warp * d->least;
        struct robust_warp *other = w + width / 2 / d->least;
        uint64_t mask = stack_top(&w->stack)->mask, low = mask & mask_of_width(first, width / 2);
        width /= 2;
        if (!low || low == mask) /* one half has ended */
            return;
        w->own &= mask_of_width(first, width);
        other->own = mask_of_width(first + width, width);
        stack_start(&w->stack, &d->rules, here.pc, low);
        follow(d, w);
        stack_start(&other->stack, &d->rules, here.pc, mask & ~low);
        start_strand(d, other);
        split(d, other, here);
        d->counters.splits++;
    }
}

/* Merges the warp, whose strand is at `here`, with its neighbours while they are narrower than the width aimed at. */
static void merge(struct robust *d, struct robust_warp *w, struct point here)
{
    for (int width = threads_of(d, w); width < d->aim && is_whole(w, here); width *= 2) {
        int place = (int)(w - d->warps.data) % d->per_warp, step = width / d->least;
        struct robust_warp *first = place & step ? w - step : w, *second = first + step;
        if (!is_whole(first, here) || !is_whole(second, here) || threads_of(d, first) != width ||
            threads_of(d, second) != width)
            return;
        uint64_t mask = stack_top(&first->stack)->mask | stack_top(&second->stack)->mask;
        struct strand *ended = second->strand;
        go_on(d, first);
        second->waits_until = 0;
        second->strand = NULL;
        second->stack.count = 0;
        first->own |= second->own;
        second->own = 0;
        d->host->calls.retire(d->host, ended);
        stack_start(&first->stack, &d->rules, here.pc, mask);
        follow(d, first);
        d->counters.merges++;
        w = first;
    }
}

/* The warp is at `here`, the start of a loop: parks it until its neighbour comes, if it is narrower than the aim and
 * its neighbour has threads. */
static void wait_for_neighbour(struct robust *d, struct robust_warp *w, struct point here)
{
    int width = threads_of(d, w), step = width / d->least, place = (int)(w - d->warps.data) % d->per_warp;
    const struct robust_warp *other = place & step ? w - step : w + step;
    if (width >= d->aim || !is_whole(w, here) || w->tired_of == d->aims || !d->knobs.patience)
        return;
    if (!other->strand || other->strand->held || other->waits_until)
        return;
    w->waits_until = d->host->now + d->knobs.patience;
    d->counters.waits++;
    d->host->calls.park(d->host, w->strand);
    d->host->calls.tick_at(d->host, w->waits_until);
}

/* Warps that have waited in vain go on. */
static void robust_tick(struct div *div)
{
    struct robust *d = robust_of(div);
    uint64_t next = UINT64_MAX;
    for (int i = 0; i < d->warps.count; i++) {
        struct robust_warp *w = &d->warps.data[i];
        if (w->waits_until && w->waits_until <= d->host->now) {
            w->tired_of = d->aims;
            go_on(d, w);
        } else if (w->waits_until && w->waits_until < next) {
            next = w->waits_until;
        }
    }
    if (next != UINT64_MAX)
        d->host->calls.tick_at(d->host, next);
}

/* ---- calls of the contract ---- */

static void robust_launch(struct div *div, int32_t block)
{
    struct robust *d = robust_of(div);
    struct static_warp at;
    int next = 0;
    keep_time(d);
    for (uint64_t mask; (mask = static_warp_next(d->host, block, &next, &at));) {
        vec_extend(&d->at, at.place + 1); /* warps of later blocks use the place again */
        vec_extend(&d->warps, (at.place + 1) * d->per_warp);
        d->at.data[at.place] = at;
        struct robust_warp *warps = &d->warps.data[at.place * d->per_warp];
        for (int i = 0; i < d->per_warp; i++)
            warps[i].own = 0;
        for (int first = 0; first < d->host->facts.width; first += d->aim) {
            struct robust_warp *w = &warps[first / d->least];
            w->own = mask_of_width(first, d->aim);
            w->tired_of = 0;
            w->stack.count = 0;
            if (!(w->own & mask))
                continue;
            stack_start(&w->stack, &d->rules, d->host->facts.program->functions[0].first, w->own & mask);
            start_strand(d, w);
        }
    }
}

static void robust_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct robust *d = robust_of(div);
    struct robust_warp *w = warp_of(d, s);
    struct path paths[STACK_MAX_THREADS];
    int used = static_warp_paths(static_of(d, w), outcomes, count, paths);
    int32_t from = s->pc;
    stack_branch(&w->stack, &d->rules, control_branch_at(d->host->facts.program, s->pc), PC_NONE, s->depth, paths,
                 used);
    follow(d, w);
    if (!w->strand)
        return;
    struct point here = {w->strand->pc, w->strand->depth};
    keep_time(d);
    split(d, w, here);
    merge(d, w, here);
    if (w->own && here.pc <= from) /* not merged into its neighbour */
        wait_for_neighbour(d, w, here);
}

static void robust_arrive(struct div *div, struct strand *s)
{
    struct robust *d = robust_of(div);
    struct robust_warp *w = warp_of(d, s);
    struct point here = {s->pc, s->depth};
    if (stack_advance(&w->stack, &d->rules, here) ||
        (held_is_behind(d->host->facts.program, here) && stack_unite(&w->stack, &d->rules, here)))
        follow(d, w);
    if (w->strand)
        merge(d, w, (struct point){w->strand->pc, w->strand->depth});
}

static void robust_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct robust *d = robust_of(div);
    struct robust_warp *w = warp_of(d, s);
    if (stack_exit(&w->stack, &d->rules, static_warp_mask(static_of(d, w), ended)))
        follow(d, w);
}

/* A path that is not the whole narrow warp leaves the stack, so that the warp's other paths can come to the barrier. */
static void robust_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct robust *d = robust_of(div);
    struct robust_warp *w = warp_of(d, s);
    const struct static_warp *at = static_of(d, w);
    (void)block, (void)id;
    uint64_t mine = static_warp_mask(at, &s->threads);
    if (s->waiting == s->size && !(static_warp_live(d->host, at) & w->own & ~mine))
        return;
    held_add(&w->held, mine);
    stack_exit(&w->stack, &d->rules, mine);
    w->strand = NULL;
    d->host->calls.retire(d->host, s);
    follow(d, w);
}

static void robust_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct robust *d = robust_of(div);
    struct threads left;
    struct static_warp at;
    threads_copy(&left, threads);
    for (uint64_t mask; (mask = static_warp_take(d->host, &left, &at));)
        for (int i = 0; i < d->per_warp; i++) {
            struct robust_warp *w = &d->warps.data[at.place * d->per_warp + i];
            uint64_t mine = mask & w->own;
            for (uint64_t some; mine && (some = held_next(&w->held, &mine, depth));)
                stack_return(&w->stack, &d->rules, (struct point){pc, depth}, some);
            if (w->own & mask && !w->strand)
                follow(d, w);
        }
}

/* ---- checks and reports ---- */

static void check_warp(struct robust *d, const struct robust_warp *w, uint64_t live)
{
    int index = (int)(w - d->warps.data);
    const struct stack_entry *top = stack_top(&w->stack);
    uint64_t running = w->strand ? static_warp_mask(static_of(d, w), &w->strand->threads) : 0;
    if (!top != !w->strand || !stack_is_sound(&w->stack))
        panic("the stack of narrow warp %d is not in order", index);
    if (live & ~(stack_threads(&w->stack) | w->held.all) || stack_threads(&w->stack) & w->held.all ||
        stack_threads(&w->stack) & ~w->own)
        panic("narrow warp %d lost threads: 0x%llx live, 0x%llx on its stack, 0x%llx at barriers", index,
              (unsigned long long)live, (unsigned long long)stack_threads(&w->stack), (unsigned long long)w->held.all);
    if (top && (running ^ top->mask) & live)
        panic("narrow warp %d runs threads 0x%llx; the top of its stack has 0x%llx", index, (unsigned long long)running,
              (unsigned long long)top->mask);
}

static void robust_check(struct div *div)
{
    struct robust *d = robust_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct robust_warp *w = &d->warps.data[i];
        if (w->own && (w->strand || w->held.all))
            check_warp(d, w, static_warp_live(d->host, static_of(d, w)) & w->own);
    }
}

static void robust_why(struct div *div, const struct strand *s, struct text *out)
{
    (void)div, (void)s;
    text_printf(out, "waits for its neighbour, to become a wider warp");
}

static int32_t robust_where(struct div *div, int32_t row, int lane)
{
    struct robust *d = robust_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct robust_warp *w = &d->warps.data[i];
        uint64_t bit = w->strand || w->held.all ? static_warp_bit(d->host, static_of(d, w), row, lane) & w->own : 0;
        for (int k = w->stack.count - 1; bit && k >= 0; k--)
            if (w->stack.data[k].mask & bit)
                return w->stack.data[k].at.pc;
    }
    return PC_NONE;
}

static void robust_dump(struct div *div, struct text *out)
{
    struct robust *d = robust_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->warps.count; i++) {
        const struct robust_warp *w = &d->warps.data[i];
        if (!w->own || (!w->strand && !w->held.all))
            continue;
        text_printf(out, "warp %d, threads from %d\n", (int)static_of(d, w)->lineage, i % d->per_warp * d->least);
        if (w->strand) {
            struct point here = control_block_of(p, w->strand);
            stack_print(&w->stack, &here, p, d->host->facts.width, out);
        }
        held_print(&w->held, d->host->facts.width, out);
    }
}

/* Stacks, scoreboards and instruction buffers for as many warps as there can be. */
static void robust_cost(struct cost *c)
{
    const struct robust_knobs *k = c->knobs;
    const struct cost_machine *m = c->machine;
    uint32_t least = k ? 1u << k->least : 4, width = least < m->warp_width ? least : m->warp_width;
    double warps = (double)m->threads / width;
    cost_storage(c, "stacks of narrow warps", warps * cost_entries(c, 0), 2.0 * COST_PC_BITS + width,
                 "T / least stacks of D entries of PC + RPC + least", COST_COUNTED);
    cost_storage(c, "scoreboards", warps * cost_scoreboard_entries(c), cost_scoreboard_bits(c), "T / least scoreboards",
                 COST_COUNTED);
    cost_storage(c, "instruction buffers", warps * m->ibuffer_entries, COST_INSTRUCTION_BITS, "T / least buffers",
                 COST_COUNTED);
    cost_l0(c);
    cost_logic(c, "performance counter", 2, 32, "one for the trial, one for the best", COST_COUNTED);
}

const struct div_ops div_robust = {
    .name = "robust",
    .summary = "Warps are split into narrower ones, or merged again, as measured performance says.",
    .paper = "Meng, Sheaffer and Skadron, IPDPS 2012",
    .knobs = &knob_table,
    .stats = &stats,
    .create = robust_create,
    .cost = robust_cost,
    .destroy = robust_destroy,
    .counters = robust_counters,
    .prepare = robust_prepare,
    .launch = robust_launch,
    .branch = robust_branch,
    .arrive = robust_arrive,
    .exit = robust_exit,
    .barrier = robust_barrier,
    .released = robust_released,
    .tick = robust_tick,
    .check = robust_check,
    .why = robust_why,
    .where = robust_where,
    .dump = robust_dump,
};
