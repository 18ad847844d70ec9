/* The end of a case, and a case as a file; see case.h. */
#include "case.h"

#include <stdlib.h>

void case_destroy(struct test_case *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->arg_count; i++)
        free(c->arg[i].data);
    free(c->texture);
    free(c->name);
    free(c->ptx);
    free(c->kernel);
    free(c);
}

/* A list that is shorter than the buffer is repeated, so equal bytes need one value. */
static void write_values(const struct case_arg *arg, FILE *out)
{
    const unsigned char *bytes = arg->data;
    size_t count = 1;
    for (size_t i = 1; i < arg->bytes; i++)
        if (bytes[i] != bytes[0])
            count = arg->bytes;
    fprintf(out, "arg buffer u8 %zu values ", arg->bytes);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%u", i ? "," : "", bytes[i]);
    fputs(arg->is_output ? " out\n" : "\n", out);
}

void case_write(const struct test_case *c, const char *name, FILE *out)
{
    fprintf(out, "case %s\nkernel %s\ngrid %u %u %u\nblock %u %u %u\nshared %u\n", name, c->kernel, c->grid[0],
            c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared_bytes);
    for (int i = 0; i < c->arg_count; i++) {
        const struct case_arg *arg = &c->arg[i];
        if (arg->is_buffer) {
            write_values(arg, out);
            continue;
        }
        fputs("arg bytes ", out);
        for (size_t k = 0; k < arg->bytes; k++)
            fprintf(out, "%02x", ((const unsigned char *)arg->data)[k]);
        fputs("\n", out);
    }
    fputs("end\n", out);
}
