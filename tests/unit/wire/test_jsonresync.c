// SPDX-License-Identifier: Apache-2.0
/* tests/unit/wire/test_jsonresync.c: where an array goes on after a broken item. */
#include "support.h"
#include "wire/jsonscan.h"

static tfp_jresync_found find(const char *text, bool whole, size_t *at)
{
    tfp_jresync r = { .needs = "ph" };
    tfp_str window = tfp_str_of(text);
    return tfp_jresync_find(&r, window, tfp_jresync_after(window, 0), whole, at);
}

static void the_next_item_has_the_member_that_all_have(void **state)
{
    (void)state;
    size_t at;
    const char *text =
        ", {\"ph\":\"X\",\"name\":\"a\"b\",\"args\":{\"x\":[{\"y\":1}]}}, {\"name\":1}, {\"n\":2,\"ph\":\"X\"}]";
    assert_int_equal(find(text, true, &at), TFP_JRESYNC_ITEM);
    assert_string_equal(text + at, "{\"n\":2,\"ph\":\"X\"}]");
}

static void the_end_of_the_array_is_found(void **state)
{
    (void)state;
    size_t at;
    const char *text = "{\"ph\":\"X\",\"name\":\"a\"b\",\"args\":{\"x\":[1,2]}}\n], \"unit\": \"ms\"}\n";
    assert_int_equal(find(text, true, &at), TFP_JRESYNC_CLOSE);
    assert_string_equal(text + at, "], \"unit\": \"ms\"}\n");
    assert_int_equal(find("{\"a\"b\"} ] ", true, &at), TFP_JRESYNC_CLOSE);
    assert_int_equal(find("{\"a\"b\"} ] {", true, &at), TFP_JRESYNC_PART);
    assert_int_equal(find("{\"a\"b\":[1]", true, &at), TFP_JRESYNC_NONE);
}

static void an_item_that_the_window_cuts_is_part_of_one(void **state)
{
    (void)state;
    size_t at;
    const char *text = "{\"a\"b\"}, {\"ph\":\"X\", \"name\":\"lo";
    assert_int_equal(find(text, false, &at), TFP_JRESYNC_PART);
    assert_int_equal(text[at], '{');
    assert_int_equal(find("{\"a\"b\"}, 1, 2", false, &at), TFP_JRESYNC_NONE);
    assert_int_equal(at, sizeof "{\"a\"b\"}, 1, 2" - 1);
}

static void further_broken_items_are_counted(void **state)
{
    (void)state;
    size_t at;
    tfp_jresync r = { .needs = "ph", .first = TFP_STR("name") };
    tfp_str text =
        tfp_str_of("{\"name\":\"a\"b\"}, {\"name\":\"c\"d\"}, {\"k\":1,\"ph\":\"e\"f\"}, {\"name\":1,\"ph\":\"X\"}]");
    assert_int_equal(tfp_jresync_find(&r, text, 1, true, &at), TFP_JRESYNC_ITEM);
    assert_int_equal(r.broken, 2);
}

/* Each brace begins an object that goes on to the end: trying all of them would be quadratic. */
static void work_is_linear(void **state)
{
    (void)state;
    size_t at;
    tfp_buf text = { 0 };
    tfp_jresync r = { .needs = "ph" };
    for (int i = 0; i < 500; i++) tfp_buf_text(&text, "{\"ph\":[");
    tfp_buf_fill(&text, '1', (size_t)1 << 20);
    assert_int_equal(tfp_jresync_find(&r, (tfp_str){ text.data, text.size }, 0, true, &at), TFP_JRESYNC_PART);
    assert_true(r.read < 20 * text.size);
    tfp_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_item_has_the_member_that_all_have),
        cmocka_unit_test(the_end_of_the_array_is_found),
        cmocka_unit_test(an_item_that_the_window_cuts_is_part_of_one),
        cmocka_unit_test(further_broken_items_are_counted),
        cmocka_unit_test(work_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
