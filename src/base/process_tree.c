/* Process trees: see process_tree.h. */
#include "base/process_tree.h"

#include "base/vec.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

struct process_list vec_of(pid_t);

/* Adds the children that one thread of a process has started. */
static void add_children(struct process_list *list, pid_t process, const char *thread)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%.16s/children", (int)process, thread);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1)
        vec_push(list, (pid_t)child);
    if (file)
        fclose(file);
}

/* The processes of a tree, a parent before its children. */
static struct process_list list_tree(pid_t root)
{
    struct process_list list = {0};
    vec_push(&list, root);
    for (int i = 0; i < list.count; i++) {
        char path[32];
        snprintf(path, sizeof path, "/proc/%d/task", (int)list.data[i]);
        DIR *threads = opendir(path);
        for (struct dirent *t; threads && (t = readdir(threads));)
            if (*t->d_name != '.')
                add_children(&list, list.data[i], t->d_name);
        if (threads)
            closedir(threads);
    }
    return list;
}

uint64_t process_tree_bytes(pid_t root)
{
    struct process_list list = list_tree(root);
    uint64_t pages = 0;
    for (int i = 0; i < list.count; i++) {
        char path[32];
        unsigned long long resident = 0, shared = 0;
        snprintf(path, sizeof path, "/proc/%d/statm", (int)list.data[i]);
        FILE *file = fopen(path, "re");
        if (file && fscanf(file, "%*u %llu %llu", &resident, &shared) == 2 && resident > shared)
            pages += resident - shared;
        if (file)
            fclose(file);
    }
    vec_free(&list);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void process_tree_kill(pid_t root)
{
    struct process_list list = list_tree(root);
    for (int i = 0; i < list.count; i++)
        kill(list.data[i], SIGKILL);
    vec_free(&list);
}
