/* Gathering the registers of a strand of many rows into one row, and scattering the results (gather.h). */
#include "exec/gather.h"

#include "base/arena.h"
#include "base/bits.h"
#include "exec/straight.h"

#include <stdlib.h>

/* Up to this number of threads, going by a list of threads is cheaper than going through all lanes; measured. */
enum { MOST_LISTED = 16, AT_A_TIME = 8 };

/* A register of the gathered row that instructions have written. */
struct gathered_write {
    int32_t offset;
    uint8_t bits;
};

/* What an engine gathers into. It is made when the engine first gathers. */
struct gathering {
    struct row row;               /* the gathered row; only its planes and its live lanes are used */
    uint8_t *idle;                /* planes that lanes without a thread are read from and written to */
    uint64_t run;                 /* counts gather_execute() */
    uint64_t *held_in;            /* [plane] the last run in which `row` has held the register that begins there */
    uint64_t *written_in;         /* [plane] the last run in which that register was written */
    struct gathered_write *write; /* the registers that were written in this run */
    int write_count;
    /* The strand's threads: all lanes, whether or not they have a thread; or a list of those that have one. */
    bool is_listed;
    int list_count;              /* a multiple of AT_A_TIME: the last thread may be listed several times */
    uint8_t listed[MOST_LISTED]; /* lanes */
    uint8_t *planes[ROW_LANES];  /* [lane, or index in the list] registers of the row that has the thread */
};

static struct gathering *open_gathering(const struct program *p)
{
    struct gathering *g = xcalloc(1, sizeof *g);
    const size_t planes = (size_t)p->plane_count + 1;
    g->row.planes = xmalloc_lines(planes * PLANE_BYTES);
    g->idle = xmalloc_lines(planes * PLANE_BYTES);
    memset(g->row.planes, 0, planes * PLANE_BYTES);
    memset(g->idle, 0, planes * PLANE_BYTES);
    g->held_in = xcalloc(planes, sizeof *g->held_in);
    g->written_in = xcalloc(planes, sizeof *g->written_in);
    g->write = xcalloc(planes, sizeof *g->write);
    return g;
}

void gather_close(struct gathering *g)
{
    if (!g)
        return;
    free(g->row.planes);
    free(g->idle);
    free(g->held_in);
    free(g->written_in);
    free(g->write);
    free(g);
}

/* ---- the strand's threads ---- */

/* For each lane, the number of the part that has its thread, counted from 1; 0: no part has. Eight lanes at a time: a
 * word has the number for each, in a byte of its own. There is no branch on masks, since the host could not predict
 * it. */
static void find_parts(uint8_t part_of[ROW_LANES], const struct threads *t)
{
    enum { WORDS = ROW_LANES / 8 };
    const uint64_t ones = UINT64_C(0x0101010101010101), each = UINT64_C(0x8040201008040201);
    uint64_t word[WORDS] = {0};
    for (int k = 0; k < t->count; k++)
        for (int w = 0; w < WORDS; w++) {
            const uint64_t bits = (t->part[k].mask >> 8 * w & 0xff) * ones & each; /* byte i is 0, or has bit i alone */
            word[w] |= ((bits + 0x7f * ones) >> 7 & ones) * (uint64_t)(k + 1);
        }
    for (int i = 0; i < ROW_LANES; i++)
        part_of[i] = (uint8_t)(word[i / 8] >> 8 * (i % 8));
}

static void find_threads(struct gathering *g, uint32_t lanes, const struct threads *t, struct row *const *rows)
{
    uint8_t *planes[STRAND_MAX_PARTS + 1], part_of[ROW_LANES];
    planes[0] = g->idle;
    for (int k = 0; k < t->count; k++)
        planes[k + 1] = rows[t->part[k].row]->planes;
    find_parts(part_of, t);
    const int count = bits_count(lanes);
    g->is_listed = count <= MOST_LISTED;
    if (!g->is_listed) {
        for (int i = 0; i < ROW_LANES; i++)
            g->planes[i] = planes[part_of[i]];
        return;
    }
    g->list_count = (count + AT_A_TIME - 1) / AT_A_TIME * AT_A_TIME;
    for (int i = 0; i < g->list_count; i++) {
        const int lane = bits_lowest(lanes);
        g->listed[i] = (uint8_t)lane;
        g->planes[i] = planes[part_of[lane]];
        lanes = lanes & (lanes - 1) ? lanes & (lanes - 1) : lanes;
    }
}

/* ---- registers ---- */

#define GATHER(type)                                                                                 \
    static void gather_##type(const struct gathering *g, type *restrict to, int32_t offset)          \
    {                                                                                                \
        for (int i = 0; !g->is_listed && i < ROW_LANES; i++)                                         \
            to[i] = ((const type *)(g->planes[i] + offset))[i];                                      \
        for (int n = 0; g->is_listed && n < g->list_count; n += AT_A_TIME)                           \
            for (int i = n; i < n + AT_A_TIME; i++)                                                  \
                to[g->listed[i]] = ((const type *)(g->planes[i] + offset))[g->listed[i]];            \
    }                                                                                                \
    static void scatter_##type(const struct gathering *g, const type *restrict from, int32_t offset) \
    {                                                                                                \
        for (int i = 0; !g->is_listed && i < ROW_LANES; i++)                                         \
            ((type *)(g->planes[i] + offset))[i] = from[i];                                          \
        for (int n = 0; g->is_listed && n < g->list_count; n += AT_A_TIME)                           \
            for (int i = n; i < n + AT_A_TIME; i++)                                                  \
                ((type *)(g->planes[i] + offset))[g->listed[i]] = from[g->listed[i]];                \
    }

typedef struct lane_b128 b128;
GATHER(uint16_t)
GATHER(uint32_t)
GATHER(uint64_t)
GATHER(b128)

/* Has the row hold the register, unless it does already. */
static inline void hold(struct gathering *g, int32_t offset, unsigned bits)
{
    uint64_t *held_in = &g->held_in[offset / PLANE_BYTES];
    void *to = g->row.planes + offset;
    if (*held_in == g->run)
        return;
    *held_in = g->run;
    if (bits == 128)
        gather_b128(g, to, offset);
    else if (bits == 64)
        gather_uint64_t(g, to, offset);
    else if (bits == 16)
        gather_uint16_t(g, to, offset);
    else
        gather_uint32_t(g, to, offset);
}

/* An instruction writes the register, for all threads. */
static inline void note_write(struct gathering *g, int32_t offset, unsigned bits)
{
    uint64_t *written_in = &g->written_in[offset / PLANE_BYTES];
    g->held_in[offset / PLANE_BYTES] = g->run;
    g->write[g->write_count] = (struct gathered_write){offset, (uint8_t)bits};
    g->write_count += *written_in != g->run;
    *written_in = g->run;
}

static void scatter(const struct gathering *g, struct gathered_write w)
{
    const void *from = g->row.planes + w.offset;
    if (w.bits == 128)
        scatter_b128(g, from, w.offset);
    else if (w.bits == 64)
        scatter_uint64_t(g, from, w.offset);
    else if (w.bits == 16)
        scatter_uint16_t(g, from, w.offset);
    else
        scatter_uint32_t(g, from, w.offset);
}

/* Gathers what the instruction reads and is not held yet. An instruction with a guard leaves the registers of some
 * threads as they are, so it also reads what it writes. */
static void hold_operands(struct gathering *g, const struct bound *in)
{
    const bool is_guarded = in->guard != OFFSET_NONE;
    if (is_guarded)
        hold(g, in->guard, 1);
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i] >= 0)
            hold(g, in->source[i], in->source_bits[i]);
    for (int i = 0; i < in->dest_count; i++) {
        if (!in->dest_bits[i])
            continue;
        if (is_guarded)
            hold(g, in->dest[i], in->dest_bits[i]);
        note_write(g, in->dest[i], in->dest_bits[i]);
    }
}

int gather_execute(struct engine *e, const struct bound *in, int count, uint32_t lanes, const struct threads *threads,
                   struct row *const *rows)
{
    const struct bound *end = in;
    if (!e->gathering)
        e->gathering = open_gathering(e->program);
    struct gathering *g = e->gathering;
    if (in->prepared)
        return 0;
    g->run++;
    g->write_count = 0;
    g->row.live = lanes;
    find_threads(g, lanes, threads, rows);
    for (; end < in + count && !end->prepared; end++)
        hold_operands(g, end);
    struct row *row = e->row;
    e->row = &g->row;
    straight_several(e, in, end, lanes);
    e->row = row;
    for (int i = 0; i < g->write_count; i++)
        scatter(g, g->write[i]);
    return (int)(end - in);
}
