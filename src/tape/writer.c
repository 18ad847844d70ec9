/* Writing the file of a recording: see file.h. */
#define _GNU_SOURCE
#include "base/arena.h"
#include "base/bits.h"
#include "base/diag.h"
#include "base/text.h"
#include "tape/file.h"
#include "tape/file_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

struct tape_writer {
    FILE *file;
    char *path, *part; /* the name in the end, and the name until then */
    bool has_name;     /* the file has the name `part`; else it has none, and is gone when the process ends */
    struct tape_place place;
    int error; /* errno of the first failure; 0: none */
    ZSTD_CCtx *context;
    uint8_t *packed;
    size_t packed_capacity;
};

static void write_bytes(struct tape_writer *w, const void *data, size_t count)
{
    if (w->error || fwrite(data, 1, count, w->file) == count)
        return;
    w->error = errno ? errno : EIO;
}

static void write_file_header(struct tape_writer *w)
{
    uint8_t header[TAPE_FILE_HEADER_BYTES];
    memcpy(header, TAPE_MAGIC, TAPE_MAGIC_BYTES);
    tape_put_word(header + TAPE_MAGIC_BYTES, TAPE_VERSION);
    write_bytes(w, header, sizeof header);
    w->place.offset = sizeof header;
}

/* Makes a file without a name, where the file system knows such; else with the name `part`. NULL: errno says why
 * not. */
static FILE *make_file(struct tape_writer *w)
{
    const char *slash = strrchr(w->path, '/');
    struct text folder = {0};
    text_printf(&folder, "%.*s", slash ? (int)(slash - w->path) + 1 : 1, slash ? w->path : ".");
    int descriptor = open(folder.data, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    text_free(&folder);
    w->has_name = descriptor < 0;
    if (w->has_name)
        descriptor = open(w->part, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
    return descriptor < 0 ? NULL : fdopen(descriptor, "wb");
}

/* Gives the file its name, in place of an older file of that name. */
static bool give_name(struct tape_writer *w)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(w->file));
    if (!w->has_name) {
        unlink(w->part); /* of a process with the same number that was killed */
        w->has_name = !linkat(AT_FDCWD, self, AT_FDCWD, w->part, AT_SYMLINK_FOLLOW);
    }
    return w->has_name && !rename(w->part, w->path);
}

struct tape_writer *tape_writer_open(const char *path, char **error)
{
    struct tape_writer *w = xcalloc(1, sizeof *w);
    struct text name = {0}, part = {0};
    text_printf(&name, "%s", path);
    text_printf(&part, "%s.%ld.part", path, (long)getpid());
    w->path = text_take(&name);
    w->part = text_take(&part);
    w->file = make_file(w);
    if (!w->file) {
        diag_fail(error, "cannot write %s: %s", w->part, strerror(errno));
        free(w->path);
        free(w->part);
        free(w);
        return NULL;
    }
    setvbuf(w->file, NULL, _IONBF, 0); /* a process that is forked must not write what waits in a buffer once more */
    w->context = ZSTD_createCCtx();
    write_file_header(w);
    return w;
}

/* Compresses the content into w->packed and gives its length. */
static size_t pack(struct tape_writer *w, const struct bytes *content)
{
    size_t bound = ZSTD_compressBound(content->count);
    if (bound > w->packed_capacity) {
        free(w->packed);
        w->packed = xmalloc(bound);
        w->packed_capacity = bound;
    }
    size_t packed = w->context ? ZSTD_compressCCtx(w->context, w->packed, w->packed_capacity, content->data,
                                                   content->count, TAPE_LEVEL)
                               : 0;
    if (!w->context || ZSTD_isError(packed)) {
        w->error = ENOMEM; /* zstd fails for nothing else: the room is large enough */
        return 0;
    }
    return packed;
}

void tape_writer_put(struct tape_writer *w, enum tape_kind kind, uint64_t key, const struct bytes *content)
{
    size_t packed = w->error ? 0 : pack(w, content);
    if (w->error)
        return;
    uint8_t header[TAPE_HEADER_BYTES];
    const uint64_t words[TAPE_WORDS - 1] = {(uint64_t)kind, key, packed, content->count};
    for (int i = 0; i < TAPE_WORDS - 1; i++)
        tape_put_word(header + 8 * i, words[i]);
    uint64_t hash = bits_hash(BITS_HASH_SEED, header, TAPE_HEADER_BYTES - 8);
    tape_put_word(header + TAPE_HEADER_BYTES - 8, bits_hash(hash, w->packed, packed));
    write_bytes(w, header, sizeof header);
    write_bytes(w, w->packed, packed);
    w->place.offset += sizeof header + packed;
    w->place.sections++;
}

struct tape_place tape_writer_place(const struct tape_writer *w)
{
    return w->place;
}

void tape_writer_go_back(struct tape_writer *w, struct tape_place place)
{
    if (w->error)
        return;
    if (fflush(w->file) || ftruncate(fileno(w->file), (off_t)place.offset) ||
        fseeko(w->file, (off_t)place.offset, SEEK_SET))
        w->error = errno ? errno : EIO;
    w->place = place;
}

static void remove_part(const struct tape_writer *w)
{
    if (w->has_name)
        unlink(w->part);
}

static void close_writer(struct tape_writer *w)
{
    ZSTD_freeCCtx(w->context);
    free(w->packed);
    free(w->path);
    free(w->part);
    free(w);
}

bool tape_writer_finish(struct tape_writer *w, char **error)
{
    tape_writer_put(w, TAPE_END, w->place.sections, &(struct bytes){0});
    if (!w->error && (fflush(w->file) || fsync(fileno(w->file))) && errno != EINVAL)
        w->error = errno;
    if (!w->error && !give_name(w))
        w->error = errno;
    if (fclose(w->file) && !w->error)
        w->error = errno;
    bool ok = !w->error;
    if (!ok) {
        remove_part(w);
        diag_fail(error, "cannot write the recording %s: %s; nothing is left of it", w->path, strerror(w->error));
    }
    close_writer(w);
    return ok;
}

void tape_writer_abandon(struct tape_writer *w)
{
    if (!w)
        return;
    fclose(w->file);
    remove_part(w);
    close_writer(w);
}
