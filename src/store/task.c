/* Tasks: see task.h. */
#include "store/task.h"

#include "base/diag.h"

#include <stdlib.h>

#define FIELD(member, kind)                                  \
    {                                                        \
#member, FIELD_##kind, offsetof(struct task, member) \
    }

const struct field task_fields[TASK_FIELDS] = {
    FIELD(key, TEXT),           FIELD(build, TEXT),        FIELD(version, TEXT),
    FIELD(name, TEXT),          FIELD(gpu, TEXT),          FIELD(mechanism, TEXT),
    FIELD(size, TEXT),          FIELD(ptx, TEXT),          FIELD(hints, WHOLE),
    FIELD(settings, TEXT),      FIELD(program_hash, TEXT), FIELD(input_hash, TEXT),
    FIELD(configuration, TEXT), FIELD(words, TEXT),        FIELD(verifies_itself, WHOLE),
    FIELD(time_limit, REAL),    FIELD(memory_limit, REAL),
};

void task_print(const struct task *t, struct text *out)
{
    text_printf(out, "{\"heddle\":\"task\",");
    fields_print(task_fields, TASK_FIELDS, t, out);
    text_printf(out, "}\n");
}

bool task_read(struct task *t, const char *text, char **error)
{
    char *why = NULL;
    cJSON *object = json_read(text, &why);
    bool ok = object && fields_read(task_fields, TASK_FIELDS, t, object, &why);
    if (ok && (!t->key || !t->build || !t->words))
        ok = diag_fail(&why, "there is no key, build or command");
    cJSON_Delete(object);
    if (!ok) {
        diag_fail(error, "this is no task of heddle: %s", why);
        task_free(t);
    }
    free(why);
    return ok;
}

void task_free(struct task *t)
{
    fields_free(task_fields, TASK_FIELDS, t);
    *t = (struct task){0};
}
