/* Reading the file of a recording, which may be damaged or hostile: see file.h. */
#define _GNU_SOURCE
#include "base/arena.h"
#include "base/bits.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/vec.h"
#include "tape/file.h"
#include "tape/file_format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
    /* zstd packs at best 128 KiB of equal bytes into four bytes: a section that claims more is no section. */
    MOST_RATIO = 1 << 15,
    LEAST_ROOM = 1 << 17
};

/* False: the file has no such bytes, and errno is 0 if they lie beyond its end. */
static bool read_at(int descriptor, uint64_t offset, void *into, size_t count)
{
    uint8_t *to = into;
    while (count) {
        ssize_t got = pread(descriptor, to, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got ? errno : 0;
            return false;
        }
        to += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return true;
}

static bool check_header(const struct tape_reader *r, char **error)
{
    uint8_t header[TAPE_FILE_HEADER_BYTES];
    if (!read_at(r->descriptor, 0, header, sizeof header) && errno)
        return diag_fail(error, "cannot read %s: %s", r->path, strerror(errno));
    if (r->file_bytes < sizeof header || memcmp(header, TAPE_MAGIC, TAPE_MAGIC_BYTES))
        return diag_fail(error, "%s is no recording that heddle run --record wrote", r->path);
    uint64_t version = tape_word(header + TAPE_MAGIC_BYTES);
    return version == TAPE_VERSION ||
           diag_fail(error, "%s is a recording of version %" PRIu64 "; this heddle reads version %d", r->path, version,
                     TAPE_VERSION);
}

static bool refuse_end(const struct tape_reader *r, char **error)
{
    return diag_fail(error, "%s is cut off: the recording does not end where it says", r->path);
}

/* Reads the header of the section at the offset. */
static bool read_section(const struct tape_reader *r, uint64_t offset, struct tape_section *section, char **error)
{
    uint8_t header[TAPE_HEADER_BYTES];
    if (offset > r->file_bytes || r->file_bytes - offset < sizeof header)
        return refuse_end(r, error);
    if (!read_at(r->descriptor, offset, header, sizeof header))
        return errno ? diag_fail(error, "cannot read %s: %s", r->path, strerror(errno)) : refuse_end(r, error);
    uint64_t kind = tape_word(header);
    *section = (struct tape_section){.kind = (enum tape_kind)kind,
                                     .key = tape_word(header + 8),
                                     .offset = offset + sizeof header,
                                     .packed_bytes = tape_word(header + 16),
                                     .bytes = tape_word(header + 24),
                                     .hash = tape_word(header + 32)};
    if (kind < TAPE_HEAD || kind > TAPE_END)
        return diag_fail(error, "%s is damaged: there is no section of kind %" PRIu64, r->path, kind);
    if (section->packed_bytes > r->file_bytes - section->offset)
        return refuse_end(r, error);
    if (section->bytes > section->packed_bytes * MOST_RATIO + LEAST_ROOM)
        return diag_fail(error, "%s is damaged: a section claims %" PRIu64 " bytes", r->path, section->bytes);
    return true;
}

static bool read_sections(struct tape_reader *r, char **error)
{
    struct vec_of(struct tape_section) all = {0};
    uint64_t offset = TAPE_FILE_HEADER_BYTES;
    struct tape_section section = {0};
    bool ok = true;
    while (ok && section.kind != TAPE_END && (ok = read_section(r, offset, &section, error))) {
        offset = section.offset + section.packed_bytes;
        if (section.kind != TAPE_END)
            vec_push(&all, section);
    }
    r->section = all.data;
    r->count = (size_t)all.count;
    if (ok && (offset != r->file_bytes || section.key != r->count))
        ok = refuse_end(r, error);
    struct bytes nothing = {0};
    ok = ok && tape_reader_get(r, &section, &nothing, error);
    bytes_free(&nothing);
    return ok;
}

struct tape_reader *tape_reader_open(const char *path, char **error)
{
    struct tape_reader *r = xcalloc(1, sizeof *r);
    struct text name = {0};
    struct stat about;
    text_printf(&name, "%s", path);
    r->path = text_take(&name);
    r->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = r->descriptor >= 0 && !fstat(r->descriptor, &about);
    if (!ok)
        diag_fail(error, "cannot read %s: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode))
        ok = diag_fail(error, "%s is no file; a recording is read from a file alone", path);
    r->file_bytes = ok ? (uint64_t)about.st_size : 0;
    if (ok && check_header(r, error) && read_sections(r, error))
        return r;
    tape_reader_close(r);
    return NULL;
}

void tape_reader_close(struct tape_reader *r)
{
    if (!r)
        return;
    if (r->descriptor >= 0)
        close(r->descriptor);
    free(r->section);
    free(r->path);
    free(r);
}

/* The checksum of a section's header and compressed bytes. */
static uint64_t hash_of(const struct tape_section *s, const void *packed)
{
    uint8_t header[TAPE_HEADER_BYTES - 8];
    const uint64_t words[TAPE_WORDS - 1] = {(uint64_t)s->kind, s->key, s->packed_bytes, s->bytes};
    for (int i = 0; i < TAPE_WORDS - 1; i++)
        tape_put_word(header + 8 * i, words[i]);
    return bits_hash(bits_hash(BITS_HASH_SEED, header, sizeof header), packed, s->packed_bytes);
}

bool tape_reader_get(const struct tape_reader *r, const struct tape_section *s, struct bytes *content, char **error)
{
    uint8_t *packed = malloc(s->packed_bytes + 1), *data = malloc(s->bytes + 1);
    bool ok = packed && data;
    if (!ok)
        diag_fail(error, "%s: there is no memory for a section of %" PRIu64 " bytes", r->path, s->bytes);
    else if (!read_at(r->descriptor, s->offset, packed, s->packed_bytes))
        ok = errno ? diag_fail(error, "cannot read %s: %s", r->path, strerror(errno)) : refuse_end(r, error);
    else if (hash_of(s, packed) != s->hash)
        ok = diag_fail(error, "%s is damaged: a checksum at byte %" PRIu64 " does not match", r->path, s->offset);
    else if (ZSTD_decompress(data, s->bytes, packed, s->packed_bytes) != s->bytes)
        ok = diag_fail(error, "%s is damaged: the bytes at %" PRIu64 " cannot be uncompressed", r->path, s->offset);
    free(packed);
    if (!ok)
        free(data);
    *content = ok ? (struct bytes){data, s->bytes, s->bytes + 1} : (struct bytes){0};
    return ok;
}
