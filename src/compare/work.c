// SPDX-License-Identifier: Apache-2.0
/* compare/work.c: checks whether two profiles did the same work: the same graph, shapes and devices. Differences
 * become notes, which are shown before the numbers. */
#include "compare/diff.h"
#include "compare/vendors.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/texts.h"

/* Two sides, and the twins of their nodes on the other one. */
typedef struct sides {
    tfp_diff_work *d;
    size_t at[2];
    const tfp_profile *p[2];
    tfp_twins twins[2]; /* twins[0]: nodes of p[0] */
} sides;

static uint32_t twin_of(sides *x, int side, uint32_t node)
{
    return tfp_twin_of(&x->twins[1 - side], x->p[side], node, tfp_arena_of(x->d->report));
}

/* ---- the graph ---- */

static size_t count_missing(sides *x, int side, tfp_str *first)
{
    const tfp_profile *p = x->p[side];
    size_t n = 0;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++)
        if (twin_of(x, side, i) == TFP_NONE && n++ == 0) *first = tfp_text(p, tfp_graph_of(p)->nodes.at[i].name);
    return n;
}

static int shown(tfp_str s) { return (int)(s.size < 200 ? s.size : 200); }

static tfp_status same_graph(sides *x, tfp_error *err)
{
    tfp_diff_work *d = x->d;
    size_t a = x->at[0], b = x->at[1];
    tfp_str first = { 0 };
    size_t only_b = count_missing(x, 1, &first), only_a = count_missing(x, 0, &first);
    size_t all = tfp_graph_of(x->p[0])->nodes.size + only_b;
    if (only_a + only_b == 0) return TFP_OK;
    return tfp_report_note_add(
        d->report, TFP_NOTE_OTHER_GRAPH, err,
        "%s and %s are not the same graph: %.1f%% of the nodes are on one side only (%zu and %zu of "
        "%zu, first: %.*s)",
        d->names[a], d->names[b], 100.0 * (double)(only_a + only_b) / (double)all, only_a, only_b, all, shown(first),
        first.data);
}

/* ---- shapes ---- */

static bool known(const tfp_profile *p, uint32_t shape)
{
    return shape != TFP_NONE && (tfp_graph_of(p)->shapes.at[shape].count || tfp_graph_of(p)->shapes.at[shape].scalar);
}

static bool shapes_equal(const tfp_profile *a, uint32_t x, const tfp_profile *b, uint32_t y)
{
    if (!known(a, x) || !known(b, y)) return true; /* one of them is unknown, so no difference is known */
    const tfp_shape *s = &tfp_graph_of(a)->shapes.at[x], *t = &tfp_graph_of(b)->shapes.at[y];
    return s->count == t->count && memcmp(tfp_graph_of(a)->dims.at + s->first, tfp_graph_of(b)->dims.at + t->first,
                                          s->count * sizeof *tfp_graph_of(a)->dims.at) == 0;
}

/* Finds the first output, among those that both nodes have, whose shapes differ; false: none. */
static bool other_shapes(const tfp_profile *a, uint32_t x, const tfp_profile *b, uint32_t y, uint32_t *s, uint32_t *t)
{
    uint32_t j = tfp_graph_of(b)->nodes.at[y].output_first;
    for (TFP_EACH(tfp_graph_of(a)->outputs, i, tfp_graph_of(a)->nodes.at[x].output_first)) {
        while (j != TFP_NONE && tfp_graph_of(b)->outputs.at[j].slot < tfp_graph_of(a)->outputs.at[i].slot)
            j = tfp_graph_of(b)->outputs.at[j].next;
        if (j == TFP_NONE) break;
        *s = tfp_graph_of(a)->outputs.at[i].shape;
        *t = tfp_graph_of(b)->outputs.at[j].shape;
        if (tfp_graph_of(b)->outputs.at[j].slot == tfp_graph_of(a)->outputs.at[i].slot && !shapes_equal(a, *s, b, *t))
            return true;
    }
    *s = tfp_graph_of(a)->nodes.at[x].shape;
    *t = tfp_graph_of(b)->nodes.at[y].shape;
    return !shapes_equal(a, *s, b, *t);
}

/* Nodes that both sides have: how many, how many with different shapes, and the first of these. */
typedef struct differing {
    size_t common, count;
    uint32_t first, shapes[2];
} differing;

static tfp_status tell_shapes(tfp_diff_work *d, size_t a, size_t b, const differing *x, tfp_error *err)
{
    const tfp_profile *pa = d->sides->at.at[a].profile, *pb = d->sides->at.at[b].profile;
    tfp_str name = tfp_text(pa, tfp_graph_of(pa)->nodes.at[x->first].name);
    tfp_buf text[2] = { { 0 } };
    tfp_shape_text(pa, x->shapes[0], &text[0]);
    tfp_shape_text(pb, x->shapes[1], &text[1]);
    tfp_status s = text[0].failed || text[1].failed ? tfp_nomem(err) : TFP_OK;
    if (!s)
        s = tfp_report_note_add(d->report, TFP_NOTE_OTHER_SHAPES, err,
                                "%s and %s have different shapes in %zu of %zu nodes (first: %.*s, %.*s and %.*s)",
                                d->names[a], d->names[b], x->count, x->common, shown(name), name.data,
                                (int)text[0].size, text[0].data ? text[0].data : "", (int)text[1].size,
                                text[1].data ? text[1].data : "");
    tfp_buf_free(&text[0]);
    tfp_buf_free(&text[1]);
    return s;
}

static tfp_status same_shapes(sides *of, tfp_error *err)
{
    const tfp_profile *pa = of->p[0], *pb = of->p[1];
    differing x = { .shapes = { TFP_NONE, TFP_NONE } };
    uint32_t s, t;
    for (uint32_t i = 0; i < tfp_graph_of(pa)->nodes.size; i++) {
        uint32_t twin = twin_of(of, 0, i);
        if (twin == TFP_NONE) continue;
        x.common++;
        if (!other_shapes(pa, i, pb, twin, &s, &t) || x.count++) continue;
        x.first = i;
        x.shapes[0] = s;
        x.shapes[1] = t;
    }
    return x.count ? tell_shapes(of->d, of->at[0], of->at[1], &x, err) : TFP_OK;
}

/* ---- devices ---- */

/* Devices are the same by their order: a job on gpu:2 alone is compared with one on gpu:0. */
static tfp_status same_devices(sides *of, tfp_error *err)
{
    tfp_diff_work *d = of->d;
    size_t a = of->at[0], b = of->at[1];
    const tfp_profile *pa = of->p[0], *pb = of->p[1];
    size_t count = 0, common = 0;
    tfp_str name = { 0 }, from = { 0 }, to = { 0 };
    for (uint32_t i = 0; i < tfp_graph_of(pa)->nodes.size; i++) {
        uint32_t twin = twin_of(of, 0, i);
        if (twin == TFP_NONE) continue;
        tfp_str x = tfp_text(pa, tfp_graph_of(pa)->nodes.at[i].device),
                y = tfp_text(pb, tfp_graph_of(pb)->nodes.at[twin].device);
        if (!x.size || !y.size) continue; /* the node did not run on one side */
        common++;
        if (tfp_str_eq(x, y) || tfp_str_eq(tfp_device_twin(pa, x, pb), y) || count++) continue;
        name = tfp_text(pa, tfp_graph_of(pa)->nodes.at[i].name);
        from = x;
        to = y;
    }
    if (!count) return TFP_OK;
    return tfp_report_note_add(d->report, TFP_NOTE_OTHER_DEVICES, err,
                               "%s and %s ran %zu of %zu nodes on different devices (first: %.*s, on %.*s and on %.*s)",
                               d->names[a], d->names[b], count, common, shown(name), name.data, shown(from), from.data,
                               shown(to), to.data);
}

tfp_status tfp_diff_same_work(tfp_diff_work *d, tfp_error *err)
{
    const tfp_side *x = d->sides->at.at;
    tfp_status s = TFP_OK;
    for (size_t i = 1; i < d->count && !s; i++) {
        if (!x[0].profile || !x[i].profile || x[0].profile == x[i].profile) continue;
        sides of = { .d = d, .at = { 0, i }, .p = { x[0].profile, x[i].profile } };
        bool vendors = tfp_vendors_differ(of.p[0], of.p[1]), ok = true;
        for (int side = 0; side < 2 && ok; side++)
            ok = tfp_twins_of(of.p[side], vendors, tfp_arena_of(d->report), &of.twins[side]);
        s = ok ? same_graph(&of, err) : tfp_nomem(err);
        if (!s) s = same_shapes(&of, err);
        if (!s) s = same_devices(&of, err);
        tfp_twins_free(&of.twins[0]);
        tfp_twins_free(&of.twins[1]);
    }
    return s;
}
