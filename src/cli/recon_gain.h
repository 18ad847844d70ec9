/* What predictions gain: the kernel run under volta, without them and with them, by this very command. */
#ifndef HEDDLE_CLI_RECON_GAIN_H
#define HEDDLE_CLI_RECON_GAIN_H

#include "recon/predict.h"

#include <signal.h>
#include <stdio.h>

struct recon_gain {
    struct ptx_module *module;
    const struct program *program;
    struct predictions *predictions; /* their thresholds become the best if these are searched */
    char **words;                    /* options of heddle run */
    int word_count;
    FILE *out;                         /* where the table goes */
    const volatile sig_atomic_t *stop; /* becomes 1 if the user wants no more */
    bool searches_threshold;
};

/* Prints cycles, SIMT efficiency and warp instructions of each run. Returns an exit status. A run that is going on
 * ends with this program. */
int recon_measure(struct recon_gain *gain);

#endif
