// SPDX-License-Identifier: Apache-2.0
/* views/spans/attributed.c: how much of the device's time has a launch of its own, which leads to an op, a module and a line, and why
 * the rest has none. What a CUDA or HIP graph replays has the one launch of the whole graph: its op and line are those
 * of the replay. In: the joined spans. Out: a note. */
#include "views/core/coverage.h"

#include "views/core/view.h"
#include "views/spans/trace.h"

enum { LAUNCH, REPLAYED, UNLAUNCHED, CLASSES };

bool tfp_has_captures(const tfp_profile *p)
{
    const tfp_span_columns *s = &p->events.spans;
    tfp_str begin = TFP_STR("StreamBeginCapture");
    for (uint32_t i = 0; i < s->size; i++)
        if (s->kind[i] == TFP_SPAN_CALL && tfp_str_has(tfp_text(p, s->name[i]), begin)) return true;
    return false;
}

static unsigned class_of(const tfp_report *r, uint32_t i)
{
    const tfp_span_columns *s = &r->profile->events.spans;
    if (tfp_is_replayed(r, i)) return REPLAYED;
    return s->path[i] || s->owner[i] != TFP_NONE ? LAUNCH : UNLAUNCHED;
}

static void sum_classes(const tfp_report *r, int64_t sums[CLASSES])
{
    const tfp_profile *p = r->profile;
    const tfp_span_columns *s = &p->events.spans;
    for (uint32_t i = 0; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || p->lanes.at[s->lane[i]].role != TFP_ROLE_STREAM) continue;
        if (!tfp_coverage_counts(r, i)) continue;
        int64_t *sum = &sums[class_of(r, i)];
        *sum = tfp_add(*sum, s->self_ns[i], NULL);
    }
}

/* Device time is shown, of a trace whose calls were recorded. */
static bool is_asked(const tfp_report *r)
{
    const tfp_options *o = r->options;
    const uint64_t times = UINT64_C(1) << TFP_C_MICROS | UINT64_C(1) << TFP_C_ACCELERATOR_MICROS;
    const tfp_event_tables *e = &r->profile->events;
    if (o->compat10 || o->compat_tensorflow || !e->processes.size || e->processes.at[0].tasks) return false;
    if (tfp_only_sums(r->profile) || !tfp_filter_any(o->filters[TFP_F_ACCOUNT])) return false;
    return r->kind == TFP_REPORT_GRID || o->select & times;
}

static void put_share(tfp_buf *b, const char *word, int64_t ns, double all)
{
    tfp_buf_printf(b, "%s%.1f %%", word, 100 * (double)ns / all);
}

tfp_status tfp_attributed_note(tfp_report *r, tfp_error *err)
{
    int64_t sums[CLASSES] = { 0 };
    tfp_buf b = { 0 };
    if (!is_asked(r)) return TFP_OK;
    sum_classes(r, sums);
    int64_t lost = tfp_add(sums[REPLAYED], sums[UNLAUNCHED], NULL);
    double all = (double)sums[LAUNCH] + (double)lost;
    if (!lost) return TFP_OK;
    put_share(&b, "device time attributed: ", sums[LAUNCH], all);
    if (sums[LAUNCH]) put_share(&b, " (launch ", sums[LAUNCH], all);
    if (sums[LAUNCH]) tfp_buf_char(&b, ')');
    put_share(&b, "; not: ", lost, all);
    tfp_buf_text(&b, " (");
    if (sums[REPLAYED])
        put_share(&b, tfp_has_captures(r->profile) ? "capture not joined " : "no capture ", sums[REPLAYED], all);
    if (sums[UNLAUNCHED]) put_share(&b, sums[REPLAYED] ? ", no launch " : "no launch ", sums[UNLAUNCHED], all);
    tfp_buf_add(&b, ")", 2);
    tfp_status s = b.failed ? tfp_nomem(err) : tfp_report_note_add(r, err, "%s", b.data);
    if (!s) r->attributed_note = r->notes.at[r->notes.size - 1];
    tfp_buf_free(&b);
    return s;
}
