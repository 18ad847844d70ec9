/*
 * ALWAYS_INLINE marks functions that are inlined into every caller, whatever the compiler thinks of their size: for the
 * few paths that nearly every instruction or memory transaction takes, where a call is measurable. On these paths
 * UNLIKELY marks conditions that few machines, mechanisms or instructions meet, so that the compiler gives registers to
 * the others.
 */
#ifndef HEDDLE_BASE_INLINE_H
#define HEDDLE_BASE_INLINE_H

#define ALWAYS_INLINE       inline __attribute__((always_inline))
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
