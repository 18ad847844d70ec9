/*
 * Packed arrays: numbers and texts as JSON values that take little room in a page and are quick to read there.
 *
 * A packed value is {"n":COUNT,"kind":KIND,"bytes":BYTES,"lz4":"..."}: BYTES bytes, compressed as one LZ4 block, in
 * base64. The bytes are, by kind:
 *     whole  one variable-length number per element, seven bits a byte, lowest first, the high bit set in all bytes but
 *            the last. 0 stands for a missing element. Any other number less one is the difference to the last element
 *            that was not missing (0 at first), as zigzag: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
 *     real   doubles, little-endian: the first bytes of all elements, then the second bytes, and so on. A missing
 *            element is a NaN.
 *     text   the bytes of a text, COUNT of them
 * web/src/packed.js reads them.
 */
#ifndef HEDDLE_BASE_PACK_H
#define HEDDLE_BASE_PACK_H

#include "base/text.h"

/* Appends `count` numbers, of which NAN are missing ones, as a packed value of the kind `whole` if all are whole
 * numbers of at most 2^53, and `real` otherwise. */
void pack_numbers(const double *numbers, size_t count, struct text *out);
/* Appends a text as a packed value. */
void pack_text(const char *bytes, size_t length, struct text *out);

#endif
