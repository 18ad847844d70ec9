/* How the printers of statistics load and write numbers. */
#ifndef HEDDLE_STAT_FORMAT_H
#define HEDDLE_STAT_FORMAT_H

#include "stat/stat.h"

enum { STAT_NUMBER_LENGTH = 40 };

/* The value of a counter in its owner's structure. */
uint64_t stat_load(const struct stat_counter *counter, const void *values);
/* Writes a number for people: whole numbers in full, others to six digits or two decimals; "-" for no value (0/0). */
void stat_format_short(double value, char *into);
/* Writes the shortest form that reads back as the same value; "" for no value (0/0). */
void stat_format_exact(double value, char *into);

#endif
