/* What verifying a launch found, in words and as JSON: see verification.h. */
#include "report/verification.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const verify_names[VERIFY_VERDICTS] = {
    [VERIFY_NOTHING] = "nothing", [VERIFY_SAME] = "same",   [VERIFY_UNORDERED] = "unordered",
    [VERIFY_RACE] = "race",       [VERIFY_WRONG] = "wrong", [VERIFY_UNKNOWN] = "unknown"};

void verification_free(struct verification *v)
{
    if (!v)
        return;
    free(v->kernel);
    free(v->parameter);
    free(v->why);
    free(v->races);
    free(v);
}

/* What a difference means; the reason follows where the text ends with a blank. */
static const char *const meaning[VERIFY_VERDICTS] = {
    [VERIFY_UNORDERED] = "memory may differ: the result depends on ",
    [VERIFY_RACE] = "either result may be wrong, since threads race: ",
    [VERIFY_WRONG] = "no known cause explains the difference: the result is wrong",
};

void verification_print_place(const struct verification *v, struct text *out)
{
    const struct difference *d = &v->difference;
    if (v->argument >= 0)
        text_printf(out, "argument %d (%s), ", v->argument, v->parameter);
    else
        text_printf(out, "allocation %d (%s), ", d->allocation, d->label);
    if (d->is_unmatched)
        text_printf(out, "which only one of the two runs has allocated");
    else
        text_printf(out, "word %" PRIu64 " (byte %" PRIu64 "): 0x%08" PRIx32 ", functionally 0x%08" PRIx32, d->word,
                    d->byte, d->got, d->wanted);
}

void verification_print(const struct verification *v, struct text *out)
{
    if (!v || v->verdict == VERIFY_SAME || v->verdict == VERIFY_NOTHING)
        return;
    bool is_known = v->verdict != VERIFY_UNKNOWN;
    text_printf(out, "launch %" PRIu64 ", kernel %s: %s\n  ", v->launch, v->kernel,
                is_known ? "memory differs from the functional result"
                         : "there is no functional result to compare with");
    if (is_known) {
        verification_print_place(v, out);
        text_printf(out, "\n  at 0x%" PRIx64 " in %s; %" PRIu64 " word%s in all\n  ", v->difference.address,
                    v->difference.label, v->difference.words, v->difference.words == 1 ? " differs" : "s differ");
    }
    text_printf(out, "%s%s\n", is_known ? meaning[v->verdict] : "", v->why ? v->why : "");
}

void verification_json(const struct verification *v, struct text *out)
{
    if (!v) {
        text_printf(out, "null");
        return;
    }
    const struct difference *d = &v->difference;
    text_printf(out, "{\"verdict\":\"%s\"", verify_names[v->verdict]);
    if (v->verdict != VERIFY_SAME && v->verdict != VERIFY_UNKNOWN) {
        text_printf(out, ",\"argument\":%d,\"parameter\":", v->argument);
        json_print_string(out, v->parameter);
        text_printf(out, ",\"allocation\":%d,\"label\":", d->allocation);
        json_print_string(out, d->label);
        text_printf(out,
                    ",\"word\":%" PRIu64 ",\"byte\":%" PRIu64 ",\"address\":\"0x%" PRIx64 "\",\"value\":\"0x%08" PRIx32
                    "\",\"functional\":\"0x%08" PRIx32 "\",\"words\":%" PRIu64 ",\"unmatched\":%s",
                    d->word, d->byte, d->address, d->got, d->wanted, d->words, d->is_unmatched ? "true" : "false");
    }
    if (v->why) {
        text_printf(out, ",\"why\":");
        json_print_string(out, v->why);
    }
    text_printf(out, "}");
}
