// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_outputs.c: each output against reports and profiles made by hand. */
#include "support.h"

#include "outputs/output.h"
#include "wire/proto.h"

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" lacks \"%s\"", text, part);
}

static void writes(const char *view, const char *lines, const char *options, const char *output, const char *wanted)
{
    tfp_report *r = report_of(view, lines, options);
    char *text = written(r, output);
    assert_string_equal(text, wanted);
    free(text);
    drop_report(r);
}

/* ---- json ---- */

static void json_says_what_it_is(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a Conv2D 3us\n", "select params step 0 format json");
    char *text = written(r, "json");
    has(text,
        "{\"schema\":\"tfprof.report\",\"version\":1,\"view\":\"scope\",\"step\":0,\"columns\":[{\"name\":\"params\","
        "\"field\":\"parameters\",\"total_field\":\"total_parameters\",\"unit\":\"count\"}],\"root\":{");
    assert_int_equal(text[strlen(text) - 1], '\n');
    free(text);
    drop_report(r);
}

static void json_holds_the_tree_and_every_number(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a/x Conv2D 3us 2x3\na/y MatMul 4us 5B\nb Const\n", "format json");
    char *text = written(r, "json");
    const char *a = strstr(text, "{\"name\":\"a\","), *x = strstr(text, "{\"name\":\"a/x\","),
               *b = strstr(text, "{\"name\":\"b\",");
    assert_true(a && x && b && a < x && x < b);
    has(a, "\"exec_micros\":0,\"total_exec_micros\":7,");
    has(x, "\"parameters\":6,\"total_parameters\":6,");
    has(x,
        "\"op_types\":[\"/job:localhost/replica:0/task:0/device:cpu:0\",\"Conv2D\"],\"shape\":[2,3],\"children\":[]}");
    has(text, "\"requested_bytes\":5,\"total_requested_bytes\":5,");
    free(text);
    drop_report(r);
}

static void json_lists_op_types_side_by_side(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a Conv2D 3us\nb MatMul 4us\n", "order_by micros format json");
    char *text = written(r, "json");
    const char *first = strstr(text, "{\"name\":\"MatMul\""), *second = strstr(text, "{\"name\":\"Conv2D\"");
    assert_true(first && second && first < second);
    assert_memory_equal(second - strlen("\"children\":[]},"), "\"children\":[]},", strlen("\"children\":[]},"));
    free(text);
    drop_report(r);
}

/* ---- json lines ---- */

static void jsonl_is_the_report_and_then_a_line_a_row(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a/b/x Conv2D 3us 2x3\na/y MatMul 4us\n", "select micros step 0 format jsonl");
    char *text = written(r, "jsonl");
    static const char *const lines[] = {
        "{\"schema\":\"tfprof.report\",\"version\":1,\"view\":\"scope\",\"step\":0,\"columns\":[{\"name\":\"micros\",",
        "{\"row\":0,\"parent\":null,\"depth\":0,\"name\":\"_TFProfRoot\",",
        "{\"row\":1,\"parent\":0,\"depth\":1,\"name\":\"a\",",
        "{\"row\":2,\"parent\":1,\"depth\":2,\"name\":\"a/b\",",
        "{\"row\":3,\"parent\":2,\"depth\":3,\"name\":\"a/b/x\",",
        "{\"row\":4,\"parent\":1,\"depth\":2,\"name\":\"a/y\",",
    };
    const char *at = text;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *end = strchr(at, '\n');
        assert_non_null(end);
        if (strncmp(at, lines[i], strlen(lines[i])) != 0) fail_msg("line %zu is %.200s", i, at);
        assert_int_equal(end[-1], '}');
        at = end + 1;
    }
    assert_string_equal(at, "");
    assert_null(strstr(text, "children"));
    assert_null(strstr(text, "\"root\""));
    free(text);
    drop_report(r);
}

/* The members of a row from its name on, but for its children. */
static void has_row_of(const char *tree, const char *line)
{
    const char *from = strstr(line, "\"name\""), *end = strstr(from, "}\n");
    char *members = strndup(from, (size_t)(end - from));
    has(tree, members);
    free(members);
}

static void jsonl_has_the_members_of_json(void **state)
{
    (void)state;
    static const char *const views[] = { "scope", "graph", "op" };
    for (size_t i = 0; i < 3; i++) {
        tfp_report *r =
            report_of(views[i], "a Conv2D 3us 2x3 5B\nb/c MatMul 4us 9f <a\nd Const <gone\n", "format json");
        char *lines = written(r, "jsonl"), *tree = written(r, "json");
        size_t rows = 0;
        for (char *at = strchr(lines, '\n') + 1; *at; at = strchr(at, '\n') + 1, rows++) has_row_of(tree, at);
        assert_int_equal(rows, tfp_report_row_count(r));
        free(lines);
        free(tree);
        drop_report(r);
    }
}

static void jsonl_lists_op_types_under_the_root(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a Conv2D 3us\nb MatMul 4us\n", "order_by micros format jsonl");
    char *text = written(r, "jsonl");
    has(text, "{\"row\":1,\"parent\":0,\"depth\":1,\"name\":\"MatMul\",");
    has(text, "{\"row\":2,\"parent\":0,\"depth\":");
    free(text);
    drop_report(r);
}

static void jsonl_of_a_long_chain_nests_nothing(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    for (int i = 0; i < 20000; i++) tfp_buf_printf(&b, "n%d Relu 1us <n%d\n", i, i + 1);
    tfp_buf_char(&b, 0);
    tfp_report *r = report_of("graph", b.data, "max_depth 100000 format jsonl");
    assert_int_equal(tfp_report_row_count(r), 20001);
    char *text = written(r, "jsonl");
    has(text, "{\"row\":20000,\"parent\":19999,\"depth\":20000,\"name\":\"n19999\",");
    assert_null(strstr(text, "}}}}"));
    free(text);
    drop_report(r);
    tfp_buf_free(&b);
}

/* ---- csv ---- */

static void csv_has_a_header_and_a_line_a_row(void **state)
{
    (void)state;
    writes("scope", "a/x Conv2D 3us\na/y MatMul 4us\n", "select micros", "csv",
           "name,row,parent,depth,micros,total_micros\r\n"
           "_TFProfRoot,0,,0,0,7\r\n"
           "a,1,0,1,0,7\r\n"
           "a/x,2,1,2,3,3\r\n"
           "a/y,3,1,2,4,4\r\n");
}

static void csv_quotes_and_disarms_text(void **state)
{
    (void)state;
    writes("scope", "=1+1 Const\n@x,\"y Const\n", "select op_types", "csv",
           "name,row,parent,depth,op_types\r\n"
           "_TFProfRoot,0,,0,\r\n"
           "'=1+1,1,0,1,Const\r\n"
           "\"'@x,\"\"y\",2,0,1,Const\r\n");
}

/* ---- md ---- */

static void md_is_a_table_that_names_cannot_leave(void **state)
{
    (void)state;
    writes("scope", "a|b Const 2000us\n__init__ <b>\n", "select micros,op_types", "md",
           "| name | micros | total micros | op_types |\n"
           "| --- | ---: | ---: | --- |\n"
           "| \\_TFProfRoot | 0us | 2.00ms |  |\n"
           "| &nbsp;&nbsp;\\_\\_init\\_\\_ | 0us | 0us | &lt;b&gt; |\n"
           "| &nbsp;&nbsp;a\\|b | 2.00ms | 2.00ms | /job:localhost/replica:0/task:0/device:cpu:0, Const |\n");
}

/* ---- proto ---- */

/* Follows the only child of each message; gives how many there are below the first. */
static size_t chain_length(tfp_str message, uint32_t children)
{
    size_t n = 0;
    for (bool found = true; found;) {
        tfp_wire w = tfp_wire_start(message);
        found = false;
        for (tfp_field f; tfp_wire_next(&w, &f);) {
            if (f.number != children) continue;
            message = tfp_field_bytes(&w, &f);
            found = true;
        }
        assert_int_equal(tfp_wire_end(&w, NULL), TFP_OK);
        n += found;
    }
    return n;
}

static tfp_buf proto_of(const tfp_report *r)
{
    tfp_buf b = { 0 };
    assert_int_equal(tfp_report_write(r, "proto", collect, &b, NULL), TFP_OK);
    return b;
}

static void proto_nests_deep_graphs_without_recursion(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    tfp_buf lines = { 0 };
    for (int i = 0; i < COUNT; i++) {
        tfp_buf_printf(&lines, "n%06d Op", i);
        if (i + 1 < COUNT) tfp_buf_printf(&lines, " <n%06d", i + 1);
        tfp_buf_char(&lines, '\n');
    }
    tfp_buf_char(&lines, 0);
    tfp_report *r = report_of("graph", lines.data, "max_depth 100000 proto_out x");
    tfp_buf b = proto_of(r);
    assert_int_equal(chain_length((tfp_str){ b.data, b.size }, 12), COUNT);
    tfp_buf_free(&b);
    tfp_buf_free(&lines);
    drop_report(r);
}

static void proto_of_the_op_view_is_a_chain(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a A 1us\nb B 2us\nc C 3us\n", "proto_out x");
    tfp_buf b = proto_of(r);
    assert_int_equal(chain_length((tfp_str){ b.data, b.size }, 11), 3);
    tfp_buf_free(&b);
    drop_report(r);
}

static void proto_of_a_report_without_every_column_is_refused(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a A 1us\n", "select micros");
    tfp_buf b = { 0 };
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_report_write(r, "proto", collect, &b, err), err, TFP_BADARG, "needs every column");
    tfp_error_free(err);
    tfp_buf_free(&b);
    drop_report(r);
}

/* ---- timelines ---- */

static void timeline_of_scopes_puts_siblings_one_after_another(void **state)
{
    (void)state;
    writes(
        "scope", "a/x Op 3us\na/y Op 4us\nb Op\n", "", "timeline",
        "{\"traceEvents\":["
        "{\"args\":{\"name\":\"Scope:0\"},\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0},"
        "{\"args\":{\"name\":\"_TFProfRoot\",\"op\":\"_TFProfRoot\"},\"cat\":\"Op\",\"dur\":7,\"name\":\"_TFProfRoot\","
        "\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":0},"
        "{\"args\":{\"name\":\"Scope:1\"},\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1},"
        "{\"args\":{\"name\":\"a\",\"op\":\"a\"},\"cat\":\"Op\",\"dur\":7,\"name\":\"a\",\"ph\":\"X\",\"pid\":1,"
        "\"tid\":0,"
        "\"ts\":0},"
        "{\"args\":{\"name\":\"Scope:2\"},\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2},"
        "{\"args\":{\"name\":\"a/x\",\"op\":\"a/x\"},\"cat\":\"Op\",\"dur\":3,\"name\":\"a/x\",\"ph\":\"X\",\"pid\":2,"
        "\"tid\":0,\"ts\":0},"
        "{\"args\":{\"name\":\"a/y\",\"op\":\"a/y\"},\"cat\":\"Op\",\"dur\":4,\"name\":\"a/y\",\"ph\":\"X\",\"pid\":2,"
        "\"tid\":0,\"ts\":3}]}\n");
}

static void op_view_has_no_timeline(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a A 1us\n", "");
    tfp_buf b = { 0 };
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_report_write(r, "timeline", collect, &b, err), err, TFP_BADARG, "op view has no timeline");
    assert_fails(tfp_report_write(r, "pprof", collect, &b, err), err, TFP_BADARG, "op view has no pprof");
    tfp_error_free(err);
    tfp_buf_free(&b);
    drop_report(r);
}

/* A node with runs on one device in step 0. */
static uint32_t ran(tfp_builder *b, const char *name, const char *device, size_t runs, int64_t start, int64_t every,
                    int64_t us)
{
    uint32_t node = tfp_build_node(b, tfp_str_of(name), TFP_STR("Op"), true);
    uint32_t exec = tfp_build_exec(b, node, tfp_build_step(b, 0, true)), lane = lane_named(b, device);
    for (size_t i = 0; i < runs; i++) tfp_build_span(b, exec, lane, (start + (int64_t)i * every) * 1000, us * 1000);
    b->p->execs.at[exec].start_ns = start * 1000;
    b->p->execs.at[exec].run_count = (int64_t)runs;
    tfp_node *n = tfp_build_row(b, node);
    runs_on(b, node, device);
    n->host_device = n->device;
    return node;
}

static tfp_profile *empty_profile(tfp_builder *b)
{
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_add_bytes(p, "graph", "test", "\x22\x00", 2, NULL), TFP_OK);
    *b = (tfp_builder){ .p = p, .file = "test" };
    return p;
}

static tfp_report *graph_at_step_0(tfp_profile *p)
{
    tfp_report *r = NULL;
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "step", "0", NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "max_depth", "1000000", NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, "graph", o, &r, NULL), TFP_OK);
    tfp_options_free(o);
    return r;
}

static size_t count_of(const char *text, const char *part)
{
    /* not strstr, which under the address sanitizer looks at all of the text at every call */
    size_t n = 0, size = strlen(part);
    for (; *text; text++) n += *text == *part && strncmp(text, part, size) == 0;
    return n;
}

#define CPU0 "/job:a/replica:0/task:0/device:cpu:0"
#define CPU1 "/job:a/replica:0/task:0/device:cpu:1"
#define GPU0 "/job:a/replica:0/task:0/device:gpu:0"

static void timeline_opens_a_lane_when_all_are_taken(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    ran(&b, "a", CPU0, 1, 100, 0, 10);
    ran(&b, "b", CPU0, 1, 105, 0, 10);
    ran(&b, "c", CPU0, 1, 110, 0, 10); /* begins where a ends */
    ran(&b, "d", CPU0, 1, 111, 0, 10);
    tfp_report *r = graph_at_step_0(p);
    char *text = written(r, "timeline");
    has(text, "\"name\":\"a\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":100}");
    has(text, "\"name\":\"b\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":105}");
    has(text, "\"name\":\"c\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":110}");
    has(text, "\"name\":\"d\",\"ph\":\"X\",\"pid\":0,\"tid\":2,\"ts\":111}");
    free(text);
    drop_report(r);
}

static void timeline_draws_flows_between_devices_only(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    ran(&b, "x", CPU0, 1, 100, 0, 10);
    uint32_t y = ran(&b, "y", CPU0, 1, 120, 0, 10), z = ran(&b, "z", CPU1, 2, 130, 50, 10);
    tfp_build_input(&b, y, 0, tfp_build_string(&b, TFP_STR("x")), 0);
    tfp_build_input(&b, z, 0, tfp_build_string(&b, TFP_STR("x")), 0);
    tfp_report *r = graph_at_step_0(p);
    char *text = written(r, "timeline");
    assert_int_equal(count_of(text, "\"ph\":\"s\""), 2); /* to both runs of z */
    has(text, "{\"cat\":\"DataFlow\",\"id\":1,\"name\":\"x_flow\",\"ph\":\"s\",\"pid\":");
    has(text, "\"ph\":\"t\"");
    assert_null(strstr(text, "otherData"));
    free(text);
    drop_report(r);
}

static void timeline_of_endless_pairs_stops_and_says_so(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    ran(&b, "x", CPU0, 3000, 100, 1, 1);
    uint32_t z = ran(&b, "z", CPU1, 3000, 100, 1, 1);
    tfp_build_input(&b, z, 0, tfp_build_string(&b, TFP_STR("x")), 0);
    tfp_report *r = graph_at_step_0(p);
    char *text = written(r, "timeline");
    assert_int_equal(count_of(text, "\"ph\":\"s\""), 1000000);
    has(text, "\"otherData\":{\"tfprof.flows\":\"only the first 1000000 flows are here\"}");
    free(text);
    drop_report(r);
}

static void memory(tfp_builder *b, uint32_t node, int64_t at_us, int64_t in_use)
{
    tfp_memory m = { .at_ns = at_us * 1000, .allocator_bytes_in_use = in_use };
    tfp_build_memory(b, tfp_node_exec(b->p, node, 0), &m);
}

static void timeline_shows_who_holds_a_gpus_memory(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    uint32_t x = ran(&b, "x", GPU0, 1, 1000, 0, 10), y = ran(&b, "y", GPU0, 1, 2000, 0, 10);
    memory(&b, x, 1000, 5000000);
    memory(&b, x, 1050, 9000000); /* too near to be drawn, but the peak */
    memory(&b, y, 2000, 3000000);
    tfp_build_allocation(&b, tfp_node_exec(p, x, 0), 900000, 2000000);
    tfp_build_allocation(&b, tfp_node_exec(p, x, 0), 1500000, -1500000);
    tfp_build_allocation(&b, tfp_node_exec(p, y, 0), 950000, 4000000);
    tfp_report *r = graph_at_step_0(p);
    char *text = written(r, "timeline");
    has(text, "{\"args\":{\"Not Displayed\":\"1.00 MB\",\"Top Allocation 00\":\"4 MB from y\",\"Top Allocation "
              "01\":\"N/A\",");
    has(text, "{\"args\":{\"Not Displayed\":\"2.50 MB\",\"Top Allocation 00\":\"0.5 MB from x\",\"Top Allocation "
              "01\":\"N/A\",");
    assert_int_equal(count_of(text, "\"Allocated Bytes\""), 2);
    tfp_buf peaks = { 0 };
    tfp_timeline_peaks(r, &peaks);
    tfp_buf_char(&peaks, 0);
    assert_string_equal(peaks.data, GPU0 " peak memory: 9.00 MB\n");
    tfp_buf_free(&peaks);
    free(text);
    drop_report(r);
}

/* ---- pprof ---- */

static void pprof_of_scopes_takes_names_apart(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "net/conv/x Op 3us\nnet/conv/y Op 4us\n", "select micros");
    tfp_buf b = { 0 };
    assert_int_equal(tfp_report_write(r, "pprof", collect, &b, NULL), TFP_OK);
    tfp_input in;
    tfp_str all;
    assert_int_equal(tfp_input_memory(&in, "x", b.data, b.size, NULL), TFP_OK);
    assert_int_equal(tfp_input_all(&in, &all, NULL), TFP_OK);
    assert_true(tfp_str_has(all, TFP_STR("\x32\x04"
                                         "conv"))); /* a string of the table */
    size_t samples = 0;
    tfp_wire w = tfp_wire_start(all);
    for (tfp_field f; tfp_wire_next(&w, &f);) samples += f.number == 2;
    assert_int_equal(samples, 2);
    tfp_input_close(&in);
    tfp_buf_free(&b);
    drop_report(r);
}

/* A function of a pprof profile and the line of it that a location names. */
typedef struct place {
    char name[64];
    int64_t line;
} place;

static tfp_str nth_string(tfp_str all, int64_t n)
{
    tfp_wire w = tfp_wire_start(all);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 6 && n-- == 0) return tfp_field_bytes(&w, &f);
    fail_msg("no such string");
    return TFP_STR("");
}

static tfp_str name_of_function(tfp_str all, int64_t id)
{
    tfp_wire w = tfp_wire_start(all);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 5) continue;
        int64_t number = 0, name = 0;
        tfp_wire in = tfp_wire_start(tfp_field_bytes(&w, &f));
        for (tfp_field g; tfp_wire_next(&in, &g);) {
            if (g.number == 1) number = tfp_field_int(&in, &g);
            if (g.number == 2) name = tfp_field_int(&in, &g);
        }
        if (number == id) return nth_string(all, name);
    }
    fail_msg("no such function");
    return TFP_STR("");
}

static size_t places_of(tfp_str all, place *out)
{
    size_t count = 0;
    tfp_wire w = tfp_wire_start(all);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 4) continue;
        tfp_wire in = tfp_wire_start(tfp_field_bytes(&w, &f));
        for (tfp_field g; tfp_wire_next(&in, &g);) {
            if (g.number != 4) continue;
            int64_t function = 0, line = 0;
            tfp_wire inner = tfp_wire_start(tfp_field_bytes(&in, &g));
            for (tfp_field h; tfp_wire_next(&inner, &h);) {
                if (h.number == 1) function = tfp_field_int(&inner, &h);
                if (h.number == 2) line = tfp_field_int(&inner, &h);
            }
            tfp_str name = name_of_function(all, function);
            out[count] = (place){ .line = line };
            memcpy(out[count++].name, name.data, name.size);
        }
    }
    return count;
}

/* main (a.py:10) calls build (b.py:20), which makes the node. */
static size_t places_with(const char *compat, place *out)
{
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    uint32_t x = ran(&b, "x", CPU0, 1, 100, 50, 0);
    tfp_code_frame frames[] = {
        { tfp_build_string(&b, TFP_STR("/s/a.py")), tfp_build_string(&b, TFP_STR("main")), 0, 10, 9 },
        { tfp_build_string(&b, TFP_STR("/s/b.py")), tfp_build_string(&b, TFP_STR("build")), 0, 20, 19 },
    };
    tfp_build_row(&b, x)->trace = tfp_build_trace(&b, frames, 2);
    tfp_build_has(&b, TFP_HAS_CODE);
    assert_int_equal(tfp_build_finish(&b, NULL), TFP_OK);
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    assert_int_equal(tfp_options_set(o, "compat", compat, NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, "code", o, &r, NULL), TFP_OK);
    tfp_buf packed = { 0 };
    assert_int_equal(tfp_report_write(r, "pprof", collect, &packed, NULL), TFP_OK);
    tfp_input in;
    tfp_str all;
    assert_int_equal(tfp_input_memory(&in, "x", packed.data, packed.size, NULL), TFP_OK);
    assert_int_equal(tfp_input_all(&in, &all, NULL), TFP_OK);
    size_t count = places_of(all, out);
    tfp_input_close(&in);
    tfp_buf_free(&packed);
    tfp_options_free(o);
    drop_report(r);
    return count;
}

static void pprof_pairs_a_function_with_its_own_line(void **state)
{
    (void)state;
    place at[4];
    assert_int_equal(places_with("", at), 2);
    assert_string_equal(at[0].name, "a:main");
    assert_int_equal(at[0].line, 10);
    assert_string_equal(at[1].name, "b:build");
    assert_int_equal(at[1].line, 20);
    assert_int_equal(places_with("tensorflow", at), 1);
    assert_string_equal(at[0].name, "b:build");
    assert_int_equal(at[0].line, 10); /* the caller's */
}

static void pprof_wants_one_number(void **state)
{
    (void)state;
    static const char *const selects[] = { "select micros,bytes", "select device", "select occurrence",
                                           "select micros,device" };
    tfp_error *err = tfp_error_new();
    for (size_t i = 0; i < sizeof selects / sizeof *selects; i++) {
        tfp_report *r = report_of("scope", "a Op 3us\n", selects[i]);
        tfp_buf b = { 0 };
        assert_fails(tfp_report_write(r, "pprof", collect, &b, err), err, TFP_BADARG, "exactly one numeric column");
        tfp_buf_free(&b);
        drop_report(r);
    }
    tfp_error_free(err);
}

/* ---- the profile itself ---- */

static void a_written_profile_reads_back_the_same(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b), *again = tfp_profile_new();
    uint32_t x = ran(&b, "x", CPU0, 2, 100, 50, 10), y = ran(&b,
                                                             "\xff"
                                                             "y",
                                                             GPU0, 1, 120, 0, 10);
    tfp_build_input(&b, y, 0, tfp_build_string(&b, TFP_STR("x")), 0);
    tfp_build_input(&b, y, 1, tfp_build_string(&b, TFP_STR("gone")), 0);
    tfp_build_row(&b, y)->float_ops = 12;
    memory(&b, x, 105, 7);
    tfp_code_frame frames[] = { { .file = tfp_build_string(&b, TFP_STR("a.py")),
                                  .function = tfp_build_string(&b, TFP_STR("f")),
                                  .line = 3,
                                  .function_line = -1 } };
    tfp_build_row(&b, x)->trace = tfp_build_trace(&b, frames, 1);
    tfp_build_has(&b, TFP_HAS_CODE);
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    tfp_buf bytes = { 0 };
    assert_int_equal(tfp_profile_write(p, collect, &bytes, NULL), TFP_OK);
    tfp_error *err = tfp_error_new();
    if (tfp_profile_add_bytes(again, "profile", "again", bytes.data, bytes.size, err))
        fail_msg("%s", tfp_error_message(err));
    assert_int_equal(tfp_profile_finish(again, err), TFP_OK);
    tfp_error_free(err);
    assert_int_equal(tfp_profile_node_count(again), 2);
    uint32_t x2 = tfp_find_node(again, TFP_STR("x")), y2 = tfp_find_node(again, TFP_STR("\\xffy"));
    assert_true(x2 != TFP_NONE && y2 != TFP_NONE);
    tfp_node_stats s;
    tfp_node_stats_at(again, x2, tfp_step_of_row(0, 0), &s);
    assert_int_equal(s.run_count, 2);
    assert_int_equal(s.total_ns, 20000);
    assert_int_equal(again->nodes.at[y2].float_ops, 12);
    assert_int_equal(again->inputs.at[again->nodes.at[y2].input_first].node, x2);
    assert_int_equal(again->frames.at[0].line, 3);
    tfp_buf_free(&bytes);
    tfp_profile_free(again);
    tfp_profile_free(p);
}

/* ---- files ---- */

static char *content(const char *path)
{
    tfp_buf b = { 0 };
    char piece[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;) tfp_buf_add(&b, piece, n);
    fclose(f);
    tfp_buf_char(&b, 0);
    return b.data;
}

static void a_report_in_a_file_is_the_one_written(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a/x Conv2D 3us\n", "format json");
    char *folder = new_folder(), *path = file_in(folder, "report", "old and longer than that", 24);
    static const char *const outputs[] = { "csv", "jsonl", "text" };
    for (size_t i = 0; i < 3; i++) {
        tfp_error err = { 0 };
        assert_int_equal(tfp_report_write_file(r, outputs[i], path, &err), TFP_OK);
        char *file = content(path), *wanted = written(r, outputs[i]);
        assert_string_equal(file, wanted);
        free(file);
        free(wanted);
    }
    free(path);
    drop_folder(folder);
    drop_report(r);
}

static void a_report_that_cannot_be_written_leaves_the_file(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a Conv2D 3us\n", "");
    char *folder = new_folder(), *path = file_in(folder, "report", "old", 3), *inside;
    tfp_error err = { 0 };
    assert_fails(tfp_report_write_file(r, "nope", path, &err), &err, TFP_NOTFOUND, "nope");
    assert_fails(tfp_report_write_file(r, "timeline", path, &err), &err, TFP_BADARG, "timeline");
    assert_fails(tfp_report_write_file(r, NULL, path, &err), &err, TFP_BADARG, "");
    assert_int_equal(tfp_report_write_file(NULL, "text", path, &err), TFP_BADARG);
    assert_int_equal(tfp_report_write_file(r, "text", NULL, &err), TFP_BADARG);
    assert_true(asprintf(&inside, "%s/report/x", folder) > 0); /* no folder */
    assert_fails(tfp_report_write_file(r, "text", inside, &err), &err, TFP_BADOUTPUT, "report/x");
    char *file = content(path);
    assert_string_equal(file, "old");
    free(file);
    free(inside);
    free(path);
    drop_folder(folder); /* fails when there is more than the one file: nothing half written is left */
    drop_report(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_says_what_it_is),
        cmocka_unit_test(json_holds_the_tree_and_every_number),
        cmocka_unit_test(json_lists_op_types_side_by_side),
        cmocka_unit_test(jsonl_is_the_report_and_then_a_line_a_row),
        cmocka_unit_test(jsonl_has_the_members_of_json),
        cmocka_unit_test(jsonl_lists_op_types_under_the_root),
        cmocka_unit_test(jsonl_of_a_long_chain_nests_nothing),
        cmocka_unit_test(csv_has_a_header_and_a_line_a_row),
        cmocka_unit_test(csv_quotes_and_disarms_text),
        cmocka_unit_test(md_is_a_table_that_names_cannot_leave),
        cmocka_unit_test(proto_nests_deep_graphs_without_recursion),
        cmocka_unit_test(proto_of_the_op_view_is_a_chain),
        cmocka_unit_test(proto_of_a_report_without_every_column_is_refused),
        cmocka_unit_test(timeline_of_scopes_puts_siblings_one_after_another),
        cmocka_unit_test(op_view_has_no_timeline),
        cmocka_unit_test(timeline_opens_a_lane_when_all_are_taken),
        cmocka_unit_test(timeline_draws_flows_between_devices_only),
        cmocka_unit_test(timeline_of_endless_pairs_stops_and_says_so),
        cmocka_unit_test(timeline_shows_who_holds_a_gpus_memory),
        cmocka_unit_test(pprof_of_scopes_takes_names_apart),
        cmocka_unit_test(pprof_pairs_a_function_with_its_own_line),
        cmocka_unit_test(pprof_wants_one_number),
        cmocka_unit_test(a_written_profile_reads_back_the_same),
        cmocka_unit_test(a_report_in_a_file_is_the_one_written),
        cmocka_unit_test(a_report_that_cannot_be_written_leaves_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
