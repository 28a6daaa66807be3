// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/fuzz_xplane.c: XPlane traces: planes, lines, events, and the HLO modules inside. A profile that keeps sums in
 * place of spans (TFP_KEEP_SUMS) must show the same times and runs of nodes. */
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *at;
    size_t size;
} text;

static int keep_text(void *ctx, const void *data, size_t size)
{
    text *t = ctx;
    char *more = realloc(t->at, t->size + size + 1);
    if (!more) return 1;
    memcpy(more + t->size, data, size);
    t->at = more;
    t->size += size;
    return 0;
}

/* NULL: it cannot be read. */
static tfp_profile *read_keeping(unsigned keep, const uint8_t *data, size_t size)
{
    tfp_profile *p = tfp_profile_new();
    if (p && !tfp_profile_keep(p, keep) && !tfp_profile_add_bytes(p, "xplane", "fuzz", data, size, NULL) &&
        !tfp_profile_finish(p, NULL))
        return p;
    tfp_profile_free(p);
    return NULL;
}

/* False without memory. */
static bool show(const tfp_profile *p, const char *view, const tfp_options *o, text *out)
{
    tfp_status s = tfp_show(p, view, o, keep_text, out, NULL, NULL);
    if (s && s != TFP_NOMEM && s != TFP_BADOUTPUT) abort();
    return !s;
}

static void compare(const tfp_profile *spans, const tfp_profile *sums)
{
    static const char *const views[] = { "op", "scope" };
    tfp_options *o = tfp_options_new();
    bool ok = o &&
              !tfp_options_set(o, "select", "accelerator_micros,cpu_micros,bytes,residual_bytes,occurrence", NULL) &&
              !tfp_options_set(o, "max_depth", "100", NULL);
    for (size_t i = 0; ok && i < sizeof views / sizeof *views; i++) {
        text a = { NULL, 0 }, b = { NULL, 0 };
        ok = show(spans, views[i], o, &a) && show(sums, views[i], o, &b);
        if (ok && (a.size != b.size || (a.size && memcmp(a.at, b.at, a.size) != 0))) {
            fprintf(stderr, "%s of spans:\n%.*s\nof sums:\n%.*s\n", views[i], (int)a.size, a.at, (int)b.size, b.at);
            abort();
        }
        free(a.at);
        free(b.at);
    }
    tfp_options_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "xplane", data, size };
    drive_bytes(&part, 1);
    tfp_profile *spans = read_keeping(TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM, data, size);
    tfp_profile *sums = spans ? read_keeping(TFP_KEEP_SUMS, data, size) : NULL;
    if (spans && sums) compare(spans, sums);
    tfp_profile_free(spans);
    tfp_profile_free(sums);
    return 0;
}
