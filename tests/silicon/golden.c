/* Goldens: what silicon gave, by the case's name. */
#include "golden.h"

#include "base/arena.h"
#include "base/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static const char records_magic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'G', '1'};
static const char packed_magic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'Z', '1'};

#ifdef HAVE_ZSTD
enum { PACK_LEVEL = 19 };
static const uint64_t unpacked_limit = 1ull << 30; /* no golden is that long; a damaged length is */
#endif

static uint8_t *read_file(const char *path, size_t *length, char *error, size_t error_size)
{
    FILE *file = fopen(path, "rb");
    struct vec_of(uint8_t) data = {0};
    size_t n = 0;
    if (file)
        do {
            vec_reserve(&data, data.count + 65537);
            n = fread(data.data + data.count, 1, 65536, file);
            data.count += (int)n;
        } while (n);
    if (!file || ferror(file)) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        vec_free(&data);
    } else {
        data.data[data.count] = 0;
        *length = (size_t)data.count;
    }
    if (file)
        fclose(file);
    return data.data;
}

static uint64_t get_number(const uint8_t *p, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++)
        x |= (uint64_t)p[i] << (8 * i);
    return x;
}

static bool parse_records(struct golden *g, size_t length)
{
    const uint8_t *p = g->text + sizeof records_magic, *end = g->text + length;
    while (p < end) {
        struct golden_entry e = {0};
        if (end - p < 2)
            return false;
        e.name_length = get_number(p, 2);
        p += 2;
        if ((size_t)(end - p) < e.name_length + 5)
            return false;
        e.name = (const char *)p;
        p += e.name_length;
        e.absent = *p++;
        e.length = get_number(p, 4);
        p += 4;
        if ((size_t)(end - p) < e.length)
            return false;
        e.bytes = p;
        p += e.length;
        vec_push(g, e);
    }
    return true;
}

/* Each line's hash is put, as eight bytes, where its digits stood. */
static bool parse_lines(struct golden *g, size_t length)
{
    char *p = (char *)g->text, *end = p + length;
    while (p < end) {
        char *line_end = memchr(p, '\n', (size_t)(end - p));
        char *blank = memchr(p, ' ', (size_t)(end - p));
        if (!line_end || !blank || line_end - blank != 17)
            return false;
        char *stop;
        const uint64_t hash = strtoull(blank + 1, &stop, 16);
        if (stop != line_end)
            return false;
        memcpy(blank + 1, &hash, sizeof hash);
        vec_push(g, (struct golden_entry){.name = p,
                                          .name_length = (size_t)(blank - p),
                                          .bytes = (const uint8_t *)blank + 1,
                                          .length = sizeof hash});
        p = line_end + 1;
    }
    return true;
}

static bool unpack(struct golden *g, size_t *length, char *error, size_t error_size)
{
#ifdef HAVE_ZSTD
    const uint64_t raw = *length >= 16 ? get_number(g->text + 8, 8) : unpacked_limit + 1;
    uint8_t *unpacked = raw <= unpacked_limit ? xcalloc(1, raw + 1) : NULL;
    const size_t n = unpacked ? ZSTD_decompress(unpacked, raw, g->text + 16, *length - 16) : 0;
    if (!unpacked || n != raw) {
        snprintf(error, error_size, "damaged");
        free(unpacked);
        return false;
    }
    free(g->text);
    g->text = unpacked;
    *length = raw;
    return true;
#else
    (void)g, (void)length;
    snprintf(error, error_size, "compressed, and this program was built without zstd");
    return false;
#endif
}

bool golden_load(struct golden *g, const char *path, char *error, size_t error_size)
{
    size_t length = 0;
    char reason[128] = "";
    *g = (struct golden){0};
    if (!(g->text = read_file(path, &length, error, error_size)))
        return false;
    bool good = true;
    if (length >= 8 && !memcmp(g->text, packed_magic, 8))
        good = unpack(g, &length, reason, sizeof reason);
    if (good && length >= 8 && !memcmp(g->text, records_magic, 8))
        good = parse_records(g, length);
    else if (good)
        good = parse_lines(g, length);
    if (!good) {
        snprintf(error, error_size, "%s: %s", path, *reason ? reason : "not a golden file, or damaged");
        golden_free(g);
    }
    return good;
}

static bool is_named(const struct golden_entry *e, const char *name, size_t length)
{
    return e->name_length == length && !memcmp(e->name, name, length);
}

const struct golden_entry *golden_find(struct golden *g, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < g->count; i++) {
        const int at = (g->expected + i) % g->count;
        if (is_named(&g->data[at], name, length)) {
            g->expected = at + 1;
            g->data[at].used = true;
            return &g->data[at];
        }
    }
    return NULL;
}

void golden_free(struct golden *g)
{
    free(g->text);
    free(g->data);
    *g = (struct golden){0};
}

struct golden_writer {
    FILE *file;
    bool lines;
};

struct golden_writer *golden_create(const char *path, bool lines)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return NULL;
    struct golden_writer *w = xcalloc(1, sizeof *w);
    *w = (struct golden_writer){file, lines};
    if (!lines)
        fwrite(records_magic, 1, sizeof records_magic, file);
    return w;
}

static void put_number(FILE *file, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(x >> (8 * i) & 0xff), file);
}

void golden_write(struct golden_writer *w, const char *name, bool absent, const uint8_t *bytes, size_t length)
{
    if (w->lines) {
        uint64_t hash = 0;
        memcpy(&hash, bytes, length < sizeof hash ? length : sizeof hash);
        fprintf(w->file, "%s %016" PRIx64 "\n", name, hash);
        return;
    }
    put_number(w->file, strlen(name), 2);
    fputs(name, w->file);
    fputc(absent, w->file);
    put_number(w->file, length, 4);
    fwrite(bytes, 1, length, w->file);
}

bool golden_close(struct golden_writer *w)
{
    const bool failed = ferror(w->file);
    const bool closed = !fclose(w->file);
    free(w);
    return closed && !failed;
}

bool golden_pack(const char *from, const char *to, char *error, size_t error_size)
{
#ifdef HAVE_ZSTD
    size_t length = 0;
    uint8_t *raw = read_file(from, &length, error, error_size);
    if (!raw)
        return false;
    if (length < 8 || memcmp(raw, records_magic, 8)) {
        snprintf(error, error_size, "%s: not a file of records", from);
        free(raw);
        return false;
    }
    const size_t bound = ZSTD_compressBound(length);
    uint8_t *packed = xmalloc(bound);
    const size_t n = ZSTD_compress(packed, bound, raw, length, PACK_LEVEL);
    FILE *file = fopen(to, "wb");
    bool good = file && !ZSTD_isError(n);
    if (good) {
        fwrite(packed_magic, 1, sizeof packed_magic, file);
        put_number(file, length, 8);
        good = fwrite(packed, 1, n, file) == n;
    }
    if (file && fclose(file))
        good = false;
    if (!good)
        snprintf(error, error_size, "%s: cannot be written", to);
    free(packed);
    free(raw);
    return good;
#else
    (void)from, (void)to;
    snprintf(error, error_size, "this program was built without zstd");
    return false;
#endif
}
