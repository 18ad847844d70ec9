/* The suites of cases behind one face: single instructions, random programs of two generators, the corpus. */
#include "suite.h"

#include "../manual/manual.h"
#include "../random/generate.h"
#include "base/arena.h"
#include "base/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_PER_CASE = 4 };

static void release_case(struct test_case *c)
{
    case_destroy(c);
}

static void release_nothing(struct test_case *c)
{
    (void)c; /* the suite owns it */
}

static bool never_absent(const struct test_case *c)
{
    (void)c;
    return false;
}

static void name_key(const struct test_case *c, struct text *out)
{
    text_printf(out, "%s", c->name);
}

static void digest_add(struct suite_digest *d, const void *bytes, size_t length)
{
    d->bytes = xrealloc(d->bytes, d->length + length + 1);
    memcpy(d->bytes + d->length, bytes, length);
    d->length += length;
}

static bool lengths_agree(const struct suite_digest *got, const struct suite_digest *expected, struct text *report)
{
    if (got->length == expected->length)
        return true;
    text_printf(report, "  %zu bytes of output, expected %zu: the golden is of another case\n", got->length,
                expected->length);
    return false;
}

/* Single instructions. */

static const struct op_case *op_case_from(const struct test_case *c)
{
    return (const struct op_case *)c;
}

static struct test_case *ops_make(const struct suite *suite, int index)
{
    return &op_case_of_form(&suite->forms.data[index])->base;
}

static bool ops_may_be_absent(const struct test_case *c)
{
    return op_case_from(c)->may_be_absent;
}

static struct suite_digest ops_digest(const struct test_case *c, void *const outputs[CASE_MAX_ARGS])
{
    struct suite_digest d = {0};
    for (int i = 0; i < c->arg_count; i++)
        if (c->arg[i].is_output)
            digest_add(&d, outputs[i], c->arg[i].bytes);
    return d;
}

static void print_bytes(struct text *out, const uint8_t *bytes, unsigned count) /* as one hexadecimal number */
{
    text_printf(out, " 0x");
    for (unsigned i = count; i-- > 0;)
        text_printf(out, "%02x", bytes[i]);
}

static void describe_thread(const struct op_case *c, unsigned thread, struct text *report)
{
    for (int i = 0; i < c->base.arg_count; i++) {
        const struct op_column *column = &c->column[i];
        if (!c->base.arg[i].is_output && column->bytes)
            print_bytes(report, (const uint8_t *)c->base.arg[i].data + (size_t)thread * column->bytes, column->bytes);
    }
}

static bool ops_agrees(const struct test_case *base, const struct suite_digest *got,
                       const struct suite_digest *expected, struct text *report)
{
    const struct op_case *c = op_case_from(base);
    if (!lengths_agree(got, expected, report))
        return false;
    size_t at = 0;
    int wrong = 0, output = 0;
    for (int i = 0; i < base->arg_count; i++) {
        if (!base->arg[i].is_output)
            continue;
        const struct op_column *column = &c->column[i];
        for (unsigned t = 0; t < c->threads; t++) {
            const size_t offset = at + (size_t)t * column->bytes;
            if (!memcmp(got->bytes + offset, expected->bytes + offset, column->bytes) || wrong++ >= SHOWN_PER_CASE)
                continue;
            text_printf(report, "  thread %u, inputs", t);
            describe_thread(c, t, report);
            text_printf(report, ": output %d is", output);
            print_bytes(report, got->bytes + offset, column->bytes);
            text_printf(report, ", expected");
            print_bytes(report, expected->bytes + offset, column->bytes);
            text_printf(report, "\n");
        }
        at += base->arg[i].bytes;
        output++;
    }
    if (wrong > SHOWN_PER_CASE)
        text_printf(report, "  and %d more\n", wrong - SHOWN_PER_CASE);
    return !wrong;
}

void suite_open_ops(struct suite *suite)
{
    *suite = (struct suite){.name = "ops",
                            .optimisation = -1,
                            .make = ops_make,
                            .release = release_case,
                            .key = name_key,
                            .may_be_absent = ops_may_be_absent,
                            .digest = ops_digest,
                            .agrees = ops_agrees};
    suite->forms = form_list_all();
    suite->count = suite->forms.count;
}

/* Random programs: one hash over all outputs. */

static struct test_case *random_make(const struct suite *suite, int index)
{
    struct test_case *c = suite->make_seed(suite->first_seed + (uint64_t)index);
    struct text name = {0};
    text_printf(&name, "%" PRIu64, suite->first_seed + (uint64_t)index);
    free(c->name);
    c->name = text_take(&name);
    return c;
}

static struct suite_digest hash_digest(const struct test_case *c, void *const outputs[CASE_MAX_ARGS])
{
    struct suite_digest d = {0};
    uint64_t hash = BITS_HASH_SEED;
    for (int i = 0; i < c->arg_count; i++)
        if (c->arg[i].is_output)
            hash = bits_hash(hash, outputs[i], c->arg[i].bytes);
    digest_add(&d, &hash, sizeof hash);
    return d;
}

static bool random_agrees(const struct test_case *c, const struct suite_digest *got,
                          const struct suite_digest *expected, struct text *report)
{
    (void)c;
    if (!lengths_agree(got, expected, report))
        return false;
    if (!memcmp(got->bytes, expected->bytes, got->length))
        return true;
    text_printf(report, "  outputs hash to");
    print_bytes(report, got->bytes, 8);
    text_printf(report, ", expected");
    print_bytes(report, expected->bytes, 8);
    text_printf(report, "\n");
    return false;
}

static void open_seeds(struct suite *suite, const char *name, struct test_case *(*make_seed)(uint64_t),
                       uint64_t first_seed, int count)
{
    /* Optimised, about one program in a hundred gives something else or never ends: ptxas 13 loses its way in
     * regions with several entries. Unoptimised, the same silicon does what the text says. */
    *suite = (struct suite){.name = name,
                            .optimisation = 0,
                            .count = count,
                            .as_lines = true,
                            .make = random_make,
                            .release = release_case,
                            .key = name_key,
                            .may_be_absent = never_absent,
                            .digest = hash_digest,
                            .agrees = random_agrees,
                            .make_seed = make_seed,
                            .first_seed = first_seed};
}

void suite_open_random(struct suite *suite, uint64_t first_seed, int count)
{
    open_seeds(suite, "random", random_case, first_seed, count);
}

void suite_open_manual(struct suite *suite, uint64_t first_seed, int count)
{
    open_seeds(suite, "manual", manual_case, first_seed, count);
}

/* The corpus: exact outputs as a hash each, others as they are. */

static struct test_case *corpus_make(const struct suite *suite, int index)
{
    return suite->corpus[index];
}

static void corpus_key(const struct test_case *c, struct text *out)
{
    text_printf(out, "%s", corpus_case_of(c)->base);
}

static struct suite_digest corpus_digest(const struct test_case *c, void *const outputs[CASE_MAX_ARGS])
{
    struct suite_digest d = {0};
    for (int i = 0; i < c->arg_count; i++) {
        if (!c->arg[i].is_output)
            continue;
        const uint64_t hash = bits_hash(BITS_HASH_SEED, outputs[i], c->arg[i].bytes);
        if (corpus_case_of(c)->tolerance[i].kind == CORPUS_EXACT)
            digest_add(&d, &hash, sizeof hash);
        else
            digest_add(&d, outputs[i], c->arg[i].bytes);
    }
    return d;
}

static bool corpus_agrees(const struct test_case *c, const struct suite_digest *got,
                          const struct suite_digest *expected, struct text *report)
{
    if (!lengths_agree(got, expected, report))
        return false;
    bool good = true;
    size_t at = 0;
    for (int i = 0; i < c->arg_count; i++) {
        if (!c->arg[i].is_output)
            continue;
        const bool exact = corpus_case_of(c)->tolerance[i].kind == CORPUS_EXACT;
        size_t offset = 0;
        if (exact && memcmp(got->bytes + at, expected->bytes + at, 8)) {
            text_printf(report, "  argument %d hashes to", i);
            print_bytes(report, got->bytes + at, 8);
            text_printf(report, ", expected");
            print_bytes(report, expected->bytes + at, 8);
            text_printf(report, "\n");
            good = false;
        } else if (!exact &&
                   !corpus_case_agrees(corpus_case_of(c), i, got->bytes + at, expected->bytes + at, &offset)) {
            text_printf(report, "  argument %d differs by too much from byte %zu on\n", i, offset);
            good = false;
        }
        at += exact ? 8 : c->arg[i].bytes;
    }
    return good;
}

bool suite_open_corpus(struct suite *suite, const char *folder, char *error, size_t error_size)
{
    *suite = (struct suite){.name = "corpus",
                            .optimisation = -1,
                            .make = corpus_make,
                            .release = release_nothing,
                            .key = corpus_key,
                            .may_be_absent = never_absent,
                            .digest = corpus_digest,
                            .agrees = corpus_agrees};
    suite->corpus = corpus_load(folder, &suite->count, error, error_size);
    return suite->corpus;
}

void suite_close(struct suite *suite)
{
    form_list_free(&suite->forms);
    for (int i = 0; suite->corpus && i < suite->count; i++)
        case_destroy(suite->corpus[i]);
    free(suite->corpus);
}
