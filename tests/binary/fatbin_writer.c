/* Fat binaries and ELF files for tests; see fatbin_writer.h. */
#include "tests/binary/fatbin_writer.h"

#include <lz4.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static void put(struct text *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        char byte = i < 8 ? (char)(value >> 8 * i) : 0;
        text_append(out, &byte, 1);
    }
}

static void set(struct text *out, size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out->data[at + (size_t)i] = (char)(value >> 8 * i);
}

static void pad(struct text *out, size_t align)
{
    while (out->length % align)
        put(out, 0, 1);
}

/* Appends the data of a part, packed as it says, and returns how many bytes that took. */
static size_t put_data(struct text *out, const struct fatbin_part *part, size_t length)
{
    if (part->packing == WRITE_PLAIN) {
        text_append(out, part->data, length);
        return length;
    }
    bool is_zstd = part->packing == WRITE_ZSTD;
    size_t room = is_zstd ? ZSTD_compressBound(length) : (size_t)LZ4_compressBound((int)length);
    char *packed = malloc(room);
    size_t bytes = is_zstd ? ZSTD_compress(packed, room, part->data, length, 3)
                           : (size_t)LZ4_compress_default(part->data, packed, (int)length, (int)room);
    text_append(out, packed, bytes);
    free(packed);
    return bytes;
}

static void put_entry(struct text *out, const struct fatbin_part *part)
{
    static const uint64_t packing_flags[] = {0, 0x2000, 0x8000};
    size_t length = part->length ? part->length : strlen(part->data), start = out->length;
    uint64_t flags = 0x11 | packing_flags[part->packing];
    flags |= part->suffix == 'a' ? 0x100000 : part->suffix == 'f' ? 0x200000 : 0;
    put(out, part->kind, 2);
    put(out, 0x0101, 2);
    put(out, 64, 4);
    put(out, 0, 8); /* padded bytes, below */
    put(out, 0, 4); /* packed bytes, below */
    put(out, 0, 4); /* no options */
    put(out, 9, 4); /* version of the code's format */
    put(out, part->arch, 4);
    put(out, 0, 8); /* no name */
    put(out, flags, 8);
    put(out, 0, 8);
    put(out, part->packing == WRITE_PLAIN ? 0 : length, 8);
    size_t bytes = put_data(out, part, length);
    put(out, 0, 1);
    pad(out, 8);
    set(out, start + 8, out->length - start - 64, 8);
    set(out, start + 16, part->packing == WRITE_PLAIN ? 0 : bytes, 4);
}

void write_fatbin(struct text *out, const struct fatbin_part *parts, int count)
{
    pad(out, 8);
    size_t start = out->length;
    put(out, 0xBA55ED50, 4);
    put(out, 1, 2);
    put(out, 16, 2);
    put(out, 0, 8);
    for (int i = 0; i < count; i++)
        put_entry(out, &parts[i]);
    set(out, start + 8, out->length - start - 16, 8);
}

/* ---- ELF ---- */

enum { HEADER = 64, SECTION = 64, SEGMENT = 56 };

static void put_section(struct text *out, uint64_t name, uint32_t type, uint64_t offset, uint64_t bytes)
{
    put(out, name, 4);
    put(out, type, 4);
    put(out, 0, 16);
    put(out, offset, 8);
    put(out, bytes, 8);
    put(out, 0, 8);
    put(out, 1, 8);
    put(out, 0, 8);
}

static void put_segment(struct text *out, uint32_t type, uint64_t offset, uint64_t bytes)
{
    put(out, type, 4);
    put(out, 4, 4);
    put(out, offset, 8);
    put(out, 0x400000 + offset, 8);
    put(out, 0x400000 + offset, 8);
    put(out, bytes, 8);
    put(out, bytes, 8);
    put(out, 8, 8);
}

/* Appends strings and the dynamic table that names them, and returns the offset of the table. */
static size_t put_dynamic(struct text *out, size_t start, const char *const *needed, const char *runpath)
{
    struct text table = {0};
    size_t strings = out->length;
    put(out, 0, 1);
    for (; needed && *needed; needed++) {
        put(&table, 1, 8);
        put(&table, out->length - strings, 8);
        text_append(out, *needed, strlen(*needed) + 1);
    }
    if (runpath) {
        put(&table, 29, 8);
        put(&table, out->length - strings, 8);
        text_append(out, runpath, strlen(runpath) + 1);
    }
    put(&table, 5, 8);
    put(&table, 0x400000 + strings - start, 8);
    put(&table, 0, 16);
    pad(out, 8);
    size_t at = out->length;
    text_append(out, table.data, table.length);
    text_free(&table);
    return at;
}

void write_elf(struct text *out, unsigned type, unsigned machine, const struct elf_part *parts, int count,
               const char *const *needed, const char *runpath)
{
    size_t start = out->length;
    struct text names = {0}, sections = {0};
    static const char ident[16] = "\177ELF\2\1\1";
    text_append(out, ident, sizeof ident);
    put(out, type, 2);
    put(out, machine, 2);
    put(out, 1, 4);
    put(out, 0x400000, 8);
    put(out, HEADER, 8);
    put(out, 0, 8); /* section table, below */
    put(out, 0, 4);
    put(out, HEADER, 2);
    put(out, SEGMENT, 2);
    put(out, 2, 2);
    put(out, SECTION, 2);
    put(out, (uint64_t)count + 2, 2);
    put(out, (uint64_t)count + 1, 2);
    size_t segments = out->length;
    for (int i = 0; i < 2 * SEGMENT; i++)
        put(out, 0, 1);
    size_t dynamic = put_dynamic(out, start, needed, runpath), end = out->length;
    text_append(&names, "", 1);
    put_section(&sections, 0, 0, 0, 0);
    for (int i = 0; i < count; i++) {
        pad(out, 8);
        put_section(&sections, names.length, 1, out->length - start, parts[i].length);
        text_append(&names, parts[i].name, strlen(parts[i].name) + 1);
        text_append(out, parts[i].data, parts[i].length);
    }
    put_section(&sections, names.length, 3, out->length - start, names.length + 10);
    text_append(&names, ".shstrtab", 10);
    text_append(out, names.data, names.length);
    pad(out, 8);
    set(out, start + 40, out->length - start, 8);
    text_append(out, sections.data, sections.length);
    struct text table = {0};
    put_segment(&table, 1, 0, end - start);
    put_segment(&table, 2, dynamic - start, end - dynamic);
    memcpy(out->data + segments, table.data, table.length);
    text_free(&table);
    text_free(&names);
    text_free(&sections);
}
