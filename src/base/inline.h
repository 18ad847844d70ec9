/* Functions that become part of each that calls them, whatever the compiler thinks of their size: for the few ways that
 * nearly every instruction or transaction takes, on which a call is felt. */
#ifndef HEDDLE_BASE_INLINE_H
#define HEDDLE_BASE_INLINE_H

#define ALWAYS_INLINE inline __attribute__((always_inline))

#endif
