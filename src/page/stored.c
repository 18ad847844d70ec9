/* The runs of a store, for a page. */
#include "page/internal.h"

#include "base/diag.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* "heddle run bfs2 ..." from the JSON array of a task's words. */
static char *command_of(const char *words)
{
    char *error = NULL;
    cJSON *json = words ? json_read(words, &error) : NULL;
    const cJSON *word;
    struct vec_of(char *) list = {0};
    struct text out = {0};
    vec_push(&list, "heddle");
    cJSON_ArrayForEach(word, json) if (cJSON_IsString(word)) vec_push(&list, word->valuestring);
    page_print_words(list.data, list.count, &out);
    vec_free(&list);
    cJSON_Delete(json);
    free(error);
    return text_take(&out);
}

static const char *column(sqlite3_stmt *s, int i)
{
    const char *text = (const char *)sqlite3_column_text(s, i);
    return text && *text ? text : NULL;
}

static void add_run(struct page *p, sqlite3_stmt *s)
{
    char *command = command_of(column(s, 7));
    runs_add(&p->runs, &(struct page_run){.name = column(s, 0),
                                          .gpu = column(s, 1),
                                          .mechanism = column(s, 2),
                                          .size = column(s, 3),
                                          .settings = column(s, 4),
                                          .scheduler = column(s, 5),
                                          .failure = column(s, 6),
                                          .command = command});
    free(command);
}

bool page_add_store(struct page *p, struct store *s, char **error)
{
    sqlite3 *db = store_database(s);
    sqlite3_stmt *runs = NULL, *figures = NULL;
    int status = sqlite3_prepare_v2(db,
                                    "SELECT name, gpu, mechanism, size, settings, scheduler, failure, words, id"
                                    " FROM run ORDER BY name, gpu, settings, size, mechanism, id",
                                    -1, &runs, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_prepare_v2(db,
                                    "SELECT path.path, sum FROM figure JOIN path ON path.id = figure.path"
                                    " WHERE run = ?1",
                                    -1, &figures, NULL);
    while (status == SQLITE_OK && sqlite3_step(runs) == SQLITE_ROW) {
        int run = p->runs.count;
        add_run(p, runs);
        sqlite3_reset(figures);
        sqlite3_bind_int64(figures, 1, sqlite3_column_int64(runs, 8));
        while ((status = sqlite3_step(figures)) == SQLITE_ROW)
            runs_add_figure(&p->runs, run, column(figures, 0), sqlite3_column_double(figures, 1));
        status = status == SQLITE_DONE ? SQLITE_OK : status;
    }
    if (status == SQLITE_OK)
        status = sqlite3_errcode(db) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(db);
    bool ok =
        status == SQLITE_OK || diag_fail(error, "cannot read the store %s: %s", store_path(s), sqlite3_errmsg(db));
    sqlite3_finalize(runs);
    sqlite3_finalize(figures);
    return ok;
}
