/* Texts of the source files that line tables name, as report/source.h finds them. A file that is found nowhere is left
 * out; the page then shows PTX. */
#include "page/internal.h"

#include "base/pack.h"
#include "report/source.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE_MOST_BYTES = 1 << 20 }; /* a longer file is generated, and nobody reads it */

/* Whether any PC of the program has the file with this number. */
static bool is_used(const cJSON *places, int number)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(places, "file"), *file;
    cJSON_ArrayForEach(file, files) if (file->valueint == number) return true;
    return false;
}

static void print_files_of(const cJSON *places, cJSON *known, struct text *out)
{
    const cJSON *file;
    cJSON_ArrayForEach(file, cJSON_GetObjectItemCaseSensitive(places, "files"))
    {
        if (!cJSON_IsString(file) || cJSON_HasObjectItem(known, file->valuestring) ||
            !is_used(places, atoi(file->string)))
            continue;
        char *text = sources_read(file->valuestring, SOURCE_MOST_BYTES);
        cJSON_AddNullToObject(known, file->valuestring);
        if (text) {
            text_printf(out, "%s", out->data[out->length - 1] == '{' ? "" : ",");
            json_print_string(out, file->valuestring);
            text_printf(out, ":");
            pack_text(text, strlen(text), out);
        }
        free(text);
    }
}

void page_sources_print(const cJSON *programs, struct text *out)
{
    const cJSON *program;
    cJSON *known = cJSON_CreateObject();
    text_printf(out, "{");
    cJSON_ArrayForEach(program, programs)
        print_files_of(cJSON_GetObjectItemCaseSensitive(program, "places"), known, out);
    text_printf(out, "}");
    cJSON_Delete(known);
}
