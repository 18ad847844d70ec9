/*
 * What one thread block did, as far as its time depends on it: for each thread a sequence of bits, and for each thread
 * and site a sequence of 64-bit words. What a bit or a site stands for is the caller's to know (exec/taping.h): a bit
 * is the outcome of a guard, a site one operand of one instruction.
 *
 * The words of one site stand apart from those of the others, and each thread reads its own in its own order. So a
 * thread finds its next word at a site whatever order threads run in, and the k-th words of neighbouring threads stand
 * side by side however their paths differ. Both make records small: each word is kept as its difference from a guess
 * made from its neighbours (block_code.c).
 */
#ifndef HEDDLE_TAPE_BLOCK_H
#define HEDDLE_TAPE_BLOCK_H

#include "tape/bytes.h"

/* A block that is being recorded. */
struct tape_log;
struct tape_log *tape_log_create(uint32_t threads, uint32_t sites);
void tape_log_destroy(struct tape_log *log);
void tape_log_bit(struct tape_log *log, uint32_t thread, bool bit);
void tape_log_word(struct tape_log *log, uint32_t thread, uint32_t site, uint64_t word);
/* Appends the whole block. */
void tape_log_encode(const struct tape_log *log, struct bytes *out);

/* Words of a block by site and thread. */
struct tape_words {
    uint32_t threads, sites;
    uint32_t *start; /* [site * threads + thread], and one more: index of the thread's first word at the site */
    uint64_t *word;
};

/* A recorded block that threads read. */
struct tape_play {
    struct tape_words words;
    uint32_t *word_at;    /* [site * threads + thread]: index of the next word */
    uint8_t *bits;        /* of all threads; each thread's begin at a byte */
    uint64_t *bits_start; /* [thread], and one more: index of the first bit */
    uint64_t *bits_end;   /* [thread]: index behind the last bit */
    uint64_t *bit_at;     /* [thread]: index of the next bit */
};

/* NULL: the bytes are no block of so many threads and sites. */
struct tape_play *tape_play_decode(const void *data, size_t count, uint32_t threads, uint32_t sites);
void tape_play_destroy(struct tape_play *play);
/* Whether every thread has read all its bits and words. */
bool tape_play_is_over(const struct tape_play *play);

/* The thread's next bit, or its next word at a site; false: there is none. `*_skip` goes on to the one behind. */
static inline bool tape_play_bit(const struct tape_play *p, uint32_t thread, bool *bit)
{
    uint64_t at = p->bit_at[thread];
    if (at >= p->bits_end[thread])
        return false;
    *bit = p->bits[at >> 3] >> (at & 7) & 1;
    return true;
}

static inline bool tape_play_word(const struct tape_play *p, uint32_t thread, uint32_t site, uint64_t *word)
{
    uint64_t i = (uint64_t)site * p->words.threads + thread;
    if (p->word_at[i] >= p->words.start[i + 1])
        return false;
    *word = p->words.word[p->word_at[i]];
    return true;
}

static inline void tape_play_skip_bit(struct tape_play *p, uint32_t thread)
{
    p->bit_at[thread]++;
}

static inline void tape_play_skip_word(struct tape_play *p, uint32_t thread, uint32_t site)
{
    p->word_at[(uint64_t)site * p->words.threads + thread]++;
}

#endif
