// SPDX-License-Identifier: Apache-2.0
/* views/trace/why.c: the table of `steps -why`: what makes a step longer than the others: the part of it that grew most, and the kernels or
 * ops that did. */
#include "model/join/cut.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
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
    uint32_t worker, next;
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
    uint32_t *first; /* for each step: index in works */
    tfp_map64 worker_by_name, work_by_step;
    TFP_VEC(worker) workers;
    TFP_VEC(work) works;
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
    uint64_t name = (uint64_t)w.name << 3 | w.part << 1 | w.async;
    uint32_t at = tfp_map64_get(&t->worker_by_name, name);
    if (at == TFP_NONE) {
        at = (uint32_t)t->workers.size;
        if (!tfp_push(&t->workers, w) || !tfp_map64_put(&t->worker_by_name, name, at)) return false;
    }
    t->workers.at[at].ns = tfp_add(t->workers.at[at].ns, ns, NULL);
    uint64_t key = (uint64_t)step << 32 | at;
    uint32_t known = tfp_map64_get(&t->work_by_step, key);
    if (known == TFP_NONE) {
        known = (uint32_t)t->works.size;
        if (!tfp_push(&t->works, ((work){ at, t->first[step], 0 })) || !tfp_map64_put(&t->work_by_step, key, known))
            return false;
        t->first[step] = known;
    }
    t->works.at[known].ns = tfp_add(t->works.at[known].ns, ns, NULL);
    return true;
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
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (start_of(t, &rows[middle]) <= start)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low ? low - 1 : 0, pieces = 0; i < count && pieces < PIECES_MOST; i++, pieces++) {
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

static bool row_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_step_row *x = &((const whys *)ctx)->rows[a], *y = &((const whys *)ctx)->rows[b];
    return x->step_at != y->step_at ? x->step_at < y->step_at : x->unit < y->unit;
}

static double value_at(const void *values, size_t i) { return (double)((const int64_t *)values)[i]; }

static double median(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, tfp_by_int);
    return tfp_quantile(value_at, values, count, 0.5);
}

/* Orders the rows and finds the medians. *several: there are several steps. */
static bool order_rows(whys *t, size_t count, bool *several)
{
    tfp_arena *a = tfp_arena_of(t->r);
    int64_t *values = TFP_NEW(a, int64_t, count + 1);
    t->order = TFP_NEW(a, uint32_t, count + 1);
    if (!values || !t->order) return false;
    for (uint32_t i = 0; i < count; i++)
        if (t->rows[i].step_at != TFP_NONE) t->order[t->row_count++] = i;
    if (!tfp_sort(t->order, t->row_count, row_before, t)) return false;
    *several = t->row_count && t->rows[t->order[0]].step_at != t->rows[t->order[t->row_count - 1]].step_at;
    for (size_t i = 0; i < t->row_count; i++) t->unit_rows += !i || row_before(t, t->order[i - 1], t->order[i]);
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

/* Puts a row among the `count` that grew most; returns how many there are then. */
static size_t insert(why_row most[NAMED_MOST], size_t count, why_row row)
{
    size_t place = count;
    while (place > 0 && (row.more_us > most[place - 1].more_us ||
                         (row.more_us == most[place - 1].more_us && tfp_str_cmp(row.name, most[place - 1].name) < 0)))
        place--;
    if (place >= NAMED_MOST) return count;
    if (count < NAMED_MOST) count++;
    memmove(&most[place + 1], &most[place], (count - 1 - place) * sizeof *most);
    most[place] = row;
    return count;
}

/* The kernels or ops of a step that grew most: beside the mean of the other steps, of one device, or of one rank's host. */
static bool add_grown(whys *t, const step_means *m, unsigned part, const why_row *about)
{
    bool host = m->host || part == PART_IDLE;
    why_row most[NAMED_MOST];
    size_t count = 0, here = host ? m->units : m->rows, all = host ? t->unit_rows : t->row_count;
    for (uint32_t i = t->first[m->step]; i != TFP_NONE; i = t->works.at[i].next) {
        const worker *w = &t->workers.at[t->works.at[i].worker];
        if (w->part != (host ? WORK_HOST : part)) continue;
        why_row row = *about;
        int64_t others = w->ns - t->works.at[i].ns;
        row.us = (double)t->works.at[i].ns / 1000 / (double)here;
        row.others_us = all > here ? (double)others / 1000 / (double)(all - here) : 0;
        row.more_us = row.us - row.others_us;
        if (!(about->part_more_us > 0 && row.more_us > about->part_more_us * WORTH_NAMING)) continue;
        row.kind = host ? TFP_STR("op") : TFP_STR("kernel");
        row.name = name_of(t, w);
        if (!row.name.data) return false;
        count = insert(most, count, row);
    }
    for (size_t i = 0; i < count; i++)
        if (!tfp_push(&t->out, most[i])) return false;
    return count || tfp_push(&t->out, *about);
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

static bool longest_first(const void *ctx, uint32_t a, uint32_t b)
{
    const why_row *x = &((const why_row *)ctx)[a], *y = &((const why_row *)ctx)[b];
    return x->duration_us != y->duration_us ? x->duration_us > y->duration_us : x->step < y->step;
}

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
    size_t steps = tfp_executions_of(t->x->p)->steps.size;
    t->first = TFP_NEW(tfp_arena_of(t->r), uint32_t, steps + 1);
    if (!t->first || !order_rows(t, count, several)) return false;
    for (size_t i = 0; i < steps; i++) t->first[i] = TFP_NONE;
    return !*several || (add_devices(t, count) && add_host(t) && explain(t));
}

tfp_status tfp_why_table(tfp_report *r, const tfp_trace_index *x, const tfp_step_row *rows, size_t count,
                         tfp_error *err)
{
    whys t = { .r = r, .x = x, .rows = rows };
    bool several = false, ok = work_out(&t, count, &several);
    why_row *out = ok ? tfp_rows_sorted(tfp_arena_of(r), t.out.at, sizeof *t.out.at, t.out.size, longest_first) : NULL;
    tfp_status s =
        out ? tfp_grid_of(r, &(tfp_row_table){ columns, out, sizeof *out, t.out.size, 0 }, err) : tfp_nomem(err);
    if (!s && !several)
        s = tfp_report_note_add(r, TFP_NOTE_ONE_STEP, err,
                                "the trace has only one step, so there is none to compare it with");
    tfp_map64_free(&t.worker_by_name);
    tfp_map64_free(&t.work_by_step);
    tfp_vec_free(&t.workers);
    tfp_vec_free(&t.works);
    tfp_vec_free(&t.out);
    return s;
}
