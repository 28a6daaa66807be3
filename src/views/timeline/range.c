// SPDX-License-Identifier: Apache-2.0
/* views/timeline/range.c: makes a report of a part of the recording (a time range, some ranks, a device) from a cut of the profile
 * (model/join/cut.h). Times are relative to the first start of the timeline, where files with different clocks are shifted to be side by
 * side. */
#include "model/join/remark.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/kinds.h"
#include "views/core/report.h"
#include "views/timeline/range.h"
#include "views/timeline/timeline.h"

#include <stdlib.h>

/* ---- a range ---- */

/* The first start, after the timeline's shift of each process. */
static int64_t origin_of(const tfp_timeline *t)
{
    const tfp_span_columns *s = &tfp_events_of(t->p)->spans;
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t process = tfp_lanes_of(t->p)->at[s->lane[i]].process;
        int64_t start = tfp_add(s->start_ns[i], process == TFP_NONE ? 0 : t->offset_ns[process], NULL);
        if (start < first) first = start;
    }
    return s->size ? first : 0;
}

int64_t *tfp_timeline_zeros(const tfp_profile *p, tfp_arena *a)
{
    tfp_timeline t = { .p = p };
    int64_t *zeros = TFP_NEW(a, int64_t, tfp_events_of(p)->processes.size + 1);
    bool ok = tfp_timeline_set_clocks(&t) && zeros;
    int64_t origin = ok ? origin_of(&t) : 0;
    for (size_t i = 0; ok && i < tfp_events_of(p)->processes.size; i++)
        zeros[i] = tfp_add(origin, -t.offset_ns[i], NULL);
    free(t.offset_ns);
    return ok ? zeros : NULL;
}

static tfp_status find_moments(const tfp_profile *whole, tfp_arena *a, int64_t from_ns, int64_t to_ns, tfp_cut *out,
                               tfp_error *err)
{
    size_t count = tfp_events_of(whole)->processes.size;
    int64_t *zeros = tfp_timeline_zeros(whole, a);
    out->from_ns = TFP_NEW(a, int64_t, count + 1);
    out->to_ns = TFP_NEW(a, int64_t, count + 1);
    if (!zeros || !out->from_ns || !out->to_ns) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) {
        out->from_ns[i] = tfp_add(zeros[i], from_ns, NULL);
        out->to_ns[i] = tfp_add(zeros[i], to_ns, NULL);
    }
    return TFP_OK;
}

/* ---- some ranks, a device ---- */

/* Cuts the first part off "0,3,8-15"; false at the end, and with `wrong` set where it is malformed. */
static bool next_ranks(tfp_str *rest, int64_t *from, int64_t *to, bool *wrong)
{
    if (!rest->size) return false;
    size_t end = 0, dash = 0;
    while (end < rest->size && rest->data[end] != ',') {
        if (rest->data[end] == '-') dash = end;
        end++;
    }
    tfp_str first = { rest->data, dash ? dash : end }, last = { rest->data + dash + 1, end - dash - 1 };
    *wrong = !tfp_parse_int64(first, from) || *from < 0;
    *to = *from;
    if (dash && !*wrong) *wrong = !tfp_parse_int64(last, to) || *to < *from;
    size_t used = end < rest->size ? end + 1 : end;
    *rest = (tfp_str){ rest->data + used, rest->size - used };
    return !*wrong;
}

static tfp_status leave_ranks_out(const tfp_profile *p, const char *ranks, tfp_cut *c, tfp_error *err)
{
    tfp_str rest = tfp_str_of(ranks);
    size_t count = tfp_events_of(p)->processes.size, found = 0;
    int64_t from = 0, to = 0;
    bool wrong = false;
    while (next_ranks(&rest, &from, &to, &wrong)) {
        for (size_t i = 0; i < count; i++) {
            int32_t rank = tfp_events_of(p)->processes.at[i].rank;
            if (rank < from || rank > to || c->taken[i]) continue;
            c->taken[i] = true;
            found++;
        }
    }
    if (wrong) return tfp_fail(err, TFP_BADARG, "option -ranks: value '%s': not ranks such as 0,3,8-15", ranks);
    if (!found) return tfp_fail(err, TFP_NOTFOUND, "option -ranks: no file is of rank %s", ranks);
    for (size_t i = 0; i < count; i++)
        if (!c->taken[i]) c->from_ns[i] = INT64_MAX, c->to_ns[i] = INT64_MIN;
    return TFP_OK;
}

/* Names the devices of the trace, the first eight of them. */
static tfp_status no_such_device(const tfp_profile *p, const char *device, tfp_error *err)
{
    tfp_buf names = { 0 };
    uint32_t last = TFP_NONE;
    size_t count = 0;
    for (size_t i = 0; i < tfp_lanes_of(p)->size && count < 8; i++) {
        const tfp_lane *lane = &tfp_lanes_of(p)->at[i];
        if (lane->role != TFP_ROLE_STREAM || lane->device == last) continue;
        tfp_str name = tfp_text(p, last = lane->device);
        tfp_buf_printf(&names, "%s%.*s", count++ ? " " : "", (int)name.size, name.data);
    }
    tfp_fail(err, TFP_NOTFOUND, "option -device: nothing ran on a device '%s' (%s%.*s)", device,
             count ? "" : "none in the trace", (int)names.size, names.size ? names.data : "");
    tfp_buf_free(&names);
    return TFP_NOTFOUND;
}

static tfp_status leave_devices_out(const tfp_profile *p, const char *device, tfp_cut *c, tfp_error *err)
{
    tfp_str wanted = tfp_str_of(device);
    size_t found = 0;
    for (size_t i = 0; i < tfp_lanes_of(p)->size; i++) {
        const tfp_lane *lane = &tfp_lanes_of(p)->at[i];
        bool same = tfp_str_eq(tfp_text(p, lane->device), wanted);
        found += same;
        c->left_out[i] = !same && (lane->role == TFP_ROLE_STREAM || lane->role == TFP_ROLE_ASYNC);
    }
    return found ? TFP_OK : no_such_device(p, device, err);
}

static tfp_status cut_places(const tfp_options *o, const tfp_profile *p, tfp_arena *a, tfp_cut *c, tfp_error *err)
{
    c->taken = TFP_NEW(a, bool, tfp_events_of(p)->processes.size + 1);
    c->left_out = TFP_NEW(a, bool, tfp_lanes_of(p)->size + 1);
    if (!c->taken || !c->left_out) return tfp_nomem(err);
    tfp_status s = o->part.ranks && *o->part.ranks ? leave_ranks_out(p, o->part.ranks, c, err) : TFP_OK;
    return s || !o->part.device || !*o->part.device ? s : leave_devices_out(p, o->part.device, c, err);
}

tfp_status tfp_report_cut(tfp_report *r, tfp_error *err)
{
    const tfp_moments *range = &r->options->part.range;
    if (!tfp_options_cut(r->options)) return TFP_OK;
    if (!tfp_events_of(r->profile)->processes.size)
        return tfp_fail(err, TFP_NOTFOUND,
                        "a part of a recording can be selected only in a trace of events: these files have no times of "
                        "single runs");
    if (tfp_only_sums(r->profile)) return tfp_no_spans(err);
    tfp_cut *cut = TFP_NEW(&r->arena, tfp_cut, 1);
    if (!cut) return tfp_nomem(err);
    int64_t from_ns = range->given ? range->from_ns : INT64_MIN, to_ns = range->given ? range->to_ns : INT64_MAX;
    tfp_status s = find_moments(r->profile, &r->arena, from_ns, to_ns, cut, err);
    if (!s) s = cut_places(r->options, r->profile, &r->arena, cut, err);
    if (!s && !tfp_cut_make(r->profile, &r->arena, cut)) s = tfp_nomem(err);
    if (s) return s;
    r->cut = cut;
    r->profile = &cut->p;
    return TFP_OK;
}

/* ---- -step_marker ---- */

/* Whether a part of the name matches. */
static bool matches(void *ctx, tfp_str name)
{
    const tfp_filter *f = ctx;
    tfp_str found;
    for (size_t i = 0; i < f->count; i++)
        if (f->regexes[i] && tfp_regex_find(f->regexes[i], name, 0, &found, 0)) return true;
    return false;
}

tfp_status tfp_mark_steps(const tfp_profile *p, const tfp_options *o, tfp_arena *a, tfp_profile **out, tfp_error *err)
{
    tfp_filter *f = o ? o->filters[TFP_F_STEP_MARKER] : NULL;
    size_t found = 0;
    *out = NULL;
    if (!f || !f->count) return TFP_OK;
    tfp_profile *marked = TFP_NEW(a, tfp_profile, 1);
    if (!marked) return tfp_nomem(err);
    if (tfp_events_of(p)->processes.size) {
        if (tfp_only_sums(p)) return tfp_no_spans(err);
        if (!tfp_remark(p, a, matches, f, &found, marked)) return tfp_nomem(err);
    }
    if (found) *out = marked;
    if (found) return TFP_OK;
    tfp_status s = tfp_fail(err, TFP_BADFILE, "option -step_marker: no range of a host thread matches '%s'", f->text);
    return tfp_within_file(err, s, tfp_first_source(p));
}

tfp_status tfp_report_mark(tfp_report *r, tfp_error *err)
{
    tfp_status s = tfp_mark_steps(r->profile, r->options, &r->arena, &r->marked, err);
    if (!s && r->marked) r->profile = r->marked;
    return s;
}
