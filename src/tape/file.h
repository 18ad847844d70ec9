/*
 * The file of a recording: a header with the version, then sections. Each section has a kind, a key, its length, a
 * checksum, and its bytes, compressed with zstd. The last section closes the file.
 *
 * A file is written without a name (where the file system has no such files, as NAME.PROCESS.part), and gets its own
 * name only when it is complete. So a recording that was stopped, or that found the disk full, leaves no file that
 * looks whole. Readers trust nothing: lengths are held against the size of the file, checksums against the bytes, and
 * what the sections say against what they hold.
 */
#ifndef HEDDLE_TAPE_FILE_H
#define HEDDLE_TAPE_FILE_H

#include "tape/bytes.h"

/* Kinds of sections, in the order in which they may follow: one head; then modules and launches, each launch behind the
 * module that it names and behind its own blocks; the end. */
enum tape_kind {
    TAPE_HEAD = 1, /* the recorded run: its machine, its options */
    TAPE_MODULE,   /* a module in device memory; key: its number */
    TAPE_BLOCK,    /* a thread block (tape/block.h); key: its number in the grid */
    TAPE_LAUNCH,   /* the launch of the blocks before it; key: its number */
    TAPE_END       /* key: number of sections before it */
};

/* ---- writing ---- */

struct tape_writer;
/* NULL and an error text (freed by the caller) if the file cannot be made. */
struct tape_writer *tape_writer_open(const char *path, char **error);
/* Appends a section. After an error nothing more is written; tape_writer_finish() tells. */
void tape_writer_put(struct tape_writer *w, enum tape_kind kind, uint64_t key, const struct bytes *content);
/* The place behind the last section, and a way back to it: sections written since are void. */
struct tape_place {
    uint64_t offset, sections;
};
struct tape_place tape_writer_place(const struct tape_writer *w);
void tape_writer_go_back(struct tape_writer *w, struct tape_place place);
/* Closes the file and gives it its name; or removes it and returns false and an error text (freed by the caller). Frees
 * the writer. */
bool tape_writer_finish(struct tape_writer *w, char **error);
void tape_writer_abandon(struct tape_writer *w); /* removes the file and frees the writer; `w` may be NULL */

/* ---- reading ---- */

struct tape_section {
    enum tape_kind kind;
    uint64_t key, offset, packed_bytes, bytes; /* the bytes are at `offset`; `bytes` counts them uncompressed */
    uint64_t hash;
};

struct tape_reader {
    int descriptor;
    char *path;
    struct tape_section *section;
    size_t count; /* without TAPE_END */
    uint64_t file_bytes;
};

/* Reads the list of sections. NULL and an error text (freed by the caller) if the file is no complete recording. */
struct tape_reader *tape_reader_open(const char *path, char **error);
void tape_reader_close(struct tape_reader *r);
/* The uncompressed bytes of a section. False and an error text (freed by the caller) if they are damaged. */
bool tape_reader_get(const struct tape_reader *r, const struct tape_section *section, struct bytes *content,
                     char **error);

#endif
