// SPDX-License-Identifier: Apache-2.0
/* views/trace/why.c: the table of `steps -why`: what makes a step longer than the others: the part of it that grew most, and the kernels or
 * ops that did. */
#include "model/join/cut.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "query/groups.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdlib.h>

#define WORTH_NAMING 0.01 /* a share of the growth of the part; less is noise */
#define NAMED_MOST 3      /* kernels or ops of a step */
#define PIECES_MOST 64    /* steps into which one activity is divided */

enum { PART_COMPUTE, PART_COMMUNICATION, PART_COPIES, PART_IDLE, PARTS };
/* What works in a part: activities of its class; during idle time the ops of the host. */
enum { WORK_HOST = PART_IDLE };

typedef struct why_row {
    int64_t step;
    tfp_str part, kind, name;
    double duration_us, median_us, over, part_more_us, us, others_us, more_us; /* NAN: absent */
} why_row;

typedef struct worker { /* a kernel, or an op of the host, in all steps */
    tfp_strid name;
    uint32_t part;
    bool async;
    int64_t ns;
} worker;

typedef struct work { /* its time in one step */
    uint32_t step, worker;
    int64_t ns;
} work;

typedef struct whys {
    tfp_report *r;
    const tfp_trace_index *x;
    const tfp_step_row *rows;
    uint32_t *order;  /* indexes in rows, without the rows `all`, by step and unit */
    size_t row_count; /* the length of order */
    size_t unit_rows; /* how many units all steps have together */
    double median_ns, part_median_ns[PARTS];
    tfp_groups workers, works; /* worker by name, part and whether it is asynchronous; work by step and worker */
    TFP_VEC(why_row) out;
} whys;

static int64_t part_ns(const tfp_step_row *row, unsigned part)
{
    switch (part) {
    case PART_COMPUTE: return row->compute_ns;
    case PART_COMMUNICATION: return row->exposed_communication_ns;
    case PART_COPIES: return row->exposed_copy_ns;
    default: return row->idle_ns;
    }
}

/* ---- who worked how long in which step ---- */

static bool add(whys *t, uint32_t step, worker w, int64_t ns)
{
    worker *all = TFP_GROUP(&t->workers, w.name, w.part, w.async);
    if (!all) return false;
    w.ns = tfp_add(all->ns, ns, NULL);
    *all = w;
    uint32_t at = tfp_group_index(&t->workers, all);
    work *here = TFP_GROUP(&t->works, step, at);
    if (here) *here = (work){ step, at, tfp_add(here->ns, ns, NULL) };
    return here != NULL;
}

static int64_t start_of(const whys *t, const tfp_step_row *row)
{
    return tfp_add(row->device_start_ns, t->x->units[row->unit].origin_ns, NULL);
}

/* Divides an activity among the steps of its device in which it ran; where these overlap, the one that begins last counts. */
static bool add_activity(whys *t, const tfp_step_row *rows, size_t count, uint32_t span)
{
    static const unsigned parts[] = { [TFP_CLASS_COMPUTE] = PART_COMPUTE,
                                      [TFP_CLASS_COMMUNICATION] = PART_COMMUNICATION,
                                      [TFP_CLASS_COPY] = PART_COPIES,
                                      [TFP_CLASS_SET] = PART_COPIES };
    const tfp_profile *p = t->x->p;
    const tfp_span_columns *s = t->x->s;
    int64_t start = tfp_cut_start(t->x->cut, p, span), end = tfp_cut_end(t->x->cut, p, span);
    worker w = { s->name[span], parts[s->class[span]], tfp_lanes_of(p)->at[s->lane[span]].role == TFP_ROLE_ASYNC, 0 };
    size_t after;
    TFP_LOWER_BOUND(after, 0, count, start_of(t, &rows[after]) <= start);
    for (size_t i = after ? after - 1 : 0, pieces = 0; i < count && pieces < PIECES_MOST; i++, pieces++) {
        int64_t from = start_of(t, &rows[i]), until = tfp_add(from, rows[i].device_ns, NULL);
        if (from >= end) break;
        if (i + 1 < count && start_of(t, &rows[i + 1]) < until) until = start_of(t, &rows[i + 1]);
        if (from < start) from = start;
        if (until > end) until = end;
        if (until <= from) continue;
        double part = (double)(until - from) / (double)(end - start);
        if (!add(t, rows[i].step_at, w, (int64_t)llround((double)s->self_ns[span] * part))) return false;
    }
    return true;
}

static bool add_devices(whys *t, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        const tfp_trace_device *d = &t->x->devices[t->rows[i].device_at];
        size_t steps = 0;
        for (end = i; end < count && t->rows[end].device_at == t->rows[i].device_at; end++)
            steps += t->rows[end].step_at != TFP_NONE; /* the row `all` is the last */
        for (size_t k = 0; k < d->count && !d->host; k++)
            if (!add_activity(t, &t->rows[i], steps, t->x->items[d->first + k])) return false;
    }
    return true;
}

/* The ops of the host with their self times, each in the step in which it begins. */
static bool add_host(whys *t)
{
    const tfp_span_columns *s = t->x->s;
    for (uint32_t i = 0; i < s->size; i++) {
        if (!tfp_is_host_op(s->kind[i]) || s->step[i] == TFP_NONE || !tfp_cut_takes(t->x->p, i)) continue;
        tfp_strid name = s->node[i] == TFP_NONE ? s->name[i] : tfp_graph_of(t->x->p)->nodes.at[s->node[i]].op;
        if (!add(t, s->step[i], (worker){ name, WORK_HOST, false, 0 }, s->self_ns[i])) return false;
    }
    return true;
}

/* ---- steps ---- */

static double value_at(const void *values, size_t i) { return (double)((const int64_t *)values)[i]; }

static double median(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, tfp_by_int);
    return tfp_quantile(value_at, values, count, 0.5);
}

static const tfp_sort_key by_step[] = { TFP_UP(tfp_step_row, step_at), TFP_UP(tfp_step_row, unit), { 0 } };

/* Orders the rows and finds the medians. *several: there are several steps. */
static bool order_rows(whys *t, size_t count, bool *several)
{
    tfp_arena *a = tfp_arena_of(t->r);
    int64_t *values = TFP_NEW(a, int64_t, count + 1);
    t->order = TFP_NEW(a, uint32_t, count + 1);
    if (!values || !t->order) return false;
    for (uint32_t i = 0; i < count; i++)
        if (t->rows[i].step_at != TFP_NONE) t->order[t->row_count++] = i;
    if (!tfp_order_items(t->order, t->row_count, by_step, t->rows, sizeof *t->rows)) return false;
    *several = t->row_count && t->rows[t->order[0]].step_at != t->rows[t->order[t->row_count - 1]].step_at;
    for (size_t i = 0; i < t->row_count; i++) {
        const tfp_step_row *row = &t->rows[t->order[i]], *last = i ? &t->rows[t->order[i - 1]] : NULL;
        t->unit_rows += !last || last->step_at != row->step_at || last->unit != row->unit;
    }
    for (unsigned part = 0; t->row_count && part <= PARTS; part++) {
        for (size_t i = 0; i < t->row_count; i++) {
            const tfp_step_row *row = &t->rows[t->order[i]];
            values[i] = part < PARTS ? part_ns(row, part) : row->step_ns;
        }
        *(part < PARTS ? &t->part_median_ns[part] : &t->median_ns) = median(values, t->row_count);
    }
    return true;
}

typedef struct step_means { /* of one step: means over the devices of a rank, then over ranks */
    uint32_t step;
    size_t rows, units;
    double duration_ns, part_ns[PARTS];
    bool host; /* no rank of it has a device */
} step_means;

/* The means of the step whose rows begin at `first` of order. */
static step_means means_at(const whys *t, size_t first)
{
    step_means m = { .step = t->rows[t->order[first]].step_at, .host = true };
    size_t i = first, end;
    for (; i < t->row_count && t->rows[t->order[i]].step_at == m.step; i = end, m.units++) {
        double duration = 0, parts[PARTS] = { 0 };
        uint32_t unit = t->rows[t->order[i]].unit;
        for (end = i; end < t->row_count; end++) {
            const tfp_step_row *row = &t->rows[t->order[end]];
            if (row->step_at != m.step || row->unit != unit) break;
            duration += (double)row->step_ns;
            for (unsigned k = 0; k < PARTS; k++) parts[k] += (double)part_ns(row, k);
            m.host = m.host && t->x->devices[row->device_at].host;
        }
        m.duration_ns += duration / (double)(end - i);
        for (unsigned k = 0; k < PARTS; k++) m.part_ns[k] += parts[k] / (double)(end - i);
    }
    m.rows = i - first;
    m.duration_ns /= (double)m.units;
    for (unsigned k = 0; k < PARTS; k++) m.part_ns[k] /= (double)m.units;
    return m;
}

/* ---- what grew ---- */

static tfp_str name_of(const whys *t, const worker *w)
{
    return tfp_activity_shown(tfp_arena_of(t->r), tfp_text(t->x->p, w->name), w->async);
}

static const tfp_sort_key by_works_step[] = { TFP_UP(work, step), { 0 } };
static const tfp_sort_key grown_first[] = { TFP_DOWN(why_row, more_us), TFP_UP(why_row, name), { 0 } };

/* The kernels or ops of a step that grew most: beside the mean of the other steps, of one device, or of one rank's host. */
static bool add_grown(whys *t, const step_means *m, unsigned part, const why_row *about)
{
    bool host = m->host || part == PART_IDLE;
    const work *works = t->works.rows;
    TFP_VEC(why_row) grown = { 0 };
    bool ok = true;
    size_t i, here = host ? m->units : m->rows, all = host ? t->unit_rows : t->row_count;
    TFP_LOWER_BOUND(i, 0, t->works.count, works[i].step < m->step);
    for (; ok && i < t->works.count && works[i].step == m->step; i++) {
        const worker *w = (const worker *)t->workers.rows + works[i].worker;
        if (w->part != (host ? WORK_HOST : part)) continue;
        why_row row = *about;
        int64_t others = w->ns - works[i].ns;
        row.us = (double)works[i].ns / 1000 / (double)here;
        row.others_us = all > here ? (double)others / 1000 / (double)(all - here) : 0;
        row.more_us = row.us - row.others_us;
        if (!(about->part_more_us > 0 && row.more_us > about->part_more_us * WORTH_NAMING)) continue;
        row.kind = host ? TFP_STR("op") : TFP_STR("kernel");
        row.name = name_of(t, w);
        ok = row.name.data && tfp_push(&grown, row);
    }
    ok = ok && tfp_order_rows(grown.at, sizeof *grown.at, grown.size, grown_first);
    for (i = 0; ok && i < grown.size && i < NAMED_MOST; i++) ok = tfp_push(&t->out, grown.at[i]);
    if (ok && !grown.size) ok = tfp_push(&t->out, *about);
    tfp_vec_free(&grown);
    return ok;
}

static bool explain(whys *t)
{
    static const char *const names[PARTS] = { "compute", "exposed_communication", "exposed_copies", "idle" };
    for (size_t i = 0; i < t->row_count;) {
        step_means m = means_at(t, i);
        unsigned part = 0;
        double more[PARTS];
        for (unsigned k = 0; k < PARTS; k++) {
            more[k] = m.part_ns[k] - t->part_median_ns[k];
            if (more[k] > more[part]) part = k;
        }
        why_row about = { .step = tfp_executions_of(t->x->p)->steps.at[m.step].id,
                          .duration_us = m.duration_ns / 1000,
                          .median_us = t->median_ns / 1000,
                          .over = t->median_ns > 0 ? m.duration_ns / t->median_ns - 1 : NAN,
                          .part = more[part] > 0 ? tfp_str_of(names[part]) : (tfp_str){ 0 },
                          .part_more_us = more[part] > 0 ? more[part] / 1000 : NAN,
                          .us = NAN,
                          .others_us = NAN,
                          .more_us = NAN };
        if (tfp_step_takes(tfp_step_of(t->r), m.step) && !add_grown(t, &m, part, &about)) return false;
        i += m.rows;
    }
    return true;
}

/* ---- the table ---- */

static const tfp_sort_key longest_first[] = { TFP_DOWN(why_row, duration_us), TFP_UP(why_row, step), { 0 } };

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN_WHOLE(why_row, "step", INT, LABEL, step, "Number of the step."),
    TFP_COLUMN(why_row, "duration_us", REAL, MICROS, duration_us, "Its length: the mean over devices, then over ranks."),
    TFP_COLUMN(why_row, "median_us", REAL, MICROS, median_us, "The median of all steps, ranks and devices."),
    TFP_COLUMN(why_row, "over", REAL, SHARE, over, "By how much of the median it is longer."),
    TFP_COLUMN(why_row, "part", TEXT, LABEL, part, "The part that grew most: compute, exposed_communication, exposed_copies or idle; none where no part is longer than its median."),
    TFP_COLUMN(why_row, "part_more_us", REAL, MICROS, part_more_us, "By how much that part is longer than its median."),
    TFP_COLUMN(why_row, "kind", TEXT, LABEL, kind, "What grew in it: a kernel (copies and collectives too), or during idle time an op of the host."),
    TFP_COLUMN_KERNELS(why_row, "name", name, "Its name."),
    TFP_COLUMN(why_row, "time_us", REAL, MICROS, us, "Its time in the step: of one device, or of one rank's host threads together."),
    TFP_COLUMN(why_row, "others_us", REAL, MICROS, others_us, "Its time in the mean of the other steps."),
    TFP_COLUMN(why_row, "more_us", REAL, MICROS, more_us, "The difference; less than 1 % of what the part grew is not shown."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static bool work_out(whys *t, size_t count, bool *several)
{
    if (!order_rows(t, count, several)) return false;
    return !*several || (add_devices(t, count) && add_host(t) &&
                         tfp_order_rows(t->works.rows, sizeof(work), t->works.count, by_works_step) && explain(t));
}

tfp_status tfp_why_table(tfp_report *r, const tfp_trace_index *x, const tfp_step_row *rows, size_t count,
                         tfp_error *err)
{
    whys t = { .r = r, .x = x, .rows = rows, .workers.row_size = sizeof(worker), .works.row_size = sizeof(work) };
    bool several = false, ok = work_out(&t, count, &several);
    why_row *out = ok ? tfp_ordered(tfp_arena_of(r), t.out.at, sizeof *out, t.out.size, longest_first) : NULL;
    tfp_status s =
        out ? tfp_grid_of(r, &(tfp_row_table){ columns, out, sizeof *out, t.out.size, 0 }, err) : tfp_nomem(err);
    if (!s && !several)
        s = tfp_report_note_add(r, TFP_NOTE_ONE_STEP, err,
                                "the trace has only one step, so there is none to compare it with");
    tfp_groups_free(&t.workers);
    tfp_groups_free(&t.works);
    tfp_vec_free(&t.out);
    return s;
}
