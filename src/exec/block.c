/* Resident blocks: their storage, the start of their threads, and the special registers that are fixed at launch. */
#include "exec/block.h"

#include "base/arena.h"
#include "base/bits.h"
#include "exec/cluster.h"
#include "tape/block.h"

#include <stdlib.h>
#include <string.h>

/* Shared memory is allocated in units of 128 bytes, and the system reserves 1024 bytes of each block. */
enum { SHARED_UNIT_BYTES = 128, SYSTEM_SHARED_BYTES = 1024 };

/* Local memory of a block from which on it is mapped page by page, as threads touch it. Below, mapping would cost more
 * than clearing: half the time of a launch of one warp. */
enum { PAGED_LOCAL_BYTES = 64 * 1024 };

/* Local memory of a block up to which clearing it, some microseconds, is nothing against running the block. */
enum { CLEARED_LOCAL_BYTES = 256 * 1024 };

static uint32_t volume(const uint32_t n[3])
{
    return n[0] * n[1] * n[2];
}

/* Whole cache lines of the host. */
static size_t whole_lines(size_t bytes)
{
    return bits_align_up(bytes, 64);
}

/* Cuts a part off the memory at *at. */
static void *cut(uint8_t **at, size_t bytes)
{
    void *part = *at;
    *at += whole_lines(bytes);
    return part;
}

static bool has_pages(const struct block *b)
{
    return b->local_bytes >= PAGED_LOCAL_BYTES;
}

/* The rows, each with its planes. What block_start() sets is left as it is. */
static void make_rows(struct block *b, uint8_t **at, size_t plane_bytes)
{
    const size_t local_bytes = b->local_bytes / (size_t)b->row_count;
    b->rows = cut(at, (size_t)b->row_count * sizeof *b->rows);
    memset(b->rows, 0, (size_t)b->row_count * sizeof *b->rows);
    for (int r = 0; r < b->row_count; r++) {
        b->rows[r].planes = cut(at, plane_bytes);
        memset(b->rows[r].planes, 0, plane_bytes);
        memset(b->rows[r].parted_at, -1, sizeof b->rows[r].parted_at);
        if (b->local)
            b->rows[r].local = b->local + local_bytes * (size_t)r;
    }
}

/* All parts but large local memory are one piece of memory. */
struct block *block_create(const struct launch *launch, const struct program *program, uint32_t local_bytes,
                           struct storage *storage)
{
    struct block made = {.row_count = (int)((volume(launch->block) + ROW_LANES - 1) / ROW_LANES),
                         .shared_bytes = program->layout->dynamic_shared_offset + launch->dynamic_shared_bytes,
                         .cleared_planes = program->plane_count,
                         .has_locals = program->stack_bytes || program->call_count || program->has_alloca,
                         .is_in_storage = storage};
    made.local_bytes = (size_t)local_bytes * ROW_LANES * (size_t)made.row_count;
    /* Two planes more than registers need: a handler that reads the last plane as 64-bit lanes reads beyond it. */
    const size_t planes = (size_t)program->plane_count + (size_t)program->settled_planes + 2;
    const size_t plane_bytes = planes * PLANE_BYTES;
    const size_t near_local = has_pages(&made) ? 0 : made.local_bytes;
    const size_t bytes = whole_lines(sizeof made) + whole_lines((size_t)made.row_count * sizeof *made.rows) +
                         (size_t)made.row_count * whole_lines(plane_bytes) + whole_lines(made.shared_bytes) +
                         whole_lines(near_local);
    uint8_t *at = storage ? storage_alloc(storage, bytes) : xmalloc_lines(bytes);
    struct block *b = cut(&at, sizeof *b);
    *b = made;
    if (has_pages(b))
        b->local = xpages(b->local_bytes);
    else if (b->local_bytes)
        b->local = memset(cut(&at, near_local), 0, near_local);
    make_rows(b, &at, plane_bytes);
    b->shared = cut(&at, b->shared_bytes);
    return b;
}

void block_destroy(struct block *b)
{
    if (!b)
        return;
    cluster_leave(b);
    for (int r = 0; r < b->row_count; r++) {
        free(b->rows[r].returns);
        free(b->rows[r].saved);
    }
    tape_log_destroy(b->log);
    tape_play_destroy(b->play);
    if (has_pages(b))
        free_pages(b->local, b->local_bytes);
    if (!b->is_in_storage)
        free(b);
}

void block_clear_local(struct block *b)
{
    if (b->has_locals && b->local_bytes <= CLEARED_LOCAL_BYTES)
        memset(b->local, 0, b->local_bytes);
}

bool block_local_is_cleared(const struct launch *launch, uint32_t local_bytes)
{
    uint64_t rows = (volume(launch->block) + ROW_LANES - 1) / ROW_LANES;
    return rows * ROW_LANES * local_bytes <= CLEARED_LOCAL_BYTES;
}

/* A special register that is equal for all threads of the launch. */
static uint64_t grid_value(enum sreg sreg, const struct block *b, const struct launch *l, const struct program *p)
{
    uint32_t cluster[3];
    launch_cluster(l, cluster);
    uint32_t shared = p->layout->dynamic_shared_offset + l->dynamic_shared_bytes;
    switch (sreg) {
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z:
        return l->block[sreg - SREG_NTID_X];
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z:
        return l->grid[sreg - SREG_NCTAID_X];
    case SREG_NCLUSTERID_X:
    case SREG_NCLUSTERID_Y:
    case SREG_NCLUSTERID_Z:
        return l->grid[sreg - SREG_NCLUSTERID_X] / cluster[sreg - SREG_NCLUSTERID_X];
    case SREG_CLUSTER_NCTAID_X:
    case SREG_CLUSTER_NCTAID_Y:
    case SREG_CLUSTER_NCTAID_Z:
        return cluster[sreg - SREG_CLUSTER_NCTAID_X];
    case SREG_CLUSTER_NCTARANK:
        return volume(cluster);
    case SREG_IS_EXPLICIT_CLUSTER:
        return launch_has_cluster(l) ? UINT32_MAX : 0; /* a predicate */
    case SREG_NWARPID:
        return LAUNCH_RESIDENT_ROWS;
    case SREG_NSMID:
        return LAUNCH_MULTIPROCESSORS;
    case SREG_GRIDID:
        return l->grid_id;
    case SREG_TOTAL_SMEM_SIZE:
        return bits_align_up(shared, SHARED_UNIT_BYTES);
    case SREG_AGGR_SMEM_SIZE: /* with the system's bytes, and not rounded up to units */
        return shared + SYSTEM_SHARED_BYTES;
    case SREG_DYNAMIC_SMEM_SIZE:
        return l->dynamic_shared_bytes;
    case SREG_ENVREG1: /* the workspace of a cooperative launch; the other environment registers are not used */
        return b->workspace >> 32;
    case SREG_ENVREG2:
        return (uint32_t)b->workspace;
    default: /* %pm, other %envreg, %current_graph_exec */
        return 0;
    }
}

/* A special register that is equal for all threads of a block; `index`: of the block in the grid, by dimension. */
static uint64_t block_value(enum sreg sreg, const struct block *b, const uint32_t index[3], const struct launch *l)
{
    uint32_t n[3];
    launch_cluster(l, n);
    switch (sreg) {
    case SREG_CTAID_X:
    case SREG_CTAID_Y:
    case SREG_CTAID_Z:
        return index[sreg - SREG_CTAID_X];
    case SREG_CLUSTERID_X:
    case SREG_CLUSTERID_Y:
    case SREG_CLUSTERID_Z:
        return index[sreg - SREG_CLUSTERID_X] / n[sreg - SREG_CLUSTERID_X];
    case SREG_CLUSTER_CTAID_X:
    case SREG_CLUSTER_CTAID_Y:
    case SREG_CLUSTER_CTAID_Z:
        return index[sreg - SREG_CLUSTER_CTAID_X] % n[sreg - SREG_CLUSTER_CTAID_X];
    case SREG_CLUSTER_CTARANK:
        return index[0] % n[0] + n[0] * (index[1] % n[1] + (uint64_t)n[1] * (index[2] % n[2]));
    case SREG_SMID:
        return b->number % LAUNCH_MULTIPROCESSORS;
    default:
        return 0;
    }
}

/* A special register of one thread; `thread` is its linear id in the block. */
static uint32_t thread_value(enum sreg sreg, const struct launch *l, uint32_t thread)
{
    uint32_t lane = thread % ROW_LANES;
    switch (sreg) {
    case SREG_TID_X:
        return thread % l->block[0];
    case SREG_TID_Y:
        return thread / l->block[0] % l->block[1];
    case SREG_TID_Z:
        return thread / l->block[0] / l->block[1];
    case SREG_WARPID:
        return thread / ROW_LANES;
    case SREG_LANEMASK_EQ:
        return 1u << lane;
    case SREG_LANEMASK_LE:
        return bits_below(lane + 1);
    case SREG_LANEMASK_LT:
        return bits_below(lane);
    case SREG_LANEMASK_GE:
        return ~bits_below(lane);
    case SREG_LANEMASK_GT:
        return ~bits_below(lane + 1);
    default:
        return lane;
    }
}

static void find_index(const struct launch *l, uint64_t number, uint32_t index[3])
{
    index[0] = (uint32_t)(number % l->grid[0]);
    index[1] = (uint32_t)(number / l->grid[0] % l->grid[1]);
    index[2] = (uint32_t)(number / l->grid[0] / l->grid[1]);
}

/* Whether the register says which thread of the grid a thread is, and not where it runs. */
static bool is_identity(enum sreg sreg)
{
    return (sreg >= SREG_TID_X && sreg <= SREG_TID_Z) || (sreg >= SREG_CTAID_X && sreg <= SREG_CTAID_Z);
}

/* Sets such a register for threads that do not run at their own places. */
static void set_identity(const struct row *row, uint32_t *to, enum sreg sreg, const struct block *b,
                         const struct launch *l)
{
    uint32_t threads = volume(l->block), index[3];
    for (uint32_t lane = 0; lane < ROW_LANES && row->first_thread + lane < threads; lane++) {
        uint32_t number = l->order[b->number * threads + row->first_thread + lane];
        find_index(l, number / threads, index);
        bool is_of_block = sreg_table[sreg].scope == SCOPE_BLOCK_FIXED;
        to[lane] = is_of_block ? (uint32_t)block_value(sreg, b, index, l) : thread_value(sreg, l, number % threads);
    }
}

/* A factor that divides small numbers by n: t / n is t * factor >> QUOTIENT_SHIFT for all t and n up to 1024. */
enum { QUOTIENT_SHIFT = 21 };
static uint32_t quotient_factor(uint32_t n)
{
    return ((1u << QUOTIENT_SHIFT) + n - 1) / n;
}

/* Sets one dimension of %tid for all threads of a row. */
SIMD_CLONES static void set_tid(uint32_t *to, uint32_t first, int dimension, const uint32_t *block)
{
    const uint32_t by_x = quotient_factor(block[0]), by_y = quotient_factor(block[1]), x = block[0], y = block[1];
    for (uint32_t lane = 0; lane < ROW_LANES; lane++) {
        uint32_t column = (first + lane) * by_x >> QUOTIENT_SHIFT, plane = column * by_y >> QUOTIENT_SHIFT;
        uint32_t at_x = first + lane - column * x, at_y = column - plane * y;
        to[lane] = dimension == 0 ? at_x : dimension == 1 ? at_y : plane;
    }
}

static void fill_wide(uint64_t *to, uint64_t value)
{
    for (int lane = 0; lane < ROW_LANES; lane++)
        to[lane] = value;
}

static void fill_narrow(uint32_t *to, uint32_t value)
{
    for (int lane = 0; lane < ROW_LANES; lane++)
        to[lane] = value;
}

/* Sets a special register of all threads. */
static void set_sreg(const struct block *b, enum sreg sreg, const struct launch *l, const struct program *p)
{
    const size_t offset = (size_t)p->sreg_plane[sreg] * PLANE_BYTES;
    const bool is_identical = l->order && is_identity(sreg), is_tid = sreg >= SREG_TID_X && sreg <= SREG_TID_Z;
    const bool is_of_thread = sreg_table[sreg].scope == SCOPE_THREAD_FIXED; /* these have 32 bits, as identities do */
    uint64_t v = is_of_thread || is_identical                  ? 0
                 : sreg_table[sreg].scope == SCOPE_BLOCK_FIXED ? block_value(sreg, b, b->index, l)
                                                               : grid_value(sreg, b, l, p);
    for (int r = 0; r < b->row_count; r++) {
        const struct row *row = &b->rows[r];
        uint32_t *to = (uint32_t *)(void *)(row->planes + offset);
        if (is_identical)
            set_identity(row, to, sreg, b, l);
        else if (is_tid)
            set_tid(to, row->first_thread, (int)sreg - SREG_TID_X, l->block);
        else if (!is_of_thread && sreg_table[sreg].type == TYPE_U64)
            fill_wide((uint64_t *)(void *)to, v);
        else if (!is_of_thread)
            fill_narrow(to, (uint32_t)v);
        else
            for (uint32_t lane = 0; lane < ROW_LANES; lane++)
                to[lane] = thread_value(sreg, l, row->first_thread + lane);
    }
}

/* Whether a special register differs between the blocks that use one storage. */
static bool changes(enum sreg sreg, const struct launch *l)
{
    return sreg_table[sreg].scope == SCOPE_BLOCK_FIXED || (l->order && is_identity(sreg));
}

/* Sets the special registers: all of them for the first block of a storage, and then those that change. */
static void set_sregs(struct block *b, const struct launch *l, const struct program *p)
{
    for (int i = 0; i < b->changing_count; i++)
        set_sreg(b, (enum sreg)b->changing[i], l, p);
    for (int s = 0; s < SREG_COUNT && !b->is_started; s++) {
        if (p->sreg_plane[s] < 0)
            continue;
        const int end = p->sreg_plane[s] + (sreg_table[s].type == TYPE_U64 ? 2 : 1);
        set_sreg(b, (enum sreg)s, l, p);
        b->sreg_planes = end > b->sreg_planes ? end : b->sreg_planes;
        if (changes((enum sreg)s, l))
            b->changing[b->changing_count++] = (uint8_t)s;
    }
    b->is_started = true;
}

/* Sets back what only some programs change. */
static void clear_stacks(struct row *row)
{
    memset(row->frame, 0, sizeof row->frame);
    memset(row->taken, 0, sizeof row->taken);
    memset(row->saved_top, 0, sizeof row->saved_top);
}

static void start_row(struct row *row, const struct block *b, const struct launch *l, const struct program *p)
{
    row->live = bits_below(volume(l->block) - row->first_thread);
    row->cohort_count = 0;
    row->issued = 0;
    row->diverged_time = 0;
    row->by_turn = false;
    row->poll = (struct poll){0};
    if (p->call_count || p->has_alloca)
        clear_stacks(row);
    if (row->had_turns)
        memset(row->last_turn, 0, sizeof row->last_turn);
    row->had_turns = false;
    if (l->waste)
        memset(row->parted_at, -1, sizeof row->parted_at);
    if (b->is_started && b->cleared_planes > b->sreg_planes)
        memset(row->planes + (size_t)b->sreg_planes * PLANE_BYTES, 0,
               (size_t)(b->cleared_planes - b->sreg_planes) * PLANE_BYTES);
    row_add_cohort(row, 0, 0, row->live);
}

void block_start(struct block *b, const struct launch *launch, const struct program *program, uint64_t number)
{
    b->number = number;
    find_index(launch, number, b->index);
    cluster_leave(b);
    b->rank = 0;
    b->next_row = 0;
    b->last_order = 0;
    b->live_threads = volume(launch->block);
    b->barriers_in_use = 0;
    memset(b->shared, 0, b->shared_bytes);
    for (int r = 0; r < b->row_count; r++) {
        b->rows[r].first_thread = (uint32_t)r * ROW_LANES;
        start_row(&b->rows[r], b, launch, program);
    }
    set_sregs(b, launch, program);
}
