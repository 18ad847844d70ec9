/* Candidates that detection found, as text: see detect.h. */
#include "base/demangle.h"
#include "flow/print.h"
#include "recon/detect.h"

void detection_print(const struct detection *d, const struct program *program, struct text *out)
{
    char where[256];
    text_printf(out, "candidates in ");
    demangle_print(program->kernel->name, out);
    text_printf(out, ": %d\n", d->list.count);
    for (int i = 0; i < d->list.count; i++) {
        const struct detected *e = &d->list.data[i];
        text_printf(out, "  %s, branch at ", e->prediction.origin);
        program_print_pc(program, program->branches[e->branch].pc, out);
        text_printf(out, " (%s), point at ",
                    program_where(program, program->branches[e->branch].pc, where, sizeof where));
        program_print_pc(program, e->prediction.label, out);
        text_printf(out, "\n    common code costs %.0f, the rest %.0f; estimated gain %.2f", e->common, e->rest,
                    e->gain);
        if (e->threshold)
            text_printf(out, "; best with a threshold of %d", e->threshold);
        text_printf(out, "\n    %s%s\n", e->refusal ? "left alone: " : "taken as ",
                    e->refusal ? e->refusal : e->prediction.name);
    }
}
