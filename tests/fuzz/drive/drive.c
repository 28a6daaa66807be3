// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive/drive.c: prints every view to every output, and checks promises of tfprof.h for any input. */
#include "drive.h"

#include "outputs/data/arrow.h"
#include "drive_program.h"
#include "wellformed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every option with unusual values; each set is used with each view. The first set is the default. */
static const char *const option_sets[][24] = {
    { NULL },
    { "max_depth", "1000000", "account_type_regexes", ".*", "select",
      "params,bytes,micros,float_ops,occurrence,device,op_types,input_shapes,peak_bytes,residual_bytes,output_bytes,"
      "accelerator_micros,cpu_micros,tensor_value",
      "order_by", "micros", "format", "json", NULL },
    { "max_depth", "100000", "step", "0", "account_type_regexes", ".*", "select", "micros", "format", "json", NULL },
    { "max_depth", "3", "account_type_regexes", ".*cpu.*,Conv.*,Variable.*", "start_name_regexes", ".*a.*",
      "trim_name_regexes", ".*b", "hide_name_regexes", ".*c", "select", "micros,bytes,op_types", "order_by", "bytes",
      NULL },
    { "account_displayed_op_only", "true", "account_type_regexes", ".*", "max_depth", "100", "min_bytes", "1",
      "min_micros", "1", "min_params", "1", "order_by", "params", "select", "params,micros,bytes", NULL },
    { "step", "0", "max_depth", "100", "select", "micros,bytes,occurrence,input_shapes", "order_by", "occurrence",
      "account_type_regexes", ".*", NULL },
    { "step", "5", "max_depth", "-5", "min_float_ops", "1", "min_occurrence", "1", "select", "float_ops,occurrence",
      "order_by", "float_ops", "account_type_regexes", ".*", NULL },
    { "float_ops_source", "own", "max_depth", "100000", "account_type_regexes", ".*", "select",
      "params,float_ops,macs,bytes_moved,coverage,flops_per_second,intensity", "order_by", "macs", "assume_batch", "32",
      NULL },
    { "max_depth", "100", "select", "micros,max_micros,mean_micros,median_micros,p95_micros", "order_by",
      "median_micros", "account_type_regexes", ".*", NULL },
    { "account_displayed_op_only", "true", "max_depth", "3", "step", "-1", "select", "median_micros", "order_by",
      "p95_micros", "hide_name_regexes", ".*c", NULL },
    { "float_ops_source", "tensorflow", "max_depth", "100", "select", "float_ops,coverage", "order_by", "float_ops",
      "account_type_regexes", ".*", NULL },
    { "compat", "1.0", "max_depth", "100", "select", "params,bytes,micros,num_hidden_ops,device,op_types",
      "account_type_regexes", ".*", "order_by", "name", NULL },
    { "compat", "1.0", "viz", "true", "max_depth", "7", "device_regexes", ".*cpu.*", "show_name_regexes", ".*",
      "select", "micros,tensor_value", "account_type_regexes", ".*", NULL },
};
#define KEEP (TFP_KEEP_ALL | TFP_KEEP_PROGRAM)
enum { SET_COUNT = sizeof option_sets / sizeof *option_sets };

bool drive_everything;

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { ONE_VIEW = 1 };
#else
enum { ONE_VIEW = 0 };
#endif

static const char graph_text[] =
    "node { name: 'x' op: 'Placeholder' attr { key: 'shape' value { shape { dim { size: 2 } dim { size: 3 } } } } }\n"
    "node { name: 'a/w' op: 'VariableV2' attr { key: 'shape' value { shape { dim { size: 3 } dim { size: 4 } } } } }\n"
    "node { name: 'a/mul' op: 'MatMul' input: 'x' input: 'a/w' }\n"
    "node { name: 'a/b/add' op: 'Add' input: 'a/mul' input: '^x' }\n"
    "node { name: 'gradients/a/mul_grad/MatMul' op: 'MatMul' input: 'a/b/add' }\n";
const drive_part drive_graph = { "graph", graph_text, sizeof graph_text - 1 };

/* A promise is broken: prints it and aborts, so that the fuzzer keeps the input. */
static void broken(const char *promise, const char *what)
{
    fprintf(stderr, "broken promise: %s: %s\n", promise, what);
    abort();
}

uint64_t drive_pick(const void *data, size_t size)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) h = (h ^ ((const uint8_t *)data)[i]) * 1099511628211u;
    return h ^ h >> 29;
}

static void check_line(const char *line, const char *what)
{
    size_t size = strlen(line);
    if (size > 4000) broken("a message is at most 4,000 bytes", what);
    if (!safe_text(line, size, "")) broken("a message holds no control characters", what);
}

static void check_failure(tfp_status s, const tfp_error *err, const char *what)
{
    if (s < TFP_OK || s > TFP_CANCELLED) broken("a status is one of the enumeration", what);
    if (err && !*tfp_error_message(err)) broken("a failure says why", what);
    check_line(tfp_error_message(err), what);
}

/* ---- what was written ---- */

int drive_take(void *ctx, const void *data, size_t size)
{
    drive_text *b = ctx;
    if (b->capacity - b->size < size) {
        size_t capacity = b->capacity * 2 + size;
        char *bigger = realloc(b->data, capacity);
        if (!bigger) return 1;
        b->data = bigger;
        b->capacity = capacity;
    }
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

static void check_lines(const drive_text *b)
{
    if (!b->size || b->data[b->size - 1] != '\n') broken("JSON lines end in a newline", "jsonl");
    for (size_t at = 0, size; at < b->size; at += size + 1) {
        size = (size_t)((const char *)memchr(b->data + at, '\n', b->size - at) - b->data) - at;
        if (!wellformed_json(b->data + at, size)) broken("a line is well-formed JSON", "jsonl");
    }
}

static void check_form(const char *output, const drive_text *b)
{
    bool json = strcmp(output, "json") == 0 || strcmp(output, "timeline") == 0 || strcmp(output, "speedscope") == 0;
    if (json && !wellformed_json(b->data, b->size)) broken("JSON is well formed", output);
    if (strcmp(output, "jsonl") == 0) check_lines(b);
    if (strcmp(output, "csv") == 0 && !wellformed_csv(b->data, b->size)) broken("CSV is well formed", output);
    bool text = strcmp(output, "text") == 0 || strcmp(output, "md") == 0 || strcmp(output, "folded") == 0;
    if (text && !safe_text(b->data, b->size, "\n\t")) broken("text holds no control characters", output);
    if (strcmp(output, "pprof") == 0 && (b->size < 18 || memcmp(b->data, "\x1f\x8b", 2) != 0))
        broken("pprof is gzip", output);
}

static void drive_output(const tfp_report *r, const char *output, tfp_error *err)
{
    drive_text first = { 0 }, second = { 0 };
    tfp_status s = tfp_report_write(r, output, drive_take, &first, err);
    if (s) {
        check_failure(s, err, output);
    } else {
        check_form(output, &first);
        if (drive_everything) {
            bool again = tfp_report_write(r, output, drive_take, &second, err) == TFP_OK;
            if (!again) broken("writing again works again", output);
            if (first.size != second.size || (first.size && memcmp(first.data, second.data, first.size) != 0))
                broken("writing again gives the same", output);
        }
    }
    free(first.data);
    free(second.data);
}

static void check_column(const struct ArrowSchema *type, const struct ArrowArray *a, int64_t rows)
{
    if (a->length != rows) broken("a batch's columns have its length", type->name);
    if (a->null_count && !(type->flags & ARROW_FLAG_NULLABLE)) broken("only nullable columns have nulls", type->name);
    const int32_t *at = a->buffers[1];
    for (int64_t i = 0; i < rows && *type->format == 'u'; i++) {
        if (at[i] > at[i + 1]) broken("a text ends after its beginning", type->name);
        if (!safe_text((const char *)a->buffers[2] + at[i], (size_t)(at[i + 1] - at[i]), "\n"))
            broken("text holds no control characters", type->name);
    }
}

/* Findings are the rows of a stream; their checkers are those of the report. */
static bool has_column(const struct ArrowSchema *schema, const char *name)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        if (strcmp(schema->children[i]->name, name) == 0) return true;
    return false;
}

/* Uses small batches, so that there are several. */
static void drive_arrow(const tfp_report *r, tfp_error *err)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    size_t rows = 0;
    tfp_status s = tfp_arrow_export(r, 7, 300, &stream, err);
    if (s) {
        check_failure(s, err, "arrow");
        return;
    }
    if (stream.get_schema(&stream, &schema)) broken("a stream has a schema", stream.get_last_error(&stream));
    for (struct ArrowArray batch; stream.get_next(&stream, &batch) == 0 && batch.release; batch.release(&batch)) {
        for (int64_t i = 0; i < batch.n_children; i++)
            check_column(schema.children[i], batch.children[i], batch.length);
        rows += (size_t)batch.length;
    }
    if (!has_column(&schema, "gain_seconds") && rows != tfp_report_row_count(r))
        broken("a stream has all rows", "arrow");
    schema.release(&schema);
    tfp_arrow_release(&stream);
}

/* ---- views ---- */

static tfp_options *options_of(const char *const *set, tfp_error *err)
{
    tfp_options *o = tfp_options_new();
    for (; o && set[0]; set += 2) {
        if (tfp_options_set(o, set[0], set[1], err) != TFP_OK) {
            if (strcmp(set[0], "select") != 0 && strcmp(set[0], "viz") != 0 && strcmp(set[0], "order_by") != 0)
                broken("these options are right", tfp_error_message(err));
        }
    }
    return o;
}

static void walk_rows(const tfp_report *r)
{
    size_t rows = tfp_report_row_count(r);
    for (size_t i = 0; tfp_report_note(r, i); i++) check_line(tfp_report_note(r, i), "note");
    if (tfp_report_is_table(r)) return;
    if (rows == 0) broken("a report has a root", "");
    for (size_t i = 0; i < rows; i++) {
        if (!tfp_report_row_name(r, i)) broken("every row has a name", "");
        size_t parent = tfp_report_row_parent(r, i);
        if (parent >= rows || (i && parent >= i) || (!i && parent)) broken("parents stand before children", "");
    }
    if (tfp_report_row_name(r, rows)) broken("past the end there is nothing", "row");
}

void drive_view(const tfp_profile *p, const char *view, const tfp_options *o, uint64_t pick, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_report_build(p, view, o, &r, err);
    if (s) {
        check_failure(s, err, view);
        if (r) broken("no report after a failure", view);
        return;
    }
    walk_rows(r);
    if (drive_everything || pick % 5 == 0) drive_arrow(r, err);
    size_t outputs = 0;
    while (tfp_list(TFP_OUTPUTS, outputs)) outputs++;
    for (size_t i = 0; i < outputs; i++) {
        if (drive_everything || i == pick % outputs || i == 0) drive_output(r, tfp_list(TFP_OUTPUTS, i), err);
    }
    tfp_report_free(r);
}

static void drive_set(const tfp_profile *p, const char *const *set, uint64_t pick, tfp_error *err)
{
    tfp_options *o = options_of(set, err);
    if (!o) return;
    for (size_t v = 0; tfp_list(TFP_VIEWS, v); v++) drive_view(p, tfp_list(TFP_VIEWS, v), o, pick + v, err);
    tfp_options_free(o);
}

/* What we write must be readable by us. */
static void drive_rewritten(const tfp_profile *p, tfp_error *err)
{
    drive_text b = { 0 };
    tfp_status s = tfp_profile_write(p, drive_take, &b, err);
    if (s) {
        check_failure(s, err, "profile");
    } else {
        tfp_profile *again = tfp_profile_new();
        if (again && b.size && tfp_profile_add_bytes(again, "profile", "rewritten", b.data, b.size, err) != TFP_OK)
            broken("a written profile can be read", tfp_error_message(err));
        tfp_profile_free(again);
    }
    free(b.data);
}

static int64_t sum_of(const tfp_report *r, const char *column)
{
    int64_t sum = 0, one;
    for (size_t i = 0; i < tfp_report_row_count(r); i++)
        if (tfp_report_int(r, i, column, &one)) sum += one;
    return sum;
}

/* Even in a narrow picture no span is lost. */
static void drive_timeline(const tfp_profile *p, uint64_t pick, tfp_error *err)
{
    tfp_timeline *t = NULL;
    tfp_report *lanes = NULL, *spans = NULL, *other = NULL;
    if (tfp_timeline_new(p, &t, err)) return;
    tfp_status s = tfp_timeline_lanes(t, -1, &lanes, err);
    int width = 1 + (int)(pick % 2000);
    if (!s) s = tfp_timeline_spans(t, 0, INT64_MAX, width, NULL, "a", &spans, err);
    if (!s && sum_of(lanes, "spans") != sum_of(spans, "count")) broken("a timeline shows every span", "");
    if (!s && !tfp_timeline_whole(t, -1, 1 + (int64_t)(pick % 50), &other, NULL)) drive_output(other, "columns", err);
    tfp_report_free(other);
    if (!s && !tfp_timeline_span(t, (int64_t)(pick % 100), &other, NULL)) drive_output(other, "json", err);
    tfp_report_free(other);
    if (!s && !tfp_timeline_sums(t, 0, INT64_MAX, "op", "a", NULL, &other, NULL)) drive_output(other, "csv", err);
    tfp_report_free(other);
    if (!s && !tfp_timeline_counters(t, &other, NULL)) drive_output(other, "columns", err);
    tfp_report_free(other);
    if (!s && !tfp_timeline_find(t, "a", 0, INT64_MAX, -1, 0, &other, NULL)) drive_output(other, "json", err);
    tfp_report_free(other);
    tfp_report_free(lanes);
    tfp_report_free(spans);
    tfp_timeline_free(t);
}

/* A profile that is saved, opened and saved again must give the same bytes. */
static void drive_saved(const tfp_profile *p, tfp_error *err)
{
    drive_text a = { 0 }, b = { 0 };
    tfp_status s = tfp_profile_save(p, drive_take, &a, err);
    tfp_profile *again = s ? NULL : tfp_profile_new();
    if (s) check_failure(s, err, "save");
    if (again) {
        s = tfp_profile_keep(again, KEEP);
        if (!s) s = tfp_profile_add_bytes(again, "tfprof", "saved", a.data, a.size, err);
        if (!s) s = tfp_profile_finish(again, err);
        if (!s) s = tfp_profile_save(again, drive_take, &b, err);
        if (s && s != TFP_NOMEM && s != TFP_LIMIT) broken("a saved profile can be read", tfp_error_message(err));
        if (!s && (a.size != b.size || memcmp(a.data, b.data, a.size) != 0))
            broken("what was saved and opened is what was saved", "");
    }
    tfp_profile_free(again);
    free(a.data);
    free(b.data);
}

/* Finishing a second time changes nothing and adds no message. */
static void drive_finished(tfp_profile *p, tfp_error *err)
{
    size_t warnings = 0, again = 0;
    while (tfp_profile_warning(p, warnings)) check_line(tfp_profile_warning(p, warnings++), "warning");
    if (tfp_profile_finish(p, err)) broken("what is finished can be finished", tfp_error_message(err));
    while (tfp_profile_warning(p, again)) again++;
    if (again != warnings) broken("no warning comes twice", tfp_profile_warning(p, again - 1));
}

/* In the fuzzer's build each input is used for one check, which the input selects, so that more inputs are tried. */
static void drive_one(tfp_profile *p, uint64_t pick, tfp_error *err)
{
    enum { WAYS = 8 };
    uint64_t rest = pick / WAYS;
    static tfp_options *known[SET_COUNT]; /* cached, because making them takes as long as reading a small input */
    size_t views = 0, set;
    while (tfp_list(TFP_VIEWS, views)) views++;
    switch (pick % WAYS) {
    case 0: drive_timeline(p, rest, err); break;
    case 1: drive_program(p, rest); break;
    case 2: drive_rewritten(p, err); break;
    case 3: drive_saved(p, err); break;
    default:
        set = rest % SET_COUNT, rest /= SET_COUNT;
        if (!known[set]) known[set] = options_of(option_sets[set], err);
        if (known[set]) drive_view(p, tfp_list(TFP_VIEWS, rest % views), known[set], rest / views, err);
    }
}

static void drive_some(tfp_profile *p, uint64_t pick, tfp_error *err)
{
    drive_timeline(p, pick, err);
    drive_program(p, pick);
    for (size_t i = 0; i < SET_COUNT; i++) {
        if (drive_everything || i == pick % SET_COUNT) drive_set(p, option_sets[i], pick / SET_COUNT, err);
    }
    if (drive_everything || pick % 5 == 0) drive_rewritten(p, err);
    if (drive_everything || pick % 5 == 1) drive_saved(p, err);
}

void drive_profile(tfp_profile *p, uint64_t pick)
{
    tfp_error *err = tfp_error_new();
    tfp_status s = tfp_profile_finish(p, err);
    if (s) {
        check_failure(s, err, "finish");
        tfp_error_free(err);
        return;
    }
    drive_finished(p, err);
    if (ONE_VIEW)
        drive_one(p, pick, err);
    else
        drive_some(p, pick, err);
    tfp_error_free(err);
}

/* Every view as JSON, and the profile as it is written. */
static drive_text all_of(const tfp_profile *p)
{
    drive_text all = { 0 };
    tfp_options *o = options_of(option_sets[1], NULL);
    for (size_t v = 0; o && tfp_list(TFP_VIEWS, v); v++) {
        tfp_report *r = NULL;
        if (tfp_report_build(p, tfp_list(TFP_VIEWS, v), o, &r, NULL) == TFP_OK)
            tfp_report_write(r, "jsonl", drive_take, &all, NULL);
        tfp_report_free(r);
    }
    tfp_profile_write(p, drive_take, &all, NULL);
    tfp_options_free(o);
    return all;
}

size_t drive_split(const char *const *formats, size_t most, const uint8_t *data, size_t size, drive_part *parts)
{
    size_t count = 0;
    while (count < most && size >= 2) {
        size_t part = (size_t)data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        if (part > size) part = size;
        parts[count] = (drive_part){ formats[count], data, part };
        count++;
        data += part;
        size -= part;
    }
    return count;
}

static void check_grown(const tfp_profile *whole, const drive_part *parts, size_t count)
{
    tfp_profile *grown = tfp_profile_new();
    tfp_status s = grown ? tfp_profile_keep(grown, KEEP) : TFP_NOMEM;
    for (size_t i = 0; i < count && !s; i++) {
        s = tfp_profile_add_bytes(grown, parts[i].format, "input", parts[i].data, parts[i].size, NULL);
        if (!s) s = tfp_profile_finish(grown, NULL);
    }
    if (s && s != TFP_NOMEM && s != TFP_LIMIT) broken("what can be added can be added after finishing", "");
    drive_text a = all_of(whole), b = s ? (drive_text){ 0 } : all_of(grown);
    if (!s && (a.size != b.size || (a.size && memcmp(a.data, b.data, a.size) != 0)))
        broken("a profile that grew is the one read at once", "");
    free(a.data);
    free(b.data);
    tfp_profile_free(grown);
}

void drive_grown(const drive_part *parts, size_t count)
{
    tfp_profile *p = tfp_profile_new();
    tfp_status s = p ? tfp_profile_keep(p, KEEP) : TFP_NOMEM;
    for (size_t i = 0; i < count && !s; i++)
        s = tfp_profile_add_bytes(p, parts[i].format, "input", parts[i].data, parts[i].size, NULL);
    if (!s && tfp_profile_finish(p, NULL) == TFP_OK) check_grown(p, parts, count);
    tfp_profile_free(p);
}

void drive_bytes(const drive_part *parts, size_t count)
{
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    tfp_status s = p && err ? tfp_profile_keep(p, KEEP) : TFP_NOMEM;
    uint64_t pick = drive_pick(parts[count - 1].data, parts[count - 1].size);
    for (size_t i = 0; i < count && s == TFP_OK; i++)
        s = tfp_profile_add_bytes(p, parts[i].format, "input", parts[i].data, parts[i].size, err);
    if (s == TFP_OK)
        drive_profile(p, pick);
    else
        check_failure(s, err, "add");
    tfp_error_free(err);
    tfp_profile_free(p);
}
