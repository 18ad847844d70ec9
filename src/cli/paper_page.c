/* The page of heddle paper --report: see paper_page.h. */
#include "cli/paper_page.h"

#include "cli/cli.h"
#include "cli/page_option.h"

#include <stdlib.h>

static void add_claims(struct page *page, const struct paper_request *r, const struct experiment *e, int variant)
{
    const struct paper *p = e->paper;
    for (int i = 0; i < p->claim_count; i++) {
        struct judgement j;
        struct text record = {0};
        if (!claim_is_listed(r->claims, &p->claims[i]))
            continue;
        judge(&e->evidence[variant], &p->claims[i], &j);
        paper_record_json(&p->claims[i], &j, e->sweep, e->sweep ? &e->sweep->variants[variant] : NULL, &record);
        page_add_claim(page, record.data);
        text_free(&record);
        judgement_free(&j);
    }
}

/* A run of a paper has the paper's names for program and configuration. */
static void add_runs(struct page *page, const struct paper_request *r, const struct experiment *e, int variant)
{
    const struct paper *p = e->paper;
    int count = p->program_count * p->run_count;
    for (int i = 0; i < count; i++) {
        const struct trial *t = &e->trials[variant * count + i];
        if (!t->words.count || t->status == TRIAL_NOT_RUN)
            continue;
        char *settings = page_option_settings(t->words.data, t->words.count);
        page_add_trial(page,
                       &(struct page_run){.name = p->programs[i / p->run_count].label,
                                          .gpu = p->gpu,
                                          .mechanism = p->runs[i % p->run_count].name,
                                          .size = r->size,
                                          .settings = e->sweep ? settings : NULL},
                       t);
        free(settings);
    }
}

int paper_page_write(const struct paper_request *r, const struct experiment *e, int argc, char **argv)
{
    if (!r->page)
        return STATUS_OK;
    struct page *page = page_option_create(e->paper->title, argc, argv);
    for (int variant = 0; variant < e->variant_count; variant++) {
        if (!r->figures)
            add_claims(page, r, e, variant);
        add_runs(page, r, e, variant);
    }
    char *error = NULL;
    if (!page_add_published(page, e->paper, PAGE_NAMES_OF_PAPER, &error))
        cli_fail("%s", error); /* the page has the runs all the same */
    free(error);
    return page_option_write(page, r->page);
}
