/* Distances of random records of storms from a place; verified against distances of the numbers that were printed. */
#include "work.h"

#include <math.h>
#include <stdio.h>

enum { THREADS = 16, FILES = 4, RECORD_LENGTH = 49, LATITUDE_COLUMN = 27 };

static const int records_a_file_of[] = {[WORK_TEST] = 1001, [WORK_SMALL] = 10691, [WORK_PAPER] = 20500};

/* The place that Rodinia looks for. */
static const float target_latitude = 30, target_longitude = 90;

/* A latitude between 7 and 69.9 degrees and a longitude between 0 and 357.9, as Rodinia's generator of records draws
 * them, among other things that a storm has: when it was where, its name, its wind and pressure. Returns whether the
 * record has the right length. */
static bool print_record(struct work *w, char *text, double *distance)
{
    static const char *const name[] = {"ALBERTO", "BERYL", "CHRIS", "DEBBY", "ERNESTO", "FLORENCE", "GORDON", "HELENE"};
    /* Drawn one after the other: the arguments of a function may be evaluated in any order. */
    uint32_t latitude = 70 + work_random_below(w, 630), longitude = work_random_below(w, 3580);
    uint32_t year = 1950 + work_random_below(w, 55), month = 1 + work_random_below(w, 12);
    uint32_t day = 1 + work_random_below(w, 28), hour = 6 * work_random_below(w, 4);
    uint32_t number = 1 + work_random_below(w, 28), wind = 10 + work_random_below(w, 156);
    uint32_t pressure = 900 + work_random_below(w, 110);
    char line[2 * RECORD_LENGTH];
    int length =
        snprintf(line, sizeof line, "%4u %2u %2u %2u %2u %-10s%3u.%u %3u.%u %4u %4u\n", year, month, day, hour, number,
                 name[number % 8], latitude / 10, latitude % 10, longitude / 10, longitude % 10, wind, pressure);
    for (int i = 0; i < RECORD_LENGTH; i++)
        text[i] = line[i];
    *distance = hypot(latitude / 10.0 - target_latitude, longitude / 10.0 - target_longitude);
    return length == RECORD_LENGTH;
}

static void run(struct work *w, enum work_size size)
{
    int count = records_a_file_of[size], length = RECORD_LENGTH, column = LATITUDE_COLUMN, nearest = 0;
    bool is_well_formed = true;
    size_t all = (size_t)count * FILES, bytes = (size_t)count * RECORD_LENGTH;
    float *got = work_buffer(w, all, sizeof *got), *want = work_buffer(w, all, sizeof *want);
    for (int file = 0; file < FILES; file++) {
        char *text = work_buffer(w, bytes, 1);
        float *file_got = got + file * count, *file_want = want + file * count;
        for (int i = 0; i < count; i++) {
            double distance;
            is_well_formed &= print_record(w, text + i * RECORD_LENGTH, &distance);
            file_want[i] = (float)distance;
        }
        CUdeviceptr records = work_upload(w, text, bytes), distances = work_alloc(w, (size_t)count * sizeof *got);
        float latitude = target_latitude, longitude = target_longitude;
        work_launch(w, "measure", (struct work_shape){.x = (unsigned)((count + THREADS - 1) / THREADS)},
                    (struct work_shape){.x = THREADS}, 0,
                    (void *[]){&records, &latitude, &longitude, &distances, &count, &length, &column});
        work_read(w, file_got, distances, (size_t)count * sizeof *got);
    }
    work_check(w, is_well_formed, "a record has another length than %d", RECORD_LENGTH);
    /* Coordinates are below 512. The sum of digits and the difference round by 2^-16 each, so a coordinate is off by
     * 2^-15 at most, and the distance of less than 512 by twice that and by the roundings of its own formula. A wrong
     * digit is wrong by a tenth. */
    work_compare_f32(w, "distances", got, want, all, 0, 0x1p-13f);
    for (size_t i = 0; i < all; i++)
        nearest = got[i] < got[nearest] ? (int)i : nearest;
    work_say(w, "%zu records in %d files; record %d is nearest, at %.3f degrees", all, FILES, nearest,
             (double)got[nearest]);
}

const struct workload workload = {.name = "nnc", .run = run};
