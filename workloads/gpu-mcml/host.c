/* The host program of workloads/mcml, for the kernel with a loop over photons and a skin at 337 nm. */
#define MCML_NAME "gpu-mcml"
#define MCML_PROBLEMS                                                    \
    [WORK_TEST] = {.skin = &at_337_nm, .blocks = 1, .photons = 320},     \
    [WORK_SMALL] = {.skin = &at_337_nm, .blocks = 30, .photons = 12288}, \
    [WORK_PAPER] = {.skin = &at_337_nm, .blocks = 30, .photons = 38400},
#include "../mcml/host.c"
