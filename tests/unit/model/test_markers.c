// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_markers.c: which ranges of a trace mark its steps, by their names. */
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "support.h"

/* The steps of a trace with these ranges, "THREAD START LENGTH NAME" in one string each: "3:10+40 4:50+40" is number,
 * start and length; "-" is a trace whose one step is the whole of it. Freed by the caller. */
static char *steps_of(const char *category, const char *const *ranges, size_t count)
{
    tfp_buf text = { 0 }, got = { 0 };
    tfp_profile *p = tfp_profile_new();
    tfp_buf_text(&text, "{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\","
                        "\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":999,\"args\":{}}");
    for (size_t i = 0; i < count; i++) {
        int thread, start, length, at;
        assert_int_equal(sscanf(ranges[i], "%d %d %d %n", &thread, &start, &length, &at), 3);
        tfp_buf_printf(&text,
                       ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d}",
                       category, ranges[i] + at, thread, start, length);
    }
    tfp_buf_text(&text, "]}");
    assert_int_equal(tfp_profile_add_bytes(p, NULL, "trace", text.data, text.size, NULL), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    bool whole = p->events->processes.at[0].steps == TFP_STEPS_NONE;
    for (size_t i = 0; !whole && i < p->events->windows.size; i++) {
        const tfp_step_window *w = &p->events->windows.at[i];
        tfp_buf_printf(&got, "%s%lld:%lld+%lld", i ? " " : "", (long long)p->runs->steps.at[w->step].id,
                       (long long)w->start_ns / 1000, (long long)(w->end_ns - w->start_ns) / 1000);
    }
    tfp_buf_text(&got, whole ? "-" : "");
    tfp_buf_char(&got, '\0');
    tfp_buf_free(&text);
    tfp_profile_free(p);
    return got.data;
}

#define ASSERT_STEPS_IN(category, steps, ...)                                                                          \
    do {                                                                                                               \
        static const char *const ranges_[] = { __VA_ARGS__ };                                                          \
        char *got_ = steps_of(category, ranges_, sizeof ranges_ / sizeof *ranges_);                                    \
        assert_string_equal(got_, steps);                                                                              \
        free(got_);                                                                                                    \
    } while (0)
#define ASSERT_STEPS(steps, ...) ASSERT_STEPS_IN("user_annotation", steps, __VA_ARGS__)

static void names_mark_steps(void **state)
{
    (void)state;
    static const struct {
        const char *name, *stem;
        int number;
        bool profiler, must_repeat;
    } are[] = { { "ProfilerStep#12", "ProfilerStep#", 12, true, false },
                { "train_step 3", "train_step", 3, false, false },
                { "Iteration: 7", "Iteration", 7, false, false },
                { "[step 0]", "step", 0, false, false },
                { "training batch #5", "training batch", 5, false, false },
                { "iter12", "iter", 12, false, false },
                { "eval_step(4)", "eval_step", 4, false, false },
                { "train_step", "train_step", -1, false, true },
                { "step[DECODE bs=32]", "server", -1, false, false },
                { "execute_context_0(0)_generation_8(8)", "server", -1, false, false },
                { "execute_8_context_0(sq0)_generation_8(sq8)", "server", -1, false, false },
                { "[Executor] _forward_step 3: 0 ctx reqs, 8 gen reqs", "server", 3, false, false },
                { "decode[bs=4]", "server", -1, false, false },
                { "execute_model", "execute_", -1, false, true },
                { "[pl][profile]run_training_batch", "[pl][profile]run_training_batch", -1, false, false } };
    static const char *const are_not[] = { "",
                                           "step",
                                           "batch",
                                           "ProfilerStep#",
                                           "ProfilerStep#x",
                                           "step 3a",
                                           "first step 3",
                                           "step[DECODE",
                                           "stepper 3",
                                           "execute",
                                           "optimizer_step 3 of 4",
                                           "train",
                                           "step 99999999999999999999" };
    tfp_step_name n;
    for (size_t i = 0; i < sizeof are / sizeof *are; i++) {
        assert_true(tfp_step_name_of(tfp_str_of(are[i].name), &n));
        assert_true(tfp_str_eq(n.stem, tfp_str_of(are[i].stem)));
        assert_int_equal(n.number, are[i].number);
        assert_int_equal(n.profiler, are[i].profiler);
        assert_int_equal(n.must_repeat, are[i].must_repeat);
    }
    for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++)
        assert_false(tfp_step_name_of(tfp_str_of(are_not[i]), &n));
}

static void names_of_server_steps_tell_their_phase(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tfp_phase phase;
        int requests, tokens;
    } are[] = {
        { "step[EXTEND bs=2 toks=64]", TFP_PHASE_PREFILL, 2, 64 },
        { "step[SPLIT_PREFILL bs=1 toks=32]", TFP_PHASE_PREFILL, 1, 32 },
        { "step[DECODE bs=4]", TFP_PHASE_DECODE, 4, 4 },
        { "step[DECODE bs=8 raw_bs=5]", TFP_PHASE_DECODE, 5, 5 },
        { "step[MIXED bs=5 c_sq=36 g_sq=4]", TFP_PHASE_MIXED, 5, 40 },
        { "step[TARGET_VERIFY bs=4 toks=16]", TFP_PHASE_VERIFY, 4, 16 },
        { "step[TARGET_VERIFY bs=4]", TFP_PHASE_VERIFY, 4, -1 },
        { "step[DRAFT_EXTEND bs=4 toks=6]", TFP_PHASE_DRAFT, 4, 6 },
        { "step[IDLE bs=0]", TFP_PHASE_IDLE, 0, -1 },
        { "execute_70_context_1(sq66sk66sqsq4356sqsk4356)_generation_4(sq4sk904sqsq4sqsk904)", TFP_PHASE_MIXED, 5, 70 },
        { "execute_context_0(0)_generation_8(8)", TFP_PHASE_DECODE, 8, 8 },
        { "execute_context_3(96)_generation_0(0)", TFP_PHASE_PREFILL, 3, 96 },
        { "[Executor] _forward_step 12: 2 ctx reqs, 6 gen reqs", TFP_PHASE_MIXED, 8, -1 },
        { "_forward_step: 0 ctx reqs, 8 gen reqs", TFP_PHASE_DECODE, 8, -1 },
        { "executeStep: 3 ctx reqs, 0 gen reqs", TFP_PHASE_PREFILL, 3, -1 },
        { "executeStep: 2 ctx reqs, 64 ctx tokens, 6 gen reqs", TFP_PHASE_MIXED, 8, 70 },
        { "prefill[bs=2 tok=64]", TFP_PHASE_PREFILL, 2, 64 },
        { "decode[bs=4]", TFP_PHASE_DECODE, 4, 4 },
    };
    static const char *const are_not[] = { "",
                                           "ProfilerStep#3",
                                           "step 3",
                                           "step[PREBUILT bs=4]",
                                           "step[DECODED bs=4]",
                                           "execute_new_4_cached_2",
                                           "execute_context_0(0)_generation_0(0)",
                                           "execute_context_1(x)_generation_0(0)",
                                           "execute_context_99999999999999999999(1)_generation_0(0)",
                                           "_forward_step 12",
                                           "_forward_step x: 2 ctx reqs, 6 gen reqs",
                                           "executeStep: 2 ctx reqs" };
    tfp_step_phase p;
    for (size_t i = 0; i < sizeof are / sizeof *are; i++) {
        assert_true(tfp_step_phase_of(tfp_str_of(are[i].name), &p));
        assert_int_equal(p.phase, are[i].phase);
        assert_int_equal(p.requests, are[i].requests);
        assert_int_equal(p.tokens, are[i].tokens);
    }
    for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++)
        assert_false(tfp_step_phase_of(tfp_str_of(are_not[i]), &p));
}

static void numbers_are_the_names_where_they_differ(void **state)
{
    (void)state;
    ASSERT_STEPS("7:10+40 8:60+40", "1 10 40 step 7", "1 60 40 step 8");
    ASSERT_STEPS("0:10+40 1:60+40 2:110+40", "1 10 40 step 0", "1 60 40 step 1", "1 110 40 step 0"); /* epochs */
    /* two threads of one step are one step */
    ASSERT_STEPS("3:10+60 4:80+40", "1 10 40 step 3", "2 20 50 step 3", "1 80 40 step 4");
}

static void servers_steps_are_counted(void **state)
{
    (void)state;
    ASSERT_STEPS("0:10+40 1:60+40", "1 10 40 step[EXTEND bs=1 toks=9]", "1 60 40 step[DECODE bs=1]",
                 "1 12 30 execute_context_1(9)_generation_0(0)", "2 62 10 step[DECODE bs=1]");
    ASSERT_STEPS("-", "1 10 40 execute_model", "2 60 40 execute_model");
    ASSERT_STEPS("0:10+40 1:60+40", "1 10 40 execute_model", "1 60 40 execute_model");
}

static void certain_marks_win_then_the_longest_loop(void **state)
{
    (void)state;
    ASSERT_STEPS("5:10+90", "1 10 90 ProfilerStep#5", "1 20 20 step 0", "1 40 20 step 1");
    ASSERT_STEPS("0:10+90 1:110+90", "1 10 90 step 0", "1 10 20 batch 0", "1 30 20 batch 1", "1 110 90 step 1");
}

static void traces_of_other_programs_have_the_same_marks(void **state)
{
    (void)state;
    ASSERT_STEPS_IN("train", "2:10+40 3:60+40", "1 10 40 step 2", "1 60 40 step 3");
    ASSERT_STEPS_IN("gpu_user_annotation", "-", "1 10 40 step 2", "1 60 40 step 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_mark_steps),
        cmocka_unit_test(names_of_server_steps_tell_their_phase),
        cmocka_unit_test(numbers_are_the_names_where_they_differ),
        cmocka_unit_test(servers_steps_are_counted),
        cmocka_unit_test(certain_marks_win_then_the_longest_loop),
        cmocka_unit_test(traces_of_other_programs_have_the_same_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
