/*
 * What the host programs of all workloads share: sizes, the driver API with its errors handled, random numbers, and
 * the verdict.
 *
 * A workload is an ordinary program on the CUDA driver API: linked with heddle's libcuda.so.1 it runs on heddle, with
 * the vendor's on a GPU. Its host.c defines `workload`; main() is in work.c. It makes its inputs from a fixed seed,
 * runs its kernels, computes the same on the CPU by other means, and compares. A driver call that fails ends the
 * program with a message; a wrong result with one that names the first wrong element, and status 3.
 */
#ifndef HEDDLE_WORKLOADS_WORK_H
#define HEDDLE_WORKLOADS_WORK_H

#include "cuda.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum work_size { WORK_TEST, WORK_SMALL, WORK_PAPER };

struct work;

struct workload {
    const char *name;
    void (*run)(struct work *w, enum work_size size);
    /* Workloads whose kernels are generated, one per number from 0 to `numbers` - 1, which --number chooses: the PTX, to
     * be freed by the caller, made before the run. NULL: the PTX is in files. */
    char *(*make_ptx)(unsigned number);
    unsigned numbers;
};

/* The program's own, in its host.c. */
extern const struct workload workload;

/* ---- the device ---- */

struct work_shape {
    unsigned x, y, z; /* 0 is taken as 1 */
};

CUdeviceptr work_alloc(struct work *w, size_t bytes); /* of zeros; freed at the end */
CUdeviceptr work_upload(struct work *w, const void *data, size_t bytes);
void work_write(struct work *w, CUdeviceptr to, const void *data, size_t bytes);
void work_read(struct work *w, void *into, CUdeviceptr from, size_t bytes);
/* A __device__ or __constant__ variable of the kernels: its address; `bytes` must be its size. */
CUdeviceptr work_symbol(struct work *w, const char *name, size_t bytes);
/* A texture of memory on the device for tex1Dfetch(): texels of 1, 2 or 4 `channels` in a row, destroyed at the end.
 * The texture reads what the memory holds when a kernel is launched. */
CUtexObject work_texture(struct work *w, CUdeviceptr data, size_t bytes, CUarray_format format, unsigned channels);
/* Launches the kernel (its name as in the PTX: declare kernels extern "C") and waits for its end. `arguments` has the
 * address of each parameter, as for cuLaunchKernel(). */
void work_launch(struct work *w, const char *kernel, struct work_shape grid, struct work_shape block,
                 size_t shared_bytes, void **arguments);

/* ---- inputs ---- */

void *work_buffer(struct work *w, size_t count, size_t bytes); /* host memory of zeros; freed at the end */
uint32_t work_random(struct work *w);                          /* the same numbers in every run */
uint32_t work_random_below(struct work *w, uint32_t bound);
float work_random_unit(struct work *w); /* in [0, 1), a multiple of 2^-24 */

/* ---- the verdict ---- */

/* Element by element; `what` names them in the message. Any difference makes the run wrong. */
void work_compare_u32(struct work *w, const char *what, const uint32_t *got, const uint32_t *want, size_t count);
/* Right within `relative` of the wanted value, or within `absolute` of it. A NaN is wrong. */
void work_compare_f32(struct work *w, const char *what, const float *got, const float *want, size_t count,
                      float relative, float absolute);
/* A check of another shape. */
void work_check(struct work *w, bool is_right, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What was done, for the line that says that all is right: "65536 nodes, 12 levels". */
void work_say(struct work *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
