// SPDX-License-Identifier: Apache-2.0
/* outputs/data/pprof.c: the code, calls or scope view as a gzipped pprof profile: https://github.com/google/pprof, profile.proto.
 * Code view: one sample per graph node, its stack the displayed frames; a location is a frame's function and line.
 * With -compat tensorflow a location is a call: the line of the caller paired with the function called, as TensorFlow
 * writes it. Scope view: one sample per row, its stack the parts of its name. */
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/columns.h"
#include "options/options.h"
#include "options/units.h"
#include "outputs/data/pprof.h"
#include "views/core/engine.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/texts.h"
#include "views/core/view.h"
#include "wire/proto.h"

#include <stdlib.h>
#include <zlib.h>

/* Each sample repeats its whole stack: without this limit on all locations a small file would ask for gigabytes. */
#define MAX_LOCATIONS ((uint64_t)16 << 20)

typedef struct function {
    tfp_strid name, file;
    int64_t start_line;
} function;

typedef struct location {
    uint32_t function;
    int64_t line;
} location;

typedef struct sample {
    tfp_str name; /* the sample's label */
    uint32_t row; /* the row with its stack */
    int64_t value;
} sample;

typedef struct writer {
    const tfp_report *r;
    const tfp_profile *p;
    const tfp_column *column;
    tfp_arena arena;
    tfp_strtab strings;
    tfp_map64 function_pairs, functions_by_key, location_pairs, locations_by_key;
    uint32_t pair_count;
    TFP_VEC(function) functions; /* id is the index + 1; the same for locations */
    TFP_VEC(location) locations;
    TFP_VEC(sample) samples;
    TFP_VEC(uint32_t) work;  /* items of the code tree still to visit */
    uint32_t *row_location;  /* per row: the location of its call from the row above; TFP_NONE: none */
    uint64_t location_count; /* in all samples */
    tfp_buf text;
    tfp_account account;
    bool nomem;
} writer;

/* ---- tables ---- */

/* Strings are escaped as everywhere, so they are always UTF-8. */
static tfp_strid intern(writer *w, tfp_str s)
{
    w->text.size = 0;
    tfp_escape(&w->text, s);
    tfp_strid id = w->text.failed ? TFP_NONE : tfp_intern(&w->strings, (tfp_str){ w->text.data, w->text.size });
    if (id != TFP_NONE) return id;
    w->nomem = true;
    return 0;
}

static tfp_strid intern_text(writer *w, const char *s) { return intern(w, tfp_str_of(s)); }

/* Makes one key of three numbers: pairs of the first two are numbered. */
static uint64_t key_of(writer *w, tfp_map64 *pairs, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t ab = (uint64_t)a << 32 | b;
    uint32_t pair = tfp_map64_get(pairs, ab);
    if (pair == TFP_NONE) {
        pair = w->pair_count++;
        if (!tfp_map64_put(pairs, ab, pair)) w->nomem = true;
    }
    return (uint64_t)pair << 32 | c;
}

static uint32_t find_function(writer *w, tfp_strid name, tfp_strid file, int64_t start_line)
{
    uint64_t key = key_of(w, &w->function_pairs, file, name, (uint32_t)start_line);
    uint32_t at = tfp_map64_get(&w->functions_by_key, key);
    if (at != TFP_NONE) return at;
    at = (uint32_t)w->functions.size;
    function f = { name, file, start_line };
    if (!tfp_push(&w->functions, f) || !tfp_map64_put(&w->functions_by_key, key, at)) w->nomem = true;
    return at;
}

static uint32_t add_location(writer *w, uint32_t function_index, int64_t line)
{
    location l = { function_index, line };
    if (!tfp_push(&w->locations, l)) w->nomem = true;
    return (uint32_t)w->locations.size - 1;
}

/* ---- code view ---- */

/* "model:layer (gradient)": the file without folders and its last extension, and the function. */
static tfp_strid function_name(writer *w, const tfp_code_item *item)
{
    const tfp_code_frame *f = &tfp_code_of(w->p)->frames.at[item->frame];
    tfp_str file = tfp_str_last_part(tfp_text(w->p, f->file)), name = tfp_text(w->p, f->function);
    const char *dot = file.size ? memrchr(file.data, '.', file.size) : NULL;
    tfp_buf full = { 0 };
    tfp_buf_add(&full, file.data, dot ? (size_t)(dot - file.data) : file.size);
    tfp_buf_char(&full, ':');
    tfp_buf_str(&full, name);
    if (item->gradient) tfp_buf_text(&full, " (gradient)");
    if (full.failed) w->nomem = true;
    tfp_strid id = intern(w, (tfp_str){ full.data, full.size });
    tfp_buf_free(&full);
    return id;
}

/* The function of a frame and its line in it. */
static uint32_t find_frame(writer *w, const tfp_code_item *item)
{
    const tfp_code_frame *f = &tfp_code_of(w->p)->frames.at[item->frame];
    uint32_t called = find_function(w, function_name(w, item), intern(w, tfp_text(w->p, f->file)), f->function_line);
    uint64_t key = (uint64_t)called << 32 | (uint32_t)f->line;
    uint32_t at = tfp_map64_get(&w->locations_by_key, key);
    if (at != TFP_NONE) return at;
    at = add_location(w, called, f->line);
    if (!tfp_map64_put(&w->locations_by_key, key, at)) w->nomem = true;
    return at;
}

/* TensorFlow identifies a call by the caller's file and line and the called function, whatever the callee's file. */
static uint32_t find_call(writer *w, const tfp_code_item *caller, const tfp_code_item *callee)
{
    const tfp_code_frame *from = &tfp_code_of(w->p)->frames.at[caller->frame],
                         *to = &tfp_code_of(w->p)->frames.at[callee->frame];
    uint32_t called = to->function * 2 + callee->gradient;
    uint64_t key = key_of(w, &w->location_pairs, from->file, called, (uint32_t)from->line);
    uint32_t at = tfp_map64_get(&w->locations_by_key, key);
    if (at != TFP_NONE) return at;
    tfp_strid name = function_name(w, callee), file = intern(w, tfp_text(w->p, to->file));
    at = add_location(w, find_function(w, name, file, to->function_line), from->line);
    if (!tfp_map64_put(&w->locations_by_key, key, at)) w->nomem = true;
    return at;
}

static void add_item_samples(writer *w, const tfp_code_item *item, uint32_t row, uint32_t depth)
{
    for (uint32_t i = 0; i < item->member_count; i++) {
        uint32_t node = w->r->tree->code->members[item->member_first + i];
        if (!tfp_account_times(&w->account, node)) continue;
        tfp_node_stats stats;
        tfp_node_stats_at(w->p, node, w->r->step, &stats);
        sample s = { tfp_text(w->p, tfp_graph_of(w->p)->nodes.at[node].name), row,
                     tfp_node_value(w->r, node, &stats, (tfp_value)tfp_value_of(w->column)) };
        if (!tfp_push(&w->samples, s)) w->nomem = true;
        w->location_count += depth;
    }
}

/* A displayed leaf stands for everything below it that makes no further calls, shown or not. */
static void add_leaf(writer *w, uint32_t row, uint32_t depth)
{
    const tfp_code_tree *code = w->r->tree->code;
    w->work.size = 0;
    if (!tfp_push(&w->work, w->r->tree->rows.at[row].item)) w->nomem = true;
    while (w->work.size && !w->nomem) {
        const tfp_code_item *item = &code->items.at[w->work.at[--w->work.size]];
        if (item->child_first == TFP_NONE) add_item_samples(w, item, row, depth);
        for (uint32_t c = item->child_first; c != TFP_NONE; c = code->items.at[c].sibling)
            if (!tfp_push(&w->work, c)) w->nomem = true;
    }
}

static tfp_status collect_code(writer *w, tfp_error *err)
{
    const tfp_report *r = w->r;
    if (!tfp_account_start(&w->account, r, &w->arena)) return tfp_nomem(err);
    for (uint32_t i = 1; i < r->tree->rows.size && !w->nomem; i++) {
        const tfp_row *x = &r->tree->rows.at[i];
        const tfp_code_item *item = &r->tree->code->items.at[x->item];
        bool calls = r->options->compat_tensorflow;
        if (!calls)
            w->row_location[i] = find_frame(w, item);
        else if (x->parent != 0)
            w->row_location[i] = find_call(w, &r->tree->code->items.at[r->tree->rows.at[x->parent].item], item);
        bool leaf = i + 1 == r->tree->rows.size || r->tree->rows.at[i + 1].parent != i;
        if (leaf) add_leaf(w, i, x->depth - calls);
        if (w->location_count > MAX_LOCATIONS) break;
    }
    return TFP_OK;
}

/* ---- scope view ---- */

/* The part of a row's name that its parent's name lacks. */
static tfp_str last_part(const tfp_report *r, uint32_t row)
{
    tfp_str name = r->tree->rows.at[row].name, above = r->tree->rows.at[r->tree->rows.at[row].parent].name;
    if (name.size > above.size + 1 && name.data[above.size] == '/' && memcmp(name.data, above.data, above.size) == 0)
        return (tfp_str){ name.data + above.size + 1, name.size - above.size - 1 };
    return name;
}

/* The row's own value and hidden ones below it: its total minus those of the rows shown under it. */
static tfp_status collect_tree(writer *w, tfp_error *err)
{
    const tfp_report *r = w->r;
    tfp_value value = (tfp_value)tfp_value_of(w->column);
    if (!r->tree->total[value])
        return tfp_fail(err, TFP_BADARG, "this report was built without the column %s", w->column->name);
    int64_t *rest = TFP_NEW(&w->arena, int64_t, r->tree->rows.size);
    if (!rest) return tfp_nomem(err);
    for (uint32_t i = 0; i < r->tree->rows.size; i++) {
        int64_t *above = &rest[r->tree->rows.at[i].parent], total = tfp_total(r, i, value);
        rest[i] = tfp_add(rest[i], total, NULL);
        if (i) *above = tfp_add(*above, tfp_mul(total, -1, NULL), NULL);
    }
    for (uint32_t i = 1; i < r->tree->rows.size && !w->nomem; i++) {
        tfp_strid name = intern(w, last_part(r, i));
        uint32_t f = find_function(w, name, 0, 0);
        if (f == w->locations.size) add_location(w, f, 0); /* here each function has one location */
        w->row_location[i] = f;
        if (rest[i] <= 0) continue;
        sample s = { r->tree->rows.at[i].name, i, rest[i] };
        if (!tfp_push(&w->samples, s)) w->nomem = true;
        w->location_count += r->tree->rows.at[i].depth;
        if (w->location_count > MAX_LOCATIONS) break;
    }
    return TFP_OK;
}

/* ---- the profile ---- */

static void put_value_type(writer *w, tfp_buf *b, const char *type, const char *unit)
{
    size_t at = tfp_put_open(b, 1);
    tfp_put_int(b, 1, intern_text(w, type));
    tfp_put_int(b, 2, intern_text(w, unit));
    tfp_put_close(b, at);
}

static void put_types(writer *w, tfp_buf *b)
{
    put_value_type(w, b, "count", "count");
    bool fine = w->column->unit == TFP_MICROS && tfp_fine_times(w->p);
    put_value_type(w, b, w->column->name, fine ? "nanoseconds" : tfp_unit_long(w->column->unit));
    int64_t comment = intern_text(w, w->column->sample ? w->column->sample : "");
    tfp_put_packed_ints(b, 13, &comment, 1);
}

static void put_sample(writer *w, tfp_buf *b, tfp_buf *ids, const sample *s, tfp_strid label)
{
    ids->size = 0;
    for (uint32_t row = s->row; row != 0; row = w->r->tree->rows.at[row].parent)
        if (w->row_location[row] != TFP_NONE) tfp_put_varint(ids, (uint64_t)w->row_location[row] + 1);
    if (ids->failed) w->nomem = true;
    bool fine = tfp_fine_times(w->p);
    int64_t values[] = { 1, fine ? s->value : tfp_whole(tfp_value_of(w->column), s->value) };
    size_t at = tfp_put_open(b, 2), inner;
    if (ids->size) tfp_put_bytes(b, 1, (tfp_str){ ids->data, ids->size });
    tfp_put_packed_ints(b, 2, values, 2);
    inner = tfp_put_open(b, 3);
    tfp_put_int(b, 1, label);
    tfp_put_int(b, 2, intern(w, s->name));
    tfp_put_close(b, inner);
    tfp_put_close(b, at);
}

static void put_location(tfp_buf *b, uint64_t id, const location *l)
{
    size_t at = tfp_put_open(b, 4), inner;
    tfp_put_int(b, 1, (int64_t)id);
    inner = tfp_put_open(b, 4);
    tfp_put_int(b, 1, (int64_t)l->function + 1);
    tfp_put_int(b, 2, l->line);
    tfp_put_close(b, inner);
    tfp_put_close(b, at);
}

static void put_function(tfp_buf *b, uint64_t id, const function *f)
{
    size_t at = tfp_put_open(b, 5);
    tfp_put_int(b, 1, (int64_t)id);
    tfp_put_int(b, 2, f->name);
    tfp_put_int(b, 4, f->file);
    tfp_put_int(b, 5, f->start_line);
    tfp_put_close(b, at);
}

/* ---- gzip, streaming ---- */

typedef struct gzip {
    z_stream z;
    tfp_buf plain;
    tfp_sink *sink;
} gzip;

static void deflate_plain(gzip *g, int flush)
{
    unsigned char out[16 << 10];
    g->z.next_in = (unsigned char *)g->plain.data;
    g->z.avail_in = (uInt)g->plain.size;
    do {
        g->z.next_out = out;
        g->z.avail_out = sizeof out;
        deflate(&g->z, flush);
        tfp_buf_add(&g->sink->buf, out, sizeof out - g->z.avail_out);
        tfp_sink_flush_if_full(g->sink);
    } while (g->z.avail_out == 0);
    g->plain.size = 0;
}

static void deflate_if_full(gzip *g)
{
    if (g->plain.size >= (size_t)256 << 10) deflate_plain(g, Z_NO_FLUSH);
}

/* Samples are in the order of their labels, as TensorFlow's are. The strings come last, when all are known. */
static bool put_profile(writer *w, gzip *g)
{
    tfp_buf *b = &g->plain, ids = { 0 };
    uint32_t *order = malloc((w->samples.size + 1) * sizeof *order);
    tfp_str *names = malloc((w->samples.size + 1) * sizeof *names);
    bool ok = order && names;
    for (size_t i = 0; ok && i < w->samples.size; i++) {
        order[i] = (uint32_t)i;
        names[i] = w->samples.at[i].name;
    }
    ok = ok && tfp_sort_strings(order, w->samples.size, names);
    put_types(w, b);
    tfp_strid label = intern_text(w, "graph node:");
    for (size_t i = 0; ok && i < w->samples.size && !w->nomem && !g->sink->status; i++) {
        put_sample(w, b, &ids, &w->samples.at[order[i]], label);
        deflate_if_full(g);
    }
    for (size_t i = 0; i < w->locations.size; i++) {
        put_location(b, i + 1, &w->locations.at[i]);
        deflate_if_full(g);
    }
    for (size_t i = 0; i < w->functions.size; i++) {
        put_function(b, i + 1, &w->functions.at[i]);
        deflate_if_full(g);
    }
    for (size_t i = 0; i < w->strings.count; i++) {
        tfp_put_bytes_always(b, 6, tfp_strtab_get(&w->strings, (tfp_strid)i));
        deflate_if_full(g);
    }
    free(order);
    free(names);
    tfp_buf_free(&ids);
    return ok && !w->nomem && !b->failed;
}

static tfp_status write_gzip(writer *w, tfp_sink *s, tfp_error *err)
{
    gzip g = { .sink = s };
    if (deflateInit2(&g.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return tfp_nomem(err);
    bool ok = put_profile(w, &g);
    if (ok) deflate_plain(&g, Z_FINISH);
    deflateEnd(&g.z);
    tfp_buf_free(&g.plain);
    return ok ? TFP_OK : tfp_nomem(err);
}

static const tfp_column *only_column(const tfp_options *o)
{
    const tfp_column *found = NULL;
    for (int i = 0; i < tfp_column_count; i++) {
        if (!tfp_selects(o, (tfp_column_id)i)) continue;
        if (found || tfp_columns[i].kind != TFP_COLUMN_IS_SUM || i == TFP_C_OCCURRENCE) return NULL;
        found = &tfp_columns[i];
    }
    return found;
}

static tfp_status write_pprof(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    if (r->stacks) return tfp_pprof_stacks(r->stacks, s, err);
    bool code = r->tree->code != NULL;
    if (!code && !(r->about->row_traits & TFP_NESTS))
        return tfp_fail(err, TFP_BADARG, "%s view has no pprof output: use code, calls or scope", r->view);
    writer w = { .r = r, .p = r->profile, .column = only_column(r->options) };
    if (!w.column) return tfp_fail(err, TFP_BADARG, "pprof needs exactly one numeric column in -select");
    w.row_location = TFP_NEW(&w.arena, uint32_t, r->tree->rows.size + 1);
    if (w.row_location) memset(w.row_location, 0xff, (r->tree->rows.size + 1) * sizeof *w.row_location); /* TFP_NONE */
    tfp_status status = w.row_location ? tfp_strtab_init(&w.strings, &w.arena) : TFP_NOMEM;
    if (status)
        status = tfp_nomem(err);
    else
        status = code ? collect_code(&w, err) : collect_tree(&w, err);
    if (!status && w.nomem) status = tfp_nomem(err);
    if (!status && w.location_count > MAX_LOCATIONS)
        status = tfp_fail(err, TFP_LIMIT, "the samples' stacks pass %llu frames: try a smaller -max_depth",
                          (unsigned long long)MAX_LOCATIONS);
    if (!status) status = write_gzip(&w, s, err);
    tfp_strtab_free(&w.strings);
    tfp_map64_free(&w.function_pairs);
    tfp_map64_free(&w.functions_by_key);
    tfp_map64_free(&w.location_pairs);
    tfp_map64_free(&w.locations_by_key);
    tfp_vec_free(&w.functions);
    tfp_vec_free(&w.locations);
    tfp_vec_free(&w.samples);
    tfp_vec_free(&w.work);
    tfp_buf_free(&w.text);
    tfp_arena_free(&w.arena);
    return status;
}

const tfp_output_format tfp_output_pprof = {
    .name = "pprof",
    .help = "A gzipped pprof profile of the code, calls or scope view, with one numeric column, or of stacks.",
    .in_format_option = false,
    .write = write_pprof,
};
