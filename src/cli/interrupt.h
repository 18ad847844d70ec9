/* Ctrl-C, SIGTERM, and SIGHUP of a terminal that closes: the first signal asks the run to stop and to print what is
 * known; a second signal ends the program at once. */
#ifndef HEDDLE_CLI_INTERRUPT_H
#define HEDDLE_CLI_INTERRUPT_H

#include <signal.h>

/* From this call on, SIGINT, SIGTERM and, unless it is ignored, SIGHUP are caught. The number that is returned is 0
 * until a signal comes, and then the number of the signal. */
const volatile sig_atomic_t *interrupt_catch(void);

#endif
