/* The tables of a store, as SQL. */
#ifndef HEDDLE_STORE_SCHEMA_H
#define HEDDLE_STORE_SCHEMA_H

#include "base/text.h"

enum {
    SCHEMA_APPLICATION = 0x6865646c, /* "hedl": marks a SQLite file as a store of heddle */
    SCHEMA_VERSION = 1               /* one more whenever tables change */
};

/* Appends the statements that make the tables of an empty store, and mark it. */
void schema_print(struct text *out);

#endif
