/*
 * Where the files are that come with heddle: workloads and their sources, libcuda, headers, examples, machines, papers.
 *
 * No path is compiled in. Folders are looked for from the folder of the running command: first where the build puts
 * them, then where an installation puts them (PREFIX/bin/heddle, PREFIX/lib/heddle, PREFIX/include/heddle,
 * PREFIX/share/heddle), so that heddle can be moved, and staged under another root, as a whole.
 */
#ifndef HEDDLE_STUDY_INSTALLED_H
#define HEDDLE_STUDY_INSTALLED_H

struct installed_folder {
    const char *name;
    const char *in_build, *in_prefix; /* from the folder of the command */
    const char *mark;                 /* a file by which the folder is known to be heddle's */
    const char *meaning;
};

/* The last one has no name. */
extern const struct installed_folder installed_folders[];

/* The path of a file in a folder of this name, or of the folder itself if the file is NULL; owned by the caller.
 * NULL: there is no such file. */
char *installed_path(const char *folder, const char *file);

#endif
