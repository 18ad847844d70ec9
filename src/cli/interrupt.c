/* Ctrl-C. A signal handler is told nothing but the signal's number: hence the one variable that no structure
 * holds. */
#include "cli/interrupt.h"

#include <string.h>

static volatile sig_atomic_t signal_number;

static void ask(int number)
{
    signal_number = number;
}

const volatile sig_atomic_t *interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask;
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART; /* the next one does what it always does */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction before;
    if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN) /* under nohup a run goes on */
        sigaction(SIGHUP, &action, NULL);
    return &signal_number;
}
