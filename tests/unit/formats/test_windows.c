// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_windows.c: a file that is read in windows gives the same profile as the same bytes in memory:
 * messages that are several windows long, fields longer than a window, skipped fields, and tables that come after the
 * rows that use them. */
#include "model/tables/graph.h"

#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "support.h"
#include "tfprof/tfprof.h"
#include "wire/proto.h"

#define NODES 6000
#define LONG ((size_t)600 << 10) /* longer than two windows */

static void text(tfp_buf *b, uint32_t number, const char *s) { tfp_put_bytes_always(b, number, tfp_str_of(s)); }

static const char *name_of(int i)
{
    static char name[64];
    snprintf(name, sizeof name, "scope_%d/a_node_with_a_long_name/number_%d", i % 70, i);
    return name;
}

/* A field that no reader knows. */
static void put_unknown(tfp_buf *b, uint32_t number, size_t size)
{
    char *filler = calloc(size, 1);
    assert_non_null(filler);
    tfp_put_bytes_always(b, number, (tfp_str){ filler, size });
    free(filler);
}

static void put_graph(tfp_buf *b)
{
    for (int i = 0; i < NODES; i++) {
        size_t node = tfp_put_open(b, 1);
        text(b, 1, name_of(i));
        text(b, 2, "MatMul");
        if (i) text(b, 3, name_of(i - 1));
        if (i == NODES / 2) put_unknown(b, 14, LONG);
        tfp_put_close(b, node);
    }
    put_unknown(b, 15, LONG);
}

static void put_op_log(tfp_buf *b)
{
    for (int i = 0; i < NODES; i++) {
        size_t entry = tfp_put_open(b, 1);
        text(b, 1, name_of(i));
        tfp_put_int(b, 2, i + 1);
        text(b, 3, i % 2 ? "odd" : "even");
        size_t code = tfp_put_open(b, 4), frame = tfp_put_open(b, 1);
        tfp_put_int(b, 2, i % 9 + 1);
        tfp_put_int(b, 6, 1 + i % 50);
        tfp_put_int(b, 7, 51);
        tfp_put_close(b, frame);
        tfp_put_close(b, code);
        tfp_put_close(b, entry);
    }
    put_unknown(b, 15, LONG);
    for (int i = 1; i < 52; i++) {
        char file[32];
        snprintf(file, sizeof file, "file_%d.py", i);
        size_t string = tfp_put_open(b, 2);
        tfp_put_int(b, 1, i);
        text(b, 2, file);
        tfp_put_close(b, string);
    }
    put_unknown(b, 15, LONG);
}

static void put_run_meta(tfp_buf *b)
{
    size_t step = tfp_put_open(b, 1);
    put_unknown(b, 15, LONG);
    size_t device = tfp_put_open(b, 1);
    for (int i = 0; i < NODES; i++) {
        size_t entry = tfp_put_open(b, 2);
        text(b, 1, name_of(i));
        tfp_put_int(b, 2, 1000000 + 10 * i);
        tfp_put_int(b, 4, 1 + i % 8);
        if (i == NODES / 2) put_unknown(b, 14, LONG);
        tfp_put_close(b, entry);
    }
    text(b, 1, "/device:CPU:0"); /* comes after the entries that ran there */
    tfp_put_close(b, device);
    tfp_put_close(b, step);
    put_unknown(b, 15, LONG);
}

typedef struct part {
    const char *format;
    void (*put)(tfp_buf *b);
} part;
static const part parts[] = { { "graph", put_graph }, { "op_log", put_op_log }, { "run_meta", put_run_meta } };

static tfp_buf written_profile(const char *folder)
{
    tfp_error err = { 0 };
    tfp_profile *p = tfp_profile_new();
    assert_non_null(p);
    assert_int_equal(tfp_profile_keep(p, TFP_KEEP_MEMORY), TFP_OK);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        tfp_buf bytes = { 0 };
        parts[i].put(&bytes);
        assert_false(bytes.failed);
        if (folder) {
            char *path = file_in(folder, parts[i].format, bytes.data, bytes.size);
            assert_int_equal(tfp_profile_add_file(p, parts[i].format, path, &err), TFP_OK);
            free(path);
        } else {
            assert_int_equal(tfp_profile_add_bytes(p, parts[i].format, "bytes", bytes.data, bytes.size, &err), TFP_OK);
        }
        tfp_buf_free(&bytes);
    }
    assert_int_equal(tfp_profile_finish(p, &err), TFP_OK);
    assert_null(tfp_profile_warning(p, 0));
    assert_int_equal(p->graph->nodes.size, NODES);
    assert_int_equal(p->runs->execs.size, NODES);
    assert_string_equal(tfp_text(p, p->graph->nodes.at[9].device).data, "/device:cpu:0");
    tfp_buf out = { 0 };
    assert_int_equal(tfp_profile_write(p, collect, &out, &err), TFP_OK);
    tfp_profile_free(p);
    return out;
}

static void a_file_in_windows_becomes_the_same_profile_as_bytes_in_memory(void **state)
{
    (void)state;
    static const char *const sharings[] = { "1", "2", "3/5000" };
    char *folder = new_folder();
    tfp_buf bytes = written_profile(NULL);
    assert_true(bytes.size > LONG / 2);
    for (size_t i = 0; i < sizeof sharings / sizeof *sharings; i++) {
        assert_int_equal(setenv("TFPROF_THREADS", sharings[i], 1), 0);
        tfp_buf file = written_profile(folder);
        assert_int_equal(file.size, bytes.size);
        assert_memory_equal(file.data, bytes.data, bytes.size);
        tfp_buf_free(&file);
    }
    unsetenv("TFPROF_THREADS");
    tfp_buf_free(&bytes);
    drop_folder(folder);
}

/* Events of metadata come first and begin with a key of their own; later some others do, too. */
static tfp_buf trace_with_two_first_keys(void)
{
    tfp_buf b = { 0 };
    tfp_buf_text(
        &b,
        "{\"traceEvents\": [{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": \"python\"}}");
    for (int i = 0; i < 3000; i++)
        tfp_buf_printf(&b,
                       i / 100 % 10 == 5 ? ",\n{\"name\": \"aten::op%d\", \"ph\": \"X\", \"cat\": \"cpu_op\", \"pid\": "
                                           "1, \"tid\": 1, \"ts\": %d, \"dur\": 5}"
                                         : ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op%d\", \"pid\": "
                                           "1, \"tid\": 1, \"ts\": %d, \"dur\": 5}",
                       i % 7, i * 10);
    tfp_buf_text(&b, "]}");
    assert_false(b.failed);
    return b;
}

static void a_trace_is_the_same_in_pieces_whatever_key_its_events_begin_with(void **state)
{
    (void)state;
    static const char *const sharings[] = { "1", "2/500", "3/7000" };
    tfp_buf trace = trace_with_two_first_keys();
    char *first = NULL;
    for (size_t i = 0; i < sizeof sharings / sizeof *sharings; i++) {
        assert_int_equal(setenv("TFPROF_THREADS", sharings[i], 1), 0);
        tfp_profile *p = tfp_profile_new();
        tfp_report *r = NULL;
        assert_int_equal(tfp_profile_add_bytes(p, NULL, "trace", trace.data, trace.size, NULL), TFP_OK);
        assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
        assert_int_equal(tfp_report_build(p, "op", NULL, &r, NULL), TFP_OK);
        char *text = written(r, "csv");
        assert_non_null(strstr(text, "aten::op6"));
        if (first) assert_string_equal(text, first);
        if (first)
            free(text);
        else
            first = text;
        tfp_report_free(r);
        tfp_profile_free(p);
    }
    unsetenv("TFPROF_THREADS");
    free(first);
    tfp_buf_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_in_windows_becomes_the_same_profile_as_bytes_in_memory),
        cmocka_unit_test(a_trace_is_the_same_in_pieces_whatever_key_its_events_begin_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
