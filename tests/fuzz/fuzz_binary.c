/* Fuzz target: any bytes as an executable, archive, fat binary or PTX file (tests/binary/check_image.h). For libFuzzer
 * (make fuzz); tests/binary/mutate.c is the part of make test. */
#include "tests/binary/check_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_image(data, size);
    return 0;
}
