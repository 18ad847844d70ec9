/* The figures of one kernel on stderr: the report of a machine, or a few counts where there is none. */
#ifndef HEDDLE_CLI_RUN_FIGURES_H
#define HEDDLE_CLI_RUN_FIGURES_H

#include "base/text.h"
#include "device/launch.h"
#include "run/request.h"

/* `report`: what run_launch() gave as figures. */
void run_print_figures(const struct run_request *request, const struct launch *launch,
                       const struct launch_result *result, const struct text *report);

#endif
