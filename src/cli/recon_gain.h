/*
 * What predictions gain: the kernel runs under volta without the predictions and with them, each time as a process of
 * heddle run, and a table compares the runs.
 */
#ifndef HEDDLE_CLI_RECON_GAIN_H
#define HEDDLE_CLI_RECON_GAIN_H

#include "recon/predict.h"

#include <signal.h>
#include <stdio.h>

struct recon_gain {
    struct ptx_module *module;
    const struct text *original; /* the program before passes rewrote it; NULL: none did */
    const struct program *program;
    struct predictions *predictions; /* a search for thresholds leaves the best ones here */
    char **words;                    /* options of heddle run */
    int word_count;
    FILE *out;                         /* where the table goes */
    const volatile sig_atomic_t *stop; /* becomes the number of a signal that asks to stop */
    bool searches_threshold;           /* try several thresholds, and keep the best */
};

/* Prints cycles, SIMD efficiency and warp instructions of each run, and returns an exit status. A run in flight ends
 * with this program. */
int recon_measure(struct recon_gain *gain);

#endif
