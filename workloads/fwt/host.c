/* Dyadic convolution by Walsh-Hadamard transforms; verified against sums of products in double precision. */
#include "work.h"

enum { GLOBAL_THREADS = 256, LOG2_SHARED = 11, MODULATE_BLOCKS = 128, MODULATE_THREADS = 256 };

struct problem {
    int log2_data, log2_kernel, convolutions;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.log2_data = 13, .log2_kernel = 7, .convolutions = 1},
    [WORK_SMALL] = {.log2_data = 19, .log2_kernel = 7, .convolutions = 1},
    [WORK_PAPER] = {.log2_data = 19, .log2_kernel = 7, .convolutions = 10},
};

static void transform(struct work *w, CUdeviceptr data, int log2_length)
{
    unsigned signals = 1, blocks = (1u << log2_length) / (4 * GLOBAL_THREADS);
    for (; log2_length > LOG2_SHARED; log2_length -= 2, blocks /= 4, signals *= 4) {
        int stride = 1 << (log2_length - 2);
        work_launch(w, "transform_in_global", (struct work_shape){.x = blocks, .y = signals},
                    (struct work_shape){.x = GLOBAL_THREADS}, 0, (void *[]){&data, &data, &stride});
    }
    unsigned length = 1u << log2_length;
    work_launch(w, "transform_in_shared", (struct work_shape){.x = signals}, (struct work_shape){.x = length / 4},
                length * sizeof(float), (void *[]){&data, &data, &log2_length});
}

/* The kernel is filled up with zeros to the length of the data. */
static void convolve_by_transforms(struct work *w, const struct problem *p, const float *data, const float *kernel,
                                   float *result)
{
    int length = 1 << p->log2_data;
    size_t bytes = (size_t)length * sizeof(float);
    CUdeviceptr spectrum = work_upload(w, data, bytes), by = work_alloc(w, bytes);
    work_write(w, by, kernel, sizeof(float) << p->log2_kernel);
    transform(w, spectrum, p->log2_data);
    transform(w, by, p->log2_data);
    work_launch(w, "modulate", (struct work_shape){.x = MODULATE_BLOCKS}, (struct work_shape){.x = MODULATE_THREADS}, 0,
                (void *[]){&spectrum, &by, &length});
    transform(w, spectrum, p->log2_data);
    work_read(w, result, spectrum, bytes);
}

/* A dyadic convolution adds the products of all pairs whose indices have the result's index as their exclusive or. */
static void convolve_by_sums(const struct problem *p, const float *data, const float *kernel, float *result)
{
    for (size_t i = 0; i < (size_t)1 << p->log2_data; i++) {
        double sum = 0;
        for (size_t k = 0; k < (size_t)1 << p->log2_kernel; k++)
            sum += (double)data[i ^ k] * kernel[k];
        result[i] = (float)sum;
    }
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t length = (size_t)1 << p->log2_data, taps = (size_t)1 << p->log2_kernel;
    float *data = work_buffer(w, length, sizeof *data), *kernel = work_buffer(w, taps, sizeof *kernel),
          *got = work_buffer(w, length, sizeof *got), *want = work_buffer(w, length, sizeof *want);
    for (int c = 0; c < p->convolutions; c++) {
        for (size_t i = 0; i < length; i++)
            data[i] = work_random_unit(w);
        for (size_t i = 0; i < taps; i++)
            kernel[i] = work_random_unit(w);
        convolve_by_transforms(w, p, data, kernel, got);
        convolve_by_sums(p, data, kernel, want);
        /* Results are near 32, and almost all of that comes from the first number of the two spectra, the sums of data
         * and kernel. It takes log2 N additions to compute each sum, and as many to come from the product to a result;
         * each is off by 2^-24 of what it computes at most, and so are the product and the scale. One coefficient of a
         * spectrum that is missing changes results by a thousandth. */
        work_compare_f32(w, "results", got, want, length, (float)(3 * p->log2_data + 3) * 0x1p-24f, 0);
    }
    work_say(w, "2^%d numbers convolved with 2^%d, %d times", p->log2_data, p->log2_kernel, p->convolutions);
}

const struct workload workload = {.name = "fwt", .run = run};
