/* Everything that heddle does with a file before a kernel runs, on any bytes. For fuzzing and mutated inputs. */
#ifndef HEDDLE_TESTS_BINARY_CHECK_IMAGE_H
#define HEDDLE_TESTS_BINARY_CHECK_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Loads the bytes as a file; what loads is printed, placed in memory, and each kernel analysed. Nothing may crash, hang,
 * leak or read beyond the bytes; a failure must come with its kind and a text. True: a module was loaded. */
bool check_image(const uint8_t *data, size_t length);

#endif
