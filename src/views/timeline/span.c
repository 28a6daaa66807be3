// SPDX-License-Identifier: Apache-2.0
/* views/timeline/span.c: everything known about one span of a timeline: its times, its arguments, and related spans:
 * those around it, its launch or what it launched, the forward operator of a backward one; for executions, what they
 * waited for along the edges of the graph. */
#include "model/frames/kinds.h"
#include "model/span_names.h"
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/stats.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/spans/trace.h"
#include "views/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>

enum { LINKS_MOST = 100 }; /* most links of one relation */

typedef struct link_row {
    tfp_str relation, name;
    int64_t span, row, start_ns, duration_ns;
} link_row;

static const tfp_table_column link_columns[] = {
    TFP_COLUMN_WHOLE(link_row, "relation", TEXT, LABEL, relation, "what the other span is to this one"),
    TFP_COLUMN_WHOLE(link_row, "span", INT, NUMBER, span, "the other one's number"),
    TFP_COLUMN_WHOLE(link_row, "row", INT, NUMBER, row, "its row, counted over all lanes"),
    TFP_COLUMN_WHOLE(link_row, "name", TEXT, LABEL, name, "its name"),
    TFP_COLUMN_WHOLE(link_row, "start_us", NANO, MICROS, start_ns, "from the start of the timeline"),
    TFP_COLUMN_WHOLE(link_row, "duration_us", NANO, MICROS, duration_ns, "how long it took"),
    { 0 }
};

typedef struct arg_row {
    tfp_str key, value;
} arg_row;

static const tfp_table_column arg_columns[] = { TFP_COLUMN_WHOLE(arg_row, "key", TEXT, LABEL, key,
                                                                 "what the file tells"),
                                                TFP_COLUMN_WHOLE(arg_row, "value", TEXT, LABEL, value, "of it"),
                                                { 0 } };

typedef enum relation {
    PARENT,
    LAUNCH,
    OWNER,
    LAUNCHES,
    FORWARD,
    BACKWARD,
    SOURCE,
    TARGET,
    INPUT,
    OUTPUT,
    FRAME,
    LIBRARY
} relation;
enum { RELATIONS = LIBRARY + 1 };
static const char *const relations[] = {
    [PARENT] = "parent",    [LAUNCH] = "launched by",  [OWNER] = "operator", [LAUNCHES] = "launches",
    [FORWARD] = "forward",  [BACKWARD] = "backward",   [SOURCE] = "from",    [TARGET] = "to",
    [INPUT] = "waited for", [OUTPUT] = "waits for it", [FRAME] = "frame",    [LIBRARY] = "library frame"
};

typedef struct details {
    const tfp_timeline *t;
    tfp_report *r;
    uint32_t place, span;
    int64_t met[RELATIONS];
    TFP_VEC(link_row) links;
    TFP_VEC(arg_row) args;
    bool ok;
} details;

static void add_link(details *d, relation what, uint32_t span)
{
    const tfp_timeline *t = d->t;
    uint32_t place = span == TFP_NONE ? TFP_NONE : t->place_of[span];
    if (place == TFP_NONE || d->met[what]++ >= LINKS_MOST) return;
    link_row row = { .relation = tfp_str_of(relations[what]),
                     .name = tfp_text(t->p, tfp_timeline_name(t, place)),
                     .span = span,
                     .row = tfp_timeline_row(t, place),
                     .start_ns = t->start_ns[place],
                     .duration_ns = t->end_ns[place] - t->start_ns[place] };
    if (!tfp_push(&d->links, row)) d->ok = false;
}

/* ---- of a trace ---- */

static bool is_frame_around(const tfp_span_columns *s, uint32_t i, uint32_t span)
{
    if (s->kind[i] != TFP_SPAN_FRAME || s->lane[i] != s->lane[span] || s->start_ns[i] > s->start_ns[span]) return false;
    return i != span &&
           tfp_add(s->start_ns[i], s->duration_ns[i], NULL) >= tfp_add(s->start_ns[span], s->duration_ns[span], NULL);
}

static void add_frame(details *d, uint32_t span)
{
    tfp_python_frame f;
    const tfp_profile *p = d->t->p;
    if (!tfp_python_frame_of(tfp_text(p, tfp_events_of(p)->spans.name[span]), &f)) return;
    add_link(d, tfp_is_library_file(f.file) ? LIBRARY : FRAME, span);
}

/* Adds the Python functions that the host was in when it ran or launched the span; if there are very many, those that
 * began last. */
static void link_frames(details *d)
{
    const tfp_span_columns *s = &tfp_events_of(d->t->p)->spans;
    uint32_t host = s->owner[d->span] != TFP_NONE ? s->owner[d->span] : d->span;
    size_t around = 0;
    if (host == d->span && s->launch[d->span] != TFP_NONE) host = s->launch[d->span];
    for (uint32_t i = 0; i < s->size; i++) around += is_frame_around(s, i, host);
    for (uint32_t i = 0; around && i < s->size; i++)
        if (is_frame_around(s, i, host) && around-- <= LINKS_MOST) add_frame(d, i);
}

static void link_event(details *d)
{
    const tfp_event_tables *e = tfp_events_of(d->t->p);
    const tfp_span_columns *s = &e->spans;
    add_link(d, PARENT, s->parent[d->span]);
    add_link(d, LAUNCH, s->launch[d->span]);
    if (s->owner[d->span] != s->launch[d->span]) add_link(d, OWNER, s->owner[d->span]);
    for (uint32_t i = 0; i < s->size; i++)
        if (s->launch[i] == d->span || s->owner[i] == d->span) add_link(d, LAUNCHES, i);
    for (size_t i = 0; i < e->flows.size; i++) {
        const tfp_flow *f = &e->flows.at[i];
        bool backward = f->kind == TFP_FLOW_BACKWARD;
        if (f->from == d->span) add_link(d, backward ? BACKWARD : TARGET, f->to);
        if (f->to == d->span) add_link(d, backward ? FORWARD : SOURCE, f->from);
    }
    link_frames(d);
}

static void add_arg(details *d, const tfp_stat *stat)
{
    const tfp_profile *p = d->t->p;
    tfp_buf text = { 0 };
    tfp_str value = { "", 0 };
    if (stat->type == TFP_STAT_TEXT) {
        value = tfp_text(p, (tfp_strid)stat->value.text);
    } else {
        if (stat->type == TFP_STAT_INT)
            tfp_buf_int(&text, stat->value.number);
        else
            tfp_buf_printf(&text, "%.17g", stat->value.real);
        value = tfp_buf_move(&text, tfp_arena_of(d->r));
    }
    arg_row row = { tfp_text(p, stat->key), value };
    if (!value.data || !tfp_push(&d->args, row)) d->ok = false;
}

static void tell_args(details *d)
{
    const tfp_event_tables *e = tfp_events_of(d->t->p);
    uint32_t set = e->spans.stats[d->span];
    if (set == TFP_NONE) return;
    const tfp_stat_set *s = &e->stat_sets.at[set];
    for (uint32_t i = 0; i < s->count && d->ok; i++) add_arg(d, &e->stats.at[s->first + i]);
}

/* ---- of executions ---- */

/* Finds the nodes at the other ends of the node's edges: node -> relation. */
static bool neighbours(const details *d, tfp_map64 *out)
{
    const tfp_profile *p = d->t->p;
    uint32_t here = d->t->node[d->place];
    for (TFP_EACH(tfp_graph_of(p)->inputs, i, tfp_graph_of(p)->nodes.at[here].input_first))
        if (tfp_graph_of(p)->inputs.at[i].node != TFP_NONE &&
            !tfp_map64_put(out, tfp_graph_of(p)->inputs.at[i].node, INPUT))
            return false;
    for (uint32_t n = 0; n < tfp_graph_of(p)->nodes.size; n++)
        for (TFP_EACH(tfp_graph_of(p)->inputs, i, tfp_graph_of(p)->nodes.at[n].input_first))
            if (tfp_graph_of(p)->inputs.at[i].node == here && !tfp_map64_put(out, n, OUTPUT)) return false;
    return true;
}

/* Finds the nearest run of each of these nodes in the same step: the last one before, otherwise the first one after. */
static bool nearest_runs(const details *d, const tfp_map64 *relation_of, tfp_map64 *out)
{
    const tfp_timeline *t = d->t;
    uint32_t step = tfp_timeline_lane_of(t, tfp_timeline_row(t, d->place))->step;
    for (size_t k = 0; k < t->lane_count; k++) {
        if (t->lanes[k].step != step) continue;
        for (uint32_t i = (uint32_t)t->lanes[k].first; i < t->lanes[k].first + t->lanes[k].count; i++) {
            uint32_t what = tfp_map64_get(relation_of, t->node[i]);
            if (what == TFP_NONE || i == d->place) continue;
            bool before = what == INPUT;
            if (before != (t->start_ns[i] <= t->start_ns[d->place])) continue;
            uint32_t old = tfp_map64_get(out, t->node[i]);
            bool nearer =
                old == TFP_NONE || (before ? t->start_ns[i] > t->start_ns[old] : t->start_ns[i] < t->start_ns[old]);
            if (nearer && !tfp_map64_put(out, t->node[i], i)) return false;
        }
    }
    return true;
}

static void link_run(details *d)
{
    tfp_map64 relation_of = { 0 }, nearest = { 0 };
    d->ok = neighbours(d, &relation_of) && nearest_runs(d, &relation_of, &nearest);
    for (uint32_t n = 0; d->ok && n < tfp_graph_of(d->t->p)->nodes.size; n++) {
        uint32_t place = tfp_map64_get(&nearest, n);
        if (place != TFP_NONE) add_link(d, (relation)tfp_map64_get(&relation_of, n), d->t->span[place]);
    }
    tfp_map64_free(&relation_of);
    tfp_map64_free(&nearest);
}

/* ---- facts ---- */

static void tell_int(details *d, const char *name, const char *label, tfp_unit unit, int64_t number)
{
    if (!tfp_fact_int(d->r, name, label, unit, number)) d->ok = false;
}

static void tell_us(details *d, const char *name, const char *label, int64_t ns)
{
    if (!tfp_fact_real(d->r, name, label, TFP_MICROS, ns == TFP_ABSENT ? NAN : (double)ns / 1000)) d->ok = false;
}

static void tell_text(details *d, const char *name, const char *label, tfp_str text)
{
    if (!tfp_fact_text(d->r, name, label, text)) d->ok = false;
}

static void tell_facts(details *d)
{
    const tfp_timeline *t = d->t;
    const tfp_profile *p = t->p;
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    uint32_t row = tfp_timeline_row(t, d->place), span = d->span;
    const tfp_timeline_lane *lane = tfp_timeline_lane_of(t, row);
    uint32_t step = t->runs ? lane->step : s->step[span], node = t->runs ? t->node[d->place] : s->node[span];
    tfp_str none = { 0 };
    tell_int(d, "span", "Number", TFP_NUMBER, span);
    tell_text(d, "name", "Name", tfp_text(p, tfp_timeline_name(t, d->place)));
    tell_text(d, "kind", "Kind", tfp_timeline_kind(t, d->place));
    tell_text(d, "class", "Class", tfp_timeline_class(t, d->place));
    tell_text(d, "lane", "Lane", tfp_text(p, tfp_lanes_of(p)->at[lane->lane].name));
    tell_int(d, "row", "Row", TFP_NUMBER, row);
    tell_us(d, "start_us", "Start", t->start_ns[d->place]);
    tell_us(d, "duration_us", "Duration", t->end_ns[d->place] - t->start_ns[d->place]);
    tell_us(d, "self_us", "Self time", tfp_timeline_self(t, span));
    tell_int(d, "step", "Step", TFP_NUMBER, step == TFP_NONE ? TFP_ABSENT : tfp_executions_of(p)->steps.at[step].id);
    tell_text(d, "node", "Place in the model",
              node == TFP_NONE ? none : tfp_text(p, tfp_graph_of(p)->nodes.at[node].name));
}

/* ---- all of it ---- */

static tfp_status note_rest(details *d, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (int i = 0; i < RELATIONS && !s; i++)
        if (d->met[i] > LINKS_MOST)
            s = tfp_report_note_add(d->r, TFP_NOTE_LINKS_CUT, err, "%s: the first %d of %lld", relations[i], LINKS_MOST,
                                    (long long)d->met[i]);
    return s;
}

static tfp_status fill(details *d, tfp_error *err)
{
    tell_facts(d);
    if (d->t->runs) {
        link_run(d);
    } else {
        link_event(d);
        tell_args(d);
    }
    if (!d->ok) return tfp_nomem(err);
    tfp_row_table args = { arg_columns, d->args.at, sizeof *d->args.at, d->args.size, 0 };
    tfp_row_table links = { link_columns, d->links.at, sizeof *d->links.at, d->links.size, 0 };
    tfp_status s = tfp_grid_part(d->r, "args", "Arguments", &args, 0, err);
    if (!s) s = tfp_grid_of(d->r, &links, err);
    return s ? s : note_rest(d, err);
}

tfp_status tfp_timeline_span(const tfp_timeline *t, int64_t span, tfp_report **out, tfp_error *err)
{
    details d = { .t = t, .ok = true };
    tfp_status s = tfp_timeline_ask(t, "span", &d.r, out, err);
    if (s) return s;
    size_t count = t->runs ? tfp_details_of(t->p)->spans.size : tfp_events_of(t->p)->spans.size;
    if (span < 0 || (uint64_t)span >= count || t->place_of[span] == TFP_NONE)
        return tfp_report_give(d.r, tfp_fail(err, TFP_NOTFOUND, "no span %lld", (long long)span), out);
    d.span = (uint32_t)span;
    d.place = t->place_of[span];
    s = fill(&d, err);
    tfp_vec_free(&d.links);
    tfp_vec_free(&d.args);
    return tfp_report_give(d.r, s, out);
}
