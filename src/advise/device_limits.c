// SPDX-License-Identifier: Apache-2.0
/* advise/device_limits.c: rules on how far calls are from what their device can do: chains that one kernel could do,
 * slow products, kernels that are too short for their launches. */
#include "advise/device_limits.h"
#include "advise/rules.h"
#include "model/graphs.h"
#include "options/options.h"
#include "views/core/handle.h"
#include "views/spans/places.h"

#define LEAST_JUDGED 0.5 /* share of the device's time */
#define SLOW_UNDER 0.5   /* efficiency of a shape */

static tfp_status find(tfp_report *r, tfp_device_limits *d, tfp_error *err)
{
    int64_t all = 0, judged = 0;
    for (size_t i = 0; i < d->l.calls.size; i++) {
        all = tfp_add(all, d->l.calls.at[i].ns, NULL);
        if (!d->l.calls.at[i].why) judged = tfp_add(judged, d->l.calls.at[i].ns, NULL);
    }
    d->judged_share = tfp_part((double)judged, (double)all);
    bool ok = tfp_limits_chains(&d->l, &d->chains) && tfp_limit_shape_rows(&d->l, &d->shape_rows, &d->shape_count);
    if (ok) d->chain_rows = tfp_limit_chain_rows(&d->l, &d->chains, 0);
    (void)r;
    return ok && d->chain_rows ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_device_limits_of(tfp_report *r, const tfp_trace_facts *f, tfp_device_limits **out, tfp_error *err)
{
    *out = NULL;
    if (!f->has_devices || !tfp_aten_has_shapes(f->x.p)) return TFP_OK;
    tfp_device_limits *d = TFP_NEW(tfp_arena_of(r), tfp_device_limits, 1);
    if (!d) return tfp_nomem(err);
    const tfp_limits *known = tfp_options_of(r)->made.limits;
    d->borrowed = known != NULL;
    if (known) d->l = *known;
    tfp_status s = known ? TFP_OK : tfp_limits_of(r, &f->x, &d->l, err);
    if (!s) s = find(r, d, err);
    if (!s) {
        *out = d;
        return TFP_OK;
    }
    tfp_device_limits_free(d);
    if (s != TFP_BADFILE) return s;
    tfp_error_clear(err);
    return TFP_OK;
}

void tfp_device_limits_free(tfp_device_limits *d)
{
    if (!d) return;
    tfp_limit_chains_free(&d->chains);
    if (!d->borrowed) tfp_limits_free(&d->l);
}

/* Whether enough is known of the device to say what is slow. */
static bool is_judged(const tfp_ruling *x)
{
    const tfp_device_limits *d = x->limits;
    return d && d->l.peaks.known && d->judged_share >= LEAST_JUDGED;
}

/* Time of a step, of that of all steps. */
static double a_step(const tfp_ruling *x, double us) { return us * 1000 / (double)x->f->step_count; }

static bool counts(const tfp_ruling *x, const tfp_limit_call *c) { return x->f->begin.whole || c->step != TFP_NONE; }

/* ---- chains ---- */

/* Appends the line of the user's code from which a call was made. */
static void put_line_of(tfp_ruling *x, uint32_t op)
{
    tfp_span_places places;
    bool ok = tfp_span_places_of(x->limits->l.r, &places);
    tfp_str line = ok ? tfp_place_name(&places, places.line[op]) : TFP_STR("");
    if (!ok) x->text.failed = true;
    if (line.size) {
        tfp_buf_text(&x->text, ", ");
        tfp_ruling_name(x, line);
    }
    tfp_span_places_free(&places);
}

bool tfp_ruling_fusable_chains(tfp_ruling *x)
{
    const tfp_device_limits *d = x->limits;
    double gain = 0;
    if (!is_judged(x) || !d->chains.rows.count) return false;
    for (size_t i = 0; i < d->chains.runs.size; i++) {
        const tfp_limit_chain *run = &d->chains.runs.at[i];
        if (counts(x, &d->l.calls.at[d->chains.members.at[run->first]])) gain += run->gain_us;
    }
    double ns = a_step(x, gain);
    if (tfp_part(ns, x->f->mean.judged_ns) < x->limit) return false;
    const tfp_limit_chain_row *first = &d->chain_rows[0];
    const tfp_limit_call *call = &d->l.calls.at[d->chains.members.at[d->chains.runs.at[first->run].first]];
    tfp_ruling_part(x, "what chains of kernels lose at most because none of them is one kernel", ns);
    tfp_buf_text(&x->text, "; first ");
    tfp_ruling_name(x, first->chain);
    if (first->module.size) {
        tfp_buf_text(&x->text, " in ");
        tfp_ruling_name(x, first->module);
    }
    put_line_of(x, call->op);
    tfp_buf_text(&x->text, ": at most ");
    tfp_ruling_us(x, a_step(x, first->gain_us));
    x->saving_ns = ns;
    x->evidence = d->l.parts.at[call->first].span;
    return true;
}

/* ---- products ---- */

/* The first activity of a shape's operator, for the evidence. */
static uint32_t activity_of(const tfp_device_limits *d, const tfp_limit_shape_row *row)
{
    for (size_t i = 0; i < d->l.parts.size; i++) {
        const tfp_limit_call *c = &d->l.calls.at[d->l.parts.at[i].call];
        if (tfp_limit_part_name(&d->l, (uint32_t)i) == row->names[0] && !c->why) return d->l.parts.at[i].span;
    }
    return TFP_NONE;
}

static bool is_slow(const tfp_limits *l, const tfp_limit_call *c)
{
    bool product = c->class >= TFP_WORK_PRODUCT && c->class <= TFP_WORK_ATTENTION;
    return !c->why && product && !c->latency && c->ideal_us < SLOW_UNDER * (double)c->ns / 1000 && l->peaks.known;
}

/* Whether it is an activity of a slow product. */
static bool multiplies_slowly(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)waits;
    const tfp_limits *l = &x->limits->l;
    return l->call_of[span] != TFP_NONE && is_slow(l, &l->calls.at[l->call_of[span]]);
}

/* The ideal time of slow products as a share of the time that they take now. */
static double left_of(const tfp_limits *l)
{
    double ideal = 0, us = 0;
    for (size_t i = 0; i < l->calls.size; i++) {
        if (!is_slow(l, &l->calls.at[i])) continue;
        ideal += l->calls.at[i].ideal_us;
        us += (double)l->calls.at[i].ns / 1000;
    }
    return us > 0 ? ideal / us : 1;
}

bool tfp_ruling_slow_products(tfp_ruling *x)
{
    const tfp_device_limits *d = x->limits;
    const tfp_limit_shape_row *first = NULL;
    double loss = 0;
    size_t shapes = 0;
    for (size_t i = 0; is_judged(x) && i < d->shape_count; i++) {
        const tfp_limit_shape_row *row = &d->shape_rows[i];
        bool latency = row->latency_us * 2 >= (double)row->device_ns / 1000;
        if (latency || !(row->efficiency < SLOW_UNDER)) continue;
        if (!first) first = row;
        loss += row->loss_us;
        shapes++;
    }
    double ns = a_step(x, loss);
    if (!first || tfp_part(ns, x->f->mean.judged_ns) < x->limit) return false;
    tfp_buf_printf(&x->text, "%zu shape%s of products below half of what the device can do: the loss", shapes,
                   shapes == 1 ? "" : "s");
    tfp_ruling_part(x, "", ns);
    tfp_buf_printf(&x->text, "; most in %.*s %.*s %.*s", (int)first->op.size, first->op.data, (int)first->shape.size,
                   first->shape.data, (int)first->type.size, first->type.data);
    if (first->transposed.size) tfp_buf_printf(&x->text, " %.*s", (int)first->transposed.size, first->transposed.data);
    tfp_buf_printf(&x->text, ": %.3g of %.4g TFLOP/s", first->tflops.mean, d->l.peaks.flops[first->float_type] / 1e12);
    if (tfp_str_eq(first->bound, tfp_str_of(tfp_bound_names[TFP_BOUND_MEMORY])))
        tfp_buf_printf(&x->text, "; its limit is the memory: %.3g of %.4g TB/s",
                       (double)first->bytes_moved / (double)first->device_ns / 1e3, d->l.peaks.bandwidth / 1e12);
    x->saving_ns = ns;
    x->evidence = activity_of(d, first);
    x->touches = multiplies_slowly;
    x->left = left_of(&d->l);
    return true;
}

/* ---- launches ---- */

/* Less work than the shortest kernel could do; on an unknown device: a kernel that short. */
static bool is_short(const tfp_device_limits *d, const tfp_limit_call *c)
{
    return d->l.peaks.known ? c->latency : (double)c->ns < d->l.peaks.floor_us * 1000;
}

bool tfp_ruling_launch_bound(tfp_ruling *x)
{
    const tfp_device_limits *d = x->limits;
    int64_t all = 0, small = 0;
    uint32_t longest = TFP_NONE;
    if (!d || tfp_part(x->f->mean.idle_ns, x->f->mean.judged_ns) < x->limit) return false;
    for (size_t i = 0; i < d->l.calls.size; i++) {
        const tfp_limit_call *c = &d->l.calls.at[i];
        if (c->op == TFP_NONE || !counts(x, c)) continue;
        all++;
        small += !c->why && is_short(d, c);
        if (longest == TFP_NONE && !c->why && is_short(d, c)) longest = d->l.parts.at[c->first].span;
    }
    if (2 * small <= all || tfp_has_captures(x->f->x.p)) return false; /* a capture runs what graphs will launch */
    tfp_ruling_part(x, "waiting for launches of kernels that are about as short as a kernel can be",
                    x->f->mean.idle_ns);
    tfp_buf_printf(&x->text, "; %.0f of %.0f calls have less work than that", (double)small / (double)x->f->step_count,
                   (double)all / (double)x->f->step_count);
    x->saving_ns = x->f->mean.idle_ns;
    x->evidence = longest;
    return true;
}
