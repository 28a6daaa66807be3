// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_xplane.c: XPlane traces: planes, lines, events, and the HLO modules in them. A profile that
 * keeps sums in place of spans (TFP_KEEP_SUMS, TFP_KEEP_ROWS), for each step, for all together (TFP_KEEP_TOTAL) or for
 * the requested steps (tfp_profile_keep_step), must show the same. */
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: it could not be read. */
static tfp_profile *read_keeping(unsigned keep, const tfp_options *o, const uint8_t *data, size_t size)
{
    tfp_profile *p = tfp_profile_new();
    if (p && !tfp_profile_keep(p, keep) && (!o || !tfp_profile_keep_step(p, o)) &&
        !tfp_profile_add_bytes(p, "xplane", "fuzz", data, size, NULL) && !tfp_profile_finish(p, NULL))
        return p;
    tfp_profile_free(p);
    return NULL;
}

/* Prints the report and its notes. False if memory is out, the profile has no such step, or a table would have too many
 * rows. */
static bool show(const tfp_profile *p, const char *view, const tfp_options *o, drive_text *out)
{
    tfp_report *r = NULL;
    const char *note;
    tfp_status s = tfp_show(p, view, o, drive_take, out, &r, NULL);
    for (size_t i = 0; !s && (note = tfp_report_note(r, i)); i++)
        if (drive_take(out, note, strlen(note))) s = TFP_NOMEM;
    tfp_report_free(r);
    if (s && s != TFP_NOMEM && s != TFP_BADOUTPUT && s != TFP_BADFILE && s != TFP_NOTFOUND && s != TFP_LIMIT) abort();
    return !s;
}

typedef struct way { /* a way of reading, and the views that must be the same then */
    unsigned keep;
    const char *views[3], *step; /* step NULL: the default */
    bool one_step;               /* keeps only what that step needs */
} way;

static tfp_options *options_of(const way *w)
{
    tfp_options *o = tfp_options_new();
    bool tree = strcmp(w->views[0], "op") == 0;
    bool ok = o && (!w->step || !tfp_options_set(o, "step", w->step, NULL)) &&
              (!tree ||
               !tfp_options_set(o, "select", "accelerator_micros,cpu_micros,bytes,residual_bytes,occurrence", NULL)) &&
              !tfp_options_set(o, "max_depth", "100", NULL) && !tfp_options_set(o, "format", "csv", NULL);
    if (ok) return o;
    tfp_options_free(o);
    return NULL;
}

static void compare(const tfp_profile *spans, const tfp_profile *other, const tfp_options *o, const way *w)
{
    bool ok = true;
    for (size_t i = 0; ok && w->views[i]; i++) {
        drive_text a = { 0 }, b = { 0 };
        ok = show(spans, w->views[i], o, &a) && show(other, w->views[i], o, &b);
        if (ok && (a.size != b.size || (a.size && memcmp(a.data, b.data, a.size) != 0))) {
            fprintf(stderr, "%s of spans:\n%.*s\nkeeping %u:\n%.*s\n", w->views[i], (int)a.size, a.data, w->keep,
                    (int)b.size, b.data);
            abort();
        }
        free(a.data);
        free(b.data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "xplane", data, size };
    drive_bytes(&part, 1);
    static const way ways[] = {
        { TFP_KEEP_SUMS, { "op", "scope", NULL }, "mean", false },
        { TFP_KEEP_SUMS, { "op", "scope", NULL }, "mean", true },
        { TFP_KEEP_SUMS, { "op", "scope", NULL }, "1", true },
        { TFP_KEEP_SUMS | TFP_KEEP_TOTAL, { "op", "scope", NULL }, NULL, false },
        { TFP_KEEP_ROWS | TFP_KEEP_MEMORY | TFP_KEEP_TOTAL, { "kernel", "steps", NULL }, NULL, false },
        { TFP_KEEP_ROWS | TFP_KEEP_MEMORY, { "kernel", NULL, NULL }, "0", false },
        { TFP_KEEP_ROWS | TFP_KEEP_MEMORY, { "kernel", NULL, NULL }, "0", true },
    };
    tfp_profile *spans = read_keeping(TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM, NULL, data, size);
    for (size_t i = 0; spans && i < sizeof ways / sizeof *ways; i++) {
        tfp_options *o = options_of(&ways[i]);
        tfp_profile *other = o ? read_keeping(ways[i].keep, ways[i].one_step ? o : NULL, data, size) : NULL;
        if (other) compare(spans, other, o, &ways[i]);
        tfp_profile_free(other);
        tfp_options_free(o);
    }
    tfp_profile_free(spans);
    return 0;
}
