/* Error codes of the runtime API: their names and meanings. */
#include "runtime/runtime.h"

struct error_row {
    cudaError_t code;
    const char *name, *text;
};

static const struct error_row error_table[] = {
#define BOTH(number, driver_code, code, text) {code, #code, text},
#define RUNTIME_ONLY(number, code, text)      {code, #code, text},
#define DRIVER_ONLY(number, code, text)
#include "api/errors.def"
};

static const struct error_row *find_error(cudaError_t error)
{
    for (size_t i = 0; i < sizeof error_table / sizeof error_table[0]; i++)
        if (error_table[i].code == error)
            return &error_table[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const struct error_row *row = find_error(error);
    return row ? row->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const struct error_row *row = find_error(error);
    return row ? row->text : "unrecognized error code";
}
