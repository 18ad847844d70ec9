/* Guesses of words from their neighbours, and what is left of the words: see block_code.h. */
#include "tape/block_code.h"

/* How a thread's k-th word at a site is guessed. Where a way lacks the words that it needs, the one before it is taken;
 * at the very first word the guess is 0. */
enum guess {
    GUESS_OWN,      /* the thread's word before */
    GUESS_LANE,     /* the k-th word of the thread before: all threads access one address */
    GUESS_STRIDE,   /* as far from the k-th word of the thread before as that is from the one of the thread before it */
    GUESS_GRADIENT, /* as far from the thread's word before as in the thread before */
    GUESS_COUNT
};

void block_code_bits(const uint8_t *bits, size_t count, const uint8_t *before, size_t count_before, struct bytes *out)
{
    size_t bytes = (count + 7) / 8, bytes_before = (count_before + 7) / 8;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t byte = (uint8_t)(bits[i] ^ (i < bytes_before ? before[i] : 0));
        bytes_put(out, &byte, 1);
    }
}

void block_decode_bits(uint8_t *to, size_t bytes, const uint8_t *from, const uint8_t *before, size_t bytes_before)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(from[i] ^ (i < bytes_before ? before[i] : 0));
}

/* Words of one thread at one site. */
struct thread_words {
    const uint64_t *word;
    uint32_t count;
};

static struct thread_words words_of(const struct tape_words *w, size_t cell)
{
    return (struct thread_words){w->word + w->start[cell], w->start[cell + 1] - w->start[cell]};
}

/* The words of the threads before that a guess looks at: the last two threads that have any. */
struct neighbours {
    struct thread_words one, two;
};

static void pass_thread(struct neighbours *n, struct thread_words thread)
{
    if (!thread.count)
        return;
    n->two = n->one;
    n->one = thread;
}

static uint64_t guess(enum guess way, const struct neighbours *n, const uint64_t *own, uint32_t k)
{
    bool has_one = k < n->one.count;
    if (way == GUESS_GRADIENT && k && has_one)
        return own[k - 1] + n->one.word[k] - n->one.word[k - 1];
    if (way >= GUESS_STRIDE && has_one && k < n->two.count)
        return 2 * n->one.word[k] - n->two.word[k];
    if (way >= GUESS_LANE && has_one)
        return n->one.word[k];
    return k ? own[k - 1] : n->one.count ? n->one.word[0] : 0;
}

/* Bytes that the site takes if its words are guessed in this way. */
static uint64_t length_of(const struct tape_words *w, size_t first, enum guess way)
{
    struct neighbours n = {0};
    uint64_t length = 0;
    for (uint32_t t = 0; t < w->threads; t++) {
        struct thread_words own = words_of(w, first + t);
        for (uint32_t k = 0; k < own.count; k++)
            length += bytes_of_difference(own.word[k] - guess(way, &n, own.word, k));
        pass_thread(&n, own);
    }
    return length;
}

static enum guess best_guess(const struct tape_words *w, size_t first)
{
    enum guess best = GUESS_OWN;
    uint64_t least = UINT64_MAX;
    for (enum guess way = GUESS_OWN; way < GUESS_COUNT; way++) {
        uint64_t length = length_of(w, first, way);
        if (length < least) {
            least = length;
            best = way;
        }
    }
    return best;
}

/* A site without words is one byte, GUESS_COUNT. */
void block_code_site(const struct tape_words *w, uint32_t site, struct bytes *out)
{
    size_t first = (size_t)site * w->threads;
    bool is_empty = w->start[first] == w->start[first + w->threads];
    enum guess way = is_empty ? GUESS_COUNT : best_guess(w, first);
    bytes_put_number(out, way);
    if (is_empty)
        return;
    uint64_t before = 0;
    for (uint32_t t = 0; t < w->threads; t++) {
        uint64_t count = words_of(w, first + t).count;
        bytes_put_difference(out, count - before);
        before = count;
    }
    struct neighbours n = {0};
    for (uint32_t t = 0; t < w->threads; t++) {
        struct thread_words own = words_of(w, first + t);
        for (uint32_t k = 0; k < own.count; k++)
            bytes_put_difference(out, own.word[k] - guess(way, &n, own.word, k));
        pass_thread(&n, own);
    }
}

void block_decode_site(struct tape_words *w, uint32_t site, size_t most, struct bytes_reader *r)
{
    size_t first = (size_t)site * w->threads;
    enum guess way = (enum guess)bytes_number_up_to(r, GUESS_COUNT);
    uint64_t count = 0;
    for (uint32_t t = 0; t < w->threads; t++) {
        count = way == GUESS_COUNT ? 0 : count + bytes_difference(r);
        uint64_t end = w->start[first + t] + count;
        if (r->failed || count > most || end > most || end > UINT32_MAX) {
            r->failed = true;
            return;
        }
        w->start[first + t + 1] = (uint32_t)end;
    }
    struct neighbours n = {0};
    for (uint32_t t = 0; t < w->threads; t++) {
        uint64_t *own = w->word + w->start[first + t];
        struct thread_words words = words_of(w, first + t);
        for (uint32_t k = 0; k < words.count; k++)
            own[k] = bytes_difference(r) + guess(way, &n, own, k);
        pass_thread(&n, words);
    }
}
