/* heddle sweep on several machines: what the command does as a worker. */
#ifndef HEDDLE_CLI_SWEEP_FARM_H
#define HEDDLE_CLI_SWEEP_FARM_H

/* The path from the root, since the current folder may change; the caller frees it. */
char *sweep_farm_absolute(const char *path);

/* Works for the owner of the folder (farm/folder.h) until the sweep is over, `jobs` runs at a time, each in a process
 * of its own. Returns the exit status. */
int sweep_farm_work(const char *folder, int jobs);

#endif
