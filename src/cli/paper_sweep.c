/*
 * A sweep over the runs of a paper, as text: one row per claim, one column per variant.
 *
 * A cell has a letter for the verdict and the measured value. A value that is wider than its column goes on in the next
 * line.
 */
#include "base/terminal.h"
#include "cli/cli.h"
#include "cli/paper_print.h"

#include <string.h>

enum { CLAIM_WIDTH = 6, PUBLISHED_WIDTH = 19 }; /* of columns, with a blank behind them */
enum { VARIANT_WIDTH = 15 };                    /* of the names of variants in the list of sweeps */

static const char letters[] = {
    [VERDICT_HOLDS] = 'H', [VERDICT_DIRECTION] = 'D', [VERDICT_FAILS] = 'F', [VERDICT_UNKNOWN] = 'U'};

static int column_width(const struct experiment *e)
{
    return (terminal_text_columns() - CLAIM_WIDTH - PUBLISHED_WIDTH) / e->variant_count;
}

/* How much of a cell fits into a line: whole words, or as much of a single word. */
static size_t part_that_fits(const char *words, size_t room)
{
    size_t length = strlen(words), at = room;
    if (length <= room)
        return length;
    while (at > 0 && words[at] != ' ')
        at--;
    return at ? at : room;
}

/* Prints the next line of each cell; false: no cell had any words left. */
static bool print_line(const struct experiment *e, const struct judgement *judgements, const char **rest, bool is_first)
{
    bool has_more = false;
    int width = column_width(e);
    for (int v = 0; v < e->variant_count; v++)
        has_more |= *rest[v] != '\0';
    if (!has_more && !is_first)
        return false;
    if (!is_first)
        printf("%*s", CLAIM_WIDTH + PUBLISHED_WIDTH, "");
    for (int v = 0; v < e->variant_count; v++) {
        size_t part = part_that_fits(rest[v], (size_t)width - 3); /* the letter and blanks on both sides of the value */
        bool is_last = v + 1 == e->variant_count;
        printf("%c %-*.*s", is_first ? letters[judgements[v].verdict] : ' ', is_last ? 0 : width - 2, (int)part,
               rest[v]);
        rest[v] += part;
        rest[v] += strspn(rest[v], " ");
    }
    printf("\n");
    return true;
}

static void print_claim(const struct paper_request *r, const struct experiment *e, const struct claim *c,
                        const struct judgement *judgements)
{
    const char *rest[SWEEP_MAX_VARIANTS];
    for (int v = 0; v < e->variant_count; v++)
        rest[v] = judgements[v].measured.data ? judgements[v].measured.data : "-";
    printf("%-*s%-*s", CLAIM_WIDTH, c->id, PUBLISHED_WIDTH, c->published);
    for (bool is_first = true; print_line(e, judgements, rest, is_first);)
        is_first = false;
    printf("      %s: %s\n", c->programs, c->text);
    for (int v = 0; r->wants_details && v < e->variant_count; v++)
        if (judgements[v].details.data)
            printf("      %s: %s\n", e->sweep->variants[v].name, judgements[v].details.data);
}

static bool changes(const struct experiment *e, const struct judgement *judgements)
{
    for (int v = 1; v < e->variant_count; v++)
        if (judgements[v].verdict != judgements[0].verdict)
            return true;
    return false;
}

static void print_heading(const struct paper_request *r, const struct experiment *e)
{
    struct text title = {0}, words = {0}, out = {0};
    text_printf(&title, "%s, on %s, size %s", e->paper->title, e->paper->gpu, r->size);
    if (strcmp(e->sweep->name, "ptx"))
        text_printf(&title, ", %s PTX", paper_ptx(r, e->paper));
    cli_wrap(&out, 0, 0, title.data);
    text_printf(&words, "Sweep %s: %s. H holds, D direction only, F fails, U unknown.", e->sweep->name,
                e->sweep->about);
    cli_wrap(&out, 0, 0, words.data);
    printf("%s\n%-*s%-*s", out.data, CLAIM_WIDTH, "claim", PUBLISHED_WIDTH, "published");
    for (int v = 0; v < e->variant_count; v++)
        printf("%-*.*s", v + 1 < e->variant_count ? column_width(e) : 0, column_width(e) - 1,
               e->sweep->variants[v].name);
    printf("\n");
    text_free(&title);
    text_free(&words);
    text_free(&out);
}

/* Prints how many claims have each verdict, and which change theirs. */
static void print_sums(const struct experiment *e, int counts[][VERDICT_UNKNOWN + 1], int asked,
                       const struct text *changing, int change_count)
{
    struct text words = {0}, out = {0};
    printf("\n");
    for (int verdict = 0; verdict <= VERDICT_UNKNOWN; verdict++) {
        printf("%-*s", CLAIM_WIDTH + PUBLISHED_WIDTH, verdict_names[verdict]);
        for (int v = 0; v < e->variant_count; v++)
            printf("%-*d", v + 1 < e->variant_count ? column_width(e) : 0, counts[v][verdict]);
        printf("\n");
    }
    if (change_count)
        text_printf(&words, "The verdicts of %d of %d claims change with the variant: %s.", change_count, asked,
                    changing->data);
    else
        text_printf(&words, "No verdict of %d claims changes with the variant.", asked);
    cli_wrap(&out, 0, 0, words.data);
    printf("\n%s", out.data);
    text_free(&words);
    text_free(&out);
}

void paper_print_sweep(const struct paper_request *r, const struct experiment *e)
{
    const struct paper *p = e->paper;
    int counts[SWEEP_MAX_VARIANTS][VERDICT_UNKNOWN + 1] = {{0}}, asked = 0, change_count = 0;
    struct text changing = {0};
    if (r->format == FORMAT_TEXT)
        print_heading(r, e);
    else if (r->format == FORMAT_CSV)
        paper_print_fields(true);
    for (int i = 0; i < p->claim_count; i++) {
        struct judgement judgements[SWEEP_MAX_VARIANTS];
        if (!claim_is_listed(r->claims, &p->claims[i]))
            continue;
        for (int v = 0; v < e->variant_count; v++) {
            judge(&e->evidence[v], &p->claims[i], &judgements[v]);
            counts[v][judgements[v].verdict]++;
            if (r->format != FORMAT_TEXT)
                paper_print_record(r->format, &p->claims[i], &judgements[v], e->sweep, &e->sweep->variants[v]);
        }
        asked++;
        if (changes(e, judgements))
            text_printf(&changing, "%s%s", change_count++ ? ", " : "", p->claims[i].id);
        if (r->format == FORMAT_TEXT)
            print_claim(r, e, &p->claims[i], judgements);
        for (int v = 0; v < e->variant_count; v++)
            judgement_free(&judgements[v]);
    }
    if (r->format == FORMAT_TEXT)
        print_sums(e, counts, asked, &changing, change_count);
    text_free(&changing);
}

void paper_print_sweeps(const struct paper *p)
{
    for (int i = 0; i < p->sweep_count; i++) {
        const struct paper_sweep *s = &p->sweeps[i];
        struct text out = {0}, head = {0};
        text_printf(&head, "%s: %s.", s->name, s->about);
        cli_wrap(&out, 0, 2, head.data);
        for (int v = 0; v < s->variant_count; v++) {
            text_printf(&out, "  %-*s  ", VARIANT_WIDTH, s->variants[v].name);
            size_t name = strlen(s->variants[v].name);
            cli_wrap(&out, 4 + (int)(name > VARIANT_WIDTH ? name : VARIANT_WIDTH), 4 + VARIANT_WIDTH,
                     *s->variants[v].words ? s->variants[v].words : "(as the paper's runs are)");
        }
        printf("%s%s", i ? "\n" : "", out.data);
        text_free(&head);
        text_free(&out);
    }
}
