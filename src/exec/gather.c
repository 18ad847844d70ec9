/* Gathering the registers of a strand of many rows into one row, and scattering the results (gather.h). */
#include "exec/gather.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/inline.h"
#include "base/simd.h"
#include "base/vec.h"
#include "exec/straight.h"

#include <stdlib.h>

/* Registers of more than MOST_LISTED threads in up to MOST_PARTS rows are gathered row by row, others thread by thread;
 * measured. */
enum { MOST_PARTS = 8, MOST_LISTED = 8, AT_A_TIME = 8, RUNS = 256 };

/* A register that instructions read or write, by its offset in a row. */
struct gathered {
    int32_t offset;
    uint8_t bits;
};

/* Instructions that are executed together, and the registers that they need. Strands execute the same few runs again
 * and again, so the registers of a run are listed once. */
struct run {
    const struct bound *first; /* NULL: there is no run at this place */
    int asked;                 /* instructions that the caller asked for */
    int count;                 /* instructions before the first with a source that must be prepared */
    int read_count;            /* registers at the begin of `registers` that are gathered; the others are scattered */
    struct vec_of(struct gathered) registers;
};

/* What an engine gathers into. It is made when the engine first gathers. */
struct gathering {
    struct row row;             /* the gathered row; only its planes and its live lanes are used */
    const struct run *last;     /* the run that was executed last */
    struct run runs[RUNS];      /* by a hash of first instruction and number of instructions */
    uint64_t found;             /* counts the runs whose registers were listed */
    uint64_t *held_in;          /* [plane] the last of these runs that reads or writes the register that begins there */
    uint64_t *written_in;       /* [plane] the last of these runs that writes that register */
    bool is_listed;             /* the strand's threads are listed one by one */
    int count;                  /* listed threads, a multiple of AT_A_TIME: some may be listed twice; or parts */
    uint8_t listed[ROW_LANES];  /* lanes of the threads */
    uint8_t *planes[ROW_LANES]; /* [index in the list, or part] registers of the row that has the thread */
    uint32_t chosen[MOST_PARTS][ROW_LANES] __attribute__((aligned(32))); /* [part] predicate plane of its threads */
};

static struct gathering *open_gathering(const struct program *p)
{
    struct gathering *g = xmalloc_lines(sizeof *g);
    const size_t planes = (size_t)p->plane_count + 1;
    memset(g, 0, sizeof *g);
    g->row.planes = xmalloc_lines(planes * PLANE_BYTES);
    memset(g->row.planes, 0, planes * PLANE_BYTES);
    g->held_in = xcalloc(planes, sizeof *g->held_in);
    g->written_in = xcalloc(planes, sizeof *g->written_in);
    return g;
}

void gather_close(struct gathering *g)
{
    if (!g)
        return;
    free(g->row.planes);
    free(g->held_in);
    free(g->written_in);
    for (int i = 0; i < RUNS; i++)
        vec_free(&g->runs[i].registers);
    free(g);
}

/* ---- the strand's threads ---- */

/* Lists the threads, row by row. There is no branch on masks, since the host could not predict it. */
static void list_threads(struct gathering *g, const struct threads *t, int size, struct row *const *rows)
{
    const struct part *part = t->part, *last = part + t->count - 1;
    uint32_t left = part->mask;
    g->count = (size + AT_A_TIME - 1) / AT_A_TIME * AT_A_TIME;
    for (int i = 0; i < g->count; i++) {
        g->listed[i] = (uint8_t)bits_lowest(left);
        g->planes[i] = rows[part->row]->planes;
        left &= left - 1;
        part += !left & (part < last);
        left |= part->mask & -(uint32_t)!left; /* the last row's threads again, if no row is left */
    }
}

SIMD_CLONES static void choose_threads(struct gathering *g, const struct threads *t, struct row *const *rows)
{
    g->count = t->count;
    for (int k = 0; k < t->count; k++) {
        g->planes[k] = rows[t->part[k].row]->planes;
        mask_to_lanes(t->part[k].mask, g->chosen[k]);
    }
}

/* ---- registers ---- */

#define LISTED(type)                                                                                        \
    static inline void gather_##type(const struct gathering *g, type *restrict to, int32_t offset)          \
    {                                                                                                       \
        for (int n = 0; n < g->count; n += AT_A_TIME)                                                       \
            for (int i = n; i < n + AT_A_TIME; i++)                                                         \
                to[g->listed[i]] = ((const type *)(g->planes[i] + offset))[g->listed[i]];                   \
    }                                                                                                       \
    static inline void scatter_##type(const struct gathering *g, const type *restrict from, int32_t offset) \
    {                                                                                                       \
        for (int n = 0; n < g->count; n += AT_A_TIME)                                                       \
            for (int i = n; i < n + AT_A_TIME; i++)                                                         \
                ((type *)(g->planes[i] + offset))[g->listed[i]] = from[g->listed[i]];                       \
    }

typedef struct lane_b128 b128;
LISTED(uint16_t)
LISTED(uint32_t)
LISTED(uint64_t)
LISTED(b128)

typedef uint32_t eight_lanes __attribute__((vector_size(32), may_alias));
_Static_assert(PLANE_BYTES == 4 * sizeof(eight_lanes), "four of them are a register of a row");

/* Gathers a register of 4 bytes row by row. Its lanes stay in registers of the host. */
static inline void gather_words(const struct gathering *g, eight_lanes *to, int32_t offset)
{
    eight_lanes a = {0}, b = {0}, c = {0}, d = {0};
    for (int k = 0; k < g->count; k++) {
        const eight_lanes *from = (const eight_lanes *)(g->planes[k] + offset);
        const eight_lanes *chosen = (const eight_lanes *)g->chosen[k];
        a |= from[0] & chosen[0];
        b |= from[1] & chosen[1];
        c |= from[2] & chosen[2];
        d |= from[3] & chosen[3];
    }
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
}

/* Scatters a register of 4 bytes row by row. */
static inline void scatter_words(const struct gathering *g, const eight_lanes *from, int32_t offset)
{
    const eight_lanes a = from[0], b = from[1], c = from[2], d = from[3];
    for (int k = 0; k < g->count; k++) {
        eight_lanes *to = (eight_lanes *)(g->planes[k] + offset);
        const eight_lanes *chosen = (const eight_lanes *)g->chosen[k];
        to[0] = (a & chosen[0]) | (to[0] & ~chosen[0]);
        to[1] = (b & chosen[1]) | (to[1] & ~chosen[1]);
        to[2] = (c & chosen[2]) | (to[2] & ~chosen[2]);
        to[3] = (d & chosen[3]) | (to[3] & ~chosen[3]);
    }
}

/* Whether a register takes 4 bytes per lane. */
static inline bool is_word(unsigned bits)
{
    return bits <= 32 && bits != 16;
}

static inline void gather(const struct gathering *g, struct gathered r)
{
    const int32_t offset = r.offset;
    const unsigned bits = r.bits;
    void *to = g->row.planes + offset;
    if (g->is_listed) {
        if (bits == 128)
            gather_b128(g, to, offset);
        else if (bits == 64)
            gather_uint64_t(g, to, offset);
        else if (bits == 16)
            gather_uint16_t(g, to, offset);
        else
            gather_uint32_t(g, to, offset);
    } else if (is_word(bits)) {
        gather_words(g, to, offset);
    } else {
        for (int k = 0; k < g->count; k++)
            mask_blend(to, g->planes[k] + offset, g->chosen[k], bits);
    }
}

static inline void scatter(const struct gathering *g, struct gathered w)
{
    const void *from = g->row.planes + w.offset;
    if (!g->is_listed && is_word(w.bits)) {
        scatter_words(g, from, w.offset);
    } else if (!g->is_listed) {
        for (int k = 0; k < g->count; k++)
            mask_blend(g->planes[k] + w.offset, from, g->chosen[k], w.bits);
    } else if (w.bits == 128) {
        scatter_b128(g, from, w.offset);
    } else if (w.bits == 64) {
        scatter_uint64_t(g, from, w.offset);
    } else if (w.bits == 16) {
        scatter_uint16_t(g, from, w.offset);
    } else {
        scatter_uint32_t(g, from, w.offset);
    }
}

SIMD_CLONES static void gather_reads(const struct gathering *g, const struct run *run)
{
    for (int i = 0; i < run->read_count; i++)
        gather(g, run->registers.data[i]);
}

SIMD_CLONES static void scatter_writes(const struct gathering *g, const struct run *run)
{
    for (int i = run->read_count; i < run->registers.count; i++)
        scatter(g, run->registers.data[i]);
}

/* ---- runs ---- */

/* The run reads a register, which is gathered unless the run has read or written it before. */
static void note_read(struct gathering *g, struct run *run, int32_t offset, uint8_t bits)
{
    uint64_t *held_in = &g->held_in[offset / PLANE_BYTES];
    if (*held_in != g->found)
        vec_push(&run->registers, (struct gathered){offset, bits});
    *held_in = g->found;
}

/* Lists what the instructions read before they write it. An instruction with a guard leaves the registers of some
 * threads as they are, so it also reads what it writes. */
static void list_reads(struct gathering *g, struct run *run)
{
    for (const struct bound *in = run->first; in < run->first + run->count; in++) {
        const bool is_guarded = in->guard != OFFSET_NONE;
        if (is_guarded)
            note_read(g, run, in->guard, 1);
        for (int i = 0; i < in->source_count; i++)
            if (in->source[i] >= 0)
                note_read(g, run, in->source[i], in->source_bits[i]);
        for (int i = 0; i < in->dest_count; i++) {
            if (!in->dest_bits[i])
                continue;
            if (is_guarded)
                note_read(g, run, in->dest[i], in->dest_bits[i]);
            g->held_in[in->dest[i] / PLANE_BYTES] = g->found;
        }
    }
}

static void list_writes(struct gathering *g, struct run *run)
{
    for (const struct bound *in = run->first; in < run->first + run->count; in++)
        for (int i = 0; i < in->dest_count; i++) {
            if (!in->dest_bits[i])
                continue;
            uint64_t *written_in = &g->written_in[in->dest[i] / PLANE_BYTES];
            if (*written_in != g->found)
                vec_push(&run->registers, (struct gathered){in->dest[i], in->dest_bits[i]});
            *written_in = g->found;
        }
}

/* Lists the registers of a run. */
static __attribute__((noinline)) void find_run(struct gathering *g, struct run *run, const struct bound *in, int asked)
{
    run->first = in;
    run->asked = asked;
    run->count = run->registers.count = 0;
    while (run->count < asked && !in[run->count].prepared)
        run->count++;
    g->found++;
    list_reads(g, run);
    run->read_count = run->registers.count;
    list_writes(g, run);
}

int gather_execute(struct engine *e, const struct bound *in, int count, uint32_t lanes, const struct threads *threads,
                   struct row *const *rows)
{
    if (!e->gathering)
        e->gathering = open_gathering(e->program);
    struct gathering *g = e->gathering;
    struct run *run = &g->runs[(unsigned)(in - e->code->bound + 16 * count) % RUNS];
    if (UNLIKELY(run->first != in || run->asked != count))
        find_run(g, run, in, count);
    g->last = run;
    if (!run->count)
        return 0;
    const int size = bits_count(lanes);
    g->row.live = lanes;
    g->is_listed = size <= MOST_LISTED || threads->count > MOST_PARTS;
    if (g->is_listed)
        list_threads(g, threads, size, rows);
    else
        choose_threads(g, threads, rows);
    gather_reads(g, run);
    struct row *row = e->row;
    e->row = &g->row;
    straight_several(e, in, in + run->count, lanes);
    e->row = row;
    scatter_writes(g, run);
    return run->count;
}

const uint32_t *gather_held(const struct engine *e, int32_t offset)
{
    const struct gathering *g = e->gathering;
    for (int i = g->last->registers.count - 1; i >= 0; i--)
        if (g->last->registers.data[i].offset == offset)
            return (const uint32_t *)(g->row.planes + offset);
    return NULL;
}
