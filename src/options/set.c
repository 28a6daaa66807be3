// SPDX-License-Identifier: Apache-2.0
/* options/set.c: the only place that parses and checks options. argv, the prompt, Python's keywords and a page's
 * parameters all use tfp_options_set and tfp_options_set_list. */
#include "options/changes.h"
#include "options/table.h"

#include <math.h>
#include <stdlib.h>

/* Reports why a value is invalid; the caller adds the option and the value. */
static tfp_status wrong(tfp_error *err, const char *why) { return tfp_fail(err, TFP_BADARG, "%s", why); }

static tfp_status set_text(char **field, tfp_str v, tfp_error *err)
{
    char *copy = NULL;
    if (v.size) {
        copy = malloc(v.size + 1);
        if (!copy) return tfp_nomem(err);
        memcpy(copy, v.data, v.size);
        copy[v.size] = 0;
    }
    free(*field);
    *field = copy;
    return TFP_OK;
}

static tfp_status set_depth(int64_t *field, tfp_str v, tfp_error *err)
{
    int64_t n;
    if (!tfp_parse_int64(v, &n)) return wrong(err, "not a number");
    if (n < INT32_MIN || n > INT32_MAX) return wrong(err, "does not fit into 32 bits");
    *field = n;
    return TFP_OK;
}

static tfp_status set_step(tfp_step_choice *field, tfp_str v, tfp_error *err)
{
    int64_t id = -1;
    if (tfp_str_eq(v, TFP_STR("all"))) return *field = (tfp_step_choice){ .which = TFP_STEP_ALL }, TFP_OK;
    if (!tfp_str_eq(v, TFP_STR("mean")) && !tfp_parse_int64(v, &id)) return wrong(err, "not a number");
    if (id < -1) return wrong(err, "steps count from 0; -1 is the mean of all");
    *field = tfp_step_of_id(id);
    return TFP_OK;
}

static bool in_unit(tfp_unit given, tfp_unit unit) { return given == TFP_LABEL || given == unit; }

/* A minimum: a whole number in the column's own unit, or one with a unit, such as 1ms. */
static tfp_status set_minimum(int64_t *field, tfp_unit unit, tfp_str v, tfp_error *err)
{
    tfp_amount amount;
    if (tfp_parse_int64(v, field)) return TFP_OK;
    bool whole = unit != TFP_MICROS && unit != TFP_SIZE;
    if (!tfp_amount_parse(v, &amount) || amount.percent || !in_unit(amount.unit, unit) || amount.unit == TFP_LABEL)
        return wrong(err, unit == TFP_MICROS ? "not a number of microseconds or a time such as 10ms"
                          : whole            ? "not a number or an amount such as 10k"
                                             : "not a number of bytes or a size such as 5MB");
    *field = amount.value >= 9e18 ? INT64_MAX : (int64_t)ceil(amount.value);
    return TFP_OK;
}

/* A moment relative to the first start: a number of microseconds, or with a unit. False: it is invalid. */
static bool moment_of(tfp_str v, int64_t *ns)
{
    tfp_amount amount;
    if (!tfp_amount_parse(v, &amount) || amount.percent || !in_unit(amount.unit, TFP_MICROS)) return false;
    double all = amount.value * 1000;
    *ns = all >= 9e18 ? INT64_MAX : llround(all);
    return amount.value >= 0;
}

static tfp_status set_range(tfp_moments *field, tfp_str v, tfp_error *err)
{
    const char *colon = v.size ? memchr(v.data, ':', v.size) : NULL;
    tfp_moments r = { .given = v.size > 0, .to_ns = INT64_MAX };
    if (!v.size) return *field = r, TFP_OK;
    tfp_str from = { v.data, colon ? (size_t)(colon - v.data) : v.size };
    tfp_str to = { colon ? colon + 1 : "", colon ? v.size - from.size - 1 : 0 };
    if (!colon || (from.size && !moment_of(from, &r.from_ns)) || (to.size && !moment_of(to, &r.to_ns)))
        return wrong(err, "not two moments such as 230000:400000 or 230ms:400ms");
    if (r.to_ns <= r.from_ns) return wrong(err, "it ends before it begins");
    return *field = r, TFP_OK;
}

static tfp_status set_moment(tfp_moments *field, tfp_str v, tfp_error *err)
{
    tfp_moments m = { .given = v.size > 0, .to_ns = INT64_MAX };
    if (v.size && !moment_of(v, &m.from_ns)) return wrong(err, "not a moment such as 230000 or 230ms");
    return *field = m, TFP_OK;
}

static tfp_status set_bool(bool *field, const char *value, tfp_error *err)
{
    static const char *const yes[] = { "true", "t", "yes", "y", "1" }, *const no[] = { "false", "f", "no", "n", "0" };
    for (size_t i = 0; i < 5; i++) {
        if (!value || strcasecmp(value, yes[i]) == 0) return *field = true, TFP_OK;
        if (strcasecmp(value, no[i]) == 0) return *field = false, TFP_OK;
    }
    return wrong(err, "not true or false");
}

/* An invalid regex is an error, but it takes effect (it matches nothing), so that a caller can show the remaining rows,
 * like TensorFlow's tool. */
static tfp_status take_filter(tfp_filter **field, tfp_filter *f, tfp_status s)
{
    if (!f) return s;
    tfp_filter_free(*field);
    *field = f;
    return s;
}

static tfp_status set_filter(tfp_filter **field, tfp_str v, tfp_error *err)
{
    tfp_filter *f;
    tfp_status s = tfp_filter_new(v, &f, err);
    return take_filter(field, f, s);
}

#define NO_ORDER "no such order (name, occurrence, depth, start or a numeric column)"

/* Whether a word may be the name of a column; only when the table is built, it is known whether it has the column. */
static bool is_column_name(tfp_str v)
{
    bool ok = v.size > 0 && v.size <= 64;
    for (size_t i = 0; i < v.size && ok; i++)
        ok = (v.data[i] >= 'a' && v.data[i] <= 'z') || (v.data[i] >= '0' && v.data[i] <= '9') || v.data[i] == '_';
    return ok;
}

static tfp_status set_order(tfp_options *o, tfp_str v, tfp_error *err)
{
    tfp_order order;
    for (size_t i = 0; tfp_order_at(i, &order); i++)
        if (tfp_str_eq(v, tfp_str_of(order.name)) || (order.head && tfp_str_eq(v, tfp_str_of(order.head)))) {
            o->order = order;
            return set_text(&o->order_column, TFP_STR(""), err);
        }
    return is_column_name(v) ? set_text(&o->order_column, v, err) : wrong(err, NO_ORDER);
}

tfp_status tfp_options_known_order(const tfp_options *o, tfp_error *err)
{
    if (!o || !o->order_column) return TFP_OK;
    if (strcmp(o->order_column, "device") == 0 || strcmp(o->order_column, "host") == 0)
        return TFP_OK; /* heads that people see; views/files/build.c knows them */
    return tfp_fail(err, TFP_BADARG, "option -order_by: value '%s': " NO_ORDER, o->order_column);
}

static tfp_status set_select(tfp_options *o, tfp_str v, tfp_error *err)
{
    uint64_t bits = 0;
    uint8_t order[TFP_COLUMNS_MAX] = { 0 }, count = 0;
    while (v.size) {
        const char *comma = memchr(v.data, ',', v.size);
        tfp_str item = { v.data, comma ? (size_t)(comma - v.data) : v.size };
        v.data += item.size + (comma != NULL);
        v.size -= item.size + (comma != NULL);
        if (item.size == 0) continue;
        int c = tfp_column_find(item);
        if (c < 0)
            return tfp_fail(err, TFP_BADARG, "no column '%.*s'", (int)(item.size < 100 ? item.size : 100), item.data);
        if (!(bits >> c & 1)) order[count++] = (uint8_t)c;
        bits |= UINT64_C(1) << c;
    }
    o->select = bits;
    memcpy(o->select_order, order, count);
    o->select_count = count;
    return TFP_OK;
}

/* KIND or KIND:outfile=F; the file name is kept when the kind changes, as in TensorFlow's listing. */
static tfp_status set_output(tfp_options *o, tfp_str v, tfp_error *err)
{
    const char *colon = v.size ? memchr(v.data, ':', v.size) : NULL;
    tfp_str word = { v.data, colon ? (size_t)(colon - v.data) : v.size };
    tfp_str rest = { v.data + word.size + (colon != NULL), v.size - word.size - (colon != NULL) };
    size_t which;
    if (!tfp_word_find(word, tfp_output_words, &which))
        return wrong(err, "not stdout, file:outfile=F, timeline, pprof, folded, speedscope, perfetto or none");
    bool needs_file = which >= TFP_TO_FILE && which <= TFP_TO_PERFETTO;
    if (rest.size == 0 && !needs_file) return o->to.output = (tfp_output_kind)which, TFP_OK;
    tfp_str key = TFP_STR("outfile=");
    if (rest.size <= key.size || memcmp(rest.data, key.data, key.size) != 0) return wrong(err, "needs :outfile=FILE");
    rest.data += key.size;
    rest.size -= key.size;
    if (memchr(rest.data, ',', rest.size)) return wrong(err, "the file name must not contain a comma");
    tfp_status s = set_text(&o->to.outfile, rest, err);
    if (!s) o->to.output = (tfp_output_kind)which;
    return s;
}

static tfp_status set_real(double *field, tfp_str v, tfp_error *err)
{
    char text[64], *end;
    if (!v.size || v.size >= sizeof text) return wrong(err, "not a number");
    memcpy(text, v.data, v.size);
    text[v.size] = 0;
    double n = strtod(text, &end);
    if (*end || end == text) return wrong(err, "not a number");
    if (!(n >= 0 && n <= 1e300)) return wrong(err, "not a number of at least 0");
    *field = n;
    return TFP_OK;
}

/* A percentage is refused if the option needs a size. */
static tfp_status set_amount(char **field, tfp_str v, bool share, tfp_error *err)
{
    tfp_amount amount;
    if (v.size && (!tfp_amount_parse(v, &amount) || (amount.percent && !share)))
        return wrong(err,
                     share ? "not an amount such as 5%, 10ms, 5MB or 1000" : "not an amount such as 10ms, 5MB or 1000");
    return set_text(field, v, err);
}

/* Adds to the current list (an empty text clears it); without `more` it replaces the list. */
static tfp_status set_rewrites(tfp_rewrites **field, const tfp_str *items, size_t count, bool more, tfp_error *err)
{
    tfp_rewrites *made = NULL;
    bool none = count == 0 || (more && items->size == 0);
    tfp_status s = none ? TFP_OK : tfp_rewrites_new(more ? *field : NULL, items, count, &made, err);
    if (s) return s;
    tfp_rewrites_free(*field);
    *field = made;
    return TFP_OK;
}

static tfp_status set_source(int *field, tfp_str v, tfp_error *err)
{
    size_t which;
    if (!tfp_word_find(v, tfp_source_words, &which)) return wrong(err, "no such source (files, tensorflow, own)");
    *field = (int)which;
    return TFP_OK;
}

static tfp_status set_batch(int64_t *field, tfp_str v, tfp_error *err)
{
    int64_t n;
    if (!tfp_parse_int64(v, &n) || n < 0) return wrong(err, "not a number of at least 0");
    *field = n;
    return TFP_OK;
}

/* Adds one or several shapes to the current list; an empty text clears it. */
static tfp_status set_shapes(char **field, tfp_str v, tfp_error *err)
{
    tfp_assumed_text one;
    tfp_buf all = { 0 };
    for (tfp_str rest = v; tfp_assumed_next(&rest, &one);)
        if (one.wrong) return wrong(err, one.wrong);
    if (*field && v.size) tfp_buf_printf(&all, "%s;", *field);
    tfp_buf_str(&all, v);
    tfp_status s = all.failed ? tfp_nomem(err) : set_text(field, (tfp_str){ all.data, all.size }, err);
    tfp_buf_free(&all);
    return s;
}

static tfp_status set_rate(char **field, tfp_str v, bool flops, tfp_error *err)
{
    double rate;
    if (v.size && !tfp_rate_parse(v, flops ? tfp_flops_units : tfp_bandwidth_units, &rate))
        return wrong(err, flops ? "not a rate such as 19.5T, 312TFLOPS or 1.5e12"
                                : "not a rate such as 900G, 2TB/s or 1.5e12");
    enum { LEAST = 1000000 }; /* every device is faster than this, so the SI prefix was forgotten */
    if (v.size && rate < LEAST)
        return wrong(err, flops ? "only so many float operations a second: 60T means 60 TFLOP/s"
                                : "only so many bytes a second: 900G means 900 GB/s");
    return set_text(field, v, err);
}

static tfp_status set_compat(tfp_options *o, tfp_str v, tfp_error *err)
{
    bool on = tfp_str_eq(v, TFP_STR("1.0"));
    bool tensorflow = tfp_str_eq(v, TFP_STR("tensorflow")) || tfp_str_eq(v, TFP_STR("2.21"));
    if (!on && !tensorflow && v.size && !tfp_str_eq(v, TFP_STR("none")))
        return wrong(err, "only 1.0 and tensorflow are known");
    o->compat10 = on;
    o->compat_tensorflow = tensorflow;
    option row;
    for (size_t i = 0; tfp_option_at(i, &row); i++) {
        if (!row.value_10 || tfp_option_was_set(o, &row)) continue;
        tfp_status s = tfp_option_apply(o, &row, on ? row.value_10 : row.value, err);
        if (s) return s;
    }
    return TFP_OK;
}

static tfp_status set_switch(char **field, const char *name, const char *value, tfp_error *err)
{
    bool on = false;
    tfp_status s = set_bool(&on, value, err);
    return s ? s : tfp_changes_set(field, name, on ? TFP_STR("true") : TFP_STR(""), err);
}

tfp_status tfp_option_apply(tfp_options *o, const option *row, const char *value, tfp_error *err)
{
    void *field = (char *)o + row->at;
    tfp_str v = tfp_str_of(value);
    size_t which;
    if (!value && row->kind != K_BOOL && row->kind != K_SWITCH) return wrong(err, "needs a value");
    switch (row->kind) {
    case K_INT: return set_minimum(field, row->unit, v, err);
    case K_DEPTH: return set_depth(field, v, err);
    case K_STEP: return set_step(field, v, err);
    case K_BOOL: return set_bool(field, value, err);
    case K_FILTER: return set_filter(field, v, err);
    case K_ORDER: return set_order(o, v, err);
    case K_SELECT: return set_select(o, v, err);
    case K_OUTPUT: return set_output(o, v, err);
    case K_FORMAT:
        if (!tfp_word_find(v, tfp_format_words, &which))
            return wrong(err,
                         "no such format (text, json, jsonl, csv, md, arrow, parquet, script, folded, speedscope)");
        return set_text(field, v, err);
    case K_VIEW:
        if (!tfp_word_find(v, tfp_compared_views, &which))
            return wrong(err, "no such view here (scope, graph, op, code, lines, steps, triage)");
        return set_text(field, v, err);
    case K_CHECKERS:
    case K_TEXT: return set_text(field, v, err);
    case K_COMPAT: return set_compat(o, v, err);
    case K_REWRITE: return set_rewrites(field, &v, 1, true, err);
    case K_MOMENT: return set_moment(field, v, err);
    case K_RANGE: return set_range(field, v, err);
    case K_REAL: return set_real(field, v, err);
    case K_AMOUNT:
    case K_LIMIT: return set_amount(field, v, row->kind == K_LIMIT, err);
    case K_SOURCE: return set_source(field, v, err);
    case K_BATCH: return set_batch(field, v, err);
    case K_SHAPES: return set_shapes(field, v, err);
    case K_FLOPS:
    case K_BANDWIDTH: return set_rate(field, v, row->kind == K_FLOPS, err);
    case K_CHANGE: return tfp_changes_set(field, row->name, v, err);
    case K_SWITCH: return set_switch(field, row->name, value, err);
    case K_MINIMUMS: break; /* each minimum is a K_INT */
    }
    return TFP_BADARG;
}

/* Adds the option and the value to the error; on success records that the option was set. */
static tfp_status settled(tfp_options *o, const option *row, const char *value, tfp_status s, tfp_error *err)
{
    if (s == TFP_BADARG && value) return tfp_within(err, s, "option -%s: value '%.500s'", row->name, value);
    if (s) return tfp_within(err, s, "option -%s", row->name);
    o->set[row->number / 64] |= UINT64_C(1) << row->number % 64;
    return TFP_OK;
}

tfp_status tfp_options_set(tfp_options *o, const char *name, const char *value, tfp_error *err)
{
    tfp_error_clear(err);
    if (!o || !name) return tfp_fail(err, TFP_BADARG, "no options, or no option's name");
    option row;
    if (!tfp_option_find(name, &row)) return tfp_fail(err, TFP_BADARG, "no option -%s", name);
    tfp_status s = settled(o, &row, value, tfp_option_apply(o, &row, value, err), err);
    tfp_option_texts_clear(o->texts); /* `value` may be one of these texts, so they are freed only now */
    return s;
}

/* Options whose list items are taken whole. */
static bool takes_items(option_kind k) { return k == K_FILTER || k == K_REWRITE || k == K_CHANGE; }

/* A list replaces all changes of that name. */
static tfp_status set_changes(char **field, const option *row, const char *const *items, size_t count, tfp_error *err)
{
    tfp_status s = tfp_changes_set(field, row->name, TFP_STR(""), err);
    for (size_t i = 0; !s && i < count; i++)
        if (*items[i]) s = tfp_changes_set(field, row->name, tfp_str_of(items[i]), err);
    return s;
}

static tfp_status set_items(tfp_options *o, const option *row, const char *const *items, size_t count, tfp_error *err)
{
    void *field = (char *)o + row->at;
    tfp_filter *f;
    if (row->kind == K_CHANGE) return set_changes(field, row, items, count, err);
    tfp_str *texts = calloc(count + 1, sizeof *texts);
    if (!texts) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) texts[i] = tfp_str_of(items[i]);
    tfp_status s;
    if (row->kind == K_REWRITE) {
        s = set_rewrites(field, texts, count, false, err);
    } else {
        s = tfp_filter_of(texts, count, &f, err);
        s = take_filter(field, f, s);
    }
    free(texts);
    return s;
}

tfp_status tfp_options_set_list(tfp_options *o, const char *name, const char *const *items, size_t count,
                                tfp_error *err)
{
    tfp_error_clear(err);
    if (!o || !name || (count && !items)) return tfp_fail(err, TFP_BADARG, "no options, no option's name or no items");
    for (size_t i = 0; i < count; i++)
        if (!items[i]) return tfp_fail(err, TFP_BADARG, "option -%s: item %zu is NULL", name, i);
    option row;
    if (!tfp_option_find(name, &row)) return tfp_fail(err, TFP_BADARG, "no option -%s", name);
    tfp_buf joined = { 0 };
    const char *between = row.kind == K_SHAPES ? ";" : ",";
    for (size_t i = 0; i < count; i++) tfp_buf_printf(&joined, "%s%s", i ? between : "", items[i]);
    tfp_buf_char(&joined, 0);
    tfp_status s = joined.failed ? tfp_nomem(err) : TFP_OK;
    const char *none = row.kind == K_CHECKERS ? "," : ""; /* an empty text would select all checkers */
    if (!s && row.kind == K_SHAPES) s = tfp_option_apply(o, &row, "", err); /* a list replaces the current one */
    if (!s && takes_items(row.kind))
        s = set_items(o, &row, items, count, err);
    else if (!s)
        s = tfp_option_apply(o, &row, count ? joined.data : none, err);
    s = settled(o, &row, joined.data, s, err);
    tfp_buf_free(&joined);
    tfp_option_texts_clear(o->texts); /* items may be among these texts, so they are freed only now */
    return s;
}

void tfp_options_screen(tfp_options *o, int columns, int colours)
{
    if (!o) return;
    o->to.screen = columns <= 0 ? 0 : columns < 40 ? 40 : columns > 1000 ? 1000 : columns;
    o->to.colours = colours != 0;
}

void tfp_options_every_value(tfp_options *o, int on)
{
    if (o) o->made.every_value = on != 0;
}

void tfp_options_on_query(tfp_options *o, tfp_progress_fn fn, void *ctx)
{
    if (!o) return;
    o->query.query_fn = fn;
    o->query.query_ctx = ctx;
}

tfp_options *tfp_options_new(void)
{
    tfp_options *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    if (!(o->texts = tfp_option_texts_new())) {
        free(o);
        return NULL;
    }
    option row;
    for (size_t i = 0; tfp_option_at(i, &row); i++) {
        if (tfp_option_apply(o, &row, row.value, NULL) == TFP_OK) continue;
        tfp_options_free(o);
        return NULL;
    }
    return o;
}
