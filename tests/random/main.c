/*
 * random-ptx: shows what a seed means.
 *
 *   random-ptx SEED                        the PTX
 *   random-ptx SEED --case                 the launch and the arguments, in words
 *   random-ptx SEED --keep                 the same as a .case file, to be kept in tests/kept beside the PTX
 *   random-ptx --count N [--from S] --stats   what N seeds cover
 *   random-ptx --count N [--from S] --check   that each seed gives the same case twice, within its bounds
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

static void print_arg(const struct case_arg *arg, int index)
{
    const unsigned char *bytes = arg->data;
    printf("arg %d: %s%s, %zu bytes:", index, arg->is_buffer ? "buffer" : "value", arg->is_output ? ", output" : "",
           arg->bytes);
    size_t shown = arg->is_output && arg->bytes > 32 ? 32 : arg->bytes;
    for (size_t i = 0; i + 4 <= shown; i += 4) {
        uint32_t word = (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 |
                        (uint32_t)bytes[i + 3] << 24;
        printf("%s%08" PRIx32, i % 32 ? " " : "\n  ", word);
    }
    puts(shown < arg->bytes ? " ..." : "");
}

static void print_case(uint64_t seed)
{
    struct random_profile profile;
    struct test_case *c = random_case_profile(seed, &profile);
    printf("%s: kernel %s, grid %ux%ux%u, block %ux%ux%u, %u bytes of dynamic shared memory\n", c->name, c->kernel,
           c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared_bytes);
    printf("%u instructions, at most %" PRIu64 " executed by a thread\n", profile.instructions, profile.dynamic_bound);
    for (int i = 0; i < c->arg_count; i++)
        print_arg(&c->arg[i], i);
    for (int i = 0; i < RANDOM_CONSTRUCTS; i++)
        if (profile.count[i])
            printf("%6u  %s\n", profile.count[i], random_construct_meaning((enum random_construct)i));
    case_destroy(c);
}

static void print_ptx(uint64_t seed)
{
    struct test_case *c = random_case(seed);
    fputs(c->ptx, stdout);
    case_destroy(c);
}

/* The format of tests/corpus/README.md. */
static void print_kept(uint64_t seed)
{
    struct test_case *c = random_case(seed);
    char name[32];
    if (c->texture_count) {
        fputs("a .case file has no place for the textures of this program\n", stderr);
        exit(1);
    }
    snprintf(name, sizeof name, "seed%" PRIu64, seed);
    case_write(c, name, stdout);
    case_destroy(c);
}

static void print_buckets(const char *title, const unsigned *bucket, const uint64_t *bound, int buckets)
{
    printf("\n%s\n", title);
    for (int i = 0; i < buckets; i++)
        printf("  up to %6" PRIu64 "  %8u\n", bound[i], bucket[i]);
}

static void print_stats(uint64_t from, uint64_t count)
{
    static const uint64_t sizes[] = {30, 60, 120, 240, 400, 600, 1000};
    static const uint64_t costs[] = {100, 300, 1000, 3000, 10000, RANDOM_DYNAMIC_LIMIT};
    enum { SIZES = sizeof sizes / sizeof sizes[0], COSTS = sizeof costs / sizeof costs[0] };
    unsigned by_size[SIZES] = {0}, by_cost[COSTS] = {0};
    uint64_t programs[RANDOM_CONSTRUCTS] = {0}, emissions[RANDOM_CONSTRUCTS] = {0};
    for (uint64_t seed = from; seed < from + count; seed++) {
        struct random_profile profile;
        struct test_case *c = random_case_profile(seed, &profile);
        case_destroy(c);
        for (int i = 0; i < RANDOM_CONSTRUCTS; i++) {
            programs[i] += profile.count[i] > 0;
            emissions[i] += profile.count[i];
        }
        int size = 0, cost = 0;
        while (size < SIZES - 1 && profile.instructions > sizes[size])
            size++;
        while (cost < COSTS - 1 && profile.dynamic_bound > costs[cost])
            cost++;
        by_size[size]++;
        by_cost[cost]++;
    }
    printf("%-20s %9s %10s  meaning\n", "construct", "programs", "emissions");
    for (int i = 0; i < RANDOM_CONSTRUCTS; i++)
        printf("%-20s %8.2f%% %10" PRIu64 "  %s\n", random_construct_name((enum random_construct)i),
               100.0 * (double)programs[i] / (double)count, emissions[i],
               random_construct_meaning((enum random_construct)i));
    print_buckets("programs by instructions in the text", by_size, sizes, SIZES);
    print_buckets("programs by the bound of instructions a thread executes", by_cost, costs, COSTS);
}

static bool same_case(const struct test_case *a, const struct test_case *b)
{
    if (strcmp(a->name, b->name) || strcmp(a->ptx, b->ptx) || strcmp(a->kernel, b->kernel) ||
        memcmp(a->grid, b->grid, sizeof a->grid) || memcmp(a->block, b->block, sizeof a->block) ||
        a->shared_bytes != b->shared_bytes || a->arg_count != b->arg_count)
        return false;
    for (int i = 0; i < a->arg_count; i++) {
        const struct case_arg *p = &a->arg[i], *q = &b->arg[i];
        if (p->is_buffer != q->is_buffer || p->is_output != q->is_output || p->bytes != q->bytes ||
            memcmp(p->data, q->data, p->bytes))
            return false;
    }
    return true;
}

/* Prints a digest of all cases too: equal digests on two machines mean equal cases. */
static int check(uint64_t from, uint64_t count)
{
    uint64_t failures = 0, digest = UINT64_C(0xcbf29ce484222325), most = 0;
    for (uint64_t seed = from; seed < from + count; seed++) {
        struct random_profile first, second;
        struct test_case *a = random_case_profile(seed, &first);
        struct test_case *b = random_case_profile(seed, &second);
        bool same = same_case(a, b) && !memcmp(&first.count, &second.count, sizeof first.count);
        if (!same || first.dynamic_bound > RANDOM_DYNAMIC_LIMIT) {
            printf("seed %" PRIu64 ": %s\n", seed, same ? "runs too long" : "differs from itself");
            failures++;
        }
        most = first.dynamic_bound > most ? first.dynamic_bound : most;
        for (const char *s = a->ptx; *s; s++)
            digest = (digest ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
        for (int i = 0; i < a->arg_count; i++)
            for (size_t k = 0; k < a->arg[i].bytes; k++)
                digest = (digest ^ ((unsigned char *)a->arg[i].data)[k]) * UINT64_C(0x100000001b3);
        case_destroy(a);
        case_destroy(b);
    }
    printf("%" PRIu64 " seeds, %" PRIu64 " failures, longest bound %" PRIu64 ", digest %016" PRIx64 "\n", count,
           failures, most, digest);
    return failures ? 1 : 0;
}

static int usage(void)
{
    fputs("usage: random-ptx SEED [--case | --keep]\n"
          "       random-ptx --count N [--from SEED] --stats | --check\n",
          stderr);
    return 2;
}

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 0);
    return *end == '\0';
}

int main(int argc, char **argv)
{
    uint64_t seed = 0, count = 0, from = 0;
    bool has_seed = false, wants_case = false, wants_kept = false, wants_stats = false, wants_check = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--case"))
            wants_case = true;
        else if (!strcmp(argv[i], "--keep"))
            wants_kept = true;
        else if (!strcmp(argv[i], "--stats"))
            wants_stats = true;
        else if (!strcmp(argv[i], "--check"))
            wants_check = true;
        else if (!strcmp(argv[i], "--count") && i + 1 < argc && parse_number(argv[i + 1], &count))
            i++;
        else if (!strcmp(argv[i], "--from") && i + 1 < argc && parse_number(argv[i + 1], &from))
            i++;
        else if (!has_seed && parse_number(argv[i], &seed))
            has_seed = true;
        else
            return usage();
    }
    if (has_seed == (count > 0) || (count > 0 && wants_stats == wants_check))
        return usage();
    if (wants_check)
        return check(from, count);
    if (wants_stats)
        print_stats(from, count);
    else if (wants_case)
        print_case(seed);
    else if (wants_kept)
        print_kept(seed);
    else
        print_ptx(seed);
    return 0;
}
