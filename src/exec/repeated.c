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
    const struct bound *in = &e->code->bound[pc], *end = in + in->stretch;
    for (struct repeated_call *call = &e->repeated->call[pc]; in < end; call++, in++) {
        call->fn = in->kind == BOUND_LOAD ? NULL : in->fn;
        if (!call->fn)
            continue;
        straight_find_sources(in, e->row->planes, e->code->constants, &call->x);
        call->x.dest[0] = e->row->planes + in->dest[0];
        call->x.dest[1] = e->dest_scratch[1];
    }
}

/* Executes the stretch from the PC on for all threads of the row. */
static uint64_t run_calls(struct engine *e, int32_t pc, uint64_t count, uint32_t mask)
{
    const struct repeated_call *first = &e->repeated->call[pc], *end = first + count, *call;
    for (call = first; call < end; call++) {
        const int32_t at = pc + (int32_t)(call - first);
        if (call->fn)
            call->fn(&call->x);
        else if (mask != UINT32_MAX || !access_row(e, &e->code->bound[at], at))
            break;
    }
    return (uint64_t)(call - first);
}

uint64_t repeated_stretch(struct engine *e, int32_t pc, uint64_t count, uint32_t mask)
{
    if (e->row->live & ~mask)
        return straight_stretch_of_some(e, &e->code->bound[pc], count, mask);
    if (!e->repeated)
        e->repeated = create(e->program);
    struct repeated *r = e->repeated;
    if (r->found_in[pc] != r->turn) {
        r->found_in[pc] = r->turn;
        find_calls(e, pc);
    }
    return run_calls(e, pc, count, mask);
}
