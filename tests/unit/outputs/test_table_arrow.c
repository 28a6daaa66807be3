// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/test_table_arrow.c: a report as an Arrow stream, read the way a consumer reads it. */
#include "model/tables/events.h"

#include "model/tables/profile.h"
#include "views/core/table.h"
#include "outputs/data/arrow.h"
#include "table_parts.h"

#include <limits.h>

/* ---- reading a stream ---- */

typedef struct table {
    struct ArrowSchema schema;
    TFP_VEC(struct ArrowArray) batches;
} table;

static table read_stream(struct ArrowArrayStream *stream)
{
    table t = { .batches = { 0 } };
    assert_int_equal(stream->get_schema(stream, &t.schema), 0);
    for (;;) {
        struct ArrowArray batch;
        memset(&batch, 0x5a, sizeof batch);
        assert_int_equal(stream->get_next(stream, &batch), 0);
        if (!batch.release) break;
        assert_true(tfp_push(&t.batches, batch));
    }
    assert_null(stream->get_last_error(stream));
    tfp_arrow_release(stream);
    assert_null(stream->release);
    return t;
}

static table table_of(const tfp_report *r)
{
    struct ArrowArrayStream stream;
    assert_int_equal(tfp_report_arrow(r, &stream, NULL), TFP_OK);
    return read_stream(&stream);
}

static table small_batches(const tfp_report *r, size_t rows_most, size_t text_most)
{
    struct ArrowArrayStream stream;
    assert_int_equal(tfp_arrow_export(r, rows_most, text_most, &stream, NULL), TFP_OK);
    return read_stream(&stream);
}

static void drop_table(table *t)
{
    if (t->schema.release) t->schema.release(&t->schema);
    assert_null(t->schema.release);
    for (size_t i = 0; i < t->batches.size; i++) {
        t->batches.at[i].release(&t->batches.at[i]);
        assert_null(t->batches.at[i].release);
    }
    tfp_vec_free(&t->batches);
}

static bool bit(const void *bits, int64_t i) { return ((const uint8_t *)bits)[i / 8] >> i % 8 & 1; }

/* Writes a cell in its CSV form, but without quotes. */
static void put_cell(tfp_buf *out, const struct ArrowSchema *type, const struct ArrowArray *a, int64_t i)
{
    assert_int_equal(a->offset, 0);
    if (a->buffers[0] && !bit(a->buffers[0], i)) return;
    switch (*type->format) {
    case 'l': tfp_buf_int(out, ((const int64_t *)a->buffers[1])[i]); break;
    case 'b': tfp_buf_text(out, bit(a->buffers[1], i) ? "true" : "false"); break;
    case 'u': {
        const int32_t *at = a->buffers[1];
        tfp_buf_add(out, (const char *)a->buffers[2] + at[i], (size_t)(at[i + 1] - at[i]));
        break;
    }
    default: fail_msg("format %s", type->format);
    }
}

/* All batches of the table in CSV form, without the column `without` (NULL: with all columns). */
static char *text_of(const table *t, const char *without)
{
    tfp_buf b = { 0 };
    for (size_t batch = 0; batch <= t->batches.size; batch++) {
        const struct ArrowArray *a = batch ? &t->batches.at[batch - 1] : NULL;
        for (int64_t row = 0; row < (a ? a->length : 1); row++) {
            bool comma = false;
            for (int64_t c = 0; c < t->schema.n_children; c++) {
                const struct ArrowSchema *type = t->schema.children[c];
                if (without && strcmp(type->name, without) == 0) continue;
                if (comma) tfp_buf_char(&b, ',');
                comma = true;
                if (a)
                    put_cell(&b, type, a->children[c], row);
                else
                    tfp_buf_text(&b, type->name);
            }
            tfp_buf_text(&b, "\r\n");
        }
    }
    tfp_buf_char(&b, '\0');
    return b.data;
}

static int64_t column_at(const table *t, const char *name)
{
    for (int64_t i = 0; i < t->schema.n_children; i++)
        if (strcmp(t->schema.children[i]->name, name) == 0) return i;
    fail_msg("no column %s", name);
    return -1;
}

static const struct ArrowSchema *field_of(const table *t, const char *name)
{
    return t->schema.children[column_at(t, name)];
}

/* The value of the one metadata pair, whose key must be "unit"; NULL without metadata. */
static const char *unit_of(const table *t, const char *name)
{
    static char unit[32];
    const char *at = field_of(t, name)->metadata;
    int32_t n;
    if (!at) return NULL;
    memcpy(&n, at, 4), at += 4;
    assert_int_equal(n, 1);
    memcpy(&n, at, 4), at += 4;
    assert_int_equal(n, 4);
    assert_memory_equal(at, "unit", 4), at += 4;
    memcpy(&n, at, 4), at += 4;
    assert_in_range(n, 1, sizeof unit - 1);
    memcpy(unit, at, (size_t)n);
    unit[n] = '\0';
    return unit;
}

/* ---- findings ---- */

/* A table of findings always has these columns; a cell is null only where a value is known for some findings alone. */
static void assert_columns_of_findings(const table *t)
{
    static const struct {
        const char *name, *format;
        int64_t flags;
    } columns[] = {
        { "checker", "u", 0 },
        { "report", "u", 0 },
        { "seconds", "g", ARROW_FLAG_NULLABLE },
        { "gain_seconds", "g", ARROW_FLAG_NULLABLE },
        { "file", "u", 0 },
        { "span", "l", ARROW_FLAG_NULLABLE },
        { "command", "u", 0 },
    };
    assert_int_equal(t->schema.n_children, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        assert_string_equal(t->schema.children[i]->name, columns[i].name);
        assert_string_equal(t->schema.children[i]->format, columns[i].format);
        assert_int_equal(t->schema.children[i]->flags, columns[i].flags);
    }
}

static const char slow[] = "a Conv2D 900us\nb MatMul 100us\nc Add 1us\nd Sub 1us\n";

static void findings_are_rows_of_their_own(void **state)
{
    (void)state;
    tfp_report *r = report_of("advise", slow, "");
    const char *checker = NULL;
    size_t count = 0;
    for (size_t n; n = tfp_report_finding(r, count, &checker, NULL, 0), checker; count++) {
        char *report = string_at(r, count, "report");
        assert_int_equal(strlen(report), n);
        assert_true(n > 0);
        is(string_at(r, count, "checker"), checker);
        free(report);
    }
    assert_true(count > 0);
    assert_int_equal(tfp_report_finding_count(r, NULL), count);
    assert_int_equal(tfp_report_finding(r, count, NULL, NULL, 0), 0);
    assert_int_equal(tfp_report_column_type(r, "report"), 's');
    assert_int_equal(tfp_report_column_type(r, "micros"), 0);
    assert_int_equal(tfp_report_column_type(r, "gain_seconds"), 'r');
    assert_int_equal(tfp_report_column_type(r, "span"), 'i');
    table t = table_of(r);
    assert_columns_of_findings(&t);
    assert_int_equal(t.batches.size, 1);
    assert_int_equal(t.batches.at[0].length, count);
    for (size_t i = 0; i < 2; i++) assert_int_equal(t.batches.at[0].children[i]->null_count, 0);
    drop_table(&t);
    drop_report(r);
}

/* For sums, nobody knows which span a finding is about; for a trace, the rules give the span and the time that a remedy
 * saves. */
static void what_is_not_known_of_a_finding_is_null(void **state)
{
    (void)state;
    static const char *const places[] = { "seconds", "gain_seconds", "span" };
    tfp_report *r = report_of("advise", slow, "");
    table sums = table_of(r);
    const struct ArrowArray *batch = &sums.batches.at[0];
    assert_int_equal(batch->children[column_at(&sums, "seconds")]->null_count, 0);
    assert_int_equal(batch->children[column_at(&sums, "gain_seconds")]->null_count, batch->length);
    assert_int_equal(batch->children[column_at(&sums, "span")]->null_count, batch->length);
    drop_table(&sums);
    drop_report(r);
    tfp_profile *p = profile_in_file(TEST_DATA "/sample/xplane/steps/keras_gpu.xplane.pb");
    assert_int_equal(tfp_report_build(p, "advise", NULL, &r, NULL), TFP_OK);
    table trace = table_of(r);
    batch = &trace.batches.at[0];
    assert_int_equal(batch->length, 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        assert_int_equal(batch->children[column_at(&trace, places[i])]->null_count, 0);
    const double *gain = batch->children[column_at(&trace, "gain_seconds")]->buffers[1];
    assert_float_equal(*gain, 8e-6, 1e-12);
    const int64_t *span = batch->children[column_at(&trace, "span")]->buffers[1];
    assert_in_range(*span, 0, p->events->spans.size - 1);
    drop_table(&trace);
    tfp_report_free(r);
    tfp_profile_free(p);
}

/* ---- Arrow ---- */

static void arrow_holds_what_csv_holds(void **state)
{
    (void)state;
    static const char *const views[] = { "scope", "graph", "op" };
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        tfp_report *r = report_of(views[v], net, EVERY_COLUMN);
        char *csv = written(r, "csv");
        table t = table_of(r);
        assert_true(t.schema.n_children > 25);
        is(text_of(&t, "accounted"), csv);
        free(csv);
        drop_table(&t);
        drop_report(r);
    }
}

static void arrow_outlives_the_report(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", net, "select micros,op_types account_type_regexes Conv2D");
    struct ArrowArrayStream stream;
    assert_int_equal(tfp_report_arrow(r, &stream, NULL), TFP_OK);
    drop_report(r);
    table t = read_stream(&stream);
    is(text_of(&t, NULL), "name,row,parent,depth,accounted,micros,total_micros,op_types\r\n"
                          "_TFProfRoot,0,,0,false,0,3,\r\n"
                          "a,1,0,1,false,0,3,\r\n"
                          "a/x,2,1,2,true,3,3,/job:localhost/replica:0/task:0/device:cpu:0|Conv2D|mine\r\n");
    drop_table(&t);
}

static void arrow_says_types_units_and_nulls(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", net, EVERY_COLUMN);
    table t = table_of(r);
    assert_string_equal(t.schema.format, "+s");
    assert_int_equal(t.schema.flags, 0);
    assert_string_equal(field_of(&t, "name")->format, "u");
    assert_string_equal(field_of(&t, "accounted")->format, "b");
    assert_string_equal(field_of(&t, "total_micros")->format, "l");
    assert_string_equal(unit_of(&t, "total_micros"), "us");
    assert_string_equal(unit_of(&t, "peak_bytes"), "bytes");
    assert_string_equal(unit_of(&t, "total_definitions"), "count");
    assert_null(unit_of(&t, "name"));
    assert_null(unit_of(&t, "row"));
    assert_null(unit_of(&t, "device"));
    assert_int_equal(field_of(&t, "name")->flags, 0);
    assert_int_equal(field_of(&t, "parent")->flags, ARROW_FLAG_NULLABLE);
    const struct ArrowArray *a = &t.batches.at[0];
    assert_int_equal(a->n_buffers, 1);
    assert_null(a->buffers[0]);
    assert_int_equal(a->null_count, 0);
    assert_int_equal(a->length, tfp_report_row_count(r));
    const struct ArrowArray *parent = a->children[column_at(&t, "parent")];
    assert_int_equal(parent->null_count, 1); /* the root has no parent */
    assert_int_equal(parent->n_buffers, 2);
    assert_false(bit(parent->buffers[0], 0));
    assert_true(bit(parent->buffers[0], 1));
    const struct ArrowArray *micros = a->children[column_at(&t, "micros")];
    assert_int_equal(micros->null_count, 0);
    assert_null(micros->buffers[0]);
    const struct ArrowArray *tensor = a->children[column_at(&t, "tensor_value")];
    assert_int_equal(tensor->n_buffers, 3);
    assert_non_null(tensor->buffers[2]); /* the buffer exists although it has no bytes */
    drop_table(&t);
    drop_report(r);
}

static void arrow_batches_are_bounded_in_rows_and_text(void **state)
{
    (void)state;
    enum { COUNT = 21 }; /* 22 rows with the root */
    tfp_buf lines = { 0 };
    for (int i = 0; i < COUNT; i++) tfp_buf_printf(&lines, "name_of_ten_%02d Op %dus\n", i, i);
    tfp_buf_char(&lines, '\0');
    tfp_report *r = report_of("scope", lines.data, "select micros order_by name");
    char *csv = written(r, "csv");
    table t = small_batches(r, 9, INT_MAX);
    assert_int_equal(t.batches.size, 3);
    assert_int_equal(t.batches.at[0].length, 9);
    assert_int_equal(t.batches.at[2].length, 4);
    assert_int_equal(t.batches.at[1].children[0]->length, 9);
    assert_int_equal(t.batches.at[1].children[2]->null_count, 0);
    is(text_of(&t, "accounted"), csv);
    drop_table(&t);
    t = small_batches(r, 1000, 40); /* the names of three rows have 39 bytes or more */
    assert_in_range(t.batches.size, 5, 8);
    is(text_of(&t, "accounted"), csv);
    drop_table(&t);
    t = small_batches(r, 1000, 0); /* a batch still has at least one row */
    assert_int_equal(t.batches.size, COUNT + 1);
    drop_table(&t);
    free(csv);
    tfp_buf_free(&lines);
    drop_report(r);
}

/* A consumer may keep one column, release everything else, and read the column afterwards. The sanitizer watches
 * this. */
static void arrow_columns_can_be_moved_out(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", net, "select micros");
    table t = table_of(r);
    drop_report(r);
    int64_t at = column_at(&t, "total_micros");
    struct ArrowSchema type = *t.schema.children[at];
    struct ArrowArray values = *t.batches.at[0].children[at], name = *t.batches.at[0].children[0];
    t.schema.children[at]->release = NULL;
    t.batches.at[0].children[at]->release = NULL;
    t.batches.at[0].children[0]->release = NULL;
    drop_table(&t);
    assert_string_equal(type.name, "total_micros");
    assert_memory_equal(type.metadata + 16, "us", 2);
    assert_int_equal(((const int64_t *)values.buffers[1])[0], 7);
    tfp_buf b = { 0 };
    struct ArrowSchema utf8 = { .format = "u" };
    put_cell(&b, &utf8, &name, 2);
    assert_str(((tfp_str){ b.data, b.size }), "a/x");
    tfp_buf_free(&b);
    name.release(&name);
    assert_null(name.release);
    values.release(&values);
    type.release(&type);
    assert_null(type.release);
}

static void arrow_streams_may_be_dropped_half_read(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", net, "select micros,device");
    struct ArrowArrayStream stream;
    struct ArrowSchema first, second;
    struct ArrowArray batch;
    assert_int_equal(tfp_arrow_export(r, 2, INT_MAX, &stream, NULL), TFP_OK);
    assert_int_equal(stream.get_schema(&stream, &first), 0);
    assert_int_equal(stream.get_schema(&stream, &second), 0); /* may be called repeatedly */
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    tfp_arrow_release(&stream);
    assert_null(stream.release);
    tfp_arrow_release(&stream);
    tfp_arrow_release(NULL);
    assert_int_equal(batch.length, 2); /* earlier batches remain valid */
    assert_string_equal(second.children[0]->name, "name");
    batch.release(&batch);
    first.release(&first);
    second.release(&second);
    drop_report(r);
}

static void arrow_of_nothing_is_refused(void **state)
{
    (void)state;
    struct ArrowArrayStream stream;
    memset(&stream, 0x5a, sizeof stream);
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_report_arrow(NULL, &stream, err), err, TFP_BADARG, "no report");
    assert_null(stream.release);
    tfp_report *r = report_of("scope", net, "");
    assert_fails(tfp_report_arrow(r, NULL, err), err, TFP_BADARG, "no stream");
    drop_report(r);
    tfp_error_free(err);
}

static void arrow_of_no_rows_has_a_schema_and_no_batch(void **state)
{
    (void)state;
    tfp_report *r = report_of("advise", "a Const\n", "checkers OperationChecker");
    table t = table_of(r);
    assert_columns_of_findings(&t);
    assert_int_equal(t.batches.size, 0);
    drop_table(&t);
    drop_report(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_rows_of_their_own),
        cmocka_unit_test(what_is_not_known_of_a_finding_is_null),
        cmocka_unit_test(arrow_holds_what_csv_holds),
        cmocka_unit_test(arrow_outlives_the_report),
        cmocka_unit_test(arrow_says_types_units_and_nulls),
        cmocka_unit_test(arrow_batches_are_bounded_in_rows_and_text),
        cmocka_unit_test(arrow_columns_can_be_moved_out),
        cmocka_unit_test(arrow_streams_may_be_dropped_half_read),
        cmocka_unit_test(arrow_of_nothing_is_refused),
        cmocka_unit_test(arrow_of_no_rows_has_a_schema_and_no_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
