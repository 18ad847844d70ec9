/* The verdicts of a paper, as text, JSON and CSV. */
#include "cli/paper_print.h"

#include "base/json.h"
#include "cli/cli.h"
#include "stat/stat.h"
#include "study/claim_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_wrapped(const char *words)
{
    struct text out = {0};
    cli_wrap(&out, 6, 6, words);
    printf("      %s", out.data);
    text_free(&out);
}

static void print_claim(const struct paper_request *r, const struct claim *c, const struct judgement *j)
{
    struct text about = {0}, why = {0};
    printf("%-5s %-9s %-18s %-26s %s\n", c->id, verdict_names[j->verdict], c->published,
           j->measured.data ? j->measured.data : "-", c->source);
    text_printf(&about, "%s: %s", c->programs, c->text);
    print_wrapped(about.data);
    text_printf(&why, "why: %s", c->why);
    if (*c->why && j->verdict != VERDICT_HOLDS)
        print_wrapped(why.data);
    if (r->wants_details && j->details.data)
        print_wrapped(j->details.data);
    text_free(&about);
    text_free(&why);
}

/* ---- records ---- */

static const char field_list[] = "id,kind,source,programs,claim,published,measured,verdict,numbers,details,why";

void paper_print_fields(bool is_sweep)
{
    printf("%s%s\n", field_list, is_sweep ? ",sweep,variant" : "");
}

static void print_number(double v, struct text *out)
{
    if (isnan(v))
        text_printf(out, "null");
    else
        text_printf(out, "%.6g", v);
}

/* The mean of each run, in percent; of a ratio less one. CSV has them with semicolons between, and nothing for none. */
static void print_numbers(const struct judgement *j, enum paper_format format, struct text *out)
{
    const struct claim_values *t = j->values;
    for (int r = 0; r < t->claim->run_count; r++) {
        double mean = claim_values_percent(t, claim_values_mean(t, r));
        text_printf(out, "%s", !r ? "" : format == FORMAT_CSV ? ";" : ",");
        if (format == FORMAT_JSON || !isnan(mean))
            print_number(mean, out);
    }
}

/* The values of each program, one per run. */
static void print_values(const struct judgement *j, struct text *out)
{
    const struct claim_values *t = j->values;
    for (int i = 0; i < t->program_count; i++) {
        text_printf(out, "%s", i ? "," : "");
        json_print_string(out, claim_values_label(t, i));
        text_printf(out, ":[");
        for (int r = 0; r < t->claim->run_count; r++) {
            text_printf(out, "%s", r ? "," : "");
            print_number(t->value[i][r], out);
        }
        text_printf(out, "]");
    }
}

static void append_record(enum paper_format format, const struct claim *c, const struct judgement *j,
                          const struct paper_sweep *sweep, const struct paper_variant *variant, struct text *out)
{
    struct text numbers = {0};
    print_numbers(j, format, &numbers);
    const struct {
        const char *name, *value;
    } fields[] = {{"id", c->id},
                  {"kind", c->kind},
                  {"source", c->source},
                  {"programs", c->programs},
                  {"claim", c->text},
                  {"published", c->published},
                  {"measured", j->measured.data},
                  {"verdict", verdict_names[j->verdict]},
                  {"numbers", numbers.data},
                  {"details", j->details.data},
                  {"why", c->why},
                  {"sweep", sweep ? sweep->name : NULL},
                  {"variant", variant ? variant->name : NULL}};
    size_t count = sizeof fields / sizeof *fields - (sweep ? 0 : 2);
    for (size_t i = 0; i < count; i++) {
        if (format == FORMAT_CSV) {
            text_printf(out, "%s", i ? "," : "");
            stat_csv_field(fields[i].value ? fields[i].value : "", out);
            continue;
        }
        text_printf(out, "%s\"%s\":", i ? "," : "{", fields[i].name);
        if (strcmp(fields[i].name, "numbers"))
            json_print_string(out, fields[i].value);
        else
            text_printf(out, "[%s]", numbers.data ? numbers.data : "");
    }
    if (format == FORMAT_JSON) {
        text_printf(out, ",\"values\":{");
        print_values(j, out);
        text_printf(out, "}}");
    }
    text_free(&numbers);
}

void paper_record_json(const struct claim *c, const struct judgement *j, const struct paper_sweep *sweep,
                       const struct paper_variant *variant, struct text *out)
{
    append_record(FORMAT_JSON, c, j, sweep, variant, out);
}

void paper_print_record(enum paper_format format, const struct claim *c, const struct judgement *j,
                        const struct paper_sweep *sweep, const struct paper_variant *variant)
{
    struct text out = {0};
    append_record(format, c, j, sweep, variant, &out);
    printf("%s\n", out.data);
    text_free(&out);
}

const char *paper_ptx(const struct paper_request *r, const struct paper *p)
{
    return r->ptx ? r->ptx : p->ptx;
}

static void print_heading(const struct paper_request *r, const struct paper *p)
{
    struct text title = {0}, out = {0};
    if (r->format == FORMAT_TEXT) {
        text_printf(&title, "%s, on %s, size %s, %s PTX", p->title, p->gpu, r->size, paper_ptx(r, p));
        cli_wrap(&out, 0, 0, title.data);
        printf("%s\n%-5s %-9s %-18s %-26s %s\n", out.data, "claim", "verdict", "published", "measured", "where");
    } else if (r->format == FORMAT_CSV) {
        paper_print_fields(false);
    }
    text_free(&title);
    text_free(&out);
}

void paper_print_verdicts(const struct paper_request *r, const struct experiment *e)
{
    const struct paper *p = e->paper;
    int counts[VERDICT_UNKNOWN + 1] = {0}, asked = 0;
    print_heading(r, p);
    for (int i = 0; i < p->claim_count; i++) {
        struct judgement j;
        if (!claim_is_listed(r->claims, &p->claims[i]))
            continue;
        judge(&e->evidence[0], &p->claims[i], &j);
        counts[j.verdict]++;
        asked++;
        if (r->format == FORMAT_TEXT)
            print_claim(r, &p->claims[i], &j);
        else
            paper_print_record(r->format, &p->claims[i], &j, NULL, NULL);
        judgement_free(&j);
    }
    if (r->format == FORMAT_TEXT)
        printf("\n%d claims: %d hold, %d in direction only, %d fail, %d unknown\n", asked, counts[VERDICT_HOLDS],
               counts[VERDICT_DIRECTION], counts[VERDICT_FAILS], counts[VERDICT_UNKNOWN]);
}
