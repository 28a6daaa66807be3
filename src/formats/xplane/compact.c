// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/compact.c: decides which lines become compact lanes (model/trace/compact.h) when only sums are asked for: host
 * threads, and device lines with a lane of their own. A lane stops being compact, and its rows become spans, when events
 * come out of order, when memory is allocated, when a second line for a nesting lane comes, or when an activity's place
 * follows from its launch. Uses base, model. */
#include "formats/xplane/parts.h"
#include "model/event_builder.h"
#include "model/trace/compact.h"
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

static tfp_nesting nesting_of(tfp_xline_kind kind)
{
    return kind == XL_HOST ? TFP_NESTING_HOST : kind == XL_OPS ? TFP_NESTING_DEVICE : TFP_NESTING_FLAT;
}

void tfp_xplane_start_line(tfp_xline_reader *lr)
{
    tfp_xreader *r = lr->r;
    size_t lanes = r->p->lanes->size;
    lr->lane = tfp_xplane_lane(lr);
    lr->compact = false;
    if (!r->sums || r->b->status || lr->l->kind == XL_MODULES || lr->l->kind == XL_SHOWN) return;
    lr->compact = tfp_compact_begin(&r->compact, r->b, lr->lane, nesting_of(lr->l->kind), lr->lane == lanes);
}

void tfp_xplane_stop_compact(tfp_xline_reader *lr)
{
    if (lr->compact) tfp_compact_expand(lr->r->b, lr->r->compact.at);
    lr->compact = false;
}

/* Called for an event whose node follows from what is around it or around its launch: no lane of the process can be
 * compact then. */
static void stop_process(tfp_xline_reader *lr)
{
    tfp_compact_expand_process(lr->r->b, lr->r->process);
    lr->compact = lr->r->sums = false;
}

static uint32_t kind_of(tfp_xreader *r, tfp_xclass *c, unsigned marks)
{
    tfp_compact_kind k = { .name = c->name,
                           .path = c->path,
                           .op = c->op,
                           .stats = c->stats,
                           .trace = c->trace,
                           .kind = (uint8_t)c->kind,
                           .class = (uint8_t)c->class,
                           .marks = (uint8_t)marks };
    return tfp_build_compact_kind(r->b, &k);
}

bool tfp_xplane_compact(tfp_xline_reader *lr, tfp_xclass *c, const tfp_event *of)
{
    tfp_xreader *r = lr->r;
    if (!lr->compact) return false;
    if (!c->path && c->kind != TFP_SPAN_ANNOTATION) {
        stop_process(lr);
        return false;
    }
    uint32_t *kind = &c->compact[(of->marks & TFP_MARK_CONTINUES) != 0];
    if (*kind == TFP_NONE) *kind = kind_of(r, c, c->marks | (of->marks & TFP_MARK_CONTINUES));
    tfp_compact_event e = { of->start_ns, of->duration_ns, *kind, of->correlation };
    bool nested_launch = e.correlation && lr->l->kind == XL_OPS;
    if (e.kind == TFP_NONE || (!nested_launch && tfp_compact_add(&r->compact, &e))) return true;
    tfp_xplane_stop_compact(lr);
    return false;
}

void tfp_xplane_beside_compact(tfp_xline_reader *lr, const tfp_event *e)
{
    if (lr->compact && !tfp_compact_beside(&lr->r->compact, e->start_ns, e->duration_ns)) tfp_xplane_stop_compact(lr);
}

bool tfp_xplane_compact_row(tfp_xline_reader *lr, const tfp_xclass *c, const tfp_xrow *row, unsigned marks,
                            bool has_run)
{
    tfp_xreader *r = lr->r;
    uint32_t kind = c->compact[(marks & TFP_MARK_CONTINUES) != 0];
    if (!lr->compact || kind == TFP_NONE || c->begins_step || c->names_step ||
        (row->correlation && lr->l->kind == XL_OPS))
        return false;
    tfp_compact_event e = { row->start_ns, row->duration_ns, kind, 0 };
    if (row->correlation) e.correlation = tfp_build_key(r->b, r->process, 1, row->correlation);
    if (!tfp_compact_add(&r->compact, &e)) return false;
    if (has_run && c->kind == TFP_SPAN_OP && c->module && !r->found.steps)
        tfp_xplane_thunk(lr, c, row->run, row->start_ns, row->duration_ns, TFP_NONE);
    return true;
}

#define LEVELS 8 /* how many levels of spans around a root are searched, the same number as in the join of spans */

void tfp_xplane_call_around(const tfp_xreader *r, int64_t end_ns, tfp_step_mark *m)
{
    const tfp_compact_holder *around[LEVELS];
    size_t count = tfp_compact_around(&r->compact, end_ns, around, LEVELS);
    for (size_t i = 0; i < count && !m->group; i++) {
        tfp_strid name = r->p->events->compact->kinds.at[around[i]->kind].name;
        tfp_str function;
        if (!tfp_function_called(tfp_text(r->p, name), &function)) continue;
        m->group = name;
        m->end_ns = around[i]->end_ns;
    }
}
