/* The store: see store.h. */
#define _GNU_SOURCE
#include "store/internal.h"

#include "base/arena.h"
#include "base/diag.h"
#include "store/schema.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 }; /* how long another process may keep the store locked */

struct store {
    sqlite3 *database;
    char *path;
};

const char *store_path(const struct store *s)
{
    return s->path;
}

struct sqlite3 *store_database(const struct store *s)
{
    return s->database;
}

/* ---- errors ---- */

bool store_fail(const struct store *s, const char *what, char **error)
{
    int code = sqlite3_errcode(s->database) & 0xff;
    const char *full = code == SQLITE_FULL ? "the disk is full"
                       : sqlite3_extended_errcode(s->database) == SQLITE_IOERR_WRITE
                           ? "a write failed, by a limit of the size of files or an error of the disk"
                           : NULL;
    if (full)
        return diag_fail(error,
                         "cannot %s the store %s: %s. What is stored stays; with more room, the same command goes on "
                         "from there",
                         what, s->path, full);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return diag_fail(error, "cannot %s the store %s: another process has kept it locked for a minute", what,
                         s->path);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return diag_fail(error, "%s is no store of heddle, or is damaged: %s", s->path, sqlite3_errmsg(s->database));
    return diag_fail(error, "cannot %s the store %s: %s", what, s->path, sqlite3_errmsg(s->database));
}

/* ---- statements ---- */

bool store_execute(const struct store *s, const char *sql, char **error)
{
    return sqlite3_exec(s->database, sql, NULL, NULL, NULL) == SQLITE_OK || store_fail(s, "write", error);
}

/* The number that a statement without parameters gives; false and an error text. */
static bool read_number(const struct store *s, const char *sql, int *number, char **error)
{
    sqlite3_stmt *statement = NULL;
    bool ok = sqlite3_prepare_v2(s->database, sql, -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW;
    if (ok)
        *number = sqlite3_column_int(statement, 0);
    else
        store_fail(s, "read", error);
    sqlite3_finalize(statement);
    return ok;
}

/* ---- opening ---- */

/* Whether other machines may see the file: memory that processes share, as the write-ahead log needs, does not work
 * there. */
static bool is_on_network(const char *path)
{
    static const unsigned long types[] = {
        0x6969,     0x517b,     0xff534d42, 0xfe534d42, 0x0bd00bd0, 0x47504653, /* NFS, SMB, CIFS, SMB2, Lustre, GPFS */
        0x19830326, 0x00c36400, 0x5346414f, 0x01021997, 0xaad7aaea, 0x65735546, /* BeeGFS, Ceph, AFS, 9P, PanFS, FUSE */
    };
    struct statfs about;
    if (statfs(path, &about))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((unsigned long)about.f_type % 0x100000000 == types[i])
            return true;
    return false;
}

/* A file without tables that no program has marked: a new store. */
static bool is_empty(const struct store *s, bool *empty, char **error)
{
    int tables = 0, application = 0;
    bool ok = read_number(s, "SELECT count(*) FROM sqlite_schema", &tables, error) &&
              read_number(s, "PRAGMA application_id", &application, error);
    *empty = !tables && !application;
    return ok;
}

static bool check(const struct store *s, char **error)
{
    int application = 0, version = 0;
    if (!read_number(s, "PRAGMA application_id", &application, error) ||
        !read_number(s, "PRAGMA user_version", &version, error))
        return false;
    if (application != SCHEMA_APPLICATION)
        return diag_fail(error, "%s is no store of heddle: it is a database of another program", s->path);
    if (version > SCHEMA_VERSION)
        return diag_fail(error,
                         "%s is the store of a newer heddle: its tables are version %d, and this heddle knows %d",
                         s->path, version, SCHEMA_VERSION);
    return true;
}

/* Makes the tables, unless another process has made them meanwhile. */
static bool make_tables(const struct store *s, char **error)
{
    struct text sql = {0};
    bool is_new = false;
    schema_print(&sql);
    bool ok = store_execute(s, "BEGIN IMMEDIATE", error) && is_empty(s, &is_new, error) &&
              (!is_new || store_execute(s, sql.data, error)) && store_execute(s, "COMMIT", error);
    if (!ok)
        sqlite3_exec(s->database, "ROLLBACK", NULL, NULL, NULL);
    text_free(&sql);
    return ok;
}

/* Chooses how the file is kept whole. Where two processes do so for a new file at the same time, SQLite turns one of
 * them away at once, however long it may wait for a lock: each holds what the other one waits for. */
static bool set_journal(const struct store *s, char **error)
{
    enum { PAUSE_MS = 2 };
    const char *journal = is_on_network(s->path) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL";
    time_t end = time(NULL) + PATIENCE_MS / 1000;
    int code;
    while ((code = sqlite3_exec(s->database, journal, NULL, NULL, NULL)) == SQLITE_BUSY && time(NULL) < end)
        sqlite3_sleep(PAUSE_MS);
    return code == SQLITE_OK || store_fail(s, "write", error);
}

static bool prepare(const struct store *s, char **error)
{
    bool is_new = false;
    if (!is_empty(s, &is_new, error) || (!is_new && !check(s, error)))
        return false;
    return set_journal(s, error) && store_execute(s, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON", error) &&
           (!is_new || make_tables(s, error)) && check(s, error);
}

/* sqlite3_open_v2, for a process that waits while others have the file locked. */
static int open_patiently(struct store *s, const char *path, int flags)
{
    int code = sqlite3_open_v2(path, &s->database, flags, NULL);
    if (code == SQLITE_OK)
        sqlite3_busy_timeout(s->database, PATIENCE_MS);
    return code;
}

/* Opens the file to read it. In a folder that cannot be written SQLite can only read a file that nobody writes. */
static int open_to_read(struct store *s)
{
    struct text wal = {0}, uri = {0};
    text_printf(&wal, "%s-wal", s->path);
    int code = open_patiently(s, s->path, SQLITE_OPEN_READONLY);
    if (code == SQLITE_OK)
        code = sqlite3_exec(s->database, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    if (code == SQLITE_CANTOPEN && !access(s->path, R_OK) && access(wal.data, F_OK)) {
        sqlite3_close(s->database);
        text_printf(&uri, "file:");
        for (const char *c = s->path; *c; c++)
            text_printf(&uri, strchr("?#%", *c) ? "%%%02x" : "%c", (unsigned char)*c);
        text_printf(&uri, "?immutable=1");
        code = open_patiently(s, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    }
    text_free(&wal);
    text_free(&uri);
    return code;
}

static bool open_file(struct store *s, enum store_mode mode, char **error)
{
    struct stat about;
    if (mode == STORE_READ && access(s->path, R_OK))
        return diag_fail(error, "cannot read the store %s: %s", s->path, strerror(errno));
    if (!stat(s->path, &about) && !S_ISREG(about.st_mode))
        return diag_fail(error, "%s is no store of heddle: it is not a file", s->path);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int code = mode == STORE_READ ? open_to_read(s) : open_patiently(s, s->path, flags);
    if (code != SQLITE_OK)
        return store_fail(s, "open", error);
    return mode == STORE_READ ? check(s, error) : prepare(s, error);
}

struct store *store_open(const char *path, enum store_mode mode, char **error)
{
    struct store *s = xcalloc(1, sizeof *s);
    s->path = strdup(path);
    if (open_file(s, mode, error))
        return s;
    store_close(s);
    return NULL;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_close(s->database);
    free(s->path);
    free(s);
}
