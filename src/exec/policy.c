/*
 * createpolicy. Policies say how the L2 replaces lines and have no effect on values; heddle's caches do not follow
 * them. Programs see the words if they store them, so they are those that an H200 gives:
 *
 *   bit 60      always 1 in a word that createpolicy makes from a fraction or a range
 *   bit 59      a range, not a fraction
 *   bits 57-58  the first priority        bit 56      the second: evict_first, not evict_unchanged
 *   bits 52-55  of a fraction: in sixteenths, less one; of a range: log2 of the bytes in a block, less 12
 *   bits 44-50  of a range: the first block, by the address        bits 37-43  of a range: number of blocks
 */
#include "exec/policy.h"

#include "exec/access.h"
#include "exec/operand.h"

#include <string.h>

enum { MOST_BLOCKS = 127, BLOCK_SHIFT = 12, WHOLE = 15 };

#define MADE        (UINT64_C(1) << 60)
#define MADE_RANGE  (UINT64_C(1) << 60 | UINT64_C(1) << 59)
#define FIRST_BIT   57
#define SECOND_BIT  56
#define NUMBER_BIT  52
#define FIRST_BLOCK 44
#define BLOCK_COUNT 37

static uint64_t priority_code(enum mod priority)
{
    switch (priority) {
    case PRIORITY_FIRST:
        return 1;
    case PRIORITY_LAST:
        return 2;
    case PRIORITY_NORMAL:
        return 3;
    default: /* unchanged */
        return 0;
    }
}

static uint64_t priorities(const struct insn *insn)
{
    uint64_t second = insn->suffixes.mod[GROUP_FALLBACK] == FALLBACK_FIRST;
    return priority_code((enum mod)insn->suffixes.mod[GROUP_PRIORITY]) << FIRST_BIT | second << SECOND_BIT;
}

/* Sixteenths, less one: a fraction counts as the next sixteenth as soon as it is about a thousandth above one. A
 * fraction beyond 1, which PTX does not allow, loses its upper bits. */
static uint64_t sixteenths(float fraction)
{
    float n = fraction * 15.99f;
    return (!(n > 0.0f) ? 0 : n >= 4294967296.0f ? UINT32_MAX : (uint32_t)n) & WHOLE;
}

/* The logarithm of the size, rounded up; a size that is above a power of two by 10 units in the last place of an f32 or
 * less counts as that power. */
static unsigned log2_of(uint32_t size)
{
    float f = (float)size;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (bits >> 23) - 127 + ((bits & 0x7fffff) > 10);
}

/* Blocks are as large as it takes for 128 of them to hold the whole size. */
static uint64_t blocks(uint64_t address, uint32_t size, uint32_t total)
{
    unsigned grade = log2_of(total) > 19 ? log2_of(total) - 19 : 0, shift = BLOCK_SHIFT + grade;
    uint32_t span = size + (1u << shift) - 1; /* wraps around */
    address &= UINT64_C(0xffffffffffff);
    uint64_t first = address >> shift, count = ((address + span) >> shift) - first;
    return (uint64_t)grade << NUMBER_BIT | (first & MOST_BLOCKS) << FIRST_BLOCK |
           (count > MOST_BLOCKS ? MOST_BLOCKS : count) << BLOCK_COUNT;
}

void policy_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    uint64_t policy[ROW_LANES] = {0}, address[ROW_LANES] = {0};
    const void *a = in->source[0] == OFFSET_NONE ? NULL : operand_source(e, in, 0);
    const uint32_t *total = in->source_count > 1 ? operand_source(e, in, 1) : NULL;
    if (in->insn->op == OP_POLICY_RANGE)
        access_addresses(e, in, address);
    for (int i = 0; i < ROW_LANES; i++)
        if (in->insn->op == OP_POLICY_CVT)
            policy[i] = ((const uint64_t *)a)[i];
        else if (in->insn->op == OP_POLICY_FRACTION)
            policy[i] =
                MADE | priorities(in->insn) | (a ? sixteenths(((const float *)a)[i]) : (uint64_t)WHOLE) << NUMBER_BIT;
        else if (!total[i])
            policy[i] = MADE_RANGE;
        else
            policy[i] = MADE_RANGE | priorities(in->insn) | blocks(address[i], ((const uint32_t *)a)[i], total[i]);
    operand_write(e, in, 0, policy, mask);
}
