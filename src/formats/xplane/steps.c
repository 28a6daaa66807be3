// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/steps.c: marks of steps in an XPlane file: steps and roots, calls of Keras' step functions, runs of
 * modules. Uses base, model. */
#include "formats/xplane/parts.h"
#include "model/tables/read.h"

/* Adds a thunk. A module's run on the CPU has many thunks and becomes one row. */
void tfp_xplane_thunk(tfp_xline_reader *lr, const tfp_xclass *c, uint64_t number, int64_t start_ns, int64_t duration_ns,
                      uint32_t span)
{
    tfp_xreader *r = lr->r;
    int64_t end_ns = start_ns + duration_ns;
    tfp_xthunks *last = r->thunks.list.size ? &r->thunks.list.at[r->thunks.last] : NULL;
    if (!last || r->thunks.last_run != number || last->module != c->module) {
        uint32_t run = tfp_build_key(r->b, r->process, 2, number);
        uint64_t key = (uint64_t)run << 32 | c->module;
        uint32_t at = tfp_map64_get(&r->thunks.by_run, key);
        if (at == TFP_NONE) {
            at = (uint32_t)r->thunks.list.size;
            tfp_xthunks first = { span, run, lr->lane, c->module, start_ns, end_ns, 0 };
            if (!tfp_build_keep(r->b, tfp_push(&r->thunks.list, first) && tfp_map64_put(&r->thunks.by_run, key, at)))
                return;
        }
        r->thunks.last_run = number;
        r->thunks.last = at;
        last = &r->thunks.list.at[at];
    }
    if (start_ns < last->start_ns) {
        last->start_ns = start_ns;
        last->span = span;
        last->lane = lr->lane;
    }
    if (end_ns > last->end_ns) last->end_ns = end_ns;
    r->thunks.last_span = span;
    last->busy_ns = tfp_add(last->busy_ns, duration_ns, NULL);
}

static void add_mark(tfp_xreader *r, const tfp_step_mark *m)
{
    if (m->source != TFP_STEPS_MODULES) r->found.steps = true;
    tfp_build_step_mark(r->b, m);
}

void tfp_xplane_mark(tfp_xline_reader *lr, const tfp_event *e, tfp_step_mark *m)
{
    if (m->span == TFP_NONE) m->span = tfp_xplane_marker(lr->r, e);
    add_mark(lr->r, m);
}

void tfp_xplane_run(tfp_xline_reader *lr, const tfp_xclass *c, const tfp_event *e, uint32_t span)
{
    tfp_xreader *r = lr->r;
    tfp_strid module = tfp_build_string(r->b, tfp_xplane_module_name(tfp_text(r->p, c->name)));
    tfp_xrun run = { e->start_ns, e->start_ns + e->duration_ns, module };
    add_mark(r, &(tfp_step_mark){ .span = span, .source = TFP_STEPS_MODULES, .number = -1, .group = module });
    tfp_build_keep(r->b, tfp_push(&r->planes.at[lr->plane].runs, run));
}

uint32_t tfp_xplane_marker(tfp_xreader *r, const tfp_event *of)
{
    tfp_event e = { .lane = of->lane,
                    .name = of->name,
                    .start_ns = of->start_ns,
                    .duration_ns = of->duration_ns,
                    .kind = TFP_SPAN_OTHER,
                    .marks = of->marks & TFP_MARK_INSTANT,
                    .stats = TFP_NONE,
                    .trace = TFP_NONE };
    return tfp_build_event(r->b, &e);
}
