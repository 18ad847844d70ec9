/*
 * Textures and surfaces of a random program: objects of several shapes, formats and samplings, which the kernel gets
 * by handle, and the statements that fetch from them, load, store, reduce and query.
 *
 * A texture is never written. A surface is read, or stored to, or reduced: never two of these in one program, since
 * loads of a surface need not see what the same launch stored. A thread stores to its own texel. A reduced surface
 * takes one commutative operation in the whole program, whose results nobody reads.
 */
#ifndef HEDDLE_TESTS_RANDOM_TEXTURE_H
#define HEDDLE_TESTS_RANDOM_TEXTURE_H

#include "../silicon/op_texture.h"
#include "gen.h"

enum surface_use { SURFACE_READ, SURFACE_STORED, SURFACE_REDUCED };

/* A texture or surface of the program. */
struct random_texture {
    struct op_texture is;
    unsigned texel_bytes;
    enum surface_use use;     /* of a surface */
    const char *reduction[2]; /* of a reduced surface: the operation and its type */
};

void texture_choose(struct gen *g); /* what the program has */
void texture_add_args(struct gen *g,
                      struct test_case *c); /* one argument each, behind all others; the last use of them */
void texture_parameters(const struct gen *g, struct draft *to); /* of the kernel, each with a comma before it */
void texture_declare(const struct gen *g, struct draft *to);    /* registers that hold the handles */
void texture_load_handles(struct gen *g);
void texture_statement(struct gen *g);                                 /* in the kernel; a mark if it has no texture */
void surface_statement(struct gen *g, const struct random_texture *t); /* t: one of the program's surfaces */

/* Shared by fetches and surface accesses. */
struct name texture_handle(const struct gen *g, const struct random_texture *t);
struct name texture_index(struct gen *g, unsigned bits, int least); /* a word of `bits` random bits, plus `least` */
const char *texture_shape(const struct op_texture *x);              /* "1d", "a2d", ... */

#endif
