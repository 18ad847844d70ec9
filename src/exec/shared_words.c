/* Words of shared memory: see shared_words.h. */
#include "exec/shared_words.h"

#include "base/bits.h"
#include "base/simd.h"
#include "exec/operand.h"

#include <string.h>

/* Adds up the lanes' offsets. Returns the bits that are set in any of them: at least as large as the largest. */
SIMD_CLONES static __attribute__((noinline)) uint32_t find_offsets(uint32_t *restrict at,
                                                                   const uint32_t *restrict registers, uint32_t add)
{
    uint32_t any = 0;
    for (int i = 0; i < ROW_LANES; i++) {
        at[i] = registers[i] + add;
        any |= at[i];
    }
    return any;
}

/* Offsets of the lanes in shared memory. False: some lane's word may be out of bounds or misaligned. */
static bool find_words(struct engine *e, const struct bound *in, uint32_t at[ROW_LANES])
{
    const void *registers = e->row->planes + in->address;
    uint64_t any = find_offsets(at, registers, (uint32_t)in->address_offset);
    return !(any & 3) && any + 4 <= e->block->shared_bytes;
}

enum { GROUP = 8 }; /* lanes whose words are looked at together: rows of a tile are often 8 or 16 words */
typedef uint32_t group_words __attribute__((vector_size(GROUP * sizeof(uint32_t))));
typedef uint64_t group_bits __attribute__((vector_size(GROUP * sizeof(uint32_t))));

/* Whether the offsets of a group go up by `step`, from the first one on. */
static inline bool goes_up(const uint32_t *at, uint32_t step)
{
    group_words offsets;
    memcpy(&offsets, at, sizeof offsets);
    const group_words first = at[0] - (group_words){0};
    const group_bits differs = (group_bits)(offsets ^ (first + step * (group_words){0, 1, 2, 3, 4, 5, 6, 7}));
    return !(differs[0] | differs[1] | differs[2] | differs[3]);
}

bool shared_words_load(struct engine *e, const struct bound *in)
{
    uint32_t at[ROW_LANES], *to = (uint32_t *)(void *)(e->row->planes + in->dest[0]);
    const uint8_t *shared = e->block->shared;
    if (!find_words(e, in, at))
        return false;
    for (int i = 0; i < ROW_LANES; i += GROUP) {
        const uint32_t step = at[i + 1] - at[i], *from = (const uint32_t *)(const void *)(shared + at[i]);
        if (step == 4 && goes_up(at + i, 4)) {
            memcpy(to + i, from, GROUP * sizeof *to);
        } else if (!step && goes_up(at + i, 0)) {
            const group_words word = *from - (group_words){0};
            memcpy(to + i, &word, sizeof word);
        } else {
            uint32_t word[GROUP];
            for (int k = 0; k < GROUP; k++)
                word[k] = *(const uint32_t *)(const void *)(shared + at[i + k]);
            memcpy(to + i, word, sizeof word);
        }
    }
    return true;
}

bool shared_words_access(struct engine *e, const struct bound *in, uint32_t mask)
{
    uint32_t at[ROW_LANES];
    uint8_t *shared = e->block->shared;
    const bool is_write = in->kind == BOUND_STORE;
    if (e->block->cluster || e->race || e->waste || !find_words(e, in, at))
        return false;
    if (is_write) {
        const uint32_t *from = operand_source(e, in, 0);
        for (uint32_t left = mask; left; left &= left - 1) {
            int i = bits_lowest(left);
            *(uint32_t *)(void *)(shared + at[i]) = from[i];
        }
    } else {
        uint32_t *to = (uint32_t *)(void *)(e->row->planes + in->dest[0]);
        for (uint32_t left = mask; left; left &= left - 1) {
            int i = bits_lowest(left);
            to[i] = *(const uint32_t *)(const void *)(shared + at[i]);
        }
    }
    e->writes += is_write;
    return true;
}
