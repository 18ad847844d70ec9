/* Tables: what a query of a store gives, and its printers. */
#ifndef HEDDLE_STORE_TABLE_H
#define HEDDLE_STORE_TABLE_H

#include "base/vec.h"
#include "store/store.h"

struct table_cell {
    char *text;     /* NULL: nothing is known. Owned */
    bool is_number; /* the text is one */
};

struct table {
    struct vec_of(char *) names;            /* of columns; owned */
    struct vec_of(struct table_cell) cells; /* row by row */
};

/* Fills a table that is zero with the rows of one SELECT, whose parameters are these texts. Whatever the SQL says, the
 * store is not changed. False and an error text. */
bool table_select(struct table *t, const struct store *s, const char *sql, const char *const *parameters, int count,
                  char **error);
void table_free(struct table *t);
int table_rows(const struct table *t);

/* Removes columns of which no row knows anything. */
void table_drop_empty(struct table *t);

/* Makes the text of a table no wider than so many columns, where that can be done: leaves out the columns whose names
 * are in `spare` (ended by NULL), one after the other, and texts that are the same in all rows, from the right on; then
 * cuts the widest texts in the middle. Without `spare` (NULL) no column is left out. Numbers and names of columns stay
 * whole, so that a table with many of them stays wider. */
void table_fit(struct table *t, int columns, const char *const *spare);

void table_print_text(const struct table *t, struct text *out);  /* columns of equal width, numbers to the right */
void table_print_csv(const struct table *t, struct text *out);   /* RFC 4180, with a heading */
void table_print_json(const struct table *t, struct text *out);  /* one object per line */
void table_print_latex(const struct table *t, struct text *out); /* a tabular environment */

#endif
