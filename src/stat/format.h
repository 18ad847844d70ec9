/* How the printers write a number. */
#ifndef HEDDLE_STAT_FORMAT_H
#define HEDDLE_STAT_FORMAT_H

#include "stat/stat.h"

enum { STAT_NUMBER_LENGTH = 40 };

uint64_t stat_load(const struct stat_counter *counter, const void *values);
/* For people: whole numbers in full, others to six digits; "-" for what has no value (0/0). */
void stat_format_short(double value, char *into);
/* The shortest form that reads back as the same value; "" for what has no value. */
void stat_format_exact(double value, char *into);

#endif
