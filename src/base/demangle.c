/* Names of C++ kernels: see demangle.h. */
#define _GNU_SOURCE
#include "base/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *buffer, size_t *bytes, int *status);

/* A C++ program has the function already. The library that is loaded here is never unloaded. */
static demangler *find_demangler(void)
{
    demangler *found = (demangler *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = found ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    return library ? (demangler *)dlsym(library, "__cxa_demangle") : found;
}

char *demangle(const char *name)
{
    int status = 0;
    demangler *function = strncmp(name, "_Z", 2) ? NULL : find_demangler();
    return function ? function(name, NULL, NULL, &status) : NULL;
}

/* Where the bracket that closes at `end` opens; NULL: nowhere. `end` is the closing bracket. */
static char *opening(char *begin, char *end)
{
    int depth = 0;
    for (char *at = end; at >= begin; at--) {
        depth += (*at == ')' || *at == '>') - (*at == '(' || *at == '<');
        if (!depth)
            return at;
    }
    return NULL;
}

/* The parameters are the last pair of parentheses. What stands before the name's first character, up to a blank outside
 * all brackets, is the type of the result. */
char *demangle_cut(char *declaration)
{
    char *end = declaration + strlen(declaration), *close = strrchr(declaration, ')');
    char *open = close ? opening(declaration, close) : NULL;
    if (open && open > declaration)
        *(end = open) = '\0';
    char *begin = declaration;
    int depth = 0;
    for (char *at = declaration; at < end; at++) {
        depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
        if (*at == ' ' && !depth)
            begin = at + 1;
    }
    return begin;
}

size_t demangle_qualifier(const char *name)
{
    size_t last = 0;
    int depth = 0;
    for (size_t i = 0; name[i]; i++) {
        depth += (name[i] == '<' || name[i] == '(') - (name[i] == '>' || name[i] == ')');
        if (!depth && name[i] == ':' && name[i + 1] == ':')
            last = i + 2;
    }
    return last;
}

char *demangle_short(const char *name)
{
    char *whole = demangle(name);
    char *found = strdup(whole ? demangle_cut(whole) : name);
    free(whole);
    return found;
}

void demangle_print(const char *name, struct text *out)
{
    char *shown = demangle_short(name);
    text_printf(out, "%s", shown);
    free(shown);
}
