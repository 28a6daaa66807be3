// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_formats.c: what graphs, run metadata, op logs and ProfileProtos become, and what odd ones say. */
#include "formats/tfdevice.h"
#include "support.h"
#include "wire/proto.h"

#include "tfprof/tfprof.h"

#include <stdlib.h>

#define UNUSED (void)state

/* ---- messages in a line or two: FIELD(1, TEXT("a")) ... ---- */

typedef struct made {
    tfp_profile *p;
    tfp_error err;
    tfp_status s;
} made;

static tfp_buf bytes; /* the message being put together */

static size_t open_field(uint32_t number) { return tfp_put_open(&bytes, number); }
static void close_field(size_t at) { tfp_put_close(&bytes, at); }
static void text(uint32_t number, const char *s) { tfp_put_bytes_always(&bytes, number, tfp_str_of(s)); }
static void number(uint32_t field, int64_t v) { tfp_put_int_always(&bytes, field, v); }

static void start(made *m)
{
    memset(m, 0, sizeof *m);
    m->p = tfp_profile_new();
    assert_non_null(m->p);
    tfp_buf_free(&bytes);
}

/* Adds what was put together as a file of that format, called by its format. */
static void add(made *m, const char *format)
{
    m->s = tfp_profile_add_bytes(m->p, format, format, bytes.data ? bytes.data : "", bytes.size, &m->err);
    bytes.size = 0;
}

static void finish(made *m)
{
    assert_string_equal(tfp_error_message(&m->err), "");
    assert_int_equal(tfp_profile_finish(m->p, &m->err), TFP_OK);
}

static void drop(made *m)
{
    tfp_profile_free(m->p);
    tfp_buf_free(&bytes);
}

static bool warned(const made *m, const char *part)
{
    for (size_t i = 0; tfp_profile_warning(m->p, i); i++)
        if (strstr(tfp_profile_warning(m->p, i), part)) return true;
    return false;
}

static const tfp_node *node_of(const made *m, const char *name)
{
    uint32_t node = tfp_find_node(m->p, tfp_str_of(name));
    return node == TFP_NONE ? NULL : &m->p->nodes.at[node];
}

static int64_t micros(const made *m, const char *name, uint32_t step)
{
    tfp_step_choice of = step == TFP_NONE ? tfp_step_of_id(-1) : tfp_step_of_row(step, 0);
    tfp_node_stats s;
    tfp_node_stats_at(m->p, tfp_find_node(m->p, tfp_str_of(name)), of, &s);
    return tfp_micros(s.total_ns);
}

/* ---- graphs ---- */

static void graph_node(const char *name, const char *op, const char *input)
{
    size_t at = open_field(1);
    text(1, name);
    text(2, op);
    if (input) text(3, input);
    close_field(at);
}

static void an_input_names_its_source_however_it_is_written(void **state)
{
    UNUSED;
    static const char *const forms[] = { "a", "a:1", "^a" };
    for (size_t i = 0; i < 3; i++) {
        made m;
        start(&m);
        graph_node("b", "Add", forms[i]);
        graph_node("a", "Const", NULL);
        add(&m, "graph");
        finish(&m);
        const tfp_input_edge *e = &m.p->inputs.at[node_of(&m, "b")->input_first];
        assert_int_equal(e->node, tfp_find_node(m.p, TFP_STR("a")));
        assert_int_equal(e->output_index, 0);
        assert_null(tfp_profile_warning(m.p, 0));
        drop(&m);
    }
}

static void malformed_inputs_are_told(void **state)
{
    UNUSED;
    static const char *const forms[] = { "a:x", "a:-1", "^^a", "", "^", "a:", "^a:0" };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        made m;
        start(&m);
        graph_node("a", "Const", forms[i]);
        add(&m, "graph");
        finish(&m);
        assert_true(warned(&m, "graph: malformed inputs"));
        drop(&m);
    }
}

static void inputs_without_a_node_are_told_with_the_graph_that_has_them(void **state)
{
    UNUSED;
    made m;
    start(&m);
    graph_node("a", "Const", "gone");
    add(&m, "graph");
    finish(&m);
    assert_true(warned(&m, "graph: inputs that name no node: 1 (gone)"));
    drop(&m);
}

static void of_two_graph_nodes_with_one_name_the_first_stays(void **state)
{
    UNUSED;
    made m;
    start(&m);
    graph_node("a", "Const", NULL);
    graph_node("a", "Add", NULL);
    add(&m, "graph");
    finish(&m);
    assert_int_equal(m.p->nodes.size, 1);
    assert_str(tfp_text(m.p, node_of(&m, "a")->op), "Const");
    assert_true(warned(&m, "a name that was there before"));
    drop(&m);
}

static void a_scalar_shape_is_one_and_an_unknown_rank_is_empty(void **state)
{
    UNUSED;
    made m;
    start(&m);
    for (int unknown = 0; unknown < 2; unknown++) {
        size_t node = open_field(1);
        text(1, unknown ? "u" : "s");
        text(2, "Variable");
        size_t attr = open_field(5);
        text(1, "shape");
        size_t value = open_field(2), shape = open_field(7);
        if (unknown) number(3, 1);
        close_field(shape);
        close_field(value);
        close_field(attr);
        close_field(node);
    }
    add(&m, "graph");
    finish(&m);
    const tfp_shape *s = &m.p->shapes.at[node_of(&m, "s")->shape], *u = &m.p->shapes.at[node_of(&m, "u")->shape];
    assert_true(s->scalar && s->count == 1 && m.p->dims.at[s->first] == 1);
    assert_true(!u->scalar && u->count == 0);
    drop(&m);
}

/* ---- run metadata ---- */

static void run_entry(const char *name, int64_t start_us, int64_t run_us)
{
    size_t at = open_field(2);
    text(1, name);
    number(2, start_us);
    number(4, run_us);
    close_field(at);
}

static void one_node_graph(made *m)
{
    start(m);
    graph_node("a", "Const", NULL);
    add(m, "graph");
}

static void runs_are_numbered_by_their_files(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    for (int64_t i = 0; i < 3; i++) {
        size_t step = open_field(1), device = open_field(1);
        text(1, "/device:CPU:0");
        run_entry("a:Const", 100, i);
        close_field(device);
        close_field(step);
        add(&m, "run_meta");
    }
    finish(&m);
    assert_int_equal(tfp_profile_step_count(m.p), 3);
    assert_int_equal(micros(&m, "a", 0), 1); /* nothing is quicker than a microsecond */
    assert_int_equal(micros(&m, "a", 2), 2);
    assert_str(tfp_text(m.p, node_of(&m, "a")->device), "/device:cpu:0");
    assert_int_equal((int)(100 * tfp_profile_coverage(m.p, 2) + 0.5), 100);
    drop(&m);
}

static void entries_of_unknown_nodes_make_nodes_but_for_bookkeeping(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    size_t step = open_field(1), device = open_field(1);
    text(1, "/cpu:0");
    run_entry("new", 100, 5);
    run_entry("a", 100, 5);
    run_entry("RecvTensor", 100, 5);
    run_entry("_SOURCE", 100, 5);
    run_entry("x_MEMCPY_y", 100, 5);
    close_field(device);
    close_field(step);
    add(&m, "run_meta");
    finish(&m);
    assert_int_equal(m.p->nodes.size, 2);
    assert_int_equal(node_of(&m, "new")->flags, TFP_NODE_INVENTED | TFP_NODE_ON_CPU);
    assert_int_equal((int)(100 * tfp_profile_coverage(m.p, 0) + 0.5), 50);
    drop(&m);
}

static void what_a_node_did_on_a_second_device_is_left_out_and_streams_are_kept(void **state)
{
    UNUSED;
    static const char *const devices[] = { "/device:GPU:0", "/device:CPU:1", "/device:GPU:0/stream:all" };
    made m;
    one_node_graph(&m);
    size_t step = open_field(1);
    for (size_t i = 0; i < 3; i++) {
        size_t device = open_field(1);
        text(1, devices[i]);
        run_entry("a", 100, 10);
        close_field(device);
    }
    close_field(step);
    add(&m, "run_meta");
    finish(&m);
    assert_int_equal(micros(&m, "a", 0), 20);
    assert_str(tfp_text(m.p, node_of(&m, "a")->device), "/device:gpu:0");
    assert_str(tfp_text(m.p, node_of(&m, "a")->host_device), "/device:cpu:0");
    assert_true(warned(&m, "second device, left out: 1 (a)"));
    assert_false(m.p->miss_accelerator_stream);
    drop(&m);
}

static void memory_of_a_run_is_summed_and_saturates(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    size_t step = open_field(1), device = open_field(1), entry, part;
    text(1, "/cpu:0");
    entry = open_field(2);
    text(1, "a");
    number(2, 100);
    for (int i = 0; i < 2; i++) {
        part = open_field(6);
        number(2, 7);
        number(3, INT64_MAX);
        number(4, -3);
        close_field(part);
    }
    part = open_field(12);
    number(1, 100);
    number(3, 1000);
    close_field(part);
    close_field(entry);
    close_field(device);
    close_field(step);
    add(&m, "run_meta");
    finish(&m);
    tfp_node_stats s;
    tfp_node_stats_at(m.p, 0, tfp_step_of_row(0, 0), &s);
    assert_int_equal(s.requested_bytes, 14 + 1100);
    assert_true(s.peak_bytes == INT64_MAX);
    assert_int_equal(s.residual_bytes, 1000);
    assert_true(warned(&m, "negative byte counts"));
    assert_true(warned(&m, "too big for 64 bits"));
    drop(&m);
}

static void entries_without_a_start_have_no_time(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    size_t step = open_field(1), device = open_field(1);
    text(1, "/cpu:0");
    run_entry("a", 0, 10);
    close_field(device);
    close_field(step);
    add(&m, "run_meta");
    finish(&m);
    assert_int_equal(micros(&m, "a", 0), 0);
    assert_true(warned(&m, "without a start time"));
    drop(&m);
}

static void run_metadata_without_step_stats_is_no_step(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    size_t at = open_field(3);
    graph_node("p", "Const", NULL);
    close_field(at);
    add(&m, "run_meta");
    finish(&m);
    assert_int_equal(tfp_profile_step_count(m.p), 0);
    assert_true(warned(&m, "which is no step"));
    drop(&m);
}

static void group(uint32_t number)
{
    tfp_put_tag(&bytes, number, TFP_GROUP);
    tfp_put_tag(&bytes, 3, TFP_VARINT);
    tfp_put_varint(&bytes, 5);
    tfp_put_tag(&bytes, number, TFP_GROUP_END);
}

/* Fields may come in any order, with others between them, and of two names the last one counts: also of a message that is
 * cut into pieces. A device without entries and a step_stats without devices are there, too. */
static void run_metadata_is_the_same_in_any_order_of_its_fields(void **state)
{
    UNUSED;
    static const char *const sharings[] = { "1", "2/10", "3/30" };
    for (size_t i = 0; i < sizeof sharings / sizeof *sharings; i++) {
        assert_int_equal(setenv("TFPROF_THREADS", sharings[i], 1), 0);
        made m;
        one_node_graph(&m);
        number(9, 1);
        size_t step = open_field(1);
        group(7);
        size_t device = open_field(1);
        text(1, "/cpu:7");
        run_entry("a", 100, 5);
        group(8);
        run_entry("b", 100, 6);
        number(3, 7);
        text(1, "/cpu:0");
        run_entry("a", 200, 7);
        close_field(device);
        device = open_field(1);
        text(1, "/gpu:1/stream:all");
        close_field(device);
        close_field(step);
        step = open_field(1);
        close_field(step);
        group(3);
        add(&m, "run_meta");
        finish(&m);
        assert_int_equal(tfp_profile_step_count(m.p), 1);
        assert_int_equal(micros(&m, "a", 0), 12);
        assert_int_equal(micros(&m, "b", 0), 6);
        assert_str(tfp_text(m.p, node_of(&m, "b")->device), "/cpu:0");
        assert_int_equal(m.p->lanes.size, 2);
        assert_null(tfp_profile_warning(m.p, 0));
        drop(&m);
    }
    unsetenv("TFPROF_THREADS");
}

static void a_fault_of_run_metadata_tells_its_place_in_any_number_of_pieces(void **state)
{
    UNUSED;
    static const char *const sharings[] = { "1", "2/10", "3/30" };
    for (size_t i = 0; i < sizeof sharings / sizeof *sharings; i++) {
        assert_int_equal(setenv("TFPROF_THREADS", sharings[i], 1), 0);
        made m;
        one_node_graph(&m);
        size_t step = open_field(1), device = open_field(1);
        text(1, "/cpu:0");
        for (int k = 0; k < 5; k++) run_entry("a", 100 + k, 5);
        size_t entry = open_field(2);
        text(2, "a time");
        close_field(entry);
        run_entry("a", 300, 5);
        close_field(device);
        close_field(step);
        add(&m, "run_meta");
        assert_int_equal(m.s, TFP_BADFILE);
        assert_non_null(strstr(tfp_error_message(&m.err), "step_stats: device 0: node_stats 5: "));
        drop(&m);
    }
    unsetenv("TFPROF_THREADS");
}

/* ---- op logs ---- */

static void an_op_log_adds_types_and_float_ops_and_the_first_trace(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    for (int i = 0; i < 2; i++) {
        size_t entry = open_field(1);
        text(1, "a");
        number(2, i ? 0 : 7);
        text(3, "T");
        size_t code = open_field(4), frame = open_field(1);
        text(1, "file.py");
        number(2, 10 + i);
        text(3, "f");
        text(4, "x = 1");
        close_field(frame);
        close_field(code);
        close_field(entry);
    }
    size_t unknown = open_field(1);
    text(1, "zz");
    close_field(unknown);
    add(&m, "op_log");
    finish(&m);
    const tfp_node *a = node_of(&m, "a");
    assert_int_equal(a->float_ops, 7);
    assert_int_equal(m.p->types.size, 2);
    const tfp_code_frame *f = &m.p->frames.at[m.p->trace_frames.at[m.p->traces.at[a->trace].first]];
    assert_int_equal(f->line, 10);
    assert_str(tfp_text(m.p, f->text), "x = 1");
    assert_true(warned(&m, "not in the graph, left out: 1 (zz)"));
    drop(&m);
}

/* ---- ProfileProto ---- */

static size_t open_node(int64_t key, const char *name, size_t *entry)
{
    *entry = open_field(1);
    number(1, key);
    size_t node = open_field(2);
    text(1, name);
    text(9, "Op");
    number(13, key);
    return node;
}

static void exec_of(int64_t step, int64_t us)
{
    size_t entry = open_field(12);
    number(1, step);
    size_t exec = open_field(2);
    number(1, 1);
    size_t times = open_field(5);
    text(1, "/cpu:0");
    size_t list = open_field(2), tuple = open_field(1);
    int64_t pair[] = { 100, us };
    tfp_put_packed_ints(&bytes, 1, pair, 2);
    close_field(tuple);
    close_field(list);
    close_field(times);
    close_field(exec);
    close_field(entry);
}

static void profile_node(int64_t key, const char *name, int64_t us)
{
    size_t entry, node = open_node(key, name, &entry);
    exec_of(0, us);
    close_field(node);
    close_field(entry);
}

static void steps(void)
{
    int64_t list[] = { 0, 4 };
    tfp_put_packed_ints(&bytes, 3, list, 2);
}

static void of_two_nodes_with_one_number_the_last_stays_and_of_one_name_the_first(void **state)
{
    UNUSED;
    made m;
    start(&m);
    profile_node(1, "a", 5);
    profile_node(1, "b", 7);
    profile_node(2, "a", 9);
    profile_node(3, "b", 11);
    steps();
    add(&m, "profile");
    finish(&m);
    assert_int_equal(tfp_profile_node_count(m.p), 2);
    assert_int_equal(micros(&m, "a", 0), 9);
    assert_int_equal(micros(&m, "b", 0), 7);
    assert_true(warned(&m, "node numbers that come twice"));
    assert_true(warned(&m, "nodes of the same name, the first kept: 1 (b)"));
    drop(&m);
}

static void a_step_that_comes_twice_in_a_node_starts_anew(void **state)
{
    UNUSED;
    made m;
    start(&m);
    size_t entry, node = open_node(1, "a", &entry);
    exec_of(0, 5);
    exec_of(4, 100);
    exec_of(0, 7);
    close_field(node);
    close_field(entry);
    steps();
    add(&m, "profile");
    finish(&m);
    assert_int_equal(micros(&m, "a", tfp_find_step(m.p, 0)), 7);
    assert_int_equal(micros(&m, "a", tfp_find_step(m.p, 4)), 100);
    assert_true(warned(&m, "steps that come twice"));
    drop(&m);
}

static void inputs_of_a_profile_may_name_nodes_that_come_later(void **state)
{
    UNUSED;
    made m;
    start(&m);
    size_t entry, node = open_node(1, "a", &entry);
    for (int64_t i = 2; i >= 0; i--) {
        size_t input = open_field(2);
        number(1, i);
        number(2, i == 2 ? 99 : 5);
        close_field(input);
    }
    size_t source = open_field(14);
    number(1, 5);
    number(2, 3);
    close_field(source);
    close_field(node);
    close_field(entry);
    profile_node(5, "b", 1);
    steps();
    add(&m, "profile");
    finish(&m);
    const tfp_input_edge *e = &m.p->inputs.at[node_of(&m, "a")->input_first];
    assert_int_equal(m.p->inputs.size, 2);
    assert_int_equal(e->position, 0);
    assert_int_equal(e->node, tfp_find_node(m.p, TFP_STR("b")));
    assert_int_equal(e->output_index, 3);
    assert_true(warned(&m, "profile: inputs that name no node: 1 (99)"));
    drop(&m);
}

static void strings_of_traces_come_after_the_nodes(void **state)
{
    UNUSED;
    made m;
    start(&m);
    size_t entry, node = open_node(1, "a", &entry), trace = open_field(10), frame = open_field(1);
    number(2, 3);
    number(6, 1);
    number(7, 8);
    close_field(frame);
    close_field(trace);
    close_field(node);
    close_field(entry);
    number(2, 1);
    size_t string = open_field(4);
    number(1, 1);
    text(2, "file.py");
    close_field(string);
    add(&m, "profile");
    finish(&m);
    const tfp_code_frame *f = &m.p->frames.at[0];
    assert_true(tfp_has(m.p, TFP_HAS_CODE));
    assert_str(tfp_text(m.p, f->file), "file.py");
    assert_str(tfp_text(m.p, f->function), "none");
    assert_int_equal(f->text, 0);
    assert_true(warned(&m, "strings of code traces that are missing, taken as none: 1 (8)"));
    drop(&m);
}

static void steps_that_are_not_listed_count_in_averages_only(void **state)
{
    UNUSED;
    made m;
    start(&m);
    profile_node(1, "a", 5);
    add(&m, "profile");
    finish(&m);
    assert_int_equal(micros(&m, "a", TFP_NONE), 5);
    assert_true(warned(&m, "steps that ran but are not listed"));
    drop(&m);
}

/* ---- any file ---- */

static void files_of_another_kind_are_refused(void **state)
{
    UNUSED;
    static const char *const wrong[] = { "run_meta", "op_log", "profile" };
    for (size_t i = 0; i < 3; i++) {
        made m;
        start(&m);
        for (int k = 0; k < 5; k++) graph_node("layer/weights", "VariableV2", "layer/input");
        add(&m, wrong[i]);
        assert_int_equal(m.s, TFP_BADFILE);
        assert_non_null(strstr(tfp_error_message(&m.err), "looks like a GraphDef, not a"));
        drop(&m);
    }
}

static void empty_files_are_refused_and_files_without_data_are_told(void **state)
{
    UNUSED;
    static const char *const formats[] = { "graph", "run_meta", "op_log", "profile" };
    for (size_t i = 0; i < 4; i++) {
        made m;
        start(&m);
        add(&m, formats[i]);
        assert_int_equal(m.s, TFP_BADFILE);
        assert_non_null(strstr(tfp_error_message(&m.err), "empty file"));
        drop(&m);
        start(&m);
        number(77, 5);
        add(&m, formats[i]);
        assert_int_equal(m.s, TFP_BADFILE);
        drop(&m);
    }
    made m;
    start(&m);
    size_t versions = open_field(4);
    number(1, 27);
    close_field(versions);
    add(&m, "graph");
    finish(&m);
    assert_true(warned(&m, "graph: no nodes in it"));
    drop(&m);
}

static void every_cut_of_a_profile_ends_as_an_error_or_a_whole_profile(void **state)
{
    UNUSED;
    made m;
    start(&m);
    profile_node(1, "a", 5);
    profile_node(2, "b", 7);
    steps();
    tfp_buf whole = bytes;
    bytes = (tfp_buf){ 0 };
    drop(&m);
    for (size_t size = 1; size < whole.size; size++) {
        start(&m);
        tfp_buf_add(&bytes, whole.data, size);
        add(&m, "profile");
        assert_true(m.s == TFP_BADFILE || tfp_profile_finish(m.p, NULL) == TFP_OK);
        if (m.s) assert_non_null(strstr(tfp_error_message(&m.err), "profile:"));
        drop(&m);
    }
    tfp_buf_free(&whole);
}

static void a_fault_tells_its_place(void **state)
{
    UNUSED;
    made m;
    start(&m);
    profile_node(0, "a", 5);
    size_t entry, node = open_node(1, "b", &entry), exec = open_field(12), value = open_field(2);
    size_t memory = open_field(7);
    tfp_buf_add(&bytes, "\x30\x80", 2);
    close_field(memory);
    close_field(value);
    close_field(exec);
    close_field(node);
    close_field(entry);
    char expected[100];
    snprintf(expected, sizeof expected, "profile: node 1: memory_execs: varint cut short at byte %zu", bytes.size - 1);
    add(&m, "profile");
    assert_int_equal(m.s, TFP_BADFILE);
    assert_string_equal(tfp_error_message(&m.err), expected);
    drop(&m);
}

/* ---- names of devices ---- */

static void device_names_say_what_they_are(void **state)
{
    UNUSED;
    const unsigned cpu = TFP_NODE_ON_CPU, gpu = TFP_NODE_ON_ACCELERATOR;
    const struct {
        const char *name;
        bool canonical;
        unsigned on;
        tfp_lane_kind kind;
        tfp_lane_role role;
    } cases[] = {
        { "/job:w/replica:0/task:0/device:gpu:0", true, gpu, TFP_LANE_CPU, TFP_ROLE_THREAD },
        { "/gpu:12", true, gpu, TFP_LANE_CPU, TFP_ROLE_THREAD },
        { "/job:w/cpu:0", true, cpu, TFP_LANE_CPU, TFP_ROLE_THREAD },
        { "cpu:0", false, cpu, TFP_LANE_OTHER, TFP_ROLE_THREAD },
        { "/device:gpu:", false, gpu, TFP_LANE_OTHER, TFP_ROLE_THREAD },
        { "/a\n/gpu:0", false, gpu, TFP_LANE_OTHER, TFP_ROLE_THREAD },
        { "/gpu:0/stream:all", false, gpu, TFP_LANE_ACCELERATOR, TFP_ROLE_STREAM },
        { "/gpu:0/stream:3", false, gpu, TFP_LANE_OTHER, TFP_ROLE_STREAM },
        { "/device:tpu:0", false, 0, TFP_LANE_OTHER, TFP_ROLE_THREAD },
        { "", false, 0, TFP_LANE_OTHER, TFP_ROLE_THREAD },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_tf_device d = tfp_tf_device_of(tfp_str_of(cases[i].name));
        assert_int_equal(d.canonical, cases[i].canonical);
        assert_int_equal(d.on, cases[i].on);
        assert_int_equal(d.kind, cases[i].kind);
        assert_int_equal(d.role, cases[i].role);
    }
}

/* ---- how files stand together ---- */

static void formats_say_how_their_files_stand_together(void **state)
{
    UNUSED;
    assert_true(tfp_format_is("profile", TFP_FORMAT_WHOLE) && !tfp_format_is("graph", TFP_FORMAT_WHOLE));
    assert_true(tfp_format_is("checkpoint", TFP_FORMAT_BESIDE_WHOLE) && tfp_format_is("checkpoint", TFP_FORMAT_PREFIX));
    assert_true(tfp_format_is("graph", TFP_FORMAT_LEADS) && tfp_format_is("run_meta", TFP_FORMAT_FOLLOWS));
    assert_true(tfp_format_is("run_meta", TFP_FORMAT_SEVERAL) && !tfp_format_is("op_log", TFP_FORMAT_SEVERAL));
    assert_true(tfp_format_is("op_log", TFP_FORMAT_PART) && !tfp_format_is("run_meta", TFP_FORMAT_PART));
    assert_false(tfp_format_is("none", TFP_FORMAT_WHOLE) || tfp_format_is(NULL, TFP_FORMAT_WHOLE));
    assert_false(tfp_format_is("profile", (tfp_format_fact)99));
    assert_string_equal(tfp_format_ending(NULL, 0), ".index");
    assert_string_equal(tfp_format_ending("checkpoint", 1), "-00000-of-00001");
    assert_null(tfp_format_ending("checkpoint", 2));
    assert_null(tfp_format_ending("graph", 0));
    assert_int_equal(tfp_format_name_size("checkpoint", "a/b.index"), 3);
    assert_int_equal(tfp_format_name_size("checkpoint", ".index"), 6);
    assert_int_equal(tfp_format_name_size("graph", "b.index"), 7);
}

static void paths_say_what_they_are_part_of(void **state)
{
    UNUSED;
    const char *parts[] = { "a/b.data-00000-of-00002", "b-00001-of-00002", "x/checkpoint", "m/fingerprint.pb" };
    const char *others[] = {
        "b-00000-of-00002", "x/checkpoint/a", "fingerprint.pb.txt", "m/saved_model.pb", "-of-", ""
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_true(tfp_path_is(parts[i], TFP_PATH_PART));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(tfp_path_is(others[i], TFP_PATH_PART));
    assert_true(tfp_path_is("m/saved_model.pbtxt", TFP_PATH_FOLDER) && tfp_path_is("saved_model.pb", TFP_PATH_FOLDER));
    assert_false(tfp_path_is("m/graph.pb", TFP_PATH_FOLDER) || tfp_path_is(NULL, TFP_PATH_FOLDER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_names_say_what_they_are),
        cmocka_unit_test(formats_say_how_their_files_stand_together),
        cmocka_unit_test(paths_say_what_they_are_part_of),
        cmocka_unit_test(an_input_names_its_source_however_it_is_written),
        cmocka_unit_test(malformed_inputs_are_told),
        cmocka_unit_test(inputs_without_a_node_are_told_with_the_graph_that_has_them),
        cmocka_unit_test(of_two_graph_nodes_with_one_name_the_first_stays),
        cmocka_unit_test(a_scalar_shape_is_one_and_an_unknown_rank_is_empty),
        cmocka_unit_test(runs_are_numbered_by_their_files),
        cmocka_unit_test(entries_of_unknown_nodes_make_nodes_but_for_bookkeeping),
        cmocka_unit_test(what_a_node_did_on_a_second_device_is_left_out_and_streams_are_kept),
        cmocka_unit_test(memory_of_a_run_is_summed_and_saturates),
        cmocka_unit_test(entries_without_a_start_have_no_time),
        cmocka_unit_test(run_metadata_without_step_stats_is_no_step),
        cmocka_unit_test(run_metadata_is_the_same_in_any_order_of_its_fields),
        cmocka_unit_test(a_fault_of_run_metadata_tells_its_place_in_any_number_of_pieces),
        cmocka_unit_test(an_op_log_adds_types_and_float_ops_and_the_first_trace),
        cmocka_unit_test(of_two_nodes_with_one_number_the_last_stays_and_of_one_name_the_first),
        cmocka_unit_test(a_step_that_comes_twice_in_a_node_starts_anew),
        cmocka_unit_test(inputs_of_a_profile_may_name_nodes_that_come_later),
        cmocka_unit_test(strings_of_traces_come_after_the_nodes),
        cmocka_unit_test(steps_that_are_not_listed_count_in_averages_only),
        cmocka_unit_test(files_of_another_kind_are_refused),
        cmocka_unit_test(empty_files_are_refused_and_files_without_data_are_told),
        cmocka_unit_test(every_cut_of_a_profile_ends_as_an_error_or_a_whole_profile),
        cmocka_unit_test(a_fault_tells_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
