/* Reading of ELF files; see elf.h. */
#include "binary/elf.h"

#include "base/diag.h"
#include "binary/bytes.h"

#include <string.h>

enum { HEADER_BYTES = 64, SECTION_BYTES = 64, SEGMENT_BYTES = 56, DYNAMIC_BYTES = 16 };
enum { SECTION_WITHOUT_BYTES = 8 }; /* SHT_NOBITS */
enum { SEGMENT_LOAD = 1, SEGMENT_DYNAMIC = 2, SEGMENT_INTERPRETER = 3 };
enum { TAG_END = 0, TAG_STRING_TABLE = 5 };

bool elf_is(const void *data, size_t length)
{
    return length >= 4 && !memcmp(data, "\177ELF", 4);
}

/* The bytes from `offset` on; NULL: not all of them are within the file. */
static const uint8_t *within(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->length && bytes <= elf->length - offset ? elf->data + offset : NULL;
}

/* A table of the file; NULL: an element is shorter than the format says, or the table reaches beyond the file. */
static const uint8_t *table(const struct elf *elf, uint64_t offset, uint64_t stride, uint64_t count, size_t least)
{
    return offset && count && stride >= least ? within(elf, offset, stride * count) : NULL;
}

bool elf_open(struct elf *elf, const void *data, size_t length, char **error)
{
    const uint8_t *at = data;
    *elf = (struct elf){.data = at, .length = length};
    if (!elf_is(data, length))
        return diag_fail(error, "it is not an ELF file");
    if (length < HEADER_BYTES)
        return diag_fail(error, "the ELF file ends within its header");
    if (at[4] != 2 || at[5] != 1)
        return diag_fail(error, "it is an ELF file of 32 bits or of a big-endian machine");
    elf->type = bytes_u16(at + 16);
    elf->machine = bytes_u16(at + 18);
    elf->segment_stride = bytes_u16(at + 54);
    elf->segment_count = bytes_u16(at + 56);
    elf->section_stride = bytes_u16(at + 58);
    elf->section_count = bytes_u16(at + 60);
    elf->segments = table(elf, bytes_u64(at + 32), elf->segment_stride, elf->segment_count, SEGMENT_BYTES);
    elf->sections = table(elf, bytes_u64(at + 40), elf->section_stride, elf->section_count, SECTION_BYTES);
    elf->segment_count = elf->segments ? elf->segment_count : 0;
    elf->section_count = elf->sections ? elf->section_count : 0;
    return true;
}

static const uint8_t *section_data(const struct elf *elf, unsigned index, size_t *bytes)
{
    const uint8_t *header = elf->sections + index * elf->section_stride;
    *bytes = 0;
    if (bytes_u32(header + 4) == SECTION_WITHOUT_BYTES)
        return NULL;
    const uint8_t *data = within(elf, bytes_u64(header + 24), bytes_u64(header + 32));
    *bytes = data ? bytes_u64(header + 32) : 0;
    return data;
}

bool elf_find_section(const struct elf *elf, const char *name, struct elf_section *section)
{
    unsigned names_index = bytes_u16(elf->data + 62);
    size_t names_bytes = 0, length = strlen(name);
    const uint8_t *names = names_index < elf->section_count ? section_data(elf, names_index, &names_bytes) : NULL;
    for (unsigned i = 0; names && i < elf->section_count; i++) {
        uint64_t at = bytes_u32(elf->sections + i * elf->section_stride);
        if (at >= names_bytes || length >= names_bytes - at || memcmp(names + at, name, length + 1))
            continue;
        *section = (struct elf_section){.name = name};
        section->data = section_data(elf, i, &section->bytes);
        return section->data != NULL;
    }
    return false;
}

/* The first segment of a type; NULL: there is none. */
static const uint8_t *find_segment(const struct elf *elf, uint32_t type)
{
    for (unsigned i = 0; i < elf->segment_count; i++)
        if (bytes_u32(elf->segments + i * elf->segment_stride) == type)
            return elf->segments + i * elf->segment_stride;
    return NULL;
}

bool elf_has_interpreter(const struct elf *elf)
{
    return find_segment(elf, SEGMENT_INTERPRETER) != NULL;
}

/* The bytes of the file that are loaded to an address, up to the end of their segment. */
static const uint8_t *loaded_at(const struct elf *elf, uint64_t address, uint64_t *left)
{
    for (unsigned i = 0; i < elf->segment_count; i++) {
        const uint8_t *header = elf->segments + i * elf->segment_stride;
        uint64_t offset = bytes_u64(header + 8), start = bytes_u64(header + 16), bytes = bytes_u64(header + 32);
        if (bytes_u32(header) != SEGMENT_LOAD || address < start || address - start >= bytes)
            continue;
        *left = bytes - (address - start);
        const uint8_t *segment = within(elf, offset, bytes);
        return segment ? segment + (address - start) : NULL;
    }
    return NULL;
}

/* The value of the n-th dynamic entry with this tag. */
static bool dynamic_value(const struct elf *elf, uint64_t tag, int n, uint64_t *value)
{
    const uint8_t *header = find_segment(elf, SEGMENT_DYNAMIC);
    uint64_t bytes = header ? bytes_u64(header + 32) : 0;
    const uint8_t *table = header ? within(elf, bytes_u64(header + 8), bytes) : NULL;
    for (uint64_t at = 0; table && bytes - at >= DYNAMIC_BYTES; at += DYNAMIC_BYTES) {
        uint64_t found = bytes_u64(table + at);
        if (found == TAG_END)
            break;
        if (found == tag && n-- == 0) {
            *value = bytes_u64(table + at + 8);
            return true;
        }
    }
    return false;
}

const char *elf_dynamic_text(const struct elf *elf, uint64_t tag, int n)
{
    uint64_t at, address, left;
    if (!dynamic_value(elf, tag, n, &at) || !dynamic_value(elf, TAG_STRING_TABLE, 0, &address))
        return NULL;
    const uint8_t *strings = loaded_at(elf, address, &left);
    if (!strings || at >= left || !memchr(strings + at, '\0', left - at))
        return NULL;
    return (const char *)strings + at;
}
