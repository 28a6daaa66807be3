// SPDX-License-Identifier: Apache-2.0
/* whatif/device.c: what would be at the limits of the device: calls that take their ideal time, and chains that are one
 * kernel. */
#include "whatif/device.h"
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "views/spans/places.h"

bool tfp_change_of_device(const tfp_change *c)
{
    return c->kind == TFP_CHANGE_FUSE || (c->kind == TFP_CHANGE_IDEAL && c->device);
}

static tfp_status start(tfp_whatif *w, tfp_error *err)
{
    const tfp_job *j = &w->job;
    tfp_arena *a = tfp_arena_of(w->r);
    tfp_whatif_device *d = w->device = TFP_NEW(a, tfp_whatif_device, 1);
    if (d) d->activity = TFP_NEW(a, uint32_t, tfp_job_span_count(j) + 1);
    if (!d || !d->activity) return tfp_nomem(err);
    memset(d->activity, 0xff, (tfp_job_span_count(j) + 1) * sizeof *d->activity); /* TFP_NONE */
    for (uint32_t i = 0; i < j->device_count; i++) d->activity[j->activities[i].span] = i;
    return TFP_OK;
}

static tfp_status finish(tfp_whatif *w, tfp_error *err)
{
    tfp_whatif_device *d = w->device;
    d->fused = TFP_NEW(tfp_arena_of(w->r), bool, d->l.calls.size + 1);
    return d->fused ? TFP_OK : tfp_nomem(err);
}

static tfp_status find(tfp_whatif *w, tfp_error *err)
{
    tfp_whatif_device *d = w->device;
    tfp_status s = tfp_limits_of(w->r, w->job.x, &d->l, err);
    if (!s && !d->l.peaks.known)
        s = tfp_within_file(
            err,
            tfp_fail(err, TFP_BADFILE, "the limits of the device are not known: give -peak_flops and -peak_bandwidth"),
            tfp_first_source(tfp_profile_of(w->r)));
    if (!s && !tfp_limits_chains(&d->l, &d->chains)) s = tfp_nomem(err);
    return s ? s : finish(w, err);
}

tfp_status tfp_whatif_device_of(tfp_whatif *w, tfp_error *err)
{
    if (w->device) return TFP_OK;
    tfp_status s = start(w, err);
    if (!s) s = find(w, err);
    if (!s) return TFP_OK;
    tfp_whatif_device_free(w);
    w->device = NULL; /* nothing is known of it */
    return s;
}

tfp_status tfp_whatif_device_given(tfp_whatif *w, const tfp_limits *l, const tfp_limit_chains *chains, tfp_error *err)
{
    tfp_status s = start(w, err);
    if (s) return s;
    w->device->borrowed = true;
    w->device->l = *l;
    w->device->chains = *chains;
    return finish(w, err);
}

void tfp_whatif_device_free(tfp_whatif *w)
{
    if (!w->device || w->device->borrowed) return;
    tfp_limit_chains_free(&w->device->chains);
    tfp_limits_free(&w->device->l);
}

void tfp_apply_ideal_device(tfp_whatif *w)
{
    const tfp_job *j = &w->job;
    const tfp_whatif_device *d = w->device;
    for (uint32_t i = 0; i < j->device_count; i++) {
        uint32_t call = d->l.call_of[j->activities[i].span];
        if (call == TFP_NONE || d->l.calls.at[call].why || d->fused[call]) continue;
        const tfp_limit_call *c = &d->l.calls.at[call];
        double us = (double)c->ns / 1000, share = us > 0 ? c->ideal_us / us : 1;
        if (share < 1) w->v.duration[i] *= share;
    }
}

/* ---- chains ---- */

static void fuse(tfp_whatif *w, const tfp_limit_chain *run)
{
    tfp_whatif_device *d = w->device;
    bool first = true;
    for (uint32_t m = 0; m < run->count; m++) {
        uint32_t call = d->chains.members.at[run->first + m];
        d->fused[call] = true;
        for (uint32_t part = d->l.calls.at[call].first; part != TFP_NONE; part = d->l.parts.at[part].next) {
            uint32_t i = d->activity[d->l.parts.at[part].span];
            if (i == TFP_NONE) continue;
            if (first)
                w->v.duration[i] = run->fused_us;
            else
                tfp_take_away(&w->changer, i);
            first = false;
        }
    }
}

/* By run: whether its text, the type of its module or its line matches. NULL: out of memory. */
static bool *matching(tfp_whatif *w, tfp_str pattern)
{
    const tfp_whatif_device *d = w->device;
    char why[8];
    tfp_span_places places = { 0 };
    tfp_regex *regex = tfp_regex_new(pattern, why, sizeof why);
    bool *yes = calloc(d->chains.runs.size + 1, sizeof *yes);
    bool ok = regex && yes && tfp_span_places_of(w->r, &places);
    for (size_t i = 0; ok && i < d->chains.runs.size; i++) {
        const tfp_limit_chain *run = &d->chains.runs.at[i];
        const tfp_limit_chain_row *row = tfp_limit_chain_row_at(&d->chains, run->row);
        uint32_t op = d->l.calls.at[d->chains.members.at[run->first]].op;
        tfp_str line = tfp_place_name(&places, places.line[op]);
        yes[i] = tfp_regex_full_match(regex, row->chain) || tfp_regex_full_match(regex, row->module) ||
                 (line.data && tfp_regex_full_match(regex, line));
    }
    tfp_span_places_free(&places);
    tfp_regex_free(regex);
    if (ok) return yes;
    free(yes);
    return NULL;
}

bool tfp_apply_fuse(tfp_whatif *w, tfp_str pattern)
{
    const tfp_whatif_device *d = w->device;
    bool *yes = pattern.size ? matching(w, pattern) : NULL;
    if (pattern.size && !yes) return false;
    w->changer.found = !pattern.size;
    for (size_t i = 0; i < d->chains.runs.size; i++) {
        if (yes && !yes[i]) continue;
        w->changer.found = true;
        fuse(w, &d->chains.runs.at[i]);
    }
    tfp_empty_calls(&w->changer);
    free(yes);
    return true;
}
