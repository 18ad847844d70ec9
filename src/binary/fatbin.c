/* Reading of fat binaries; see fatbin.h. The layout was read off files that nvcc 11 to 13 write. */
#include "binary/fatbin.h"

#include "base/diag.h"
#include "base/vec.h"
#include "binary/bytes.h"

#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>

#define CONTAINER_MAGIC UINT32_C(0xBA55ED50)
#define WRAPPER_MAGIC   UINT32_C(0x466243B1)

/* Container: u32 magic, u16 version, u16 bytes of this header, u64 bytes of all entries. */
enum { CONTAINER_HEADER = 16, CONTAINER_VERSION = 1 };

/* Entry: u16 kind, u16 version, u32 bytes of this header, u64 bytes of the data with padding, u32 bytes of the data if
 * compressed, u32 where options stand, u16 and u16 version of the code's format, u32 architecture, u32 and u32 place
 * and length of a name, u64 flags, u64 hash, u64 bytes when unpacked. Options and names may follow. */
enum {
    ENTRY_HEADER = 64,
    ENTRY_BYTES = 8,
    ENTRY_PACKED_BYTES = 16,
    ENTRY_ARCH = 28,
    ENTRY_FLAGS = 40,
    ENTRY_UNPACKED_BYTES = 56
};
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_ARCH_ONLY = 0x100000, FLAG_FAMILY = 0x200000 };

/* Text may be unpacked to this many bytes, half of what the PTX parser reads, and to this many times its packed size: a
 * few damaged bytes must not make heddle allocate and fill gigabytes. LZ4 packs at most 1 to 255; PTX of libraries is
 * packed by zstd 1 to 12, and text that repeats one line without end stays below 1 to 4096. */
#define UNPACKED_LIMIT   (UINT64_C(512) << 20)
#define UNPACKED_FACTOR  UINT64_C(4096)
#define UNPACKED_AT_ONCE (UINT64_C(64) << 10) /* allowed however small the packed text is */

bool fatbin_is_container(const void *data)
{
    return bytes_u32(data) == CONTAINER_MAGIC;
}

bool fatbin_is_wrapper(const void *data)
{
    return bytes_u32(data) == WRAPPER_MAGIC;
}

/* Reads the entry at the start of `at`, of which `left` bytes are within the container, and sets *taken. */
static bool read_entry(const uint8_t *at, uint64_t left, struct fatbin_entry *entry, uint64_t *taken, char **error)
{
    if (left < ENTRY_HEADER)
        return diag_fail(error, "the fat binary ends within the header of an entry");
    uint64_t header = bytes_u32(at + 4), bytes = bytes_u64(at + ENTRY_BYTES);
    if (header < ENTRY_HEADER || header > left || bytes > left - header)
        return diag_fail(error, "an entry of the fat binary reaches beyond its end");
    uint64_t flags = bytes_u64(at + ENTRY_FLAGS), packed = bytes_u32(at + ENTRY_PACKED_BYTES);
    *entry = (struct fatbin_entry){.kind = bytes_u16(at),
                                   .packing = flags & FLAG_ZSTD  ? FATBIN_ZSTD
                                              : flags & FLAG_LZ4 ? FATBIN_LZ4
                                                                 : FATBIN_PLAIN,
                                   .arch = bytes_u32(at + ENTRY_ARCH),
                                   .suffix = flags & FLAG_ARCH_ONLY ? 'a'
                                             : flags & FLAG_FAMILY  ? 'f'
                                                                    : '\0',
                                   .data = at + header,
                                   .bytes = bytes};
    if (entry->packing != FATBIN_PLAIN) {
        if (packed > bytes)
            return diag_fail(error, "a compressed entry of the fat binary reaches beyond its end");
        entry->bytes = packed;
        entry->unpacked_bytes = bytes_u64(at + ENTRY_UNPACKED_BYTES);
    }
    *taken = header + bytes;
    return true;
}

bool fatbin_read(const void *data, size_t length, struct fatbin *fatbin, size_t *taken, char **error)
{
    const uint8_t *at = data;
    struct vec_of(struct fatbin_entry) entries = {0};
    *fatbin = (struct fatbin){0};
    if (length < CONTAINER_HEADER || !fatbin_is_container(at))
        return diag_fail(error, "no fat binary starts here");
    uint64_t version = bytes_u16(at + 4), header = bytes_u16(at + 6), bytes = bytes_u64(at + 8);
    if (version != CONTAINER_VERSION)
        return diag_fail(error, "the fat binary has version %u of the format; heddle reads version %d",
                         (unsigned)version, CONTAINER_VERSION);
    if (header < CONTAINER_HEADER || header > length || bytes > length - header)
        return diag_fail(error, "the fat binary says that it is longer than the data that holds it");
    for (uint64_t offset = 0, used = 0; offset < bytes; offset += used) {
        struct fatbin_entry entry;
        if (!read_entry(at + header + offset, bytes - offset, &entry, &used, error)) {
            vec_free(&entries);
            return false;
        }
        vec_push(&entries, entry);
    }
    fatbin->entries = entries.data;
    fatbin->count = entries.count;
    *taken = header + bytes;
    return true;
}

size_t fatbin_length(const void *data)
{
    const uint8_t *at = data;
    if (!fatbin_is_container(at))
        return 0;
    uint64_t bytes = bytes_u64(at + 8);
    return bytes > SIZE_MAX - UINT16_MAX ? SIZE_MAX : bytes_u16(at + 6) + bytes;
}

void fatbin_free(struct fatbin *fatbin)
{
    free(fatbin->entries);
    *fatbin = (struct fatbin){0};
}

/* Wrapper: u32 magic, u32 version, pointer to the container, pointer to the list (version 2). */
bool fatbin_read_wrapper(const void *data, struct fatbin_wrapper *wrapper, char **error)
{
    struct {
        uint32_t magic, version;
        const void *container;
        const void *const *list;
    } raw;
    memcpy(&raw, data, sizeof raw);
    *wrapper = (struct fatbin_wrapper){.container = raw.container};
    if (raw.version != 1 && raw.version != 2)
        return diag_fail(error, "the fat binary's wrapper has version %u; heddle reads versions 1 and 2", raw.version);
    if (raw.version == 2 && raw.list && *raw.list)
        wrapper->list = raw.list;
    if (!wrapper->container && !wrapper->list)
        return diag_fail(error, "the fat binary's wrapper points to nothing");
    return true;
}

/* Whether a device of this capability may run the entry, as NVIDIA's drivers decide. */
static bool runs_on(const struct fatbin_entry *e, unsigned capability)
{
    if (e->suffix == 'a')
        return e->arch == capability;
    if (e->suffix == 'f')
        return e->arch <= capability && e->arch / 10 == capability / 10;
    return e->arch <= capability;
}

static bool is_better(const struct fatbin_entry *e, const struct fatbin_entry *than, unsigned capability)
{
    bool runs = runs_on(e, capability), other_runs = runs_on(than, capability);
    if (runs != other_runs)
        return runs;
    if (e->arch != than->arch)
        return runs ? e->arch > than->arch : e->arch < than->arch;
    return !e->suffix && than->suffix;
}

const struct fatbin_entry *fatbin_best_ptx(const struct fatbin *fatbin, unsigned capability)
{
    const struct fatbin_entry *best = NULL;
    for (int i = 0; i < fatbin->count; i++) {
        const struct fatbin_entry *e = &fatbin->entries[i];
        if (e->kind == FATBIN_PTX && (!best || is_better(e, best, capability)))
            best = e;
    }
    return best;
}

static bool check_size(const struct fatbin_entry *e, char **error)
{
    uint64_t size = e->unpacked_bytes, limit = UNPACKED_AT_ONCE + UNPACKED_FACTOR * (uint64_t)e->bytes;
    if (size <= UNPACKED_LIMIT && size <= limit)
        return true;
    return diag_fail(error, "the fat binary says that %zu bytes unpack to %llu bytes, which is too much to be true",
                     e->bytes, (unsigned long long)size);
}

/* Unpacks into `text`, which has room for what the entry says. True: exactly that much came out. */
static bool unpack_into(const struct fatbin_entry *e, char *text)
{
    size_t size = (size_t)e->unpacked_bytes;
    if (e->packing == FATBIN_ZSTD) /* an error code is larger than every size */
        return ZSTD_decompress(text, size, e->data, e->bytes) == size;
    if (e->bytes > LZ4_MAX_INPUT_SIZE)
        return false;
    return LZ4_decompress_safe((const char *)e->data, text, (int)e->bytes, (int)size) == (int)size;
}

char *fatbin_unpack(const struct fatbin_entry *entry, size_t *length, char **error)
{
    bool is_plain = entry->packing == FATBIN_PLAIN;
    if (!is_plain && !check_size(entry, error))
        return NULL;
    size_t size = is_plain ? entry->bytes : (size_t)entry->unpacked_bytes;
    char *text = xmalloc(size + 1);
    if (is_plain) {
        memcpy(text, entry->data, size);
    } else if (!unpack_into(entry, text)) {
        diag_fail(error, "the PTX for compute_%u in the fat binary is damaged: it does not unpack", entry->arch);
        free(text);
        return NULL;
    }
    text[size] = '\0';
    *length = strlen(text); /* a text is padded with zeros */
    return text;
}

/* Appends "machine code for sm_80 and sm_90" for the entries of one kind. */
static void describe_kind(const struct fatbin *fatbin, unsigned kind, const char *what, const char *prefix,
                          struct text *out)
{
    enum { SHOWN = 12 };
    int count = 0, shown = 0;
    for (int i = 0; i < fatbin->count; i++)
        count += fatbin->entries[i].kind == kind;
    for (int i = 0; i < fatbin->count && shown < SHOWN; i++) {
        const struct fatbin_entry *e = &fatbin->entries[i];
        if (e->kind != kind)
            continue;
        if (!shown)
            text_printf(out, "%s%s for ", out->length ? ", " : "", what);
        else
            text_printf(out, shown + 1 == count ? " and " : ", ");
        text_printf(out, "%s_%u", prefix, e->arch);
        if (e->suffix)
            text_printf(out, "%c", e->suffix);
        shown++;
    }
    if (count > shown)
        text_printf(out, " and %d more", count - shown);
}

void fatbin_describe(const struct fatbin *fatbin, struct text *out)
{
    struct text all = {0};
    describe_kind(fatbin, FATBIN_MACHINE_CODE, "machine code", "sm", &all);
    describe_kind(fatbin, FATBIN_LTO_IR, "LTO-IR", "compute", &all);
    describe_kind(fatbin, FATBIN_PTX, "PTX", "compute", &all);
    text_printf(out, "%s", all.length ? all.data : "nothing that heddle knows");
    text_free(&all);
}

void fatbin_append_ptx(struct text *out, const char *ptx, size_t length, unsigned arch)
{
    enum { ALIGN = 8, ENTRY_VERSION = 0x0101, FLAGS_LINUX_64 = 0x11, FORMAT_MAJOR_AT = 26, FORMAT_MAJOR = 9 };
    uint64_t padded = (length + ALIGN) / ALIGN * ALIGN; /* at least one zero ends the text */
    uint8_t header[CONTAINER_HEADER + ENTRY_HEADER] = {0}, *entry = header + CONTAINER_HEADER;
    static const char zeros[ALIGN];
    bytes_write(header, CONTAINER_MAGIC, 4);
    bytes_write(header + 4, CONTAINER_VERSION, 2);
    bytes_write(header + 6, CONTAINER_HEADER, 2);
    bytes_write(header + 8, ENTRY_HEADER + padded, 8);
    bytes_write(entry, FATBIN_PTX, 2);
    bytes_write(entry + 2, ENTRY_VERSION, 2);
    bytes_write(entry + 4, ENTRY_HEADER, 4);
    bytes_write(entry + ENTRY_BYTES, padded, 8);
    bytes_write(entry + FORMAT_MAJOR_AT, FORMAT_MAJOR, 2);
    bytes_write(entry + ENTRY_ARCH, arch, 4);
    bytes_write(entry + ENTRY_FLAGS, FLAGS_LINUX_64, 8);
    text_append(out, (const char *)header, sizeof header);
    text_append(out, ptx, length);
    text_append(out, zeros, padded - length);
}
