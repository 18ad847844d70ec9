/* The commands of heddle, in the order in which help lists them: one line each. */
#include "cli/cli.h"

#include <string.h>

const struct command *const command_table[] = {&run_command,     &exec_command,    &step_command,  &replay_command,
                                               &compare_command, &explain_command, &sweep_command, &query_command,
                                               &report_command,  &cc_command,      &paper_command, &flow_command,
                                               &recon_command,   &list_command,    &help_command,  NULL};

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = command_table; *c; c++)
        if (!strcmp((*c)->name, name))
            return *c;
    return NULL;
}
