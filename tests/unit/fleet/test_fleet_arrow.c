// SPDX-License-Identifier: Apache-2.0
/* tests/unit/fleet/test_fleet_arrow.c: files as a table of Arrow without an index: columns, failures, and batches of
 * rows with every type. */
#include "support.h"

#include "outputs/data/arrow_parts.h"
#include "tfprof/fleet.h"

static const char trace[] =
    "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":3,\"world_size\":8},\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#0\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":90},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":20,\"dur\":30}]}";

typedef struct sources {
    const tfp_fleet_source *list;
    size_t count, next;
    bool released;
} sources;

static int next_source(void *ctx, tfp_fleet_source *out)
{
    sources *s = ctx;
    if (!out) {
        s->released = true;
        return 0;
    }
    if (s->next == s->count) return 0;
    *out = s->list[s->next++];
    return out->message && !out->code ? -1 : 1;
}

static int64_t whole(const struct ArrowArray *a, int64_t column, int64_t row)
{
    return ((const int64_t *)a->children[column]->buffers[1])[row];
}

static void a_trace_is_rows_of_the_chosen_columns(void **state)
{
    (void)state;
    tfp_fleet_source one = { .path = "job=x/rank=4/t.json", .data = trace, .size = sizeof trace - 1 };
    sources s = { &one, 1, 0, false };
    const char *settings[] = { "path", "job={job}", "columns", "duration_us,rank,step", NULL };
    struct ArrowArrayStream stream;
    struct ArrowArray a;
    struct ArrowSchema schema;
    assert_int_equal(tfp_fleet_arrow("steps", settings, next_source, &s, &stream, NULL), TFP_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(schema.n_children, 3);
    assert_string_equal(schema.children[0]->name, "duration_us");
    assert_string_equal(schema.children[0]->format, "g");
    schema.release(&schema);
    assert_int_equal(stream.get_next(&stream, &a), 0);
    assert_int_equal(a.length, 1);
    assert_true(((const double *)a.children[0]->buffers[1])[0] == 90);
    assert_int_equal(whole(&a, 1, 0), 3);
    assert_int_equal(whole(&a, 2, 0), 0);
    a.release(&a);
    assert_int_equal(stream.get_next(&stream, &a), 0);
    assert_null(a.release);
    stream.release(&stream);
    assert_true(s.released);
}

static void files_that_give_no_run_are_rows_of_failures_or_end_the_stream(void **state)
{
    (void)state;
    const tfp_fleet_source bad[] = { { .path = "a", .data = "{}", .size = 2 },
                                     { .file = "/nowhere/b" },
                                     { .path = "c", .code = "unreadable", .message = "no right" } };
    const char *const fails[][3] = { { "fail-on", "missing", NULL }, { "fail-on", "any", NULL } };
    const char *const names[] = { "/nowhere/b: missing", "a: format" };
    struct ArrowArrayStream stream;
    struct ArrowArray a;
    sources s = { bad, 3, 0, false };
    assert_int_equal(tfp_fleet_arrow("failures", NULL, next_source, &s, &stream, NULL), TFP_OK);
    assert_int_equal(stream.get_next(&stream, &a), 0);
    assert_int_equal(a.length, 3);
    assert_int_equal(a.children[1]->null_count, 2); /* sizes */
    a.release(&a);
    stream.release(&stream);
    for (size_t i = 0; i < 2; i++) {
        s = (sources){ bad, 3, 0, false };
        assert_int_equal(tfp_fleet_arrow("runs", fails[i], next_source, &s, &stream, NULL), TFP_OK);
        assert_int_not_equal(stream.get_next(&stream, &a), 0);
        assert_ptr_equal(strstr(stream.get_last_error(&stream), names[i]), stream.get_last_error(&stream));
        assert_int_equal(stream.get_next(&stream, &a), 0); /* it has ended */
        assert_null(a.release);
        stream.release(&stream);
    }
}

static void a_list_that_fails_ends_the_stream(void **state)
{
    (void)state;
    tfp_fleet_source broken = { .message = "no more paths" };
    sources s = { &broken, 1, 0, false };
    struct ArrowArrayStream stream;
    struct ArrowArray a;
    assert_int_equal(tfp_fleet_arrow("runs", NULL, next_source, &s, &stream, NULL), TFP_OK);
    assert_int_not_equal(stream.get_next(&stream, &a), 0);
    assert_string_equal(stream.get_last_error(&stream), "no more paths");
    stream.release(&stream);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    sources s = { 0 };
    struct ArrowArrayStream stream;
    const char *const wrong[][3] = { { "columns", "nothing", NULL }, { "path", "a={b", NULL }, { "memory", "1", NULL },
                                     { "timeout", "0", NULL },       { "fail-on", "x", NULL }, { "x", "y", NULL } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(tfp_fleet_arrow("runs", wrong[i], next_source, &s, &stream, NULL), TFP_BADARG);
        assert_null(stream.release);
    }
    assert_int_equal(tfp_fleet_arrow("nothing", NULL, next_source, &s, &stream, NULL), TFP_NOTFOUND);
    assert_false(s.released);
}

static void every_type_of_cell_becomes_its_arrow_type(void **state)
{
    (void)state;
    static const tfp_table_column columns[] = { { .name = "d", .type = TFP_CELL_DATE },
                                                { .name = "t", .type = TFP_CELL_TIME },
                                                { .name = "b", .type = TFP_CELL_BOOL },
                                                { .name = "s", .type = TFP_CELL_TEXT } };
    static const char *const formats[] = { "tdD", "tsu:UTC", "b", "u" };
    tfp_texts texts;
    tfp_batch b;
    struct ArrowArray a;
    struct ArrowSchema schema;
    size_t row = 0;
    assert_true(tfp_texts_start(&texts) && tfp_batch_start(&b, columns, 4, &texts));
    for (int i = 0; i < 3; i++) {
        tfp_batch_int_if(&b, i != 1, -i);
        tfp_batch_int(&b, 1000 + i);
        tfp_batch_int(&b, i % 2 == 0);
        tfp_batch_text(&b, TFP_STR("four"));
    }
    assert_true(tfp_arrow_schema(&schema, columns, 4));
    for (int i = 0; i < 4; i++) assert_string_equal(schema.children[i]->format, formats[i]);
    schema.release(&schema);
    tfp_arrow_rows t = tfp_arrow_rows_of(&b, 100, 8);
    assert_int_equal(tfp_arrow_next(&t, &row, &a, NULL), TFP_OK);
    assert_int_equal(row, 2); /* eight bytes of text */
    assert_int_equal(a.children[0]->null_count, 1);
    assert_int_equal(*(const uint8_t *)a.children[0]->buffers[0], 1);
    assert_int_equal(whole(&a, 1, 1), 1001);
    assert_int_equal(*(const uint8_t *)a.children[2]->buffers[1], 1);
    assert_memory_equal(a.children[3]->buffers[2], "fourfour", 8);
    a.release(&a);
    assert_int_equal(tfp_arrow_next(&t, &row, &a, NULL), TFP_OK);
    assert_int_equal(a.length, 1);
    assert_int_equal(((const int32_t *)a.children[0]->buffers[1])[0], -2);
    a.release(&a);
    tfp_batch_free(&b);
    tfp_texts_free(&texts);
}

static void tell(void *ctx, const char *name, const char *value) { tfp_buf_printf(ctx, "%s=%s ", name, value); }

static void paths_tell_whose_run_it_is(void **state)
{
    (void)state;
    const char *settings[] = { "path", "job={job}/rank={rank}", NULL }, *wrong[] = { "x", "y", NULL };
    tfp_buf told = { 0 };
    assert_int_equal(tfp_fleet_whose(settings, NULL, "a/job=j 1/rank=7/t.json", tell, &told, NULL), TFP_OK);
    tfp_buf_char(&told, '\0');
    assert_string_equal(told.data, "job=j 1 rank=7 ");
    assert_int_equal(tfp_fleet_whose(wrong, NULL, "a", tell, &told, NULL), TFP_BADARG);
    tfp_buf_free(&told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_rows_of_the_chosen_columns),
        cmocka_unit_test(files_that_give_no_run_are_rows_of_failures_or_end_the_stream),
        cmocka_unit_test(a_list_that_fails_ends_the_stream),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(every_type_of_cell_becomes_its_arrow_type),
        cmocka_unit_test(paths_tell_whose_run_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
