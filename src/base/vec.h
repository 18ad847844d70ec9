/*
 * Growable arrays: `struct vec_of(int) v = {0}; vec_push(&v, 3); v.data[0]; vec_free(&v);`
 *
 * The storage of a vec comes from malloc. vec_into_arena() moves a finished vec into an arena.
 */
#ifndef HEDDLE_BASE_VEC_H
#define HEDDLE_BASE_VEC_H

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define vec_of(type)         \
    {                        \
        type *data;          \
        int count, capacity; \
    }

#define vec_reserve(v, wanted)                                                           \
    do {                                                                                 \
        if ((v)->capacity < (wanted)) {                                                  \
            (v)->capacity = (wanted) > 2 * (v)->capacity ? (wanted) : 2 * (v)->capacity; \
            (v)->data = xrealloc((v)->data, sizeof *(v)->data * (size_t)(v)->capacity);  \
        }                                                                                \
    } while (0)

#define vec_push(v, ...)                         \
    do {                                         \
        vec_reserve(v, (v)->count + 1);          \
        (v)->data[(v)->count++] = (__VA_ARGS__); \
    } while (0)

/* Extends the vec to at least `wanted` elements; new elements are zero. */
#define vec_extend(v, wanted)                                                                       \
    do {                                                                                            \
        if ((v)->count < (wanted)) {                                                                \
            vec_reserve(v, wanted);                                                                 \
            memset((v)->data + (v)->count, 0, sizeof *(v)->data * (size_t)((wanted) - (v)->count)); \
            (v)->count = (wanted);                                                                  \
        }                                                                                           \
    } while (0)

#define vec_free(v)                     \
    do {                                \
        free((v)->data);                \
        (v)->data = NULL;               \
        (v)->count = (v)->capacity = 0; \
    } while (0)

/* Copies the elements into `arena`, stores their address in `array` and their number in `array_count`, and frees the
 * vec. */
#define vec_into_arena(v, arena, array, array_count)                            \
    do {                                                                        \
        (array_count) = (v)->count;                                             \
        (array) = arena_alloc((arena), sizeof *(v)->data * (size_t)(v)->count); \
        if ((v)->count)                                                         \
            memcpy((array), (v)->data, sizeof *(v)->data *(size_t)(v)->count);  \
        vec_free(v);                                                            \
    } while (0)

#endif
