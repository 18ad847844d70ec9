/* Notes on a program: see notes.h. */
#define _GNU_SOURCE
#include "run/notes.h"

#include "base/arena.h"
#include "base/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct notes {
    char *kernel;
    uint64_t tolerated_reads, block_conflicts;
    char *tolerated_at, *conflict_at; /* where the first happened; NULL: not known */
    UT_hash_handle hh;
};

static void keep_first(char **kept, const char *place)
{
    if (!*kept && place && *place)
        *kept = strdup(place);
}

void notes_add(struct notes **notes, const char *kernel, const struct note *note)
{
    struct notes *n;
    if (!note->tolerated_reads && !note->block_conflicts)
        return;
    HASH_FIND_STR(*notes, kernel, n);
    if (!n) {
        n = xcalloc(1, sizeof *n);
        n->kernel = strdup(kernel);
        HASH_ADD_KEYPTR(hh, *notes, n->kernel, strlen(n->kernel), n);
    }
    n->tolerated_reads += note->tolerated_reads;
    n->block_conflicts += note->block_conflicts;
    keep_first(&n->tolerated_at, note->tolerated_at);
    keep_first(&n->conflict_at, note->conflict_at);
}

static void print_place(const char *place, struct text *out)
{
    if (place)
        text_printf(out, " (first at %s)", place);
}

void notes_print(const struct notes *notes, struct text *out)
{
    for (const struct notes *n = notes; n; n = n->hh.next) {
        char *name = demangle_short(n->kernel);
        if (n->tolerated_reads) {
            text_printf(out, "heddle: %" PRIu64 " read%s out of bounds returned 0 in kernel %s", n->tolerated_reads,
                        n->tolerated_reads == 1 ? "" : "s", name);
            print_place(n->tolerated_at, out);
            text_printf(out, ", as --tolerate reads asks\n");
        }
        if (n->block_conflicts) {
            text_printf(out, "heddle: in kernel %s, %" PRIu64 " store%s changed a word that another block had written",
                        name, n->block_conflicts, n->block_conflicts == 1 ? "" : "s");
            print_place(n->conflict_at, out);
            text_printf(out, "; the result depends on the order of blocks. --check races names both sides\n");
        }
        free(name);
    }
}

void notes_free(struct notes **notes)
{
    struct notes *n, *next;
    HASH_ITER(hh, *notes, n, next)
    {
        HASH_DEL(*notes, n);
        free(n->kernel);
        free(n->tolerated_at);
        free(n->conflict_at);
        free(n);
    }
}
