/* What was found, as one JSON object: see print.h. */
#include "base/json.h"
#include "explain/print.h"

#include <inttypes.h>
#include <limits.h>

static const char *truth(bool is_true)
{
    return is_true ? "true" : "false";
}

/* A number that is missing if it is 0. */
static void print_known(struct text *out, const char *name, double value)
{
    if (value > 0)
        text_printf(out, ",\"%s\":%.6g", name, value);
    else
        text_printf(out, ",\"%s\":null", name);
}

static void print_kernel(const struct explanation *e, int index, struct text *out)
{
    const struct evidence_kernel *k = &e->findings->evidence->kernels.data[index];
    const struct finding_kernel *about = &e->findings->kernels[index];
    const char *why = NULL;
    bool is_none = findings_are_none(e->findings, index, &why);
    text_printf(out, "{\"kernel\":");
    json_print_string(out, k->name);
    text_printf(out,
                ",\"launches\":%d,\"issues\":%" PRIu64 ",\"thread_instructions\":%" PRIu64
                ",\"bound_issues\":%.10g,\"lost_share\":%.6g,\"sectors\":%" PRIu64 ",\"sector_excess\":%.6g",
                k->launches, k->issues, k->threads, (double)k->threads / 32, about->loss, k->sectors, about->excess);
    print_known(out, "cycles", about->cycles);
    print_known(out, "bound_cycles", about->bound_cycles);
    text_printf(out, ",\"nothing_to_gain\":%s,\"why\":", truth(is_none));
    json_print_string(out, is_none ? why : NULL);
    text_printf(out, ",\"mechanisms\":[");
    for (int i = 0; i < e->mechanism_count; i++) {
        const struct evidence_kernel *m = evidence_find(&e->mechanisms[i].result, k->name);
        text_printf(out, "%s{\"mechanism\":\"%s\"", i ? "," : "", e->mechanisms[i].name);
        print_known(out, "cycles", m ? (double)m->cycles : 0);
        print_known(out, "gain", m && m->cycles ? about->cycles / (double)m->cycles : 0);
        text_printf(out, "}");
    }
    text_printf(out, "]}");
}

static void print_gain(const struct finding_gain *g, const char *line, struct text *out)
{
    struct text pattern = {0};
    remedy_print_pattern(g->remedy, line, INT_MAX, 0, &pattern);
    text_printf(out, "{\"remedy\":\"%s\",\"what\":", g->remedy->name);
    json_print_string(out, g->remedy->what);
    text_printf(out, ",\"option\":");
    json_print_string(out, g->variant ? g->variant->option : NULL);
    text_printf(out, ",\"value\":");
    json_print_string(out, g->variant ? g->variant->value : NULL);
    print_known(out, "issues_gain", g->issues);
    print_known(out, "sectors_gain", g->variant ? g->sectors : 0);
    print_known(out, "gain", g->variant ? g->cycles > 0 ? g->cycles : g->time : 0);
    print_known(out, "cycles_gain", g->cycles);
    print_known(out, "least_blocks", g->variant ? (double)g->least_blocks : 0);
    text_printf(out, ",\"promised\":%s,\"refusal\":", truth(g->is_promised));
    json_print_string(out, g->refusal);
    text_printf(out, ",\"pattern\":");
    json_print_string(out, pattern.data);
    text_free(&pattern);
    text_printf(out, "}");
}

static void print_finding(const struct explanation *e, const struct finding *at, struct text *out)
{
    const struct evidence_branch *b = at->branch;
    text_printf(out, "{\"kernel\":");
    json_print_string(out, e->findings->evidence->kernels.data[at->kernel].name);
    text_printf(out, ",\"where\":");
    json_print_string(out, b ? b->where : at->access->where);
    text_printf(out, ",\"text\":");
    json_print_string(out, b ? b->text : at->access->text);
    text_printf(out, ",\"kind\":\"%s\",\"share\":%.6g,\"share_of_all\":%.6g", kind_names[at->kind], at->share,
                at->of_launch);
    if (b) {
        text_printf(out,
                    ",\"pc\":%" PRId32 ",\"block\":\"%s\",\"branches\":%d,\"executed\":%" PRIu64
                    ",\"diverged\":%" PRIu64 ",\"lost_issues\":%.10g,\"bound_lost_issues\":0",
                    b->pc, b->block, b->copies, b->executed, b->diverged, (double)b->lost / 32);
        text_printf(out, ",\"recon\":");
        if (b->estimate.pattern) {
            text_printf(out, "{\"pattern\":\"%s\",\"gain\":%.6g,\"refusal\":", b->estimate.pattern, b->estimate.gain);
            json_print_string(out, b->estimate.refusal);
            text_printf(out, "}");
        } else {
            text_printf(out, "null");
        }
    } else {
        text_printf(out, ",\"sectors\":%" PRIu64 ",\"accesses\":%" PRIu64, at->access->sectors, at->access->issues);
    }
    text_printf(out, ",\"mechanism\":");
    json_print_string(out, kind_mechanism(at->kind));
    text_printf(out, ",\"remedies\":[");
    for (int g = 0; g < at->gain_count; g++) {
        text_printf(out, g ? "," : "");
        print_gain(&at->gains[g], b ? b->text : NULL, out);
    }
    text_printf(out, "]}");
}

void explanation_print_json(const struct explanation *e, struct text *out)
{
    const struct findings *f = e->findings;
    text_printf(out, "{\"target\":");
    json_print_string(out, e->target);
    text_printf(out, ",\"gpu\":");
    json_print_string(out, e->gpu);
    text_printf(out, ",\"kernels\":[");
    for (int i = 0; i < f->evidence->kernels.count; i++) {
        text_printf(out, i ? "," : "");
        print_kernel(e, i, out);
    }
    text_printf(out, "],\"findings\":[");
    for (int i = 0; i < f->list.count; i++) {
        text_printf(out, i ? "," : "");
        print_finding(e, &f->list.data[i], out);
    }
    text_printf(out, "]}\n");
}
