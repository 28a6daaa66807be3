// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_xplane.c: XPlane traces: the spans that the reader adds, and the meaning of their names. */
#include "model/tables/code.h"
#include "model/tables/profile.h"

#include "formats/xplane/parts.h"
#include "model/tables/events.h"
#include "support.h"
#include "wire/proto.h"

#include <sys/stat.h>
#include <unistd.h>

#define SAMPLE TEST_DATA "/sample/xplane/"

/* The n-th span of that name. */
static uint32_t span_named(const tfp_profile *p, const char *name, size_t n)
{
    for (uint32_t i = 0; i < p->events->spans.size; i++)
        if (tfp_str_eq(tfp_text(p, p->events->spans.name[i]), tfp_str_of(name)) && n-- == 0) return i;
    fail_msg("no span %s", name);
    return 0;
}

static size_t count_of(const tfp_profile *p, tfp_span_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < p->events->spans.size; i++) n += p->events->spans.kind[i] == kind;
    return n;
}

static bool warned(const tfp_profile *p, const char *part)
{
    for (size_t i = 0; tfp_profile_warning(p, i); i++)
        if (strstr(tfp_profile_warning(p, i), part)) return true;
    return false;
}

/* ---- traces ---- */

static void start_and_end_are_each_rounded_down(void **state)
{
    (void)state;
    tfp_profile *p = profile_in_file(SAMPLE "gpu.xplane.pb");
    const tfp_span_columns *s = &p->events->spans;
    uint32_t kernel = span_named(p, "fusion_1", 0), call = span_named(p, "cuLaunchKernel", 0);
    assert_int_equal(s->start_ns[kernel], 1000 + 5000); /* plus 300 ps */
    assert_int_equal(s->duration_ns[kernel], 20000);
    assert_int_equal(s->duration_ns[call], 2000); /* plus 500 ps */
    tfp_profile_free(p);
}

static void kernels_have_paths_launches_and_classes(void **state)
{
    (void)state;
    tfp_profile *p = profile_in_file(SAMPLE "gpu.xplane.pb");
    const tfp_span_columns *s = &p->events->spans;
    uint32_t dot = span_named(p, "fusion_1", 0), copy = span_named(p, "copy_4", 0), d2h = span_named(p, "MemcpyD2H", 0);
    uint32_t reduce = span_named(p, "ncclDevKernel_AllReduce", 1);
    assert_str(tfp_text(p, s->path[dot]), "jit(step)/dense/dot_general");
    assert_str(tfp_text(p, s->op[dot]), "dot_general");
    assert_str(tfp_text(p, s->path[copy]), "(hlo)/jit_step/copy.4");
    assert_str(tfp_text(p, s->path[d2h]), "(no op)");
    assert_int_equal(s->class[d2h], TFP_CLASS_COPY);
    assert_int_equal(s->class[reduce], TFP_CLASS_COMMUNICATION);
    assert_int_equal(s->class[dot], TFP_CLASS_COMPUTE);
    assert_int_equal(s->kind[s->launch[dot]], TFP_SPAN_CALL);
    assert_int_equal(p->code->traces.at[s->trace[dot]].count, 2);
    assert_int_equal(count_of(p, TFP_SPAN_ACTIVITY), 10); /* derived lines are skipped */
    assert_int_equal(p->events->devices.size, 1);
    tfp_profile_free(p);
}

static tfp_profile *read_keeping(const char *name, unsigned keep)
{
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_profile_keep(p, keep), TFP_OK);
    if (tfp_profile_add_file(p, NULL, name, err) || tfp_profile_finish(p, err)) fail_msg("%s", tfp_error_message(err));
    tfp_error_free(err);
    return p;
}

static char *as_json(const tfp_profile *p, const char *view, const char *step)
{
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    assert_int_equal(tfp_options_set(o, "format", "json", NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "step", step, NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "max_depth", "100", NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, view, o, &r, NULL), TFP_OK);
    char *text = written(r, "json");
    tfp_report_free(r);
    tfp_options_free(o);
    return text;
}

static void sums_are_those_of_spans(void **state)
{
    (void)state;
    static const char *const files[] = { SAMPLE "gpu.xplane.pb",
                                         SAMPLE "tpu.xplane.pb",
                                         SAMPLE "host.xplane.pb",
                                         SAMPLE "steps/keras.xplane.pb",
                                         SAMPLE "steps/keras_gpu.xplane.pb",
                                         SAMPLE "steps/functions.xplane.pb",
                                         TEST_DATA "/sample/recorded/jax.xplane.pb.gz" };
    static const char *const steps[] = { "all", "mean", "0" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tfp_profile *spans = profile_in_file(files[i]), *sums = read_keeping(files[i], TFP_KEEP_SUMS);
        size_t rows = 0;
        for (size_t k = 0; k < sums->events->compact->lanes.size; k++)
            rows += sums->events->compact->lanes.at[k].first != NULL;
        assert_true(rows > 0 && sums->events->spans.size < spans->events->spans.size);
        for (size_t k = 0; k < 6; k++) {
            const char *view = k % 2 ? "op" : "scope";
            char *a = as_json(spans, view, steps[k / 2]), *b = as_json(sums, view, steps[k / 2]);
            assert_string_equal(a, b);
            free(a);
            free(b);
        }
        tfp_profile_free(spans);
        tfp_profile_free(sums);
    }
}

static void float_operations_of_rows_are_those_of_spans(void **state)
{
    (void)state;
    static const char *const files[] = { SAMPLE "gpu.xplane.pb", SAMPLE "tpu.xplane.pb", SAMPLE "rocm/rocm.xplane.pb",
                                         SAMPLE "buffers/streams.xplane.pb",
                                         TEST_DATA "/sample/recorded/jax.xplane.pb.gz" };
    size_t rows = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tfp_profile *spans = read_keeping(files[i], TFP_KEEP_PROGRAM);
        tfp_profile *groups = read_keeping(files[i], tfp_view_keep("flops", NULL) | TFP_KEEP_TOTAL);
        rows += groups->events->spans.size < spans->events->spans.size;
        char *a = as_json(spans, "flops", "all"), *b = as_json(groups, "flops", "all");
        assert_string_equal(a, b);
        free(a);
        free(b);
        tfp_profile_free(spans);
        tfp_profile_free(groups);
    }
    assert_true(rows > 2);
}

static void a_run_of_several_activities_begins_with_the_first_that_is_work(void **state)
{
    (void)state;
    bool open = false;
    assert_true(tfp_run_begins(0, true, &open));
    assert_false(tfp_run_begins(TFP_MARK_CONTINUES, true, &open));
    assert_true(tfp_run_begins(0, tfp_is_work(TFP_SPAN_ACTIVITY, TFP_CLASS_SET), &open));
    assert_true(tfp_run_begins(TFP_MARK_CONTINUES, tfp_is_work(TFP_SPAN_ACTIVITY, TFP_CLASS_COMPUTE), &open));
    assert_false(tfp_run_begins(TFP_MARK_CONTINUES, true, &open));
}

static void views_of_spans_are_refused_without_them(void **state)
{
    (void)state;
    tfp_profile *p = read_keeping(SAMPLE "gpu.xplane.pb", TFP_KEEP_SUMS);
    tfp_report *r = NULL;
    tfp_timeline *t = NULL;
    assert_int_equal(tfp_report_build(p, "kernel", NULL, &r, NULL), TFP_BADARG);
    assert_int_equal(tfp_records(p, "spans", -1, &r, NULL), TFP_BADARG);
    assert_int_equal(tfp_timeline_new(p, &t, NULL), TFP_BADARG);
    assert_int_equal(tfp_query((const tfp_profile *const *)&p, NULL, 1, "SELECT 1", NULL, &r, NULL), TFP_BADARG);
    tfp_profile_free(p);
}

static void runs_of_modules_are_steps_of_each_device(void **state)
{
    (void)state;
    tfp_profile *p = profile_in_file(SAMPLE "tpu.xplane.pb");
    const tfp_span_columns *s = &p->events->spans;
    assert_int_equal(tfp_profile_step_count(p), 3);
    assert_int_equal(p->events->windows.size, 6);
    uint32_t broadcast = span_named(p, "broadcast.1", 0), mul = span_named(p, "fusion.9", 0);
    assert_str(tfp_text(p, s->path[broadcast]), "(hlo)/jit_small/broadcast.1"); /* the module that ran at that time */
    assert_str(tfp_text(p, s->op[mul]), "mul");
    assert_int_equal(s->self_ns[span_named(p, "while.2", 0)], 4000);
    uint32_t async = span_named(p, "copy-start.5 (async)", 0);
    assert_int_equal(p->lanes->at[s->lane[async]].role, TFP_ROLE_ASYNC);
    assert_int_equal(s->class[async], TFP_CLASS_COPY);
    tfp_profile_free(p);
}

static void host_ops_are_told_by_their_names(void **state)
{
    (void)state;
    tfp_profile *p = profile_in_file(SAMPLE "host.xplane.pb");
    const tfp_span_columns *s = &p->events->spans;
    assert_int_equal(count_of(p, TFP_SPAN_OP), 9);
    assert_str(tfp_text(p, s->op[span_named(p, "layer/inner:_FusedMatMul", 0)]), "_FusedMatMul");
    assert_int_equal(s->kind[span_named(p, "not an op: it has blanks", 0)], TFP_SPAN_ANNOTATION);
    assert_int_equal(tfp_profile_step_count(p), 3); /* the roots */
    assert_int_equal(p->events->memory.size, 6);
    assert_int_equal(p->events->memory.at[0].bytes, 1024);
    assert_int_equal(p->events->memory.at[0].span, span_named(p, "layer/inner:_FusedMatMul", 0));
    uint32_t stats = s->stats[span_named(p, "softmax:Softmax", 0)];
    assert_true(stats != TFP_NONE); /* the text is compressed */
    assert_str(tfp_text(p, (tfp_strid)p->events->stats.at[p->events->stat_sets.at[stats].first].value.text),
               "unpacked");
    tfp_profile_free(p);
}

static void odd_files_are_read_and_told_of(void **state)
{
    (void)state;
    tfp_profile *p = profile_in_file(SAMPLE "odd.xplane.pb");
    const tfp_span_columns *s = &p->events->spans;
    assert_int_equal(count_of(p, TFP_SPAN_OP), 5);
    assert_int_equal(s->start_ns[0], 0); /* times since 1970 become relative to the first line */
    assert_int_equal(s->start_ns[span_named(p, "keep:Keep", 4)], 200000);
    assert_int_equal(s->lane[0], s->lane[span_named(p, "keep:Keep", 4)]); /* lines with the same id are merged */
    assert_true(warned(p, "metadata is missing") && warned(p, "negative duration") && warned(p, "absurd times"));
    assert_true(warned(p, "ran out of memory") && warned(p, "dropped") && warned(p, "HLO modules that cannot be read"));
    tfp_profile_free(p);
}

/* 40,000 events need several windows. */
static void long_lines_come_in_windows(void **state)
{
    (void)state;
    enum { EVENTS = 40000 };
    tfp_buf b = { 0 };
    size_t plane = tfp_put_open(&b, 1);
    tfp_put_bytes(&b, 2, TFP_STR("/host:CPU"));
    size_t line = tfp_put_open(&b, 3);
    for (int i = 0; i < EVENTS; i++) {
        size_t event = tfp_put_open(&b, 4);
        tfp_put_int(&b, 1, 1);
        tfp_put_int(&b, 2, INT64_C(2000000) * i);
        tfp_put_int(&b, 3, 1000000);
        tfp_put_close(&b, event);
    }
    tfp_put_close(&b, line);
    size_t entry = tfp_put_open(&b, 4);
    tfp_put_int(&b, 1, 1);
    size_t meta = tfp_put_open(&b, 2);
    tfp_put_bytes(&b, 2, TFP_STR("a/b:Op"));
    tfp_put_close(&b, meta);
    tfp_put_close(&b, entry);
    tfp_put_close(&b, plane);
    char *folder = new_folder(), *path = file_in(folder, "big.xplane.pb", b.data, b.size);
    tfp_profile *p = profile_in_file(path);
    assert_int_equal(p->events->spans.size, EVENTS);
    assert_int_equal(p->events->spans.start_ns[EVENTS - 1], INT64_C(2000) * (EVENTS - 1));
    tfp_profile_free(p);
    free(path);
    drop_folder(folder);
    tfp_buf_free(&b);
}

/* A stat has an id and a number or a reference. Writers use many forms of these, and all mean the same. */
static void stats_have_many_forms(void **state)
{
    (void)state;
    enum { OP = 3, FUSION = 70000, MODULE = 5, NAME = 6, ORDINAL = 7 };
    static const struct {
        int id;
        const char *name;
    } names[] = { { OP, "hlo_op" },
                  { FUSION, "all-reduce.1" },
                  { MODULE, "hlo_module" },
                  { NAME, "jit_f" },
                  { ORDINAL, "device_ordinal" } };
    tfp_buf b = { 0 };
    size_t plane = tfp_put_open(&b, 1);
    tfp_put_bytes(&b, 2, TFP_STR("/host:CPU"));
    size_t line = tfp_put_open(&b, 3);
    for (int form = 0; form < 4; form++) {
        size_t event = tfp_put_open(&b, 4), stat;
        tfp_put_int(&b, 1, 1);
        tfp_put_int(&b, 2, INT64_C(2000000) * form);
        tfp_put_int(&b, 3, 1000000);
        stat = tfp_put_open(&b, 4);
        if (form != 1) tfp_put_int(&b, 1, OP);
        if (form == 2) tfp_put_int(&b, 99, 1); /* an unknown field */
        tfp_put_int(&b, 7, FUSION);
        if (form == 1) tfp_put_int(&b, 1, OP);
        tfp_put_close(&b, stat);
        stat = tfp_put_open(&b, 4);
        tfp_put_int(&b, 1, MODULE);
        if (form == 3)
            tfp_put_bytes(&b, 5, TFP_STR("jit_f"));
        else
            tfp_put_int(&b, 7, NAME);
        tfp_put_close(&b, stat);
        stat = tfp_put_open(&b, 4);
        tfp_put_int(&b, 1, ORDINAL);
        tfp_put_int(&b, form % 2 ? 4 : 3, 0);
        tfp_put_close(&b, stat);
        tfp_put_close(&b, event);
    }
    tfp_put_close(&b, line);
    size_t entry = tfp_put_open(&b, 4);
    tfp_put_int(&b, 1, 1);
    size_t meta = tfp_put_open(&b, 2);
    tfp_put_bytes(&b, 2, TFP_STR("thunk"));
    tfp_put_close(&b, meta);
    tfp_put_close(&b, entry);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        entry = tfp_put_open(&b, 5);
        tfp_put_int(&b, 1, names[i].id);
        meta = tfp_put_open(&b, 2);
        tfp_put_bytes(&b, 2, tfp_str_of(names[i].name));
        tfp_put_close(&b, meta);
        tfp_put_close(&b, entry);
    }
    tfp_put_close(&b, plane);
    char *folder = new_folder(), *path = file_in(folder, "forms.xplane.pb", b.data, b.size);
    tfp_profile *p = profile_in_file(path);
    const tfp_span_columns *s = &p->events->spans;
    assert_int_equal(s->size, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_str(tfp_text(p, s->path[i]), "(hlo)/jit_f/all-reduce.1");
        assert_int_equal(s->kind[i], TFP_SPAN_OP);
        assert_int_equal(s->stats[i], s->stats[0]); /* equal sets of stats share one entry */
        assert_int_equal(s->class[i], TFP_CLASS_COMMUNICATION);
        assert_true(s->marks[i] & TFP_MARK_COLLECTIVE); /* so its node has the type communication */
    }
    tfp_profile_free(p);
    free(path);
    drop_folder(folder);
    tfp_buf_free(&b);
}

static void a_folder_is_its_last_recording(void **state)
{
    (void)state;
    char *folder = new_folder(), path[512], link[700];
    static const char *const parts[] = { "plugins", "plugins/profile", "plugins/profile/2026_01_01",
                                         "plugins/profile/2026_01_02" };
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(link, sizeof link, "%s/a.xplane.pb", path);
        if (i == 2) assert_int_equal(symlink(SAMPLE "odd.xplane.pb", link), 0);
        if (i == 3) assert_int_equal(symlink(SAMPLE "gpu.xplane.pb", link), 0);
        snprintf(link, sizeof link, "%s/b.xplane.pb", path);
        if (i == 3) assert_int_equal(symlink(SAMPLE "host.xplane.pb", link), 0);
    }
    tfp_profile *p = profile_in_file(folder);
    assert_int_equal(p->events->processes.size, 2);
    assert_int_equal(count_of(p, TFP_SPAN_ACTIVITY), 10);
    tfp_profile_free(p);
    for (size_t i = 4; i-- > 0;) {
        snprintf(link, sizeof link, "%s/%s/a.xplane.pb", folder, parts[i]);
        unlink(link);
        snprintf(link, sizeof link, "%s/%s/b.xplane.pb", folder, parts[i]);
        unlink(link);
        snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
        rmdir(path);
    }
    drop_folder(folder);
}

/* ---- names ---- */

static void classes_follow_from_names(void **state)
{
    (void)state;
    static const struct {
        tfp_xline_kind line;
        const char *name, *instruction;
        tfp_span_class class;
    } rows[] = {
        { XL_STREAM, "ncclKernel", "", TFP_CLASS_COMMUNICATION },
        { XL_STREAM, "my_AllReduce_kernel", "", TFP_CLASS_COMMUNICATION },
        { XL_STREAM, "cross_device_reduce_1", "", TFP_CLASS_COMMUNICATION },
        { XL_STREAM, "MemcpyH2D", "", TFP_CLASS_COPY },
        { XL_STREAM, "Memset", "", TFP_CLASS_SET },
        { XL_OPS, "copy.3", "copy.3", TFP_CLASS_COMPUTE },
        { XL_OPS, "copy-start.3", "copy-start.3", TFP_CLASS_COPY },
        { XL_OPS, "infeed", "infeed", TFP_CLASS_COPY },
        { XL_OPS, "all-reduce.1.clone", "all-reduce.1.clone", TFP_CLASS_COMMUNICATION },
        { XL_OPS, "send-done", "send-done", TFP_CLASS_COMMUNICATION },
        { XL_OPS, "sender", "sender", TFP_CLASS_COMPUTE },
        { XL_ASYNC, "copy-start", "copy-start", TFP_CLASS_COPY },
        { XL_ASYNC, "all-gather-start.2", "all-gather-start.2", TFP_CLASS_COMMUNICATION },
        { XL_HOST, "", "all-reduce.7", TFP_CLASS_COMMUNICATION },
        { XL_HOST, "", "all_gather.7", TFP_CLASS_COMPUTE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(tfp_xplane_class_of(rows[i].line, tfp_str_of(rows[i].name), tfp_str_of(rows[i].instruction)),
                         rows[i].class);
}

static void places_follow_from_op_names(void **state)
{
    (void)state;
    static const char *const rows[][4] = {
        /* op name, instruction -> path, op */
        { "jit(f)/layer1/transpose_3:", "x", "jit(f)/layer1/transpose_3", "transpose" },
        { "a/b:MatMul", "x", "a/b", "MatMul" },
        { "jit(f)/a;jit(f)/b", "x", "jit(f)/a", "a" },
        { "_a:B", "x", "_a:B", "_a:B" }, /* there is no node with this name */
        { "a:b", "x", "a:b", "a:b" },
        { "", "all-reduce.1.clone", "(hlo)/m/all-reduce.1.clone", "all-reduce" },
        { "jvp()", "x", "jvp()", "jvp()" }
    };
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p, .file = "test" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tfp_hlo_where w = tfp_hlo_place_of(&b, tfp_str_of(rows[i][0]), TFP_STR("m"), tfp_str_of(rows[i][1]));
        assert_string_equal(tfp_text(p, w.path).data, rows[i][2]);
        assert_string_equal(tfp_text(p, w.op).data, rows[i][3]);
    }
    tfp_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_and_end_are_each_rounded_down),
        cmocka_unit_test(kernels_have_paths_launches_and_classes),
        cmocka_unit_test(sums_are_those_of_spans),
        cmocka_unit_test(float_operations_of_rows_are_those_of_spans),
        cmocka_unit_test(a_run_of_several_activities_begins_with_the_first_that_is_work),
        cmocka_unit_test(views_of_spans_are_refused_without_them),
        cmocka_unit_test(runs_of_modules_are_steps_of_each_device),
        cmocka_unit_test(host_ops_are_told_by_their_names),
        cmocka_unit_test(odd_files_are_read_and_told_of),
        cmocka_unit_test(long_lines_come_in_windows),
        cmocka_unit_test(stats_have_many_forms),
        cmocka_unit_test(a_folder_is_its_last_recording),
        cmocka_unit_test(classes_follow_from_names),
        cmocka_unit_test(places_follow_from_op_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
