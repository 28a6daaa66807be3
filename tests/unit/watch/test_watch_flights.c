// SPDX-License-Identifier: Apache-2.0
/* tests/unit/watch/test_watch_flights.c: what torch's WorkerServer answers for the flight recorder, also when it is broken or hostile. */
#include "support.h"

#include "watch/record/flights.h"

#define ENTRY(record, sequence, name, rest)                                                                            \
    "{\"record_id\":" record ",\"collective_seq_id\":" sequence ",\"profiling_name\":\"gloo:" name "\","               \
    "\"process_group\":[\"0\",\"default_pg\"],\"input_sizes\":[[4]],\"output_sizes\":[[4]],\"time_created_ns\":"       \
    "1795968494739881620" rest "}"

typedef struct seen {
    size_t count;
    watch_flight last[8];
} seen;

static bool take(void *ctx, const watch_flight *f)
{
    seen *s = ctx;
    if (s->count < 8) s->last[s->count] = *f;
    s->count++;
    return true;
}

static seen read_all(const char *json, const char **why)
{
    seen s = { 0 };
    watch_flights_read(tfp_str_of(json), take, &s, why);
    return s;
}

static void collectives_are_read_with_number_kind_and_group(void **state)
{
    (void)state;
    const char *why;
    seen s =
        read_all("{\"comm_lib_version\":\"\",\"entries\":[" ENTRY(
                     "7", "3", "all_reduce",
                     ",\"state\":\"scheduled\",\"retired\":true") "," ENTRY("8", "4", "all_reduce",
                                                                            ",\"state\":\"scheduled\",\"retired\":"
                                                                            "false") "," ENTRY("9", "5", "broadcast",
                                                                                               ",\"state\":"
                                                                                               "\"completed\"") "],"
                                                                                                                "\"pg_"
                                                                                                                "config"
                                                                                                                "\":{}"
                                                                                                                "}",
                 &why);
    assert_null(why);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.last[0].record, 7);
    assert_int_equal(s.last[0].sequence, 3);
    assert_true(tfp_str_eq(s.last[0].name, TFP_STR("all_reduce")));
    assert_true(tfp_str_eq(s.last[0].group, TFP_STR("0")));
    assert_true(s.last[0].done && !s.last[1].done && s.last[2].done);
    assert_true(s.last[0].what == s.last[1].what && s.last[0].what != s.last[2].what);
}

static void other_sizes_are_another_collective(void **state)
{
    (void)state;
    const char *why;
    seen s = read_all(
        "{\"entries\":[{\"record_id\":1,\"collective_seq_id\":1,\"profiling_name\":\"nccl:all_reduce\",\"input_sizes\":"
        "[[4]]},"
        "{\"record_id\":2,\"collective_seq_id\":2,\"profiling_name\":\"nccl:all_reduce\",\"input_sizes\":[[8]]}]}",
        &why);
    assert_int_equal(s.count, 2);
    assert_true(s.last[0].what != s.last[1].what);
}

static void sends_and_entries_without_a_number_are_left_out(void **state)
{
    (void)state;
    const char *why;
    seen s = read_all(
        "{\"entries\":[" ENTRY(
            "1", "1", "send", ",\"is_p2p\":true") ",5,[],null,{},"
                                                  "{\"record_id\":-4,\"collective_seq_id\":2,\"profiling_name\":\"x\"},"
                                                  "{\"record_id\":\"x\",\"collective_seq_id\":{},\"profiling_name\":9,"
                                                  "\"process_group\":\"0\"}]}",
        &why);
    assert_null(why);
    assert_int_equal(s.count, 0);
}

static void what_is_no_answer_is_said(void **state)
{
    (void)state;
    static const char *const broken[] = { "", "[", "{}", "{\"entries\":[{\"record_id\":1", "nothing", "{\"a\":1}" };
    const char *why;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        assert_int_equal(read_all(broken[i], &why).count, 0);
        assert_non_null(why);
    }
}

static void only_answers_of_status_200_have_a_body(void **state)
{
    (void)state;
    const char *why;
    tfp_str body = watch_flights_body(TFP_STR("HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}"), &why);
    assert_true(tfp_str_eq(body, TFP_STR("{}")) && !why);
    static const char *const others[] = {
        "", "HTTP/1.", "HTTP/1.1 404 x\r\n\r\n{}", "HTTP/1.1 200 OK\r\n", "\r\n\r\n", "SSH-2.0\r\n\r\n{}"
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_null(watch_flights_body(tfp_str_of(others[i]), &why).data);
        assert_non_null(why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_are_read_with_number_kind_and_group),
        cmocka_unit_test(other_sizes_are_another_collective),
        cmocka_unit_test(sends_and_entries_without_a_number_are_left_out),
        cmocka_unit_test(what_is_no_answer_is_said),
        cmocka_unit_test(only_answers_of_status_200_have_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
