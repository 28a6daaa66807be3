// SPDX-License-Identifier: Apache-2.0
/* views/kernel.c: the table `kernel`: activities of devices by name and class: how often, how long, and which ops launched
 * them. */
#include "views/trace_tables.h"
#include "views/view.h"

#include <math.h>

#define OPS_SHOWN 3

typedef struct kernel_row {
    int64_t rank;
    tfp_str name, class, ops;
    int64_t count, total_ns, min_ns, max_ns, bytes;
    double mean_us, share, occupancy;
    double weighted, weight, plain; /* occupancy: sum over time, and the times */
    int64_t occupied;               /* activities that tell it */
    uint32_t unit, first_op;        /* -> ops */
    bool async;
} kernel_row;

typedef struct op_count {
    tfp_strid op;
    uint32_t row, next;
    int64_t count;
} op_count;

typedef struct kernels {
    tfp_report *r;
    const tfp_trace_index *x;
    tfp_strid bytes, size, bytes_accessed, memcpy_details, memset_details;
    tfp_occupancy_keys occupancy;
    tfp_map64 row_by_name; /* hash of unit, class, lane role and name -> rows */
    tfp_map64 op_by_row;   /* row << 32 | op -> ops */
    TFP_VEC(kernel_row) rows;
    TFP_VEC(tfp_strid) names; /* by row: of the profile */
    TFP_VEC(op_count) ops;
} kernels;

/* ---- what an activity says ---- */

/* The number behind a word in the text of a detail, such as "size:" or "occ_pct:". */
static bool number_behind(const tfp_profile *p, uint32_t span, tfp_strid key, const char *word, double *out)
{
    const tfp_stat *stat = tfp_span_stat(p, span, key);
    if (!stat || stat->type != TFP_STAT_TEXT) return false;
    tfp_str text = tfp_text(p, (tfp_strid)stat->value.text);
    size_t at = tfp_str_find(text, tfp_str_of(word));
    if (at == SIZE_MAX) return false;
    char *end; /* strings of the profile end with NUL */
    const char *from = text.data + at + strlen(word);
    *out = strtod(from, &end);
    return end != from && isfinite(*out);
}

static bool number_of(const tfp_profile *p, uint32_t span, tfp_strid key, double *out)
{
    const tfp_stat *stat = tfp_span_stat(p, span, key);
    if (!stat || stat->type == TFP_STAT_TEXT) return false;
    *out = stat->type == TFP_STAT_INT ? (double)stat->value.number : stat->value.real;
    return isfinite(*out);
}

tfp_occupancy_keys tfp_occupancy_keys_of(const tfp_profile *p)
{
    return (tfp_occupancy_keys){ tfp_stat_key(p, "est. achieved occupancy %"), tfp_stat_key(p, "kernel_details") };
}

/* PyTorch writes -99 where it could not estimate it. */
bool tfp_occupancy_of(const tfp_profile *p, uint32_t span, const tfp_occupancy_keys *keys, double *percent)
{
    bool told =
        number_of(p, span, keys->estimate, percent) || number_behind(p, span, keys->details, "occ_pct:", percent);
    return told && *percent >= 0;
}

static bool is_on_tpu(const kernels *t, uint32_t span)
{
    return tfp_is_tpu(tfp_text(t->x->p, t->x->p->lanes.at[t->x->s->lane[span]].device));
}

/* Bytes: of copies and sets, which HIP records on the API call; of a TPU's instructions, the bytes accessed. */
static bool bytes_of(const kernels *t, uint32_t span, int64_t *out)
{
    const tfp_profile *p = t->x->p;
    double n;
    uint32_t launch = t->x->s->launch[span];
    bool copy = t->x->s->class[span] == TFP_CLASS_COPY || t->x->s->class[span] == TFP_CLASS_SET;
    bool told =
        copy && (number_of(p, span, t->bytes, &n) || (launch != TFP_NONE && number_of(p, launch, t->size, &n)) ||
                 number_behind(p, span, t->memcpy_details, "size:", &n) ||
                 number_behind(p, span, t->memset_details, "num_bytes:", &n));
    if (!told && !(is_on_tpu(t, span) && number_of(p, span, t->bytes_accessed, &n))) return false;
    *out = n >= 9e18 ? INT64_MAX : n > 0 ? (int64_t)n : 0;
    return true;
}

static void add_occupancy(const kernels *t, uint32_t span, kernel_row *row)
{
    double percent, ns = (double)t->x->s->self_ns[span];
    if (!tfp_occupancy_of(t->x->p, span, &t->occupancy, &percent)) return;
    row->weighted += percent * ns;
    row->weight += ns;
    row->plain += percent;
    row->occupied++;
}

/* ---- rows ---- */

static const char *class_name(unsigned class)
{
    static const char *const names[] = { [TFP_CLASS_COMPUTE] = "compute",
                                         [TFP_CLASS_COMMUNICATION] = "communication",
                                         [TFP_CLASS_COPY] = "copy",
                                         [TFP_CLASS_SET] = "set" };
    return names[class & 3];
}

/* The row of a span's name and class, perhaps a new one; TFP_NONE without memory. */
static uint32_t row_of(kernels *t, uint32_t span)
{
    const tfp_span_columns *s = t->x->s;
    uint32_t unit = tfp_trace_unit_of(t->x, span);
    bool async = t->x->p->lanes.at[s->lane[span]].role == TFP_ROLE_ASYNC;
    const char *class = class_name(s->class[span]);
    uint32_t words[] = { unit, s->class[span], async, s -> name[span] };
    for (uint64_t key = tfp_hash(words, sizeof words);; key++) {
        uint32_t at = tfp_map64_get(&t->row_by_name, key);
        if (at == TFP_NONE) {
            at = (uint32_t)t->rows.size;
            kernel_row row = { .rank = t->x->units[unit].rank,
                               .class = tfp_str_of(class),
                               .min_ns = INT64_MAX,
                               .bytes = TFP_ABSENT,
                               .unit = unit,
                               .first_op = TFP_NONE,
                               .async = async };
            return tfp_push(&t->rows, row) && tfp_push(&t->names, s->name[span]) &&
                           tfp_map64_put(&t->row_by_name, key, at)
                       ? at
                       : TFP_NONE;
        }
        const kernel_row *row = &t->rows.at[at];
        if (row->unit == unit && row->async == async && t->names.at[at] == s->name[span] &&
            tfp_str_eq(row->class, tfp_str_of(class)))
            return at;
    }
}

static bool add_op(kernels *t, uint32_t row, uint32_t span)
{
    uint32_t node = t->x->s->node[span];
    if (node == TFP_NONE) return true;
    tfp_strid op = t->x->p->nodes.at[node].op;
    uint64_t key = (uint64_t)row << 32 | op;
    uint32_t at = tfp_map64_get(&t->op_by_row, key);
    if (at != TFP_NONE) {
        t->ops.at[at].count++;
        return true;
    }
    op_count new_op = { op, row, t->rows.at[row].first_op, 1 };
    t->rows.at[row].first_op = (uint32_t)t->ops.size;
    return tfp_map64_put(&t->op_by_row, key, (uint32_t)t->ops.size) && tfp_push(&t->ops, new_op);
}

static bool add(kernels *t, uint32_t span)
{
    uint32_t at = row_of(t, span);
    int64_t bytes, ns = t->x->s->self_ns[span];
    if (at == TFP_NONE || !add_op(t, at, span)) return false;
    kernel_row *row = &t->rows.at[at];
    row->count++;
    row->total_ns = tfp_add(row->total_ns, ns, NULL);
    if (ns < row->min_ns) row->min_ns = ns;
    if (ns > row->max_ns) row->max_ns = ns;
    if (bytes_of(t, span, &bytes)) row->bytes = tfp_add(row->bytes == TFP_ABSENT ? 0 : row->bytes, bytes, NULL);
    add_occupancy(t, span, row);
    return true;
}

/* ---- the texts of rows ---- */

static bool goes_before(const tfp_profile *p, const op_count *a, const op_count *b)
{
    if (a->count != b->count) return a->count > b->count;
    return tfp_str_cmp(tfp_text(p, a->op), tfp_text(p, b->op)) < 0;
}

/* The commonest ops, joined by '|'. */
static bool name_ops(const kernels *t, kernel_row *row)
{
    const op_count *best[OPS_SHOWN];
    size_t count = 0;
    tfp_buf text = { 0 };
    for (uint32_t i = row->first_op; i != TFP_NONE; i = t->ops.at[i].next) {
        const op_count *op = &t->ops.at[i];
        size_t place = count;
        while (place > 0 && goes_before(t->x->p, op, best[place - 1])) place--;
        if (place >= OPS_SHOWN) continue;
        if (count < OPS_SHOWN) count++;
        for (size_t k = count - 1; k > place; k--) best[k] = best[k - 1];
        best[place] = op;
    }
    for (size_t i = 0; i < count; i++) {
        if (i) tfp_buf_char(&text, '|');
        tfp_buf_str(&text, tfp_text(t->x->p, best[i]->op));
    }
    char *copy = text.failed ? NULL : tfp_arena_copy(&t->r->arena, (tfp_str){ text.data, text.size });
    row->ops = (tfp_str){ count ? copy : NULL, text.size };
    tfp_buf_free(&text);
    return copy != NULL;
}

static bool name_row(const kernels *t, kernel_row *row, tfp_str name)
{
    tfp_str mark = TFP_STR(" (async)");
    bool marked = tfp_str_ends(name, mark);
    row->name = name;
    if (!row->async || marked) return true;
    tfp_buf text = { 0 };
    tfp_buf_str(&text, name);
    tfp_buf_str(&text, mark);
    char *copy = text.failed ? NULL : tfp_arena_copy(&t->r->arena, (tfp_str){ text.data, text.size });
    row->name = (tfp_str){ copy, text.size };
    tfp_buf_free(&text);
    return copy != NULL;
}

static bool finish_rows(kernels *t)
{
    int64_t *all = TFP_NEW(&t->r->arena, int64_t, t->x->unit_count + 1);
    if (!all) return false;
    for (size_t i = 0; i < t->rows.size; i++)
        if (!t->rows.at[i].async)
            all[t->rows.at[i].unit] = tfp_add(all[t->rows.at[i].unit], t->rows.at[i].total_ns, NULL);
    for (size_t i = 0; i < t->rows.size; i++) {
        kernel_row *row = &t->rows.at[i];
        row->mean_us = (double)row->total_ns / 1000 / (double)row->count;
        row->share = row->async || !all[row->unit] ? NAN : (double)row->total_ns / (double)all[row->unit];
        row->occupancy = !row->occupied    ? NAN
                         : row->weight > 0 ? row->weighted / row->weight
                                           : row->plain / (double)row->occupied;
        if (!name_row(t, row, tfp_text(t->x->p, t->names.at[i])) || !name_ops(t, row)) return false;
    }
    return true;
}

static bool more_first(const void *ctx, uint32_t a, uint32_t b)
{
    const kernel_row *rows = ctx, *x = &rows[a], *y = &rows[b];
    if (x->unit != y->unit) return x->unit < y->unit;
    if (x->total_ns != y->total_ns) return x->total_ns > y->total_ns;
    int order = tfp_str_cmp(x->name, y->name);
    return order ? order < 0 : tfp_str_cmp(x->class, y->class) < 0;
}

/* ---- the table ---- */

/* clang-format off */
static const tfp_row_column columns[] = {
    TFP_COLUMN_ONLY(kernel_row, "rank", INT, NUMBER, rank, "Rank of the process.", TFP_SHOWN_RANKS),
    TFP_COLUMN(kernel_row, "name", TEXT, LABEL, name, "Kernel, copy or instruction."),
    TFP_COLUMN(kernel_row, "class", TEXT, LABEL, class, "compute, communication, copy or set."),
    TFP_COLUMN(kernel_row, "count", INT, NUMBER, count, "How often it ran."),
    TFP_COLUMN(kernel_row, "total_us", NANO, MICROS, total_ns, "Its time on the device in all."),
    TFP_COLUMN(kernel_row, "mean_us", REAL, MICROS, mean_us, "Its time in the mean."),
    TFP_COLUMN(kernel_row, "min_us", NANO, MICROS, min_ns, "Its shortest time."),
    TFP_COLUMN(kernel_row, "max_us", NANO, MICROS, max_ns, "Its longest time."),
    TFP_COLUMN(kernel_row, "share", REAL, SHARE, share, "Of the time of all rows of the rank."),
    TFP_COLUMN(kernel_row, "bytes", INT, SIZE, bytes, "Copied, set or accessed."),
    TFP_COLUMN(kernel_row, "occupancy", REAL, NUMBER, occupancy, "Estimated achieved occupancy in percent, weighted by time."),
    TFP_COLUMN(kernel_row, "ops", TEXT, LABEL, ops, "The ops that launched it, the commonest first; at most three."),
    { 0 }
};
/* clang-format on */

static bool fill(kernels *t)
{
    const tfp_span_columns *s = t->x->s;
    for (uint32_t i = 0; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || tfp_trace_unit_of(t->x, i) == TFP_NONE) continue;
        if (tfp_span_in_step(t->r, i) && !add(t, i)) return false;
    }
    return finish_rows(t);
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_trace_index x;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (s) return s;
    const tfp_profile *p = r->profile;
    kernels t = { .r = r,
                  .x = &x,
                  .bytes = tfp_stat_key(p, "bytes"),
                  .size = tfp_stat_key(p, "size"),
                  .bytes_accessed = tfp_stat_key(p, "bytes_accessed"),
                  .memcpy_details = tfp_stat_key(p, "memcpy_details"),
                  .memset_details = tfp_stat_key(p, "Memset_details"),
                  .occupancy = tfp_occupancy_keys_of(p) };
    kernel_row *rows =
        fill(&t) ? tfp_rows_sorted(&r->arena, t.rows.at, sizeof *t.rows.at, t.rows.size, more_first) : NULL;
    s = rows ? tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, t.rows.size, tfp_trace_shown(&x) }, err)
             : tfp_nomem(err);
    tfp_map64_free(&t.row_by_name);
    tfp_map64_free(&t.op_by_row);
    tfp_vec_free(&t.rows);
    tfp_vec_free(&t.names);
    tfp_vec_free(&t.ops);
    return s;
}

const tfp_view tfp_view_kernel = {
    "kernel",
    "Kernels, copies and collectives of devices: how often, how long, which ops launch them.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS,
    columns,
    "no kernel, copy or collective of a device",
};
