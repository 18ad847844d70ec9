/* The store of a command: the file of --store, or else the one that HEDDLE_STORE names. */
#ifndef HEDDLE_CLI_STORE_OPTION_H
#define HEDDLE_CLI_STORE_OPTION_H

#include "study/keeper.h"

/* Opens the store at this path, or, if the path is NULL, at that of HEDDLE_STORE; without either the command has none,
 * and *keeper is NULL. Returns an exit status, having said what is wrong. */
int store_option_open(const char *path, struct keeper *storage, struct keeper **keeper);

#endif
