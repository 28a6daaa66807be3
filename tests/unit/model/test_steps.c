// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_steps.c: steps of traces that do not mark any: what is used in place of marks, and which note
 * the report has. */
#include "model/tables/compact.h"

#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"
#include "model/tables/step_marks.h"
#include "support.h"
#include "views/core/notes.h"

#define SAMPLE TEST_DATA "/sample/xplane/steps/"

/* "10+40 50+40": start and length of the windows, in microseconds; freed by the caller. */
static char *windows_of(const tfp_profile *p)
{
    tfp_buf b = { 0 };
    for (size_t i = 0; i < p->events->windows.size; i++) {
        const tfp_step_window *w = &p->events->windows.at[i];
        tfp_buf_printf(&b, "%s%g+%g", i ? " " : "", (double)w->start_ns / 1e3, (double)(w->end_ns - w->start_ns) / 1e3);
    }
    tfp_buf_char(&b, '\0');
    return b.data;
}

static tfp_profile *read_sums(const char *name)
{
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_keep(p, TFP_KEEP_SUMS), TFP_OK);
    assert_int_equal(tfp_profile_add_file(p, NULL, name, NULL), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    return p;
}

/* Sums without spans have the same steps, with the same share of the work. */
static void assert_steps(const char *file, tfp_step_source source, const char *windows)
{
    tfp_profile *spans = profile_in_file(file), *sums = read_sums(file);
    assert_true(sums->events->compact->lanes.size > 0);
    for (int i = 0; i < 2; i++) {
        tfp_profile *p = i ? sums : spans;
        char *got = windows_of(p);
        assert_string_equal(got, windows);
        assert_int_equal(p->events->processes.at[0].steps, source);
        assert_int_equal(p->events->processes.at[0].work_ns, spans->events->processes.at[0].work_ns);
        assert_int_equal(p->events->processes.at[0].work_in_steps_ns, spans->events->processes.at[0].work_in_steps_ns);
        free(got);
    }
    tfp_profile_free(spans);
    tfp_profile_free(sums);
}

/* A step lasts from start to start; the last one ends with its own work, not with the checkpoint that is saved after
 * it. */
static void calls_of_keras_are_steps(void **state)
{
    (void)state;
    assert_steps(SAMPLE "keras.xplane.pb", TFP_STEPS_KERAS, "10+40 50+40 90+36");
}

/* The last call's work ends with the kernel that another thread launched before it returned. */
static void work_may_go_on_behind_a_call(void **state)
{
    (void)state;
    assert_steps(SAMPLE "keras_gpu.xplane.pb", TFP_STEPS_KERAS, "0+30 30+30 60+28");
}

/* Steps come neither from the function that does little, nor from threads that prepare input; a function that is traced
 * again stays the same one. */
static void roots_of_the_function_that_works_are_steps(void **state)
{
    (void)state;
    assert_steps(SAMPLE "functions.xplane.pb", TFP_STEPS_ROOTS, "1.5+50 51.5+50 101.5+27.5");
}

static void roots_that_wait_for_their_work_are_steps(void **state)
{
    (void)state;
    assert_steps(SAMPLE "outside.xplane.pb", TFP_STEPS_ROOTS, "110+20 140+20");
}

static tfp_report *report_in(const tfp_profile *p, const char *view)
{
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    assert_int_equal(tfp_report_build(p, view, o, &r, NULL), TFP_OK);
    tfp_options_free(o);
    return r;
}

static void guessed_steps_are_said(void **state)
{
    (void)state;
    static const char *const views[] = { "info", "summary", "steps", "advise" };
    tfp_profile *guessed = profile_in_file(SAMPLE "keras.xplane.pb");
    tfp_profile *marked = profile_in_file(TEST_DATA "/sample/xplane/gpu.xplane.pb");
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        tfp_report *of_guessed = report_in(guessed, views[i]), *of_marked = report_in(marked, views[i]);
        assert_true(of_guessed->notes.size > 0);
        assert_non_null(strstr(of_guessed->notes.at[0].text, "steps are guessed"));
        assert_string_equal(tfp_report_note_code(of_guessed, 0), "steps_guessed");
        assert_non_null(strstr(of_guessed->notes.at[0].text, "88% of the host's work lies in them"));
        for (size_t k = 0; k < of_marked->notes.size; k++) assert_null(strstr(of_marked->notes.at[k].text, "guessed"));
        tfp_report_free(of_guessed);
        tfp_report_free(of_marked);
    }
    tfp_profile_free(guessed);
    tfp_profile_free(marked);
}

static void steps_that_hold_little_of_the_work_have_no_findings(void **state)
{
    (void)state;
    tfp_profile *little = profile_in_file(SAMPLE "outside.xplane.pb"),
                *most = profile_in_file(SAMPLE "keras.xplane.pb");
    tfp_report *none = report_in(little, "advise"), *some = report_in(most, "advise");
    assert_int_equal(none->findings.size, 0); /* half of each step is a wait for input */
    assert_non_null(strstr(none->notes.at[0].text, "15% of the host's work lies in them, too little for findings"));
    assert_true(some->findings.size > 0);
    tfp_report_free(none);
    tfp_report_free(some);
    tfp_profile_free(little);
    tfp_profile_free(most);
}

static void names_tell_the_functions_of_keras(void **state)
{
    (void)state;
    static const char *const are[] = { "multi_step_on_iterator",
                                       "one_step_on_iterator",
                                       "train_function",
                                       "multi_step_on_data",
                                       "EagerLocalExecute: __inference_test_function_12",
                                       "__inference_train_function_7",
                                       "EagerLocalExecute: __inference_multi_step_on_iterator_1078",
                                       "$training.py:1338 predict_function",
                                       "one_step_on_data_distributed" };
    static const char *const are_not[] = { "",
                                           "$",
                                           "one_step_on_data",
                                           "$training.py:1200 make_train_function",
                                           "train function",
                                           "step",
                                           "multi_step_on_iterator_2",
                                           "run the train_function" };
    for (size_t i = 0; i < sizeof are / sizeof *are; i++) assert_true(tfp_is_keras_step(tfp_str_of(are[i])));
    for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++)
        assert_false(tfp_is_keras_step(tfp_str_of(are_not[i])));
    tfp_str name;
    assert_true(tfp_function_called(TFP_STR("EagerLocalExecute: __inference_step_2_8340"), &name));
    assert_str(name, "step_2");
    assert_false(tfp_function_called(TFP_STR("EagerLocalExecute: MatMul"), &name));
    assert_false(tfp_function_called(TFP_STR("EagerLocalExecute: __inference_"), &name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_keras_are_steps),
        cmocka_unit_test(work_may_go_on_behind_a_call),
        cmocka_unit_test(roots_of_the_function_that_works_are_steps),
        cmocka_unit_test(roots_that_wait_for_their_work_are_steps),
        cmocka_unit_test(guessed_steps_are_said),
        cmocka_unit_test(steps_that_hold_little_of_the_work_have_no_findings),
        cmocka_unit_test(names_tell_the_functions_of_keras),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
