// SPDX-License-Identifier: Apache-2.0
/* views/timeline/sums.c: sums the time of a window of a timeline by name, kind, lane or op. leaves.h assigns each
 * moment to a span; tfp_timeline_leaves gives these times as a table to programs that sum by themselves. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "query/groups.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/timeline/leaves.h"

#include <stdlib.h>

typedef enum sum_by { BY_NAME, BY_KIND, BY_LANE, BY_OP } sum_by;
static const char *const groupings[] = { [BY_NAME] = "name", [BY_KIND] = "kind", [BY_LANE] = "lane", [BY_OP] = "op" };
enum { GROUPINGS = BY_OP + 1 };

typedef struct sum_row {
    tfp_str name, short_name, kind;
    bool on_device;
    tfp_fold ns;
    int64_t mean_ns, span;
    double share;
} sum_row;

static const tfp_table_column sum_columns[] = {
    TFP_COLUMN_WHOLE(sum_row, "name", TEXT, LABEL, name, "of spans, of their kind, of their lane, or of their op"),
    TFP_COLUMN(sum_row, "short", TEXT, LABEL, short_name, "of a kernel, its short name"),
    TFP_COLUMN_WHOLE(sum_row, "kind", TEXT, LABEL, kind,
                     "compute, communication, copy, set; of the host op, call, frame ...; by lane or op: device, host"),
    TFP_COLUMN_WHOLE(sum_row, "device", BOOL, NUMBER, on_device, "whether it is time of a device"),
    TFP_COLUMN_WHOLE(sum_row, "count", INT, NUMBER, ns.count, "how many run for some time in the window"),
    TFP_COLUMN_WHOLE(sum_row, "total_us", NANO, MICROS, ns.total,
                     "time in the window; of the host only while they are innermost"),
    TFP_COLUMN_WHOLE(sum_row, "mean_us", NANO, MICROS, mean_ns, "of one"),
    TFP_COLUMN_WHOLE(sum_row, "min_us", NANO, MICROS, ns.min, "the shortest"),
    TFP_COLUMN_WHOLE(sum_row, "max_us", NANO, MICROS, ns.max, "the longest"),
    TFP_COLUMN_WHOLE(sum_row, "share", REAL, NUMBER, share, "of all time of the device, or of the host, in the window"),
    TFP_COLUMN_WHOLE(sum_row, "span", INT, NUMBER, span, "one of them: the longest in the window"),
    { 0 }
};

typedef struct sums {
    const tfp_timeline *t;
    int64_t all_ns[2]; /* all_ns: of the host, and of devices, without the search */
    sum_by by;
    const uint8_t *found; /* for each span, whether the search found it; NULL: no search */
    tfp_groups rows;      /* sum_row by what they are summed by, and whether it is of a device */
    tfp_arena *arena;
    bool ok;
} sums;

/* ---- groups ---- */

typedef struct group {
    uint64_t key;
    tfp_str name;
} group;

static tfp_str lane_name(const sums *x, const tfp_timeline_lane *lane)
{
    tfp_lane_title title = tfp_timeline_title(x->t, lane, x->arena);
    if (!title.detail.size) return title.title;
    tfp_buf both = { 0 };
    tfp_buf_printf(&both, "%.*s · %.*s", (int)title.title.size, title.title.data, (int)title.detail.size,
                   title.detail.data);
    return tfp_buf_move(&both, x->arena);
}

static tfp_str kind_of(const sums *x, uint32_t place)
{
    tfp_str class = tfp_timeline_class(x->t, place);
    return class.data ? class : tfp_timeline_kind(x->t, place);
}

static group group_of(const sums *x, const tfp_timeline_lane *lane, uint32_t place, uint32_t op)
{
    const tfp_profile *p = x->t->p;
    switch (x->by) {
    case BY_KIND: {
        tfp_str kind = kind_of(x, place);
        return (group){ x->t->runs ? tfp_leaf_name(x->t, place) : (uint64_t)(uintptr_t)kind.data, kind };
    }
    case BY_LANE: return (group){ (uint64_t)(lane - x->t->lanes), { 0 } };
    case BY_OP: return (group){ op, op == TFP_NONE ? TFP_STR("without op") : tfp_text(p, op) };
    default: return (group){ tfp_leaf_name(x->t, place), tfp_text(p, tfp_leaf_name(x->t, place)) };
    }
}

static sum_row *row_of(sums *x, const tfp_timeline_lane *lane, uint32_t place, uint32_t op, bool on_device)
{
    group g = group_of(x, lane, place, op);
    sum_row *row = TFP_GROUP(&x->rows, g.key, on_device);
    if (!x->rows.added) return row;
    bool sides = x->by == BY_LANE || x->by == BY_OP;
    *row = (sum_row){ .name = x->by == BY_LANE ? lane_name(x, lane) : g.name,
                      .short_name = x->by == BY_NAME ? tfp_timeline_short(x->t, (tfp_strid)g.key) : (tfp_str){ 0 },
                      .kind = sides ? tfp_str_of(on_device ? "device" : "host") : kind_of(x, place),
                      .on_device = on_device };
    return row->name.data ? row : NULL;
}

static bool count(void *ctx, const tfp_leaf *of)
{
    sums *x = ctx;
    bool on_device = of->lane->kind != TFP_TRACK_HOST;
    x->all_ns[on_device] = tfp_add(x->all_ns[on_device], of->own_ns, NULL);
    if (x->found && !x->found[tfp_timeline_name(x->t, of->place)] &&
        !(x->by == BY_OP && of->op != TFP_NONE && x->found[of->op]))
        return true;
    sum_row *row = row_of(x, of->lane, of->place, of->op, on_device);
    if (!row) return false;
    if (tfp_fold_add(&row->ns, of->own_ns)) row->span = x->t->span[of->place];
    return true;
}

/* ---- the table ---- */

static int find_grouping(const char *by)
{
    if (!by || !*by) return BY_NAME;
    for (int i = 0; i < GROUPINGS; i++)
        if (strcmp(by, groupings[i]) == 0) return i;
    return -1;
}

static const tfp_sort_key longest_first[] = { TFP_DOWN(sum_row, on_device), TFP_DOWN(sum_row, ns.total), { 0 } };

static tfp_status tell_all(const sums *x, tfp_report *r, tfp_error *err)
{
    static const char *const names[] = { "host_us", "device_us" }, *const labels[] = { "Host time", "Device time" };
    for (int i = 0; i < 2; i++) {
        tfp_fact *f = tfp_fact_add(r, names[i], labels[i], TFP_CELL_REAL, TFP_MICROS);
        if (!f) return tfp_nomem(err);
        f->real = (double)x->all_ns[i] / 1000;
    }
    return TFP_OK;
}

static tfp_status show(sums *x, tfp_report *r, tfp_error *err)
{
    size_t count;
    x->rows.failed |= !x->ok;
    sum_row *rows = tfp_groups_end(&x->rows, tfp_arena_of(r), longest_first, &count);
    tfp_status s = rows ? tell_all(x, r, err) : tfp_nomem(err);
    for (size_t i = 0; rows && i < count; i++) {
        int64_t all_ns = x->all_ns[rows[i].on_device];
        rows[i].mean_ns = rows[i].ns.total / rows[i].ns.count;
        rows[i].share = all_ns ? (double)rows[i].ns.total / (double)all_ns : 0;
    }
    return s ? s : tfp_grid_of(r, &(tfp_row_table){ sum_columns, rows, sizeof *rows, count, 0 }, err);
}

tfp_status tfp_timeline_sums(const tfp_timeline *t, int64_t from_ns, int64_t to_ns, const char *by, const char *search,
                             const char *rows, tfp_report **out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_timeline_ask(t, "sums", &r, out, err);
    if (s) return s;
    if (from_ns < 0 || to_ns <= from_ns) return tfp_timeline_refuse(r, err);
    if (!tfp_timeline_is_list(rows)) return tfp_timeline_refuse_rows(r, rows, err);
    if (find_grouping(by) < 0) {
        tfp_report_free(r);
        return tfp_fail(err, TFP_BADARG, "sums are by name, kind, lane or op, not by '%s'", by);
    }
    uint8_t *found = search && *search ? tfp_timeline_matches(t, search) : NULL;
    sums x = { .t = t,
               .by = (sum_by)find_grouping(by),
               .found = found,
               .arena = tfp_arena_of(r),
               .rows.row_size = sizeof(sum_row) };
    x.ok = found || !search || !*search;
    tfp_leaf_sweep sweep = { .t = t, .from_ns = from_ns, .to_ns = to_ns, .ctx = &x, .leaf = count };
    for (size_t i = 0; x.ok && i < t->lane_count; i++) {
        const tfp_timeline_lane *lane = &t->lanes[i];
        if (tfp_timeline_next_row(t, rows, lane->first_row) == lane->first_row) x.ok = tfp_leaves_of_lane(&sweep, lane);
    }
    s = show(&x, r, err);
    free(found);
    return tfp_report_give(r, s, out);
}

/* ---- each span's own time, as a table ---- */

typedef struct leaf_row {
    int64_t span, start_ns, duration_ns;
    tfp_str name, op;
} leaf_row;

static const tfp_table_column leaf_columns[] = {
    TFP_COLUMN_WHOLE(leaf_row, "span", INT, NUMBER, span, "its number"),
    TFP_COLUMN(leaf_row, "name", TEXT, LABEL, name,
               "by which it is summed, where that is not its own: of executions the type of the node"),
    TFP_COLUMN(leaf_row, "op", TEXT, LABEL, op, "the op that it is or belongs to"),
    TFP_COLUMN(leaf_row, "start_us", NANO, MICROS, start_ns,
               "of a stretch of its own time; absent: all of the span is its own"),
    TFP_COLUMN(leaf_row, "duration_us", NANO, MICROS, duration_ns, "0: none of its time is its own"),
    { 0 }
};

typedef struct leaves {
    const tfp_timeline *t;
    TFP_VEC(leaf_row) rows;
} leaves;

static leaf_row leaf_row_of(const leaves *x, const tfp_leaf *of, int64_t start_ns, int64_t duration_ns)
{
    const tfp_profile *p = x->t->p;
    return (leaf_row){ .span = x->t->span[of->place],
                       .name = x->t->runs ? tfp_text(p, tfp_leaf_name(x->t, of->place)) : (tfp_str){ 0 },
                       .op = of->op == TFP_NONE ? (tfp_str){ 0 } : tfp_text(p, of->op),
                       .start_ns = start_ns,
                       .duration_ns = duration_ns };
}

static bool add_part(void *ctx, const tfp_leaf *of, int64_t from_ns, int64_t to_ns)
{
    leaves *x = ctx;
    return tfp_push(&x->rows, leaf_row_of(x, of, from_ns, to_ns - from_ns));
}

/* If all of a span's time is its own, or none of it, the span has one row instead of one for each stretch. */
static bool add_leaf(void *ctx, const tfp_leaf *of)
{
    leaves *x = ctx;
    int64_t start_ns = x->t->start_ns[of->place];
    if (!of->own_ns) return tfp_push(&x->rows, leaf_row_of(x, of, start_ns, 0));
    if (of->own_ns < x->t->end_ns[of->place] - start_ns) return true;
    while (x->rows.size && x->rows.at[x->rows.size - 1].span == x->t->span[of->place]) x->rows.size--;
    return tfp_push(&x->rows, leaf_row_of(x, of, TFP_ABSENT, TFP_ABSENT));
}

static bool is_of_step(const tfp_timeline *t, const tfp_timeline_lane *lane, int64_t step)
{
    return step < 0 || lane->step == TFP_NONE || tfp_executions_of(t->p)->steps.at[lane->step].id == step;
}

tfp_status tfp_timeline_leaves(const tfp_timeline *t, int64_t step, int64_t most, tfp_report **out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_timeline_ask(t, "leaves", &r, out, err);
    if (s) return s;
    leaves x = { .t = t };
    tfp_leaf_sweep all = {
        .t = t, .from_ns = INT64_MIN, .to_ns = INT64_MAX, .ctx = &x, .part = add_part, .leaf = add_leaf
    };
    int64_t spans = 0;
    bool ok = true;
    for (size_t i = 0; i < t->lane_count; i++)
        if (is_of_step(t, &t->lanes[i], step)) spans += (int64_t)t->lanes[i].count;
    if (most > 0 && spans > most) {
        tfp_report_free(r);
        return tfp_fail(err, TFP_LIMIT, "they need all of its %lld spans, more than %lld", (long long)spans,
                        (long long)most);
    }
    for (size_t i = 0; ok && i < t->lane_count; i++)
        if (is_of_step(t, &t->lanes[i], step)) ok = tfp_leaves_of_lane(&all, &t->lanes[i]);
    tfp_row_table table = { leaf_columns, x.rows.at, sizeof *x.rows.at, x.rows.size, 0 };
    s = ok ? tfp_grid_of(r, &table, err) : tfp_nomem(err);
    tfp_vec_free(&x.rows);
    return tfp_report_give(r, s, out);
}
