/* Ctrl-C, SIGTERM, and SIGHUP of a terminal that closes: the first signal asks what runs to stop and say what it knows;
 * a second one ends the program at once. */
#ifndef HEDDLE_CLI_INTERRUPT_H
#define HEDDLE_CLI_INTERRUPT_H

#include <signal.h>

/* Takes SIGINT, SIGTERM and, unless it is ignored already, SIGHUP from here on. What is returned becomes the signal's
 * number when one came. */
const volatile sig_atomic_t *interrupt_catch(void);

#endif
