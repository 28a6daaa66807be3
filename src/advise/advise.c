// SPDX-License-Identifier: Apache-2.0
/* advise/advise.c: a view whose rows are checkers with their findings. */
#include "advise/checker.h"
#include "views/spans/trace.h"

#include <math.h>

static const tfp_checker *const checkers[] = { &tfp_checker_accelerator, &tfp_checker_expensive,
                                               &tfp_checker_operation };
enum { CHECKERS = sizeof checkers / sizeof *checkers };

const tfp_checker *tfp_checker_at(size_t i) { return i < CHECKERS ? checkers[i] : tfp_trace_rule(i - CHECKERS); }

tfp_status tfp_checker_find(tfp_report *r, uint32_t row, tfp_str text, tfp_error *err)
{
    char *copy = tfp_arena_copy(&r->arena, text);
    if (!copy || !tfp_push(&r->findings,
                           ((tfp_finding){ row, { copy, text.size }, { .span = TFP_NONE }, NAN, NAN, { 0 }, { 0 } })))
        return tfp_nomem(err);
    return TFP_OK;
}

tfp_status tfp_checker_find_text(tfp_report *r, uint32_t row, tfp_buf *b, tfp_error *err)
{
    tfp_status s = b->failed ? tfp_nomem(err) : tfp_checker_find(r, row, (tfp_str){ b->data, b->size }, err);
    tfp_buf_free(b);
    return s;
}

void tfp_checker_about(tfp_report *r, double seconds, const char *command)
{
    tfp_finding *f = &r->findings.at[r->findings.size - 1];
    f->seconds = seconds;
    f->command = tfp_str_of(command);
    f->file = tfp_only_source(r->profile);
}

/* A folder is none. */
tfp_str tfp_only_source(const tfp_profile *p)
{
    uint32_t only = TFP_NONE;
    for (uint32_t i = 0; i < p->sources.size; i++) {
        if (!p->formats.at[i]) continue;
        if (only != TFP_NONE) return TFP_STR("");
        only = i;
    }
    return only == TFP_NONE ? TFP_STR("") : tfp_str_of(p->sources.at[only]);
}

tfp_status tfp_checker_view(const tfp_report *r, const tfp_view *view, const char *const *options, tfp_report **out,
                            tfp_error *err)
{
    tfp_options *o = tfp_options_new();
    tfp_status s = o ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; !s && options[i]; i += 2) s = tfp_options_set(o, options[i], options[i + 1], err);
    if (!s) {
        o->reach = true;
        s = tfp_view_build(r->profile, view, o, out, err);
    }
    tfp_options_free(o);
    return s;
}

void tfp_checker_times(tfp_buf *b, const tfp_report *r, uint32_t row, bool totals)
{
    static const struct {
        const char *label;
        tfp_value value;
    } times[] = { { ", cpu: ", TFP_V_CPU_MICROS },
                  { ", accelerator: ", TFP_V_ACCELERATOR_MICROS },
                  { ", total: ", TFP_V_MICROS } };
    for (size_t i = 0; i < 3; i++) {
        tfp_buf_text(b, times[i].label);
        tfp_format_time(b, tfp_micros(totals ? tfp_total(r, row, times[i].value) : tfp_own(r, row, times[i].value)));
    }
}

/* An empty list of checkers means all. */
static bool is_asked(const char *list, const char *name)
{
    if (!list) return true;
    tfp_str left = tfp_str_of(list), want = tfp_str_of(name);
    for (;;) {
        const char *comma = memchr(left.data, ',', left.size);
        tfp_str item = { left.data, comma ? (size_t)(comma - left.data) : left.size };
        if (tfp_str_eq(item, want)) return true;
        if (!comma) return false;
        left.data += item.size + 1;
        left.size -= item.size + 1;
    }
}

tfp_status tfp_checkers_known(const char *list, tfp_error *err)
{
    tfp_str left = tfp_str_of(list);
    while (left.size) {
        const char *comma = memchr(left.data, ',', left.size);
        tfp_str item = { left.data, comma ? (size_t)(comma - left.data) : left.size };
        bool known = item.size == 0;
        const tfp_checker *c;
        for (size_t i = 0; (c = tfp_checker_at(i)) && !known; i++) known = tfp_str_eq(item, tfp_str_of(c->name));
        if (!known)
            return tfp_fail(err, TFP_BADARG, "option -checkers: no checker '%.*s'",
                            (int)(item.size < 200 ? item.size : 200), item.data);
        left.data += item.size + (comma != NULL);
        left.size -= item.size + (comma != NULL);
    }
    return TFP_OK;
}

static uint32_t add_row(tfp_report *r, const tfp_checker *c)
{
    tfp_row row = { .name = tfp_str_of(c->name), .depth = 1, .node = TFP_NONE, .item = TFP_NONE, .tensor = TFP_NONE };
    return tfp_report_add_row(r, &row);
}

static tfp_status run_checker(tfp_report *r, const tfp_checker *c, tfp_error *err)
{
    tfp_check_fn check = r->options->compat_tensorflow ? c->tensorflow : c->check;
    if (!check || !is_asked(r->options->checkers, c->name)) return TFP_OK;
    uint32_t at = add_row(r, c);
    return at == TFP_NONE ? tfp_nomem(err) : check(r, at, err);
}

static bool add_finding(tfp_report *r, uint32_t at, const tfp_trace_verdict *v)
{
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, "tfprof %s", v->command);
    const char *command = b.failed ? NULL : tfp_arena_copy(&r->arena, (tfp_str){ b.data, b.size });
    tfp_finding f = { .checker = at,
                      .text = v->text,
                      .evidence = v->evidence,
                      .seconds = v->about_ns / 1e9,
                      .gain_seconds = v->saving_ns > 0 ? v->saving_ns / 1e9 : NAN,
                      .file = v->file,
                      .command = { command, b.size } };
    tfp_buf_free(&b);
    return command && tfp_push(&r->findings, f);
}

/* A trace is judged by its own rules; those without a finding are not listed. */
static tfp_status run_trace_rules(tfp_report *r, tfp_error *err)
{
    tfp_trace_verdict found[TFP_TRACE_RULES_MOST];
    size_t count = 0;
    tfp_status s = tfp_trace_judge(r, found, &count, err);
    if (!s) s = tfp_note_guessed_steps(r, r->profile, NULL, err);
    for (size_t i = 0; i < count && !s; i++) {
        if (!is_asked(r->options->checkers, found[i].rule->name)) continue;
        uint32_t at = add_row(r, found[i].rule);
        if (at == TFP_NONE || !add_finding(r, at, &found[i])) s = tfp_nomem(err);
    }
    return s;
}

static tfp_status build_advise(tfp_report *r, tfp_error *err)
{
    tfp_row root = { .name = TFP_ROOT_NAME, .node = TFP_NONE, .item = TFP_NONE, .tensor = TFP_NONE };
    r->values = 0;
    if (tfp_report_add_row(r, &root) == TFP_NONE) return tfp_nomem(err);
    bool compat = r->options->compat_tensorflow;
    tfp_status s = TFP_OK;
    if (r->profile->events.processes.size && !compat) {
        s = run_trace_rules(r, err);
        return s || r->findings.size ? s : tfp_report_note_add(r, err, "no rule has a finding");
    }
    for (size_t i = 0; i < CHECKERS && !s; i++) s = run_checker(r, checkers[i], err);
    return s || compat || !r->runs ? s : run_trace_rules(r, err); /* as far as the runs tell of time */
}

const tfp_view tfp_view_advise = { "advise",
                                   "Checks the profile for common problems.",
                                   TFP_REPORT_FINDINGS,
                                   "Common problems found by looking at the other views.",
                                   "advise",
                                   build_advise,
                                   TFP_USES_SPANS };
