/* Ctrl-C. A signal handler is told nothing but the signal's number: hence the one variable that no structure
 * holds. */
#include "cli/interrupt.h"

#include <string.h>

static volatile sig_atomic_t was_asked;

static void ask(int number)
{
    (void)number;
    was_asked = 1;
}

const volatile sig_atomic_t *interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask;
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART; /* the next one does what it always does */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &was_asked;
}
