/* See registered.h. The layout of fat binaries is that of src/binary/fatbin.h, written here a second time, so that a
 * mistake in one of the two is found. */
#include "tests/runtime/registered.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread, uint3 *block, dim3 *block_dim, dim3 *grid_dim, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                       int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern, size_t bytes,
                              int is_constant, int is_global);

struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of what follows the first 16 */
    /* the only entry */
    uint16_t kind, entry_version;
    uint32_t entry_header_bytes;
    uint64_t data_bytes;
    uint32_t packed_bytes, options;
    uint16_t minor, major;
    uint32_t arch, name_at, name_bytes;
    uint64_t flags, hash, unpacked_bytes;
    char data[];
};

struct wrapper {
    uint32_t magic, version;
    const struct container *container;
    const void *list;
    struct wrapper *before; /* the one that was registered before; not read by the runtime */
};

/* A real program's fat binaries are part of it, and are never freed. */
static struct wrapper *last;

static void **register_entry(uint16_t kind, const char *data, size_t bytes)
{
    size_t padded = (bytes + 8) / 8 * 8; /* with a NUL at least */
    struct container *c = calloc(1, sizeof *c + padded);
    struct wrapper *w = calloc(1, sizeof *w);
    if (!c || !w)
        abort();
    *c = (struct container){.magic = 0xBA55ED50,
                            .version = 1,
                            .header_bytes = 16,
                            .bytes = sizeof *c - 16 + padded,
                            .kind = kind,
                            .entry_version = 0x0101,
                            .entry_header_bytes = 64,
                            .data_bytes = padded,
                            .arch = 75,
                            .flags = 0x11};
    memcpy(c->data, data, bytes);
    *w = (struct wrapper){.magic = 0x466243b1, .version = 1, .container = c, .before = last};
    last = w;
    return __cudaRegisterFatBinary(w);
}

void **registered_binary(const char *ptx)
{
    return register_entry(1, ptx, strlen(ptx));
}

void **registered_machine_code(void)
{
    static const char elf[64] = "\177ELF";
    return register_entry(2, elf, sizeof elf);
}

void registered_kernel(void **binary, const void *host, const char *name)
{
    __cudaRegisterFunction(binary, host, (char *)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

void registered_variable(void **binary, const void *host, const char *name, size_t bytes)
{
    __cudaRegisterVar(binary, (char *)host, (char *)name, name, 0, bytes, 0, 0);
}

void registered_managed(void **binary, void **host, const char *name, size_t bytes)
{
    __cudaRegisterManagedVar(binary, host, (char *)name, name, 0, bytes, 0, 0);
}

/* The images stay: the runtime may read them until the process ends. */
void registered_end(void **binary)
{
    __cudaUnregisterFatBinary(binary);
}
