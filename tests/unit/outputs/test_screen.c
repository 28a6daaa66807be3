// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/test_screen.c: texts for a terminal: cut and wrapped by characters, bars, and views and tables
 * that fit a width, with a line that names the columns that were left out. */
#include "support.h"

#include "outputs/text/screen.h"

#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define FULL "\xe2\x96\x88"

static void a_cut_text_ends_in_an_ellipsis_and_never_in_half_a_character(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t width;
        const char *cut;
    } cases[] = { { "abcdef", 6, "abcdef" },
                  { "abcdef", 5, "abcd" ELLIPSIS },
                  { "\xc3\xa4\xc3\xb6\xc3\xbc", 3, "\xc3\xa4\xc3\xb6\xc3\xbc" },
                  { "\xc3\xa4\xc3\xb6\xc3\xbc", 2, "\xc3\xa4" ELLIPSIS },
                  { "", 1, "" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_buf b = { 0 };
        tfp_buf_text(&b, cases[i].text);
        tfp_screen_cut(&b, cases[i].width);
        tfp_buf_char(&b, '\0');
        assert_string_equal(b.data, cases[i].cut);
        tfp_buf_free(&b);
    }
}

static void a_wrapped_text_has_all_its_words_below_each_other(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    tfp_screen_wrap(&b, TFP_STR("one two three four five six"), 4, 30);
    tfp_buf_char(&b, '\0');
    assert_string_equal(b.data, "one two three four five\n    six");
    b.size = 0;
    tfp_screen_wrap(&b, TFP_STR("one two three four five six"), 4, 0); /* not a terminal */
    tfp_buf_char(&b, '\0');
    assert_string_equal(b.data, "one two three four five six");
    tfp_buf_free(&b);
}

static void lines_end_between_words_and_a_long_word_is_broken(void **state)
{
    (void)state;
    static const char *const lines[] = { "a bc", "def", "0123456789", "abc\xc3\xa4" };
    tfp_str text = TFP_STR("a bc def 0123456789abc\xc3\xa4");
    size_t at = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        tfp_str line = tfp_screen_line(text, i < 2 ? 5 : 10, &at);
        assert_int_equal(line.size, strlen(lines[i]));
        assert_memory_equal(line.data, lines[i], line.size);
    }
    assert_int_equal(at, text.size);
    assert_int_equal(tfp_screen_line(text, 5, &at).size, 0);
}

static void a_bar_is_ten_columns_wide_whatever_the_share(void **state)
{
    (void)state;
    static const double shares[] = { -1, 0, 0.01, 0.5, 0.999, 1, 7 };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        tfp_buf b = { 0 };
        tfp_screen_bar(&b, shares[i], false);
        assert_int_equal(tfp_screen_width((tfp_str){ b.data, b.size }), TFP_BAR);
        if (shares[i] >= 1) assert_null(memchr(b.data, ' ', b.size));
        tfp_buf_free(&b);
    }
}

/* ---- whole reports ---- */

static const char nodes[] = "scope/of/a/rather/long/name/product MatMul 3us 40B 7f +a_type_with_a_name\n"
                            "scope/of/a/rather/long/name/sum Add 4us 50B 1f\n"
                            "w VariableV2 2x3\n";

/* A view of a profile, as a terminal of that width shows it. Frees the profile; the caller frees the text. */
static char *shown_of(tfp_profile *p, const char *view, int width, const char *const *settings)
{
    tfp_error err = { 0 };
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    for (; *settings; settings += 2) assert_int_equal(tfp_options_set(o, settings[0], settings[1], &err), TFP_OK);
    tfp_options_screen(o, width, 0);
    if (tfp_report_build(p, view, o, &r, &err)) fail_msg("%s", err.text);
    char *text = written(r, "text");
    tfp_options_free(o);
    drop_report(r);
    return text;
}

static char *shown(const char *view, int width, const char *const *settings)
{
    return shown_of(profile_of(nodes), view, width, settings);
}

static void check_width(const char *text, size_t width)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
        tfp_str one = { line, strcspn(line, "\n") };
        if (tfp_screen_width(one) > width) fail_msg("more than %zu columns: %.*s", width, (int)one.size, one.data);
    }
}

static const char *const every_column[] = { "select", "micros,bytes,params,float_ops,occurrence,device,op_types",
                                            "max_depth", "100", NULL };

static void a_view_fits_and_names_what_it_leaves_out(void **state)
{
    (void)state;
    static const char *const columns[] = { "time", "bytes", "params", "float_ops", "occurrence", NULL };
    for (int width = 50; width < 220; width += 17) {
        char *text = shown("scope", width, every_column);
        check_width(text, (size_t)width);
        const char *left_out = strstr(text, "no room for "), *header = strstr(text, "\n\n") + 2;
        for (const char *const *column = columns; *column; column++) {
            const char *at = strstr(header, *column);
            assert_non_null(at);
            if (at > header + strcspn(header, "\n")) assert_true(left_out && at > left_out);
        }
        free(text);
    }
}

static void labels_go_before_numbers_and_the_number_of_the_order_stays(void **state)
{
    (void)state;
    const char *ordered[] = { "select", "micros,bytes,params,float_ops,op_types", "order_by", "bytes", NULL };
    char *text = shown("scope", 80, ordered);
    assert_non_null(strstr(text, "    bytes   share"));
    assert_non_null(strstr(text, "no room for "));
    assert_non_null(strstr(text, "op_types: a wider terminal or a pipe"));
    assert_null(strstr(text, "B" ELLIPSIS));
    free(text);
}

static void a_number_too_big_for_its_column_widens_it(void **state)
{
    (void)state;
    static const char *const none[] = { NULL };
    char *text = shown_of(profile_of("a MatMul 9000000000000000us\nb Add 1us\n"), "op", 100, none);
    const char *header = strstr(text, "\n\n") + 2, *row = strstr(header, "\n") + 1;
    /* the number and the name of its column end at the same position */
    assert_non_null(strstr(row, "9000000000 s"));
    assert_int_equal(strstr(header, "time") + strlen("time") - header,
                     strstr(row, "9000000000 s") + strlen("9000000000 s") - row);
    free(text);
}

static void a_table_fits_and_keeps_its_first_number(void **state)
{
    (void)state;
    static const char graph[] =
        "node { name: 'w' op: 'VariableV2' attr { key: 'shape' value { shape { dim { size: 5 } } } } }";
    static const char *const none[] = { NULL };
    for (int width = 40; width < 140; width += 11) {
        tfp_profile *p = tfp_profile_new();
        tfp_error err = { 0 };
        if (tfp_profile_keep(p, TFP_KEEP_PROGRAM) ||
            tfp_profile_add_bytes(p, "graph", "g", graph, strlen(graph), &err) || tfp_profile_finish(p, &err))
            fail_msg("%s", err.text);
        char *text = shown_of(p, "params", width, none), *table = strstr(text, "block");
        assert_non_null(table);
        check_width(table, (size_t)width);
        assert_non_null(strstr(table, "variables"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_text_ends_in_an_ellipsis_and_never_in_half_a_character),
        cmocka_unit_test(a_wrapped_text_has_all_its_words_below_each_other),
        cmocka_unit_test(lines_end_between_words_and_a_long_word_is_broken),
        cmocka_unit_test(a_bar_is_ten_columns_wide_whatever_the_share),
        cmocka_unit_test(a_view_fits_and_names_what_it_leaves_out),
        cmocka_unit_test(labels_go_before_numbers_and_the_number_of_the_order_stays),
        cmocka_unit_test(a_number_too_big_for_its_column_widens_it),
        cmocka_unit_test(a_table_fits_and_keeps_its_first_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
