// SPDX-License-Identifier: Apache-2.0
/* views/spans/attributed.c: how much of the device's time has a launch of its own, which leads to an op, a module and a line, and why
 * the rest has none. Everything that a CUDA or HIP graph replays has only the launch of the whole graph, so its op and line are those
 * of the replay. In: the joined spans. Out: a note. */
#include "model/graphs.h"

#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/coverage.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"
#include "views/spans/trace.h"

/* In the order of the note: certainties of places, then reasons for none. */
enum { SUMS = TFP_CERTAINTIES + TFP_NO_PLACES };

const char *tfp_certainty_word(unsigned certainty)
{
    static const char *const words[] = { "launch", "id",   "unique",    "order", "partial",
                                         "name",   "none", "annotated", "eager", "similar" };
    return words[certainty];
}

const char *tfp_no_place_word(unsigned reason)
{
    static const char *const words[] = { "", "no capture", "no match", "ambiguous", "no launch" };
    return words[reason];
}

tfp_str tfp_certainties_text(tfp_arena *arena, const int64_t *ns, unsigned left)
{
    tfp_buf text = { 0 };
    while (left) {
        unsigned best = TFP_CERTAINTIES;
        for (unsigned c = 0; c < TFP_CERTAINTIES; c++) {
            if (!(left >> c & 1)) continue;
            bool more = best == TFP_CERTAINTIES || ns[c] > ns[best];
            bool first = !more && ns[c] == ns[best] && strcmp(tfp_certainty_word(c), tfp_certainty_word(best)) < 0;
            if (more || first) best = c;
        }
        if (text.size) tfp_buf_char(&text, '|');
        tfp_buf_text(&text, tfp_certainty_word(best));
        left &= ~(1u << best);
    }
    return tfp_buf_move(&text, arena);
}

static void sum_classes(const tfp_report *r, int64_t sums[SUMS])
{
    const tfp_profile *p = tfp_profile_of(r);
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    for (uint32_t i = 0; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || tfp_lanes_of(p)->at[s->lane[i]].role != TFP_ROLE_STREAM) continue;
        bool counts = tfp_kind_of(r)->table ? tfp_span_in_step(r, i) : tfp_coverage_counts(r, i);
        if (!counts) continue;
        tfp_attribution a = tfp_span_attribution(p, i);
        int64_t *sum = &sums[a.certainty != TFP_SURE_BY_NONE ? a.certainty : TFP_CERTAINTIES + a.reason];
        *sum = tfp_add(*sum, s->self_ns[i], NULL);
    }
}

/* Whether the note is wanted. For a trace with recorded calls it is wanted with any columns, because runs and float
 * operations are at these places too. */
static bool is_asked(const tfp_report *r)
{
    const tfp_options *o = tfp_options_of(r);
    const tfp_event_tables *e = tfp_events_of(tfp_profile_of(r));
    if (o->compat10 || o->compat_tensorflow || !e->processes.size || e->processes.at[0].tasks) return false;
    return !tfp_only_sums(tfp_profile_of(r)) && tfp_filter_any(o->filters[TFP_F_ACCOUNT]);
}

static void put_share(tfp_buf *b, const char *word, int64_t ns, double all)
{
    tfp_buf_printf(b, "%s%.1f %%", word, 100 * (double)ns / all);
}

static int64_t sum_of(const int64_t *sums, size_t from, size_t end)
{
    int64_t sum = 0;
    for (size_t i = from; i < end; i++) sum = tfp_add(sum, sums[i], NULL);
    return sum;
}

/* Writes "attributed: 96.2 % (launch 3.1 %, unique 93.1 %)", listing sums above 0. */
static void put_part(tfp_buf *b, const char *head, const int64_t *sums, size_t from, size_t end, double all)
{
    const char *between = " (";
    put_share(b, head, sum_of(sums, from, end), all);
    for (size_t i = from; i < end; i++) {
        if (!sums[i]) continue;
        tfp_buf_text(b, between);
        tfp_buf_text(b, i < TFP_CERTAINTIES ? tfp_certainty_word((unsigned)i)
                                            : tfp_no_place_word((unsigned)i - TFP_CERTAINTIES));
        put_share(b, " ", sums[i], all);
        between = ", ";
    }
    if (*between == ',') tfp_buf_char(b, ')');
}

/* Adds the note with these sums to a report; traces: of how many they are. */
static tfp_status note_sums(tfp_report *r, const int64_t sums[SUMS], size_t traces, tfp_error *err)
{
    tfp_buf b = { 0 };
    int64_t placed = sum_of(sums, 0, TFP_CERTAINTIES), lost = sum_of(sums, TFP_CERTAINTIES, SUMS);
    double all = (double)placed + (double)lost;
    if (!lost && placed == sum_of(sums, 0, TFP_SURE_BY_ID + 1)) return TFP_OK;
    put_part(&b, "device time attributed: ", sums, 0, TFP_CERTAINTIES, all);
    if (lost) put_part(&b, "; not: ", sums, TFP_CERTAINTIES, SUMS, all);
    if (traces > 1) tfp_buf_printf(&b, "; of %zu traces", traces);
    tfp_buf_char(&b, '\0');
    tfp_status s = b.failed ? tfp_nomem(err) : tfp_report_note_add(r, TFP_NOTE_ATTRIBUTED, err, "%s", b.data);
    tfp_buf_free(&b);
    return s;
}

tfp_status tfp_attributed_note(tfp_report *r, tfp_error *err)
{
    int64_t sums[SUMS] = { 0 };
    if (!is_asked(r)) return TFP_OK;
    sum_classes(r, sums);
    return note_sums(r, sums, 1, err);
}

tfp_status tfp_attributed_note_over(tfp_report *to, tfp_report *const *of, size_t count, tfp_error *err)
{
    int64_t sums[SUMS] = { 0 };
    size_t traces = 0;
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) any = of[i] && tfp_report_note_of(of[i], TFP_NOTE_ATTRIBUTED);
    for (size_t i = 0; i < count && any; i++) {
        if (!of[i] || !is_asked(of[i])) continue;
        sum_classes(of[i], sums);
        traces++;
    }
    return any ? note_sums(to, sums, traces, err) : TFP_OK;
}

double tfp_share_without_capture(const tfp_report *r)
{
    int64_t sums[SUMS] = { 0 };
    if (!is_asked(r)) return 0;
    sum_classes(r, sums);
    int64_t all = sum_of(sums, 0, SUMS);
    return all ? (double)sums[TFP_CERTAINTIES + TFP_NO_CAPTURE] / (double)all : 0;
}
