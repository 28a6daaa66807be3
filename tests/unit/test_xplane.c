// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_xplane.c: XPlane traces and HLO modules: what spans the reader makes, and what instructions cost. */
#include "support.h"

#include "formats/hlo.h"
#include "formats/xplane_parts.h"
#include "wire/proto.h"

#include <sys/stat.h>
#include <unistd.h>

#define SAMPLE TEST_DATA "/sample/xplane/"

static tfp_profile *read_file(const char *name)
{
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    if (tfp_profile_add_file(p, NULL, name, err) || tfp_profile_finish(p, err)) fail_msg("%s", tfp_error_message(err));
    tfp_error_free(err);
    return p;
}

/* The n-th span of that name. */
static uint32_t span_named(const tfp_profile *p, const char *name, size_t n)
{
    for (uint32_t i = 0; i < p->events.spans.size; i++)
        if (tfp_str_eq(tfp_text(p, p->events.spans.name[i]), tfp_str_of(name)) && n-- == 0) return i;
    fail_msg("no span %s", name);
    return 0;
}

static size_t count_of(const tfp_profile *p, tfp_span_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < p->events.spans.size; i++) n += p->events.spans.kind[i] == kind;
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
    tfp_profile *p = read_file(SAMPLE "gpu.xplane.pb");
    const tfp_span_columns *s = &p->events.spans;
    uint32_t kernel = span_named(p, "fusion_1", 0), call = span_named(p, "cuLaunchKernel", 0);
    assert_int_equal(s->start_ns[kernel], 1000 + 5000); /* 300 ps more */
    assert_int_equal(s->duration_ns[kernel], 20000);
    assert_int_equal(s->duration_ns[call], 2000); /* 500 ps more */
    tfp_profile_free(p);
}

static void kernels_have_paths_launches_and_classes(void **state)
{
    (void)state;
    tfp_profile *p = read_file(SAMPLE "gpu.xplane.pb");
    const tfp_span_columns *s = &p->events.spans;
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
    assert_int_equal(p->traces.at[s->trace[dot]].count, 2);
    assert_int_equal(count_of(p, TFP_SPAN_ACTIVITY), 10); /* derived lines are none */
    assert_int_equal(p->events.devices.size, 1);
    tfp_profile_free(p);
}

static tfp_profile *read_sums(const char *name)
{
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_profile_keep(p, TFP_KEEP_SUMS), TFP_OK);
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
    static const char *const files[] = { SAMPLE "gpu.xplane.pb", SAMPLE "tpu.xplane.pb", SAMPLE "host.xplane.pb",
                                         TEST_DATA "/sample/recorded/jax.xplane.pb.gz" };
    static const char *const steps[] = { "all", "mean", "0" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tfp_profile *spans = read_file(files[i]), *sums = read_sums(files[i]);
        size_t rows = 0;
        for (size_t k = 0; k < sums->events.slims.size; k++) rows += sums->events.slims.at[k].first != NULL;
        assert_true(rows > 0 && sums->events.spans.size < spans->events.spans.size);
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

static void views_of_spans_are_refused_without_them(void **state)
{
    (void)state;
    tfp_profile *p = read_sums(SAMPLE "gpu.xplane.pb");
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
    tfp_profile *p = read_file(SAMPLE "tpu.xplane.pb");
    const tfp_span_columns *s = &p->events.spans;
    assert_int_equal(tfp_profile_step_count(p), 3);
    assert_int_equal(p->events.windows.size, 6);
    uint32_t broadcast = span_named(p, "broadcast.1", 0), mul = span_named(p, "fusion.9", 0);
    assert_str(tfp_text(p, s->path[broadcast]), "(hlo)/jit_small/broadcast.1"); /* the module that ran then */
    assert_str(tfp_text(p, s->op[mul]), "mul");
    assert_int_equal(s->self_ns[span_named(p, "while.2", 0)], 4000);
    uint32_t async = span_named(p, "copy-start.5 (async)", 0);
    assert_int_equal(p->lanes.at[s->lane[async]].role, TFP_ROLE_ASYNC);
    assert_int_equal(s->class[async], TFP_CLASS_COPY);
    tfp_profile_free(p);
}

static void host_ops_are_told_by_their_names(void **state)
{
    (void)state;
    tfp_profile *p = read_file(SAMPLE "host.xplane.pb");
    const tfp_span_columns *s = &p->events.spans;
    assert_int_equal(count_of(p, TFP_SPAN_OP), 9);
    assert_str(tfp_text(p, s->op[span_named(p, "layer/inner:_FusedMatMul", 0)]), "_FusedMatMul");
    assert_int_equal(s->kind[span_named(p, "not an op: it has blanks", 0)], TFP_SPAN_ANNOTATION);
    assert_int_equal(tfp_profile_step_count(p), 3); /* roots */
    assert_int_equal(p->events.memory.size, 6);
    assert_int_equal(p->events.memory.at[0].bytes, 1024);
    assert_int_equal(p->events.memory.at[0].span, span_named(p, "layer/inner:_FusedMatMul", 0));
    uint32_t stats = s->stats[span_named(p, "softmax:Softmax", 0)];
    assert_true(stats != TFP_NONE); /* a compressed text */
    assert_str(tfp_text(p, (tfp_strid)p->events.stats.at[p->events.stat_sets.at[stats].first].value.text), "unpacked");
    tfp_profile_free(p);
}

static void odd_files_are_read_and_told_of(void **state)
{
    (void)state;
    tfp_profile *p = read_file(SAMPLE "odd.xplane.pb");
    const tfp_span_columns *s = &p->events.spans;
    assert_int_equal(count_of(p, TFP_SPAN_OP), 5);
    assert_int_equal(s->start_ns[0], 0); /* times since 1970 begin with the first line */
    assert_int_equal(s->start_ns[span_named(p, "keep:Keep", 4)], 200000);
    assert_int_equal(s->lane[0], s->lane[span_named(p, "keep:Keep", 4)]); /* lines of one id are one */
    assert_true(warned(p, "type that is not there") && warned(p, "negative duration") && warned(p, "absurd times"));
    assert_true(warned(p, "ran out of memory") && warned(p, "dropped") && warned(p, "HLO modules that cannot be read"));
    tfp_profile_free(p);
}

/* 40,000 events: several windows. */
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
    tfp_profile *p = read_file(path);
    assert_int_equal(p->events.spans.size, EVENTS);
    assert_int_equal(p->events.spans.start_ns[EVENTS - 1], INT64_C(2000) * (EVENTS - 1));
    tfp_profile_free(p);
    free(path);
    drop_folder(folder);
    tfp_buf_free(&b);
}

/* Stats are an id and a number or a reference; all that follows is written by somebody, and means the same. */
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
    tfp_profile *p = read_file(path);
    const tfp_span_columns *s = &p->events.spans;
    assert_int_equal(s->size, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_str(tfp_text(p, s->path[i]), "(hlo)/jit_f/all-reduce.1");
        assert_int_equal(s->kind[i], TFP_SPAN_OP);
        assert_int_equal(s->stats[i], s->stats[0]); /* equal sets of stats are one */
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
    tfp_profile *p = read_file(folder);
    assert_int_equal(p->events.processes.size, 2);
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
        { "_a:B", "x", "_a:B", "_a:B" }, /* no node is called so */
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

/* ---- HLO ---- */

/* Operations of the instruction r in a module of these lines, and its bytes. */
static tfp_hlo_cost cost_of(const char *before, const char *lines)
{
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p, .file = "test" };
    tfp_error *err = tfp_error_new();
    tfp_hlo_module m;
    tfp_buf text = { 0 };
    tfp_buf_printf(&text, "HloModule m\n\n%sENTRY e {\n%s}\n", before, lines);
    if (tfp_hlo_read_text(&b, (tfp_str){ text.data, text.size }, &m, err)) fail_msg("%s", tfp_error_message(err));
    uint32_t at = tfp_hlo_find(&m, tfp_build_string(&b, TFP_STR("r")));
    assert_true(at != TFP_NONE);
    tfp_hlo_cost cost = m.instructions.at[at].cost;
    tfp_hlo_free(&m);
    tfp_buf_free(&text);
    tfp_error_free(err);
    tfp_profile_free(p);
    return cost;
}

#define SUM "s {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\n"

static void instructions_have_costs(void **state)
{
    (void)state;
    static const struct {
        const char *before, *lines;
        int64_t flops, bytes;
        bool counted;
    } rows[] = {
        { "",
          "  x = f32[8,16]{1,0} parameter(0)\n  y = f32[16,4] parameter(1)\n"
          "  ROOT r = f32[8,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
          2 * 8 * 4 * 16, 4 * (128 + 64 + 32), true },
        { "",
          "  x = f32[2,12,12,3] parameter(0)\n  k = f32[3,3,3,6] parameter(1)\n"
          "  ROOT r = f32[2,10,10,6] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f\n",
          2 * 1200 * 9 * 3, 4 * (864 + 162 + 1200), true },
        { "",
          "  x = f32[4,8] parameter(0)\n  k = f32[3,1,8] parameter(1)\n"
          "  ROOT r = f32[4,8] convolution(x, k), window={size=3 pad=1_1}, dim_labels=0f_0io->0f, "
          "feature_group_count=8\n",
          2 * 32 * 3, 4 * (32 + 24 + 32), true },
        { "", "  x = f32[10] parameter(0)\n  ROOT r = f32[10] tanh(x)\n", 10, 80, true },
        { "", "  x = s32[10] parameter(0)\n  ROOT r = s32[10] add(x, x)\n", 0, 120, true },
        { "", "  x = f32[10] parameter(0)\n  ROOT r = pred[10] compare(x, x), direction=LT\n", 10, 90, true },
        { SUM,
          "  x = f32[10,3] parameter(0)\n  z = f32[] constant(0)\n"
          "  ROOT r = f32[3] reduce(x, z), dimensions={0}, to_apply=s\n",
          27, 4 * (30 + 1 + 3), true },
        { SUM,
          "  x = f32[16] parameter(0)\n  z = f32[] constant(0)\n"
          "  ROOT r = f32[8] reduce-window(x, z), window={size=2 stride=2}, to_apply=s\n",
          8, 4 * (16 + 1 + 8), true },
        { "", "  x = c64[64] parameter(0)\n  ROOT r = c64[64] fft(x), fft_type=FFT, fft_length={64}\n", 5 * 64 * 6,
          1024, true },
        { "", "  x = f32[64] parameter(0)\n  ROOT r = c64[33] fft(x), fft_type=RFFT, fft_length={64}\n", 5 * 64 * 6 / 2,
          4 * 64 + 8 * 33, true },
        { "", "  x = f32[9,9] parameter(0)\n  ROOT r = f32[9,9] cholesky(x)\n", 243, 648, true },
        { "", "  x = bf16[64] parameter(0)\n  ROOT r = bf16[64] all-reduce(x), replica_groups={}\n", 64, 256, true },
        { "",
          "  x = f32[8,16] parameter(0)\n  y = f32[16,4] parameter(1)\n"
          "  ROOT r = (f32[8,4], s8[99]) custom-call(x, y), custom_call_target=\"__cublas$gemm\", "
          "backend_config={\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}\n",
          1024, 4 * (128 + 64 + 32) + 99, true },
        { "", "  x = f32[8] parameter(0)\n  ROOT r = f32[8] custom-call(x), custom_call_target=\"mine\"\n", 0, 64,
          false },
        { "",
          "  q = bf16[2,4,32,16] parameter(0)\n  k = bf16[2,4,64,16] parameter(1)\n  v = bf16[2,4,64,16] parameter(2)\n"
          "  ROOT r = (bf16[2,4,32,16], u8[9]) custom-call(q, k, v), custom_call_target=\"__cudnn$fmhaSoftmax\", "
          "backend_config={\"bmm1_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"3\"],"
          "\"lhs_batch_dimensions\":[\"0\",\"1\"]}}\n",
          2 * 2 * 2 * 4 * 32 * 64 * 16, 2 * 2 * 4 * 16 * (32 + 64 + 64 + 32) + 9, true },
        { "",
          "  a = f32[8,8] parameter(0)\n  b = f32[8,3] parameter(1)\n"
          "  ROOT r = f32[8,3] custom-call(a, b), custom_call_target=\"blas_strsm_ffi\"\n",
          8 * 8 * 3, 4 * (64 + 24 + 24), true },
        { "",
          "  a = f32[9,9] parameter(0)\n  ROOT r = (f32[9,9], s32[]) custom-call(a), "
          "custom_call_target=\"lapack_spotrf_ffi\"\n",
          243, 4 * (81 + 81 + 1), true },
        { "",
          "  x = f32[8] parameter(0)\n  ROOT r = f32[8] custom-call(x), custom_call_target=\"tpu_custom_call\", "
          "backend_config={\"custom_call_config\":{\"cost_estimate\":{\"transcendentals\":\"7\",\"flops\":\"42\"}}}\n",
          42, 64, true },
        { "f {\n  p = f32[8] parameter(0)\n  ROOT q = f32[8] multiply(p, p)\n}\n\n",
          "  x = f32[8] parameter(0)\n  ROOT r = f32[8] custom-call(x), custom_call_target=\"__triton\", "
          "called_computations={f}\n",
          8, 64, true },
        { "", "  x = f32[8] parameter(0)\n  ROOT r = f32[8] something-new(x)\n", 0, 64, false },
        { "f {\n  p = f32[8] parameter(0)\n  q = f32[8] multiply(p, p)\n  ROOT o = f32[8] exponential(q)\n}\n\n",
          "  x = f32[8] parameter(0)\n  ROOT r = f32[8] fusion(x), kind=kLoop, calls=f\n", 16, 64, true },
        { "b {\n  p = f32[8] parameter(0)\n  ROOT q = f32[8] multiply(p, p)\n}\n\n"
          "c {\n  p.1 = f32[8] parameter(0)\n  ROOT t = pred[] constant(true)\n}\n\n",
          "  x = f32[8] parameter(0)\n  ROOT r = f32[8] while(x), condition=c, body=b\n", 0, 0, true },
        { "",
          "  x = f32[100] parameter(0)\n  i = s32[] parameter(1)\n"
          "  ROOT r = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}\n",
          0, 32, true },
        { "", "  x = f32[4611686018427387904,4] parameter(0)\n  ROOT r = f32[4611686018427387904,4] add(x, x)\n", 0,
          TFP_HLO_UNKNOWN, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tfp_hlo_cost c = cost_of(rows[i].before, rows[i].lines);
        assert_int_equal(c.flops, rows[i].flops);
        assert_int_equal(c.bytes, rows[i].bytes);
        assert_int_equal(c.counted, rows[i].counted);
    }
}

static void modules_that_call_themselves_end(void **state)
{
    (void)state;
    tfp_hlo_cost c = cost_of("f {\n  p = f32[8] parameter(0)\n  ROOT o = f32[8] call(p), to_apply=g\n}\n\n"
                             "g {\n  p2 = f32[8] parameter(0)\n  ROOT o2 = f32[8] call(p2), to_apply=f\n}\n\n",
                             "  x = f32[8] parameter(0)\n  ROOT r = f32[8] call(x), to_apply=f\n");
    assert_int_equal(c.flops, 0);
}

/* Runs and float operations of the instruction `name` in a profile of the text. */
static const tfp_instruction *instruction_of(const tfp_profile *p, const char *name)
{
    for (size_t i = 0; i < p->instructions.size; i++)
        if (strcmp(tfp_text(p, p->instructions.at[i].name).data, name) == 0) return &p->instructions.at[i];
    fail_msg("no instruction %s", name);
    return NULL;
}

static void computations_run_as_often_as_they_are_called(void **state)
{
    (void)state;
    static const char text[] =
        "HloModule m\n\n"
        "square {\n  p = f32[8] parameter(0)\n  ROOT sq = f32[8] multiply(p, p)\n}\n\n"
        "cond {\n  c = f32[8] parameter(0)\n  ROOT t = pred[] constant(true)\n}\n\n"
        "body {\n  b = f32[8] parameter(0)\n  ROOT s = f32[8] call(b), to_apply=square\n}\n\n"
        "cheap {\n  d = f32[8] parameter(0)\n  e = f32[8] negate(d)\n  ROOT g = f32[8] negate(e)\n}\n\n"
        "dear {\n  h = f32[8] parameter(0)\n  ROOT w = f32[8] while(h), condition=cond, body=body, "
        "backend_config={\"known_trip_count\":{\"n\":\"5\"}}\n}\n\n"
        "f {\n  q = f32[8] parameter(0)\n  ROOT in = f32[8] tanh(q)\n}\n\n"
        "ENTRY main {\n  x = f32[8] parameter(0)\n  i = s32[] parameter(1)\n  one = f32[8] call(x), to_apply=square\n"
        "  two = f32[8] conditional(i, one, one), branch_computations={cheap, dear}\n"
        "  ROOT r = f32[8] fusion(two), kind=kLoop, calls=f\n}\n";
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    if (tfp_profile_add_bytes(p, "hlo", "m.txt", text, sizeof text - 1, err)) fail_msg("%s", tfp_error_message(err));
    assert_int_equal(instruction_of(p, "sq")->runs, 1 + 5); /* called by the entry, and in each iteration */
    assert_int_equal(instruction_of(p, "e")->runs, 0);      /* the branch with the loop takes more */
    assert_int_equal(instruction_of(p, "w")->runs, 1);
    assert_int_equal(instruction_of(p, "r")->float_ops, 8); /* a fusion has what it holds, */
    assert_int_equal(instruction_of(p, "r")->own_float_ops, 0);
    assert_int_equal(instruction_of(p, "in")->own_float_ops, 8); /* which is a node too */
    assert_true(instruction_of(p, "in")->inside && !instruction_of(p, "sq")->inside);
    assert_int_equal(instruction_of(p, "one")->float_ops, 0); /* what it calls runs by itself */
    tfp_error_free(err);
    tfp_profile_free(p);
}

/* Trips of a loop whose counter begins at `first`, steps by `stride` and is compared with `limit`. */
static int64_t trips_of(const char *first, const char *stride, const char *limit, const char *direction)
{
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p, .file = "test" };
    tfp_error *err = tfp_error_new();
    tfp_hlo_module m;
    tfp_buf text = { 0 };
    tfp_buf_printf(&text,
                   "HloModule m\n\nb {\n  t = (f32[], s32[]) parameter(0)\n  x = f32[] get-tuple-element(t), index=0\n"
                   "  i = s32[] get-tuple-element(t), index=1\n  s = s32[] constant(%s)\n  n = s32[] add(s, i)\n"
                   "  ROOT o = (f32[], s32[]) tuple(x, n)\n}\n\n"
                   "c {\n  u = (f32[], s32[]) parameter(0)\n  j = s32[] get-tuple-element(u), index=1\n"
                   "  l = s32[] constant(%s)\n  ROOT q = pred[] compare(j, l), direction=%s\n}\n\n"
                   "ENTRY e {\n  y = f32[] parameter(0)\n  f = s32[] constant(%s)\n"
                   "  a = (f32[], s32[]) tuple(y, f)\n  ROOT r = (f32[], s32[]) while(a), condition=c, body=b\n}\n",
                   stride, limit, direction, first);
    if (tfp_hlo_read_text(&b, (tfp_str){ text.data, text.size }, &m, err)) fail_msg("%s", tfp_error_message(err));
    int64_t trips = m.instructions.at[tfp_hlo_find(&m, tfp_build_string(&b, TFP_STR("r")))].trips;
    tfp_hlo_free(&m);
    tfp_buf_free(&text);
    tfp_error_free(err);
    tfp_profile_free(p);
    return trips;
}

static void loops_that_count_have_trips(void **state)
{
    (void)state;
    assert_int_equal(trips_of("0", "1", "20", "LT"), 20);
    assert_int_equal(trips_of("3", "2", "10", "LT"), 4);
    assert_int_equal(trips_of("3", "2", "9", "LE"), 4);
    assert_int_equal(trips_of("5", "1", "5", "LT"), 0);
    assert_int_equal(trips_of("-3", "1", "3", "LT"), 6);
    assert_int_equal(trips_of("0", "0", "20", "LT"), -1);
    assert_int_equal(trips_of("0", "-1", "20", "LT"), -1);
    assert_int_equal(trips_of("0", "1", "20", "NE"), -1);
    assert_int_equal(trips_of("0", "1.5", "20", "LT"), -1);
    assert_int_equal(trips_of("-9223372036854775808", "1", "9223372036854775807", "LT"), -1);
    assert_int_equal(trips_of("0", "1", "9223372036854775807", "LE"), -1);
}

static void text_that_is_none_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0)\n", "cut short" },
        { "HloModule m\n\nENTRY e {\n  x = f32[8\n}\n", "4:" },
        { "HloModule m\n\nENTRY e {\n  x f32[8] parameter(0)\n}\n", "4:5: no instruction" },
        { "HloModule m\n\nENTRY e {\n  x = f32[8] (0)\n}\n", "4:14: no operation" },
        { "HloModule m\nHloModule n\n", "2:11: a second module" },
        { "HloModule m\nwhat is this\n", "2:1: neither" },
        { "HloModule m\n", "no instructions" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tfp_profile *p = tfp_profile_new();
        tfp_error *err = tfp_error_new();
        assert_fails(tfp_profile_add_bytes(p, "hlo", "m.txt", rows[i][0], strlen(rows[i][0]), err), err, TFP_BADFILE,
                     rows[i][1]);
        tfp_error_free(err);
        tfp_profile_free(p);
    }
}

static void proto_and_text_say_the_same(void **state)
{
    (void)state;
    tfp_profile *proto = read_file(SAMPLE "step.hlo.pb"), *text = read_file(SAMPLE "step.hlo.txt");
    assert_int_equal(proto->nodes.size, text->nodes.size);
    assert_int_equal(proto->inputs.size, text->inputs.size);
    for (size_t i = 0; i < proto->nodes.size; i++) {
        const tfp_node *a = &proto->nodes.at[i], *b = &text->nodes.at[i];
        assert_string_equal(tfp_text(proto, a->name).data, tfp_text(text, b->name).data);
        assert_int_equal(a->float_ops, b->float_ops);
        assert_int_equal(a->trace, b->trace);
    }
    uint32_t tanh = tfp_find_node(proto, TFP_STR("jit(step)/while/body/tanh"));
    assert_int_equal(proto->nodes.at[tanh].float_ops, 5 * 32); /* five iterations */
    tfp_profile_free(proto);
    tfp_profile_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_and_end_are_each_rounded_down),
        cmocka_unit_test(kernels_have_paths_launches_and_classes),
        cmocka_unit_test(sums_are_those_of_spans),
        cmocka_unit_test(views_of_spans_are_refused_without_them),
        cmocka_unit_test(runs_of_modules_are_steps_of_each_device),
        cmocka_unit_test(host_ops_are_told_by_their_names),
        cmocka_unit_test(odd_files_are_read_and_told_of),
        cmocka_unit_test(long_lines_come_in_windows),
        cmocka_unit_test(stats_have_many_forms),
        cmocka_unit_test(a_folder_is_its_last_recording),
        cmocka_unit_test(classes_follow_from_names),
        cmocka_unit_test(places_follow_from_op_names),
        cmocka_unit_test(instructions_have_costs),
        cmocka_unit_test(modules_that_call_themselves_end),
        cmocka_unit_test(computations_run_as_often_as_they_are_called),
        cmocka_unit_test(loops_that_count_have_trips),
        cmocka_unit_test(text_that_is_none_is_refused_with_its_place),
        cmocka_unit_test(proto_and_text_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
