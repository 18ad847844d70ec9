/* Recordings: blocks and files come back as they were written, and what was damaged is refused. */
#define _GNU_SOURCE
#include "base/random.h"
#include "tape/block.h"
#include "tape/file.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 64, SITES = 5, MOST_WORDS = 40 };

/* What was written into a log. */
struct written {
    bool bit[THREADS][MOST_WORDS];
    int bits[THREADS];
    uint64_t word[SITES][THREADS][MOST_WORDS];
    int words[SITES][THREADS];
};

/* Words as sites have them: strides over lanes and over turns of a loop, one word for all, and no pattern at all. */
static uint64_t word_of(struct random *random, int site, int thread, int k)
{
    switch (site) {
    case 0:
        return UINT64_C(0x700000000000) + 4u * (unsigned)thread + 512u * (unsigned)k;
    case 1:
        return UINT32_MAX;
    case 2:
        return random_u64(random);
    default:
        return (uint64_t) - (int64_t)(thread * k);
    }
}

/* The last site has no words, and some threads have none at all. */
static struct tape_log *write_log(struct written *w, uint64_t seed)
{
    struct random random = {seed};
    struct tape_log *log = tape_log_create(THREADS, SITES);
    memset(w, 0, sizeof *w);
    for (int t = 0; t < THREADS; t++) {
        if (t % 7 == 3)
            continue;
        int count = (int)(random_u64(&random) % MOST_WORDS);
        for (int k = 0; k < count; k++) {
            w->bit[t][k] = random_u64(&random) & 1;
            tape_log_bit(log, (uint32_t)t, w->bit[t][k]);
            w->bits[t]++;
            for (int site = 0; site < SITES - 1; site++) {
                w->word[site][t][k] = word_of(&random, site, t, k);
                tape_log_word(log, (uint32_t)t, (uint32_t)site, w->word[site][t][k]);
                w->words[site][t]++;
            }
        }
    }
    return log;
}

static void expect_written(struct tape_play *p, const struct written *w)
{
    bool bit;
    uint64_t word;
    for (uint32_t t = 0; t < THREADS; t++) {
        for (int k = 0; k < w->bits[t]; k++) {
            assert_false(tape_play_is_over(p));
            assert_true(tape_play_bit(p, t, &bit));
            assert_int_equal(bit, w->bit[t][k]);
            tape_play_skip_bit(p, t);
        }
        assert_false(tape_play_bit(p, t, &bit));
        for (uint32_t site = 0; site < SITES; site++) {
            for (int k = 0; k < w->words[site][t]; k++) {
                assert_true(tape_play_word(p, t, site, &word));
                assert_true(word == w->word[site][t][k]);
                tape_play_skip_word(p, t, site);
            }
            assert_false(tape_play_word(p, t, site, &word));
        }
    }
    assert_true(tape_play_is_over(p));
}

static void test_block_comes_back(void **state)
{
    (void)state;
    static struct written w;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct tape_log *log = write_log(&w, seed);
        struct bytes coded = {0};
        tape_log_encode(log, &coded);
        struct tape_play *play = tape_play_decode(coded.data, coded.count, THREADS, SITES);
        assert_non_null(play);
        expect_written(play, &w);
        tape_play_destroy(play);
        tape_log_destroy(log);
        bytes_free(&coded);
    }
}

static void test_regular_words_take_a_byte(void **state)
{
    (void)state;
    struct tape_log *log = tape_log_create(THREADS, 1);
    struct bytes coded = {0};
    for (uint32_t t = 0; t < THREADS; t++)
        for (unsigned k = 0; k < MOST_WORDS; k++)
            tape_log_word(log, t, 0, UINT64_C(0x700000000000) + 4 * t + 4096 * k);
    tape_log_encode(log, &coded);
    assert_true(coded.count < THREADS * MOST_WORDS + 600); /* differences of two threads, counts, one byte per word */
    bytes_free(&coded);
    tape_log_destroy(log);
}

/* A block that was cut off, has bytes behind it, or is of another shape is refused; any other damage must do no harm. */
static void test_damaged_block(void **state)
{
    (void)state;
    static struct written w;
    struct tape_log *log = write_log(&w, 5);
    struct bytes coded = {0};
    struct random random = {9};
    tape_log_encode(log, &coded);
    assert_null(tape_play_decode(coded.data, coded.count, THREADS + 32, SITES));
    assert_null(tape_play_decode(coded.data, coded.count, THREADS, SITES + 1));
    for (size_t length = 0; length < coded.count; length += 1 + length / 50)
        assert_null(tape_play_decode(coded.data, length, THREADS, SITES));
    for (int i = 0; i < 3000; i++) {
        size_t at = random_u64(&random) % coded.count;
        uint8_t before = coded.data[at];
        coded.data[at] = (uint8_t)random_u64(&random);
        tape_play_destroy(tape_play_decode(coded.data, coded.count, THREADS, SITES));
        coded.data[at] = before;
    }
    bytes_put_number(&coded, 0);
    assert_null(tape_play_decode(coded.data, coded.count, THREADS, SITES));
    bytes_free(&coded);
    tape_log_destroy(log);
}

static void test_numbers(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX};
    const uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct bytes b = {0};
        bytes_put_number(&b, values[i]);
        bytes_put_difference(&b, values[i]);
        bytes_put_difference(&b, -values[i]);
        bytes_put_string(&b, NULL);
        bytes_put_string(&b, "word");
        struct bytes_reader r = {.at = b.data, .end = b.data + b.count};
        assert_true(bytes_number(&r) == values[i]);
        const uint8_t *at = r.at;
        assert_true(bytes_difference(&r) == values[i]);
        assert_int_equal(r.at - at, bytes_of_difference(values[i]));
        assert_true(bytes_difference(&r) == -values[i]);
        assert_null(bytes_string(&r));
        assert_false(r.failed);
        char *word = bytes_string(&r);
        assert_string_equal(word, "word");
        assert_false(r.failed);
        assert_null(bytes_take(&r, 1));
        assert_true(r.failed);
        free(word);
        bytes_free(&b);
    }
    struct bytes_reader r = {.at = too_long, .end = too_long + sizeof too_long};
    assert_int_equal(bytes_number(&r), 0);
    assert_true(r.failed);
}

/* ---- files ---- */

static char folder[] = "/tmp/heddle-tape-XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/recording", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails if anything was left behind */
}

static const struct bytes content = {(uint8_t *)(uintptr_t) "some bytes, some bytes, some bytes", 34, 34};

static struct tape_writer *open_writer(void)
{
    char *error = NULL;
    struct tape_writer *w = tape_writer_open(path, &error);
    assert_non_null(w);
    tape_writer_put(w, TAPE_HEAD, 0, &content);
    return w;
}

static void write_file(void)
{
    char *error = NULL;
    unlink(path);
    struct tape_writer *w = open_writer();
    struct tape_place place = tape_writer_place(w);
    tape_writer_put(w, TAPE_BLOCK, 7, &content);
    tape_writer_go_back(w, place);
    tape_writer_put(w, TAPE_BLOCK, 8, &content);
    assert_true(access(path, F_OK));
    assert_true(tape_writer_finish(w, &error));
}

static void expect_refused(const char *why)
{
    char *error = NULL;
    assert_null(tape_reader_open(path, &error));
    assert_non_null(strstr(error, why));
    free(error);
}

static void test_file_comes_back(void **state)
{
    (void)state;
    char *error = NULL;
    write_file();
    struct tape_reader *r = tape_reader_open(path, &error);
    assert_non_null(r);
    assert_int_equal(r->count, 2);
    assert_int_equal(r->section[0].kind, TAPE_HEAD);
    assert_int_equal(r->section[1].kind, TAPE_BLOCK);
    assert_int_equal(r->section[1].key, 8);
    struct bytes got;
    assert_true(tape_reader_get(r, &r->section[1], &got, &error));
    assert_int_equal(got.count, content.count);
    assert_memory_equal(got.data, content.data, content.count);
    bytes_free(&got);
    tape_reader_close(r);
}

/* Whatever byte of a file changes, it is refused: at once, or when its sections are read. */
static void test_damaged_file(void **state)
{
    (void)state;
    write_file();
    FILE *file = fopen(path, "r+b");
    uint8_t bytes[1024];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    assert_in_range(length, 100, sizeof bytes - 1);
    for (size_t i = 0; i < length; i++) {
        char *error = NULL;
        uint8_t changed = bytes[i] ^ 0x10;
        fseek(file, (long)i, SEEK_SET);
        fwrite(&changed, 1, 1, file);
        fflush(file);
        struct tape_reader *r = tape_reader_open(path, &error);
        bool is_refused = !r;
        for (size_t s = 0; r && s < r->count; s++) {
            struct bytes got = {0};
            is_refused |= !tape_reader_get(r, &r->section[s], &got, &error);
            bytes_free(&got);
            free(error);
            error = NULL;
        }
        assert_true(is_refused);
        free(error);
        tape_reader_close(r);
        fseek(file, (long)i, SEEK_SET);
        fwrite(&bytes[i], 1, 1, file);
        fflush(file);
    }
    for (size_t cut = 0; cut < length; cut++) {
        assert_false(truncate(path, (long)cut));
        expect_refused(cut < 24 ? "is no recording" : "cut off");
        rewind(file);
        fwrite(bytes, 1, length, file);
        fflush(file);
    }
    fseek(file, 0, SEEK_END);
    fputc(0, file);
    fflush(file);
    expect_refused("cut off");
    bytes[16] = 9;
    rewind(file);
    fwrite(bytes, 1, length, file);
    fclose(file);
    expect_refused("version 9");
}

static void test_wrong_files(void **state)
{
    (void)state;
    char *error = NULL;
    assert_null(tape_reader_open("/nowhere/recording", &error));
    assert_non_null(strstr(error, "No such file"));
    free(error);
    assert_null(tape_reader_open("/tmp", &error));
    assert_non_null(strstr(error, "no file"));
    free(error);
    assert_null(tape_writer_open("/nowhere/recording", &error));
    assert_non_null(strstr(error, "No such file"));
    free(error);
}

/* A writer that is abandoned, or finds no room, leaves nothing behind, and an older recording as it was. */
static void test_failed_writers(void **state)
{
    (void)state;
    char *error = NULL;
    unlink(path);
    tape_writer_abandon(open_writer());
    assert_true(access(path, F_OK));
    write_file();
    struct rlimit before, small = {200, 200};
    assert_false(getrlimit(RLIMIT_FSIZE, &before));
    small.rlim_max = before.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_false(setrlimit(RLIMIT_FSIZE, &small));
    struct tape_writer *w = open_writer();
    for (uint64_t i = 0; i < 10; i++)
        tape_writer_put(w, TAPE_BLOCK, i, &content);
    bool ok = tape_writer_finish(w, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_false(ok);
    assert_non_null(strstr(error, "nothing is left"));
    free(error);
    struct tape_reader *r = tape_reader_open(path, &error);
    assert_non_null(r);
    tape_reader_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_block_comes_back),
        cmocka_unit_test(test_regular_words_take_a_byte),
        cmocka_unit_test(test_damaged_block),
        cmocka_unit_test(test_file_comes_back),
        cmocka_unit_test(test_damaged_file),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_failed_writers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
