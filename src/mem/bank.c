/*
 * Shared-memory banks: how many passes an access needs.
 *
 * Consecutive words lie in consecutive banks. In one pass each bank gives one word, to every lane that wants that
 * word; lanes that want different words of one bank need a pass each. An access too wide for one pass even without a
 * conflict (32 lanes of 8 bytes over 32 banks of 4) is served in groups of lanes that fit, one after the other, as
 * hardware does with half and quarter warps. The caller gives active lanes only.
 *
 * An atomic changes the word, so lanes that want the same word may need a pass each, too (mem_shared_atomic_passes()).
 */
#include "base/bits.h"
#include "base/simd.h"
#include "mem/config.h"
#include "mem/mem.h"

#include <string.h>

enum { MAX_BANKS = 64, MAX_WORDS = 4 * MEM_MAX_LANES };

/* The largest number of lanes in one bank, each with a pass of its own. */
static unsigned most_lanes_in_bank(uint32_t banks, int count, const uint64_t *address, unsigned word_shift)
{
    uint8_t in_bank[MAX_BANKS] = {0};
    unsigned most = 1;
    for (int lane = 0; lane < count; lane++) {
        unsigned now = ++in_bank[(address[lane] >> word_shift) % banks];
        most = now > most ? now : most;
    }
    return most;
}

/* Whether lanes, which the banks are wide enough for, access bytes side by side from a word's first one on, or all the
 * same bytes: the most frequent accesses, both of which need one pass. */
static bool is_side_by_side(int count, const uint64_t *address, unsigned bytes, unsigned word_shift)
{
    return !(address[0] & bits_below(word_shift)) &&
           (simd_is_even(address, count, bytes) || simd_is_even(address, count, 0));
}

/* What lanes of which each lies within one word have in common. */
struct lane_words {
    uint64_t low;   /* the bits of their addresses, or-ed */
    uint64_t banks; /* one bit for each bank that a lane wants a word of */
};

/* `mask`: the number of banks, a power of two, less one. */
SIMD_CLONES static struct lane_words words_of(uint64_t mask, int count, const uint64_t *address, unsigned word_shift)
{
    struct lane_words words = {0};
    for (int lane = 0; lane < count; lane++) {
        words.low |= address[lane];
        words.banks |= UINT64_C(1) << (address[lane] >> word_shift & mask);
    }
    return words;
}

/* The passes of lanes whose addresses are one stride apart, which is a number of words, and of which each lies within
 * one word: lanes come back to a bank after as many lanes as the stride has different banks. */
static unsigned passes_of_stride(uint32_t banks, int count, uint64_t stride)
{
    const unsigned shift = (unsigned)__builtin_ctzll(stride | banks);
    const unsigned period = banks >> shift;
    return ((unsigned)count + period - 1) / period;
}

/* The passes of lanes of which each lies within one word: every pass gives one word of each bank, and the lanes that
 * wanted it are done. There is no branch for a lane, since the host could not predict it. `mask` as above. */
static unsigned passes_of_words(uint64_t mask, int count, const uint64_t *address, unsigned word_shift)
{
    uint64_t given[MAX_BANKS], left[MEM_MAX_LANES];
    unsigned passes = 0;
    for (int lane = 0; lane < count; lane++)
        left[lane] = address[lane] >> word_shift;
    for (int still; count; count = still) {
        for (int lane = still = 0; lane < count; lane++)
            given[left[lane] & mask] = left[lane];
        for (int lane = 0; lane < count; lane++) {
            const uint64_t word = left[lane];
            left[still] = word;
            still += given[word & mask] != word;
        }
        passes++;
    }
    return passes;
}

/* Words that lanes want, in lists by bank. */
struct bank_words {
    uint64_t used; /* one bit for each bank that has a list */
    int known;     /* words in all lists */
    unsigned most; /* words of the longest list */
    uint8_t in_bank[MAX_BANKS];
    int16_t first[MAX_BANKS], next[MAX_WORDS];
    uint64_t word[MAX_WORDS];
};

static inline void want_word(struct bank_words *b, uint32_t bank, uint64_t word)
{
    const uint64_t bit = UINT64_C(1) << bank;
    const bool is_new = !(b->used & bit);
    const int16_t first = is_new ? -1 : b->first[bank];
    int16_t i = first;
    while (i >= 0 && b->word[i] != word)
        i = b->next[i];
    if (i >= 0)
        return;
    const uint8_t now = is_new ? 1 : (uint8_t)(b->in_bank[bank] + 1);
    b->used |= bit;
    b->word[b->known] = word;
    b->next[b->known] = first;
    b->first[bank] = (int16_t)b->known++;
    b->in_bank[bank] = now;
    b->most = now > b->most ? now : b->most;
}

/* The largest number of different words in one bank. A number of banks that is a power of two, as on most machines,
 * needs no division to find the bank. */
static unsigned most_in_bank(uint32_t banks, int count, const uint64_t *address, unsigned bytes, unsigned word_shift)
{
    const uint64_t mask = bits_is_power_of_two(banks) ? banks - 1 : 0, in_word = bits_below(word_shift);
    const bool fits = (unsigned)count * bytes <= banks << word_shift;
    const size_t half = (size_t)count / 2;
    if (fits && is_side_by_side(count, address, bytes, word_shift))
        return 1;
    /* Where a row of a block is half a warp, both halves often want the same words. */
    if (count % 2 == 0 && address[0] == address[half] && !memcmp(address, address + half, half * sizeof *address))
        return most_in_bank(banks, (int)half, address, bytes, word_shift);
    if (mask && bytes <= 1u << word_shift && bits_is_power_of_two(bytes)) {
        const struct lane_words words = words_of(mask, count, address, word_shift);
        const bool is_within = !(words.low & (bytes - 1)); /* aligned lanes of so few bytes do not straddle words */
        const uint64_t stride = count > 1 ? address[1] - address[0] : 0;
        if (is_within && __builtin_popcountll(words.banks) == count)
            return 1;
        if (is_within && stride && !(stride & in_word) && simd_is_even(address, count, stride))
            return passes_of_stride(banks, count, stride >> word_shift);
        if (is_within)
            return passes_of_words(mask, count, address, word_shift);
    }
    struct bank_words b;
    b.used = 0;
    b.known = 0;
    b.most = 1;
    for (int lane = 0; lane < count; lane++)
        for (uint64_t w = address[lane] >> word_shift; w <= (address[lane] + bytes - 1) >> word_shift; w++)
            want_word(&b, (uint32_t)(mask ? w & mask : w % banks), w);
    return b.most;
}

unsigned mem_shared_passes(const struct mem_config *config, int count, const uint64_t *address, unsigned bytes)
{
    unsigned word_shift = config->shared_bank_bytes == 8 ? 3 : 2;
    unsigned width = config->shared_banks << word_shift;
    if (bytes == 0 || count == 0)
        return 1;
    unsigned group = width / bytes ? width / bytes : 1;
    unsigned passes = 0;
    for (int lane = 0; lane < count; lane += (int)group) {
        int lanes = count - lane < (int)group ? count - lane : (int)group;
        passes += most_in_bank(config->shared_banks, lanes, address + lane, bytes, word_shift);
    }
    return passes;
}

unsigned mem_shared_atomic_passes(const struct mem_config *config, int count, const uint64_t *address)
{
    return most_lanes_in_bank(config->shared_banks, count, address, config->shared_bank_bytes == 8 ? 3 : 2);
}

/* Lanes of an access that go in one pass if no bank has two words: those that the banks are wide enough for. */
static int lanes_of_a_pass(unsigned width, int count, const struct mem_shared_lane *lanes)
{
    unsigned bytes = lanes[0].bytes;
    int used = 1;
    while (used < count && bytes + lanes[used].bytes <= width)
        bytes += lanes[used++].bytes;
    return used;
}

/* The largest number of passes that one bank needs: one for each word and kind, or for each lane of atomics that are
 * kept apart. */
static unsigned most_mixed_in_bank(const struct mem_config *config, int count, const struct mem_shared_lane *lanes,
                                   unsigned word_shift)
{
    uint64_t known[MAX_WORDS];
    uint8_t in_bank[MAX_BANKS] = {0};
    unsigned most = 1;
    int known_count = 0;
    for (int lane = 0; lane < count; lane++) {
        uint64_t first = lanes[lane].address >> word_shift;
        uint64_t last = (lanes[lane].address + (lanes[lane].bytes ? lanes[lane].bytes - 1u : 0)) >> word_shift;
        bool is_apart = lanes[lane].kind == MEM_SHARED_ATOMIC && config->shared_atomics_apart;
        for (uint64_t w = first; w <= last; w++) {
            uint64_t key = w << 2 | lanes[lane].kind;
            int i = 0;
            while (i < known_count && known[i] != key)
                i++;
            if (i < known_count && !is_apart)
                continue;
            if (i == known_count)
                known[known_count++] = key;
            unsigned now = ++in_bank[w % config->shared_banks];
            most = now > most ? now : most;
        }
    }
    return most;
}

unsigned mem_shared_mixed(const struct mem_config *config, int count, const struct mem_shared_lane *lanes)
{
    unsigned word_shift = config->shared_bank_bytes == 8 ? 3 : 2, passes = 0;
    for (int lane = 0; lane < count;) {
        int used = lanes_of_a_pass(config->shared_banks << word_shift, count - lane, lanes + lane);
        passes += most_mixed_in_bank(config, used, lanes + lane, word_shift);
        lane += used;
    }
    return passes;
}
