/* Papers: whether heddle run takes what their runs ask for, known before the first of hours of runs. See paper.h. */
#include "study/paper.h"

#include "base/text.h"
#include "run/request.h"

#include <stdlib.h>

/* The options in the order in which a trial has them. */
static bool are_accepted(const struct paper *p, const struct paper_run *run, const struct paper_program *program,
                         char **why)
{
    struct run_request request;
    struct text words = {0};
    request_open(&request);
    text_printf(&words, "%s %s --gpu '%s'", run->words, program->words, p->gpu);
    bool ok = options_take_text(&request.options, words.data, why) && request_settle(&request, why);
    text_free(&words);
    request_close(&request);
    return ok;
}

/* The line to blame: that of the program if the run is accepted without the program's own options. */
static int line_to_blame(const struct paper *p, const struct paper_run *run, const struct paper_program *program)
{
    char *why = NULL;
    struct paper_program plain = *program;
    plain.words = "";
    bool is_program = are_accepted(p, run, &plain, &why);
    free(why);
    return is_program ? program->line : run->line;
}

bool paper_check_runs(const struct paper *p, char **error)
{
    for (int r = 0; r < p->run_count; r++)
        for (int i = 0; i < p->program_count; i++) {
            char *why = NULL;
            struct text message = {0};
            if (are_accepted(p, &p->runs[r], &p->programs[i], &why))
                continue;
            text_printf(&message, "%s:%d: the run %s of %s: %s", p->ini_path,
                        line_to_blame(p, &p->runs[r], &p->programs[i]), p->runs[r].name, p->programs[i].label, why);
            free(why);
            *error = text_take(&message);
            return false;
        }
    return true;
}
