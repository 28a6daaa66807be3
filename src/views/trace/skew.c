// SPDX-License-Identifier: Apache-2.0
/* views/trace/skew.c: for which rank the others wait in each collective: `transfer -by collective`. Ranks' clocks differ, so
 * only durations are compared: a collective ends at the same time on all ranks, so the rank on which it is shortest arrived
 * last, and the others waited for it. */
#include "model/recorded.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "model/tables/stats.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/trace/tables.h"

#include <math.h>

typedef struct call {                  /* the n-th collective of a name and group is the same one on every rank */
    uint32_t kind, number, unit, span; /* kind: index of name and group */
} call;

typedef struct skews {
    tfp_report *r;
    const tfp_trace_index *x;
    bool in_windows; /* only calls within a step */
    tfp_strid group; /* key of the stat */
    TFP_VEC(call) calls;
    TFP_VEC(tfp_skew_row) rows;
    double *waited; /* for each unit: mean time that other ranks wait for it */
    double *here;   /* the same for the current collective, summed over all ranks */
} skews;

static const tfp_sort_key by_kind[] = { TFP_UP(call, kind), TFP_UP(call, number), TFP_UP(call, unit), { 0 } };
static const tfp_sort_key most_waiting_first[] = { TFP_DOWN(tfp_skew_row, waited_ns), { 0 } };

static tfp_strid group_of(const skews *t, uint32_t span)
{
    const tfp_stat *stat = tfp_span_stat(t->x->p, span, t->group);
    return stat && stat->type == TFP_STAT_TEXT ? stat->value.text : 0;
}

/* Collects calls. Items of a device come by start, so calls of one name are counted in order. */
static bool collect(skews *t)
{
    tfp_groups kinds = { .row_size = 1 }, numbers = { .row_size = sizeof(uint32_t) }; /* numbers: the next one */
    bool ok = true;
    for (uint32_t i = 0; ok && i < t->x->device_count; i++) {
        const tfp_trace_device *d = &t->x->devices[i];
        for (size_t k = 0; ok && k < d->count; k++) {
            uint32_t span = t->x->items[d->first + k];
            bool counts = t->in_windows ? tfp_span_in_window(t->r, span) : tfp_span_in_step(t->r, span);
            if (t->x->s->class[span] != TFP_CLASS_COMMUNICATION || !counts) continue;
            const char *kind = TFP_GROUP(&kinds, t->x->s->name[span], group_of(t, span));
            uint32_t at = kind ? tfp_group_index(&kinds, kind) : TFP_NONE;
            uint32_t *number = kind ? TFP_GROUP(&numbers, i, at) : NULL;
            ok = number && tfp_push(&t->calls, ((call){ at, (*number)++, d->unit, span }));
        }
    }
    tfp_groups_free(&kinds);
    tfp_groups_free(&numbers);
    return ok;
}

/* Compares one call on all its ranks: how much shorter it is on the last one to arrive than on the first. */
static void compare_call(skews *t, const call *calls, tfp_skew_row *row)
{
    const int64_t *ns = t->x->s->duration_ns;
    const call *last = calls;
    int64_t longest = 0;
    double sum = 0, ranks = (double)row->ranks;
    for (int64_t i = 0; i < row->ranks; i++) {
        const call *k = &calls[i];
        sum += (double)ns[k->span];
        if (ns[k->span] < ns[last->span]) last = k;
        if (ns[k->span] > longest) longest = ns[k->span];
    }
    double wait = sum - ranks * (double)ns[last->span];
    int64_t skew = longest - ns[last->span];
    row->count++;
    row->skew_us += (double)skew / 1000; /* a sum here; divided by the count at the end */
    if (skew > row->max_skew_ns) row->max_skew_ns = skew;
    row->waited_ns = tfp_add(row->waited_ns, tfp_whole_of(wait), NULL);
    t->here[last->unit] += wait;
    t->waited[last->unit] += wait / ranks;
    if (wait / ranks <= row->worst_ns) return;
    row->worst_ns = wait / ranks;
    row->worst = last->span;
}

/* Finds the rank that others wait for most, and its share of the waiting time. `calls`: the first call of each rank. */
static void find_awaited(skews *t, const call *calls, tfp_skew_row *row)
{
    double sum = 0;
    uint32_t most = calls[0].unit;
    for (int64_t i = 0; i < row->ranks; i++) {
        uint32_t u = calls[i].unit;
        if (i && u == calls[i - 1].unit) continue; /* another device of the same rank */
        sum += t->here[u];
        if (t->here[u] > t->here[most]) most = u;
    }
    row->skew_us /= (double)row->count;
    row->awaited = sum > 0 ? t->x->units[most].rank : TFP_ABSENT;
    row->awaited_share = sum > 0 ? t->here[most] / sum : NAN;
    if (row->worst != TFP_NONE)
        row->worst_start_ns =
            t->x->s->start_ns[row->worst] - t->x->units[tfp_trace_unit_of(t->x, row->worst)].origin_ns;
}

/* Compares the calls of one name and group, sorted by number and rank. Only if every rank has the same number of calls:
 * otherwise the n-th calls need not be the same one. */
static bool compare_calls(skews *t, const call *calls, size_t count)
{
    size_t ranks = 0;
    while (ranks < count && calls[ranks].number == 0) ranks++;
    if (ranks < 2 || count % ranks) return true;
    uint32_t first = calls[0].span;
    tfp_skew_row row = { .name = tfp_span_name(t->x->p, first),
                         .group = tfp_text(t->x->p, group_of(t, first)),
                         .ranks = (int64_t)ranks,
                         .worst = TFP_NONE,
                         .worst_start_ns = TFP_ABSENT };
    for (size_t i = 0; i < count; i++) t->here[calls[i].unit] = 0;
    for (size_t at = 0; at < count; at += ranks)
        if (calls[at].number == calls[at + ranks - 1].number) compare_call(t, calls + at, &row);
    if (!row.count) return true;
    find_awaited(t, calls, &row);
    return tfp_push(&t->rows, row);
}

static bool compare_all(skews *t)
{
    const call *calls = t->calls.at;
    size_t count = t->calls.size;
    bool ok = tfp_order_rows(t->calls.at, sizeof *calls, count, by_kind);
    for (size_t i = 0, end; ok && i < count; i = end) {
        for (end = i; end < count && calls[end].kind == calls[i].kind;) end++;
        ok = compare_calls(t, calls + i, end - i);
    }
    return ok;
}

bool tfp_skew_rows(tfp_report *r, const tfp_trace_index *x, bool in_windows, tfp_skew_row **rows, size_t *count,
                   double *waited)
{
    skews t = {
        .r = r, .x = x, .in_windows = in_windows, .group = tfp_stat_key(x->p, "Process Group Name"), .waited = waited
    };
    t.here = TFP_NEW(tfp_arena_of(r), double, x->unit_count + 1);
    bool ok = t.here && collect(&t) && compare_all(&t);
    *count = t.rows.size;
    *rows = ok ? tfp_ordered(tfp_arena_of(r), t.rows.at, sizeof **rows, t.rows.size, most_waiting_first) : NULL;
    tfp_vec_free(&t.calls);
    tfp_vec_free(&t.rows);
    return *rows != NULL;
}

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(tfp_skew_row, "name", TEXT, LABEL, name, "The collective: its kernel."),
    TFP_COLUMN(tfp_skew_row, "group", TEXT, LABEL, group, "Its process group."),
    TFP_COLUMN(tfp_skew_row, "ranks", INT, NUMBER, ranks, "Ranks that have a file and take part."),
    TFP_COLUMN(tfp_skew_row, "count", INT, NUMBER, count, "How many there were; each ran on all these ranks."),
    TFP_COLUMN(tfp_skew_row, "skew_us", REAL, MICROS, skew_us, "Mean time from the first rank's arrival to the last one's: the longest duration of a collective less the shortest."),
    TFP_COLUMN(tfp_skew_row, "max_skew_us", NANO, MICROS, max_skew_ns, "The longest of these."),
    TFP_COLUMN(tfp_skew_row, "waited_us", NANO, MICROS, waited_ns, "Time in which ranks waited for the last one, all together."),
    TFP_COLUMN(tfp_skew_row, "awaited", INT, LABEL, awaited, "The rank that they waited for most."),
    TFP_COLUMN(tfp_skew_row, "awaited_share", REAL, SHARE, awaited_share, "Its part of that time."),
    TFP_COLUMN(tfp_skew_row, "worst_start_us", NANO, MICROS, worst_start_ns, "Start of the worst of them on the rank that arrived last, from the first span of its trace on."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0, false },
};
/* clang-format on */

tfp_status tfp_skew_table(tfp_report *r, const tfp_trace_index *x, tfp_error *err)
{
    tfp_skew_row *rows;
    size_t count;
    double *waited = TFP_NEW(tfp_arena_of(r), double, x->unit_count + 1);
    if (!waited || !tfp_skew_rows(r, x, false, &rows, &count, waited)) return tfp_nomem(err);
    tfp_status s = x->unit_count > 1 ? TFP_OK
                                     : tfp_report_note_add(r, TFP_NOTE_ONE_RANK, err,
                                                           "-by collective compares ranks: give the traces of all");
    return s ? s : tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, 0 }, err);
}
