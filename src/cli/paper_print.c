/* The verdicts of a paper, as text, JSON and CSV. */
#include "cli/paper_print.h"

#include "base/json.h"
#include "stat/stat.h"

#include <stdio.h>

static void print_claim(const struct paper_request *r, const struct claim *c, const struct judgement *j)
{
    printf("%-5s %-9s %-18s %-26s %s\n", c->id, verdict_names[j->verdict], c->published,
           j->measured.data ? j->measured.data : "-", c->source);
    printf("      %s: %s\n", c->programs, c->text);
    if (r->wants_details && j->details.data)
        printf("      %s\n", j->details.data);
}

enum { PLAIN_FIELDS = 9 };

void paper_print_fields(bool is_sweep)
{
    printf("id,kind,source,programs,claim,published,measured,verdict,details%s\n", is_sweep ? ",sweep,variant" : "");
}

void paper_print_record(enum paper_format format, const struct claim *c, const struct judgement *j,
                        const struct paper_sweep *sweep, const struct paper_variant *variant)
{
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
                  {"details", j->details.data},
                  {"sweep", sweep ? sweep->name : NULL},
                  {"variant", variant ? variant->name : NULL}};
    struct text out = {0};
    for (size_t i = 0; i < (sweep ? sizeof fields / sizeof *fields : PLAIN_FIELDS); i++) {
        if (format == FORMAT_CSV) {
            text_printf(&out, "%s", i ? "," : "");
            stat_csv_field(fields[i].value ? fields[i].value : "", &out);
            continue;
        }
        text_printf(&out, "%s\"%s\":", i ? "," : "{", fields[i].name);
        json_print_string(&out, fields[i].value);
    }
    printf("%s%s\n", out.data, format == FORMAT_JSON ? "}" : "");
    text_free(&out);
}

const char *paper_ptx_suffix(const struct paper_request *r)
{
    return r->ptx && !strcmp(r->ptx, "plain") ? ", plain PTX" : "";
}

static void print_heading(const struct paper_request *r, const struct paper *p)
{
    if (r->format == FORMAT_TEXT)
        printf("%s, on %s, size %s%s\n\n%-5s %-9s %-18s %-26s %s\n", p->title, p->gpu, r->size, paper_ptx_suffix(r),
               "claim", "verdict", "published", "measured", "where");
    else if (r->format == FORMAT_CSV)
        paper_print_fields(false);
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
