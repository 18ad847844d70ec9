/* Blocks while they are recorded and while they are read: see block.h. */
#include "tape/block.h"

#include "base/arena.h"
#include "tape/block_code.h"

#include <stdlib.h>
#include <string.h>

/* A thread's words in the order in which it came to them. */
struct log_thread {
    uint8_t *bits;
    size_t bit_count, bit_capacity; /* capacity in bytes */
    uint64_t *words;
    uint32_t *sites; /* of each word */
    size_t word_count, word_capacity;
};

struct tape_log {
    uint32_t threads, sites;
    struct log_thread *thread;
};

struct tape_log *tape_log_create(uint32_t threads, uint32_t sites)
{
    struct tape_log *log = xcalloc(1, sizeof *log);
    log->threads = threads;
    log->sites = sites;
    log->thread = xcalloc(threads, sizeof *log->thread);
    return log;
}

void tape_log_destroy(struct tape_log *log)
{
    if (!log)
        return;
    for (uint32_t t = 0; t < log->threads; t++) {
        free(log->thread[t].bits);
        free(log->thread[t].words);
        free(log->thread[t].sites);
    }
    free(log->thread);
    free(log);
}

void tape_log_bit(struct tape_log *log, uint32_t thread, bool bit)
{
    struct log_thread *t = &log->thread[thread];
    size_t byte = t->bit_count >> 3;
    if (byte >= t->bit_capacity) {
        size_t before = t->bit_capacity;
        t->bit_capacity = 2 * before + 16;
        t->bits = xrealloc(t->bits, t->bit_capacity);
        memset(t->bits + before, 0, t->bit_capacity - before);
    }
    t->bits[byte] |= (uint8_t)(bit << (t->bit_count & 7));
    t->bit_count++;
}

void tape_log_word(struct tape_log *log, uint32_t thread, uint32_t site, uint64_t word)
{
    struct log_thread *t = &log->thread[thread];
    if (t->word_count >= t->word_capacity) {
        t->word_capacity = 2 * t->word_capacity + 16;
        t->words = xrealloc(t->words, t->word_capacity * sizeof *t->words);
        t->sites = xrealloc(t->sites, t->word_capacity * sizeof *t->sites);
    }
    t->words[t->word_count] = word;
    t->sites[t->word_count++] = site;
}

/* Sorts the words by site and, within a site, by thread. */
static struct tape_words sort_words(const struct tape_log *log)
{
    size_t cells = (size_t)log->threads * log->sites;
    struct tape_words w = {.threads = log->threads, .sites = log->sites};
    w.start = xcalloc(cells + 1, sizeof *w.start);
    for (uint32_t t = 0; t < log->threads; t++)
        for (size_t i = 0; i < log->thread[t].word_count; i++)
            w.start[(size_t)log->thread[t].sites[i] * log->threads + t + 1]++;
    for (size_t c = 0; c < cells; c++)
        w.start[c + 1] += w.start[c];
    w.word = xmalloc((w.start[cells] + (size_t)1) * sizeof *w.word);
    uint32_t *next = xmalloc((cells + 1) * sizeof *next);
    memcpy(next, w.start, (cells + 1) * sizeof *next);
    for (uint32_t t = 0; t < log->threads; t++)
        for (size_t i = 0; i < log->thread[t].word_count; i++)
            w.word[next[(size_t)log->thread[t].sites[i] * log->threads + t]++] = log->thread[t].words[i];
    free(next);
    return w;
}

static void encode_bits(const struct tape_log *log, struct bytes *out)
{
    const struct log_thread none = {0}, *before = &none;
    for (uint32_t t = 0; t < log->threads; before = &log->thread[t++])
        bytes_put_difference(out, log->thread[t].bit_count - before->bit_count);
    before = &none;
    for (uint32_t t = 0; t < log->threads; before = &log->thread[t++])
        block_code_bits(log->thread[t].bits, log->thread[t].bit_count, before->bits, before->bit_count, out);
}

void tape_log_encode(const struct tape_log *log, struct bytes *out)
{
    bytes_put_number(out, log->threads);
    bytes_put_number(out, log->sites);
    encode_bits(log, out);
    struct tape_words w = sort_words(log);
    for (uint32_t site = 0; site < log->sites; site++)
        block_code_site(&w, site, out);
    free(w.start);
    free(w.word);
}

/* Reads how many bits each thread has, and gives each its place, which begins at a byte. */
static void decode_bit_counts(struct tape_play *p, struct bytes_reader *r)
{
    uint64_t count = 0, at = 0, most = 8 * (uint64_t)(r->end - r->at);
    for (uint32_t t = 0; t < p->words.threads; t++) {
        count += bytes_difference(r);
        if (count > most || at > most) {
            r->failed = true;
            count = 0;
        }
        p->bits_start[t] = p->bit_at[t] = at;
        p->bits_end[t] = at + count;
        at += (count + 7) / 8 * 8;
    }
    p->bits_start[p->words.threads] = at;
}

static void decode_bits(struct tape_play *p, struct bytes_reader *r)
{
    decode_bit_counts(p, r);
    uint32_t threads = p->words.threads;
    const uint8_t *from = bytes_take(r, p->bits_start[threads] / 8), *before = NULL;
    if (!from)
        return;
    p->bits = xmalloc(p->bits_start[threads] / 8 + 1);
    size_t bytes_before = 0;
    for (uint32_t t = 0; t < threads; t++) {
        uint8_t *to = p->bits + p->bits_start[t] / 8;
        size_t bytes = (p->bits_start[t + 1] - p->bits_start[t]) / 8;
        block_decode_bits(to, bytes, from + p->bits_start[t] / 8, before, bytes_before);
        before = to;
        bytes_before = bytes;
    }
}

static void decode_words(struct tape_play *p, struct bytes_reader *r)
{
    struct tape_words *w = &p->words;
    size_t cells = (size_t)w->threads * w->sites, most = (size_t)(r->end - r->at); /* each word takes a byte at least */
    w->word = xmalloc((most + 1) * sizeof *w->word);
    for (uint32_t site = 0; site < w->sites && !r->failed; site++)
        block_decode_site(w, site, most, r);
    if (r->failed)
        return;
    w->word = xrealloc(w->word, (w->start[cells] + (size_t)1) * sizeof *w->word);
    memcpy(p->word_at, w->start, cells * sizeof *p->word_at);
}

struct tape_play *tape_play_decode(const void *data, size_t count, uint32_t threads, uint32_t sites)
{
    struct bytes_reader r = {.at = data, .end = (const uint8_t *)data + count};
    struct tape_play *p = xcalloc(1, sizeof *p);
    size_t cells = (size_t)threads * sites;
    p->words = (struct tape_words){.threads = threads, .sites = sites};
    p->words.start = xcalloc(cells + 1, sizeof *p->words.start);
    p->word_at = xcalloc(cells + 1, sizeof *p->word_at);
    p->bits_start = xcalloc((size_t)threads + 1, sizeof *p->bits_start);
    p->bits_end = xcalloc((size_t)threads + 1, sizeof *p->bits_end);
    p->bit_at = xcalloc((size_t)threads + 1, sizeof *p->bit_at);
    r.failed = bytes_number(&r) != threads || bytes_number(&r) != sites;
    if (!r.failed)
        decode_bits(p, &r);
    if (!r.failed)
        decode_words(p, &r);
    if (!r.failed && r.at == r.end)
        return p;
    tape_play_destroy(p);
    return NULL;
}

void tape_play_destroy(struct tape_play *p)
{
    if (!p)
        return;
    free(p->words.start);
    free(p->words.word);
    free(p->word_at);
    free(p->bits);
    free(p->bits_start);
    free(p->bits_end);
    free(p->bit_at);
    free(p);
}

bool tape_play_is_over(const struct tape_play *p)
{
    size_t cells = (size_t)p->words.threads * p->words.sites;
    for (uint32_t t = 0; t < p->words.threads; t++)
        if (p->bit_at[t] != p->bits_end[t])
            return false;
    for (size_t c = 0; c < cells; c++)
        if (p->word_at[c] != p->words.start[c + 1])
            return false;
    return true;
}
