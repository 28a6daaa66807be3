// SPDX-License-Identifier: Apache-2.0
/* advise/ruling.c: writes texts for rules about traces: amounts, names, spans. */
#include "advise/rules.h"
#include "model/tables/spans.h"
#include "names/names.h"

#include <math.h>

enum { MOST_SHOWN = 80 }; /* most characters of a name */
#define BUSY 0.8          /* share of a step: the device is the limit */

void tfp_ruling_us(tfp_ruling *x, double ns) { tfp_format_real(&x->text, TFP_MICROS, ns / 1000); }

void tfp_ruling_part(tfp_ruling *x, const char *what, double ns)
{
    if (ns > x->f->mean.judged_ns) ns = x->f->mean.judged_ns;
    if (isnan(x->about_ns)) x->about_ns = ns;
    tfp_buf_text(&x->text, what);
    tfp_buf_text(&x->text, " takes ");
    tfp_ruling_us(x, ns);
    tfp_buf_text(&x->text, x->f->begin.whole ? " of the " : " of a step of ");
    tfp_ruling_us(x, x->f->mean.judged_ns);
    if (x->f->begin.whole) tfp_buf_text(&x->text, " from the first activity to the last of a trace without steps");
    tfp_buf_printf(&x->text, " (%.0f%%)", 100 * tfp_part(ns, x->f->mean.judged_ns));
}

void tfp_ruling_rate(tfp_ruling *x, double count, const char *what)
{
    tfp_buf_text(&x->text, "; ");
    if (x->f->begin.whole)
        tfp_buf_printf(&x->text, "%.0f %s%s", count, what, count < 1.5 ? "" : "s");
    else
        tfp_buf_printf(&x->text, count < 100 ? "%.1f %ss a step" : "%.0f %ss a step", count, what);
}

void tfp_ruling_share(tfp_ruling *x, const char *where, double ns)
{
    if (ns < 1 || tfp_part(ns, x->f->mean.judged_ns) < 0.005) return;
    tfp_buf_text(&x->text, ", ");
    tfp_ruling_us(x, ns);
    tfp_buf_printf(&x->text, " of it %s", where);
}

void tfp_ruling_name(tfp_ruling *x, tfp_str name)
{
    if (name.size > MOST_SHOWN) name.size = MOST_SHOWN;
    tfp_escape(&x->text, name);
}

void tfp_ruling_span(tfp_ruling *x, uint32_t span)
{
    bool kernel = span != TFP_NONE && x->f->x.s->kind[span] == TFP_SPAN_ACTIVITY;
    if (kernel && tfp_kernel_short(tfp_span_name(x->f->x.p, span), &x->text)) return;
    if (span != TFP_NONE) tfp_ruling_name(x, tfp_span_name(x->f->x.p, span));
}

void tfp_ruling_path(tfp_ruling *x, uint32_t span)
{
    tfp_buf path = { 0 };
    if (span == TFP_NONE) return;
    tfp_span_path(x->f->x.p, span, &path);
    if (path.failed) x->text.failed = true;
    size_t from = 0; /* cuts the beginning, because the end tells more */
    while (path.size - from > MOST_SHOWN) {
        const char *slash = memchr(path.data + from, '/', path.size - from);
        if (!slash || slash + 1 == path.data + path.size) break;
        from = (size_t)(slash + 1 - path.data);
    }
    if (from) tfp_buf_text(&x->text, "…/");
    tfp_ruling_name(x, (tfp_str){ path.data + from, path.size - from });
    tfp_buf_free(&path);
}

unsigned tfp_ruling_says(const tfp_ruling *x, uint32_t span)
{
    tfp_strid name = x->f->x.s->name[span];
    if (!x->says[name]) x->says[name] = tfp_name_says(tfp_span_name(x->f->x.p, span));
    return x->says[name];
}

tfp_status tfp_busy_put(tfp_report *r, tfp_buf *out, tfp_error *err)
{
    const tfp_trace_facts *f;
    double all = 0;
    tfp_status s = tfp_trace_facts_of(r, &f, err);
    if (s || !f->has_devices || f->begin.doubted.all || !(f->mean.busy_ns >= BUSY * f->mean.judged_ns)) return s;
    for (size_t i = 0; i < f->kernel_count; i++) all += (double)f->kernels[i].total_ns;
    if (!(all > 0 && f->mean.judged_ns > 0)) return TFP_OK;
    tfp_str name = f->kernels[0].name;
    double step = 100 * f->mean.busy_ns / f->mean.judged_ns;
    tfp_buf_printf(out, "; the device works %.0f%% of the step, most in ", step < 100 ? step : 100);
    if (!tfp_kernel_short(name, out)) tfp_escape(out, name);
    tfp_buf_printf(out, " (%.0f%% of its time): tfprof %s", 100 * (double)f->kernels[0].total_ns / all,
                   f->begin.doubted.most ? "triage tells its line"
                                         : "whatif tells what a faster kernel would gain, tfprof triage its line");
    return out->failed ? tfp_nomem(err) : TFP_OK;
}
