// SPDX-License-Identifier: Apache-2.0
/* tests/unit/options/test_rewrite.c: names rewritten as sed does. */
#include "support.h"

#include "options/rewrite.h"

static char *rewritten(const char *const *expressions, const char *name)
{
    tfp_rewrites *w = NULL;
    for (; *expressions; expressions++) {
        tfp_rewrites *more = NULL;
        tfp_str one = tfp_str_of(*expressions);
        tfp_error err = { 0 };
        if (tfp_rewrites_new(w, &one, 1, &more, &err) != TFP_OK) fail_msg("%s: %s", *expressions, err.text);
        tfp_rewrites_free(w);
        w = more;
    }
    tfp_buf out = { 0 }, scratch = { 0 };
    tfp_rewrites_apply(w, tfp_str_of(name), &out, &scratch);
    tfp_buf_char(&out, 0);
    assert_false(out.failed);
    tfp_buf_free(&scratch);
    tfp_rewrites_free(w);
    return out.data;
}

/* The expected names are the output of GNU sed -E. */
static void names_change_as_in_sed(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "s/a/b/", "aaa", "baa" },
        { "s/a/b/g", "aaa", "bbb" },
        { "s/x/b/g", "aaa", "aaa" },
        { "s/a//g", "banana", "bnn" },
        { "s/b*/X/g", "abc", "XaXcX" },
        { "s/b*/X/", "abc", "Xabc" },
        { "s/x*/-/g", "abc", "-a-b-c-" },
        { "s/x*/-/g", "", "-" },
        { "s/^/> /g", "a/b", "> a/b" },
        { "s/$/!/g", "a/b", "a/b!" },
        { "s/^a/b/g", "aaa", "baa" },
        { "s/(a)(b)?/[\\1\\2]/g", "abac", "[ab][a]c" },
        { "s/a\\/b/x/", "a/b/c", "x/c" },
        { "s|a/|<&>|", "a/b", "<a/>b" },
        { "s,/,\\,,g", "a/b/c", "a,b,c" },
        { "s/b/\\&\\\\&/", "abc", "a&\\bc" },
        { "s/(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)/\\9\\1/", "abcdefghij", "ia" },
        { "s|a\\|b|x|", "a|b", "x" }, /* an escaped delimiter is an ordinary character */
        { "sxaxbx", "aaa", "baa" },
        { "s.a\\.b.x.", "a.b acb", "x acb" },
        { "s/\xc3\xa4*/-/g", "\xc3\xb6", "-\xc3\xb6-" }, /* an empty match advances by a whole character */
        { "s/a/\\0\\0/", "xay", "xaay" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *expressions[] = { cases[i][0], NULL };
        char *got = rewritten(expressions, cases[i][1]);
        if (strcmp(got, cases[i][2]) != 0) fail_msg("%s of %s gives %s", cases[i][0], cases[i][1], got);
        free(got);
    }
}

static void changes_follow_one_another(void **state)
{
    (void)state;
    static const char *const three[] = { "s/a/b/g", "s/b/c/", "s/^c(.*)/\\1c/", NULL }, *const none[] = { NULL };
    char *got = rewritten(three, "aab");
    assert_string_equal(got, "bbc");
    free(got);
    got = rewritten(none, "a/b");
    assert_string_equal(got, "a/b");
    free(got);
}

static void expressions_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "", "form" },
        { "s", "form" },
        { "y/a/b/", "form" },
        { "s/a", "pattern" },
        { "s/a\\/b", "pattern" },
        { "s/a/b", "text" },
        { "s/a/b\\/", "text" },
        { "s/a/b/gg", "only g" },
        { "s/a/b/ ", "only g" },
        { "s/(/b/", "regex" },
        { "s/a/\\1/", "0 groups" },
        { "s/(a)/\\2/", "1 group" },
        { "s\\a\\b\\", "mark" },
        { "s/a/\x03/", "control" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_str one = tfp_str_of(cases[i][0]);
        tfp_rewrites *w = NULL;
        tfp_error err = { 0 };
        tfp_status s = one.size ? tfp_rewrites_new(NULL, &one, 1, &w, &err) : TFP_BADARG;
        assert_int_equal(s, TFP_BADARG);
        assert_null(w);
        if (one.size && !strstr(err.text, cases[i][1])) fail_msg("%s: %s", cases[i][0], err.text);
    }
}

static void the_option_adds_and_an_empty_one_clears(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_options_set(o, "rewrite", "s/a/b/", NULL), TFP_OK);
    tfp_options *copy = tfp_options_copy(o);
    assert_int_equal(tfp_options_set(o, "rewrite", "s/b,c/d/", NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "rewrite"), "s/a/b/ s/b,c/d/");
    assert_string_equal(tfp_options_get(copy, "rewrite"), "s/a/b/");
    assert_int_equal(tfp_options_set(o, "rewrite", "s/(/d/", NULL), TFP_BADARG);
    assert_string_equal(tfp_options_get(o, "rewrite"), "s/a/b/ s/b,c/d/");
    const char *items[] = { "s/x/y/" };
    assert_int_equal(tfp_options_set_list(o, "rewrite", items, 1, NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "rewrite"), "s/x/y/");
    assert_int_equal(tfp_options_set_list(o, "rewrite", items, 0, NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "rewrite"), "");
    assert_int_equal(tfp_options_set(copy, "rewrite", "", NULL), TFP_OK);
    assert_string_equal(tfp_options_get(copy, "rewrite"), "");
    tfp_options_free(o);
    tfp_options_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_change_as_in_sed),
        cmocka_unit_test(changes_follow_one_another),
        cmocka_unit_test(expressions_that_are_none_are_refused),
        cmocka_unit_test(the_option_adds_and_an_empty_one_clears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
