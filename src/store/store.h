/*
 * The store: results of runs in one SQLite file, by the keys of their tasks.
 *
 *     run      one row per run: what the task says, and what came of it
 *     figure   every number of a run (path, sum over launches, largest of any launch); path has the names of paths
 *     branch   what each branch of a run did
 *     figures  figure with the names of its paths, for people who write SQL
 *
 * Each result is one transaction that is on the disk when store_put() returns. kill -9, a loss of power or a full disk
 * loses the result that is being written, as a whole, and no other. Several processes of one machine may use a store at
 * the same time. On a network file system, where SQLite's write-ahead log does not work, a rollback journal is used;
 * still only processes of one machine may use the store.
 */
#ifndef HEDDLE_STORE_STORE_H
#define HEDDLE_STORE_STORE_H

#include "store/result.h"
#include "store/task.h"

struct sqlite3;
struct store;

enum store_mode {
    STORE_WRITE, /* made if there is none */
    STORE_READ
};

/* Opens a store. NULL and an error text if the file cannot be opened, is no store, or is of a newer heddle. */
struct store *store_open(const char *path, enum store_mode mode, char **error);
void store_close(struct store *s); /* may be NULL */
const char *store_path(const struct store *s);
struct sqlite3 *store_database(const struct store *s); /* for queries */

enum store_found {
    STORE_NOTHING, /* no run has the key */
    STORE_RIGHT,   /* a run that came to its end with the right result */
    STORE_WRONG,   /* a run that came to its end with a wrong result, or with a fault: another would, too */
    STORE_FAILED   /* a run that failed: by a limit, a signal or an error */
};

/* What the store has by a key. Of a run that is there, `result` gets what came of it, unless it is NULL; result_free()
 * frees it. False and an error text if the store cannot be read. */
bool store_get(struct store *s, const char *key, enum store_found *found, struct result *result, char **error);
/* Adds a result. A failed run with the key is replaced; any other is kept, since it has the same result. False and an
 * error text if the store cannot be written; then it is as before. */
bool store_put(struct store *s, const struct task *task, const struct result *result, char **error);

#endif
