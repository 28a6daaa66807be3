// SPDX-License-Identifier: Apache-2.0
/* show.c: tfp_show and tfp_report_put: write a report to the place that -output names, as one command does. */
#include "options/options.h"
#include "registry.h"
#include "views/core/report.h"
#include "views/core/view.h"

#include <stdio.h>

typedef struct target {
    tfp_write_fn fn;
    void *ctx;
    bool several; /* timelines, one for each step */
} target;

static tfp_status say(const target *t, tfp_buf *b, tfp_error *err)
{
    tfp_status s = b->failed ? tfp_nomem(err) : TFP_OK;
    if (!s && b->size && t->fn(t->ctx, b->data, b->size) != 0)
        s = tfp_fail(err, TFP_BADOUTPUT, "cannot write the output");
    tfp_buf_free(b);
    return s;
}

/* NAME_STEP, as in TensorFlow. A name that ends in .json or .json.gz is used unchanged; with several files the step
 * comes before that ending. */
static void timeline_path(tfp_buf *path, const tfp_options *o, bool several)
{
    size_t n = strlen(o->to.outfile), end = n;
    if (n > 8 && strcmp(o->to.outfile + n - 8, ".json.gz") == 0)
        end = n - 8;
    else if (n > 5 && strcmp(o->to.outfile + n - 5, ".json") == 0)
        end = n - 5;
    tfp_buf_add(path, o->to.outfile, end);
    if (end == n || several || o->compat_tensorflow) {
        if (o->compat_tensorflow) tfp_buf_text(path, o->to.outfile + end);
        tfp_buf_printf(path, "_%lld", (long long)tfp_step_number(o->step));
    }
    if (!o->compat_tensorflow) tfp_buf_text(path, o->to.outfile + end);
    tfp_buf_char(path, 0);
}

/* The lines that TensorFlow prints in addition to the file; scripts and people look for them. */
static tfp_status write_timeline(const tfp_report *r, const target *t, tfp_error *err)
{
    bool graph = r->about->timeline == TFP_TIMELINE_OF_STEP;
    tfp_buf path = { 0 }, words = { 0 };
    timeline_path(&path, r->options, t->several);
    tfp_status s = path.failed ? tfp_nomem(err) : tfp_report_write_file(r, "timeline", path.data, err);
    if (!s) {
        if (graph) tfp_buf_text(&words, "generating trace file.\n");
        if (graph) tfp_timeline_peaks(r, &words);
        tfp_buf_text(&words, "\n******************************************************\nTimeline file is written to ");
        tfp_escape(&words, tfp_str_of(path.data));
        tfp_buf_text(&words, ".\nOpen a Chrome browser, enter URL chrome://tracing and load the timeline file."
                             "\n******************************************************\n");
        s = say(t, &words, err);
    }
    tfp_buf_free(&path);
    return s;
}

/* A file's name in the form that a shell reads: in single quotes unless it is plain. */
static void quote(tfp_buf *b, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (*path && *path != '-' && path[strspn(path, plain)] == 0) {
        tfp_buf_text(b, path);
        return;
    }
    tfp_buf_text(b, *path == '-' ? "./'" : "'");
    for (const char *at = path; *at;) {
        size_t n = strcspn(at, "'");
        tfp_escape(b, (tfp_str){ at, n });
        at += n;
        if (*at) tfp_buf_text(b, "'\\''"), at++;
    }
    tfp_buf_char(b, '\'');
}

static tfp_status write_pprof(const tfp_report *r, const target *t, tfp_error *err)
{
    tfp_status s = tfp_report_write_file(r, "pprof", r->options->to.outfile, err);
    tfp_buf words = { 0 };
    /* TensorFlow has pprof only for the code view, so only there scripts look for its line */
    if (s || r->about->rows_are != TFP_ROWS_OF_CODE) return s;
    bool tensorflow = r->options->compat_tensorflow;
    tfp_buf_printf(&words, "\nRun pprof -png --nodecount=100 --sample_index=1 %s", tensorflow ? "<" : "");
    if (tensorflow)
        tfp_escape(&words, tfp_str_of(r->options->to.outfile));
    else
        quote(&words, r->options->to.outfile);
    tfp_buf_text(&words, tensorflow ? ">\n" : "\n");
    return say(t, &words, err);
}

static const char *refused(const tfp_report *r)
{
    bool row_less = !tfp_kind_of(r)->numbers;
    if (row_less && r->options->to.output == TFP_TO_TIMELINE) return "timeline";
    return row_less && !r->stacks && r->options->to.output == TFP_TO_PPROF ? "pprof" : NULL;
}

static tfp_status write_report(const tfp_report *r, const target *t, tfp_error *err)
{
    const tfp_options *o = r->options;
    tfp_status s = TFP_OK;
    if (o->to.proto_out) s = tfp_report_write_file(r, "proto", o->to.proto_out, err);
    if (s) return s;
    if (o->to.dump_to_file) return tfp_report_write_file(r, o->to.format, o->to.dump_to_file, err);
    if (refused(r)) return tfp_fail(err, TFP_BADARG, "%s has no %s", r->view, refused(r));
    switch (o->to.output) {
    case TFP_TO_STDOUT: return tfp_report_write(r, o->to.format, t->fn, t->ctx, err);
    case TFP_TO_FILE: return tfp_report_write_file(r, o->to.format, o->to.outfile, err);
    case TFP_TO_TIMELINE: return write_timeline(r, t, err);
    case TFP_TO_PPROF: return write_pprof(r, t, err);
    case TFP_TO_FOLDED: return tfp_report_write_file(r, "folded", o->to.outfile, err);
    case TFP_TO_SPEEDSCOPE: return tfp_report_write_file(r, "speedscope", o->to.outfile, err);
    case TFP_TO_PERFETTO: return tfp_report_write_file(r, "perfetto", o->to.outfile, err);
    case TFP_TO_NONE: break;
    }
    return TFP_OK;
}

tfp_status tfp_report_put(const tfp_report *r, tfp_write_fn fn, void *ctx, tfp_error *err)
{
    tfp_error_clear(err);
    if (!r || !fn) return tfp_fail(err, TFP_BADARG, "no report, or nowhere to write");
    target t = { fn, ctx, false };
    return write_report(r, &t, err);
}

#define TIMELINES_MAX 1000 /* largest number of files that one command writes */

/* A graph timeline shows one step; for the mean, one is written for each step. */
static tfp_status show_every_step(const tfp_profile *p, const char *view, const tfp_options *o, const target *t,
                                  tfp_report **out, tfp_error *err)
{
    size_t n = tfp_profile_step_count(p);
    if (n > TIMELINES_MAX)
        return tfp_fail(err, TFP_LIMIT, "a timeline each of %zu steps: more than %d; -step chooses one", n,
                        TIMELINES_MAX);
    if (n == 0) return tfp_fail(err, TFP_NOTFOUND, "a graph timeline needs a step, and the profile has none");
    target each = *t;
    each.several = n > 1;
    tfp_options *one = tfp_options_copy(o);
    tfp_status s = one ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; i < n && !s; i++) {
        if (tfp_profile_step(p, i) < 0) continue;
        tfp_report_free(*out);
        *out = NULL;
        one->step = tfp_step_of_id(tfp_profile_step(p, i));
        s = tfp_report_build(p, view, one, out, err);
        if (!s) s = write_report(*out, &each, err);
    }
    tfp_options_free(one);
    return s;
}

tfp_status tfp_show(const tfp_profile *p, const char *view, const tfp_options *options, tfp_write_fn fn, void *ctx,
                    tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!p || !view || !fn) return tfp_fail(err, TFP_BADARG, "no profile, no view's name, or nowhere to write");
    target t = { fn, ctx, false };
    tfp_report *r = NULL;
    tfp_options *defaults = options ? NULL : tfp_options_new();
    const tfp_options *o = options ? options : defaults;
    if (!o) return tfp_nomem(err);
    tfp_status s;
    if (o->to.output == TFP_TO_TIMELINE && o->step.which != TFP_STEP_ONE &&
        tfp_view_traits(view) & TFP_VIEW_TIMELINE_OF_STEP) {
        s = show_every_step(p, view, o, &t, &r, err);
    } else {
        s = tfp_report_build(p, view, o, &r, err);
        if (!s) s = write_report(r, &t, err);
    }
    tfp_options_free(defaults);
    if (s || !out)
        tfp_report_free(r);
    else
        *out = r;
    return s;
}
