// SPDX-License-Identifier: Apache-2.0
/* views/trace/transfer.c: the table `transfer`: copies by direction and collectives by name and group: how many bytes, how
 * fast, and how much of the time overlaps with compute. */
#include "model/files/collectives.h"
#include "model/span_names.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "model/tables/stats.h"
#include "names/copies.h"
#include "options/options.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdio.h>

typedef struct keys { /* keys of stats */
    tfp_bytes_keys copies;
    tfp_strid collective, group, group_size, in, out, dtype, hlo_op, direction, dims, types;
} keys;

typedef struct transfers {
    tfp_report *r;
    const tfp_trace_index *x;
    bool in_windows; /* only what is within a step */
    keys k;
    tfp_strtab names;  /* kinds and groups */
    tfp_groups rows;   /* tfp_transfer_row by device, kind and group */
    tfp_map64 counted; /* ranges whose bytes a kernel has */
} transfers;

#define LEVELS 8 /* of spans around a launch in which its range is looked for */

/* ---- what a span says ---- */

static tfp_str text_of(const transfers *t, uint32_t span, tfp_strid key)
{
    const tfp_stat *stat = tfp_span_stat(t->x->p, span, key);
    return stat && stat->type == TFP_STAT_TEXT ? tfp_text(t->x->p, (tfp_strid)stat->value.text) : TFP_STR("");
}

/* Reads a size or count; a negative one is ignored. */
static bool number_of(const transfers *t, uint32_t span, tfp_strid key, int64_t *out)
{
    int64_t n = -1;
    const tfp_stat *stat = tfp_span_stat(t->x->p, span, key);
    if (stat && stat->type == TFP_STAT_INT) n = stat->value.number;
    if (stat && stat->type == TFP_STAT_REAL) n = tfp_whole_of(stat->value.real);
    if (n >= 0) *out = n;
    return n >= 0;
}

/* The same from the span, or else from the op that launched it. */
static bool number_near(const transfers *t, uint32_t span, tfp_strid key, int64_t *out)
{
    uint32_t owner = t->x->s->owner[span];
    return number_of(t, span, key, out) || (owner != TFP_NONE && number_of(t, owner, key, out));
}

static tfp_str text_near(const transfers *t, uint32_t span, tfp_strid key)
{
    tfp_str own = text_of(t, span, key);
    uint32_t owner = t->x->s->owner[span];
    return own.size || owner == TFP_NONE ? own : text_of(t, owner, key);
}

static bool has_word(tfp_str s, const char *word) { return tfp_str_has_caseless(s, tfp_str_of(word)); }

static tfp_str up_to(tfp_str s, char end)
{
    const char *at = s.size ? memchr(s.data, end, s.size) : NULL;
    return at ? (tfp_str){ s.data, (size_t)(at - s.data) } : s;
}

/* ---- kinds ---- */

/* Whether a TPU's transfer is counted elsewhere: its pieces in `XLA Ops` are skipped if the asynchronous line or the
 * -done span has the transfer, because each piece states the bytes of the whole. */
static bool counts_elsewhere(const transfers *t, const tfp_trace_device *d, uint32_t span)
{
    tfp_str instruction = up_to(tfp_span_name(t->x->p, span), '.');
    if (!tfp_is_tpu(d->name) || tfp_lanes_of(t->x->p)->at[t->x->s->lane[span]].role == TFP_ROLE_ASYNC) return false;
    return tfp_str_ends(instruction, TFP_STR("-start")) ||
           (d->has_async && tfp_str_ends(instruction, TFP_STR("-done")));
}

static void put_copy_kind(const transfers *t, const tfp_trace_device *d, uint32_t span, tfp_buf *out)
{
    tfp_str name = tfp_span_name(t->x->p, span), details = text_of(t, span, t->k.copies.memcpy_details);
    uint32_t launch = t->x->s->launch[span];
    tfp_direction direction = tfp_is_tpu(d->name) ? TFP_UNKNOWN_DIRECTION : tfp_direction_of(name);
    if (t->x->s->class[span] == TFP_CLASS_SET) {
        tfp_buf_text(out, "set");
        return;
    }
    if (!direction) direction = tfp_direction_of(text_of(t, span, t->k.direction));
    if (!direction && launch != TFP_NONE) direction = tfp_direction_of(tfp_span_name(t->x->p, launch));
    if (direction)
        tfp_buf_text(out, tfp_direction_name(direction));
    else
        tfp_buf_str(out, up_to(name, '.'));
    const char *memory = tfp_copy_memory(name, details);
    if (memory) tfp_buf_printf(out, " %s", memory);
}

/* Writes the function's name: "multimem_all_reduce_kernel" for "void (anonymous
 * namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)". */
static void put_function(tfp_str name, tfp_buf *out)
{
    tfp_str nothing = TFP_STR("void "), nowhere = TFP_STR("(anonymous namespace)::");
    size_t depth = 0;
    bool is_template = tfp_str_begins(name, nothing); /* compilers write the return type only for templates */
    if (is_template) name = (tfp_str){ name.data + nothing.size, name.size - nothing.size };
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        tfp_str rest = { name.data + i, name.size - i };
        if (!depth && tfp_str_begins(rest, nowhere)) {
            i += nowhere.size - 1;
            continue;
        }
        if (!depth && c == '(') return;
        if (is_template && c == '<') depth++;
        if (!depth) tfp_buf_char(out, c);
        if (c == '>' && depth) depth--;
    }
}

/* The range `nccl:all_reduce` with sizes around the call that launched a collective: PyTorch 1.13 to 2.1 have them there.
 * TFP_NONE: there is none. */
static uint32_t range_of(const transfers *t, uint32_t span)
{
    uint32_t at = t->x->s->launch[span];
    for (int i = 0; i < LEVELS && at != TFP_NONE; i++, at = t->x->s->parent[at])
        if (t->x->s->kind[at] == TFP_SPAN_ANNOTATION && tfp_str_begins(tfp_span_name(t->x->p, at), TFP_STR("nccl:")))
            return text_of(t, at, t->k.dims).size ? at : TFP_NONE;
    return TFP_NONE;
}

static void put_collective_kind(const transfers *t, const tfp_trace_device *d, uint32_t span, tfp_buf *out)
{
    tfp_str name = text_near(t, span, t->k.collective), hlo = text_of(t, span, t->k.hlo_op);
    tfp_str type = tfp_text(t->x->p, t->x->s->op[span]);
    uint32_t range = name.size || hlo.size ? TFP_NONE : range_of(t, span);
    if (!name.size && hlo.size) name = up_to(hlo, '.');
    if (range != TFP_NONE) name = tfp_span_name(t->x->p, range), name.data += 5, name.size -= 5; /* "nccl:" */
    if (!name.size && tfp_is_host_collective(type)) name = type;                                 /* of TensorFlow */
    if (!name.size && tfp_is_tpu(d->name)) name = up_to(tfp_span_name(t->x->p, span), '.');
    if (name.size)
        tfp_buf_str(out, name);
    else
        put_function(tfp_span_name(t->x->p, span), out);
}

/* ---- bytes ---- */

static bool is_gather_or_scatter(tfp_str kind)
{
    return has_word(kind, "gather") || has_word(kind, "reduce_scatter") || has_word(kind, "reducescatter") ||
           has_word(kind, "reduce-scatter");
}

static bool input_bytes(const transfers *t, uint32_t span, int64_t *out)
{
    return tfp_input_bytes(text_of(t, span, t->k.dims), text_of(t, span, t->k.types), out);
}

/* The bytes of a collective's inputs in the range around its launch, otherwise of PyTorch's op: for the first kernel of
 * the range. A gather's output is bigger than its input, by an unknown factor. */
static bool range_bytes(transfers *t, uint32_t span, tfp_str kind, int64_t *out)
{
    uint32_t range = range_of(t, span), owner = t->x->s->owner[span];
    if (range == TFP_NONE || has_word(kind, "gather") || tfp_map64_get(&t->counted, range) != TFP_NONE) return false;
    if (!input_bytes(t, range, out) && (owner == TFP_NONE || !input_bytes(t, owner, out))) return false;
    return tfp_map64_put(&t->counted, range, 1);
}

static bool collective_bytes(transfers *t, uint32_t span, tfp_str kind, int64_t *out)
{
    int64_t in = 0, other = 0, size = tfp_element_size(text_near(t, span, t->k.dtype));
    if (size && number_near(t, span, t->k.in, &in)) {
        if (is_gather_or_scatter(kind) && number_near(t, span, t->k.out, &other) && other > in) in = other;
        *out = tfp_mul(in, size, NULL);
        return true;
    }
    return number_of(t, span, t->k.copies.accessed, out) || input_bytes(t, span, out) ||
           range_bytes(t, span, kind, out);
}

static bool copy_bytes(const transfers *t, const tfp_trace_device *d, uint32_t span, int64_t *out)
{
    const tfp_span_columns *s = t->x->s;
    tfp_stated a = { .stats = s->stats[span],
                     .call_stats = s->launch[span] == TFP_NONE ? TFP_NONE : s->stats[s->launch[span]],
                     .class = s->class[span],
                     .tpu = tfp_is_tpu(d->name) };
    return tfp_stated_bytes(t->x->p, &a, &t->k.copies, out);
}

/* ---- rows ---- */

/* The row of a kind, device and group, added if it is new; NULL: out of memory. */
static tfp_transfer_row *find_row(transfers *t, uint32_t device, tfp_str kind, tfp_str group)
{
    const tfp_trace_device *d = &t->x->devices[device];
    tfp_strid kind_id = tfp_intern(&t->names, kind), group_id = tfp_intern(&t->names, group);
    bool ok = kind_id != TFP_NONE && group_id != TFP_NONE;
    tfp_transfer_row *row = ok ? TFP_GROUP(&t->rows, device, kind_id, group_id) : NULL;
    if (t->rows.added)
        *row = (tfp_transfer_row){ .rank = t->x->units[d->unit].rank,
                                   .kind = tfp_strtab_get(&t->names, kind_id),
                                   .device = d->name,
                                   .group = tfp_strtab_get(&t->names, group_id),
                                   .group_size = TFP_ABSENT,
                                   .bytes = TFP_ABSENT,
                                   .device_at = device };
    return row;
}

static bool add_span(transfers *t, uint32_t device, const tfp_union *compute, uint32_t span)
{
    const tfp_trace_device *d = &t->x->devices[device];
    const tfp_span_columns *s = t->x->s;
    const int64_t *ns = s->duration_ns;
    bool collective = s->class[span] == TFP_CLASS_COMMUNICATION;
    if (counts_elsewhere(t, d, span)) return true;
    tfp_buf kind = { 0 };
    int64_t bytes = 0, size = 0;
    if (collective)
        put_collective_kind(t, d, span, &kind);
    else
        put_copy_kind(t, d, span, &kind);
    tfp_str kind_text = { kind.data, kind.size };
    tfp_transfer_row *to =
        kind.failed ? NULL : find_row(t, device, kind_text, collective ? text_near(t, span, t->k.group) : TFP_STR(""));
    if (to) {
        int64_t from = tfp_covered_add(&to->own, s->start_ns[span], tfp_span_end(s, span));
        to->overlapped_ns += tfp_union_within(compute, from, tfp_span_end(s, span));
        if (!to->count++ || ns[span] > ns[to->longest]) to->longest = span;
        to->total_ns = tfp_add(to->total_ns, ns[span], NULL);
        if (collective && number_near(t, span, t->k.group_size, &size)) to->group_size = size;
        if (collective ? collective_bytes(t, span, kind_text, &bytes) : copy_bytes(t, d, span, &bytes))
            to->bytes = tfp_add(to->bytes == TFP_ABSENT ? 0 : to->bytes, bytes, NULL);
    }
    tfp_buf_free(&kind);
    return to != NULL;
}

static void finish_row(const transfers *t, tfp_transfer_row *out)
{
    const tfp_trace_device *d = &t->x->devices[out->device_at];
    int64_t all = d->end_ns - d->start_ns;
    out->exposed_ns = out->own.length - out->overlapped_ns;
    out->gbps = out->bytes != TFP_ABSENT && out->total_ns ? (double)out->bytes / (double)out->total_ns : NAN;
    out->bus_gbps = out->group_size > 0 ? out->gbps * tfp_bus_factor(out->kind, out->group_size) : NAN;
    out->share = all > 0 ? (double)out->exposed_ns / (double)all : NAN;
}

/* Whether a span without a device communicates: ranges of gloo, MPI and similar, instructions of XLA:CPU, collectives of
 * TensorFlow. c10d's operators only begin communication or wait for it. */
static bool moves_on_host(const transfers *t, uint32_t span)
{
    const tfp_span_columns *s = t->x->s;
    return s->kind[span] == TFP_SPAN_ANNOTATION || text_of(t, span, t->k.hlo_op).size ||
           tfp_is_host_collective(tfp_text(t->x->p, s->op[span]));
}

static bool is_transfer(const transfers *t, const tfp_trace_device *d, uint32_t span)
{
    if (t->x->s->class[span] == TFP_CLASS_COMPUTE) return false;
    return !d->host || tfp_trace_is_runs(t->x) || moves_on_host(t, span);
}

static bool collect(transfers *t)
{
    for (uint32_t i = 0; i < t->x->device_count; i++) {
        const tfp_trace_device *d = &t->x->devices[i];
        tfp_union compute;
        if (d->host && t->in_windows && !tfp_trace_is_runs(t->x)) continue;
        if (!tfp_union_of(tfp_arena_of(t->r), t->x, d, TFP_CLASS_BIT(TFP_CLASS_COMPUTE), &compute)) return false;
        for (size_t k = 0; k < d->count; k++) {
            uint32_t span = t->x->items[d->first + k];
            bool counts = t->in_windows ? tfp_span_in_window(t->r, span) : tfp_span_in_step(t->r, span);
            if (!counts || !is_transfer(t, d, span)) continue;
            if (!add_span(t, i, &compute, span)) return false;
        }
    }
    return true;
}

static void find_keys(transfers *t)
{
    const tfp_profile *p = t->x->p;
    t->k = (keys){ .copies = tfp_bytes_keys_of(p),
                   .collective = tfp_stat_key(p, "Collective name"),
                   .group = tfp_stat_key(p, "Process Group Name"),
                   .group_size = tfp_stat_key(p, "Group size"),
                   .in = tfp_stat_key(p, "In msg nelems"),
                   .out = tfp_stat_key(p, "Out msg nelems"),
                   .dtype = tfp_stat_key(p, "dtype"),
                   .hlo_op = tfp_stat_key(p, "hlo_op"),
                   .direction = tfp_stat_key(p, "direction"),
                   .dims = tfp_stat_key(p, "Input Dims"),
                   .types = tfp_stat_key(p, "Input type") };
}

static const tfp_sort_key longest_first[] = { TFP_UP(tfp_transfer_row, device_at),
                                              TFP_DOWN(tfp_transfer_row, total_ns),
                                              { 0 } };

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN_ONLY(tfp_transfer_row, "rank", INT, NUMBER, rank, "Rank in the job, or the position of the file if it names no rank.", TFP_SHOWN_RANKS),
    TFP_COLUMN(tfp_transfer_row, "kind", TEXT, LABEL, kind, "Direction of copies, with the kind of host memory if it is known; name of a collective."),
    TFP_COLUMN(tfp_transfer_row, "device", TEXT, LABEL, device, "Where it ran."),
    TFP_COLUMN(tfp_transfer_row, "group", TEXT, LABEL, group, "Process group of a collective."),
    TFP_COLUMN(tfp_transfer_row, "group_size", INT, NUMBER, group_size, "Ranks in the group."),
    TFP_COLUMN(tfp_transfer_row, "count", INT, NUMBER, count, "How many there were."),
    TFP_COLUMN(tfp_transfer_row, "bytes", INT, SIZE, bytes, "Bytes moved; for a collective the size of its input, for gathers and scatters that of the bigger side."),
    TFP_COLUMN(tfp_transfer_row, "total_us", NANO, MICROS, total_ns, "Sum of their durations."),
    TFP_COLUMN(tfp_transfer_row, "gbps", REAL, LABEL, gbps, "10^9 bytes a second: bytes by total time."),
    TFP_COLUMN(tfp_transfer_row, "bus_gbps", REAL, LABEL, bus_gbps, "The rate on the links: gbps times 2(n-1)/n for an all-reduce over n ranks, times (n-1)/n for gathers, scatters and all-to-all."),
    TFP_COLUMN(tfp_transfer_row, "overlapped_us", NANO, MICROS, overlapped_ns, "The part of their time in which the same device computed."),
    TFP_COLUMN(tfp_transfer_row, "exposed_us", NANO, MICROS, exposed_ns, "The rest of it."),
    TFP_COLUMN(tfp_transfer_row, "share", REAL, SHARE, share, "Exposed time divided by the time from the device's first activity to the end of its last."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

bool tfp_transfer_rows(tfp_report *r, const tfp_trace_index *x, bool in_windows, tfp_transfer_row **rows, size_t *count)
{
    transfers t = { .r = r, .x = x, .in_windows = in_windows, .rows.row_size = sizeof **rows };
    find_keys(&t);
    bool ok = tfp_strtab_init(&t.names, tfp_arena_of(r)) == TFP_OK && collect(&t);
    t.rows.failed |= !ok;
    *rows = tfp_groups_end(&t.rows, tfp_arena_of(r), longest_first, count);
    for (tfp_transfer_row *row = *rows; row && row < *rows + *count; row++) finish_row(&t, row);
    tfp_map64_free(&t.counted);
    tfp_strtab_free(&t.names);
    return *rows != NULL;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_trace_index x;
    tfp_transfer_row *rows;
    size_t count;
    if (tfp_timed_of(tfp_profile_of(r))->size) { /* such files have nothing else */
        if (!tfp_timed_rows(r, &rows, &count)) return tfp_nomem(err);
        return tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, TFP_SHOWN_RANKS }, err);
    }
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (s) return s;
    const char *by = tfp_options_of(r)->verb.by;
    if (by && *by && strcmp(by, "collective") != 0)
        return tfp_fail(err, TFP_BADARG, "option -by: value '%s': transfer has collective", by);
    if (by && *by) return tfp_skew_table(r, &x, err);
    if (!tfp_transfer_rows(r, &x, false, &rows, &count)) return tfp_nomem(err);
    return tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, tfp_trace_shown(&x) }, err);
}

const tfp_view tfp_view_transfer = {
    "transfer",
    "Copies and collectives: bytes, speed, and how much of their time overlaps with compute.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS | TFP_TAKES_INSPECTOR,
    columns,
    "no copy or collective is in the trace",
};
