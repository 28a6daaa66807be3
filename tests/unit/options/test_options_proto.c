// SPDX-License-Identifier: Apache-2.0
/* tests/unit/options/test_options_proto.c: options from TensorFlow's protos. */
#include "options_asked.h"

#include "wire/proto.h"

/* ---- messages in a line or two ---- */

enum {
    MAX_DEPTH = 1,
    ORDER_BY = 7,
    ACCOUNT = 8,
    SHOW = 11,
    HIDE = 12,
    DISPLAYED_ONLY = 13,
    SELECT = 14,
    OUTPUT = 15,
    DUMP = 16,
    MIN_OCCURRENCE = 17,
    STEP = 18
}; /* fields of OptionsProto */

static void number(asked *a, uint32_t field, int64_t v) { tfp_put_int_always(&a->bytes, field, v); }
static void bytes(asked *a, uint32_t field, tfp_str s) { tfp_put_bytes_always(&a->bytes, field, s); }
static void text(asked *a, uint32_t field, const char *s) { bytes(a, field, tfp_str_of(s)); }

/* An entry of AdvisorOptionsProto.checkers. */
static void checker(asked *a, tfp_str name)
{
    size_t at = tfp_put_open(&a->bytes, 1);
    tfp_put_bytes_always(&a->bytes, 1, name);
    tfp_put_bytes_always(&a->bytes, 2, TFP_STR(""));
    tfp_put_close(&a->bytes, at);
}

static tfp_status sent(asked *a, const char *view)
{
    tfp_status s = tfp_options_read_proto(a->o, view, a->bytes.data, a->bytes.size, &a->err);
    a->bytes.size = 0;
    return s;
}

/* A message with options that show everything; tests add the fields that they check. */
static void wide(asked *a)
{
    number(a, MAX_DEPTH, 100);
    number(a, STEP, -1);
    text(a, ACCOUNT, ".*");
    text(a, 9, ".*");
    text(a, SELECT, "micros");
}

/* ---- OptionsProto ---- */

static void every_field_sets_its_option(void **state)
{
    (void)state;
    static const struct {
        uint32_t field;
        const char *option, *text; /* no text: the expected value is the field's number */
    } all[] = { { 1, "max_depth", NULL },           { 2, "min_bytes", NULL },
                { 3, "min_micros", NULL },          { 4, "min_params", NULL },
                { 5, "min_float_ops", NULL },       { 7, "order_by", "bytes" },
                { 8, "account_type_regexes", "a" }, { 9, "start_name_regexes", "b" },
                { 10, "trim_name_regexes", "c" },   { 11, "show_name_regexes", "d" },
                { 12, "hide_name_regexes", "e" },   { 14, "select", "params" },
                { 15, "output", "none:outfile=f" }, { 16, "dump_to_file", "g" },
                { 17, "min_occurrence", NULL },     { 18, "step", NULL },
                { 19, "min_peak_bytes", NULL },     { 20, "min_residual_bytes", NULL },
                { 21, "min_output_bytes", NULL },   { 22, "min_accelerator_micros", NULL },
                { 23, "min_cpu_micros", NULL } };
    enum { COUNT = sizeof all / sizeof *all };
    asked a;
    start(&a);
    for (size_t i = 0; i < COUNT; i++) {
        if (all[i].text)
            text(&a, all[i].field, all[i].text);
        else
            number(&a, all[i].field, all[i].field);
    }
    number(&a, DISPLAYED_ONLY, 1);
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    for (size_t i = 0; i < COUNT; i++) {
        char n[8];
        snprintf(n, sizeof n, "%u", all[i].field);
        is(&a, all[i].option, all[i].text ? all[i].text : n);
    }
    is(&a, "account_displayed_op_only", "true");
    drop(&a);
}

static void what_is_absent_is_zero_false_or_empty_but_texts_stay(void **state)
{
    (void)state;
    asked a;
    start(&a);
    tfp_options_set(a.o, "order_by", "bytes", NULL);
    tfp_options_set(a.o, "account_displayed_op_only", "true", NULL);
    tfp_options_set(a.o, "min_bytes", "5", NULL);
    assert_int_equal(tfp_options_read_proto(a.o, "scope", NULL, 0, &a.err), TFP_OK);
    is(&a, "max_depth", "0");
    is(&a, "min_bytes", "0");
    is(&a, "step", "0");
    is(&a, "account_displayed_op_only", "false");
    is(&a, "account_type_regexes", "");
    is(&a, "select", "");
    is(&a, "order_by", "bytes");
    is(&a, "output", "stdout:");
    drop(&a);
}

static void of_a_single_field_the_last_value_counts(void **state)
{
    (void)state;
    asked a;
    start(&a);
    number(&a, MAX_DEPTH, 3);
    number(&a, MAX_DEPTH, 4);
    number(&a, DISPLAYED_ONLY, 1);
    number(&a, DISPLAYED_ONLY, 0);
    text(&a, ORDER_BY, "bytes");
    text(&a, ORDER_BY, "micros");
    text(&a, DUMP, "first");
    text(&a, DUMP, "");
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    is(&a, "max_depth", "4");
    is(&a, "account_displayed_op_only", "false");
    is(&a, "order_by", "micros");
    is(&a, "dump_to_file", "");
    drop(&a);
}

static void a_list_replaces_the_one_before_and_keeps_commas(void **state)
{
    (void)state;
    asked a;
    start(&a);
    tfp_options_set(a.o, "show_name_regexes", "z", NULL);
    wide(&a);
    text(&a, SHOW, "a{1,2}");
    text(&a, SHOW, "x,y");
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    is(&a, "show_name_regexes", "a{1,2},x,y");
    shows(&a, "a Relu\naa Relu\naaa Relu\nx Relu\nx,y Relu\nz Relu\n", "_TFProfRoot a aa x,y");
    drop(&a);
}

static void an_empty_pattern_in_a_list_is_one_and_matches_no_name(void **state)
{
    (void)state;
    asked a;
    start(&a);
    wide(&a);
    text(&a, SHOW, "");
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    shows(&a, "a Relu\n", "_TFProfRoot");
    wide(&a);
    text(&a, SHOW, ".*");
    text(&a, HIDE, "");
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    shows(&a, "a Relu\n", "_TFProfRoot a");
    drop(&a);
}

static void any_step_below_zero_asks_for_the_mean(void **state)
{
    (void)state;
    asked a;
    start(&a);
    static const int64_t below[] = { -1, -2, INT64_MIN };
    for (size_t i = 0; i < 3; i++) {
        number(&a, STEP, below[i]);
        assert_int_equal(sent(&a, "scope"), TFP_OK);
        is(&a, "step", "-1");
    }
    number(&a, STEP, INT64_MAX);
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    is(&a, "step", "9223372036854775807");
    drop(&a);
}

static void negative_and_huge_minimums_are_taken(void **state)
{
    (void)state;
    asked a;
    start(&a);
    number(&a, 2, -1);
    number(&a, 3, INT64_MAX);
    number(&a, MAX_DEPTH, -7);
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    is(&a, "min_bytes", "-1");
    is(&a, "min_micros", "9223372036854775807");
    is(&a, "max_depth", "-7");
    drop(&a);
}

static void a_value_that_is_not_known_leaves_all_others_in_force(void **state)
{
    (void)state;
    asked a;
    start(&a);
    number(&a, MAX_DEPTH, (int64_t)1 << 32);
    text(&a, OUTPUT, "nowhere");
    number(&a, MIN_OCCURRENCE, 9);
    assert_fails(sent(&a, "scope"), &a.err, TFP_BADARG, "-max_depth");
    is(&a, "max_depth", "10");
    is(&a, "output", "stdout:");
    is(&a, "min_occurrence", "9");
    drop(&a);
}

static void an_unknown_order_means_by_name(void **state)
{
    (void)state;
    asked a;
    start(&a);
    tfp_options_set(a.o, "order_by", "bytes", NULL);
    text(&a, ORDER_BY, "beauty");
    assert_fails(sent(&a, "scope"), &a.err, TFP_BADARG, "beauty");
    is(&a, "order_by", "name");
    drop(&a);
}

static void unknown_columns_are_left_out_with_a_word_about_the_first(void **state)
{
    (void)state;
    asked a;
    start(&a);
    text(&a, SELECT, "bytes");
    text(&a, SELECT, "nope");
    text(&a, SELECT, "params,micros"); /* one item; no column has this name */
    text(&a, SELECT, "");
    text(&a, SELECT, "micros");
    assert_fails(sent(&a, "scope"), &a.err, TFP_BADARG, "no column 'nope'");
    is(&a, "select", "bytes,micros");
    text(&a, SELECT, "nope");
    assert_fails(sent(&a, "scope"), &a.err, TFP_BADARG, "no column 'nope'");
    is(&a, "select", "");
    drop(&a);
}

static void an_invalid_pattern_matches_nothing_and_the_others_still_do(void **state)
{
    (void)state;
    asked a;
    start(&a);
    wide(&a);
    text(&a, SHOW, "a(");
    text(&a, SHOW, "b");
    text(&a, ORDER_BY, "micros");
    assert_fails(sent(&a, "scope"), &a.err, TFP_BADARG, "invalid regex 'a('");
    is(&a, "order_by", "micros");
    shows(&a, "a Relu\nb Relu\n", "_TFProfRoot b");
    drop(&a);
}

static void a_nul_byte_does_not_end_a_text(void **state)
{
    (void)state;
    asked a;
    start(&a);
    wide(&a);
    bytes(&a, SHOW, TFP_STR("a\0|c"));
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    is(&a, "show_name_regexes", "a\\x00|c");
    shows(&a, "a Relu\nc Relu\n", "_TFProfRoot c");
    bytes(&a, SELECT, TFP_STR("micros\0"));
    assert_fails(sent(&a, "scope"), &a.err, TFP_BADARG, "micros\\x00");
    is(&a, "select", "");
    bytes(&a, ORDER_BY, TFP_STR("micros\0"));
    assert_fails(sent(&a, "scope"), &a.err, TFP_BADARG, "NUL");
    is(&a, "order_by", "name");
    bytes(&a, DUMP, TFP_STR("f\0.txt"));
    assert_fails(sent(&a, "scope"), &a.err, TFP_BADARG, "NUL");
    is(&a, "dump_to_file", "");
    drop(&a);
}

static void fields_of_other_numbers_are_skipped(void **state)
{
    (void)state;
    asked a;
    start(&a);
    number(&a, 6, 1);
    text(&a, 24, "later");
    text(&a, 536870911, "last");
    tfp_buf_str(&a.bytes, TFP_STR("\x33\x0a\x01x\x34")); /* a group: field 6 */
    number(&a, MAX_DEPTH, 3);
    assert_int_equal(sent(&a, "scope"), TFP_OK);
    is(&a, "max_depth", "3");
    drop(&a);
}

/* All options as text, for comparisons. */
static char *listing(const tfp_options *o)
{
    tfp_buf b = { 0 };
    for (size_t i = 0; tfp_option_name(i, false); i++)
        tfp_buf_printf(&b, "%s=%s\n", tfp_option_name(i, false), tfp_options_get(o, tfp_option_name(i, false)));
    tfp_buf_char(&b, 0);
    assert_false(b.failed);
    return b.data;
}

static void refused(const char *view, tfp_str message, const char *why)
{
    asked a;
    start(&a);
    char *before = listing(a.o);
    tfp_buf_str(&a.bytes, message);
    assert_fails(sent(&a, view), &a.err, TFP_BADFILE, why);
    char *after = listing(a.o);
    assert_string_equal(before, after);
    free(before);
    free(after);
    drop(&a);
}

static void bytes_that_are_no_message_change_nothing(void **state)
{
    (void)state;
    refused("scope", TFP_STR("\x08\x03\x10"), "");                 /* max_depth, then a truncated number */
    refused("scope", TFP_STR("\x08\x03\x3a\x05name"), "past");     /* order_by longer than the message */
    refused("scope", TFP_STR("\x08\x03\x0a\x01x"), "wire type");   /* max_depth as a text */
    refused("scope", TFP_STR("\x08\x03\x70\x01"), "wire type");    /* select as a number */
    refused("scope", TFP_STR("\x08\x03\xff\xff\xff\xff\xff"), ""); /* a tag that does not end */
    refused("advise", TFP_STR("\x0a\x03\x0a\x01x\x0a\x09x"), "past");
    refused("advise", TFP_STR("\x0a\x04\x0a\x05xy"), "checkers"); /* the error is in an entry */
    refused("advise", TFP_STR("\x08\x01"), "wire type");
}

/* ---- AdvisorOptionsProto ---- */

static void the_keys_of_the_map_are_the_checkers_that_run(void **state)
{
    (void)state;
    asked a;
    start(&a);
    checker(&a, TFP_STR("OperationChecker"));
    checker(&a, TFP_STR("ExpensiveOperationChecker"));
    checker(&a, TFP_STR("OperationChecker"));
    assert_int_equal(sent(&a, "advise"), TFP_OK);
    assert_int_equal(findings(&a, NULL), 2);
    assert_int_equal(findings(&a, "OperationChecker"), 1);
    drop(&a);
}

static void an_empty_map_runs_no_checker(void **state)
{
    (void)state;
    asked a;
    start(&a);
    assert_true(findings(&a, NULL) > 2);
    assert_int_equal(sent(&a, "advise"), TFP_OK);
    assert_int_equal(findings(&a, NULL), 0);
    drop(&a);
}

static void a_name_with_a_comma_or_a_nul_byte_is_no_checker(void **state)
{
    (void)state;
    asked a;
    start(&a);
    checker(&a, TFP_STR("ExpensiveOperationChecker\0x"));
    checker(&a, TFP_STR("ExpensiveOperationChecker,JobChecker"));
    checker(&a, TFP_STR("OperationChecker"));
    assert_fails(sent(&a, "advise"), &a.err, TFP_BADARG, "ExpensiveOperationChecker");
    assert_int_equal(findings(&a, NULL), 1);
    assert_int_equal(findings(&a, "OperationChecker"), 1);
    drop(&a);
}

static void without_objects_it_is_a_wrong_call(void **state)
{
    (void)state;
    asked a;
    start(&a);
    assert_int_equal(tfp_options_read_proto(NULL, "scope", "", 0, &a.err), TFP_BADARG);
    assert_int_equal(tfp_options_read_proto(a.o, NULL, "", 0, &a.err), TFP_BADARG);
    assert_int_equal(tfp_options_read_proto(a.o, "scope", NULL, 1, &a.err), TFP_BADARG);
    assert_int_equal(tfp_options_set_list(NULL, "select", NULL, 0, &a.err), TFP_BADARG);
    assert_int_equal(tfp_options_set_list(a.o, NULL, NULL, 0, &a.err), TFP_BADARG);
    assert_int_equal(tfp_options_set_list(a.o, "select", NULL, 1, &a.err), TFP_BADARG);
    assert_fails(tfp_options_set_list(a.o, "nope", NULL, 0, &a.err), &a.err, TFP_BADARG, "nope");
    const char *const hole[] = { "micros", NULL };
    assert_fails(tfp_options_set_list(a.o, "select", hole, 2, &a.err), &a.err, TFP_BADARG, "item 1");
    is(&a, "select", "micros");
    drop(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_sets_its_option),
        cmocka_unit_test(what_is_absent_is_zero_false_or_empty_but_texts_stay),
        cmocka_unit_test(of_a_single_field_the_last_value_counts),
        cmocka_unit_test(a_list_replaces_the_one_before_and_keeps_commas),
        cmocka_unit_test(an_empty_pattern_in_a_list_is_one_and_matches_no_name),
        cmocka_unit_test(any_step_below_zero_asks_for_the_mean),
        cmocka_unit_test(negative_and_huge_minimums_are_taken),
        cmocka_unit_test(a_value_that_is_not_known_leaves_all_others_in_force),
        cmocka_unit_test(an_unknown_order_means_by_name),
        cmocka_unit_test(unknown_columns_are_left_out_with_a_word_about_the_first),
        cmocka_unit_test(an_invalid_pattern_matches_nothing_and_the_others_still_do),
        cmocka_unit_test(a_nul_byte_does_not_end_a_text),
        cmocka_unit_test(fields_of_other_numbers_are_skipped),
        cmocka_unit_test(bytes_that_are_no_message_change_nothing),
        cmocka_unit_test(the_keys_of_the_map_are_the_checkers_that_run),
        cmocka_unit_test(an_empty_map_runs_no_checker),
        cmocka_unit_test(a_name_with_a_comma_or_a_nul_byte_is_no_checker),
        cmocka_unit_test(without_objects_it_is_a_wrong_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
