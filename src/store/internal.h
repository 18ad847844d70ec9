/* What the files of the store share; nobody else includes it. */
#ifndef HEDDLE_STORE_INTERNAL_H
#define HEDDLE_STORE_INTERNAL_H

#include "store/store.h"

/* Makes the error text of what SQLite complains of: "cannot WHAT the store PATH: ...". Returns false. */
bool store_fail(const struct store *s, const char *what, char **error);
/* Carries out SQL that gives no rows. False and an error text. */
bool store_execute(const struct store *s, const char *sql, char **error);

#endif
