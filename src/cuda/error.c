/* Error codes of the driver API: their names and meanings. */
#include "cuda/driver.h"

struct error_row {
    CUresult code;
    const char *name, *text;
};

static const struct error_row error_table[] = {
#define BOTH(number, code, runtime_name, text) {code, #code, text},
#define DRIVER_ONLY(number, code, text)        {code, #code, text},
#define RUNTIME_ONLY(number, code, text)
#include "api/errors.def"
};

static const struct error_row *find_error(CUresult error)
{
    for (size_t i = 0; i < sizeof error_table / sizeof error_table[0]; i++)
        if (error_table[i].code == error)
            return &error_table[i];
    return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    const struct error_row *row = find_error(error);
    if (name)
        *name = row ? row->name : NULL;
    return row && name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const struct error_row *row = find_error(error);
    if (text)
        *text = row ? row->text : NULL;
    return row && text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
