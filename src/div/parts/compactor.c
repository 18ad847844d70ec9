/* The thread compactor in time (compactor.h): its queue of requests, and the warp that each cycle makes. */
#include "div/parts/compactor.h"

#include "base/diag.h"

void compactor_open(struct compactor *c, struct div_host *host, struct compactor_knobs knobs)
{
    if (host->facts.width < 1 || host->facts.width > 64 || (host->facts.width & (host->facts.width - 1)))
        panic("thread block compaction does not know warps of %d threads", host->facts.width);
    *c = (struct compactor){.host = host, .knobs = knobs};
}

void compactor_close(struct compactor *c)
{
    for (int i = 0; i < c->queue.count; i++)
        free(c->queue.data[i].warps);
    for (int i = 0; i < c->spare.count; i++)
        free(c->spare.data[i].warps);
    vec_free(&c->queue);
    vec_free(&c->spare);
}

/* An empty request with room for the static warps of a block. */
static struct compactor_request new_request(struct compactor *c, struct compactor_user user, int rows)
{
    int most = (rows * 32 + c->host->facts.width - 1) / c->host->facts.width;
    struct compactor_request r = {0};
    if (rows > COMPACT_MAX_ROWS)
        panic("thread block compaction does not know blocks of %d rows", rows);
    if (c->spare.count)
        r = c->spare.data[--c->spare.count];
    if (r.capacity < most) {
        r.capacity = most;
        r.warps = xrealloc(r.warps, sizeof *r.warps * (size_t)most);
    }
    r.user = user;
    r.from = c->host->now + 1;
    r.count = r.made = 0;
    return r;
}

/* The storage of the warps goes to `spare` at once: it is used again only by the next request. */
int compactor_launch(struct compactor *c, const struct block_mask *all, int32_t first_row, int rows,
                     const struct threads **warps)
{
    struct compactor_request r = new_request(c, (struct compactor_user){0}, rows);
    r.count = compact_static(c->host, all, first_row, rows, r.warps);
    *warps = r.warps;
    vec_push(&c->spare, r);
    return r.count;
}

static bool has_all_live(struct compactor *c, const struct block_mask *m, int32_t first_row, int rows)
{
    struct block_mask live = block_mask_live(c->host, first_row, rows);
    return block_mask_is_within(&live, m, rows);
}

/* Puts a request behind those that start no later. */
static void enqueue(struct compactor *c, struct compactor_request r)
{
    vec_push(&c->queue, r);
    int i = c->queue.count - 1;
    for (; i > 0 && c->queue.data[i - 1].from > r.from; i--)
        c->queue.data[i] = c->queue.data[i - 1];
    c->queue.data[i] = r;
}

int compactor_ask(struct compactor *c, struct compactor_user user, const struct block_mask *m, int32_t first_row,
                  int rows, struct compactor_start start)
{
    struct compactor_request r = new_request(c, user, rows);
    bool stay = !c->knobs.compaction || (c->knobs.static_toplevel && has_all_live(c, m, first_row, rows));
    r.count = compact_counted(c->host, m, first_row, rows, stay, r.warps, &c->counters.masks);
    r.least = r.from + start.wait;
    r.from = start.is_gated ? UINT64_MAX : r.least;
    enqueue(c, r);
    if (!start.is_gated)
        c->host->calls.tick_at(c->host, r.from);
    return r.count;
}

void compactor_open_gate(struct compactor *c, int32_t block)
{
    for (int i = 0; i < c->queue.count; i++) {
        struct compactor_request r = c->queue.data[i];
        if (r.user.block != block || r.from != UINT64_MAX)
            continue;
        memmove(&c->queue.data[i], &c->queue.data[i + 1], sizeof r * (size_t)(--c->queue.count - i));
        r.from = r.least > c->host->now ? r.least : c->host->now + 1;
        enqueue(c, r); /* before the requests that wait, so the next to look at is still behind index i */
        c->host->calls.tick_at(c->host, r.from);
    }
}

bool compactor_make(struct compactor *c, struct compactor_warp *made)
{
    struct compactor_request *first = c->queue.data;
    bool is_due = c->queue.count && first->from <= c->host->now;
    if (is_due) {
        if (!first->made)
            c->counters.wait += c->host->now - first->from;
        *made = (struct compactor_warp){first->user, &first->warps[first->made]};
        if (++first->made == first->count) {
            vec_push(&c->spare, *first);
            memmove(first, first + 1, sizeof *first * (size_t)--c->queue.count);
        }
    }
    if (c->queue.count && first->from != UINT64_MAX) {
        uint64_t next = c->host->now + 1;
        c->host->calls.tick_at(c->host, first->from > next ? first->from : next);
    }
    return is_due;
}

bool compactor_works_for(const struct compactor *c, int32_t block)
{
    for (int i = 0; i < c->queue.count; i++)
        if (c->queue.data[i].user.block == block)
            return true;
    return false;
}

int compactor_missing(const struct compactor *c, struct compactor_user user, int32_t first_row, struct block_mask *m)
{
    int count = 0;
    for (int i = 0; i < c->queue.count; i++) {
        const struct compactor_request *r = &c->queue.data[i];
        bool is_its = r->user.block == user.block && r->user.path == user.path;
        for (int k = r->made; is_its && k < r->count; k++, count++)
            block_mask_add(m, first_row, &r->warps[k]);
    }
    return count;
}
