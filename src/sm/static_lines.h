/*
 * Lines of static warps: the transactions that static warps would have made of the accesses that strands make. Only
 * mechanisms under which threads of a static warp may be in several strands have it; static_lines.c says how it counts.
 */
#ifndef HEDDLE_SM_STATIC_LINES_H
#define HEDDLE_SM_STATIC_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct mem_config;
struct sm;
struct static_lines;
struct step_access;
struct strand;
struct threads;

struct static_lines *static_lines_create(const struct sm *sm, const struct mem_config *memory);
void static_lines_destroy(struct static_lines *h);
void static_lines_launch(struct sm *sm, int32_t first_row, int rows); /* a block starts in these rows */
/* Whether any loop has accesses in it. Else static_lines_jump() does nothing. */
bool static_lines_has_loops(const struct static_lines *h);
/* Those of the threads that have these lanes leave a control instruction at PC `from`, and go on at PC `to`. */
void static_lines_jump(struct sm *sm, int32_t from, int32_t to, const struct threads *threads, uint32_t lanes);
void static_lines_access(struct sm *sm, const struct strand *s, const struct step_access *a);
void static_lines_settle(struct sm *sm); /* counts the lines of the last access, before counters are read */

#endif
