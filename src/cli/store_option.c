/* The store of a command: see store_option.h. */
#include "cli/store_option.h"

#include "cli/cli.h"

#include <stdlib.h>

int store_option_open(const char *path, struct keeper *storage, struct keeper **keeper)
{
    char *error = NULL;
    const char *named = path ? path : getenv("HEDDLE_STORE");
    *keeper = NULL;
    if (!named || !*named)
        return STATUS_OK;
    if (!keeper_open(storage, named, &error)) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    *keeper = storage;
    return STATUS_OK;
}
