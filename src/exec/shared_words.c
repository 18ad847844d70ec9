/* Words of shared memory: see shared_words.h. */
#include "exec/shared_words.h"

#include "base/bits.h"
#include "base/simd.h"
#include "exec/operand.h"
#include "exec/words.h"

#include <string.h>

/* Whether the words of all lanes are aligned and within the block's memory. To move them, offsets are computed again:
 * the host would wait for a list of them that it has just stored as vectors. */
static inline bool are_within(const struct engine *e, const uint32_t *restrict registers, uint32_t add)
{
    uint32_t any = 0; /* at least as large as the largest offset */
    for (int i = 0; i < ROW_LANES; i++)
        any |= registers[i] + add;
    return !e->block->cluster && !(any & 3) && (uint64_t)any + 4 <= e->block->shared_bytes;
}

SIMD_CLONES bool shared_words_are_within(const struct engine *e, const struct bound *in)
{
    return are_within(e, (const void *)(e->row->planes + in->address), (uint32_t)in->address_offset);
}

static inline uint32_t *word_at(uint8_t *shared, uint32_t offset)
{
    return (uint32_t *)(void *)(shared + offset);
}

/* Four lanes are loaded, and stored then: registers never overlap memory, but the compiler does not know. */
static __attribute__((noinline)) bool load_one_by_one(struct engine *e, const struct bound *in)
{
    const uint32_t *registers = (const void *)(e->row->planes + in->address), add = (uint32_t)in->address_offset;
    uint32_t *to = (uint32_t *)(void *)(e->row->planes + in->dest[0]);
    uint8_t *shared = e->block->shared;
    if (!shared_words_are_within(e, in))
        return false;
    for (int i = 0; i < ROW_LANES; i += 4) {
        const uint32_t a = *word_at(shared, registers[i] + add), b = *word_at(shared, registers[i + 1] + add);
        const uint32_t c = *word_at(shared, registers[i + 2] + add), d = *word_at(shared, registers[i + 3] + add);
        to[i] = a;
        to[i + 1] = b;
        to[i + 2] = c;
        to[i + 3] = d;
    }
    return true;
}

bool shared_words_load(struct engine *e, const struct bound *in)
{
    const struct block *b = e->block;
    const uint32_t *registers = (const void *)(e->row->planes + in->address), add = (uint32_t)in->address_offset;
    uint32_t *to = (uint32_t *)(void *)(e->row->planes + in->dest[0]);
    return (!b->cluster && words_load_narrow(to, b->shared, b->shared_bytes, registers, add)) || load_one_by_one(e, in);
}

bool shared_words_store(struct engine *e, const struct bound *in)
{
    const struct block *b = e->block;
    const uint32_t *registers = (const void *)(e->row->planes + in->address), add = (uint32_t)in->address_offset;
    const uint32_t *from = operand_source(e, in, 0);
    return !b->cluster && words_store_narrow(from, b->shared, b->shared_bytes, registers, add);
}

/* Threads mostly add one number, as those that count do: then only places are loaded for each lane, two at a time. The
 * order of the lanes does not matter. */
static inline void add_same(uint8_t *shared, const uint32_t *registers, uint32_t add, uint32_t number)
{
    for (int i = 0; i < ROW_LANES; i += 2) {
        uint64_t two;
        memcpy(&two, registers + i, sizeof two);
        *word_at(shared, (uint32_t)two + add) += number;
        *word_at(shared, (uint32_t)(two >> 32) + add) += number;
    }
}

SIMD_CLONES bool shared_words_add(struct engine *e, const struct bound *in, const uint32_t *b)
{
    const uint32_t *registers = (const void *)(e->row->planes + in->address), add = (uint32_t)in->address_offset;
    uint8_t *shared = e->block->shared;
    uint32_t differs = 0, changed = 0;
    if (!are_within(e, registers, add))
        return false;
    for (int i = 0; i < ROW_LANES; i++)
        differs |= b[i] ^ b[0];
    if (!differs) {
        add_same(shared, registers, add, b[0]);
        e->writes += b[0] ? ROW_LANES : 0;
        return true;
    }
    for (int i = 0; i < ROW_LANES; i++)
        changed += b[i] != 0;
    for (int i = 0; i < ROW_LANES; i++)
        *word_at(shared, registers[i] + add) += b[i];
    e->writes += changed;
    return true;
}

/* Stores the words of some lanes, which are within the block's memory. */
static inline void store_lanes(uint8_t *shared, const uint32_t *from, const uint32_t *registers, uint32_t add,
                               uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        const int i = bits_lowest(mask);
        *word_at(shared, registers[i] + add) = from[i];
    }
}

static inline void load_lanes(uint8_t *shared, uint32_t *to, const uint32_t *registers, uint32_t add, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        const int i = bits_lowest(mask);
        to[i] = *word_at(shared, registers[i] + add);
    }
}

SIMD_CLONES static __attribute__((noinline)) bool access_one_by_one(struct engine *e, const struct bound *in,
                                                                    uint32_t mask)
{
    const uint32_t *registers = (const void *)(e->row->planes + in->address), add = (uint32_t)in->address_offset;
    const bool is_write = in->kind == BOUND_STORE;
    if (!are_within(e, registers, add))
        return false;
    if (is_write)
        store_lanes(e->block->shared, operand_source(e, in, 0), registers, add, mask);
    else
        load_lanes(e->block->shared, (uint32_t *)(void *)(e->row->planes + in->dest[0]), registers, add, mask);
    return true;
}

bool shared_words_access(struct engine *e, const struct bound *in, uint32_t mask)
{
    const struct block *b = e->block;
    const uint32_t *registers = (const void *)(e->row->planes + in->address), add = (uint32_t)in->address_offset;
    const bool is_write = in->kind == BOUND_STORE;
    const bool is_done =
        (is_write && !b->cluster &&
         words_store_some_narrow(operand_source(e, in, 0), b->shared, b->shared_bytes, registers, add, mask)) ||
        access_one_by_one(e, in, mask);
    e->writes += is_write && is_done;
    return is_done;
}

bool shared_words_move(struct engine *e, const struct bound *in, uint32_t mask)
{
    if (mask != UINT32_MAX)
        return shared_words_access(e, in, mask);
    if (in->kind == BOUND_LOAD)
        return shared_words_load(e, in);
    const bool is_stored = shared_words_store(e, in);
    e->writes += is_stored;
    return is_stored;
}
