// SPDX-License-Identifier: Apache-2.0
/* advise/advise.c: a view whose rows are checkers with their findings. */
#include "advise/checker.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "views/core/engine.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/spans/doubts.h"

#include <math.h>

static const tfp_checker *const checkers[] = { &tfp_checker_accelerator, &tfp_checker_expensive,
                                               &tfp_checker_operation };
enum { CHECKERS = sizeof checkers / sizeof *checkers };

const tfp_checker *tfp_checker_at(size_t i) { return i < CHECKERS ? checkers[i] : tfp_trace_rule(i - CHECKERS); }

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
    if (!check || !is_asked(r->options->verb.checkers, c->name)) return TFP_OK;
    uint32_t at = add_row(r, c);
    return at == TFP_NONE ? tfp_nomem(err) : check(r, at, err);
}

static bool add_finding(tfp_report *r, uint32_t at, const tfp_trace_verdict *v)
{
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, "tfprof %s", v->command);
    tfp_finding f = { .checker = at,
                      .about = v->rule->about,
                      .text = v->text,
                      .problem = v->problem,
                      .remedy = v->remedy,
                      .evidence = v->evidence,
                      .seconds = v->about_ns / 1e9,
                      .gain_seconds = v->saving_ns > 0 || v->little || v->change ? v->saving_ns / 1e9 : NAN,
                      .change = v->change,
                      .file = v->file,
                      .command = tfp_buf_move(&b, &r->arena) };
    return f.command.data && tfp_push(&r->findings, f);
}

/* Runs the rules for traces; rules without a finding are not listed. */
static tfp_status run_trace_rules(tfp_report *r, tfp_error *err)
{
    tfp_trace_verdict found[TFP_TRACE_RULES_MOST];
    size_t count = 0;
    tfp_status s = tfp_trace_judge(r, found, &count, err);
    if (!s) s = tfp_note_recording(r, r->profile, NULL, err);
    for (size_t i = 0; i < count && !s; i++) {
        if (!is_asked(r->options->verb.checkers, found[i].rule->name)) continue;
        uint32_t at = add_row(r, found[i].rule);
        if (at == TFP_NONE || !add_finding(r, at, &found[i])) s = tfp_nomem(err);
    }
    return s;
}

static tfp_status note_none(tfp_report *r, tfp_error *err)
{
    tfp_buf busy = { 0 };
    tfp_status s = r->options->verb.checkers ? TFP_OK : tfp_busy_put(r, &busy, err);
    if (!s)
        s = tfp_report_note_add(r, TFP_NOTE_NO_FINDINGS, err, "no rule has a finding%.*s", (int)busy.size,
                                busy.size ? busy.data : "");
    tfp_buf_free(&busy);
    return s;
}

static tfp_status build_advise(tfp_report *r, tfp_error *err)
{
    tfp_row root = { .name = TFP_ROOT_NAME, .node = TFP_NONE, .item = TFP_NONE, .tensor = TFP_NONE };
    r->values = 0;
    if (tfp_report_add_row(r, &root) == TFP_NONE) return tfp_nomem(err);
    bool compat = r->options->compat_tensorflow;
    tfp_status s = TFP_OK;
    if (tfp_has(r->profile, TFP_HAS_TRACE) && !compat) {
        s = run_trace_rules(r, err);
        return s || r->findings.size ? s : note_none(r, err);
    }
    for (size_t i = 0; i < CHECKERS && !s; i++) s = run_checker(r, checkers[i], err);
    return s || compat || !r->runs ? s : run_trace_rules(r, err); /* as far as the runs have times */
}

const tfp_view tfp_view_advise = { "advise",
                                   "Checks the profile for common problems.",
                                   TFP_REPORT_FINDINGS,
                                   "Common problems found by looking at the other views.",
                                   "advise",
                                   build_advise,
                                   TFP_USES_SPANS,
                                   .reads = TFP_READS_STRIDES };
