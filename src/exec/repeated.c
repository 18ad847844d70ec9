/* The operands of repeated stretches. */
#include "exec/repeated.h"

#include "base/arena.h"
#include "exec/straight.h"

#include <stdlib.h>

static struct repeated *create(const struct program *program)
{
    struct repeated *r = xcalloc(1, sizeof *r);
    r->turn = 1;
    r->found_in = xcalloc((size_t)program->insn_count, sizeof *r->found_in);
    r->call = xmalloc((size_t)program->insn_count * sizeof *r->call); /* written before it is read */
    return r;
}

void repeated_destroy(struct repeated *r)
{
    if (!r)
        return;
    free(r->found_in);
    free(r->call);
    free(r);
}

/* Finds the calls of the stretch at the PC for the row at work. */
static __attribute__((noinline)) void find_calls(struct engine *e, int32_t pc)
{
    const struct bound *in = &e->code->bound[pc];
    uint64_t handlers = 0;
    for (int i = in->stretch - 1; i >= 0; i--) {
        struct repeated_call *call = &e->repeated->call[pc + i];
        call->fn = in[i].kind == BOUND_LOAD ? NULL : in[i].fn;
        call->handlers = handlers = call->fn ? handlers + 1 : 0;
        if (!call->fn)
            continue;
        straight_find_sources(&in[i], e->row->planes, e->code->constants, &call->x);
        call->x.dest[0] = e->row->planes + in[i].dest[0];
        call->x.dest[1] = e->dest_scratch[1];
    }
}

/* Calls `count` handlers. Four calls stand side by side, which takes a quarter of the loop's own instructions. */
static inline void run_handlers(const struct repeated_call *call, uint64_t count)
{
    for (; count >= 4; call += 4, count -= 4) {
        call[0].fn(&call[0].x);
        call[1].fn(&call[1].x);
        call[2].fn(&call[2].x);
        call[3].fn(&call[3].x);
    }
    for (; count; call++, count--)
        call->fn(&call->x);
}

/* Executes the stretch from the PC on for all threads of the row. */
static inline uint64_t run_calls(struct engine *e, int32_t pc, uint64_t count, uint32_t mask)
{
    const struct repeated_call *call = &e->repeated->call[pc];
    uint64_t done = 0;
    while (done < count) {
        const uint64_t left = count - done, handlers = call[done].handlers < left ? call[done].handlers : left;
        const int32_t at = pc + (int32_t)done;
        if (handlers)
            run_handlers(call + done, handlers);
        else if (mask != UINT32_MAX || !access_row(e, &e->code->bound[at], at))
            break;
        done += handlers ? handlers : 1;
    }
    return done;
}

uint64_t repeated_stretch(struct engine *e, int32_t pc, uint64_t count, uint32_t mask, uint64_t most_rounds,
                          uint64_t *rounds)
{
    const struct bound *in = &e->code->bound[pc], *branch = in + count;
    const bool is_whole = !(e->row->live & ~mask);
    if (!e->repeated)
        e->repeated = create(e->program);
    struct repeated *r = e->repeated;
    if (is_whole && r->found_in[pc] != r->turn) {
        r->found_in[pc] = r->turn;
        find_calls(e, pc);
    }
    uint64_t done, round = 0;
    for (;; round++) {
        done = is_whole ? run_calls(e, pc, count, mask) : straight_stretch_of_some(e, in, count, mask);
        if (done < count || round == most_rounds || straight_guarded(e, branch, mask) != mask)
            break;
    }
    *rounds = round;
    return done;
}
