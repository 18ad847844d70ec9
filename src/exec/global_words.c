/* Words of global memory: see global_words.h. */
#include "exec/global_words.h"

#include "exec/operand.h"
#include "exec/words.h"

/* What is added to a lane's register to get its offset in the segment. */
static uint64_t added(const struct bound *in, const struct segment *s)
{
    return (uint64_t)in->address_offset - s->base;
}

bool global_words_row(struct engine *e, const struct bound *in, const struct segment *s)
{
    const uint64_t *registers = (const void *)(e->row->planes + in->address);
    if (s->base & 3)
        return false;
    if (in->kind == BOUND_STORE)
        return words_store_wide(operand_source(e, in, 0), s->host, s->bytes, registers, added(in, s));
    return words_load_wide((void *)(e->row->planes + in->dest[0]), s->host, s->bytes, registers, added(in, s));
}

bool global_words_some(struct engine *e, const struct bound *in, const struct segment *s, uint32_t mask)
{
    const uint64_t *registers = (const void *)(e->row->planes + in->address);
    if (s->base & 3)
        return false;
    if (in->kind == BOUND_STORE)
        return words_store_some_wide(operand_source(e, in, 0), s->host, s->bytes, registers, added(in, s), mask);
    return words_load_some((void *)(e->row->planes + in->dest[0]), s->host, s->bytes, registers, added(in, s), mask);
}
