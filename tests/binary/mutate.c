/*
 * Mutated executables, archives and fat binaries: whatever the bytes are, heddle says what is wrong and goes on.
 *
 * Usage: mutate COUNT [FIRST [FILE...]], or mutate --seeds FOLDER to write the seeds. Inputs have the numbers FIRST to
 * FIRST + COUNT - 1, and each is made of a seed by a few changes that its number decides. Without files the seeds are
 * made here; they cover every kind of entry and both ways of linking. Under a sanitizer a read beyond the input ends the
 * program. An input that takes longer than TIME_LIMIT seconds ends the program in any case.
 */
#define _GNU_SOURCE /* memmem */
#include "base/arena.h"
#include "base/vec.h"
#include "tests/binary/check_image.h"
#include "tests/binary/fatbin_writer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIME_LIMIT = 60, MOST_CHANGES = 6, LONGEST_BLOCK = 256, NEAR_HEADERS = 512 };

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char user_ptx[] =
    HEAD ".file 1 \"a.cu\"\n.extern .func (.param .b32 r) twice(.param .b32 x);\n.extern .global .u32 v;\n"
         ".global .u64 at = generic(v)+4;\n.weak .func w()\n{\nret;\n}\n"
         ".visible .entry run(.param .u64 out)\n{\n.reg .b32 %r<6>;\n.reg .b64 %d<2>;\n.reg .pred %p;\n"
         "{\n.param .b32 x;\n.param .b32 r;\nst.param.b32 [x], 20;\ncall.uni (r), twice, (x);\n"
         "ld.param.b32 %r1, [r];\n}\n.loc 1 7 3\nld.global.u32 %r2, [v];\nsetp.eq.u32 %p, %r2, 0;\n@%p bra DONE;\n"
         "call.uni w;\nld.param.u64 %d1, [out];\nst.global.u32 [%d1], %r2;\nDONE: ret;\n}\n";
static const char owner_ptx[] = HEAD
    ".file 1 \"b.cu\"\n.visible .global .u32 v = 5;\n.weak .func w()\n{\nret;\n}\n.global .b8 text[4] = {65, 66};\n"
    ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<5>;\nld.param.b32 %r1, [x];\n"
    "shl.b32 %r2, %r1, 1;\n.loc 1 3 1\nst.param.b32 [r], %r2;\nret;\n}\n";
static const char whole_ptx[] =
    HEAD ".visible .global .attribute(.managed) .u32 m = 1;\n.visible .const .b8 c[8] = {1, 2};\n"
         ".extern .shared .align 16 .b8 s[];\n.visible .entry whole()\n{\n.reg .b64 %d<3>;\nmov.u64 %d1, s;\n"
         "mov.u64 %d2, c;\nret;\n}\n";

struct seeds {
    struct vec_of(struct text) list;
};

static void add_seed(struct seeds *seeds, struct text bytes)
{
    vec_push(&seeds->list, bytes);
}

static void add_member(struct text *archive, const struct text *object)
{
    text_printf(archive, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "name.o/", 0, 0, 0, 0644, object->length);
    text_append(archive, object->data, object->length);
    if (object->length % 2)
        text_append(archive, "\n", 1);
}

/* Both relocatable modules in one section, and several whole ones in another. */
static struct text make_program(enum write_packing packing, unsigned type)
{
    struct fatbin_part whole[] = {{2, 90, 0, WRITE_PLAIN, "\177ELF", 4},
                                  {1, 75, 0, WRITE_PLAIN, whole_ptx, 0},
                                  {1, 90, 'a', packing, whole_ptx, 0},
                                  {8, 90, 0, WRITE_ZSTD, "intermediate code", 0}};
    struct fatbin_part user = {1, 80, 0, packing, user_ptx, 0}, owner = {1, 80, 0, packing, owner_ptx, 0};
    struct text fat = {0}, relocatable = {0}, program = {0};
    write_fatbin(&fat, whole, 4);
    write_fatbin(&fat, whole + 1, 1);
    write_fatbin(&relocatable, &user, 1);
    write_fatbin(&relocatable, &owner, 1);
    struct elf_part parts[] = {{".text", "code", 4},
                               {".nv_fatbin", fat.data, fat.length},
                               {"__nv_relfatbin", relocatable.data, relocatable.length}};
    const char *needed[] = {"libcudart.so.13", "libc.so.6", NULL};
    write_elf(&program, type, 62, parts, 3, needed, "/usr/local/cuda/lib64");
    text_free(&fat);
    text_free(&relocatable);
    return program;
}

static void make_seeds(struct seeds *seeds)
{
    for (enum write_packing packing = WRITE_PLAIN; packing <= WRITE_ZSTD; packing++) {
        struct text fat = {0}, archive = {0}, object = make_program(packing, 1);
        struct fatbin_part parts[] = {{1, 80, 0, packing, whole_ptx, 0}, {1, 120, 'f', packing, whole_ptx, 0}};
        write_fatbin(&fat, parts, 2);
        text_printf(&archive, "!<arch>\n");
        add_member(&archive, &object);
        text_free(&object);
        add_seed(seeds, fat);
        add_seed(seeds, archive);
        add_seed(seeds, make_program(packing, 2));
    }
}

static void read_seed(struct seeds *seeds, const char *path)
{
    struct text bytes = {0};
    char buffer[65536];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(&bytes, buffer, n);
    fclose(file);
    add_seed(seeds, bytes);
}

/* Writes the seeds to files of a folder, for fuzzing. */
static int write_seeds(const char *folder)
{
    struct seeds seeds = {0};
    make_seeds(&seeds);
    for (int i = 0; i < seeds.list.count; i++) {
        struct text path = {0};
        text_printf(&path, "%s/seed-%d", folder, i);
        FILE *file = fopen(path.data, "wb");
        if (!file || fwrite(seeds.list.data[i].data, 1, seeds.list.data[i].length, file) != seeds.list.data[i].length ||
            fclose(file)) {
            perror(path.data);
            return 1;
        }
        text_free(&path);
        text_free(&seeds.list.data[i]);
    }
    vec_free(&seeds.list);
    return 0;
}

/* ---- changes ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(uint64_t *random, size_t limit)
{
    return limit ? (size_t)(next_random(random) % limit) : 0;
}

/* A place of the input; half of all places are near one of the headers, which a long text would hide otherwise. */
static size_t choose_place(uint64_t *random, const struct text *t)
{
    static const char *const marks[] = {"\x50\xed\x55\xba", ".nv_fatbin", "\177ELF", "`\n"};
    size_t at = below(random, t->length);
    if (next_random(random) % 2)
        return at;
    const char *mark = marks[below(random, 4)];
    const char *found = t->length > at ? memmem(t->data + at, t->length - at, mark, strlen(mark)) : NULL;
    at = found                                                 ? (size_t)(found - t->data)
         : t->length > NEAR_HEADERS && next_random(random) % 2 ? t->length - NEAR_HEADERS
                                                               : 0;
    at += below(random, 160);
    return at < t->length ? at : 0;
}

static void set_number(uint64_t *random, struct text *t, size_t at)
{
    static const uint64_t numbers[] = {0,         1,          8,
                                       15,        16,         63,
                                       64,        127,        128,
                                       255,       4096,       65535,
                                       INT32_MAX, UINT32_MAX, UINT32_MAX + UINT64_C(1),
                                       INT64_MAX, UINT64_MAX, UINT64_MAX - 15};
    uint64_t number = numbers[below(random, sizeof numbers / sizeof *numbers)];
    if (next_random(random) % 4 == 0)
        number = t->length + below(random, 64) - 32;
    size_t bytes = (size_t)1 << below(random, 4);
    at &= ~(bytes - 1);
    for (size_t i = 0; i < bytes && at + i < t->length; i++)
        t->data[at + i] = (char)(number >> 8 * i);
}

static void change(uint64_t *random, struct text *t)
{
    if (!t->length)
        return;
    size_t at = choose_place(random, t), from = choose_place(random, t);
    size_t block = below(random, LONGEST_BLOCK), room = t->length - (at > from ? at : from);
    block = block < room ? block : room;
    switch (next_random(random) % 8) {
    case 0:
        t->data[at] ^= (char)(1 << below(random, 8));
        break;
    case 1:
        t->data[at] = (char)next_random(random);
        break;
    case 2:
    case 3:
    case 4:
        set_number(random, t, at);
        break;
    case 5: /* the end is missing */
        t->length = at;
        break;
    case 6: /* a block again, elsewhere */
        memmove(t->data + at, t->data + from, block);
        break;
    default: /* a block is missing */
        memmove(t->data + at, t->data + at + block, t->length - at - block);
        t->length -= block;
    }
}

static uint64_t current; /* number of the input, for the message of the alarm */

static void give_up(int signal_number)
{
    (void)signal_number;
    char line[80];
    int n = snprintf(line, sizeof line, "mutate: input %llu takes too long\n", (unsigned long long)current);
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(3);
    abort();
}

int main(int argc, char **argv)
{
    struct seeds seeds = {0};
    if (argc == 3 && !strcmp(argv[1], "--seeds"))
        return write_seeds(argv[2]);
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (int i = 3; i < argc; i++)
        read_seed(&seeds, argv[i]);
    if (argc <= 3)
        make_seeds(&seeds);
    for (int i = 0; i < seeds.list.count; i++)
        if (!check_image((uint8_t *)seeds.list.data[i].data, seeds.list.data[i].length)) {
            fprintf(stderr, "mutate: seed %d does not load before it is changed\n", i);
            return 1;
        }
    uint64_t loaded = 0;
    signal(SIGALRM, give_up);
    for (current = first; current < first + count; current++) {
        uint64_t random = current;
        const struct text *seed = &seeds.list.data[current % (uint64_t)seeds.list.count];
        struct text input = {0};
        text_append(&input, seed->data, seed->length);
        for (size_t changes = 1 + below(&random, MOST_CHANGES); changes; changes--)
            change(&random, &input);
        alarm(TIME_LIMIT);
        loaded += check_image((uint8_t *)input.data, input.length);
        text_free(&input);
    }
    alarm(0);
    printf("%llu mutated inputs: %llu refused, %llu loaded all the same\n", (unsigned long long)count,
           (unsigned long long)(count - loaded), (unsigned long long)loaded);
    for (int i = 0; i < seeds.list.count; i++)
        text_free(&seeds.list.data[i]);
    vec_free(&seeds.list);
    return 0;
}
