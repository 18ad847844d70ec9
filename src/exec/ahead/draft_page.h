/* Pages of a draft, for the files that implement drafts (draft.h). */
#ifndef HEDDLE_EXEC_AHEAD_DRAFT_PAGE_H
#define HEDDLE_EXEC_AHEAD_DRAFT_PAGE_H

#include "exec/ahead/draft.h"

/* Written bytes of a page, and their mask, are a chunk of a slab. */
enum { CHUNK_BYTES = DRAFT_PAGE_BYTES + DRAFT_PAGE_BYTES / 8, SLAB_CHUNKS = 64 };

/* The page with this number; NULL: the map does not have it. Valid until the next draft_page_of(). */
struct draft_page *draft_find(const struct draft_map *m, uintptr_t number);
/* As draft_find(), and adds the page if the map does not have it. */
struct draft_page *draft_page_of(struct draft_map *m, uintptr_t number);
/* Room for the written bytes of a page, with an empty mask. */
uint8_t *draft_chunk(struct draft *d);

#endif
