// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_kineto_names.c: names of threads in a Kineto trace. */
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/read.h"
#include "support.h"

/* The reader tells places of a file apart in which the name of a process comes again, until it knows that they are one
 * trace. */
static void a_thread_is_named_in_another_place_than_its_events(void **state)
{
    (void)state;
    static const char name[] =
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"python\"}}";
    tfp_profile *p = tfp_profile_new();
    tfp_buf text = { 0 };
    tfp_buf_printf(&text, "{\"schemaVersion\":1,\"traceEvents\":[%s,", name);
    for (int thread = 1; thread <= 2; thread++)
        tfp_buf_printf(&text,
                       "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":%d,\"ts\":%d,"
                       "\"dur\":2,\"args\":{\"External id\":%d}},",
                       thread, thread, thread);
    tfp_buf_printf(
        &text, "%s,{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"loader\"}}]}", name);
    assert_int_equal(tfp_profile_add_bytes(p, "kineto", "trace", text.data, text.size, NULL), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    size_t labelled = 0;
    assert_int_equal(tfp_lanes_of(p)->size, 2);
    for (size_t i = 0; i < tfp_lanes_of(p)->size; i++)
        labelled += tfp_str_eq(tfp_text(p, tfp_lanes_of(p)->at[i].label), TFP_STR("loader"));
    assert_int_equal(labelled, 1);
    tfp_buf_free(&text);
    tfp_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_named_in_another_place_than_its_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
