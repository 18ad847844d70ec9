/*
 * What a file is, by its content: a phrase for messages, and what a user can do with it. For commands that expect PTX
 * and are given something else.
 */
#ifndef HEDDLE_BINARY_KIND_H
#define HEDDLE_BINARY_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum binary_kind {
    BINARY_PTX,         /* text that begins as PTX does, or may be meant as PTX */
    BINARY_FATBIN,      /* a fat binary as a file: nvcc -fatbin */
    BINARY_WITH_FATBIN, /* an executable, library or object with fat binaries inside */
    BINARY_ARCHIVE,     /* an archive of objects, of which some have fat binaries inside */
    BINARY_OTHER        /* nothing that holds PTX: `what` and `advice` say more */
};

struct binary_file {
    enum binary_kind kind;
    const char *what;   /* a noun phrase: "GPU machine code (a cubin)" */
    const char *advice; /* a clause for behind a semicolon; NULL: there is none */
};

/* The path serves for its ending only, which tells sources of C, CUDA and other languages apart. */
struct binary_file binary_file_kind(const char *path, const void *data, size_t length);

#endif
