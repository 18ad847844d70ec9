/*
 * ALWAYS_INLINE marks functions that are inlined into every caller, whatever the compiler thinks of their size: for the
 * few paths that nearly every instruction or memory transaction takes, where a call is measurable.
 */
#ifndef HEDDLE_BASE_INLINE_H
#define HEDDLE_BASE_INLINE_H

#define ALWAYS_INLINE inline __attribute__((always_inline))

#endif
