/* The textures and surfaces of a case as both executors see them, made without the driver. */
#ifndef HEDDLE_TESTS_AGREE_TEXTURES_H
#define HEDDLE_TESTS_AGREE_TEXTURES_H

#include "device/texture.h"
#include "tests/silicon/case.h"

struct textures {
    int texture_count, surface_count;
    struct texture texture[CASE_MAX_TEXTURES];
    struct surface surface[CASE_MAX_TEXTURES];
};

/* `address` has the buffer of each argument. Texels stay in the buffer of their argument. */
void textures_describe(const struct test_case *c, const uint64_t address[CASE_MAX_ARGS], struct textures *out);

/* The handle of a texture of the case, by its number. */
uint64_t textures_handle(int index);

#endif
