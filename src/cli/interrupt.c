/* Signals that stop a run: see interrupt.h. A signal handler gets no argument but the signal's number, so the number is
 * kept in a global variable. */
#include "cli/interrupt.h"

#include <string.h>

static volatile sig_atomic_t signal_number;

static void note_signal(int number)
{
    signal_number = number;
}

const volatile sig_atomic_t *interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART; /* a second signal has its default action */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction before;
    if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN) /* under nohup the terminal may close */
        sigaction(SIGHUP, &action, NULL);
    return &signal_number;
}
