/*
 * Process trees: a process and all its descendants, as /proc shows them at one moment. A process that is born during
 * the call may be missed, so whoever watches a tree looks again and again.
 */
#ifndef HEDDLE_BASE_PROCESS_TREE_H
#define HEDDLE_BASE_PROCESS_TREE_H

#include <stdint.h>
#include <sys/types.h>

/* Bytes of main memory that the processes of the tree have together, without those that processes share. */
uint64_t process_tree_bytes(pid_t root);
/* Kills all processes of the tree. */
void process_tree_kill(pid_t root);

#endif
