// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/test_outputs_pprof.c: pprof of profiles made by hand, and a profile written and read back. */
#include "model/tables/code.h"

#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "outputs_made.h"
#include "wire/proto.h"

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
                                         "conv"))); /* a string in the string table */
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
    assert_int_equal(at[0].line, 10); /* the line of the caller */
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
    assert_int_equal(again->graph->nodes.at[y2].float_ops, 12);
    assert_int_equal(again->graph->inputs.at[again->graph->nodes.at[y2].input_first].node, x2);
    assert_int_equal(again->code->frames.at[0].line, 3);
    tfp_buf_free(&bytes);
    tfp_profile_free(again);
    tfp_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pprof_of_scopes_takes_names_apart),
        cmocka_unit_test(pprof_pairs_a_function_with_its_own_line),
        cmocka_unit_test(pprof_wants_one_number),
        cmocka_unit_test(a_written_profile_reads_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
