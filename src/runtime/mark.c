/*
 * A mark in programs and libraries that have heddle's runtime inside: an ELF note of the owner "heddle". A program that
 * was linked with NVIDIA's static runtime looks the same otherwise, and cannot run on heddle.
 */
#include <stdint.h>

static const struct {
    uint32_t name_bytes, text_bytes, type;
    char name[8];
    char text[16];
} mark __attribute__((section(".note.heddle"), used, aligned(4))) = {7, 16, 1, "heddle", "CUDA runtime"};
