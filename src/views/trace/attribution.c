// SPDX-License-Identifier: Apache-2.0
/* views/trace/attribution.c: the tables `attribution` and `coverage` for queries: for each activity of a device its place in the model,
 * how certain it is or why there is none; and sums of these. In: the joined spans. Out: one row per activity; one row per class and
 * reason. They are no commands: op, scope, kernel and lines use the same places. */
#include "model/graphs.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/trace/scan.h"
#include "model/tables/stats.h"
#include "query/groups.h"
#include "views/core/coverage.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "views/spans/places.h"
#include "views/trace/tables.h"

#include <math.h>

typedef struct activity_row {
    int64_t rank, span, start_ns, duration_ns, graph, graph_node, replay;
    tfp_str name, lane, certainty, reason, module, op, line, line_from, path;
    uint32_t unit;
} activity_row;

typedef struct coverage_row {
    int64_t rank, activities, device_ns, module_ns, line_ns;
    tfp_str class, reason;
    double share;
} coverage_row;

typedef struct places {
    tfp_report *r;
    tfp_trace_index x;
    const tfp_span_columns *s;
    tfp_span_places of;
    int64_t *replay; /* for each span that is a launch: its number; -1 */
} places;

/* ---- replays ---- */

/* Numbers the graph launches that replayed something, for each rank by start. */
static bool number_replays(places *t)
{
    const tfp_span_columns *s = t->s;
    uint32_t *launches = malloc((s->size + 1) * sizeof *launches);
    int64_t *next = calloc(t->x.unit_count + 1, sizeof *next);
    size_t count = 0;
    for (uint32_t i = 0; launches && i < s->size; i++) t->replay[i] = -1;
    for (uint32_t i = 0; launches && i < s->size; i++) {
        uint32_t launch = s->kind[i] == TFP_SPAN_ACTIVITY && !s->path[i] ? s->launch[i] : TFP_NONE;
        if (launch == TFP_NONE || t->replay[launch] >= 0) continue;
        if (!tfp_is_graph_launch(tfp_text(t->x.p, s->name[launch]))) continue;
        t->replay[launch] = 0;
        launches[count++] = launch;
    }
    bool ok = launches && next &&
              tfp_order_items(launches, count, (tfp_sort_key[]){ TFP_UP_IN(s->start_ns), { 0 } }, NULL, 0);
    for (size_t i = 0; ok && i < count; i++) {
        uint32_t unit = tfp_trace_unit_of(&t->x, launches[i]);
        t->replay[launches[i]] = next[unit == TFP_NONE ? t->x.unit_count : unit]++;
    }
    free(launches);
    free(next);
    return ok;
}

/* ---- rows ---- */

typedef struct id_keys { /* keys of stats: Kineto's name of an id, and XLA's */
    tfp_strid kineto, xla;
} id_keys;

static int64_t number_of(const places *t, uint32_t span, id_keys keys)
{
    const tfp_stat *stat = tfp_span_stat(t->x.p, span, keys.kineto);
    if (!stat) stat = tfp_span_stat(t->x.p, span, keys.xla);
    return stat && stat->type == TFP_STAT_INT && stat->value.number ? stat->value.number : TFP_ABSENT;
}

static tfp_str word(const char *s) { return *s ? tfp_str_of(s) : (tfp_str){ NULL, 0 }; }

static activity_row row_of(places *t, uint32_t span, id_keys graph, id_keys node)
{
    static const char *const from[] = { "", "frame", "inductor" };
    const tfp_span_columns *s = t->s;
    const tfp_profile *p = t->x.p;
    uint32_t unit = tfp_trace_unit_of(&t->x, span), launch = s->launch[span];
    activity_row row = { .rank = t->x.units[unit].rank,
                         .span = span,
                         .start_ns = s->start_ns[span],
                         .duration_ns = s->self_ns[span],
                         .graph = number_of(t, span, graph),
                         .graph_node = number_of(t, span, node),
                         .replay = launch != TFP_NONE && t->replay[launch] >= 0 ? t->replay[launch] : TFP_ABSENT,
                         .name = tfp_text(p, s->name[span]),
                         .lane = tfp_text(p, tfp_lanes_of(p)->at[s->lane[span]].name),
                         .unit = unit };
    if (s->node[span] != TFP_NONE) row.path = tfp_text(p, tfp_graph_of(p)->nodes.at[s->node[span]].name);
    tfp_activity_place of = tfp_place_of_activity(&t->of, span);
    row.certainty = tfp_str_of(tfp_certainty_word(of.certainty));
    row.reason = word(tfp_no_place_word(of.reason));
    row.module = of.module;
    row.op = of.op;
    row.line = of.line;
    row.line_from = word(from[of.line_from]);
    return row;
}

static const tfp_sort_key by_start[] = { TFP_UP(activity_row, unit), TFP_UP(activity_row, start_ns), { 0 } };

static activity_row *rows_of(places *t, size_t *count)
{
    const tfp_profile *p = t->x.p;
    tfp_arena *a = tfp_arena_of(t->r);
    id_keys graph = { tfp_stat_key(p, "graph id"), tfp_stat_key(p, "cuda_graph_id") };
    id_keys node = { tfp_stat_key(p, "graph node id"), tfp_stat_key(p, "cuda_graph_node_id") };
    TFP_VEC(activity_row) rows = { 0 };
    t->replay = TFP_NEW(a, int64_t, t->s->size + 1);
    bool ok = t->replay && tfp_span_places_of(t->r, &t->of) && number_replays(t);
    tfp_scan_ask activities = { .kinds = TFP_SPANS(ACTIVITY), .step = tfp_step_of(t->r) };
    for (tfp_scan s = tfp_scan_of(p, &activities); ok && tfp_scan_next(&s);)
        for (size_t i = 0; ok && i < s.count; i++)
            if (tfp_lanes_of(p)->at[s.rows[i].lane].role == TFP_ROLE_STREAM)
                ok = tfp_push(&rows, row_of(t, s.rows[i].span, graph, node));
    *count = rows.size;
    activity_row *sorted = ok && !t->of.failed ? tfp_ordered(a, rows.at, sizeof *rows.at, rows.size, by_start) : NULL;
    tfp_vec_free(&rows);
    return sorted;
}

/* ---- the tables ---- */

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(activity_row, "rank", INT, NUMBER, rank, "rank of the process"),
    TFP_COLUMN(activity_row, "span", INT, NUMBER, span, "-> spans, of a profile that is queried alone"),
    TFP_COLUMN(activity_row, "start_us", NANO, MICROS, start_ns, "when it began"),
    TFP_COLUMN(activity_row, "duration_us", NANO, MICROS, duration_ns, "its own time"),
    TFP_COLUMN(activity_row, "name", TEXT, LABEL, name, "kernel, copy or set"),
    TFP_COLUMN(activity_row, "lane", TEXT, LABEL, lane, "the device's stream"),
    TFP_COLUMN(activity_row, "graph", INT, NUMBER, graph, "id of the graph that replayed it"),
    TFP_COLUMN(activity_row, "graph_node", INT, NUMBER, graph_node, "id of its node in the graph"),
    TFP_COLUMN(activity_row, "replay", INT, NUMBER, replay, "number of the graph launch that replayed it"),
    TFP_COLUMN(activity_row, "certainty", TEXT, LABEL, certainty, "launch, id, unique, order, partial, name, annotated, eager, similar or none: how its place is known"),
    TFP_COLUMN(activity_row, "reason", TEXT, LABEL, reason, "why it has none: no capture, no match, ambiguous, no launch"),
    TFP_COLUMN(activity_row, "module", TEXT, LABEL, module, "modules around it"),
    TFP_COLUMN(activity_row, "op", TEXT, LABEL, op, "the innermost op, else the API call"),
    TFP_COLUMN(activity_row, "line", TEXT, LABEL, line, "file, line and function of the user's code"),
    TFP_COLUMN(activity_row, "line_from", TEXT, LABEL, line_from, "frame or inductor: the source of the line"),
    TFP_COLUMN(activity_row, "path", TEXT, LABEL, path, "its node in scope"),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
static const tfp_table_column coverage_columns[] = {
    TFP_COLUMN(coverage_row, "rank", INT, NUMBER, rank, "rank of the process"),
    TFP_COLUMN(coverage_row, "class", TEXT, LABEL, class, "launch, id, unique, order, partial, name, eager, similar or none: how places are known"),
    TFP_COLUMN(coverage_row, "reason", TEXT, LABEL, reason, "why there is none"),
    TFP_COLUMN(coverage_row, "activities", INT, NUMBER, activities, "how many"),
    TFP_COLUMN(coverage_row, "device_us", NANO, MICROS, device_ns, "their own time"),
    TFP_COLUMN(coverage_row, "share", REAL, SHARE, share, "of that of all activities"),
    TFP_COLUMN(coverage_row, "module_us", NANO, MICROS, module_ns, "of those whose module is known"),
    TFP_COLUMN(coverage_row, "line_us", NANO, MICROS, line_ns, "of those whose line is known"),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static tfp_status build(tfp_report *r, tfp_error *err)
{
    places t = { .r = r, .s = &tfp_events_of(tfp_profile_of(r))->spans };
    size_t count = 0;
    tfp_status s = tfp_trace_index_new(r, &t.x, err);
    if (s) return s;
    activity_row *rows = rows_of(&t, &count);
    s = rows ? tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, TFP_SHOWN_RANKS }, err)
             : tfp_nomem(err);
    tfp_span_places_free(&t.of);
    return s;
}

/* Sums rows, which come by rank, by class and reason. */
static coverage_row *sum(places *t, const activity_row *rows, size_t count, size_t *sums)
{
    tfp_groups g = { .row_size = sizeof(coverage_row) };
    double all = 0;
    for (const activity_row *a = rows; a < rows + count; a++) {
        coverage_row *to = TFP_GROUP(&g, a->unit, (uintptr_t)a->certainty.data, (uintptr_t)a->reason.data);
        if (!to) break;
        if (g.added) *to = (coverage_row){ .rank = a->rank, .class = a->certainty, .reason = a->reason };
        to->activities++;
        to->device_ns = tfp_add(to->device_ns, a->duration_ns, NULL);
        if (a->module.size) to->module_ns = tfp_add(to->module_ns, a->duration_ns, NULL);
        if (a->line.size) to->line_ns = tfp_add(to->line_ns, a->duration_ns, NULL);
        all += (double)a->duration_ns;
    }
    coverage_row *out = tfp_groups_end(&g, tfp_arena_of(t->r), NULL, sums);
    for (size_t k = 0; out && k < *sums; k++) out[k].share = all > 0 ? (double)out[k].device_ns / all : NAN;
    return out;
}

static tfp_status build_coverage(tfp_report *r, tfp_error *err)
{
    places t = { .r = r, .s = &tfp_events_of(tfp_profile_of(r))->spans };
    size_t count = 0, sums = 0;
    tfp_status s = tfp_trace_index_new(r, &t.x, err);
    if (s) return s;
    activity_row *rows = rows_of(&t, &count);
    coverage_row *of = rows ? sum(&t, rows, count, &sums) : NULL;
    s = of ? tfp_grid_of(r, &(tfp_row_table){ coverage_columns, of, sizeof *of, sums, TFP_SHOWN_RANKS }, err)
           : tfp_nomem(err);
    tfp_span_places_free(&t.of);
    return s;
}

const tfp_view tfp_view_attribution = {
    "attribution",
    "The place in the model of each activity of a device.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS,
    columns,
    "no activity of a device",
};
const tfp_view tfp_view_coverage = {
    "coverage",
    "How much of the device's time has a place in the model.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build_coverage,
    TFP_NEEDS_SPANS,
    coverage_columns,
    "no activity of a device",
};
