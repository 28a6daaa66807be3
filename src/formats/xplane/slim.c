// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/slim.c: decides which lines become slim lanes (model/slim.h) when only sums are asked for: host
 * threads, and device lines with a lane of their own. A lane stops being slim, and its rows become spans, when events
 * come out of order, when memory is allocated, when a second line for a nesting lane comes, or when an activity's place
 * follows from its launch. Uses base, model. */
#include "formats/xplane/parts.h"
#include "model/event_builder.h"
#include "model/slim.h"
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

static tfp_slim_nesting nesting_of(tfp_xline_kind kind)
{
    return kind == XL_HOST ? TFP_SLIM_HOST : kind == XL_OPS ? TFP_SLIM_DEVICE : TFP_SLIM_FLAT;
}

void tfp_xplane_start_line(tfp_xline_reader *lr)
{
    tfp_xreader *r = lr->r;
    size_t lanes = r->p->lanes->size;
    lr->lane = tfp_xplane_lane(lr);
    lr->slim = false;
    if (!r->sums || r->b->status || lr->l->kind == XL_MODULES || lr->l->kind == XL_SHOWN) return;
    tfp_slim_nesting nesting = nesting_of(lr->l->kind);
    uint32_t at = tfp_slim_of_lane(r->p->events, lr->lane);
    tfp_slim_lane *known = at == TFP_NONE ? NULL : &r->p->events->slim->slims.at[at];
    bool flat = known && !known->wide && known->nesting == TFP_SLIM_FLAT && nesting == TFP_SLIM_FLAT;
    if (lr->lane == lanes || flat) {
        lr->slim = true;
        tfp_slim_begin(&r->slim, r->b, lr->lane, nesting);
    } else if (known) {
        tfp_slim_widen(r->b, at);
    }
}

void tfp_xplane_stop_slim(tfp_xline_reader *lr)
{
    if (lr->slim) tfp_slim_widen(lr->r->b, lr->r->slim.slim);
    lr->slim = false;
}

/* Called for an event whose node follows from what is around it or around its launch: no lane of the process can be
 * slim then. */
static void slim_no_more(tfp_xline_reader *lr)
{
    tfp_event_tables *t = lr->r->p->events;
    for (uint32_t i = 0; i < t->slim->slims.size; i++)
        if (lr->r->p->lanes->at[t->slim->slims.at[i].lane].process == lr->r->process) tfp_slim_widen(lr->r->b, i);
    lr->slim = lr->r->sums = false;
}

static uint32_t kind_of(tfp_xreader *r, tfp_xclass *c, unsigned marks)
{
    tfp_slim_kind k = { .name = c->name,
                        .path = c->path,
                        .op = c->op,
                        .stats = c->stats,
                        .trace = c->trace,
                        .kind = (uint8_t)c->kind,
                        .class = (uint8_t)c->class,
                        .marks = (uint8_t)marks };
    return tfp_build_slim_kind(r->b, &k);
}

bool tfp_xplane_slim(tfp_xline_reader *lr, tfp_xclass *c, const tfp_event *of)
{
    tfp_xreader *r = lr->r;
    if (!lr->slim) return false;
    if (!c->path && c->kind != TFP_SPAN_ANNOTATION) {
        slim_no_more(lr);
        return false;
    }
    uint32_t *kind = &c->slim[(of->marks & TFP_MARK_CONTINUES) != 0];
    if (*kind == TFP_NONE) *kind = kind_of(r, c, c->marks | (of->marks & TFP_MARK_CONTINUES));
    tfp_slim_event e = { of->start_ns, of->duration_ns, *kind, of->correlation };
    bool nested_launch = e.correlation && lr->l->kind == XL_OPS;
    if (e.kind == TFP_NONE || (!nested_launch && tfp_slim_add(&r->slim, &e))) return true;
    tfp_xplane_stop_slim(lr);
    return false;
}

void tfp_xplane_beside_slim(tfp_xline_reader *lr, const tfp_event *e)
{
    if (lr->slim && !tfp_slim_pass(&lr->r->slim, e->start_ns, e->duration_ns)) tfp_xplane_stop_slim(lr);
}

bool tfp_xplane_slim_row(tfp_xline_reader *lr, const tfp_xclass *c, const tfp_xrow *row, unsigned marks, bool has_run)
{
    tfp_xreader *r = lr->r;
    uint32_t kind = c->slim[(marks & TFP_MARK_CONTINUES) != 0];
    if (!lr->slim || kind == TFP_NONE || c->begins_step || c->names_step || (row->correlation && lr->l->kind == XL_OPS))
        return false;
    tfp_slim_event e = { row->start_ns, row->duration_ns, kind, 0 };
    if (row->correlation) e.correlation = tfp_build_key(r->b, r->process, 1, row->correlation);
    if (!tfp_slim_add(&r->slim, &e)) return false;
    if (has_run && c->kind == TFP_SPAN_OP && c->module && !r->found.steps)
        tfp_xplane_thunk(lr, c, row->run, row->start_ns, row->duration_ns, TFP_NONE);
    return true;
}

#define LEVELS 8 /* how many levels of spans around a root are searched, the same number as in the join of spans */

void tfp_xplane_call_around(const tfp_xreader *r, int64_t end_ns, tfp_step_mark *m)
{
    const tfp_slim_holder *around[LEVELS];
    size_t count = tfp_slim_around(&r->slim, end_ns, around, LEVELS);
    for (size_t i = 0; i < count && !m->group; i++) {
        tfp_strid name = r->p->events->slim->slim_kinds.at[around[i]->kind].name;
        tfp_str function;
        if (!tfp_function_called(tfp_text(r->p, name), &function)) continue;
        m->group = name;
        m->end_ns = around[i]->end_ns;
    }
}
