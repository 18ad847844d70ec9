/* heddle list kernels: the kernels of a PTX file, fat binary or program, and their parameters. */
#include "cli/list.h"

#include "base/demangle.h"
#include "base/json.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Compilers call parameters KERNEL_param_0, KERNEL_param_1: only what follows the kernel's name says anything. */
static const char *short_name(const struct ptx_function *k, const char *parameter)
{
    size_t length = strlen(k->name);
    return !strncmp(parameter, k->name, length) && parameter[length] == '_' ? parameter + length + 1 : parameter;
}

static void kernel_text(const struct ptx_function *k)
{
    char *declaration = demangle(k->name);
    printf("%s\n", k->name);
    if (declaration)
        printf("       %s\n", declaration);
    free(declaration);
    for (int i = 0; i < k->parameter_count; i++) {
        const struct ptx_variable *p = k->parameters[i];
        printf("  %3d  %-5s %6" PRIu64 " bytes%s  %s\n", i, type_table[p->type].text, p->size_bytes,
               p->is_array     ? " (structure)"
               : p->is_pointer ? " (pointer)"
                               : "",
               short_name(k, p->name));
    }
}

static void kernel_json(const struct ptx_function *k)
{
    struct text t = {0};
    text_printf(&t, "{\"kernel\":");
    json_print_string(&t, k->name);
    char *declaration = demangle(k->name);
    if (declaration) {
        text_printf(&t, ",\"declaration\":");
        json_print_string(&t, declaration);
    }
    free(declaration);
    text_printf(&t, ",\"parameters\":[");
    for (int i = 0; i < k->parameter_count; i++) {
        const struct ptx_variable *p = k->parameters[i];
        text_printf(&t, "%s{\"name\":", i ? "," : "");
        json_print_string(&t, p->name);
        text_printf(&t, ",\"type\":\"%s\",\"bytes\":%" PRIu64 "}", type_table[p->type].text, p->size_bytes);
    }
    text_printf(&t, "]}");
    printf("%s\n", t.data);
    text_free(&t);
}

int list_kernels(const struct list_request *r)
{
    if (!r->path)
        return cli_misuse("list", "kernels of which file? heddle list kernels FILE");
    struct ptx_module *module = cli_load(r->path);
    if (!module)
        return STATUS_INPUT;
    int count = 0;
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *f = module->functions[i];
        if (!cli_is_kernel(f))
            continue;
        count++;
        if (r->format == LIST_NAMES)
            puts(f->name);
        else if (r->format == LIST_JSON)
            kernel_json(f);
        else
            kernel_text(f);
    }
    int status = count ? STATUS_OK : cli_fail("%s holds no kernel", r->path);
    ptx_destroy(module);
    return status;
}
